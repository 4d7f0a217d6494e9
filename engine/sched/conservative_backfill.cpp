#include "sched/conservative_backfill.h"

#include <algorithm>
#include <limits>

namespace coslice {

namespace {

/// Searching this many steps from the present costs less than knowing where to begin.
constexpr std::size_t kShortProfile = 128;

}  // namespace

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

void ConservativeBackfill::schedule(View& view, const Pass& pass) {
  keep(view, pass);
  if (pass.due) start_due(view);
}

void ConservativeBackfill::keep(View& view, const Pass& pass) {
  if (view.resources() != nullptr) return keep_by_book(view, pass);
  if (pass.ended) compress(view, pass.due);
  if (pass.submitted) reserve_new(view);
}

/// Where the host allows less than the profile says is free, not every reservation for now can be kept.
std::int32_t ConservativeBackfill::room_now(const View& view) {
  const std::int32_t all = std::numeric_limits<std::int32_t>::max();
  if (view.ceiling() == all) return all;
  std::int32_t promised = 0;
  const WaitingQueue& queue = view.queue();
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p))
    if (queue.reserved(p) <= view.now()) promised += queue.nodes(p);
  return view.ceiling() - promised;
}

void ConservativeBackfill::compress(View& view, bool starts) {
  if (view.take_freed_early() && view.gains() != walked_in_vain_) slack_ = true;
  if (!slack_) return;
  slack_ = false;
  choose_search(view);
  room_ = starts ? room_now(view) : std::numeric_limits<std::int32_t>::max();
  if (order_ == CompressOrder::kQueue) {
    const WaitingQueue& queue = view.queue();
    for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p))
      if (move_up(view, p)) slack_ = true;
  } else {
    for (const View::Position p : compress_sequence(view))
      if (move_up(view, p)) slack_ = true;
  }
  if (!slack_) walked_in_vain_ = view.gains();
}

/// Which of the two pays depends on how alike the jobs are: now and then a walk by answers tells.
void ConservativeBackfill::choose_search(View& view) {
  constexpr std::size_t kTrialEvery = 64;
  if (view.profile().steps() <= kShortProfile) {
    search_ = Search::kPlain;
  } else if (walks_++ % kTrialEvery == 0) {
    search_ = Search::kAnswers;
    asked_ = answered_ = 0;
  } else if (search_ == Search::kPlain || walks_ % kTrialEvery == 2) {
    search_ = 2 * answered_ > asked_ ? Search::kAnswers : Search::kRuns;
  }
  if (search_ == Search::kAnswers) {
    known_.clear();
    free_before_.clear();
  }
  view.scratch_profile().bound_runs(search_ == Search::kRuns);
}

std::vector<View::Position> ConservativeBackfill::compress_sequence(const View& view) const {
  const WaitingQueue& queue = view.queue();
  std::vector<View::Position> sequence;
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) sequence.push_back(p);
  std::stable_sort(sequence.begin(), sequence.end(),
                   [&](View::Position a, View::Position b) { return queue.reserved(a) < queue.reserved(b); });
  return sequence;
}

/// Where the job could begin before its reservation does, as Profile::earliest_before says: in a hole of full length, or
/// else in a shorter one if it reaches up to its reservation.
Time ConservativeBackfill::earliest_hole(const View& view, View::Position p) {
  const std::int32_t n = view.queue().nodes(p);
  const Duration d = view.queue().duration(p);
  const Time old = view.queue().reserved(p);
  const bool answers = search_ == Search::kAnswers;
  const bool stuck = answers && free_before_.at(old, [&] { return view.profile().free_at(old - Duration{1}); }) < n;
  const Time slide = stuck ? old : view.profile().free_since(n, old);
  const Time otherwise = slide < old ? slide : kNever;
  if (!answers) {
    const Time start = view.profile().first_hole(n, d, view.now(), slide);
    return start != kNever ? start : otherwise;
  }
  ++asked_;
  const Time after = known_.no_hole_before(n, d, view.now());
  if (after >= slide) {
    ++answered_;
    return otherwise;
  }
  const Time start = view.profile().earliest_before(n, d, after, old);
  known_.note(n, d, std::min(start, old));
  return start;
}

// A job that moves up may leave a hole for one that was asked before it, hence the return value: after a walk in which
// no job moved, none can move until nodes become free early again.
bool ConservativeBackfill::move_up(View& view, View::Position p) {
  const WaitingQueue& queue = view.queue();
  const Time old = queue.reserved(p);
  if (old == kNever || old <= view.now()) return false;
  const Time start = search_ != Search::kPlain
                         ? earliest_hole(view, p)
                         : view.profile().earliest_before(queue.nodes(p), queue.duration(p), view.now(), old);
  if (start == kNever) return false;
  if (start <= view.now()) {
    // A reservation that holds is not given up for one that may not; it is asked again in the next walk.
    if (queue.nodes(p) > room_) return true;
    room_ -= queue.nodes(p);
  }
  view.reserve(p, start);
  if (search_ != Search::kAnswers) return true;
  const Time given_back = std::max(old, later(start, queue.duration(p)));
  free_before_.gained(std::max(old, later(start, queue.duration(p))), later(old, queue.duration(p)));
  known_.gained(view.now(), given_back, view.profile().free_at(given_back - Duration{1}));
  return true;
}

void ConservativeBackfill::reserve_new(View& view) {
  const WaitingQueue& queue = view.queue();
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
    if (queue.reserved(p) != kNever) continue;
    view.reserve(p, view.earliest(p, view.now()));
  }
}

}  // namespace coslice
