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

std::string readable(double x) {
  const double size = std::abs(x);
  if (x == 0) return "0";
  if (!(size < 1e18)) return fmt::format("{:.3g}", x);
  // The bounds are those at which rounding would show one digit more.
  if (size < 9.995) return fmt::format("{:.2f}", x);
  if (size < 99.95) return fmt::format("{:.1f}", x);
  return grouped(std::llround(x));
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

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
