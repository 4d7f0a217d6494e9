#include "sched/queue_scheduler.h"

namespace coslice {

double QueueScheduler::built_in_key(const View& view, JobIndex j) const {
  const Job& job = view.job(j);
  switch (options_.order) {
    case QueueOrder::kSubmit: return options_.descending ? static_cast<double>(j) : 0.0;
    case QueueOrder::kDuration: return to_seconds(view.estimate(j));
    case QueueOrder::kNodes: return job.size;
    case QueueOrder::kArea: return job.size * to_seconds(view.estimate(j));
  }
  return 0;
}

double QueueScheduler::key(View& view, JobIndex j) {
  if (options_.rekey) return 0;
  const double key = options_.key ? options_.key(j) : built_in_key(view, j);
  return options_.descending ? -key : key;
}

/// Asking for every key is dear, and many passes start nobody whatever the order.
bool QueueScheduler::order_matters(const View& view, const Pass& pass) const {
  const WaitingQueue& queue = view.queue();
  if (queue.size() < 2) return false;
  if (options_.backfill == Backfill::kConservative) return pass.submitted || pass.ended;
  return queue.next_fitting(queue.first(), view.free_now()) < queue.end();
}

void QueueScheduler::schedule(View& view, const Pass& pass) {
  if (options_.rekey && order_matters(view, pass)) options_.rekey(view);
  switch (options_.backfill) {
    case Backfill::kNone: start_in_order(view, options_.may_start); break;
    case Backfill::kEasy: easy_.schedule(view, pass, options_.may_start); break;
    case Backfill::kConservative: conservative_.schedule(view, pass); break;
  }
}

}  // namespace coslice
