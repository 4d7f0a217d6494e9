#include "sched/in_order.h"

namespace coslice {

View::Position start_in_order(View& view, const MayStart& may_start) {
  const WaitingQueue& queue = view.queue();
  View::Position p = queue.first();
  for (; p < queue.end(); p = queue.next(p)) {
    if (may_start && !may_start(queue.job(p))) continue;
    if (queue.reserved(p) != kNever && queue.reserved(p) > view.now()) continue;
    if (!view.fits_now(p)) break;
    view.start(p, StartReason::kInOrder);
  }
  return p;
}

}  // namespace coslice
