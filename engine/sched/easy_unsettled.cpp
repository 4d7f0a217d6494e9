// EASY on a queue that is not sorted: keys that change with time give a new order at most passes, and a pass needs
// little of it: which job is first, and which of the few that may pass goes first.
#include <algorithm>

#include "sched/easy_backfill.h"

namespace coslice {

// A hook that runs at a start may look at the queue: then it is in order again, and the pass goes on as any other. That
// gives the same, as what is left of a pass follows from the view alone.
void EasyBackfill::schedule_unsettled(View& view, const Pass& pass) {
  const WaitingQueue& queue = view.loose_queue();
  scanned_ = {};
  loose_.look_at(queue);
  for (;;) {
    const View::Position p = loose_.first(queue);
    if (p == queue.end()) return;
    if (!view.fits_now(p)) {
      if (options_.reservations != 0) backfill_unsettled(view, p, pass);
      return;
    }
    const std::uint64_t version = queue.order_version();
    view.start(p, StartReason::kInOrder);
    if (queue.order_version() != version) return schedule(view, pass);
    loose_.taken(queue, p);
  }
}

void EasyBackfill::backfill_unsettled(View& view, View::Position head, const Pass& pass) {
  const WaitingQueue& queue = view.loose_queue();
  std::int32_t free = view.free_now();
  const View::Position first = free > 0 ? queue.next_fitting(0, free) : queue.end();
  if (first == queue.end()) return;
  Hole hole = hole_before(view, head);
  const Duration window = hole.shadow - view.now();
  candidates_.resize(queue.end());
  std::size_t found = 0;
  for (View::Position p = first; p < queue.end(); p = queue.next_block_fitting(p, free)) {
    // Whether a job may pass is a toss-up in a long queue: without a branch, each is written down, and the next one over
    // those that may not.
    const View::Position stop = std::min(queue.block_end(p), queue.end());
    for (; p != stop; ++p) {
      const std::int32_t n = queue.nodes(p);
      candidates_[found] = p;
      found += static_cast<std::size_t>((n <= free) & ((queue.duration(p) <= window) | (n <= hole.extra)));
    }
  }
  candidates_.resize(found);
  // Most passes start one or two of many: each is the best of those that still may, which become fewer.
  const auto goes_before = [&](View::Position a, View::Position b) {
    return queue.key(a) < queue.key(b) || (queue.key(a) == queue.key(b) && queue.job(a) < queue.job(b));
  };
  while (!candidates_.empty()) {
    const View::Position best = *std::min_element(candidates_.begin(), candidates_.end(), goes_before);
    const std::int32_t n = queue.nodes(best);
    const bool in_time = queue.duration(best) <= window;
    const std::uint64_t version = queue.order_version();
    view.start(best, StartReason::kBackfilled);
    if (queue.order_version() != version) return schedule(view, pass);
    free -= n;
    if (!in_time) hole.extra -= n;
    std::erase_if(candidates_, [&](View::Position c) {  // the one that started needs more than any job has
      return queue.nodes(c) > free || (queue.duration(c) > window && queue.nodes(c) > hole.extra);
    });
  }
}

}  // namespace coslice
