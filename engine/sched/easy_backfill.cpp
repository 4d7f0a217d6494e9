#include "sched/easy_backfill.h"

#include <algorithm>
#include <vector>

#include "sched/decisions.h"

namespace coslice {

void EasyBackfill::schedule(View& view, const Pass& pass, const MayStart& may_start,
                            const std::function<std::uint64_t()>& answers, const VetoKinds& kinds) {
  if (options_.by_partition && view.resources() != nullptr) return schedule_by_partition(view, may_start);
  const bool unheard = !view.explained() && !view.promises_heard();
  const bool plain = view.resources() == nullptr && view.reserved_count() == 0;
  if (may_start && plain && unheard && options_.reservations == 1 && options_.depth == EasyOptions::kUnlimited)
    return schedule_ruled(view, pass, may_start, answers, kinds);
  const View::Position head = start_in_order(view, may_start, LaterReservation::kPassed);
  if (head == view.queue().end() || options_.reservations == 0) return;
  if (view.resources() != nullptr) return backfill_by_book(view, head, pass, may_start);
  const bool one = options_.reservations == 1 && view.reserved_count() == 0;
  if (one) backfill_behind_head(view, head, pass, may_start);
  else backfill_behind_many(view, head, may_start);
}

bool EasyBackfill::nothing_new(const View& view, View::Position head, const Pass& pass) const {
  return !pass.ended && !pass.corrected && options_.depth == EasyOptions::kUnlimited &&
         scanned_.head == view.queue().job(head) && scanned_.order_version == view.queue().order_version() &&
         scanned_.free == view.free_now();
}

View::Position EasyBackfill::scan_end(const View& view, View::Position from) const {
  const WaitingQueue& queue = view.queue();
  if (options_.depth == EasyOptions::kUnlimited) return queue.end();
  for (std::size_t i = 0; i != options_.depth && from < queue.end(); ++i) from = queue.next(from);
  return std::min(from + 1, queue.end());
}

// Jobs that may pass the head, for observers; apart, so that the scan stays short without one.
[[gnu::noinline]] void EasyBackfill::tell_hole(const View& view, View::Position head, const EasyHole& hole,
                                               View::Position stop) {
  view.explain([&](DecisionObserver& d) { d.blocked(view, head, hole.shadow, hole.extra, stop); });
}

// With running jobs alone in the profile the free count never falls, so the head's reservation reduces to two numbers:
// its shadow time and the nodes that it leaves over then. A backfilled job changes neither the shadow time (it ends by
// then, or fits beside the head) nor, therefore, the verdict on those already refused.
void EasyBackfill::backfill_behind_head(View& view, View::Position head, const Pass& pass, const MayStart& may_start) {
  const WaitingQueue& queue = view.queue();
  const bool resume = !may_start && nothing_new(view, head, pass);
  const View::Position stop = scan_end(view, head);
  View::Position p = resume ? scanned_.end : head + 1;
  std::int32_t free = view.free_now();
  const bool explained = view.explained();
  if (free > 0 && p < stop) {
    EasyHole hole(view, head);
    view.promise(head, hole.shadow);
    for (p = queue.next_fitting(p, free); p < stop && free > 0; p = queue.next_fitting(p + 1, free)) {
      const std::int32_t n = queue.nodes(p);
      const Duration d = queue.duration(p);
      if (!hole.takes(d, n)) continue;
      if (may_start && !may_start(queue.job(p))) {
        view.explain([&](DecisionObserver& o) { o.ruled_out(view, queue.job(p)); });
        continue;
      }
      if (explained) tell_hole(view, head, hole, stop);
      view.start(p, StartReason::kBackfilled);
      free -= n;
      hole.start(d, n);
    }
    if (explained) tell_hole(view, head, hole, stop);
  } else if (explained && free > 0) {  // without free nodes, it does not matter which jobs may pass
    tell_hole(view, head, EasyHole(view, head), stop);
  }
  scanned_ = {queue.order_version(), queue.job(head), free, queue.end()};
}

// Several reservations: their rectangles stand in the profile during the pass, and a job is backfilled if it fits into
// what is left, now and for its whole duration.
void EasyBackfill::backfill_behind_many(View& view, View::Position head, const MayStart& may_start) {
  struct Rectangle {
    Time from, to;
    std::int32_t nodes;
  };
  const WaitingQueue& queue = view.queue();
  Profile& profile = view.scratch_profile();
  std::vector<Rectangle> reservations;
  std::size_t looked_at = 0;
  for (View::Position p = head; p < queue.end() && looked_at != options_.depth; p = queue.next(p)) {
    const std::int32_t n = queue.nodes(p);
    const Duration d = queue.duration(p);
    if (reservations.size() == options_.reservations) ++looked_at;
    if (queue.reserved(p) != kNever) continue;
    if (may_start && !may_start(queue.job(p))) {
      view.explain([&](DecisionObserver& o) { o.ruled_out(view, queue.job(p)); });
      continue;
    }
    if (n <= view.free_now() && profile.min_free(view.now(), later(view.now(), d)) >= n) {
      view.start(p, StartReason::kBackfilled);
    } else if (reservations.size() != options_.reservations) {
      const Time start = profile.earliest(n, d, view.now());
      reservations.push_back({start, later(start, d), n});
      profile.reserve(start, later(start, d), n);
      view.explain([&](DecisionObserver& o) { o.shields(view, queue.job(p), start); });
    }
  }
  for (const Rectangle& r : reservations) profile.release(r.from, r.to, r.nodes);
}

}  // namespace coslice
