#include "report/chart_scale.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/number.h"

namespace coslice {
namespace {

/// 1, 2 or 5 times a power of ten, at least `least`.
double decimal_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1., 2., 5.})
    if (power * factor >= least * (1 - 1e-9)) return power * factor;
  return power * 10;
}

double time_step(double least) {
  if (least <= 1) return decimal_step(least);
  for (const double step : {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200})
    if (step >= least) return step;
  return decimal_step(least / 86400) * 86400;
}

struct Unit {
  const char* name;
  double seconds;
};
constexpr Unit kUnits[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};

/// One unit only, the largest that the time is a multiple of: "90 s", "3 h".
std::string span_text(double seconds) {
  for (const Unit& u : kUnits)
    if (seconds >= u.seconds && std::abs(std::remainder(seconds, u.seconds)) < 1e-9)
      return fmt::format("{} {}", axis_number(seconds / u.seconds), u.name);
  return axis_number(seconds) + " s";
}

/// A tick shows its own unit only: 50 min, 1 h, 10 min.
ChartTick moment(double t, double step) {
  if (t == 0) return {0, "0", true};
  double parent = 0;
  for (const Unit& u : kUnits) {
    const bool finest = step >= u.seconds && std::fmod(step, u.seconds) == 0;
    if (std::abs(std::remainder(t, u.seconds)) < 1e-6) {
      const double n = parent > 0 ? std::fmod(t, parent) / u.seconds : t / u.seconds;
      return {0, fmt::format("{} {}", axis_number(n), u.name), !finest};
    }
    if (finest) break;
    parent = u.seconds;
  }
  return {0, axis_number(t) + " s", false};
}

std::string label_of(double value, ChartUnit unit) {
  if (unit == ChartUnit::kShare) return axis_number(value * 100) + " %";
  if (unit == ChartUnit::kTime) return span_text(value);
  return axis_number(value);
}

struct Extent {
  double low = 0, high = 0;
  bool any = false;
  void see(double v) {
    if (!std::isfinite(v)) return;
    low = any ? std::min(low, v) : v;
    high = any ? std::max(high, v) : v;
    any = true;
  }
};

Extent extent_of(const Chart& chart, bool upright) {
  Extent e;
  for (const ChartSeries& s : chart.series) {
    for (const ChartPoint& p : s.points) {
      if (std::isnan(p.y)) continue;
      e.see(upright ? p.y : p.x);
      if (upright) e.see(p.low), e.see(p.high);
    }
  }
  return e;
}

}  // namespace

std::string axis_number(double x) {
  const double size = std::abs(x);
  if (size >= 1e9) return fmt::format("{:.3g}", x);
  if (size >= 1000 && x == std::round(x)) return grouped(std::llround(x));
  return fmt::format("{:.6g}", std::abs(x) < 1e-12 ? 0 : x);
}

ChartScale::ChartScale(const ChartAxis& axis, double low, double high) : axis_(axis), low_(low), high_(high) {
  if (!axis.names.empty()) {
    low_ = -0.5;
    high_ = static_cast<double>(axis.names.size()) - 0.5;
  }
  if (axis.log && low_ <= 0) low_ = high_ > 0 ? std::min(1.0, high_ / 1000) : 1;
  if (!(high_ > low_)) high_ = axis.log ? low_ * 10 : low_ + 1;
}

double ChartScale::place(double value) const {
  if (axis_.log) {
    if (!(value > low_)) return 0;
    return std::min(std::log(value / low_) / std::log(high_ / low_), 1.0);
  }
  return std::clamp((value - low_) / (high_ - low_), 0.0, 1.0);
}

std::vector<ChartTick> ChartScale::ticks(int most) const {
  if (!axis_.names.empty()) return named();
  if (!axis_.ticks.empty()) return given();
  if (axis_.log) return powers(most);
  return axis_.unit == ChartUnit::kTime ? moments(most) : numbers(most);
}

std::vector<ChartTick> ChartScale::named() const {
  std::vector<ChartTick> out;
  for (std::size_t i = 0; i < axis_.names.size(); ++i)
    out.push_back({place(static_cast<double>(i)), axis_.names[i], false});
  return out;
}

std::vector<ChartTick> ChartScale::given() const {
  std::vector<ChartTick> out;
  for (const double v : axis_.ticks)
    if (v >= low_ && v <= high_) out.push_back({place(v), label_of(v, axis_.unit), false});
  return out;
}

/// Of times: those that people name; of numbers: powers of ten, with 2 and 5 between them where there is room.
std::vector<ChartTick> ChartScale::powers(int most) const {
  std::vector<double> values;
  if (axis_.unit == ChartUnit::kTime) {
    for (const double t : {0.001, 0.01, 0.1, 1., 10., 60., 600., 3600., 6 * 3600., 86400., 10 * 86400., 100 * 86400.})
      values.push_back(t);
  } else {
    const bool room = std::log10(high_ / low_) * 3 <= most;
    for (double power = std::pow(10, std::floor(std::log10(low_))); power <= high_; power *= 10) {
      values.push_back(power);
      if (room) values.push_back(2 * power), values.push_back(5 * power);
    }
  }
  std::vector<ChartTick> out;
  for (const double v : values)
    if (v >= low_ * (1 - 1e-9) && v <= high_ * (1 + 1e-9)) out.push_back({place(v), label_of(v, axis_.unit), false});
  return out;
}

std::vector<ChartTick> ChartScale::moments(int most) const {
  const double step = time_step((high_ - low_) / most);
  std::vector<ChartTick> out;
  for (double k = std::ceil(low_ / step - 1e-9); k * step <= high_ * (1 + 1e-12); ++k) {
    out.push_back(moment(k * step, step));
    out.back().at = place(k * step);
  }
  return out;
}

std::vector<ChartTick> ChartScale::numbers(int most) const {
  const double scale = axis_.unit == ChartUnit::kShare ? 100 : 1;
  const double step = decimal_step((high_ - low_) * scale / most) / scale;
  std::vector<ChartTick> out;
  for (double k = std::ceil(low_ / step - 1e-9); k * step <= high_ + step * 1e-6; ++k)
    out.push_back({place(k * step), label_of(k * step, axis_.unit), false});
  return out;
}

ChartScale scale_of(const Chart& chart, bool upright) {
  const ChartAxis& axis = upright ? chart.y : chart.x;
  const Extent e = extent_of(chart, upright);
  double low = e.low, high = e.high;
  if (upright && !axis.log) {  // heights count from 0, with a little air above and below
    const double air = 0.04 * (std::max(high, 0.0) - std::min(low, 0.0));
    low = low < 0 ? low - air : 0;
    high = high > 0 ? high + air : 0;
  } else if (upright && high > 0 && low > 0) {
    low /= 1.15;
    high *= 1.15;
  } else if (!upright && axis.names.empty() && !axis.log) {
    bool points = false;  // single points keep off the frame
    for (const ChartSeries& s : chart.series) points |= s.look == ChartLook::kMarks || s.points.size() <= 30;
    const double air = points ? 0.03 * (high - low) : 0;
    low -= air;
    high += air;
  }
  return {axis, axis.low.value_or(low), axis.high.value_or(high)};
}

}  // namespace coslice
