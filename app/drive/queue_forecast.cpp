#include "drive/queue_forecast.h"

#include <algorithm>

#include "drive/present_scheduler.h"
#include "lab/forecast/work_meter.h"

namespace coslice::drive {
namespace {

/// A part of what a simulation may take is for what comes after the present, however much there is to be told.
constexpr double kLeastAheadOfPresent = 0.25;

/// What a pass over each waiting job costs was measured with EASY and SJF, and EASY-SJBF in Lua, on whole nodes and on
/// parts of them.
WorkCosts costs_of(const Decider& decider, const Present& present) {
  if (decider.context.limits.instructions == 0) return kCostsOfTrustedRun;
  const auto has_whole_nodes = [&](const Job& j) {
    return j.request == kNoRequest || present.workload.requests[j.request].exclusive;
  };
  const bool whole = std::ranges::all_of(present.workload.jobs, has_whole_nodes);
  if (whole) return {1, 0.7, 1, decider.walks_in_lua ? 0.15 : 0.005};
  return {1, 0.7, 25, decider.walks_in_lua ? 0.2 : 0.05};
}

/// Notes when the jobs start that wait; the simulation is over when all have, or nothing later counts.
class QueueWatch : public PresentScheduler {
 public:
  QueueWatch(const Present& present, const WorkCosts& costs, const ForecastBounds& bounds,
             const std::function<void()>& stop)
      : PresentScheduler(present), bounds_(bounds), stop_(stop), work_(costs, present.jobs.size()),
        places_(present.jobs.size(), 0) {
    for (const JobIndex j : present.waiting()) places_[j] = left_++;
    forecast_.starts.assign(left_, kNever);
    forecast_.work_at.assign(left_, 0);
  }

  QueueForecast take() {
    forecast_.work = work_.sum();
    return std::move(forecast_);
  }

  void submitted(View& view, JobIndex j) override {
    work_.event();
    PresentScheduler::submitted(view, j);
  }
  void started(View& view, JobIndex j) override {
    work_.event();
    PresentScheduler::started(view, j);
    Time& start = forecast_.starts[places_[j]];
    if (runs_already(j) || start != kNever) return;  // of a job that is started again the first start counts
    start = view.now();
    forecast_.work_at[places_[j]] = work_.sum();
    --left_;
  }
  void ended(View& view, JobIndex j, Time started) override {
    work_.event();
    PresentScheduler::ended(view, j, started);
  }
  void schedule(View& view, const Pass& pass) override {
    stop_();
    work_.pass(view.queue().size());
    PresentScheduler::schedule(view, pass);
  }

 protected:
  bool is_over(const View& view) override {
    if (left_ == 0 || view.now() >= bounds_.last) return true;
    if (bounds_.most_work <= 0) return false;
    if (most_work_ <= 0)
      most_work_ = std::max(bounds_.most_work, work_.sum() + kLeastAheadOfPresent * bounds_.most_work);
    if (work_.sum() <= most_work_) return false;
    forecast_.reached = view.now();
    return true;
  }

 private:
  const ForecastBounds& bounds_;
  const std::function<void()>& stop_;
  WorkMeter work_;
  std::vector<std::size_t> places_;  ///< among those that wait, by JobIndex
  std::size_t left_ = 0;             ///< jobs that have not started
  double most_work_ = 0;
  QueueForecast forecast_;
};

}  // namespace

double QueueForecast::work_until(Time last) const {
  double most = 0;
  for (std::size_t i = 0; i != starts.size(); ++i) {
    if (starts[i] > last) return work;
    most = std::max(most, work_at[i]);
  }
  return most;
}

QueueForecast forecast_queue(const Decider& decider, const Present& present, const std::vector<Duration>& run_times,
                             const ForecastBounds& bounds, const std::function<void()>& stop) {
  std::vector<Job> jobs = present.workload.jobs;
  for (JobIndex j = 0; j != jobs.size(); ++j) jobs[j].runtime = run_times[j];
  QueueWatch watch(present, costs_of(decider, present), bounds, stop);
  std::optional<WorkAtMost> limit;
  if (bounds.most_in_pass > 0) limit.emplace(WorkMeter::counts_for(bounds.most_in_pass));
  try {
    simulate_present(decider, present, jobs, watch);
  } catch (const TooMuchWork&) {
    QueueForecast none;
    none.too_long = true;
    return none;
  }
  return watch.take();
}

}  // namespace coslice::drive
