// EASY where a policy rules out jobs: a job that may not start stays in the queue though it fits, and there may be thousands
// of them, which a scan meets again at each pass.
#include <algorithm>

#include "sched/easy_backfill.h"

namespace coslice {

void EasyBackfill::schedule_ruled(View& view, const Pass& pass, const MayStart& may_start,
                                  const std::function<std::uint64_t()>& answers, const VetoKinds& kinds) {
  by_kind_ = refused_.follow(view.queue(), kinds);
  const View::Position head = start_ruled(view, may_start);
  if (head != view.queue().end()) backfill_ruled(view, head, pass, may_start, answers);
}

/// The entry at p has been started, and hooks of the policy have run.
void EasyBackfill::taken_ruled(const WaitingQueue& queue, View::Position p) {
  by_kind_ = by_kind_ && refused_.taken(queue, p / WaitingQueue::kBlock);
}

/// What start_in_order() does where no job has a reservation: refused jobs are passed over. Gives the first that may start
/// and does not fit.
View::Position EasyBackfill::start_ruled(View& view, const MayStart& may_start) {
  const WaitingQueue& queue = view.queue();
  View::Position p = queue.first();
  bool enters = true;  // a block that has not been asked for
  while (p < queue.end()) {
    if (by_kind_ && (enters || p % WaitingQueue::kBlock == 0) && refused_.refused(p / WaitingQueue::kBlock)) {
      p = std::min(queue.block_end(p), queue.end());
      continue;
    }
    enters = false;
    if (queue.live(p) && may_start(queue.job(p))) {
      if (!view.fits_now(p)) break;
      view.start(p, StartReason::kInOrder);
      taken_ruled(queue, p);
    }
    ++p;
  }
  return p;
}

// What backfill_behind_head decides. Blocks without a job that may pass the head are not looked into; and if nothing has
// changed since the last scan, not even the policy's mind, only jobs that have come since are looked at.
void EasyBackfill::backfill_ruled(View& view, View::Position head, const Pass& pass, const MayStart& may_start,
                                  const std::function<std::uint64_t()>& answers) {
  const WaitingQueue& queue = view.queue();
  const std::uint64_t before = answers ? answers() : 0;
  const bool resume = before != 0 && before == scanned_.answers && nothing_new(view, head, pass);
  std::int32_t free = view.free_now();
  View::Position p = resume ? scanned_.end : head + 1;
  bool started = false;
  if (free > 0 && queue.next_fitting(p, free) < queue.end()) {
    EasyHole hole = view.hole(head);
    shortest_.follow(queue);
    while (p < queue.end() && free > 0) {
      const std::size_t block = p / WaitingQueue::kBlock;
      const View::Position stop = std::min(queue.block_end(p), queue.end());
      const std::int32_t least = queue.least_nodes(block);
      if (least > free || !hole.takes(shortest_[block], least) || (by_kind_ && refused_.refused(block, free, hole))) {
        p = stop;
        continue;
      }
      for (; p != stop; ++p) {
        const std::int32_t n = queue.nodes(p);
        const Duration d = queue.duration(p);
        if (n > free || !hole.takes(d, n) || !may_start(queue.job(p))) continue;
        view.start(p, StartReason::kBackfilled);
        started = true;
        shortest_.taken(queue, p);
        taken_ruled(queue, p);
        free -= n;
        hole.start(d, n);
      }
    }
  }
  // A start may have changed what the policy says of jobs that were refused before it.
  const std::uint64_t after = started || !answers ? 0 : before;
  scanned_ = {queue.order_version(), queue.job(head), free, view.available().changes(), queue.end(), after};
}

}  // namespace coslice
