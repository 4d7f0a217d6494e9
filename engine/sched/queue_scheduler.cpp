#include "sched/queue_scheduler.h"

namespace coslice {

double QueueScheduler::built_in_key(const View& view, JobIndex j) const {
  const Job& job = view.job(j);
  switch (options_.order) {
    case QueueOrder::kSubmit:
      if (view.host().requeues_at_back()) return to_seconds(view.wall_now());
      return options_.descending ? static_cast<double>(j) : 0.0;
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

/// Asking for every key is expensive, and many passes start no job, whatever the order.
bool QueueScheduler::order_matters(const View& view, const Pass& pass) const {
  if (view.loose_queue().size() < 2) return false;
  if (options_.backfill == Backfill::kConservative) return pass.submitted || pass.ended;
  return view.has_room();
}

/// Without backfilling, a pass is that of EASY without reservations.
EasyOptions QueueScheduler::easy_options(const QueueSchedulerOptions& options) {
  EasyOptions easy = options.easy;
  if (options.backfill == Backfill::kNone) easy.reservations = 0;
  return easy;
}

/// Whether a pass looks at the first few of the queue and at those that fit, and nothing depends on the rest of its
/// order.
bool QueueScheduler::few_matter(const View& view) const {
  return options_.block_keys && options_.backfill != Backfill::kConservative && options_.easy.reservations <= 1 &&
         options_.easy.depth == EasyOptions::kUnlimited && !options_.may_start && view.reserved_count() == 0 &&
         !view.explained() && !view.promises_heard() && !view.loose_queue().tiered();
}

/// The pass without sorting the queue; false if it must be sorted.
bool QueueScheduler::schedule_unsettled(View& view, const Pass& pass) {
  WaitingQueue& queue = view.loose_queue();
  const bool can = few_matter(view);
  queue.loosen(can);
  if (!can) return false;
  if (!order_matters(view, pass)) return queue.size() >= 2;  // no job fits
  if (easy_.schedule_unsettled(view, pass, options_.block_keys)) return true;
  queue.loosen(false);
  return false;
}

/// Whether a policy's veto need not be asked: no job fits, and no observer hears which are passed over.
bool QueueScheduler::veto_is_idle(const View& view) const {
  return options_.may_start && view.reserved_count() == 0 && !view.explained() && !view.promises_heard() && !view.has_room();
}

void QueueScheduler::schedule(View& view, const Pass& pass) {
  if (!view.available().by_count()) {  // which jobs fit is not to be seen from counts
    if (options_.rekey && view.loose_queue().size() > 1) options_.rekey(view);
  } else {
    if (veto_is_idle(view)) return;
    if (options_.rekey && schedule_unsettled(view, pass)) return;
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
