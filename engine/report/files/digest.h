// SHA-256 of inputs, so that a result says exactly what it was made from.
#pragma once

#include <string>
#include <string_view>

namespace coslice {

/// SHA-256 of the file's bytes as 64 hex digits. Throws InputError if it cannot be read.
std::string sha256_of_file(const std::string& path);
/// SHA-256 of the text's bytes as 64 hex digits.
std::string sha256_of_text(std::string_view text);

}  // namespace coslice
