// Text from outside: what stands in it, and how it is shown on a terminal, which would obey what it takes for commands.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coslice {

/// Returns the text with control characters as `\x1b`, except line feeds and tabs; bytes that are not UTF-8 are written
/// so, too.
std::string printable(std::string_view text);

/// Returns the text if it has at most `most` bytes; else its beginning, cut between characters, and how long it was.
std::string shortened(std::string_view text, std::size_t most);

/// Takes a number off the front of the text; nothing, and nothing is taken, if there is none or it does not fit.
template <class T>
std::optional<T> take_number(std::string_view& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}
/// Returns the number that the whole text is; nothing if it is none or does not fit.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  const std::optional<T> value = take_number<T>(text);
  return text.empty() ? value : std::nullopt;
}
/// Takes that character off the front of the text, if it begins with it.
inline bool take_char(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}
/// Takes what stands before the first separator off the front of the text, and the separator; all where there is none.
inline std::string_view take_before(std::string_view& text, char separator) {
  const std::string_view taken = text.substr(0, text.find(separator));
  text.remove_prefix(taken.size() == text.size() ? taken.size() : taken.size() + 1);
  return taken;
}
/// Returns what stands between the separators: one part more than there are of these.
std::vector<std::string> split(std::string_view text, char separator);
/// Returns the text without these characters at both of its ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\f\v") {
  text.remove_prefix(text.find_first_not_of(blanks) == text.npos ? text.size() : text.find_first_not_of(blanks));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}
/// Returns the text with its capital letters of ASCII as small ones.
std::string lower_case(std::string_view text);

}  // namespace coslice
