// Scheduling passes under slices: first the slice's own class, then safe non-type slice backfilling (Esbaugh 2010,
// Section 3.3): preempted jobs of other classes, then waiting ones, shortest class first, where they delay nobody.
#include <algorithm>

#include "sched/decisions.h"
#include "sched/sliced_simulation.h"

namespace coslice {

void SlicedSimulation::pass() {
  in_pass_ = true;
  for (World& world : worlds_) {
    const bool active = state_ == SliceState::kProductive && &world == &worlds_[slice_.job_class];
    if (!active && (world.submitted || world.view.freed_early())) pass_closed(world);
  }
  if (state_ == SliceState::kProductive) pass_open();
  in_pass_ = false;
  for (Observer* o : observers_) o->passed(now_);
}

/// Reservations are made and moved while a class waits for its slice, but nothing starts.
void SlicedSimulation::pass_closed(World& world) {
  world.view.set_ceiling(0);
  world.view.before_pass();
  world.scheduler->schedule(world.view, {world.submitted, world.view.freed_early(), false});
  world.view.after_pass(false);
  world.submitted = false;
}

/// The scheduler of the slice's class is asked when something has changed for it: what happens to other classes is
/// none of its business, unless they leave nodes.
void SlicedSimulation::pass_open() {
  World& world = worlds_[slice_.job_class];
  const std::int32_t ceiling = cluster_.idle_count() + evictable_nodes();
  const bool ended = world.ended || world.reopened || ceiling > world.ceiling || world.view.freed_early();
  world.view.set_ceiling(ceiling);
  if (world.submitted || ended || world.view.has_late()) {
    world.view.before_pass();
    world.scheduler->schedule(world.view, {world.submitted, true, true});
    world.view.after_pass(true);
    world.submitted = world.ended = world.reopened = false;
  }
  if (slices_.foreign != ForeignJobs::kNone) run_foreign();
  world.ceiling = cluster_.idle_count() + evictable_nodes();
}

/// An on-demand slice is over when none of its jobs runs: those that could be started run now.
bool SlicedSimulation::on_demand_is_over() const {
  if (!slices_.classes[slice_.job_class].on_demand) return false;
  return std::none_of(going_.begin(), going_.end(),
                      [this](const StartedJob* job) { return class_of(*job) == slice_.job_class; });
}

void SlicedSimulation::launch(StartedJob& job, std::uint64_t) {
  if (cluster_.idle_count() < job.node_count) evict_for(job.node_count);
  View& view = *job.view;
  view.set_ceiling(view.ceiling() - job.node_count);
  first_start(job, cluster_.idle());
}

// --- eviction: a job of the slice's class goes before foreign ones, but not before those that finish in this slice:
// these may stand on nodes of their own class and would be stranded.

std::int32_t SlicedSimulation::evictable_nodes() const {
  std::int32_t n = 0;
  if (!slices_.evict) return n;
  for (const StartedJob* job : going_)
    if (job->evictable && leads(*job)) n += unit_nodes(*job);
  return n;
}

/// Longest class first, last started first, until so many nodes are idle.
void SlicedSimulation::evict_for(std::int32_t count) {
  while (cluster_.idle_count() < count) {
    StartedJob* victim = nullptr;
    for (StartedJob* job : going_)
      if (job->evictable && (victim == nullptr || class_of(*job) >= class_of(*victim))) victim = job;
    ++counts_.evictions;
    for (StartedJob* job : unit_of(*victim)) stop(*job);
  }
}

// --- foreign jobs

void SlicedSimulation::run_foreign() {
  if (cluster_.idle_count() == 0 || active_jobs_ == going_.size()) return;
  Profile profile = slice_profile();
  for (std::size_t c = 0; c != worlds_.size(); ++c)
    if (c != slice_.job_class) resume_foreign(c, profile);
  for (std::size_t c = 0; c != worlds_.size(); ++c)
    if (c != slice_.job_class) start_foreign(c, profile);
}

/// The slice's own view of the rest of the slice, with those foreign jobs that it does not hold itself and, where nobody
/// holds a reservation (EASY), the place of the first waiting job.
Profile SlicedSimulation::slice_profile() {
  const View& view = worlds_[slice_.job_class].view;
  Profile profile = view.profile();
  const Time now = view.now();
  const WaitingQueue& queue = view.queue();
  if (view.reserved_count() == 0 && !queue.empty()) {
    const View::Position head = queue.first();
    const Time t = profile.earliest(queue.nodes(head), queue.duration(head), now);
    profile.reserve(t, later(t, queue.duration(head)), queue.nodes(head));
  }
  const Time slice_end = later(now, slice_.productive_end - now_);
  for (StartedJob* job : going_) {
    if (!job->foreign || !leads(*job) || stays(*job)) continue;
    const Time end = std::min(later(now, unit_time(*job)), slice_end);
    // A late reservation may overlap what already runs: it waits.
    const std::int32_t n = std::min(unit_nodes(*job), end > now ? profile.min_free(now, end) : 0);
    if (n > 0) profile.reserve(now, end, n);
  }
  return profile;
}

bool SlicedSimulation::fits_slice(const Profile& profile, std::int32_t n, Duration d) const {
  const Time now = worlds_[slice_.job_class].view.now();
  const Duration rest = slice_.productive_end - now_;
  return rest > Duration{0} && profile.min_free(now, later(now, std::min(d, rest))) >= n;
}

void SlicedSimulation::resume_foreign(std::size_t c, Profile& profile) {
  std::vector<StartedJob*> preempted;
  for (const StartedJob& job : worlds_[c].view.started())
    if (job.phase == Phase::kPreempted && leads(job)) preempted.push_back(const_cast<StartedJob*>(&job));
  std::sort(preempted.begin(), preempted.end(),
            [](const StartedJob* a, const StartedJob* b) { return a->index < b->index; });
  for (StartedJob* job : preempted) {
    const std::vector<StartedJob*> unit = unit_of(*job);
    const auto idle = [this](const StartedJob* member) { return cluster_.idle().contains_all(member->nodes); };
    if (!std::all_of(unit.begin(), unit.end(), idle)) continue;
    const Duration d = unit_time(*job);
    const std::int32_t n = unit_nodes(*job);
    if (!fits_slice(profile, n, d)) continue;
    for (StartedJob* member : unit) {
      ++counts_.foreign_resumed;
      for (Observer* o : observers_) o->resumed(now_, member->index, member->nodes);
      set_going(*member);
      member->evictable = true;
    }
    const Time now = worlds_[slice_.job_class].view.now();
    profile.reserve(now, later(now, std::min(d, slice_.productive_end - now_)), n);
    if (stays(*job)) lend_to(*job, n, d);
  }
}

void SlicedSimulation::start_foreign(std::size_t c, Profile& profile) {
  const WaitingQueue& queue = worlds_[c].view.queue();
  for (View::Position p = queue.first(); p < queue.end() && cluster_.idle_count() > 0;) {
    const View::Position here = queue.next_fitting(p, cluster_.idle_count());
    if (here >= queue.end()) break;
    start_foreign_job(c, here, profile);
    p = here + 1;
  }
}

bool SlicedSimulation::start_foreign_job(std::size_t c, View::Position p, Profile& profile) {
  World& world = worlds_[c];
  const WaitingQueue& queue = world.view.queue();
  const JobIndex j = queue.job(p);
  const std::int32_t n = queue.nodes(p);
  const Duration d = queue.duration(p) + need(j);
  // An on-demand slice may end any time: whoever has not ended by then must not stand on nodes of its own class.
  const bool finishes = !slices_.classes[slice_.job_class].on_demand && d <= slice_.productive_end - now_;
  const auto refuse = [&](ForeignRefusal why) {
    world.view.explain([&](DecisionObserver& o) { o.foreign_refused(world.view, j, why); });
    return false;
  };
  if (!fits_slice(profile, n, d)) return refuse(ForeignRefusal::kNodes);
  NodeSet admissible = cluster_.idle();
  if (!finishes) admissible &= ledger_.without(c);
  if (admissible.count() < n) return refuse(ForeignRefusal::kOwnNodes);
  // As long as its reservation would be: loading is not in that either.
  if (!finishes && !delays_nobody(world, p, queue.duration(p))) return refuse(ForeignRefusal::kReservation);

  world.view.explain([&](DecisionObserver& o) { o.starting(world.view, p); });
  for (Observer* o : observers_) o->decided(now_, j, StartReason::kForeignSlice);
  StartedJob& job = world.view.admit(p, finishes ? Duration{0} : queue.duration(p));
  first_start(job, admissible);
  job.evictable = !finishes;
  ++(finishes ? counts_.foreign_finishing : counts_.foreign_pinned);
  const Time now = worlds_[slice_.job_class].view.now();
  profile.reserve(now, later(now, std::min(d, slice_.productive_end - now_)), n);
  if (stays(job)) lend_to(job, n, d);
  return true;
}

void SlicedSimulation::lend_to(const StartedJob& job, std::int32_t nodes, Duration d) {
  View& view = worlds_[slice_.job_class].view;
  const Time until = later(view.now(), std::min(d, slice_.productive_end - now_));
  view.lend(nodes, until);
  guests_.push_back({&job, nodes, until});
}

/// The job stops or ends in a slice of another class, or that slice is over.
void SlicedSimulation::take_back_from(const StartedJob& job) {
  const auto guest = std::find_if(guests_.begin(), guests_.end(), [&](const Guest& g) { return g.job == &job; });
  if (guest == guests_.end()) return;
  worlds_[slice_.job_class].view.take_back(guest->nodes, guest->until);
  guests_.erase(guest);
}

/// Whether the job, started now, leaves every reservation of its own class where it is; without reservations (EASY),
/// the place of the class's first waiting job.
bool SlicedSimulation::delays_nobody(World& world, View::Position p, Duration d) const {
  View& view = world.view;
  if (view.reserved_count() != 0) return view.fits_beside(p, d);
  const WaitingQueue& queue = view.queue();
  const View::Position head = queue.first();
  const Time now = view.now();
  Profile profile = view.profile();
  if (p != head) {
    const Time t = profile.earliest(queue.nodes(head), queue.duration(head), now);
    profile.reserve(t, later(t, queue.duration(head)), queue.nodes(head));
  }
  return profile.min_free(now, later(now, d)) >= queue.nodes(p);
}

}  // namespace coslice
