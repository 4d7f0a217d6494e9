#include "core/text.h"

#include <fmt/format.h>

namespace coslice {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// Bytes of the UTF-8 character that begins here, by its first byte; 0 if no character begins so.
std::size_t length_said(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/// Bytes of the character at `at`, 0 if it is to be escaped. U+0080 to U+009F are control characters, too.
std::size_t plain_length(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first == '\n' || first == '\t') return 1;
  if (first < 0x20 || first == 0x7f) return 0;
  const std::size_t length = length_said(first);
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!is_continuation(text[at + i])) return 0;
  return first == 0xc2 && static_cast<unsigned char>(text[at + 1]) < 0xa0 ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = plain_length(text, at);
    if (length == 0) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    else out += text.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return out;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size(); from += parts.back().size() + 1)
    parts.emplace_back(text.substr(from, text.find(separator, from) - from));
  return parts;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && is_continuation(text[end])) --end;
  // What was shortened before says how long it was.
  static constexpr std::string_view kCut = "... (", kBytes = " bytes)";
  const std::size_t cut = text.rfind(kCut);
  const bool before = cut != text.npos && text.size() - cut < 40 && text.substr(text.size() - kBytes.size()) == kBytes;
  if (before) return fmt::format("{}{}", text.substr(0, end), text.substr(cut));
  return fmt::format("{}... ({} bytes)", text.substr(0, end), text.size());
}

}  // namespace coslice
