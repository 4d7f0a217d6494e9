#include "workload/swf_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <limits>

#include "core/printable.h"

namespace coslice {

namespace {

constexpr std::int64_t kHuge = kSwfHuge;
constexpr int kSafeDigits = 18;  // any number of this many digits fits 64 bits

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

/// Reads the decimals behind the point; returns where they end. The tenth digit rounds.
const char* parse_decimals(const char* p, const char* end, std::int64_t& nano) {
  std::int64_t value = 0;
  int digits = 0;
  for (; p != end && is_digit(*p); ++p, ++digits) {
    if (digits < 9) value = value * 10 + (*p - '0');
    else if (digits == 9 && *p >= '5') ++value;
  }
  for (int i = digits; i < 9; ++i) value *= 10;
  nano = value;
  return p;
}

/// Exponents, a leading plus, more digits than 64 bits hold: rare, so any correct parser will do.
bool parse_unusual(const char* begin, const char* end, SwfNumber& out) {
  if (begin != end && *begin == '+') ++begin;
  std::int64_t whole = 0;
  const auto exact = std::from_chars(begin, end, whole);
  if (exact.ptr == end && exact.ec == std::errc()) {
    out = {std::clamp(whole, -kHuge, kHuge), 0};
    return true;
  }
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (stop != end || error != std::errc() || std::isnan(value)) return false;
  if (std::abs(value) >= 9.2e18) {
    out = {value < 0 ? -kHuge : kHuge, 0};
    return true;
  }
  out.whole = static_cast<std::int64_t>(value);
  out.nano = static_cast<std::int64_t>(std::round((value - static_cast<double>(out.whole)) * 1e9));
  return true;
}

/// Parses the token at p, which is not blank, if it is a whole number of up to nine digits that a blank follows, as nearly
/// all are. Returns where it ends; null if it is anything else.
inline const char* parse_short(const char* p, const char* end, SwfNumber& out) {
  if (end - p > 2 && p[0] == '-' && p[1] == '1' && p[2] == ' ') {  // most fields of most logs
    out = {-1, 0};
    return p + 3;
  }
  const bool negative = *p == '-';
  p += negative;
  const char* const digits = p;
  std::uint32_t value = 0;
  for (; p != end && is_digit(*p); ++p) value = value * 10 + static_cast<std::uint32_t>(*p - '0');
  if (p == digits || p - digits > 9 || p == end || !is_blank(*p)) return nullptr;
  out = {negative ? -std::int64_t{value} : std::int64_t{value}, 0};
  return p;
}

/// Parses the token at p, which is not blank. Returns where it ends.
const char* parse_number(const char* p, const char* end, SwfNumber& out, bool& ok) {
  const char* const begin = p;
  const bool negative = *p == '-';
  if (negative) ++p;
  const char* const digits = p;
  std::int64_t whole = 0;
  const char* const safe_end = end - p > kSafeDigits ? p + kSafeDigits : end;
  while (p != safe_end && is_digit(*p)) whole = whole * 10 + (*p++ - '0');
  bool usual = p != digits;
  std::int64_t nano = 0;
  if (usual && p != end && *p == '.') p = parse_decimals(p + 1, end, nano);
  if (usual && (p == end || is_blank(*p))) {
    if (nano == 1'000'000'000) ++whole, nano = 0;
    out = negative ? SwfNumber{-whole, -nano} : SwfNumber{whole, nano};
    ok = true;
    return p;
  }
  while (p != end && !is_blank(*p)) ++p;
  ok = parse_unusual(begin, p, out);
  if (!ok) out = SwfNumber{};
  return p;
}

std::string_view nth_token(std::string_view text, int n) {
  std::size_t p = 0;
  for (;; --n) {
    while (p < text.size() && is_blank(text[p])) ++p;
    std::size_t stop = p;
    while (stop < text.size() && !is_blank(text[stop])) ++stop;
    if (n == 0) return text.substr(p, stop - p);
    p = stop;
  }
}

/// Other kinds of file that people hand over by mistake; "" if it is none of them.
std::string_view other_format(std::string_view text) {
  if (text.substr(0, 2) == "PK") return "this looks like a zip archive";
  if (text.substr(0, 3) == "BZh") return "this looks like a bzip2 archive";
  if (text.substr(0, 5) == "\xFD"
                           "7zXZ")
    return "this looks like an xz archive";
  const bool binary = std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && !is_blank(c)) || c == 0x7f;
  });
  if (binary) return "this looks like binary data";
  const std::string_view first = nth_token(text, 0);
  if (first.substr(0, 1) == "<") return "this looks like an HTML or XML page";
  if (first.substr(0, 1) == "{" || first.substr(0, 1) == "[") return "this looks like JSON or TOML";
  if (first.find(',') != first.npos) return "this looks like a comma-separated file";
  if (first.find('|') != first.npos) return "this looks like the output of sacct";
  return "";
}

/// Up to a remark; p is at the first.
int count_tokens(const char* p, const char* end) {
  int n = 0;
  while (p != end && *p != ';') {
    ++n;
    while (p != end && !is_blank(*p)) ++p;
    while (p != end && is_blank(*p)) ++p;
  }
  return n;
}

}  // namespace

std::string_view swf_field_name(int field) {
  static constexpr std::string_view kNames[kSwfFields] = {"job number",
                                                          "submit time",
                                                          "wait time",
                                                          "run time",
                                                          "allocated processors",
                                                          "average CPU time",
                                                          "used memory",
                                                          "requested processors",
                                                          "requested time",
                                                          "requested memory",
                                                          "status",
                                                          "user",
                                                          "group",
                                                          "executable",
                                                          "queue",
                                                          "partition",
                                                          "preceding job",
                                                          "think time"};
  return kNames[field];
}

void parse_swf_line(const char* p, const char* end, SwfLine& line) {
  line.unreadable = 0;
  line.extra = 0;
  line.remark = {};
  int n = 0;
  for (;; ++n) {
    while (p != end && is_blank(*p)) ++p;
    if (p == end) break;
    if (n == kSwfFields) {
      if (*p == ';') line.remark = {p + 1, static_cast<std::size_t>(end - p - 1)};
      else line.extra = count_tokens(p, end);
      break;
    }
    if (const char* const stop = parse_short(p, end, line.field[n])) {
      p = stop;
      continue;
    }
    bool ok = true;
    const char* const begin = p;
    p = parse_number(p, end, line.field[n], ok);
    if (ok) continue;
    if (*begin == ';') {
      line.remark = {begin + 1, static_cast<std::size_t>(end - begin - 1)};
      break;
    }
    line.unreadable |= 1u << n;
  }
  line.count = n;
  for (; n < kSwfFields; ++n) line.field[n] = SwfNumber{};
}

std::string swf_token(std::string_view text, int field) { return printable(shortened(nth_token(text, field), 30)); }

std::string explain_bad_swf_line(std::string_view text, const SwfLine& line) {
  const std::string_view other = other_format(text);
  if (!other.empty()) return std::string(other);
  for (int f = 0; f < line.count; ++f) {
    if (line.is_unreadable(static_cast<SwfField>(f)))
      return fmt::format("field {} ({}) is '{}', not a number", f + 1, swf_field_name(f), swf_token(text, f));
  }
  return fmt::format("the record has {} field{}", line.count, line.count == 1 ? "" : "s");
}

}  // namespace coslice
