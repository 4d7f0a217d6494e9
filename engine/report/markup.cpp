#include "report/markup.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/core.h>

#include "core/text.h"

namespace coslice {

namespace {

/// Commas between the thousands of a decimal number.
std::string with_commas(std::string digits) {
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  std::size_t at = std::min(digits.find('.'), digits.size());
  for (; at > first + 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

}  // namespace

std::string grouped(std::int64_t n) { return with_commas(std::to_string(n)); }

std::string counted(std::int64_t n, const std::string& thing) { return grouped(n) + " " + thing + (n == 1 ? "" : "s"); }

std::string grouped(double x, int decimals) {
  const std::string digits = fmt::format("{:.{}f}", x, decimals);
  return std::abs(x) < 1e18 ? with_commas(digits) : fmt::format("{:.3g}", x);
}

namespace {

constexpr int kDigitsOfDouble = 9;

/// Decimals with which the number does not read as one of the round ones, unless it is one within what doubles hold.
int telling_decimals(double x, int decimals, std::initializer_list<double> round) {
  for (const double r : round) {
    if (x == r) return decimals;
    const double off = std::abs(x - r);
    if (off < 1e-12 * std::max(1.0, std::abs(r)) && r != 0) return decimals;
    while (decimals < kDigitsOfDouble && off <= 0.5 * std::pow(10, -decimals)) ++decimals;
  }
  return decimals;
}

/// Decimals of a number below 100 that is not 0.
int readable_decimals(double x) {
  const double size = std::abs(x);
  // The bounds are those at which rounding would show one digit more.
  return telling_decimals(size, size < 9.995 ? 2 : 1, {0, 1});
}

}  // namespace

std::string readable(double x) {
  const double size = std::abs(x);
  if (x == 0) return "0";
  if (!(size < 1e18)) return fmt::format("{:.3g}", x);
  if (size < 1e-8) return fmt::format("{:.2g}", x);
  if (size < 99.95) return fmt::format("{:.{}f}", x, readable_decimals(x));
  return grouped(std::llround(x));
}

double readable_step(double x) {
  const double size = std::abs(x);
  return x == 0 || size < 1e-8 ? 0 : size < 99.95 ? std::pow(10, -readable_decimals(x)) : 1;
}

std::string ratio(double x, int decimals) {
  if (!std::isfinite(x)) return fmt::format("{}", x);
  return fmt::format("{:.{}f}", x, telling_decimals(std::abs(x), decimals, {0, 1}));
}

std::string percent(double share) {
  if (!std::isfinite(share)) return fmt::format("{} %", share);
  return fmt::format("{:.{}f} %", share * 100, telling_decimals(std::abs(share * 100), 1, {0, 100}));
}

std::string in_html(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  return out;
}

std::string in_svg(std::string_view text) { return in_html(printable(text)); }

std::string_view web_file(std::string_view name) {
  for (const EmbeddedFile& file : web_files())
    if (file.name == name) return file.text;
  throw std::logic_error("not built in: " + std::string(name));
}

std::string in_script(std::string_view json) {
  std::string out;
  for (const char c : json)
    if (c == '<') out += "\\u003c";
    else out += c;
  return out;
}

void fill_page(std::string_view page, const std::map<std::string_view, std::string>& texts, const Sink& sink) {
  for (std::size_t at; (at = page.find("{{")) != std::string_view::npos;) {
    sink(page.substr(0, at));
    const std::size_t end = page.find("}}", at);
    sink(texts.at(page.substr(at + 2, end - at - 2)));
    page.remove_prefix(end + 2);
  }
  sink(page);
}

}  // namespace coslice
