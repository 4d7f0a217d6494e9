#include "report/charts/date_axis.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

namespace coslice {

namespace {

constexpr std::int64_t kMinute = 60, kHour = 3600, kDay = 86'400;
constexpr std::int64_t kDateSteps[] = {1,       2,           5,           10,           15,           30,
                                       kMinute, 2 * kMinute, 5 * kMinute, 10 * kMinute, 15 * kMinute, 30 * kMinute,
                                       kHour,   2 * kHour,   3 * kHour,   6 * kHour,    12 * kHour,   kDay};

/// Of less than that, s, seconds of the trace say more.
constexpr double kShortest = 5;

/// Steps of more than a day are 2, 4, 8, ... days.
std::int64_t date_step(std::size_t i) {
  constexpr std::size_t kSteps = std::size(kDateSteps);
  return i < kSteps ? kDateSteps[i] : kDay << std::min<std::size_t>(i - kSteps + 1, 40);
}

/// All multiples of the step since 1970, by the local clock.
std::vector<AxisValue> dates_apart(const TraceClock& clock, double low, double high, std::int64_t step) {
  const std::int64_t local_at_0 = clock.unix_at_0 + clock.offset;
  const auto first = static_cast<std::int64_t>(std::ceil(low)) + local_at_0;
  std::vector<AxisValue> out;
  bool midnight = false;
  for (std::int64_t local = first + ((-first % step) + step) % step; local - local_at_0 <= high; local += step) {
    const std::int64_t second = local - local_at_0;
    const std::string text = date_text(clock, Time{whole_seconds(second)});  // "2026-03-01 08:30:00"
    const bool is_date = local % kDay == 0;
    midnight = midnight || is_date;
    out.push_back(
        {static_cast<double>(second), is_date ? text.substr(0, 10) : text.substr(11, step % kMinute == 0 ? 5 : 8)});
  }
  if (!midnight && !out.empty()) {
    const std::string date = date_text(clock, at_seconds(out.front().value)).substr(0, 10);
    out.front().text.insert(0, date + " ");
  }
  return out;
}

}  // namespace

std::vector<AxisValue> dates_that_fit(const TraceClock& clock, double low, double high, double pixels, double letter) {
  if (high - low < kShortest) return times_that_fit(low, high, pixels, letter);
  for (std::size_t i = 0;; ++i) {
    const std::int64_t step = date_step(i);
    const double apart = static_cast<double>(step) / (high - low) * pixels;
    if (letter * 5 + 8 > apart && apart < pixels) continue;
    const std::vector<AxisValue> values = dates_apart(clock, low, high, step);
    bool fits = true;
    for (std::size_t k = 1; k < values.size(); ++k)
      fits = fits && letter * static_cast<double>(values[k - 1].text.size() + values[k].text.size()) / 2 + 8 <= apart;
    if (fits || apart >= pixels) return values;
  }
}

}  // namespace coslice
