#include "sched/in_order.h"

#include "sched/decisions.h"

namespace coslice {

View::Position start_in_order(View& view, const MayStart& may_start) {
  const WaitingQueue& queue = view.queue();
  View::Position p = queue.first();
  for (; p < queue.end(); p = queue.next(p)) {
    if (may_start && !may_start(queue.job(p))) {
      view.explain([&](DecisionObserver& d) { d.ruled_out(view, queue.job(p)); });
      continue;
    }
    if (queue.reserved(p) != kNever && queue.reserved(p) > view.now()) continue;
    if (!view.fits_now(p)) break;
    view.start(p, StartReason::kInOrder);
  }
  if (p < queue.end()) view.explain([&](DecisionObserver& d) { d.blocked(view, p); });
  return p;
}

}  // namespace coslice
