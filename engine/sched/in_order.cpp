#include "sched/in_order.h"

#include "sched/observer.h"

namespace coslice {

namespace {

// Apart, so that the loop stays as short as it is without an observer.
[[gnu::noinline]] void tell_ruled_out(const View& view, JobIndex j) {
  view.explain([&](DecisionObserver& d) { d.ruled_out(view, j); });
}

[[gnu::noinline]] void tell_blocked(const View& view, View::Position head) {
  view.explain([&](DecisionObserver& d) { d.blocked(view, head); });
}

}  // namespace

View::Position start_in_order(View& view, const MayStart& may_start, LaterReservation later) {
  const WaitingQueue& queue = view.queue();
  StartReason reason = StartReason::kInOrder;
  View::Position p = queue.first();
  for (; p < queue.end(); p = queue.next(p)) {
    if (may_start && !may_start(queue.job(p))) {
      if (view.explained()) tell_ruled_out(view, queue.job(p));
      continue;
    }
    const Time reserved = queue.reserved(p);
    if (reserved != kNever && reserved > view.now()) {
      if (later == LaterReservation::kBlocks) break;
      reason = StartReason::kBackfilled;
      continue;
    }
    const bool holds_nodes = reserved == view.now() && later == LaterReservation::kBlocks;
    if (holds_nodes ? queue.nodes(p) > view.ceiling() : !view.fits_now(p)) break;
    view.start(p, reason);
  }
  if (view.explained() && p < queue.end()) tell_blocked(view, p);
  return p;
}

}  // namespace coslice
