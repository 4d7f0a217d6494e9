// Jobs under slices that stop before their ends because their policies say so, and such as are never to run. Graces pass on
// the wall clock, whatever slice it is: a job that stands still when its grace is over stops then, as one that runs.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "slices/sliced_simulation.h"

namespace coslice {

namespace {
/// Passes at one instant in which jobs are stopped. A policy that starts what it has just stopped would never end.
constexpr std::int32_t kMostPasses = 10'000;
}  // namespace

void SlicedSimulation::stop(StartedJob& job, const StopOrder& order) {
  if (started_.shared() != nullptr) throw SimulationError("jobs of groups on shared nodes cannot be stopped");
  const Time t = time_of_stop(now(), order);
  if (t >= job.leaves) return;
  if (order.how == StopOrder::How::kCheckpoint) {
    if (!last_checkpoints_) observers_.push_back(&last_checkpoints_.emplace());
    last_checkpoints_->asked(now(), job);
  }
  if (t <= now()) return stop_now(job, order);
  stops_.add(job, t, order);
  const Time end = started_.leaves_in_slice(job);
  if (end < job.expected_end) job.view->hold(job, job.held, end);
}

/// Jobs whose grace is over, in the order in which they were asked.
void SlicedSimulation::handle_stops() {
  while (const std::optional<PendingStops::Stop> stop = stops_.take(now())) stop_now(*stop->job, stop->order);
}

void SlicedSimulation::stop_now(StartedJob& job, const StopOrder& order) {
  const JobIndex j = job.index;
  Interruption what;
  what.requeued = order.how != StopOrder::How::kCancel;
  what.by = InterruptedBy::kPolicy;
  what.for_job = order.for_job;
  what.saved = order.how == StopOrder::How::kCheckpoint && last_checkpoints_->written(now(), j, order.checkpoint.cost);
  interrupt(job, what, what.saved ? &order.checkpoint : nullptr);
  if (!in_pass_) {
    if (what.requeued) submit_job(j);
    return;
  }
  stopped_in_pass_ = true;
  if (what.requeued) stopped_.push_back(j);
  if (clock_.productive_for(started_.class_of(j))) set_open_ceiling();
}

/// One pass, and others while jobs are stopped in them: those that were requeued wait again.
void SlicedSimulation::passes() {
  pass();
  for (std::int32_t n = 0; stopped_in_pass_; ++n) {
    if (n == kMostPasses)
      throw SimulationError(fmt::format("at {} s: the policy stopped jobs in {} passes in a row",
                                        format_seconds(now().time_since_epoch()), kMostPasses));
    stopped_in_pass_ = false;
    const std::vector<JobIndex> again = std::exchange(stopped_, {});
    for (const JobIndex j : again) submit_job(j);
    if (clock_.productive()) open_class().ended = true;
    pass();
  }
}

std::size_t SlicedSimulation::class_of(const View& view) const {
  const auto its = std::find_if(classes_.begin(), classes_.end(), [&](const ClassView& c) { return &c.view == &view; });
  return static_cast<std::size_t>(its - classes_.begin());
}

void SlicedSimulation::refuse(JobIndex j, Rejection why) { give_up(j, why); }

/// A waiting job will never run.
void SlicedSimulation::give_up(JobIndex j, Rejection why) {
  reject(j, why);
  ClassView& c = classes_[started_.class_of(j)];
  c.scheduler.dropped(c.view, j);
}

/// A job that had come will never run.
void SlicedSimulation::reject(JobIndex j, Rejection why) {
  for (Observer* o : observers_) o->rejected(now(), j, why);
  leave(j, true);
  --active_;
  ++done_;
}

/// The job waits, or has not come yet.
void SlicedSimulation::withdraw(JobIndex j) {
  const bool waits = feed_.has_entered(j);
  ClassView& c = classes_[started_.class_of(j)];
  if (waits) c.view.drop(c.view.queue().find(j));
  for (Observer* o : observers_) o->withdrawn(now(), j);
  leave(j, true);
  ++done_;
  if (!waits) return;
  --active_;
  c.scheduler.withdrawn(c.view, j);
  (clock_.productive_for(started_.class_of(j)) ? c.ended : c.submitted) = true;  // others may start, or be promised earlier starts
}

/// What no class has started by the end of an instant, whatever slice it is. Whether jobs that waited for those come now.
bool SlicedSimulation::drop_waiting() {
  bool any = false;
  for (ClassView& c : classes_) {
    const WaitingQueue& queue = c.view.queue();
    for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
      const JobIndex j = queue.job(p);
      c.view.drop(p);
      give_up(j, Rejection::kNotAtOnce);
      any = true;
    }
  }
  const bool more = any && feed_.next_time() <= now();
  if (more) submit();
  return more;
}

/// Jobs that name a reservation which is over for good can never run.
void SlicedSimulation::handle_reservations() {
  if (!reservations_ || !reservations_->handle()) return;
  for (const std::int32_t over : reservations_->take_over())
    for (ClassView& c : classes_) {
      const WaitingQueue& queue = c.view.queue();
      for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
        const JobIndex j = queue.job(p);
        if (started_.demands()->only(j) != over) continue;
        c.view.drop(p);
        give_up(j, Rejection::kOver);
      }
    }
}

}  // namespace coslice
