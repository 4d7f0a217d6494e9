// EASY on a machine whose nodes differ: the head's reservation is a shield in the book, beside which others start.
#include <vector>

#include "sched/decisions.h"
#include "sched/easy_backfill.h"
#include "sched/resource_book.h"

namespace coslice {

// As with counts, a backfilled job does not change when the head can start: one scan is enough, and it goes on where the
// last one ended as long as nothing has ended or started. But each pass chooses anew which nodes the head is to have. Only
// where it would leave more to others than it did, after the jobs that were backfilled, are the refused ones asked again.
void EasyBackfill::backfill_by_book(View& view, View::Position head, const Pass& pass, const MayStart& may_start) {
  if (options_.reservations != 1 || view.reserved_count() != 0 || view.resources()->planned())
    return backfill_by_book_behind_many(view, head, may_start);
  ResourceBook& book = *view.resources();
  const WaitingQueue& queue = view.queue();
  const bool resume = !may_start && !pass.ended && !pass.corrected && options_.depth == EasyOptions::kUnlimited &&
                      scanned_.head == queue.job(head) && scanned_.order_version == queue.order_version() &&
                      scanned_.changes == book.changes();
  const View::Position stop = scan_end(view, head);
  const View::Position from = queue.next_fitting(resume ? scanned_.end : head + 1, book.most_free());
  bool leaves_more = false;
  if (from < stop) {
    const Time shadow = view.shield(head);
    view.promise(head, shadow);
    view.explain([&](DecisionObserver& d) { d.blocked(view, head, shadow, 0, stop); });
    const std::uint64_t before = book.changes();
    backfill_beside_shield(view, from, stop, may_start);
    leaves_more = book.changes() != before && book.would_leave_more();
    view.unshield();
  }
  scanned_ = {queue.order_version(), leaves_more ? kNoJob : queue.job(head), 0, queue.end(), book.changes()};
}

void EasyBackfill::backfill_beside_shield(View& view, View::Position from, View::Position stop,
                                          const MayStart& may_start) {
  ResourceBook& book = *view.resources();
  const WaitingQueue& queue = view.queue();
  for (View::Position p = from; p < stop; p = queue.next_fitting(p + 1, book.most_free())) {
    if (!book.fits_now(queue.job(p), queue.duration(p))) continue;
    if (may_start && !may_start(queue.job(p))) {
      view.explain([&](DecisionObserver& d) { d.ruled_out(view, queue.job(p)); });
      continue;
    }
    view.start(p, StartReason::kBackfilled);
  }
}

// Several reservations stand in the book during the pass.
void EasyBackfill::backfill_by_book_behind_many(View& view, View::Position head, const MayStart& may_start) {
  ResourceBook& book = *view.resources();
  const WaitingQueue& queue = view.queue();
  std::vector<JobIndex> held;
  std::size_t looked_at = 0;
  for (View::Position p = head; p < queue.end() && looked_at != options_.depth; p = queue.next(p)) {
    if (held.size() == options_.reservations) ++looked_at;
    if (queue.reserved(p) != kNever) continue;
    const JobIndex j = queue.job(p);
    if (may_start && !may_start(j)) {
      view.explain([&](DecisionObserver& o) { o.ruled_out(view, j); });
      continue;
    }
    if (book.fits_now(j, queue.duration(p))) {
      view.start(p, StartReason::kBackfilled);
    } else if (held.size() != options_.reservations) {
      const Time start = book.earliest(j, queue.duration(p), view.now());
      if (start == kNever) continue;
      book.reserve(j, queue.duration(p), start);
      held.push_back(j);
      view.explain([&](DecisionObserver& o) { o.shields(view, j, start); });
    }
  }
  for (const JobIndex j : held) book.unreserve(j);
}

}  // namespace coslice
