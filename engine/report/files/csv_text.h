// The small change of CSV: numbers appended without a locale and without an allocation.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace coslice {

/// Appends an integer in decimal.
inline void append_integer(std::string& out, std::int64_t n) {
  char digits[24];
  const char* const end = std::to_chars(digits, digits + sizeof digits, n).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));  // by length: a pair of iterators is appended slower
}

/// Appends a comma and an integer.
inline void append_next_integer(std::string& out, std::int64_t n) {
  char text[24];
  text[0] = ',';
  const char* const end = std::to_chars(text + 1, text + sizeof text, n).ptr;
  out.append(text, static_cast<std::size_t>(end - text));
}

/// Appends the shortest decimal that reads back as the same number; never an exponent.
void append_real(std::string& out, double x);

/// A field as CSV wants it: quoted where it holds a comma, a quote or a line end (RFC 4180).
std::string csv_field(std::string_view text);

}  // namespace coslice
