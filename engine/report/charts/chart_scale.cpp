#include "report/charts/chart_scale.h"

#include <algorithm>
#include <cmath>

namespace coslice {
namespace {

/// Narrower ranges are none for a number of 53 bits.
constexpr double kNarrowest = 1e-11;

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

ChartScale::ChartScale(const ChartAxis& axis, double low, double high) : axis_(axis), low_(low), high_(high) {
  if (!axis.names.empty()) {
    low_ = -0.5;
    high_ = static_cast<double>(axis.names.size()) - 0.5;
  }
  if (axis.log && low_ <= 0) low_ = high_ > 0 ? std::min(1.0, high_ / 1000) : 1;
  if (!(high_ > low_)) high_ = axis.log ? low_ * 10 : low_ + 1;
  const double least = kNarrowest * std::max(std::abs(low_), std::abs(high_));
  if (high_ - low_ < least) high_ = low_ + least;
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
  switch (axis_.unit) {
    case ChartUnit::kTime: return placed(round_values(low_, high_, time_step(low_, high_, most)));
    case ChartUnit::kShare: return placed(round_values(low_, high_, share_step(low_, high_, most)));
    case ChartUnit::kNumber: break;
  }
  return placed(round_values(low_, high_, number_step(low_, high_, most)));
}

std::vector<ChartTick> ChartScale::placed(const std::vector<AxisValue>& values) const {
  std::vector<ChartTick> out;
  for (const AxisValue& v : values) out.push_back({place(v.value), v.value, v.text});
  return out;
}

std::vector<ChartTick> ChartScale::named() const {
  std::vector<AxisValue> values;
  for (const std::string& name : axis_.names) values.push_back({static_cast<double>(values.size()), name});
  return placed(values);
}

std::vector<ChartTick> ChartScale::given() const {
  std::vector<double> inside;
  for (const double v : axis_.ticks)
    if (v >= low_ && v <= high_) inside.push_back(v);
  if (axis_.unit == ChartUnit::kTime) return placed(labelled_times(inside));
  std::vector<AxisValue> values;
  for (const double v : inside)
    values.push_back({v, axis_.unit == ChartUnit::kShare ? exact_percent(v) : exact_number(v)});
  return placed(values);
}

std::vector<ChartTick> ChartScale::powers(int most) const {
  AxisStep unit;
  if (axis_.unit == ChartUnit::kTime) unit = time_unit_of_powers(low_, high_);
  if (axis_.unit == ChartUnit::kShare) unit = {1, 0.01, " %"};
  return placed(round_powers(low_, high_, most, unit));
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
