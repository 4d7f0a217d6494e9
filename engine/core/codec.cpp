#include "core/codec.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>

namespace coslice {
namespace {

/// The value as an error shows it: TOML, cut where it is long.
std::string in_toml(const Value& v) {
  constexpr std::size_t kLongest = 60;
  if (v.is_table() || v.is_list()) return kind_name(v);
  std::string text = toml_text(v);
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole characters only
  return text.substr(0, end) + "...";
}

std::string plain_number(double d) {
  return std::abs(d) < 1e15 && d == std::floor(d) ? std::to_string(static_cast<std::int64_t>(d)) : fmt::format("{}", d);
}

/// 4 of "4 GB" and its unit; the unit may touch the number.
bool split_amount(std::string text, double& amount, std::string& unit) {
  std::erase(text, ' ');
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  unit = text.substr(end);
  for (char& c : unit) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + end, amount);
  return end > 0 && error == std::errc() && stop == text.data() + end;
}

/// KB in one unit, 0 if there is no such unit. K is 1024 bytes, as in traces.
double kilobytes_of(const std::string& unit) {
  static const char* const kLetters = "KMGT";
  double kb = 1;
  for (const char* letter = kLetters; *letter; ++letter, kb *= 1024) {
    const std::string l(1, *letter);
    if (unit == l || unit == l + "B" || unit == l + "IB") return kb;
  }
  return 0;
}

constexpr double kMaxKilobytes = 1e13;

/// "job 7", in contrast to "workload.jobs[7]".
bool is_words(const std::string& path) { return path.find(' ') != std::string::npos; }

}  // namespace

namespace codec {

void wrong(const Value& v, const std::string& path, const std::string& expected) {
  fail_at(v.place, path + " is " + in_toml(v), expected);
}

bool read_flag(const Value& v, const std::string& path, const std::string& expected) {
  if (!v.flag()) wrong(v, path, expected);
  return *v.flag();
}

std::int64_t read_integer(const Value& v, const std::string& path, const std::string& expected, std::int64_t low,
                          std::int64_t high) {
  std::int64_t i = 0;
  if (v.integer()) {
    i = *v.integer();
  } else if (v.real() && std::abs(*v.real()) <= 9007199254740992.0 && *v.real() == std::floor(*v.real())) {
    i = static_cast<std::int64_t>(*v.real());  // 1e3, or Lua's 4.0
  } else {
    wrong(v, path, expected);
  }
  if (i < low || i > high) wrong(v, path, expected);
  return i;
}

double read_real(const Value& v, const std::string& path, const std::string& expected, Range range) {
  if (!v.integer() && !v.real()) wrong(v, path, expected);
  const double d = v.integer() ? static_cast<double>(*v.integer()) : *v.real();
  const bool inside = d <= range.high && (range.above ? d > range.low : d >= range.low);
  if (!inside) wrong(v, path, expected);
  return d;
}

Duration read_seconds(const Value& v, const std::string& path, const std::string& expected, Range range) {
  const Duration d = from_seconds(read_real(v, path, expected, range));
  if (range.above && d <= from_seconds(range.low)) wrong(v, path, expected);
  return d;
}

const std::string& read_text(const Value& v, const std::string& path, const std::string& expected) {
  if (!v.text()) wrong(v, path, expected);
  return *v.text();
}

std::size_t read_choice(const Value& v, const std::string& path, const std::string& expected,
                        const std::vector<std::string>& names) {
  const std::string& name = read_text(v, path, expected);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return i;
  fail_at(v.place, path + " is " + in_toml(v), expected, did_you_mean(name, names));
}

std::int64_t read_kilobytes(const Value& v, const std::string& path, const std::string& expected, std::int64_t low) {
  if (!v.text()) return read_integer(v, path, expected, low, static_cast<std::int64_t>(kMaxKilobytes));
  double amount = 0;
  std::string unit;
  if (!split_amount(*v.text(), amount, unit)) wrong(v, path, expected);
  const double kb = amount * kilobytes_of(unit);
  if (kilobytes_of(unit) == 0 || kb < static_cast<double>(low) || kb > kMaxKilobytes || kb != std::floor(kb))
    wrong(v, path, expected);
  return static_cast<std::int64_t>(kb);
}

std::string read_path(const Value& v, const std::string& path, const std::string& expected) {
  namespace fs = std::filesystem;
  const std::string& written = read_text(v, path, expected);
  if (written.empty() || written.find('\0') != std::string::npos) wrong(v, path, expected);
  const fs::path full = v.place.source ? fs::path(v.place.source->folder) / written : fs::path(written);
  fs::path plain = full.lexically_normal();
  if (!plain.has_filename() && plain.has_relative_path()) plain = plain.parent_path();  // "a/" is "a"
  // a/../b is not b where a is a link to elsewhere.
  std::error_code ignored;
  if (fs::exists(full, ignored) && !fs::equivalent(full, plain, ignored)) return full.string();
  return plain.string();
}

bool would_block(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  const bool other = fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
  return other && path.rfind("/dev/", 0) != 0;
}

std::string integer_words(std::int64_t low, std::int64_t high) {
  if (high == INT64_MAX) return fmt::format("a whole number from {} on", low);
  return fmt::format("a whole number from {} to {}", low, high);
}

std::string real_words(const std::string& what, Range range) {
  if (range.above)
    return fmt::format("{} above {}, at most {}", what, plain_number(range.low), plain_number(range.high));
  return fmt::format("{} from {} to {}", what, plain_number(range.low), plain_number(range.high));
}

std::string choice_words(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += '"' + names[i] + '"';
  }
  return out;
}

Value seconds_value(Duration d) {
  const std::string text = format_seconds(d);
  if (text.find('.') == std::string::npos) return Value(std::int64_t{d.count() / kNsPerSecond});
  double s = 0;  // nearest to the exact decimal, so that it reads back as the same nanoseconds
  std::from_chars(text.data(), text.data() + text.size(), s);
  return Value(s);
}

}  // namespace codec

std::string joined(const std::string& path, const std::string& key) {
  if (path.empty()) return key;
  return path + (is_words(path) ? ": " : ".") + key;
}

void unknown_key(const Value& v, const std::string& path, const std::string& key,
                 const std::vector<std::string>& siblings, const std::string& elsewhere) {
  const std::string problem = is_words(path) ? path + ": unknown key '" + toml_key(key) + "'"
                                             : "unknown key '" + joined(path, toml_key(key)) + "'";
  const std::string near = elsewhere.empty() ? nearest_name(key, siblings) : elsewhere;
  if (!near.empty()) fail_at(v.place, problem, "", "did you mean '" + near + "'?");
  std::string list;
  for (auto s = siblings.begin(); s != siblings.end(); ++s)  // a table and its free keys are two entries of one name
    if (std::find(siblings.begin(), s, *s) == s) list += (list.empty() ? "" : ", ") + *s;
  fail_at(v.place, problem, "one of " + list);
}

}  // namespace coslice
