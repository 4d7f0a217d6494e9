// Round values along an axis and their labels: every label is the whole value, all of an axis in one unit. Along an
// axis of time also dates and times of day.
#pragma once

#include <string>
#include <vector>

#include "jobs/workload.h"

namespace coslice {

/// How the values along an axis are written: as multiples of a step, in one unit.
struct AxisStep {
  double step = 1;        ///< in the unit
  double unit = 1;        ///< what one of it is on the axis: 3600 for hours of an axis in seconds, 0.01 for per cent
  const char* name = "";  ///< with a blank before it: " h"; "" for plain numbers
};

struct AxisValue {
  double value = 0;  ///< as on the axis, in seconds or shares of one
  std::string text;
};

/// Steps for at most about `most` values from `low` to `high`, which is more than `low`.
AxisStep number_step(double low, double high, double most);
/// Returns a step of shares of one, in per cent.
AxisStep share_step(double low, double high, double most);
/// Returns a step of seconds, in the unit that fits the range: s, min, h or d.
AxisStep time_step(double low, double high, double most);

/// Returns all multiples of the step from `low` to `high`, rising.
std::vector<AxisValue> round_values(double low, double high, const AxisStep& step);
/// Returns at most about `most` round values of a logarithmic axis, 0 < low < high: powers of ten, with 2 and 5 between
/// them where there is room; multiples of a step where the range is short. Only the unit of `unit` is taken.
std::vector<AxisValue> round_powers(double low, double high, double most, const AxisStep& unit);
/// Returns the unit for times of a logarithmic axis.
AxisStep time_unit_of_powers(double low, double high);
/// Labels these values in the unit of time that gives all of them short labels.
std::vector<AxisValue> labelled_times(const std::vector<double>& seconds);

/// Returns as many instants as fit beside one another on this many pixels, with letters of this width.
std::vector<AxisValue> times_that_fit(double low, double high, double pixels, double letter);

/// Returns a value that stands alone, with all of its digits: "1,500", "0.25", "1e+20".
std::string exact_number(double x);
/// Returns a share of one: "12.5 %".
std::string exact_percent(double share);

/// Returns as many round local times as fit beside one another on this many pixels, with letters of this width, for
/// seconds of the trace from `low` to `high`, which is more than `low`. Midnights are dates, "2026-03-02"; other times
/// are "06:00", the first of them with its date if there is no midnight. Of a few seconds, seconds of the trace.
std::vector<AxisValue> dates_that_fit(const TraceClock& clock, double low, double high, double pixels, double letter);

}  // namespace coslice
