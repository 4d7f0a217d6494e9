#include "schedule/easy_backfill.h"

#include "jobs/job_demands.h"

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

void EasyBackfill::schedule(View& view, const Pass& pass, const MayStart& may_start,
                            const std::function<std::uint64_t()>& answers, const VetoKinds& kinds) {
  if (options_.by_partition && !view.available().by_count())
    return scan_beside_reservations(view, view.queue().first(), may_start);
  if (may_start && view.available().by_count() && view.reserved_count() == 0 && !view.explained() &&
      !view.promises_heard() && options_.reservations == 1 && options_.depth == EasyOptions::kUnlimited) {
    by_kind_ = refused_.follow(view.queue(), kinds);
    const View::Position first = start_ruled(view, may_start);
    if (first != view.queue().end()) backfill_ruled(view, first, pass, may_start, answers);
    return;
  }
  const View::Position head = start_in_order(view, may_start, LaterReservation::kPassed);
  if (head == view.queue().end() || options_.reservations == 0) return;
  const bool one =
      options_.reservations == 1 && view.reserved_count() == 0 && !view.available().may_fall(view.ask(head));
  if (one) backfill_behind_head(view, head, pass, may_start);
  else scan_beside_reservations(view, head, may_start);
}

View::Position EasyBackfill::scan_end(const View& view, View::Position from) const {
  const WaitingQueue& queue = view.queue();
  if (options_.depth == EasyOptions::kUnlimited) return queue.end();
  for (std::size_t i = 0; i != options_.depth && from < queue.end(); ++i) from = queue.next(from);
  return std::min(from + 1, queue.end());
}

// Jobs that may pass the head, for observers; apart, so that the scan stays short without one.
[[gnu::noinline]] void EasyBackfill::tell_hole(const View& view, View::Position head, Time shadow,
                                               View::Position stop) {
  const std::int32_t extra = view.available().spare_beside_shield();
  view.explain([&](DecisionObserver& d) { d.blocked(view, head, shadow, extra, stop); });
}

// A backfilled job does not change when the head can start: one scan is enough, and it goes on where the last one ended
// as long as nothing has ended or started. But on a heterogeneous machine, each pass chooses again which nodes the head
// is to have: only where it would leave more to others than it did, after the jobs that were backfilled, are the
// refused ones asked again.
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

// Several reservations stand in the ledger during the pass, and a job is backfilled if it fits into what is left, now
// and for its whole duration. Where each partition has its own queue, so that where partitions overlap no job delays
// the first ones of other partitions either; without reservations, no job passes another one of its partition.
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
    if (queue.reserved(p) != kNever || (behind && (options_.reservations == 0 || own.looked_at > options_.depth)))
      continue;
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

// EASY where a policy rules out jobs: a job that may not start stays in the queue though it fits, and there may be
// thousands of them, which a scan meets again at each pass.

/// What start_in_order() does where no job has a reservation: refused jobs are passed over. Gives the first that may
/// start and does not fit.
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

// What backfill_behind_head decides. Blocks without a job that may pass the head are not looked into; and if nothing
// has changed since the last scan, not even the policy's mind, only jobs that have come since are looked at.
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

// EASY on a queue that is not sorted: keys that change with time give a new order at most passes, and a pass needs
// little of it: which job is first, and which of the few that may pass goes first.

// A hook that runs at a start may look at the queue: then it is in order again, and the pass goes on as any other. That
// gives the same, as what is left of a pass follows from the view alone.
bool EasyBackfill::schedule_unsorted(View& view, const Pass& pass, const BlockKeys& keys) {
  const WaitingQueue& queue = view.queue_as_it_is();
  if (!unsorted_.begin(view, keys)) return false;
  scanned_ = {};
  for (;;) {
    const View::Position p = unsorted_.first(queue);
    if (p == queue.end()) return true;
    if (!view.fits_now(p)) {
      if (options_.reservations != 0) backfill_unsorted(view, p, pass);
      return true;
    }
    if (!start_unsorted(view, p, StartReason::kInOrder, pass)) return true;
  }
}

/// False if the queue has been sorted meanwhile, and the rest of the pass is done.
bool EasyBackfill::start_unsorted(View& view, View::Position p, StartReason reason, const Pass& pass) {
  const WaitingQueue& queue = view.queue_as_it_is();
  const std::uint64_t version = queue.order_version();
  view.start(p, reason);
  if (queue.order_version() == version && queue.unsorted()) {
    unsorted_.taken(queue, p);
    return true;
  }
  schedule(view, pass);
  return false;
}

void EasyBackfill::backfill_unsorted(View& view, View::Position head, const Pass& pass) {
  const WaitingQueue& queue = view.queue_as_it_is();
  std::int32_t free = view.free_now();
  if (free <= 0 || queue.next_fitting(0, free) == queue.end()) return;
  EasyHole hole = view.hole(head);
  // Most passes start one or two of many: each is the best of those that still may, which become fewer.
  const auto may = [&](std::int32_t n, Duration d) { return hole.takes(d, n); };
  while (free > 0) {
    const View::Position best = unsorted_.first_of(queue, free, may);
    if (best == queue.end()) return;
    const std::int32_t n = queue.nodes(best);
    const Duration d = queue.duration(best);
    if (!start_unsorted(view, best, StartReason::kBackfilled, pass)) return;
    free -= n;
    hole.start(d, n);
  }
}

}  // namespace coslice
