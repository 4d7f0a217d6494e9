#include "report/charts/axis_ticks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <iterator>

#include <fmt/format.h>

#include "core/portable_math.h"
#include "report/markup.h"

namespace coslice {
namespace {

constexpr double kLargestWritten = 1e15;  // from here on with an exponent
constexpr int kMostDecimals = 9;

constexpr AxisStep kSeconds = {1, 1, " s"};
constexpr AxisStep kTimes[] = {{1, 86400, " d"}, {1, 3600, " h"}, {1, 60, " min"}, kSeconds};  // largest first

/// 1, 2 or 5 times a power of ten, at least `least`.
double decimal_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1., 2., 5.})
    if (power * factor >= least * (1 - 1e-9)) return power * factor;
  return power * 10;
}

double first_of(std::initializer_list<double> steps, double least) {
  for (const double step : steps)
    if (step >= least * (1 - 1e-9)) return step;
  return decimal_step(least);
}

/// A step in a unit of time: halves at least, but for seconds.
double step_in(const AxisStep& unit, double least) {
  if (unit.unit == 86400) return decimal_step(std::max(least, 0.5));
  if (unit.unit == 3600) return first_of({0.5, 1, 2, 3, 6, 12, 24, 48}, least);
  if (unit.unit == 60) return first_of({0.5, 1, 2, 5, 10, 15, 30, 60, 120}, least);
  return least <= 1 ? decimal_step(least) : first_of({1, 2, 5, 10, 15, 30, 60, 120}, least);
}

/// None of a step that is not finite.
int decimals_of(double step) {
  const double digits = -std::floor(std::log10(step) + 1e-9);
  return digits > 0 && digits < 400 ? static_cast<int>(digits) : 0;
}

/// `n` is a multiple of `step`; no other value of the axis is larger than `largest`.
std::string text_of(double n, double step, double largest, const char* name) {
  if (std::abs(n) < step * 1e-6) return "0";
  const int decimals = decimals_of(step);
  if (decimals > kMostDecimals || largest >= kLargestWritten) {
    const double digits = std::floor(std::log10(std::abs(n)) + 1e-9) - std::floor(std::log10(step) + 1e-9);
    return fmt::format("{:.{}e}{}", n, digits > 0 ? static_cast<int>(std::min(digits, 16.0)) : 0, name);
  }
  std::string text = grouped(n, decimals);
  if (decimals > 0) text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + name;
}

AxisStep decimal_steps(double low, double high, double most, const AxisStep& unit) {
  AxisStep out = unit;
  out.step = decimal_step((high - low) / unit.unit / most);
  return out;
}

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

AxisStep number_step(double low, double high, double most) { return decimal_steps(low, high, most, {}); }

AxisStep share_step(double low, double high, double most) { return decimal_steps(low, high, most, {1, 0.01, " %"}); }

AxisStep time_step(double low, double high, double most) {
  const double largest = std::max(std::abs(low), std::abs(high)), least = (high - low) / most;
  AxisStep out = kSeconds;
  for (const AxisStep& unit : kTimes) {
    out = unit;
    // Up to three days, half a day is 12 h.
    const bool hours = unit.unit == 86400 && largest <= 3 * unit.unit && least <= unit.unit / 2;
    if (largest >= 2 * unit.unit && least >= unit.unit / 4 && !hours) break;
  }
  out.step = step_in(out, least / out.unit);
  return out;
}

std::vector<AxisValue> round_values(double low, double high, const AxisStep& s) {
  std::vector<AxisValue> out;
  const double from = low / s.unit / s.step, to = high / s.unit / s.step;
  if (!std::isfinite(from) || !std::isfinite(to)) return out;
  const double largest = std::max(std::abs(low), std::abs(high)) / s.unit;
  for (double k = std::ceil(from - 1e-9); k <= to + 1e-9; ++k)
    out.push_back({k * s.step * s.unit, text_of(k * s.step, s.step, largest, s.name)});
  return out;
}

AxisStep time_unit_of_powers(double low, double high) {
  for (const AxisStep& unit : kTimes)
    if (low >= unit.unit / 10 && high >= 2 * unit.unit) return unit;
  return kSeconds;
}

std::vector<AxisValue> round_powers(double low, double high, double most, const AxisStep& unit) {
  const double from = low / unit.unit, to = high / unit.unit, decades = std::log10(to / from);
  const bool room = decades * 3 <= most;
  const int stride = std::max(1, truncated<int>(std::ceil(decades / most - 1e-9)));
  std::vector<AxisValue> out;
  for (int k = truncated<int>(std::floor(std::log10(from))); std::pow(10, k) <= to * (1 + 1e-9); ++k) {
    if (k % stride != 0) continue;
    const double power = std::pow(10, k);
    for (const double factor : {1., 2., 5.}) {
      const double n = factor * power;
      if ((factor > 1 && !room) || n < from * (1 - 1e-9) || n > to * (1 + 1e-9)) continue;
      out.push_back({n * unit.unit, text_of(n, power, n, unit.name)});
    }
  }
  if (out.size() > 2 || decades > 1) return out;
  return round_values(low, high, decimal_steps(low, high, most, unit));
}

std::vector<AxisValue> labelled_times(const std::vector<double>& seconds) {
  const auto halves = [&](const AxisStep& unit) {
    return std::ranges::all_of(seconds, [&](double t) { return std::abs(std::remainder(t, unit.unit / 2)) < 1e-9; });
  };
  const AxisStep& unit = *std::find_if(std::begin(kTimes), std::end(kTimes) - 1, halves);
  std::vector<AxisValue> out;
  for (const double t : seconds) out.push_back({t, t == 0 ? "0" : exact_number(t / unit.unit) + unit.name});
  return out;
}

std::vector<AxisValue> times_that_fit(double low, double high, double pixels, double letter) {
  for (double most = std::max(2.0, std::floor(pixels / 60));; --most) {
    const AxisStep step = time_step(low, high, most);
    std::vector<AxisValue> values = round_values(low, high, step);
    std::size_t longest = 0;
    for (const AxisValue& v : values) longest = std::max(longest, v.text.size());
    const double apart = step.step * step.unit / (high - low) * pixels;
    if (most <= 2 || letter * static_cast<double>(longest) + 8 <= apart) return values;
  }
}

std::string exact_number(double x) {
  if (x == 0) return "0";
  int digits = 6;
  while (digits < 17 && std::strtod(fmt::format("{:.{}g}", x, digits).c_str(), nullptr) != x) ++digits;
  std::string text = fmt::format("{:.{}g}", x, digits);
  if (std::abs(x) < 1000 || std::abs(x) >= kLargestWritten) return text;
  const std::size_t point = text.find('.');
  const int decimals =
      point == std::string::npos || text.find('e') != std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
  return grouped(x, decimals);
}

std::string exact_percent(double share) {  // 100 times 0.07 is not quite 7
  return exact_number(std::strtod(fmt::format("{:.12g}", share * 100).c_str(), nullptr)) + " %";
}

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
