#include "run/foreign_starts.h"

#include <algorithm>

#include "machine/node_set.h"

namespace coslice {
namespace {

/// What a scheduler knows the job to take on nodes of its own, if its limit ends it.
Duration in_limit(const RunningJobs& jobs, JobIndex j) {
  return jobs.planned_alone(j) + jobs.memory().need(j) + jobs.longest_boot();
}

/// For how long the job may be there after that at most, where limits end jobs later. It is work, which takes longer
/// where it is slower; its partition may allow more of it.
Duration beyond_limit(const RunningJobs& jobs, JobIndex j) {
  const Duration beyond = jobs.longest(j) - in_limit(jobs, j);
  Duration most = beyond;
  if (jobs.demands() != nullptr)
    for (const std::int32_t unit : jobs.demands()->demand(j)) {
      const std::int32_t partition = jobs.demands()->unit(unit).partition;
      if (partition < 0) continue;
      const auto& own = jobs.demands()->layout().partitions[static_cast<std::size_t>(partition)].over_limit;
      if (own) most = std::max(most, beyond + *own);
    }
  return most == Duration{0} ? most : std::max(most, jobs.time_alone(j, most));
}

/// Whether the job surely takes no longer than it was believed to before it started, in whichever of its partitions it
/// runs.
bool surely_in_time(const RunningJobs& jobs, JobIndex j) {
  if (!jobs.surely_in_time(j)) return false;
  const bool others_matter = jobs.contention() != nullptr || jobs.memory().modelled();
  return !others_matter || std::ranges::none_of(jobs.demands()->demand(j), [&](std::int32_t unit) {
    return jobs.demands()->request_of(unit).rows > 1;
  });
}

/// For how long the job may be there at most.
Duration longest_there(const RunningJobs& jobs, JobIndex j) { return in_limit(jobs, j) + beyond_limit(jobs, j); }

}  // namespace

class ForeignStarts::KeptAllocation {
 public:
  explicit KeptAllocation(Lane& c) {
    const WaitingQueue& queue = c.view.queue();
    if (c.view.reserved_count() != 0 || queue.empty()) return;
    job_ = queue.job(queue.first());
    ledger_ = &ledger_of(c);
    ledger_->keep_allocation(c.view.ask(queue.first()));
  }
  KeptAllocation(const KeptAllocation&) = delete;
  KeptAllocation& operator=(const KeptAllocation&) = delete;
  ~KeptAllocation() {
    if (ledger_ != nullptr) ledger_->give_up_allocation(job_);
  }

 private:
  SharedNodeAvailability* ledger_ = nullptr;
  JobIndex job_ = kNoJob;
};

template <class F>
void ForeignStarts::each_other_class(F&& f) const {
  for (std::size_t c = 0; c != classes_.size(); ++c)
    if (c != clock_.slice().job_class) f(c);
}

/// Jobs of the class that were stopped, one for each group.
std::vector<StartedJob*> ForeignStarts::preempted(std::size_t c) const {
  std::vector<StartedJob*> jobs;
  for (StartedJob& job : classes_[c].view.started_jobs())
    if (job.phase == Phase::kPreempted && leads(job)) jobs.push_back(&job);
  std::ranges::sort(jobs, {}, &StartedJob::index);
  return jobs;
}

void ForeignStarts::go_on(StartedJob& job) {
  ++started_.counts().foreign_resumed;
  started_.resume(job);
  job.evictable = true;
}

StartedJob& ForeignStarts::admit(HostedView& own, View::Position p) {
  own.explain([&](DecisionObserver& o) { o.starting(own, p); });
  for (Observer* o : observers_) o->decided(clock_.now(), own.queue().job(p), StartReason::kForeignSlice);
  return own.admit(p);
}

void ForeignStarts::count_start(StartedJob& job, bool finishes) {
  job.evictable = !finishes;
  ++(finishes ? started_.counts().foreign_finishing : started_.counts().foreign_pinned);
}

void ForeignStarts::run_by_node() {
  if (clock_.rest() <= Duration{0}) return;
  const KeptAllocation head(classes_[clock_.slice().job_class]);
  each_other_class([&](std::size_t c) { resume(c); });
  each_other_class([&](std::size_t c) { start(c); });
}

/// What does not make way is there as long as it can be, and for the rest of the slice where nothing says how long that
/// is: a place is promised to no job of the slice's class before.
Duration ForeignStarts::there_for(JobIndex j, Duration d, bool stays) const {
  if (!stays) return std::min(d, clock_.rest());
  const bool surely = surely_in_time(started_, j) && !is_estimated(j);
  return surely ? std::min(d + beyond_limit(started_, j), clock_.rest()) : clock_.rest();
}

/// The same where nodes are equal, and jobs do not interfere.
Duration ForeignStarts::there_by_count(JobIndex j, Duration d, bool stays) const {
  if (!stays) return d;
  return is_estimated(j) ? std::max(d, clock_.rest()) : d + beyond_limit(started_, j);
}

/// Whether its scheduler believes less than its limit says.
bool ForeignStarts::is_estimated(JobIndex j) const {
  return classes_[started_.class_of(j)].view.own_estimate(j).has_value();
}

void ForeignStarts::resume(std::size_t c) {
  for (StartedJob* job : preempted(c)) {
    const std::vector<StartedJob*> unit = unit_of(*job);
    const auto all = [&](auto&& has) {
      return std::ranges::all_of(unit, [&](const StartedJob* m) { return has(*m); });
    };
    if (!all([&](const StartedJob& m) { return started_.room()->has(m); })) continue;
    const Duration d = there_for(job->index, started_.unit_time(*job), !options_.evict);
    const Time end = later(slice_ledger().now(), d);
    if (!all([&](const StartedJob& m) { return slice_ledger().left_until(m.unit, m.parts, end); })) continue;
    for (StartedJob* m : unit) go_on(*m);
    if (!started_.stays(*job)) continue;
    for (StartedJob* m : unit) started_.hold_foreign(*m, m->node_count, d);
  }
}

void ForeignStarts::start(std::size_t c) {
  const WaitingQueue& queue = classes_[c].view.queue();
  const std::int32_t all = classes_[c].view.capacity();
  std::optional<KeptAllocation> head;
  for (View::Position p = queue.next_fitting(queue.first(), all); p < queue.end(); p = queue.next_fitting(p + 1, all))
    start_job(c, p, head);
}

void ForeignStarts::start_job(std::size_t c, View::Position p, std::optional<KeptAllocation>& head) {
  HostedView& own = classes_[c].view;
  const WaitingQueue& queue = own.queue();
  const JobIndex j = queue.job(p);
  const Duration planned = queue.duration(p);
  const Duration d = planned + started_.memory().need(j);
  // An on-demand slice may end any time: a job that has not ended by then must not have what its own class needs.
  const bool finishes = !on_demand() && surely_in_time(started_, j) && longest_there(started_, j) <= clock_.rest();
  const Duration there = there_for(j, d, finishes || !options_.evict);
  const Candidate x{j, later(slice_ledger().now(), there), later(own.now(), planned), finishes, p == queue.first()};
  Refusal why = ForeignRefusal::kNodes;
  std::int32_t in = -1;
  Parts parts;
  for (const std::int32_t unit : started_.demands()->demand(j)) {
    const Refusal here = place(c, x, unit, head, parts);
    why = here ? std::max(why, here) : here;
    in = unit;
    if (!why) break;
  }
  if (why) return own.explain([&](DecisionObserver& o) { o.foreign_refused(own, j, *why); });

  StartedJob& job = admit(own, p);
  job.nodes = nodes_in(parts);
  job.parts = std::move(parts);
  job.unit = in;
  job.held = job.node_count;
  if (!finishes) {
    job.expected_end = later(own.now(), planned);
    classes_[c].ledger->take_in(job, job.node_count, job.expected_end);
  }
  started_.start_placed(job);
  count_start(job, finishes);
  if (started_.stays(job)) started_.hold_foreign(job, job.node_count, there);
}

/// Where the job could be as what it asks for there; else why not.
ForeignStarts::Refusal ForeignStarts::place(std::size_t c, const Candidate& x, std::int32_t unit,
                                            std::optional<KeptAllocation>& head, Parts& parts) {
  RunningRoom& room = *started_.room();
  const Request& r = room.request(unit);
  const auto few = [&](const NodeSet& nodes) { return nodes.count() < r.nodes; };
  if (few(room.fitting(unit)) || !room.pool().has_licences(r)) return ForeignRefusal::kNodes;
  NodeSet nodes = slice_ledger().fitting_until(unit, x.slice_end);
  nodes &= room.fitting(unit);
  if (few(nodes) || !slice_ledger().licences_until(unit, x.slice_end)) return ForeignRefusal::kNodes;
  if (x.finishes) return choose(c, x, unit, nodes, parts);

  SharedNodeAvailability& own = ledger_of(classes_[c]);
  nodes &= own.fitting_now(unit);
  if (few(nodes) || !own.licences_now(unit)) return ForeignRefusal::kOwnNodes;
  if (!head && !x.first) head.emplace(classes_[c]);
  own.lift_reservation(x.job);
  nodes &= own.fitting_until(unit, x.own_end);
  const bool beside = !few(nodes) && own.licences_until(unit, x.own_end);
  const Refusal why = beside ? choose(c, x, unit, nodes, parts) : ForeignRefusal::kReservation;
  own.restore_reservation(x.job);
  return why;
}

/// Of these nodes, those on which the same part is left by all that matters, and of them the placement's choice.
ForeignStarts::Refusal ForeignStarts::choose(std::size_t c, const Candidate& x, std::int32_t unit, const NodeSet& nodes,
                                             Parts& parts) {
  const NodePool& now = started_.room()->pool();
  const Request& r = started_.room()->request(unit);
  if (!offered_) offered_.emplace(now);
  NodeSet fitting(nodes.size());
  nodes.for_each([&](NodeId n) {
    NodeRoom room = now.room(n);
    meet(room, slice_ledger().room_until(unit, n, x.slice_end));
    if (!x.finishes) meet(room, ledger_of(classes_[c]).room_until(unit, n, x.own_end));
    if (!coslice::fits(r, room)) return;
    fitting.insert(n);
    offered_->copy_node(n, now);
    offered_->set_room(n, room);
  });
  if (fitting.count() < r.nodes || !started_.placement(c).choose(x.job, r, *offered_, fitting, parts))
    return ForeignRefusal::kNodes;
  return {};
}

namespace {

/// Where no job holds a reservation (EASY), the slot of the first waiting job is kept free.
void reserve_head(const View& view, Profile& profile) {
  const WaitingQueue& queue = view.queue();
  const View::Position head = queue.first();
  const Time t = profile.earliest(queue.nodes(head), queue.duration(head), view.now());
  profile.reserve(t, later(t, queue.duration(head)), queue.nodes(head));
}

}  // namespace

void ForeignStarts::run_by_count() {
  if (idle_count() == 0) return;
  Profile rest = profile();
  each_other_class([&](std::size_t c) { resume(c, rest); });
  each_other_class([&](std::size_t c) { start(c, rest); });
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
  for (StartedJob* job : preempted(c)) {
    const std::vector<StartedJob*> unit = unit_of(*job);
    const NodeSet& idle = started_.occupancy().idle();
    if (!std::ranges::all_of(unit, [&](const StartedJob* m) { return idle.contains_all(m->nodes); })) continue;
    const Duration d = there_by_count(job->index, started_.unit_time(*job), !options_.evict);
    const std::int32_t n = unit_nodes(*job);
    if (!fits(profile, n, d)) continue;
    for (StartedJob* member : unit) go_on(*member);
    take(profile, *job, n, d);
  }
}

void ForeignStarts::start(std::size_t c, Profile& profile) {
  const WaitingQueue& queue = classes_[c].view.queue();
  RestOfSlice rest{profile};
  for (View::Position p = queue.first(); idle_count() > 0; ++p) {
    p = queue.next_fitting(p, idle_count());
    if (p >= queue.end()) return;
    start_job(c, p, rest);
  }
}

/// A job has started: what there was before does not hold.
void ForeignStarts::look(RestOfSlice& rest) const {
  const Time now = view().now();
  const Duration left = clock_.rest();
  rest.known = true;
  rest.now = rest.profile.free_at(now);
  rest.throughout = left > Duration{0} ? rest.profile.min_free(now, later(now, left)) : 0;
  rest.off_own.reset();
  rest.own.reset();
}

/// Most jobs have too many nodes for this instant, or few enough for all of the slice.
bool ForeignStarts::fits(const RestOfSlice& rest, std::int32_t n, Duration d) const {
  if (n > rest.now) return false;
  return n <= rest.throughout || fits(rest.profile, n, d);
}

void ForeignStarts::start_job(std::size_t c, View::Position p, RestOfSlice& rest) {
  HostedView& own = classes_[c].view;
  const WaitingQueue& queue = own.queue();
  const JobIndex j = queue.job(p);
  const std::int32_t n = queue.nodes(p);
  const Duration planned = queue.duration(p);
  // An on-demand slice may end any time: a job that has not ended by then must not stand on nodes of its own class.
  const bool finishes = !on_demand() && longest_there(started_, j) <= clock_.rest();
  const Duration d = there_by_count(j, planned + started_.memory().need(j), finishes || !options_.evict);
  const auto refuse = [&](ForeignRefusal why) {
    own.explain([&](DecisionObserver& o) { o.foreign_refused(own, j, why); });
  };
  if (!rest.known) look(rest);
  if (!fits(rest, n, d)) return refuse(ForeignRefusal::kNodes);
  if (!finishes && !rest.off_own) (rest.off_own = started_.startable()).value() &= started_.allocations().without(c);
  if ((finishes ? idle_count() : rest.off_own->count()) < n) return refuse(ForeignRefusal::kOwnNodes);
  // As long as its reservation would be: loading is not in that either.
  if (!finishes && delays_own_class(own, p, planned, rest.own)) return refuse(ForeignRefusal::kReservation);

  const NodeSet admissible = finishes ? started_.startable() : *rest.off_own;
  StartedJob& job = admit(own, p);
  own.hold(job, n, later(own.now(), finishes ? Duration{0} : planned));
  started_.start(job, admissible);
  count_start(job, finishes);
  take(rest.profile, job, n, d);
  rest.known = false;
}

/// Whether the job, started now, moves a reservation of its own class; without reservations (EASY), the slot of the
/// class's first waiting job, beside which others are looked at.
bool ForeignStarts::delays_own_class(HostedView& own, View::Position p, Duration d,
                                     std::optional<Profile>& beside) const {
  if (own.reserved_count() != 0) return !own.fits_beside(p, d);
  const WaitingQueue& queue = own.queue();
  const bool first = p == queue.first();
  if (!first && !beside) reserve_head(own, beside.emplace(own.profile()));
  const Profile& profile = first ? own.profile() : *beside;
  return profile.min_free(own.now(), later(own.now(), d)) < queue.nodes(p);
}

}  // namespace coslice
