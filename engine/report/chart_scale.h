// Where values lie along an axis of a chart, and which of them are labelled.
#pragma once

#include <string>
#include <vector>

#include "report/chart.h"

namespace coslice {

struct ChartTick {
  double at = 0;  ///< from 0 to 1
  std::string text;
  bool strong = false;  ///< a larger unit begins here: the hour among minutes
};

class ChartScale {
 public:
  /// Ends that are equal are moved apart, those of a logarithmic scale made positive.
  ChartScale(const ChartAxis& axis, double low, double high);

  double low() const { return low_; }
  double high() const { return high_; }
  /// 0 at the low end, 1 at the high one; values beyond lie there.
  double place(double value) const;
  /// At most about that many ticks, evenly spread, at round values; all where the axis says which.
  std::vector<ChartTick> ticks(int most) const;

 private:
  std::vector<ChartTick> named() const;
  std::vector<ChartTick> given() const;
  std::vector<ChartTick> powers(int most) const;
  std::vector<ChartTick> moments(int most) const;
  std::vector<ChartTick> numbers(int most) const;

  const ChartAxis& axis_;
  double low_, high_;
};

/// The scale of an axis for the data of a chart; `upright`: the y axis.
ChartScale scale_of(const Chart& chart, bool upright);

/// A number as an axis or a tip shows it: "1,500", "0.25", "1.2e+09".
std::string axis_number(double x);

}  // namespace coslice
