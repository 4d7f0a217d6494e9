#include "cli/frame/span.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice::cli {

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
  throw InputError({flag, 0, fmt::format("'{}' is not a time", text), "seconds, or a number with min, h or d", "", ""});
}

}  // namespace coslice::cli
