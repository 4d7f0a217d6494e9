#include "events/submissions.h"

namespace coslice {

void Submissions::come_and_go(Time now) {
  do {
    while (some_come(now)) come_next(now);
    withdraw_due(now);
  } while (some_come(now));
}

bool Submissions::withdraw_due(Time now) {
  bool any = false;
  for (; feed_.next_withdrawal() <= now && feed_.next_withdrawal() != kNever; any = true)
    withdraw(feed_.pop_withdrawal(), now);
  return any;
}

bool Submissions::enter(JobIndex j, Time now) {
  ++changes_;
  Lane& lane = host_.lane_of(j);
  host_.comes(lane, j);
  if (host_.can_never_run(j) || host_.too_late(j)) {
    reject(j, Rejection::kNeverFits, now);
    lane.woken = true;  // there is a pass, as without slices: what depends on the time may have changed
    return false;
  }
  if (const Release* release = feed_.release_of(j))
    for (Observer* o : observers_) o->released(now, j, *release);
  host_.enters(lane, j);
  if (interval_of_ != nullptr) times_.set_checkpoints(j, {(*interval_of_)(view_host_.nodes_of(j)), std::nullopt});
  if (const std::optional<OwnCheckpoints> own = lane.scheduler.checkpoints(lane.view, j))
    times_.set_checkpoints(j, *own);
  submit(j, now);
  return true;
}

void Submissions::submit(JobIndex j, Time now) {
  if (host_.too_late(j)) return reject(j, Rejection::kOver, now);  // it was interrupted
  Lane& lane = host_.lane_of(j);
  const Duration duration = believed(lane, j);
  host_.waits(j);
  lane.view.enqueue(j, view_host_.nodes_of(j), duration, lane.scheduler.key(lane.view, j));
  lane.submitted = true;
  for (Observer* o : observers_) o->submitted(now, j);
  lane.scheduler.submitted(lane.view, j);
}

/// For how long nodes are held for the job at first. An estimate that is the limit says no more than that does.
Duration Submissions::believed(Lane& lane, JobIndex j) {
  std::optional<Duration> estimate = lane.scheduler.estimate(lane.view, j);
  if (estimate == lane.view.job(j).limit) estimate.reset();
  if (estimate) estimate = std::clamp(*estimate, Duration{1}, host_.most_believed(j));
  lane.view.believe(j, estimate);
  return (estimate ? host_.time_for(j, *estimate) : host_.planned(j)) + host_.longest_boot();
}

void Submissions::reject(JobIndex j, Rejection why, Time now) {
  ++changes_;
  for (Observer* o : observers_) o->rejected(now, j, why);
  leave(j, true, now);
}

/// The job waits in the queue or aside, or has not come yet.
void Submissions::withdraw(JobIndex j, Time now) {
  ++changes_;
  const bool waits = feed_.has_entered(j);
  Lane& lane = host_.lane_of(j);
  if (waits && aside_.erase(j) == 0) lane.view.drop(lane.view.queue().find(j));
  for (Observer* o : observers_) o->withdrawn(now, j);
  leave(j, true, now);
  host_.gave_way(lane);
  if (waits) lane.scheduler.withdrawn(lane.view, j);
}

void Submissions::set_aside(JobIndex j, Duration planned, Time now) {
  ++changes_;
  aside_[j] = planned;
  for (Observer* o : observers_) o->set_aside(now, j, true);
}

void Submissions::take_released(Time now) {
  for (const JobIndex j : std::exchange(released_, {})) {
    const auto at = aside_.find(j);
    ++changes_;
    Lane& lane = host_.lane_of(j);
    host_.waits(j);
    lane.view.enqueue(j, view_host_.nodes_of(j), at->second, lane.scheduler.key(lane.view, j));
    lane.submitted = true;
    aside_.erase(at);
    for (Observer* o : observers_) o->set_aside(now, j, false);
  }
}

}  // namespace coslice
