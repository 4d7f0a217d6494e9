#include "sched/easy_backfill.h"

#include <algorithm>
#include <vector>

#include "sched/decisions.h"
#include "sched/job_demands.h"

namespace coslice {

void EasyBackfill::schedule(View& view, const Pass& pass, const MayStart& may_start,
                            const std::function<std::uint64_t()>& answers, const VetoKinds& kinds) {
  if (options_.by_partition && !view.available().by_count()) return scan_beside_reservations(view, view.queue().first(), may_start);
  if (may_start && view.available().by_count() && view.reserved_count() == 0 && !view.explained() &&
      !view.promises_heard() && options_.reservations == 1 && options_.depth == EasyOptions::kUnlimited)
    return schedule_ruled(view, pass, may_start, answers, kinds);
  const View::Position head = start_in_order(view, may_start, LaterReservation::kPassed);
  if (head == view.queue().end() || options_.reservations == 0) return;
  const bool one = options_.reservations == 1 && view.reserved_count() == 0 && !view.available().may_fall();
  if (one) backfill_behind_head(view, head, pass, may_start);
  else scan_beside_reservations(view, head, may_start);
}

bool EasyBackfill::nothing_new(const View& view, View::Position head, const Pass& pass) const {
  return !pass.ended && !pass.corrected && options_.depth == EasyOptions::kUnlimited &&
         scanned_.head == view.queue().job(head) && scanned_.order_version == view.queue().order_version() &&
         scanned_.free == view.free_now() && scanned_.changes == view.available().changes();
}

View::Position EasyBackfill::scan_end(const View& view, View::Position from) const {
  const WaitingQueue& queue = view.queue();
  if (options_.depth == EasyOptions::kUnlimited) return queue.end();
  for (std::size_t i = 0; i != options_.depth && from < queue.end(); ++i) from = queue.next(from);
  return std::min(from + 1, queue.end());
}

// Jobs that may pass the head, for observers; apart, so that the scan stays short without one.
[[gnu::noinline]] void EasyBackfill::tell_hole(const View& view, View::Position head, Time shadow, View::Position stop) {
  const std::int32_t extra = view.available().spare_beside_shield();
  view.explain([&](DecisionObserver& d) { d.blocked(view, head, shadow, extra, stop); });
}

// A backfilled job does not change when the head can start: one scan is enough, and it goes on where the last one ended as
// long as nothing has ended or started. But where nodes differ, each pass chooses anew which nodes the head is to have: only
// where it would leave more to others than it did, after the jobs that were backfilled, are the refused ones asked again.
void EasyBackfill::backfill_behind_head(View& view, View::Position head, const Pass& pass, const MayStart& may_start) {
  Availability& available = view.available();
  const WaitingQueue& queue = view.queue();
  const bool resume = !may_start && nothing_new(view, head, pass);
  const View::Position stop = scan_end(view, head);
  const View::Position from = resume ? scanned_.end : head + 1;
  const std::int32_t most = available.most_free();
  const bool explained = view.explained();
  const bool heard = explained || (from < stop && view.promises_heard());
  bool leaves_more = false;
  const View::Position first = most > 0 ? queue.next_fitting(from, most) : stop;
  if (most > 0 && (heard || first < stop)) {
    const Time shadow = view.shield(head);
    if (from < stop) view.promise(head, shadow);
    const std::uint64_t before = available.changes();
    View::Position p = available.next_passing(queue, first, stop);
    for (; p < stop; p = available.next_passing(queue, p + 1, stop)) {
      if (may_start && !may_start(queue.job(p))) {
        view.explain([&](DecisionObserver& d) { d.ruled_out(view, queue.job(p)); });
        continue;
      }
      if (explained) tell_hole(view, head, shadow, stop);
      view.start(p, StartReason::kBackfilled);
    }
    if (explained) tell_hole(view, head, shadow, stop);
    leaves_more = available.changes() != before && available.would_leave_more();
    view.unshield();
  }
  scanned_ = {queue.order_version(), leaves_more ? kNoJob : queue.job(head), view.free_now(), available.changes(),
              queue.end()};
}

// Several reservations stand in the ledger during the pass, and a job is backfilled if it fits into what is left, now and
// for its whole duration. Where each partition has its own queue, so that where partitions overlap no job delays the first
// ones of other partitions either; without reservations, no job passes another one of its partition.
void EasyBackfill::scan_beside_reservations(View& view, View::Position from, const MayStart& may_start) {
  struct Reservation {
    Ask of;
    Time start;
  };
  /// What has been seen of a partition's queue. A job waits in that of the first partition that it may use.
  struct Seen {
    std::size_t blocked = 0;    ///< jobs that cannot start; those that may hold a reservation do
    std::size_t looked_at = 0;  ///< jobs behind these
  };
  Availability& available = view.available();
  const WaitingQueue& queue = view.queue();
  const JobDemands* const demands = options_.by_partition ? view.demands() : nullptr;
  std::vector<Seen> partitions(demands != nullptr ? demands->layout().partitions.size() + 1 : 1);
  std::vector<Reservation> reservations;
  const std::size_t first_ones = std::max<std::size_t>(options_.reservations, 1);
  for (View::Position p = from; p < queue.end(); p = queue.next(p)) {
    const JobIndex j = queue.job(p);
    const std::int32_t in = demands != nullptr ? demands->unit(demands->demand(j).front()).partition + 1 : 0;
    Seen& own = partitions[static_cast<std::size_t>(in)];
    const bool behind = own.blocked == first_ones;
    if (behind && own.looked_at++ == options_.depth && partitions.size() == 1) break;
    if (queue.reserved(p) != kNever || (behind && (options_.reservations == 0 || own.looked_at > options_.depth))) continue;
    if (may_start && !may_start(j)) {
      view.explain([&](DecisionObserver& d) { d.ruled_out(view, j); });
    } else if (view.fits_now(p)) {
      view.start(p, demands != nullptr && own.blocked == 0 ? StartReason::kInOrder : StartReason::kBackfilled);
    } else if (!behind) {
      const Time start = options_.reservations == 0 ? kNever : view.earliest(p, view.now());
      if (start != kNever) {
        reservations.push_back({view.ask(p), start});
        reservations.back().of.hold = available.reserve(view.ask(p), start, ReservationKeeps::kAskedFor);
        view.explain([&](DecisionObserver& d) { d.shields(view, j, start); });
      }
      if (start != kNever || demands != nullptr) ++own.blocked;
    }
  }
  for (const Reservation& r : reservations) available.unreserve(r.of, r.start);
}

}  // namespace coslice
