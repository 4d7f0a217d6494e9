// Waiting jobs that leave the queue without a start: their policy sets them aside, and lets them wait in it again; they are
// rejected; or their users withdraw them.
#include <algorithm>

#include "sched/simulation.h"

namespace coslice {

void Simulation::set_aside(JobIndex j, Duration planned) {
  ++happened_;
  aside_[j] = planned;
  for (Observer* o : observers_) o->set_aside(now_, j, true);
}

void Simulation::release(JobIndex j) {
  if (std::find(released_.begin(), released_.end(), j) == released_.end()) released_.push_back(j);
}

bool Simulation::withdraw_due() {
  bool any = false;
  for (; feed_.next_withdrawal() <= now_ && feed_.next_withdrawal() != kNever; any = true) withdraw(feed_.pop_withdrawal());
  return any;
}

/// The job waits in the queue or aside, or has not come yet.
void Simulation::withdraw(JobIndex j) {
  ++happened_;
  const bool waits = feed_.has_entered(j);
  if (waits && aside_.erase(j) == 0) view_.drop(view_.queue().find(j));
  for (Observer* o : observers_) o->withdrawn(now_, j);
  leave(j, true);
  ++done_;
  if (waits) scheduler_.withdrawn(view_, j);
}

void Simulation::reject(JobIndex j, Rejection why) {
  for (Observer* o : observers_) o->rejected(now_, j, why);
  leave(j, true);
  ++done_;
}

void Simulation::drop_waiting() {
  const WaitingQueue& queue = view_.queue();
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
    const JobIndex j = queue.job(p);
    view_.drop(p);
    ++happened_;
    reject(j, Rejection::kNotAtOnce);
    scheduler_.dropped(view_, j);
  }
}

}  // namespace coslice
