// Text from outside: parsing it, and escaping it for a terminal, which would execute control sequences.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coslice {

/// Returns the text with control characters, except line feeds and tabs, and bytes that are not UTF-8 as escapes such
/// as `\x1b`.
std::string printable(std::string_view text);

/// Returns the text if it has at most `most` bytes; else its beginning, cut between characters, and how long it was.
std::string shortened(std::string_view text, std::size_t most);

/// Removes a number from the front of the text and returns it; returns nothing and leaves the text alone if it begins
/// with no number or one that T cannot hold.
template <class T>
std::optional<T> take_number(std::string_view& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}
/// Returns the number that the whole text represents; nothing if it is not a number or T cannot hold it.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  const std::optional<T> value = take_number<T>(text);
  return text.empty() ? value : std::nullopt;
}
/// Removes the character from the front of the text. Returns whether it was there.
inline bool take_char(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}
/// Removes the part before the first separator, and the separator, from the text and returns the part; without a
/// separator, the whole text.
inline std::string_view take_before(std::string_view& text, char separator) {
  const std::string_view taken = text.substr(0, text.find(separator));
  text.remove_prefix(taken.size() == text.size() ? taken.size() : taken.size() + 1);
  return taken;
}
/// Returns the parts between separators: n separators give n + 1 parts.
std::vector<std::string> split(std::string_view text, char separator);
/// Returns the text without these characters at both of its ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\f\v") {
  text.remove_prefix(text.find_first_not_of(blanks) == text.npos ? text.size() : text.find_first_not_of(blanks));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}
/// Returns the text with ASCII letters in lower case.
std::string lower_case(std::string_view text);

}  // namespace coslice
