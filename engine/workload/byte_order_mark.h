// What some editors and spreadsheets begin a text of UTF-8 with.
#pragma once

#include <string_view>

namespace coslice {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The text without one at its beginning.
inline std::string_view without_byte_order_mark(std::string_view text) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  return text;
}

}  // namespace coslice
