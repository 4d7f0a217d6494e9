// EASY where a policy rules out jobs: a job that may not start stays in the queue though it fits, and there may be thousands
// of them, which a scan meets again at each pass.
#include "sched/easy_backfill.h"

namespace coslice {

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
    EasyHole hole(view, head);
    shortest_.follow(queue);
    while (p < queue.end() && free > 0) {
      const std::size_t block = p / WaitingQueue::kBlock;
      const View::Position stop = std::min(queue.block_end(p), queue.end());
      const std::int32_t least = queue.least_nodes(block);
      if (least > free || !hole.takes(shortest_[block], least)) {
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
        free -= n;
        hole.start(d, n);
      }
    }
  }
  // A start may have changed what the policy says of jobs that were refused before it.
  const std::uint64_t after = started || !answers ? 0 : before;
  scanned_ = {queue.order_version(), queue.job(head), free, queue.end(), 0, after};
}

}  // namespace coslice
