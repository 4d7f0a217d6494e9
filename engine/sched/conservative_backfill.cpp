#include "sched/conservative_backfill.h"

#include <algorithm>

namespace coslice {

void ConservativeBackfill::schedule(View& view, const Pass& pass) {
  if (pass.ended) compress(view);
  if (pass.submitted) reserve_new(view);
  if (pass.due && next_due_ <= view.now()) start_due(view);
  view.wake_at(next_due_);
}

void ConservativeBackfill::compress(View& view) {
  if (view.take_freed_early()) slack_ = true;
  if (!slack_) return;
  slack_ = false;
  if (order_ == CompressOrder::kQueue) {
    const WaitingQueue& queue = view.queue();
    for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p))
      if (move_up(view, p)) slack_ = true;
  } else {
    for (const View::Position p : compress_sequence(view))
      if (move_up(view, p)) slack_ = true;
  }
}

std::vector<View::Position> ConservativeBackfill::compress_sequence(const View& view) const {
  const WaitingQueue& queue = view.queue();
  std::vector<View::Position> sequence;
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) sequence.push_back(p);
  std::stable_sort(sequence.begin(), sequence.end(),
                   [&](View::Position a, View::Position b) { return queue.reserved(a) < queue.reserved(b); });
  return sequence;
}

// A job that moves up may leave a hole for one that was asked before it, hence the return value: after a walk in which
// nobody moved, nobody can move until nodes become free early again.
bool ConservativeBackfill::move_up(View& view, View::Position p) {
  const WaitingQueue& queue = view.queue();
  const Time old = queue.reserved(p);
  if (old == kNever || old <= view.now()) return false;
  const Time start = view.profile().earliest_before(queue.nodes(p), queue.duration(p), view.now(), old);
  if (start == kNever) return false;
  view.reserve(p, start);
  next_due_ = std::min(next_due_, start);
  return true;
}

void ConservativeBackfill::reserve_new(View& view) {
  const WaitingQueue& queue = view.queue();
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
    if (queue.reserved(p) != kNever) continue;
    const Time start = view.profile().earliest(queue.nodes(p), queue.duration(p), view.now());
    view.reserve(p, start);
    next_due_ = std::min(next_due_, start);
  }
}

void ConservativeBackfill::start_due(View& view) {
  const WaitingQueue& queue = view.queue();
  std::vector<View::Position> due;
  next_due_ = kNever;
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
    if (queue.reserved(p) <= view.now()) due.push_back(p);
    else next_due_ = std::min(next_due_, queue.reserved(p));
  }
  std::sort(due.begin(), due.end(), [&](View::Position a, View::Position b) {
    return queue.reservation_order(a) < queue.reservation_order(b);
  });
  for (const View::Position p : due) view.start(p, StartReason::kReservation);
}

}  // namespace coslice
