#include "schedule/queue_scheduler.h"

namespace coslice {

double QueueScheduler::built_in_key(const View& view, JobIndex j) const {
  const Job& job = view.job(j);
  switch (options_.order) {
    case QueueOrder::kSubmit:
      // A job that was held, or waited for others, stands where its submission puts it.
      if (view.host().requeues_at_back())
        return to_seconds(view.host().interruptions(j) > 0 ? view.wall_now() : job.submit);
      return options_.descending ? static_cast<double>(j) : 0.0;
    case QueueOrder::kDuration: return to_seconds(view.estimate(j));
    case QueueOrder::kNodes: return job.size;
    case QueueOrder::kArea: return job.size * to_seconds(view.estimate(j));
  }
  return 0;
}

/// The pass without sorting the queue; false if it must be sorted.
bool QueueScheduler::schedule_unsorted(View& view, const Pass& pass) {
  WaitingQueue& queue = view.queue_as_it_is();
  const bool can = few_matter(view);
  queue.allow_unsorted(can);
  if (!can) return false;
  if (!order_matters(view, pass)) return queue.size() >= 2;  // no job fits
  if (easy_.schedule_unsorted(view, pass, options_.block_keys)) return true;
  queue.allow_unsorted(false);
  return false;
}

void QueueScheduler::schedule(View& view, const Pass& pass) {
  if (!view.available().by_count()) {  // which jobs fit is not to be seen from counts
    if (options_.rekey && view.queue_as_it_is().size() > 1) options_.rekey(view);
  } else {
    // A policy's veto need not be asked where no job fits and no observer hears which are passed over.
    const bool unheard = !view.explained() && !view.promises_heard();
    if (options_.may_start && unheard && view.reserved_count() == 0 && !view.has_room()) return;
    if (options_.rekey && schedule_unsorted(view, pass)) return;
    if (options_.rekey && order_matters(view, pass)) options_.rekey(view);
  }
  switch (options_.backfill) {
    case Backfill::kNone:
      if (options_.easy.by_partition) easy_.schedule(view, pass, options_.may_start);
      else start_in_order(view, options_.may_start);
      break;
    case Backfill::kEasy: easy_.schedule(view, pass, options_.may_start, options_.answers, options_.veto_kinds); break;
    case Backfill::kConservative: conservative_.schedule(view, pass); break;
  }
}

}  // namespace coslice
