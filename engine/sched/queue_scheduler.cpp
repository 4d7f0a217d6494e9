#include "sched/queue_scheduler.h"

namespace coslice {

double QueueScheduler::built_in_key(const View& view, JobIndex j) const {
  const Job& job = view.job(j);
  switch (options_.order) {
    case QueueOrder::kSubmit: return options_.descending ? static_cast<double>(j) : 0.0;
    case QueueOrder::kDuration: return to_seconds(job.limit);
    case QueueOrder::kNodes: return job.size;
    case QueueOrder::kArea: return job.size * to_seconds(job.limit);
  }
  return 0;
}

double QueueScheduler::key(View& view, JobIndex j) {
  if (options_.dynamic_key) return 0;  // asked at the pass
  const double key = options_.key ? options_.key(j) : built_in_key(view, j);
  return options_.descending ? -key : key;
}

void QueueScheduler::sort_queue(View& view) {
  if (!options_.dynamic_key || view.queue().empty()) return;
  const double sign = options_.descending ? -1.0 : 1.0;
  view.resort([&](JobIndex j) { return sign * options_.dynamic_key(j); });
}

void QueueScheduler::schedule(View& view, const Pass& pass) {
  sort_queue(view);
  switch (options_.backfill) {
    case Backfill::kNone: start_in_order(view, options_.may_start); break;
    case Backfill::kEasy: easy_.schedule(view, pass, options_.may_start); break;
    case Backfill::kConservative: conservative_.schedule(view, pass); break;
  }
}

}  // namespace coslice
