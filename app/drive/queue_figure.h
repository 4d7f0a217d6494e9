// A figure of the jobs that wait, by which policies are compared: "wait", "slowdown.p95", "wait.large.median".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "drive/present.h"
#include "drive/queue_forecast.h"
#include "metrics/figures.h"
#include "metrics/summary.h"

namespace coslice::drive {

class QueueFigure {
 public:
  /// Throws InputError that names --minimize where there is no such figure of jobs.
  QueueFigure(const std::string& name, const MetricsOptions& metrics);

  /// Returns the figure in words: "mean wait", "p95 slowdown (class large)".
  std::string name() const;
  bool of_class() const { return !job_class_.empty(); }
  bool is_time() const { return quantity_->unit == FigureUnit::kSeconds; }
  /// Returns the figure of a forecast; nothing where no job that waits is of the class. Jobs that have not started by
  /// `last` count as if they did then.
  std::optional<double> of(const Present& present, const std::vector<Duration>& run_times,
                           const QueueForecast& forecast, Time last) const;

 private:
  MetricsOptions options_;
  const JobQuantity* quantity_ = nullptr;
  const Statistic* statistic_ = &kStatistics[0];
  std::string job_class_;  ///< "": all jobs
};

}  // namespace coslice::drive
