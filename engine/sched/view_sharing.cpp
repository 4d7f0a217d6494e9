// What a view does where jobs share nodes in groups.
#include "core/error.h"
#include "sched/decisions.h"
#include "sched/view.h"

namespace coslice {

SharingHost& View::sharing_host() const {
  if (sharing_ == nullptr) throw SimulationError("jobs can share nodes only where the policy says how (sharing)");
  return *sharing_;
}

void View::set_ppn_alone(Position p, std::int32_t ppn) {
  if (sharing_ == nullptr)
    throw SimulationError("processes per node are the policy's only where it says how nodes are shared (sharing)");
  sharing_->set_ppn_alone(*this, p, ppn);
}

// With the first number it gets some place, then with the other one its own again, unless a better one has come up. What
// happens in between is not observed; what stays is that its reservation is the last one made, and that a pass is asked for at
// the earliest of these places.
void View::try_ppn_alone(Position p, std::int32_t first, std::int32_t then, TriedPpn& last) {
  if (last.gains == gains() && !promises_heard() && !explained() &&
      counts_.profile().earliest_before(last.nodes, last.duration, now_, reservations_.next_due) == kNever) {
    decisions_ += 2;
    queue_.set_reserved(p, queue_.reserved(p), decisions_);
    reservations_.freed_early = true;
    return;
  }
  const std::uint64_t version = version_, before = counts_.profile().gains();
  const Time place = queue_.reserved(p);
  set_ppn_alone(p, first);
  last.nodes = queue_.nodes(p);
  last.duration = queue_.duration(p);
  set_ppn_alone(p, then);
  if (queue_.reserved(p) == place) {
    version_ = version;
    neutral_gains_ += counts_.profile().gains() - before;
    last.gains = gains();
  }
}

void View::start_group(JobIndex primary, const std::vector<JobIndex>& matched, double gain, StartReason reason) {
  SharingHost& host = sharing_host();
  const auto take = [&](JobIndex j) -> StartedJob* {
    const Position p = queue_.find(j);
    if (p == queue_.end()) return find_started(j);
    explain([&](DecisionObserver& d) { d.starting(*this, p); });
    if (queue_.reserved(p) != kNever) --reservations_.count;
    StartedJob& job = new_started(p);
    job.expected_end = now_;
    queue_.take(p);
    return &job;
  };
  withdraw_reservations();
  reservations_.withdrawn = true;
  StartedJob* first = take(primary);
  std::vector<StartedJob*> others;
  for (const JobIndex j : matched) others.push_back(take(j));
  if (first->nodes.empty())
    for (Observer* o : observers_) o->decided(now_, primary, reason);
  for (const StartedJob* job : others)
    if (job->nodes.empty())
      for (Observer* o : observers_) o->decided(now_, job->index, reason);
  host.launch_group(*first, others, gain);
  reservations_.withdrawn = false;
  put_reservations_back();
}

void View::separate(Group& group) {
  SharingHost& host = sharing_host();
  withdraw_reservations();
  reservations_.withdrawn = true;
  try {
    host.separate(group);
  } catch (...) {  // a policy may go on after that
    reservations_.withdrawn = false;
    put_reservations_back();
    throw;
  }
  reservations_.withdrawn = false;
  put_reservations_back();
}

}  // namespace coslice
