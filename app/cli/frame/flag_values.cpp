#include "cli/frame/flag_values.h"

#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice::cli {

std::int64_t whole_number(const std::string& flag, const std::string& text, std::int64_t low, std::int64_t high) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < low || number > high) {
    throw InputError(
        {flag, 0, fmt::format("'{}' does not fit", text), fmt::format("a whole number from {} to {}", low, high)});
  }
  return number;
}

Duration span_of(const std::string& flag, const std::string& text) {
  struct Unit {
    const char* name;
    double seconds;
  };
  static constexpr Unit kUnits[] = {{"", 1}, {"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}, {"d", 86400}};
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  for (const Unit& u : kUnits) {
    const double seconds = number * u.seconds;
    if (unit != u.name || end == text.c_str() || !(seconds >= 0 && seconds <= kMaxSeconds)) continue;
    return from_seconds(seconds);
  }
  throw InputError({flag, 0, fmt::format("'{}' is not a time", text), "seconds, or a number with min, h or d"});
}

}  // namespace coslice::cli
