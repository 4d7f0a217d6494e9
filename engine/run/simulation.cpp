#include "run/simulation.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/refusals.h"
#include "run/vain_wait.h"

namespace coslice {
namespace {

/// How often progress is told: often enough for a bar, rarely enough to cost nothing.
constexpr std::size_t kProgressStep = 2048, kProgressStepInSlices = 256;
constexpr std::size_t kInstantsStep = 256, kInstantsStepInSlices = 16;  ///< some take long
/// A policy that wakes itself for ever would never end.
constexpr std::int64_t kPassesInVain = 1'000'000;
/// It is not waited for them so long where nothing else is to come: so many passes in more than a year.
constexpr std::int64_t kPassesToWait = 100, kMostPassesToWait = 250'000;
constexpr Duration kLongestWait = whole_seconds(std::int64_t{400} * 86400);
/// So many instants at which nodes come and go count as one such pass.
constexpr std::int64_t kOutagesForPass = 100;
/// Passes at one instant in which jobs are stopped. A policy that starts what it has just stopped would never end.
constexpr std::int32_t kMostPasses = 10'000;

std::string left_text(std::size_t count, std::int64_t first) {
  return count == 1 ? fmt::format("job {} waits for ever", first)
                    : fmt::format("{} jobs wait for ever, the first is job {}", count, first);
}

Time start_of(const std::vector<Job>& jobs, const SimulationResources& resources) {
  return resources.start.value_or(jobs.empty() ? Time{} : jobs.front().submit);
}

[[noreturn]] void refuse_outside(const Job& job, const char* what) {
  throw SimulationError(fmt::format("job {} cannot be {}: a machine outside only kills jobs", job.id, what));
}

/// What the jobs of each class ask for now.
std::vector<ClassDemand> demand_of(const Lanes& lanes) {
  std::vector<ClassDemand> all;
  for (const Lane& lane : lanes) {
    ClassDemand& d = all.emplace_back();
    const WaitingQueue& queue = lane.view.queue();
    for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) {
      ++d.waiting;
      d.waiting_nodes += queue.nodes(p);
      d.waiting_work += queue.nodes(p) * to_seconds(queue.duration(p));
    }
    for (const StartedJob& job : lane.view.started()) {
      ++d.started;
      d.started_nodes += job.node_count;
      d.started_work += job.node_count * to_seconds(std::max(job.expected_end - lane.view.now(), Duration{0}));
    }
  }
  return all;
}

}  // namespace

Simulation::Simulation(const MachineSpec& machine, const std::vector<Job>& jobs,
                       const std::vector<Scheduler*>& schedulers, SliceOptions slices, const EngineOptions& options,
                       std::optional<SharingOptions> sharing, const SimulationResources& resources,
                       const OutageOptions* outages)
    : jobs_(jobs), options_(options), slices_(std::move(slices)), sliced_(!slices_.classes.empty()), clock_(slices_),
      wants_slice_([this](std::size_t c) { return lanes_[c].wants_slice(); }),
      started_(machine, jobs, slices_, options_, outages, std::move(sharing), resources, lanes_, clock_, observers_),
      foreign_(slices_, clock_, lanes_, started_, observers_),
      submissions_(jobs, options_, started_.times(), *this, *this, observers_),
      watch_(slices_, clock_, lanes_, jobs, started_.times()) {
  if (resources.history != nullptr) take_record(*resources.history);
  if (!sliced()) clock_.begin(start_of(jobs, resources), Time{});
  slices_.demand = [this] { return demand_of(lanes_); };
  started_.on_start([this](JobIndex j) { submissions_.began(j, now()); });
  started_.on_left([this](const NodeRanges& nodes) {
    if (outages_) outages_->job_left(nodes);
  });
  std::vector<Scheduler*> asked = schedulers;
  for (std::size_t c = 0; resources.history != nullptr && c != asked.size(); ++c)
    asked[c] = &on_record_.emplace_back(*asked[c], *resources.history,
                                        [this, c](JobIndex j) { return started_.class_of(j) == c; });
  set_up(start_of(jobs, resources), outages, resources.reservations, asked);
}

void Simulation::set_up(Time start, const OutageOptions* outages, const NodeReservations* reservations,
                        const std::vector<Scheduler*>& schedulers) {
  const bool ends_first = options_.event_order == EventOrder::kEndsFirst;
  if (!ends_first) {
    if (sliced()) fail_together(Feature::kSlices, Feature::kSubmissionsFirst);
    if (started_.shared() != nullptr) fail_together(Feature::kGroups, Feature::kSubmissionsFirst);
    if (outages != nullptr) fail_together(Feature::kOutages, Feature::kSubmissionsFirst);
    if (started_.by_node()) fail_together(Feature::kHeterogeneous, Feature::kSubmissionsFirst);
  }
  if (!started_.limits_are_work() && started_.demands() != nullptr && outages != nullptr)
    distinguish(outages->plan, nullptr);
  if (!started_.limits_are_work() && reservations != nullptr) distinguish({}, reservations);
  const Time view_start = sliced() ? Time{} : start;
  const std::int32_t nodes = started_.occupancy().idle().size();
  for (std::size_t c = 0; c != schedulers.size(); ++c) {
    ViewHost& host = *this;
    SharingHost* const sharing_host = started_.shared() != nullptr ? this : nullptr;
    std::unique_ptr<WallClock> clock = sliced() ? std::make_unique<ClassClock>(clock_, c) : nullptr;
    Lane& lane =
        lanes_.emplace_back(jobs_, nodes, view_start, host, observers_, *schedulers[c], sharing_host, std::move(clock));
    if (auto ledger = started_.make_ledger(c, view_start)) lane.use(std::move(ledger));
    else if (started_.demands() != nullptr) lane.view.use(*started_.demands(), nullptr);
  }
  if (reservations != nullptr)
    reservations_ = std::make_unique<LaneReservations>(*started_.demands(), start, slices_, clock_, lanes_);
  if (outages == nullptr) return;
  submissions_.set_checkpoints(outages->interval_of);
  outages_ = std::make_unique<LaneOutages>(*outages, start, slices_, clock_, lanes_, started_, observers_,
                                           [this](StartedJob& job) { fail(job); });
}

/// Counts of nodes are kept for those with the same plans, and for those that are in the same reservations.
void Simulation::distinguish(const OutagePlan& plan, const NodeReservations* reservations) {
  JobDemands& demands = *started_.demands();
  const auto tell = [&](const NodeRanges& which) {
    const NodeSet nodes(demands.layout().node_count(), which);
    const std::vector<NodeSet>& known = demands.distinguished();
    if (nodes.count() < nodes.size() && (known.empty() || !(known.back() == nodes))) demands.distinguish(nodes);
  };
  for (const Outage& o : plan.listed)
    if (o.kind == OutageKind::kMaintenance) tell(o.nodes);
  if (reservations == nullptr) return;
  for (const NodeReservation& r : *reservations)
    if (!r.floating) tell(r.nodes);
}

void Simulation::add(Observer& observer) {
  observers_.push_back(&observer);
  for (Lane& lane : lanes_) lane.view.listen(observer);
}

// What happens at an instant.

struct Simulation::Ends {
  static Time next(const Simulation& s) { return s.started_.ends().next_time(); }
  static void handle(Simulation& s) {
    while (next(s) <= s.now()) {
      const std::uint64_t before = s.happened_;
      s.end_next();
      if (!s.sliced() && s.happened_ != before) s.open_lane().ended = true;  // no event of a run that was interrupted
    }
  }
};

struct Simulation::Changes {
  static Time next(const Simulation& s) {
    return s.started_.elastic() != nullptr ? s.started_.elastic()->next_time() : kNever;
  }
  static void handle(Simulation& s) {
    ++s.happened_;
    s.started_.handle_changes();
  }
};

struct Simulation::Outages {
  static Time next(const Simulation& s) { return s.outages_ ? s.outages_->next_time() : kNever; }
  static void handle(Simulation& s) {
    const bool any = s.outages_->handle(s.submissions_.done());
    if (any && !s.sliced()) s.open_lane().ended = s.open_lane().submitted = true;
    // Whether a job may pass the first one can depend on when a node is back, in whatever slice that is heard of.
    for (Lane& lane : s.lanes_) lane.ended = lane.ended || (any && s.sliced());
  }
};

struct Simulation::Stops {
  static Time next(const Simulation& s) { return s.stops_.next_time(); }
  static void handle(Simulation& s) {
    if (s.handle_stops() && !s.sliced()) s.open_lane().ended = s.open_lane().submitted = true;
  }
};

struct Simulation::Reservations {
  static Time next(const Simulation& s) { return s.reservations_ ? s.reservations_->next_time() : kNever; }
  /// Jobs that name a reservation which is over for good can never run.
  static void handle(Simulation& s) {
    if (!s.reservations_->handle()) return;
    for (const std::int32_t over : s.reservations_->take_over())
      s.submissions_.reject_waiting(s.lanes_, Rejection::kOver,
                                    [&](JobIndex j) { return s.started_.demands()->only(j) == over; });
  }
};

struct Simulation::Outrun {
  static Time next(const Simulation& s) { return s.started_.corrections().next_time(); }
  static void handle(Simulation& s) { s.open_lane().corrected |= s.correct_estimates(); }
};

struct Simulation::SliceBounds {
  static Time next(const Simulation& s) { return s.sliced_ ? s.clock_.boundary() : kNever; }
  static void handle(Simulation& s) { s.handle_slices(); }
};

struct Simulation::Arrivals {
  static Time next(const Simulation& s) { return s.submissions_.next_time(); }
  static void handle(Simulation& s) { s.submissions_.come_and_go(s.now()); }
};

struct Simulation::Wakes {
  static Time next(const Simulation& s) { return s.wake_; }
  static void handle(Simulation& s) {
    s.wake_ = kNever;
    if (s.clock_.productive()) s.open_lane().woken = true;
  }
};

void Simulation::run() {
  for (Lane& lane : lanes_) lane.scheduler.begin(lane.view);
  if (outside_ != nullptr) return run_beside();
  if (inlet_ != nullptr) take_in(inlet_->take());
  if (jobs_.empty()) return;
  begin();
  std::size_t instants = 0;  // progress is also told where no job ends: the listener may stop the run
  while (submissions_.done() != jobs_.size() || (inlet_ != nullptr && inlet_->is_open())) {
    const Time t = OrderAtInstant<Simulation>::next(*this);
    if (t == kNever) {
      check_none_kept();
      break;
    }
    advance(std::max(now(), t));
    const std::uint64_t before = happened_ + submissions_.changes();
    const bool outage = Outages::next(*this) <= now();
    if (options_.event_order == EventOrder::kEndsFirst) ends_first();
    else submissions_first();
    settle();
    if (!record_.empty()) wake_for_record();
    if (++instants % (sliced() ? kInstantsStepInSlices : kInstantsStep) == 0 && progress_)
      progress_(submissions_.done());
    if (only_blocked()) break;
    check_progress(before, outage);
    if (waits_in_vain()) {
      check_none_kept();
      const std::size_t left = left_waiting();
      if (left == 0) break;
      throw VainWait(fmt::format("at {} s: {}: nothing is to come but passes that the policy asks for",
                                 format_seconds(now().time_since_epoch()), left_text(left, jobs_[first_left()].id)));
    }
  }
  if (progress_) progress_(submissions_.done());
}

void Simulation::begin() {
  if (sliced()) {
    clock_.begin(submissions_.next_time(), recorded_until_ == kNever ? Time{} : recorded_until_);
    watch_.begin();
    if (!clock_.waits()) next_slice();
  }
  if (!record_.empty()) wake_ = std::min(wake_, record_.back());
  if (outages_) outages_->plan();
  if (reservations_) reservations_->plan();
}

/// The open view's clock moves with productive time only.
void Simulation::advance(Time now) {
  clock_.advance(now);
  if (!clock_.productive()) return;
  HostedView& view = open_lane().view;
  view.advance(sliced() ? view.now() + (now - view_time_) : now);
  view_time_ = now;
}

/// Throws SimulationError if a job stands still for ever.
void Simulation::check_none_kept() const {
  if (started_.suspended() == nullptr) return;
  for (const StartedJob& job : lanes_.front().view.started())
    if (started_.suspended()->is_kept(job.index))
      throw SimulationError(
          fmt::format("job {} is suspended, and its policy never lets it go on", jobs_[job.index].id));
}

/// Whether all that is left are waiting jobs that nothing will ever let start.
bool Simulation::only_blocked() const {
  const auto none_other = [](const Lane& lane) {
    return lane.view.started().empty() && lane.view.queue_as_it_is().size() == lane.view.blocked().size();
  };
  return std::ranges::any_of(lanes_, [](const Lane& lane) { return !lane.view.blocked().empty(); }) &&
         std::ranges::all_of(lanes_, none_other) && submissions_.next_time() == kNever && submissions_.aside().empty();
}

/// Whether nothing is to come but passes that schedulers have asked for, and those for jobs that stand still.
bool Simulation::only_asked_for() const {
  const bool all_stand = std::ranges::all_of(lanes_.front().view.started(),
                                             [](const StartedJob& job) { return job.phase == Phase::kSuspended; });
  return Ends::next(*this) == kNever && Changes::next(*this) == kNever && Outages::next(*this) == kNever &&
         Stops::next(*this) == kNever && Reservations::next(*this) == kNever &&
         (all_stand || Outrun::next(*this) == kNever) && Arrivals::next(*this) == kNever;
}

/// Whether schedulers have asked for pass after pass, and what lets jobs start when time has passed, as a limit for
/// each month of the calendar, would have done so by now.
bool Simulation::waits_in_vain() const {
  const bool long_enough = in_vain_ >= kPassesToWait * kOutagesForPass && now() - vain_since_ > kLongestWait;
  return !sliced() && (long_enough || in_vain_ >= kMostPassesToWait * kOutagesForPass) && only_asked_for();
}

/// Throws SimulationError if nothing will ever happen again. Outages do not come from the policy: a job may have to
/// wait through many of them, so an instant with one counts less.
void Simulation::check_progress(std::uint64_t before, bool outage) {
  if (sliced())
    return watch_.check_starts(active(), !started_.going().empty(),
                               clock_.waits() || submissions_.next_time() != kNever ||
                                   (outages_ && outages_->some_down()) ||
                                   (reservations_ && reservations_->next_time() != kNever));
  const bool vain = happened_ + submissions_.changes() == before;
  if (!vain || in_vain_ == 0) vain_since_ = now();
  in_vain_ = vain ? in_vain_ + (outage ? 1 : kOutagesForPass) : 0;
  if (in_vain_ < kPassesInVain * kOutagesForPass) return;
  throw SimulationError(
      outage ? fmt::format(
                   "at {} s: nodes went down and came back, and no job was submitted, started or ended in {} passes",
                   format_seconds(now().time_since_epoch()), in_vain_)
             : fmt::format("at {} s: the policy asked for {} passes in a row in which nothing happened",
                           format_seconds(now().time_since_epoch()), kPassesInVain));
}

/// Counts the jobs that have come and not ended.
std::size_t Simulation::active() const {
  std::size_t n = submissions_.aside().size();
  for (const Lane& lane : lanes_) n += lane.view.queue_as_it_is().size() + lane.view.started().size();
  return n;
}

std::size_t Simulation::left_waiting() const {
  std::size_t n = submissions_.aside().size();
  for (const Lane& lane : lanes_) n += lane.view.queue().size() - lane.view.blocked().size();
  return n;
}

std::map<JobIndex, std::string> Simulation::blocked() const {
  std::map<JobIndex, std::string> all;
  for (const Lane& lane : lanes_) all.insert(lane.view.blocked().begin(), lane.view.blocked().end());
  return all;
}

JobIndex Simulation::first_left() const {
  for (const Lane& lane : lanes_) {
    const WaitingQueue& queue = lane.view.queue();
    for (auto p = queue.first(); p < queue.end(); p = queue.next(p))
      if (lane.view.blocked().count(queue.job(p)) == 0) return queue.job(p);
  }
  return submissions_.aside().begin()->first;
}

/// A pass, or a slice that begins, may move events to now: points, reservations and ends of jobs that go on, also of
/// those that were to be gone while they stood still. The instant is not over then.
void Simulation::ends_first() {
  std::int32_t rounds = 0;
  do {
    if (rounds++ == kMostPasses)
      throw SimulationError(fmt::format("at {} s: the policy resized, suspended or resumed jobs in {} passes in a row",
                                        format_seconds(now().time_since_epoch()), kMostPasses));
    OrderAtInstant<Simulation>::handle(*this, now());
    bool again = false;
    do {
      passes();
      again = sliced() && clock_.productive() && on_demand_is_over();
      if (again) {
        clock_.cut_short();
        again = handle_slices() && clock_.productive();
      }
      if (inlet_ != nullptr) take_in(inlet_->take());
      if (submissions_.some_come(now())) {  // jobs that waited for a start
        submissions_.come_and_go(now());
        again = true;
      }
      if (!again && options_.unstarted == Unstarted::kDrop && started_.limits_are_work()) again = drop_not_started();
    } while (again);
  } while (OrderAtInstant<Simulation>::next(*this) <= now());
}

void Simulation::submissions_first() {
  for (bool again = true; again;) {
    submissions_then_ends();
    again = submissions_.withdraw_due(now());
    const Pass ended{false, true, false, false};
    if (again) pass(&ended);
    again |= submissions_.some_come(now());  // some waited for a start
  }
}

void Simulation::submissions_then_ends() {
  const bool corrected = correct_estimates();
  const auto pass_with = [&](bool submitted, bool ended, bool due, bool found) {
    const Pass what{submitted, ended, due, found};
    pass(&what);
  };
  for (;;) {  // an end can release a job that depended on it: a submission at the same instant
    bool submitted = false;
    while (!submitted && submissions_.some_come(now())) submitted = submissions_.come_next(now());
    if (submitted) pass_with(true, false, false, corrected);
    else if (end_next()) pass_with(false, true, false, corrected);
    else break;
  }
  if (handle_stops()) pass_with(true, true, false, corrected);
  if (wake_ <= now() || corrected) {
    if (wake_ <= now()) wake_ = kNever;
    pass_with(false, false, true, corrected);
  }
  wait_again([&] {
    pass_with(true, true, false, false);
    if (wake_ > now()) return;
    wake_ = kNever;
    pass_with(false, false, true, false);
  });
  std::ranges::sort(pending_, {}, &PendingStart::order);
  for (const PendingStart& p : std::exchange(pending_, {})) take_effect(*p.job);
}

bool Simulation::end_next() {
  if (started_.ends().next_time() > now()) return false;
  const EndQueue::End end = started_.ends().pop();
  if (end.is_void()) return true;  // the job was preempted meanwhile, or its speed has changed
  ++happened_;
  lane_of(end.job->index).woken |= end.job->phase == Phase::kBooting;  // in slices, too, there is a pass
  if (end.load()) started_.finish_load(*end.job);
  else finish(*end.job);
  return true;
}

void Simulation::finish(StartedJob& job) {
  const JobIndex j = job.index;
  const bool killed = job.killed;
  const bool lends = job.phase == Phase::kSuspended;  // its reservation is over
  const NodeRanges nodes = outages_ ? job.nodes : NodeRanges{};
  started_.finish(job);
  submissions_.leave(j, killed, now());
  started_.times().end(j);
  if (lends) leave_lent(j);
  if (outages_) outages_->job_left(nodes);
  if (started_.suspended() != nullptr) {
    give_back_lent(j);
    started_.suspended()->forget(j);
  }
  if (progress_ && submissions_.done() % (sliced() ? kProgressStepInSlices : kProgressStep) == 0)
    progress_(submissions_.done());
}

/// A node of the job failed.
void Simulation::fail(StartedJob& job) {
  const JobIndex j = job.index;
  Interruption what;
  what.requeued = outages_->options().interrupted == AfterFailure::kRequeued;
  interrupt(job, what, nullptr);
  if (!what.requeued) return;
  if (outages_->options().place == RequeuePosition::kFront) lane_of(j).view.put_first(j);
  submissions_.submit(j, now());
}

/// For its policy the job ends; if it is to be requeued, it is submitted again afterwards.
void Simulation::interrupt(StartedJob& job, Interruption& what, const FinalCheckpoint* last) {
  ++happened_;
  const JobIndex j = job.index;
  const NodeRanges nodes = job.nodes;
  const Duration left = (job.work_left - job.done_until(now())).time_at(Rate{});
  started_.interrupt(job, what, last);
  if (what.requeued) watch_.repeats(started_.times().runtime(j) - left);
  leave_lent(j);
  if (outages_) outages_->job_left(nodes);
  give_back_lent(j);
  if (!what.requeued) submissions_.leave(j, true, now());
}

/// Jobs that run on although they should have ended by now are believed to run for longer; reservations that do not fit
/// beside that any more move later. Returns whether there was such a job.
bool Simulation::correct_estimates() {
  bool any = false;
  while (StartedJob* const job = started_.corrections().take(now())) {
    started_.correct(*job);
    started_.hold_lenders_of(*job);
    any = true;
    if (job->phase != Phase::kSuspended) ++happened_;
  }
  return any;
}

// Slices.

bool Simulation::handle_slices() {
  bool changed = false;
  for (; clock_.boundary() <= now(); changed = true) {
    if (clock_.productive()) end_slice();
    else next_slice();
  }
  return changed;
}

void Simulation::end_slice() {
  HostedView& view = open_lane().view;
  // Others may have come beside jobs of the class in its last pass: what stops is held as it was going on.
  if (started_.update_holds()) open_lane().ended = true;
  open_lane().set_ceiling(0);
  started_.release_foreign();
  clock_.count_slice();
  for (Observer* o : observers_) o->slice_ended(now(), clock_.slice().job_class);
  view.explain([&](DecisionObserver& d) { d.closed(view); });
  const std::size_t next = slices_.charge_continuing ? SliceClock::kNoClass : clock_.class_after(wants_slice_);
  for (StartedJob* job : std::vector<StartedJob*>(started_.going()))
    if (started_.class_of(*job) != next) started_.stop(*job);
  started_.leave_to_others(view);
  clock_.close();
}

void Simulation::next_slice() {
  if (clock_.open(wants_slice_)) return begin_slice();
  for (StartedJob* job : std::vector<StartedJob*>(started_.going())) started_.stop(*job);
}

void Simulation::begin_slice() {
  const Slice& slice = clock_.slice();
  HostedView& view = open_lane().view;
  view_time_ = now();
  open_lane().reopened = true;
  ++started_.counts().slices;
  if (outages_) outages_->look_again();
  if (reservations_) reservations_->look_again();
  if (started_.memory().modelled()) watch_.check_progress(submissions_.done(), active(), started_.counts());
  for (Observer* o : observers_) o->slice_begun(now(), slice.job_class, slice.productive_end - slice.begin);
  view.explain([&](DecisionObserver& d) { d.opened(view); });
  for (StartedJob* job : std::vector<StartedJob*>(started_.going()))
    if (started_.class_of(*job) == slice.job_class) started_.go_on_in_own_slice(*job);
    else started_.stop(*job);
  started_.take_back_from_others(view);
  // No two started jobs of a class that are to run share a node, so each finds its own nodes idle.
  std::vector<StartedJob*> preempted;
  for (StartedJob& job : view.started_jobs())
    if (job.phase == Phase::kPreempted && !waits_for_primary(job)) preempted.push_back(&job);
  for (StartedJob* job : preempted) started_.resume(*job);
  if (started_.elastic() != nullptr) started_.handle_changes();  // that were ordered between the slices
}

/// An on-demand slice is over when none of its jobs runs: those that could be started run now.
bool Simulation::on_demand_is_over() const {
  const std::size_t c = clock_.slice().job_class;
  if (!slices_.classes[c].on_demand) return false;
  const std::vector<StartedJob*>& going = started_.going();
  return std::ranges::none_of(going, [&](const StartedJob* job) { return started_.class_of(*job) == c; });
}

std::size_t Simulation::class_of(const View& view) const {
  const auto its = std::ranges::find_if(lanes_, [&](const Lane& lane) { return &lane.view == &view; });
  return static_cast<std::size_t>(its - lanes_.begin());
}

// Passes.

/// One pass, and others while jobs are stopped or released in them: those wait again.
void Simulation::passes() {
  pass();
  wait_again([&] { pass(); });
}

template <class F>
void Simulation::wait_again(F&& pass_again) {
  const auto some = [&] {
    return !stopped_.empty() || submissions_.some_released() || (stopped_in_pass_ && started_.limits_are_work());
  };
  for (std::int32_t n = 0; some(); ++n) {
    if (n == kMostPasses)
      throw SimulationError(fmt::format("at {} s: the policy stopped, started or released jobs in {} passes in a row",
                                        format_seconds(now().time_since_epoch()), kMostPasses));
    stopped_in_pass_ = false;
    const std::vector<JobIndex> again = std::exchange(stopped_, {});
    for (const JobIndex j : again) submissions_.submit(j, now());
    submissions_.take_released(now());
    if (clock_.productive()) open_lane().ended = true;
    pass_again();
  }
}

/// First the slice's own class, then jobs of other classes.
void Simulation::pass(const Pass* what) {
  // Reservations may have moved: a pass asks for the next one, when they come due.
  if (started_.update_holds() && clock_.productive() && started_.limits_are_work()) open_lane().ended = true;
  started_.set_in_pass(in_pass_ = true);
  if (sliced()) {
    for (Lane& lane : lanes_) {
      const bool open = clock_.productive() && &lane == &open_lane();
      if (clock_.waits()) pass_on_record(lane);
      else if (!open && (lane.submitted || lane.view.freed_early() || now() == recorded_until_)) pass_closed(lane);
    }
  }
  if (clock_.productive()) pass_open(what);
  started_.set_in_pass(in_pass_ = false);
  for (Observer* o : observers_) o->passed(now());
  if (options_.unstarted != Unstarted::kDrop || started_.limits_are_work()) return;
  submissions_.reject_waiting(lanes_, Rejection::kNotAtOnce, [](JobIndex) { return true; });
}

void Simulation::ask(Lane& lane, Pass what) {
  HostedView& view = lane.view;
  MoldableJobs* const molding = started_.molding();
  if (molding != nullptr && started_.shared() == nullptr && molding->choose_for_waiting(view))
    what.ended = true;  // what was found not to fit may do now
  view.before_pass();
  lane.scheduler.schedule(view, what);
  const auto after = [&](bool due) {  // what a stop left room for is for the pass that follows
    if (sliced() && clock_.productive() && &lane == &open_lane()) wake_ = kNever;  // it asks anew
    view.after_pass(due && !(stopped_in_pass_ && started_.limits_are_work()));
  };
  after(what.due);
  while (what.due && started_.update_holds()) {  // reservations may be for earlier, even for now
    const bool due = view.due_now();
    if (due) lane.scheduler.schedule(view, {false, true, true, false});
    after(due);
  }
}

/// Reservations are made and moved while a class waits for its slice, but nothing starts.
void Simulation::pass_closed(Lane& lane) {
  lane.set_ceiling(0);
  ask(lane, {lane.submitted, lane.view.freed_early(), false});
  lane.submitted = false;
}

/// There are no slices yet: jobs of all classes run beside one another.
void Simulation::pass_on_record(Lane& lane) {
  lane.set_ceiling(std::max(started_.startable_count(), started_.by_node() ? 1 : 0));
  ask(lane, lane.take_pass(true));
  lane.set_ceiling(0);
}

/// Without slices and groups a scheduler is asked at each instant; else when something has changed for its class, or
/// other classes leave more nodes than at its last pass.
void Simulation::pass_open(const Pass* what) {
  Lane& lane = open_lane();
  if (!started_.limits_are_work()) return ask(lane, what != nullptr ? *what : lane.take_pass(true));
  const std::int32_t nodes = ceiling();
  const bool ended =
      lane.ended || (lane.reopened && started_.by_node()) || nodes > lane.ceiling || lane.view.freed_early();
  set_open_ceiling();
  // What moves reservations at this instant, as a node that fails, may move one to now.
  if (lane.submitted || ended || lane.reopened || lane.woken || lane.corrected || lane.view.has_late() ||
      lane.view.due_now()) {
    ask(lane, {lane.submitted, ended, true, lane.corrected});
    lane.take_pass(true);
  }
  if (sliced() && slices_.foreign != ForeignJobs::kNone && active() != started_.going().size()) foreign_.run();
  lane.ceiling = ceiling();
}

/// On a heterogeneous machine, its ledger says what can be had.
void Simulation::set_open_ceiling() { open_lane().set_ceiling(std::max(ceiling(), started_.by_node() ? 1 : 0)); }

/// What no class has started by the end of an instant, whatever slice it is. Returns whether jobs that waited for those
/// come now.
bool Simulation::drop_not_started() {
  const bool more = submissions_.reject_waiting(lanes_, Rejection::kNotAtOnce, [](JobIndex) { return true; }) &&
                    submissions_.some_come(now());
  if (more) submissions_.come_and_go(now());
  return more;
}

/// Counts the nodes of jobs that are suspended on which no other job runs.
std::int32_t Simulation::nodes_standing_still() const {
  if (started_.suspended() == nullptr || !clock_.productive()) return 0;
  NodeSet still(started_.occupancy().idle().size());
  const HostedView& view = sliced_ ? lanes_[clock_.slice().job_class].view : lanes_.front().view;
  for (const StartedJob& job : view.started())
    if (job.phase == Phase::kSuspended)
      for_each_node(job.nodes, [&](NodeId n) {
        if (std::ranges::all_of(started_.occupancy().jobs(n),
                                [](const auto* on) { return on->phase == Phase::kSuspended; }))
          still.insert(n);
      });
  return still.count();
}

void Simulation::settle() {
  std::size_t waiting = lanes_.front().view.queue_as_it_is().size();
  for (std::size_t c = 1; sliced_ && c != lanes_.size(); ++c) waiting += lanes_[c].view.queue_as_it_is().size();
  const std::int32_t used = started_.occupancy().used_nodes() - nodes_standing_still();
  const std::int64_t cores = (started_.used_cores() + kWholeCore - 1) / kWholeCore;  // they are counted in thousandths
  const InstantState state{now(), static_cast<std::int32_t>(waiting), used, cores, started_.occupancy().down().count()};
  for (Observer* o : observers_) o->settled(state);
  if (started_.contention() != nullptr) started_.ends().drop_void();
}

// What views decide.

void Simulation::launch(StartedJob& job, std::uint64_t order) {
  if (options_.event_order == EventOrder::kEndsFirst) return take_effect(job);
  pending_.push_back({order, &job});
  Lane& lane = lane_of(job.index);
  lane.scheduler.started(lane.view, job.index);
}

void Simulation::take_effect(StartedJob& job) {
  ++happened_;
  if (!started_.limits_are_work()) return started_.start(job);
  if (started_.by_node()) return started_.start_placed(job);
  started_.evict_for(job.held);
  HostedView& view = *job.view;
  view.set_ceiling(view.ceiling() - job.held);
  started_.start(job, started_.startable());
}

void Simulation::wake_at(Time t) {
  if (!sliced()) {
    wake_ = std::min(wake_, t);
    return;
  }
  // The clock of the asking view runs only in its slices; when one begins there is a pass anyway.
  if (!clock_.productive()) return;
  const View& view = open_lane().view;
  if (t < view.now()) return;
  const Time wall = later(now(), t - view.now());
  if (wall > now() && wall < clock_.slice().productive_end) wake_ = std::min(wake_, wall);
}

/// Of the class whose slice it is, or was last.
Time Simulation::next_point_of_any() const {
  if (started_.elastic() == nullptr) return kNever;
  const HostedView& view = open_lane().view;
  const Time t = started_.elastic()->next_point_of_any(view, now());
  return !sliced() || t == kNever ? t : later(view.now(), t - now());
}

void Simulation::set_ppn_alone(View& view, View::Position p, std::int32_t ppn) {
  const JobIndex j = view.queue().job(p);
  started_.shared()->set_ppn_alone(view, j, ppn);
  view.resize(p, nodes_of(j), started_.believed_alone(j) + started_.longest_boot());
}

/// What a policy of groups knows of a waiting job, it goes on to know: so the size of a moldable one is chosen once.
void Simulation::comes(Lane& lane, JobIndex j) {
  SharedNodes* const shared = started_.shared();
  if (shared == nullptr) return;
  shared->ask_ppn(lane.view, j);
  if (MoldableJobs* const molding = started_.molding()) molding->choose_for_coming(lane.view, j);
}

/// Others may start, or be promised earlier starts.
void Simulation::gave_way(Lane& lane) {
  (clock_.productive() && &lane == &open_lane() ? lane.ended : lane.submitted) = true;
}

/// A waiting job will never run. Its policy is told of what it has not decided itself.
void Simulation::refuse(JobIndex j, Rejection why) {
  submissions_.reject(j, why, now());
  Lane& lane = lane_of(j);
  if (why == Rejection::kPolicy) lane.scheduler.dropped(lane.view, j);
  else lane.scheduler.withdrawn(lane.view, j);
}

// Jobs that stop before their ends because their policies say so. Graces pass on the wall clock, whatever slice it is:
// a job that stands still when its grace is over stops then, as one that runs.

void Simulation::stop(StartedJob& job, const StopOrder& order) {
  if (outside_ != nullptr && order.how != StopOrder::How::kCancel) refuse_outside(jobs_[job.index], "requeued");
  const Time t = time_of_stop(now(), order);
  if (t >= job.leaves) return;
  if (order.how == StopOrder::How::kCheckpoint && sliced()) {
    if (!last_checkpoints_) observers_.push_back(&last_checkpoints_.emplace());
    last_checkpoints_->asked(now(), job);
  }
  if (t <= now()) return stop_now(job, order);
  stops_.add(job, t, order);
  started_.hold_until_it_leaves(job);
}

/// Jobs whose grace is over, in the order in which they were asked. Returns whether there were any.
bool Simulation::handle_stops() {
  bool any = false;
  for (; const std::optional<PendingStops::Stop> stop = stops_.take(now()); any = true)
    stop_now(*stop->job, stop->order);
  return any;
}

void Simulation::stop_now(StartedJob& job, const StopOrder& order) {
  const JobIndex j = job.index;
  if (outside_ != nullptr) {  // it has its nodes until its end is told
    job.leaves = now();
    if (job.expected_end <= now()) started_.correct(job);
    return outside_->kill(j);
  }
  Interruption what;
  what.requeued = order.how != StopOrder::How::kCancel;
  what.by = InterruptedBy::kPolicy;
  what.for_job = order.for_job;
  what.saved = order.how == StopOrder::How::kCheckpoint &&
               (!sliced() || last_checkpoints_->written(now(), j, order.checkpoint.cost));
  interrupt(job, what, what.saved ? &order.checkpoint : nullptr);
  if (!in_pass_) {
    if (what.requeued) submissions_.submit(j, now());
    return;
  }
  stopped_in_pass_ = true;
  if (what.requeued) stopped_.push_back(j);
  if (started_.limits_are_work() && clock_.productive_for(started_.class_of(j))) set_open_ceiling();
}

// Jobs that are suspended in place lend their nodes to others: those of their class, in its slices. One that is in a
// group lends none.

NodeRanges Simulation::lendable(const StartedJob& job) const {
  if (outside_ != nullptr) refuse_outside(jobs_[job.index], "suspended");
  if (options_.event_order != EventOrder::kEndsFirst) fail_together(Feature::kSubmissionsFirst, Feature::kSuspension);
  const Lane& lane = lanes_[started_.class_of(job)];
  if (lane.ledger && !lane.ledger->lends()) {
    const JobDemands& demands = *started_.demands();
    fail_together(started_.contention() != nullptr                             ? Feature::kContention
                  : demands.any_components()                                   ? Feature::kComponents
                  : demands.whole_nodes() && demands.scarce_licences().empty() ? Feature::kPlacement
                                                                               : Feature::kNodeParts,
                  Feature::kSuspension);
  }
  if (now() < later(job.start, started_.boot_of(job.index))) return {};  // nothing runs on them yet
  if (started_.limits_are_work()) {
    const bool there = clock_.productive_for(started_.class_of(job)) && !started_.some_to_go(job.nodes);
    if (!there || job.group != nullptr || (job.phase != Phase::kRunning && job.phase != Phase::kSuspended)) return {};
  }
  const SuspendedJobs* const suspended = started_.suspended();
  if (job.leaves != kNever || job.nodes.empty() || (suspended != nullptr && suspended->borrows(job.index))) return {};
  const NodeRanges nodes = suspended != nullptr ? without(job.nodes, suspended->lent_by(job.index)) : job.nodes;
  return outages_ ? outages_->staying(nodes) : nodes;  // none starts on one that is to go
}

/// On a heterogeneous machine, the ledger has chosen them; else idle ones come first, then those of the lenders in
/// their order.
void Simulation::launch_over(StartedJob& job, const std::vector<StartedJob*>& lenders) {
  if (started_.suspended() == nullptr) started_.list_suspended(&job);
  const bool by_count = !lane_of(job.index).ledger;
  std::int32_t wanted = job.node_count - job.held;
  NodeRanges nodes = by_count ? started_.take_idle(job, job.held) : job.nodes;
  for (StartedJob* lender : lenders) {
    NodeRanges part = lendable(*lender);
    if (by_count) {
      NodeSet lent(started_.occupancy().idle().size(), part);
      part = lent.lowest(std::min(wanted, lent.count()));
      nodes = together(nodes, part);
    } else {
      part = in_both(nodes, part);
    }
    if (part.empty()) continue;
    wanted -= part.count();
    if (!started_.suspended()->is_suspended(lender->index)) {
      ++happened_;
      started_.suspend(*lender);
    }
    started_.suspended()->lend(lender->index, job, part);
  }
  job.nodes = nodes;
  take_effect(job);
  started_.hold_lenders_of(job);
}

/// Turns are progress once an instant: a policy may let jobs go on and stop them at one instant for ever.
void Simulation::count_turn() {
  if (std::exchange(turn_, now()) != now()) ++happened_;
}

/// Its policy says when it goes on; what it has lent stays lent until then.
void Simulation::suspend(StartedJob& job) {
  if (outside_ != nullptr) refuse_outside(jobs_[job.index], "suspended");
  if (options_.event_order != EventOrder::kEndsFirst)
    fail_together(Feature::kSubmissionsFirst, Feature::kStandingStill);
  if (sliced()) fail_together(Feature::kSlices, Feature::kStandingStill);
  if (started_.shared() != nullptr) fail_together(Feature::kGroups, Feature::kStandingStill);
  if (started_.suspended() == nullptr) started_.list_suspended(nullptr);
  if (started_.suspended()->is_kept(job.index)) return;
  count_turn();
  started_.keep_suspended(job);
}

void Simulation::go_on(StartedJob& job) {
  SuspendedJobs* const suspended = started_.suspended();
  if (suspended == nullptr || !suspended->is_kept(job.index)) return;
  suspended->keep(job.index, false);
  if (!suspended->lent_by(job.index).empty()) return;
  count_turn();
  started_.go_on_after_loan(job, suspended->resume(job.index, job.view->now()));
}

/// The job, which has just gone, gives back what it borrowed: its lenders may go on.
void Simulation::give_back_lent(JobIndex j) {
  SuspendedJobs* const suspended = started_.suspended();
  if (suspended == nullptr) return;
  const std::vector<StartedJob*> lenders = suspended->lenders_of(j);
  for (StartedJob* lender : suspended->take_back(j)) {
    ++happened_;
    started_.go_on_after_loan(*lender, suspended->resume(lender->index, lender->view->now()));
  }
  for (StartedJob* lender : lenders)
    if (suspended->is_suspended(lender->index)) started_.hold_suspended(*lender);
}

/// The suspended job has just gone: those that borrowed from it keep the nodes.
void Simulation::leave_lent(JobIndex j) {
  SuspendedJobs* const suspended = started_.suspended();
  if (suspended == nullptr) return;
  suspended->forget(j);
  for (const auto& [borrower, nodes] : suspended->leave(j)) borrower->view->keep_lent(*borrower, nodes);
}

}  // namespace coslice
