// EASY on a queue that is not sorted: keys that change with time give a new order at most passes, and a pass needs
// little of it: which job is first, and which of the few that may pass goes first.
#include "sched/easy_backfill.h"

namespace coslice {

// A hook that runs at a start may look at the queue: then it is in order again, and the pass goes on as any other. That
// gives the same, as what is left of a pass follows from the view alone.
bool EasyBackfill::schedule_unsettled(View& view, const Pass& pass, const BlockKeys& keys) {
  const WaitingQueue& queue = view.loose_queue();
  if (!loose_.begin(view, keys)) return false;
  scanned_ = {};
  for (;;) {
    const View::Position p = loose_.first(queue);
    if (p == queue.end()) return true;
    if (!view.fits_now(p)) {
      if (options_.reservations != 0) backfill_unsettled(view, p, pass);
      return true;
    }
    if (!start_unsettled(view, p, StartReason::kInOrder, pass)) return true;
  }
}

/// False if the queue has been sorted meanwhile, and the rest of the pass is done.
bool EasyBackfill::start_unsettled(View& view, View::Position p, StartReason reason, const Pass& pass) {
  const WaitingQueue& queue = view.loose_queue();
  const std::uint64_t version = queue.order_version();
  view.start(p, reason);
  if (queue.order_version() == version && queue.unsettled()) {
    loose_.taken(queue, p);
    return true;
  }
  schedule(view, pass);
  return false;
}

void EasyBackfill::backfill_unsettled(View& view, View::Position head, const Pass& pass) {
  const WaitingQueue& queue = view.loose_queue();
  std::int32_t free = view.free_now();
  if (free <= 0 || queue.next_fitting(0, free) == queue.end()) return;
  EasyHole hole = view.hole(head);
  // Most passes start one or two of many: each is the best of those that still may, which become fewer.
  const auto may = [&](std::int32_t n, Duration d) { return hole.takes(d, n); };
  while (free > 0) {
    const View::Position best = loose_.first_of(queue, free, may);
    if (best == queue.end()) return;
    const std::int32_t n = queue.nodes(best);
    const Duration d = queue.duration(best);
    if (!start_unsettled(view, best, StartReason::kBackfilled, pass)) return;
    free -= n;
    hole.start(d, n);
  }
}

}  // namespace coslice
