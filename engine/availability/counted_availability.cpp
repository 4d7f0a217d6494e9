#include "availability/counted_availability.h"

namespace coslice {

/// Searching this many steps from the present costs less than knowing where to begin.
static constexpr std::size_t kShortProfile = 128;

EasyHole CountedAvailability::hole(const Ask& a) {
  EasyHole hole;
  hole.shadow = profile_.earliest(a.nodes, a.duration, now_);
  hole.window = hole.shadow - now_;
  if (hole.shadow == kNever) return hole;
  // With started jobs alone in the profile the free count never falls.
  hole.extra =
      (never_falls() ? profile_.free_at(hole.shadow) : profile_.min_free(hole.shadow, later(hole.shadow, a.duration))) -
      a.nodes;
  return hole;
}

bool CountedAvailability::fits_beside(const Ask& a, Time own, Duration d) {
  if (own != kNever) unreserve(a, own);
  const bool fits = profile_.min_free(now_, later(now_, d)) >= a.nodes;
  if (own != kNever) reserve(a, own, ReservationKeeps::kAskedFor);
  return fits;
}

// A backfilled job changes neither the shadow time (it ends by then, or fits beside the shielded job) nor, therefore,
// the verdict on those already refused.
Availability::Position CountedAvailability::next_passing(const WaitingQueue& queue, Position from, Position stop) {
  const std::int32_t free = free_now();
  if (free <= 0) return stop;
  constexpr EasyHole kNone{kNever, 0, Duration::max()};  // all may pass
  const EasyHole& hole = shielding_ ? hole_ : kNone;
  Position p = queue.next_passing(from, stop, free, hole);
  if (never_falls()) return p;
  while (p < stop && profile_.min_free(now_, later(now_, queue.duration(p))) < queue.nodes(p))
    p = queue.next_passing(p + 1, stop, free, hole);
  return p;
}

bool CountedAvailability::only_comes_free(std::vector<FreeFrom>& out) const {
  if (!never_falls()) return false;
  out.clear();
  profile_.for_each_step([&](Time t, std::int32_t free) {
    if (!out.empty() && t <= now_) out.clear();
    out.push_back({std::max(t, now_), free});
  });
  return true;
}

// --- a walk along the queue, which looks for earlier starts of jobs that hold reservations

/// Which of the two searches pays depends on how alike the jobs are: now and then a walk by answers tells.
void CountedAvailability::begin_walk() {
  constexpr std::size_t kTrialEvery = 64;
  walking_ = true;
  if (profile_.steps() <= kShortProfile) {
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
  profile_.bound_runs(search_ == Search::kRuns);
}

/// Where the job could begin before its reservation does, as Profile::earliest_before says: in a hole of full length,
/// or else in a shorter one if it reaches up to its reservation.
Time CountedAvailability::earliest_hole(const Ask& a, Time old) {
  const bool answers = search_ == Search::kAnswers;
  const bool stuck = answers && free_before_.at(old, [&] { return profile_.free_at(old - Duration{1}); }) < a.nodes;
  const Time slide = stuck ? old : profile_.free_since(a.nodes, old);
  const Time otherwise = slide < old ? slide : kNever;
  if (!answers) {
    const Time start = profile_.first_hole(a.nodes, a.duration, now_, slide);
    return start != kNever ? start : otherwise;
  }
  ++asked_;
  const Time after = known_.no_hole_before(a.nodes, a.duration, now_);
  if (after >= slide) {
    ++answered_;
    return otherwise;
  }
  const Time start = profile_.earliest_before(a.nodes, a.duration, after, old);
  known_.note(a.nodes, a.duration, std::min(start, old));
  return start;
}

HoldId CountedAvailability::reserve(const Ask& a, Time t, ReservationKeeps) {
  ++changes_;
  ++reservations_;
  profile_.reserve(t, later(t, a.duration), a.nodes);
  return kNoHold;
}

HoldId CountedAvailability::move(const Ask& a, Time old, Time t, ReservationKeeps keeps) {
  if (t >= old) return Availability::move(a, old, t, keeps);
  ++changes_;
  profile_.move_up(old, t, a.duration, a.nodes);
  if (!walking_ || search_ != Search::kAnswers) return kNoHold;
  const Time given_back = std::max(old, later(t, a.duration));
  free_before_.gained(given_back, later(old, a.duration));
  known_.gained(now_, given_back, profile_.free_at(given_back - Duration{1}));
  return kNoHold;
}

void CountedAvailability::start(StartedJob& job, bool reserved) {
  ++changes_;
  if (reserved) {
    --reservations_;
    return;
  }
  profile_.reserve(now_, job.expected_end, job.node_count);
  if (shielding_) hole_.start(job.expected_end - now_, job.node_count);
}

void CountedAvailability::hold(const StartedJob& job, Time end) {
  ++changes_;
  const Time old = std::max(job.expected_end, now_);
  if (end < old) profile_.release(end, old, job.held);
  // A job that must load its memory holds its nodes for longer than its scheduler reckoned, also while that scheduler
  // has places in the profile that it only tries out.
  else profile_.overdraw(old, end, job.held);
}

bool CountedAvailability::room_to_resize(const StartedJob& job, std::int32_t nodes, Time end) {
  const Time held_until = std::max(job.expected_end, now_);
  const Time both = std::min(end, held_until);
  return (both <= now_ || profile_.min_free(now_, both) >= nodes - job.held) &&
         (end <= held_until || profile_.min_free(held_until, end) >= nodes);
}

std::unique_ptr<Availability> CountedAvailability::without_reservations(const StartedJobs& jobs) const {
  auto counts = std::make_unique<CountedAvailability>(profile_.capacity(), now_);
  counts->left_out_ = of_others_;
  for (const StartedList* list : {&jobs.running, &jobs.down})
    for (const StartedJob& job : *list) counts->take_in(job, job.held, job.expected_end);
  for (const TimeWindow& w : closures_) counts->close(w.from, w.to);
  return counts;
}

}  // namespace coslice
