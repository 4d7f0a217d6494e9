// The charts of one run (how full the machine was, how long the queue, how the waits are distributed) and of several
// beside one another.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "metrics/summary.h"
#include "observe/result.h"
#include "report/charts/chart.h"
#include "report/tables/summary_table.h"

namespace coslice {

/// Parts of equal length that a timeline of more steps is cut into.
inline constexpr std::size_t kMostTimelineParts = 400;

/// Returns the charts of a run: "utilization" (of a machine with GPUs, of these, before that of its nodes) and "queue"
/// over time, then the distributions "wait", "response" and "slowdown" (bounded) by class; "energy" where it is known
/// how much power nodes draw. However long the run, a chart has at most some hundred points: long timelines as means
/// (and highest values) of equal parts of the time, distributions as quantiles, close to one another where the largest
/// values are. A run in which no job ran to an end has no charts.
std::vector<Chart> run_charts(const RunResult& result, const MetricsOptions& options);

/// Returns points (value, share of the values that are at most as large) of a distribution, at most about `most` of
/// them.
std::vector<ChartPoint> distribution(std::vector<double> values, std::size_t most = 300);

/// A timeline in parts.
struct TimelineParts {
  std::vector<ChartPoint> mean, highest;  ///< steps: each holds until the next; the last closes the chart
};

/// What is drawn of the i-th point of a timeline.
using TimelineValue = std::function<double(std::size_t i)>;

/// Returns get(i) of each point from `from` to `to`: as it is if that makes at most `most` steps, else the mean and the
/// highest value of each of `most` equal parts.
TimelineParts timeline_parts(const std::vector<TimelinePoint>& timeline, Time from, Time to, std::size_t most,
                             const TimelineValue& get);

/// The charts that one run has, under its name.
struct NamedCharts {
  std::string name;
  std::vector<Chart> charts;
};

/// Returns one chart of each kind, with a line for each run: of distributions that of all jobs; over a common time.
std::vector<Chart> compared_charts(const std::vector<NamedCharts>& runs);

/// Returns charts of mean wait and mean bounded slowdown by class, a bar for each run.
std::vector<Chart> class_charts(const std::vector<NamedSummary>& runs);

}  // namespace coslice
