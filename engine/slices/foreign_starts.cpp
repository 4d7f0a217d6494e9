#include "slices/foreign_starts.h"

#include <algorithm>

namespace coslice {

namespace {

/// Where no job holds a reservation (EASY), the slot of the first waiting job is kept free.
void reserve_head(const View& view, Profile& profile) {
  const WaitingQueue& queue = view.queue();
  const View::Position head = queue.first();
  const Time t = profile.earliest(queue.nodes(head), queue.duration(head), view.now());
  profile.reserve(t, later(t, queue.duration(head)), queue.nodes(head));
}

}  // namespace

void ForeignStarts::run() {
  if (idle_count() == 0) return;
  Profile rest = profile();
  const std::size_t own = clock_.slice().job_class;
  for (std::size_t c = 0; c != classes_.size(); ++c)
    if (c != own) resume(c, rest);
  for (std::size_t c = 0; c != classes_.size(); ++c)
    if (c != own) start(c, rest);
}

/// The slice's own view of the rest of the slice, with those foreign jobs whose nodes it does not hold.
Profile ForeignStarts::profile() const {
  Profile profile = view().profile();
  const Time now = view().now();
  if (view().reserved_count() == 0 && !view().queue().empty()) reserve_head(view(), profile);
  const Time slice_end = later(now, clock_.rest());
  for (StartedJob* job : started_.going()) {
    if (!job->foreign || !leads(*job) || started_.stays(*job)) continue;
    const Time end = std::min(later(now, started_.unit_time(*job)), slice_end);
    // A late reservation may overlap what already runs: it waits.
    const std::int32_t n = std::min(unit_nodes(*job), end > now ? profile.min_free(now, end) : 0);
    if (n > 0) profile.reserve(now, end, n);
  }
  return profile;
}

bool ForeignStarts::fits(const Profile& profile, std::int32_t n, Duration d) const {
  const Time now = view().now();
  const Duration rest = clock_.rest();
  return rest > Duration{0} && profile.min_free(now, later(now, std::min(d, rest))) >= n;
}

/// The job runs from now on.
void ForeignStarts::take(Profile& profile, const StartedJob& job, std::int32_t n, Duration d) {
  const Time now = view().now();
  profile.reserve(now, later(now, std::min(d, clock_.rest())), n);
  if (started_.stays(job)) started_.hold_foreign(job, n, d);
}

void ForeignStarts::resume(std::size_t c, Profile& profile) {
  std::vector<StartedJob*> preempted;
  for (StartedJob& job : classes_[c].view.started_jobs())
    if (job.phase == Phase::kPreempted && leads(job)) preempted.push_back(&job);
  std::sort(preempted.begin(), preempted.end(),
            [](const StartedJob* a, const StartedJob* b) { return a->index < b->index; });
  for (StartedJob* job : preempted) {
    const std::vector<StartedJob*> unit = unit_of(*job);
    const NodeSet& idle = started_.occupancy().idle();
    if (!std::all_of(unit.begin(), unit.end(), [&](const StartedJob* m) { return idle.contains_all(m->nodes); }))
      continue;
    const Duration d = started_.unit_time(*job);
    const std::int32_t n = unit_nodes(*job);
    if (!fits(profile, n, d)) continue;
    for (StartedJob* member : unit) {
      ++started_.counts().foreign_resumed;
      started_.resume(*member);
      member->evictable = true;
    }
    take(profile, *job, n, d);
  }
}

void ForeignStarts::start(std::size_t c, Profile& profile) {
  const WaitingQueue& queue = classes_[c].view.queue();
  for (View::Position p = queue.first(); p < queue.end() && idle_count() > 0;) {
    const View::Position here = queue.next_fitting(p, idle_count());
    if (here >= queue.end()) break;
    start_job(c, here, profile);
    p = here + 1;
  }
}

void ForeignStarts::start_job(std::size_t c, View::Position p, Profile& profile) {
  View& own = classes_[c].view;
  const WaitingQueue& queue = own.queue();
  const JobIndex j = queue.job(p);
  const std::int32_t n = queue.nodes(p);
  const Duration planned = queue.duration(p);
  const Duration d = planned + started_.memory().need(j);
  // An on-demand slice may end any time: a job that has not ended by then must not stand on nodes of its own class.
  const bool finishes = !options_.classes[clock_.slice().job_class].on_demand && d <= clock_.rest();
  const auto refuse = [&](ForeignRefusal why) {
    own.explain([&](DecisionObserver& o) { o.foreign_refused(own, j, why); });
  };
  if (!fits(profile, n, d)) return refuse(ForeignRefusal::kNodes);
  NodeSet admissible = started_.startable();
  if (!finishes) admissible &= started_.ledger().without(c);
  if (admissible.count() < n) return refuse(ForeignRefusal::kOwnNodes);
  // As long as its reservation would be: loading is not in that either.
  if (!finishes && delays_own_class(own, p, planned)) return refuse(ForeignRefusal::kReservation);

  own.explain([&](DecisionObserver& o) { o.starting(own, p); });
  for (Observer* o : observers_) o->decided(clock_.now(), j, StartReason::kForeignSlice);
  StartedJob& job = own.admit(p);
  own.hold(job, n, later(own.now(), finishes ? Duration{0} : planned));
  started_.start(job, admissible);
  job.evictable = !finishes;
  ++(finishes ? started_.counts().foreign_finishing : started_.counts().foreign_pinned);
  take(profile, job, n, d);
}

/// Whether the job, started now, moves a reservation of its own class; without reservations (EASY), the slot of the
/// class's first waiting job.
bool ForeignStarts::delays_own_class(View& own, View::Position p, Duration d) const {
  if (own.reserved_count() != 0) return !own.fits_beside(p, d);
  const WaitingQueue& queue = own.queue();
  Profile profile = own.profile();
  if (p != queue.first()) reserve_head(own, profile);
  return profile.min_free(own.now(), later(own.now(), d)) < queue.nodes(p);
}

}  // namespace coslice
