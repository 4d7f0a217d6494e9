// Starts on nodes that suspended jobs lend, and jobs that are set aside.
#include <algorithm>

#include "sched/decisions.h"
#include "sched/resource_book.h"
#include "sched/suspended_jobs.h"
#include "sched/view.h"

namespace coslice {

void View::start_over(Position p, const std::vector<StartedJob*>& lenders, StartReason reason) {
  unshield();
  withdraw_reservations();
  reservations_.withdrawn = true;
  if (queue_.reserved(p) != kNever) --reservations_.count;
  queue_.set_reserved(p, kNever, 0);
  explain([&](DecisionObserver& d) { d.starting(*this, p); });
  StartedJob& job = new_started(p);
  job.expected_end = later(now_, queue_.duration(p));
  NodeRanges lent;
  for (const StartedJob* lender : lenders) lent = together(lent, host_.lendable(*lender));
  available_->start_over(job, lent);
  queue_.take(p);
  for (Observer* o : observers_) o->decided(now_, job.index, reason);
  host_.launch_over(job, lenders);
  reservations_.withdrawn = false;
  put_reservations_back();
}

void View::set_aside(Position p) {
  const JobIndex j = queue_.job(p);
  const Duration planned = queue_.duration(p);
  drop(p);
  host_.set_aside(j, planned);
}

void View::keep_lent(StartedJob& job, const NodeRanges& nodes) {
  if (available_->by_count()) return hold(job, job.held + nodes.count(), job.expected_end);
  ++version_;
  withdraw_reservations();
  book_->keep_lent(job, nodes);
  job.held += nodes.count();
  put_reservations_back();
}

}  // namespace coslice
