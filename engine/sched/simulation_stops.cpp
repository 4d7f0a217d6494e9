// Jobs that stop before their ends: because a node failed, or because their policy says so (preemption).
#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "core/error.h"
#include "sched/simulation.h"

namespace coslice {

namespace {
/// Passes at one instant in which jobs are requeued. A policy that starts what it has just stopped would never end.
constexpr std::int32_t kMostResubmissions = 10'000;
}  // namespace

void Simulation::stop(StartedJob& job, const StopOrder& order) {
  assert(!job.nodes.empty());
  const Time t = time_of_stop(now_, order);
  if (t >= job.leaves) return;
  if (t <= now_) return stop_now(job, order);
  stops_.add(job, t, order);
  if (t >= job.expected_end) return;
  forget_correction(job);  // it does not outrun what is believed now
  view_.hold(job, job.held, t);
}

/// Jobs whose grace is over, in the order in which they were asked.
bool Simulation::stop_all_due() {
  bool any = false;
  while (const std::optional<PendingStops::Stop> stop = stops_.take(now_)) {
    stop_now(*stop->job, stop->order);
    any = true;
  }
  return any;
}

void Simulation::stop_now(StartedJob& job, const StopOrder& order) {
  const JobIndex j = job.index;
  const bool requeue = order.how != StopOrder::How::kCancel;
  const FinalCheckpoint* const last = order.how == StopOrder::How::kCheckpoint ? &order.checkpoint : nullptr;
  interrupt(job, {InterruptedBy::kPolicy, requeue, last, order.for_job});
  if (!requeue) return;
  if (in_pass_) stopped_.push_back(j);
  else submit_job(j);
}

/// For its policy the job ends; if it is to be requeued, it is submitted again afterwards.
void Simulation::interrupt(StartedJob& job, const Stopping& how) {
  ++happened_;
  const JobIndex j = job.index;
  const Time started = job.start;
  const NodeRanges nodes = job.nodes;
  const bool suspended = suspended_ && suspended_->is_suspended(j);
  if (!suspended) used_cores_ -= jobs_[j].size;
  const Duration before = times_.runtime(j);
  ++job.version;  // its end is void
  job.leaves = kNever;
  job.phase = Phase::kRunning;
  const Duration ran = std::max(now_ - started - suspended_for(j) - boot_of(j), Duration{0});  // it may still wait for nodes
  Duration done = Work::done(ran, job.rate).time_at(Rate{});
  machine_.occupancy.go(job);
  if (machine_.speeds) {
    machine_.speeds->end(job, now_);
    done = before - job.work_left.time_at(Rate{});
  }
  forget_correction(job);
  view_.finish(job);
  leave_lent(j);
  if (machine_.power) machine_.power->job_goes(j, nodes, now_);
  Duration lost = done;
  if (how.requeue)
    lost = how.checkpoint != nullptr ? times_.interrupt(j, done, *how.checkpoint) : times_.interrupt(j, done);
  if (molding_ && !times_.goes_on(j)) molding_->release(j);  // a checkpoint is that of so many processes
  const Interruption what{lost, now_ - started, how.requeue, how.by, how.for_job, how.checkpoint != nullptr};
  for (Observer* o : observers_) o->interrupted(now_, j, nodes, what);
  scheduler_.ended(view_, j, started);
  if (machine_.outages) machine_.outages->nodes_left(nodes, now_);
  give_back_lent(j);
  if (how.requeue) return;
  leave(j, true);
  ++done_;
}

/// Jobs that were stopped or released in the pass wait again, and another pass follows, which may start them.
void Simulation::resubmit_all() {
  const bool at_once = options_.event_order == EventOrder::kEndsFirst;  // starts take effect in each pass
  for (std::int32_t n = 0; !stopped_.empty() || !released_.empty(); ++n) {
    if (n == kMostResubmissions) {
      throw SimulationError(fmt::format("at {} s: the policy stopped, started or released jobs in {} passes in a row",
                                        format_seconds(now_.time_since_epoch()), kMostResubmissions));
    }
    const std::vector<JobIndex> again = std::exchange(stopped_, {});
    for (const JobIndex j : again) submit_job(j);
    for (const JobIndex j : std::exchange(released_, {})) {
      const auto at = aside_.find(j);
      ++happened_;
      view_.enqueue(j, nodes_of(j), at->second, scheduler_.key(view_, j));
      aside_.erase(at);
      for (Observer* o : observers_) o->set_aside(now_, j, false);
    }
    pass({true, true, at_once, false});
    if (at_once || wake_ > now_) continue;
    wake_ = kNever;
    pass({false, false, true, false});
  }
}

void Simulation::refuse(JobIndex j, Rejection why) {
  ++happened_;
  reject(j, why);
  scheduler_.dropped(view_, j);
}

}  // namespace coslice
