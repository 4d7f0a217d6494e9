// Jobs whose processes share processors, as a policy's hooks see them that are about single jobs: how long one is
// believed to run, how it writes checkpoints, that it came, started, ended or left. What is free of the machine such a
// view does not know: the matrix of admission.h does.
#pragma once

#include "jobs/job_times.h"
#include "jobs/workflow.h"
#include "schedule/hosted_view.h"
#include "schedule/moldable_jobs.h"
#include "schedule/scheduler.h"

namespace coslice {

/// The view that hooks about single jobs get under coscheduling.
class JobView : private ViewHost {
 public:
  /// Returns how many nodes a job takes.
  using NodesOf = std::function<std::int32_t(JobIndex)>;

  /// Makes a view in which no job is submitted yet. All references outlive it.
  JobView(Scheduler& asked, const std::vector<Job>& jobs, const JobTimes& times, std::int32_t nodes, Time start,
          NodesOf nodes_of)
      : asked_(asked), times_(times), nodes_of_(std::move(nodes_of)), view_(jobs, nodes, start, *this, none_) {
    asked_.begin(view_);
  }

  /// Moves the clock of the view to `now`.
  void advance(Time now) { view_.advance(now); }
  /// Returns the job's own checkpoints; nothing if it uses the scenario's.
  std::optional<OwnCheckpoints> checkpoints(JobIndex j) { return asked_.checkpoints(view_, j); }
  /// Returns for how long the job is believed to run; at most `limit`.
  Duration believed(JobIndex j, Duration limit) {
    const std::optional<Duration> estimate = asked_.estimate(view_, j);
    if (!estimate) return limit;
    const Duration d = std::clamp(*estimate, Duration{1}, limit);
    view_.believe(j, d);
    return d;
  }
  /// Sets the estimate of a job that has outrun its last one to `believed`.
  void correct(JobIndex j, Duration believed) {
    view_.believe(j, believed);
    asked_.corrected(view_, j);
  }
  /// Notes that the job was submitted, with that estimate.
  void submitted(JobIndex j, Duration believed) {
    view_.enqueue(j, nodes_of(j), believed, 0);
    asked_.submitted(view_, j);
  }
  /// Notes that the waiting job started.
  void started(JobIndex j) {
    view_.admit(view_.queue().find(j));
    asked_.started(view_, j);
  }
  /// Notes that the job ended that had started at `started`.
  void ended(JobIndex j, Time started) {
    view_.finish(*view_.find_started(j));
    asked_.ended(view_, j, started);
  }
  /// Notes that the waiting job is withdrawn, or can never start.
  void withdrawn(JobIndex j) {
    view_.drop(view_.queue().find(j));
    asked_.withdrawn(view_, j);
  }

 private:
  [[noreturn]] static void no() {
    throw SimulationError("a policy that coschedules processes decides nothing about jobs beside its modes");
  }
  void launch(StartedJob&, std::uint64_t) override { no(); }
  void wake_at(Time) override {}  // in a pass nothing would be decided
  std::int32_t nodes_of(JobIndex j) const override { return nodes_of_(j); }
  bool requeues_at_back() const override { return false; }
  std::int32_t interruptions(JobIndex j) const override { return times_.interruptions(j); }
  void stop(StartedJob&, const StopOrder&) override { no(); }
  NodeRanges lendable(const StartedJob&) const override { no(); }
  void launch_over(StartedJob&, const std::vector<StartedJob*>&) override { no(); }
  void suspend(StartedJob&) override { no(); }
  void go_on(StartedJob&) override { no(); }
  void set_aside(JobIndex, Duration) override { no(); }
  void release(JobIndex) override { no(); }
  bool is_aside(JobIndex) const override { return false; }
  void refuse(JobIndex, Rejection) override { no(); }
  const std::vector<JobSize>* sizes_of(JobIndex) const override { return nullptr; }
  Duration mold(JobIndex, std::size_t) override { no(); }
  std::optional<Duration> take_gpu_instance(JobIndex, std::int32_t, std::int32_t) override { no(); }
  std::int32_t nodes_off() const override { return 0; }
  const Contention* contention() const override { return nullptr; }
  const SlicedHost* slices() const override { return nullptr; }

  Scheduler& asked_;
  const JobTimes& times_;
  NodesOf nodes_of_;
  const std::vector<Observer*> none_;
  HostedView view_;
};

}  // namespace coslice
