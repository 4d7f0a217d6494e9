// Jobs that slow one another down under slices, on a machine whose nodes differ: those of the slice that run on the same
// nodes.
#include <algorithm>
#include <utility>

#include "slices/sliced_jobs.h"

namespace coslice {

/// The job, which runs from now on, slows down others and is slowed down by them.
void SlicedJobs::run_beside(StartedJob& job) {
  if (!contention_) return;
  running_.come(job);
  contention_->note_change(job);
  change_speed(job);
  // Beside others than before, or beside none, it may be as fast as when it stopped.
  if (std::erase(speeds_.stale, &job) != 0 && std::find(speeds_.changed.begin(), speeds_.changed.end(), &job) == speeds_.changed.end())
    speeds_.changed.push_back(&job);
  for (StartedJob* other : contention_->sharers(job)) change_speed(*other);
}

/// The job stops or ends.
void SlicedJobs::leave_others(StartedJob& job) {
  if (!contention_) return;
  if (std::erase(speeds_.changed, &job) != 0) speeds_.stale.push_back(&job);
  running_.go(job);
  contention_->note_change(job);
  for (StartedJob* other : contention_->sharers(job)) change_speed(*other);
}

void SlicedJobs::change_speed(StartedJob& job) {
  const Rate before = job.rate;
  set_rate(job, contention_->slowdown(job));
  if (job.rate == before) return;
  if (std::find(speeds_.changed.begin(), speeds_.changed.end(), &job) == speeds_.changed.end()) speeds_.changed.push_back(&job);
}

bool SlicedJobs::update_holds() {
  std::vector<StartedJob*> changed = std::exchange(speeds_.changed, {});
  std::sort(changed.begin(), changed.end(),
            [](const StartedJob* a, const StartedJob* b) { return a->index < b->index; });
  // A foreign job is held in its own class for what it would take there; nothing of that has changed.
  std::erase_if(changed, [](const StartedJob* job) { return job->foreign; });
  for (StartedJob* job : changed) hold_rest(*job);
  return !changed.empty();
}

}  // namespace coslice
