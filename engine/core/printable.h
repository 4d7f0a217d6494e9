// Text from outside on its way to a terminal, which would obey what it takes for commands.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace coslice {

/// The text with control characters as `\x1b`, except line feeds and tabs, and with bytes that are no UTF-8 likewise.
std::string printable(std::string_view text);

/// The text if it has at most `most` bytes; else its beginning, cut between characters, and how long it was.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace coslice
