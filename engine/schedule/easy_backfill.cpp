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

View::Position start_in_order(View& view, const MayStart& may_start) {
  const WaitingQueue& queue = view.queue();
  View::Position p = queue.first();
  for (; p < queue.end(); p = queue.next(p)) {
    if (may_start && !may_start(queue.job(p))) {
      if (view.explained()) tell_ruled_out(view, queue.job(p));
      continue;
    }
    const Time reserved = queue.reserved(p);
    if (reserved != kNever && reserved > view.now()) break;
    if (reserved == view.now() ? queue.nodes(p) > view.ceiling() : !view.fits_now(p)) break;
    view.start(p, StartReason::kInOrder);
  }
  if (view.explained() && p < queue.end()) tell_blocked(view, p);
  return p;
}

/// A source says which jobs are next(), what to hold() for one that cannot start, and which jobs are next() then.
struct EasyBackfill::Scan {
  EasyBackfill& easy;
  View& view;
  const Pass& pass;
  const MayStart& may_start;
  const WaitingQueue& queue = view.queue_as_it_is();
  View::Position from = queue.first(), head = queue.end();
  View::Position stop = std::numeric_limits<View::Position>::max();
  bool all_fit = false;  ///< candidates are chosen by what fits beside the places that are held
  StartReason reason = StartReason::kInOrder;
  // By count: until nodes are held for the head, there are enough for all.
  std::int32_t free = WaitingQueue::kTaken - 1;
  EasyHole hole{kNever, 0, Duration::max()};

  View::Position end() const { return std::min(stop, queue.end()); }
  /// Holds nodes for the job at p, by count. Returns whether jobs from `from` on may pass it.
  bool hold_nodes(View::Position p) {
    reason = StartReason::kBackfilled;
    all_fit = true;
    free = view.free_now();
    const bool any = free > 0 && queue.next_fitting(from, free) < queue.end();
    if (any) hole = view.hole(p);
    return any;
  }
  bool started(View::Position, std::int32_t n, Duration d) {
    if (!all_fit) return true;
    free -= n;
    hole.start(d, n);
    return true;
  }
  bool nothing_new() const {
    const Scanned& last = easy.scanned_;
    return !pass.ended && !pass.corrected && easy.options_.depth == EasyOptions::kUnlimited &&
           last.head == queue.job(head) && last.order_version == queue.order_version() &&
           last.free == view.free_now() && last.changes == view.available().changes();
  }
  void note(JobIndex of, std::int32_t nodes, std::uint64_t answers) const {
    easy.scanned_ = {queue.order_version(), of, nodes, view.available().changes(), queue.end(), answers};
  }
};

template <class Source>
static void scan(Source&& source) {
  for (View::Position p = source.next(); p < source.end(); p = source.next()) {
    if (!source.all_fit && !source.view.fits_now(p)) {
      if (!source.hold(p)) break;
      continue;
    }
    const std::int32_t n = source.queue.nodes(p);
    const Duration d = source.queue.duration(p);
    source.view.start(p, source.reason);
    if (!source.started(p, n, d)) return;
  }
  source.finish();
}

// In order, by what the ledger says. With one reservation the first job that cannot start is shielded. A backfilled job
// does not change when it can start: one scan is enough, and it goes on where the last one ended as long as nothing has
// ended or started. But on a heterogeneous machine, each pass chooses again which nodes the head is to have: only where
// it would leave more to others than it did, after the jobs that were backfilled, are the refused ones asked again.
//
// Several reservations stand in the ledger during the pass, and a job is backfilled if it fits into what is left, now
// and for its whole duration. Where each partition has its own queue, so that where partitions overlap no job delays
// the first ones of other partitions either; without reservations, no job passes another one of its partition.
struct EasyBackfill::InOrder : Scan {
  /// What has been seen of a partition's queue. A job waits in that of the first partition that it may use.
  struct Partition {
    std::size_t blocked = 0;    ///< jobs that cannot start; those that may hold a reservation do
    std::size_t looked_at = 0;  ///< jobs behind these
  };
  const EasyOptions& options = easy.options_;
  Availability& ledger = view.available();
  const JobDemands* demands =
      options.by_partition && !ledger.by_count() ? view.demands() : nullptr;  ///< null: one queue
  const std::size_t first_ones = std::max<std::size_t>(options.reservations, 1);
  std::vector<Partition> partitions =
      std::vector<Partition>(demands != nullptr ? demands->layout().partitions.size() + 1 : 1);
  Partition* own = partitions.data();  ///< of the candidate
  std::vector<std::pair<Ask, Time>> reservations{};
  bool one = false, shields = false;  ///< the head alone has a place; others must leave it alone
  Time shadow = kNever;
  std::uint64_t changes = 0;  ///< of the ledger, before the first start behind the head

  View::Position next() {
    for (;;) {
      const View::Position p = all_fit ? ledger.next_passing(queue, from, end()) : from;
      if (p >= end()) return p;
      from = all_fit ? p + 1 : queue.next(p);
      if (!has_turn(p)) continue;
      if (!may_start || may_start(queue.job(p))) {
        if (shields && view.explained()) tell_hole();
        return p;
      }
      if (view.explained()) tell_ruled_out(view, queue.job(p));
    }
  }
  bool has_turn(View::Position p) {
    const Time reserved = queue.reserved(p);
    if (demands != nullptr) {
      const std::int32_t in = demands->unit(demands->demand(queue.job(p)).front()).partition;
      own = &partitions[static_cast<std::size_t>(in + 1)];
      reason = own->blocked == 0 ? StartReason::kInOrder : StartReason::kBackfilled;
      const bool behind = own->blocked == first_ones;
      return !(behind && (own->looked_at++ >= options.depth || options.reservations == 0)) && reserved == kNever;
    }
    if (reserved == kNever || (head == queue.end() && reserved <= view.now())) return true;
    reason = StartReason::kBackfilled;
    return false;
  }
  bool hold(View::Position p) {
    if (demands == nullptr && head == queue.end()) {
      head = p;
      reason = StartReason::kBackfilled;
      if (view.explained()) tell_blocked(view, p);
      if (options.reservations == 0) return false;
      one = options.reservations == 1 && view.reserved_count() == 0 && !ledger.may_fall(view.ask(p));
      if (one) return shield();
    }
    if (own->blocked == first_ones || queue.reserved(p) != kNever) return true;
    const Time start = options.reservations == 0 ? kNever : view.earliest(p, view.now());
    if (start != kNever) {
      reservations.emplace_back(view.ask(p), start);
      reservations.back().first.hold = ledger.reserve(view.ask(p), start, ReservationKeeps::kAskedFor);
      view.explain([&](DecisionObserver& d) { d.shields(view, queue.job(p), start); });
    }
    if (start != kNever || demands != nullptr) ++own->blocked;
    if (demands == nullptr && own->blocked == first_ones) go_behind(p);
    return true;
  }
  /// All places are held, the last one for the job at p.
  void go_behind(View::Position p) {
    all_fit = true;
    from = p + 1;
    if (options.depth == EasyOptions::kUnlimited) return;
    for (std::size_t i = 0; i != options.depth && p < queue.end(); ++i) p = queue.next(p);
    stop = p + 1;
  }
  bool shield() {
    go_behind(head);
    if (!may_start && nothing_new()) from = easy.scanned_.end;
    const bool any = from < end(), heard = view.explained() || (any && view.promises_heard());
    const std::int32_t most = ledger.most_free();
    if (most > 0) from = queue.next_fitting(from, most);
    shields = most > 0 && (heard || from < end());
    if (!shields) return false;
    shadow = view.shield(head);
    if (any) view.promise(head, shadow);
    changes = ledger.changes();
    return true;
  }
  void finish() {
    for (const auto& [of, start] : reservations) ledger.unreserve(of, start);
    if (shields && view.explained()) tell_hole();
    const bool leaves_more = shields && ledger.changes() != changes && ledger.would_leave_more();
    if (shields) view.unshield();
    if (one) note(leaves_more ? kNoJob : queue.job(head), view.free_now(), 0);
  }
  /// Tells of jobs that may pass the head; apart, so that the scan stays short without an observer.
  [[gnu::noinline]] void tell_hole() const {
    const std::int32_t extra = ledger.spare_beside_shield();
    view.explain([&](DecisionObserver& d) { d.blocked(view, head, shadow, extra, end()); });
  }
};

// Those that a policy's veto leaves, by count: jobs that fit and may not start stay in the queue, thousands of them,
// which a scan meets at each pass. Blocks without a job that may pass the head are not looked into; and if nothing has
// changed since the last scan, not even the policy's mind, only jobs that have come since are.
struct EasyBackfill::Allowed : Scan {
  const std::function<std::uint64_t()>& answers;
  std::uint64_t answers_before = 0;

  View::Position next() {
    while (from < queue.end() && free > 0) {
      const std::size_t block = from / WaitingQueue::kBlock;
      const View::Position block_end = std::min(WaitingQueue::block_end(from), queue.end());
      const std::int32_t least = queue.least_nodes(block);
      const bool none = least > free || (all_fit && !hole.takes(easy.shortest_[block], least)) ||
                        (easy.by_kind_ && easy.refused_.refused(block, free, hole));
      for (View::Position p = none ? block_end : from; p != block_end; ++p) {
        const std::int32_t n = queue.nodes(p);
        if (n > free || !hole.takes(queue.duration(p), n) || !may_start(queue.job(p))) continue;
        from = p + 1;
        return p;
      }
      from = block_end;
    }
    return queue.end();
  }
  bool started(View::Position p, std::int32_t n, Duration d) {
    if (all_fit) {
      answers_before = 0;  // what the policy says of jobs that were refused before may have changed
      easy.shortest_.taken(queue, p);
    }
    easy.by_kind_ = easy.by_kind_ && easy.refused_.taken(queue, p / WaitingQueue::kBlock);
    return Scan::started(p, n, d);
  }
  bool hold(View::Position p) {
    head = p;
    answers_before = answers ? answers() : 0;
    const bool same = answers_before != 0 && answers_before == easy.scanned_.answers;
    from = same && nothing_new() ? easy.scanned_.end : p + 1;
    const bool any = hold_nodes(p);
    if (any) easy.shortest_.follow(queue);
    return any;
  }
  void finish() {
    if (all_fit) note(queue.job(head), free, answers_before);
  }
};

// By key, by count, on a queue that is not sorted: keys that change with time give a new order at most passes, of which
// a pass needs little: which job is first, and which of those that may pass. Most start one or two: each is the best of
// those that still may, which become fewer.
struct EasyBackfill::ByKey : Scan {
  std::uint64_t version = queue.order_version();

  View::Position next() {
    const auto may = [this](std::int32_t n, Duration d) { return hole.takes(d, n); };
    if (all_fit) return free > 0 ? easy.unsorted_.first_of(queue, free, may) : queue.end();
    return easy.unsorted_.first(queue);
  }
  bool hold(View::Position p) { return easy.options_.reservations != 0 && hold_nodes(p); }
  /// A hook that runs at a start may look at the queue: then it is in order again, and the pass goes on as any other.
  /// That gives the same, as what is left of a pass follows from the view alone.
  bool started(View::Position p, std::int32_t n, Duration d) {
    const bool same = queue.order_version() == version && queue.unsorted();
    if (same) easy.unsorted_.taken(queue, p);
    else easy.schedule(view, pass);
    return same && Scan::started(p, n, d);
  }
  void finish() {}
};

void EasyBackfill::schedule(View& view, const Pass& pass, const MayStart& may_start,
                            const std::function<std::uint64_t()>& answers, const VetoKinds& kinds) {
  const WaitingQueue& queue = view.queue();
  if (may_start && view.available().by_count() && view.reserved_count() == 0 && !view.explained() &&
      !view.promises_heard() && options_.reservations == 1 && options_.depth == EasyOptions::kUnlimited) {
    by_kind_ = refused_.follow(queue, kinds);
    scan(Allowed{{*this, view, pass, may_start}, answers});
  } else {
    scan(InOrder{{*this, view, pass, may_start}});
  }
}

bool EasyBackfill::schedule_unsorted(View& view, const Pass& pass, const BlockKeys& keys) {
  if (!unsorted_.begin(view, keys)) return false;
  scanned_ = {};
  const MayStart any;
  scan(ByKey{{*this, view, pass, any}});
  return true;
}

}  // namespace coslice
