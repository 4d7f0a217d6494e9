#include "schedule/conservative_backfill.h"

namespace coslice {

void start_due(View& view) {
  // Starting a job may move other reservations (its memory must be loaded first), even to now: so until none is left.
  for (std::vector<View::Position> due = view.due(); !due.empty(); due = view.due()) {
    for (const View::Position p : due) {
      if (view.queue().reserved(p) > view.now()) continue;
      if (view.queue().nodes(p) <= view.ceiling()) view.start(p, StartReason::kReservation);
      else view.leave_late();
    }
  }
}

/// Where the host allows less than the ledger says is free, not every reservation for now can be kept.
std::int32_t ConservativeBackfill::room_now(const View& view) {
  const std::int32_t all = std::numeric_limits<std::int32_t>::max();
  if (view.ceiling() == all) return all;
  std::int32_t promised = 0;
  const WaitingQueue& queue = view.queue();
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p))
    if (queue.reserved(p) <= view.now()) promised += queue.nodes(p);
  return view.ceiling() - promised;
}

// A job that moves up may leave a hole for one that was asked before it, hence the slack: after a walk in which no job
// moved, none can move until nodes become free early again.
void ConservativeBackfill::compress(View& view, bool starts) {
  if (view.take_freed_early() && view.gains() != walked_in_vain_) slack_ = true;
  if (!slack_) return;
  slack_ = false;
  room_ = starts ? room_now(view) : std::numeric_limits<std::int32_t>::max();
  const WaitingQueue& queue = view.queue();
  Availability& available = view.available();
  available.begin_walk();
  if (order_ == CompressOrder::kQueue) {
    for (auto next = available.next_earlier(queue, queue.first()); next.at < queue.end();
         next = available.next_earlier(queue, next.at + 1))
      move_up(view, next.at, next.start);
  } else {
    for (const View::Position p : compress_sequence(view)) {
      const Time old = queue.reserved(p);
      const Time start = old == kNever || old <= view.now() ? kNever : view.earlier(p);
      if (start != kNever) move_up(view, p, start);
    }
  }
  available.end_walk();
  if (!slack_) walked_in_vain_ = view.gains();
}

std::vector<View::Position> ConservativeBackfill::compress_sequence(const View& view) const {
  const WaitingQueue& queue = view.queue();
  std::vector<View::Position> sequence;
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) sequence.push_back(p);
  std::ranges::stable_sort(sequence, {}, [&](View::Position a) { return queue.reserved(a); });
  return sequence;
}

void ConservativeBackfill::move_up(View& view, View::Position p, Time start) {
  slack_ = true;
  if (start <= view.now()) {
    // A reservation that holds is not given up for one that may not; it is asked again in the next walk.
    if (view.queue().nodes(p) > room_) return;
    room_ -= view.queue().nodes(p);
  }
  view.reserve(p, start);
}

/// Those without one mostly stand at the end.
void ConservativeBackfill::reserve_new(View& view) {
  const WaitingQueue& queue = view.queue();
  std::vector<View::Position> fresh;
  for (View::Position p = queue.end(); p > queue.first() && fresh.size() + view.reserved_count() < queue.size();)
    if (--p; queue.live(p) && queue.reserved(p) == kNever) fresh.push_back(p);
  for (auto p = fresh.rbegin(); p != fresh.rend(); ++p)
    if (const Time start = view.earliest(*p, view.now()); start != kNever) view.reserve(*p, start);
}

}  // namespace coslice
