#include "sched/simulation.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice {

namespace {
/// How often progress is told: often enough for a bar, rarely enough to cost nothing.
constexpr std::size_t kProgressStep = 2048;
constexpr std::size_t kInstantsStep = 256;  ///< some take long
/// A policy that wakes itself for ever would never end.
constexpr std::int64_t kPassesInVain = 1'000'000;
/// So many instants at which nodes come and go count as one such pass.
constexpr std::int64_t kOutagesForPass = 100;

/// By how much an estimate grows that was too short: the first time, the second, ... (Tsafrir, Etsion & Feitelson 2007)
constexpr std::array<Duration, 11> kCorrections = {
    whole_seconds(60),        whole_seconds(5 * 60),    whole_seconds(15 * 60),   whole_seconds(30 * 60),
    whole_seconds(3600),      whole_seconds(2 * 3600),  whole_seconds(5 * 3600),  whole_seconds(10 * 3600),
    whole_seconds(20 * 3600), whole_seconds(50 * 3600), whole_seconds(100 * 3600)};

Time first_submission(const std::vector<Job>& jobs) { return jobs.empty() ? Time{} : jobs.front().submit; }
}  // namespace

Simulation::Simulation(const MachineSpec& machine, const std::vector<Job>& jobs, Scheduler& scheduler,
                       const EngineOptions& options, const ResourceOptions& resources,
                       const ContentionOptions* contention, const OutageOptions* outages,
                       const NodeReservations* reservations, const PowerOptions* power)
    : jobs_(jobs), scheduler_(scheduler), options_(options), machine_{machine, Occupancy(machine.nodes)},
      view_(jobs, machine.nodes, first_submission(jobs), *this, observers_), now_(first_submission(jobs)),
      times_(jobs_, options_, outages == nullptr ? CheckpointOptions{} : outages->checkpoints), feed_(jobs, options) {
  if (outages != nullptr) {
    if (options.event_order != EventOrder::kEndsFirst)
      throw SimulationError("nodes that fail or are drained need the event order \"ends-first\"");
    OutageHost& host = *this;
    machine_.outages = std::make_unique<OutageEvents>(*outages, now_, machine.nodes, host, observers_);
    machine_.away = std::make_unique<AwayNodes>(view_);
  }
  if (power != nullptr) {
    if (contention != nullptr) throw SimulationError("nodes are not powered down where jobs slow one another down");
    if (reservations != nullptr) throw SimulationError("nodes are not powered down where some are reserved");
    machine_.power = std::make_unique<NodePower>(*power, machine_.occupancy, jobs.size(), now_);
  }
  const bool planned = outages != nullptr && outages->plan.has(OutageKind::kMaintenance);
  if (!names_kinds(machine) && !planned && reservations == nullptr && resources.placement == nullptr && contention == nullptr)
    return;  // one count says when jobs fit, and no request is looked at
  machine_.demands = std::make_unique<JobDemands>(machine, jobs, resources.requests, options, reservations);
  if (outages != nullptr) tell_apart(outages->plan);
  if (reservations != nullptr) reserve_nodes(*reservations);
  const bool counted = machine_.demands->one_count() && resources.placement == nullptr && contention == nullptr && !planned;
  if (!counted) machine_.book = make_resource_book(*machine_.demands, resources.placement, machine_.occupancy, now_);
  if (machine_.book && options.event_order != EventOrder::kEndsFirst)
    throw SimulationError("machines whose nodes differ need the event order \"ends-first\"");
  view_.use(*machine_.demands, machine_.book.get());
  if (contention != nullptr)
    machine_.speeds = std::make_unique<SharedSpeeds>(*machine_.demands, times_, options_, *contention,
                                                     machine_.occupancy, ends_, observers_);
  if (contention != nullptr || (machine_.book && machine_.book->directs())) machine_.occupancy.list_jobs();
}

/// Counts of nodes are kept for those with the same plans.
void Simulation::tell_apart(const OutagePlan& plan) {
  for (const Outage& o : plan.listed) {
    if (o.kind != OutageKind::kMaintenance) continue;
    const NodeSet nodes(machine_.demands->layout().node_count(), o.nodes);
    if (nodes.count() < nodes.size() && !(machine_.demands->told_apart().size() != 0 && machine_.demands->told_apart().back() == nodes))
      machine_.demands->tell_apart(nodes);
  }
}

void Simulation::run() {
  scheduler_.begin(view_);
  if (machine_.outages) plan_maintenance();
  std::int64_t in_vain = 0;
  std::size_t instants = 0;  // progress is also told where no job ends: the listener may want to stop the run
  for (Time t = next_instant(); t != kNever && done_ != jobs_.size(); t = next_instant()) {
    now_ = t;
    view_.advance(t);
    const std::uint64_t before = happened_;
    const bool outage = machine_.outages && machine_.outages->next_time() <= now_;
    if (options_.event_order == EventOrder::kEndsFirst) ends_first();
    else submissions_first();
    settle();
    if (++instants % kInstantsStep == 0 && progress_) progress_(done_);
    // Outages do not come from the policy: a job may have to wait through many of them, so an instant with one counts less.
    in_vain = happened_ == before ? in_vain + (outage ? 1 : kOutagesForPass) : 0;
    if (in_vain >= kPassesInVain * kOutagesForPass) {
      throw SimulationError(
          outage ? fmt::format("at {} s: nodes have come and gone so often that no job was submitted, started or ended in "
                               "{} passes",
                               format_seconds(now_.time_since_epoch()), in_vain)
                 : fmt::format("at {} s: the policy asked for {} passes in a row in which nothing happened",
                               format_seconds(now_.time_since_epoch()), kPassesInVain));
    }
  }
  if (progress_) progress_(done_);
}

Time Simulation::next_instant() const {
  Time next = std::min(ends_.next_time(), feed_.next_time());
  next = std::min(std::min(next, feed_.next_withdrawal()), std::min(wake_, stops_.next_time()));
  if (!corrections_.empty()) next = std::min(next, corrections_.front().time);
  if (machine_.outages) next = std::min(next, std::max(machine_.outages->next_time(), now_));  // some may be from before the first job
  if (machine_.reservations) next = std::min(next, machine_.reservations->next_time());
  return next;
}

void Simulation::ends_first() {
  Pass what{false, false, true};
  while (end_next()) what.ended = true;
  if (machine_.outages && machine_.outages->handle(now_, done_)) what.ended = what.submitted = true;  // interrupted jobs wait again
  if (handle_stops()) what.ended = what.submitted = true;
  if (handle_reservations()) what.ended = true;
  what.corrected = correct_estimates();  // after the ends: what they free need not be taken from reservations
  come_and_go(what);
  if (wake_ <= now_) wake_ = kNever;
  pass(what);
  resubmit_stopped();
  while (jobs_come()) {  // jobs that waited for a start
    Pass more{false, false, true, false};
    come_and_go(more);
    pass(more);
    resubmit_stopped();
  }
}

/// Jobs come, and then those leave that are withdrawn, which may let others come.
void Simulation::come_and_go(Pass& what) {
  do {
    while (submit_next()) what.submitted = true;
    if (withdraw_due()) what.ended = true;
  } while (jobs_come());
}

void Simulation::submissions_first() {
  for (bool again = true; again;) {
    submissions_then_ends();
    again = withdraw_due();
    if (again) pass({false, true, false, false});
    again |= jobs_come();  // some waited for a start
  }
}

void Simulation::submissions_then_ends() {
  const bool corrected = correct_estimates();
  for (;;) {  // an end can release a job that depended on it: a submission at the same instant
    if (submit_next()) pass({true, false, false, corrected});
    else if (end_next()) pass({false, true, false, corrected});
    else break;
  }
  if (handle_stops()) pass({true, true, false, corrected});
  if (wake_ <= now_ || corrected) {
    if (wake_ <= now_) wake_ = kNever;
    pass({false, false, true, corrected});
  }
  resubmit_stopped();
  std::sort(pending_.begin(), pending_.end(),
            [](const PendingStart& a, const PendingStart& b) { return a.order < b.order; });
  for (const PendingStart& p : pending_) take_effect(*p.job);
  pending_.clear();
}

bool Simulation::submit_next() {
  while (jobs_come())
    if (enter(feed_.pop())) return true;
  return false;
}

bool Simulation::enter(JobIndex j) {
  ++happened_;
  const std::int32_t nodes = nodes_of(j);
  if (can_never_run(j, nodes)) {
    reject(j, Rejection::kNeverFits);
    return false;
  }
  if (const Release* release = feed_.release_of(j))
    for (Observer* o : observers_) o->released(now_, j, *release);
  if (machine_.outages && machine_.outages->options().interval_of) times_.set_interval(j, machine_.outages->options().interval_of(nodes));
  if (const std::optional<OwnCheckpoints> own = scheduler_.checkpoints(view_, j)) times_.set_checkpoints(j, *own);
  submit_job(j);
  return true;
}

void Simulation::submit_job(JobIndex j) {
  const Duration duration = believed(j);
  view_.enqueue(j, nodes_of(j), duration, scheduler_.key(view_, j));
  for (Observer* o : observers_) o->submitted(now_, j);
  scheduler_.submitted(view_, j);
}

bool Simulation::can_never_run(JobIndex j, std::int32_t nodes) const {
  return machine_.demands == nullptr ? nodes > machine_.spec.nodes : machine_.demands->demand(j).empty() || too_late(j);
}

/// For how long the job may hold its nodes, as far as a scheduler can know: on the slowest ones where they differ.
Duration Simulation::planned(JobIndex j) const {
  if (machine_.book == nullptr || options_.at_limit == AtLimit::kKill) return times_.planned(j);
  if (machine_.speeds) {  // believed to have as much to do as it asks time for
    const Rate rate = Rate::of_slowdown(machine_.speeds->contention().slowest_alone(j));
    return std::max(Duration{1}, Work(times_.planned(j)).time_at(rate));
  }
  const Rate rate = Rate::of_slowdown(1 / machine_.demands->slowest(j));
  return std::max(times_.limit(j), Work(times_.runtime(j)).time_at(rate));
}

/// For how long nodes are held for the job at first.
Duration Simulation::believed(JobIndex j) {
  const Duration limit = planned(j);
  const std::optional<Duration> estimate = scheduler_.estimate(view_, j);
  if (!estimate) return limit + longest_boot();
  if (machine_.speeds && options_.at_limit == AtLimit::kExtend) {
    throw SimulationError(
        "where jobs slow one another down and run on beyond their limits, a policy cannot have estimates "
        "of its own: engine.at_limit = \"kill\", or no hook \"estimate\"");
  }
  const Duration d = std::clamp(*estimate, Duration{1}, limit);
  view_.believe(j, d);
  return d + longest_boot();
}

/// Jobs that run on although they should have ended by now are believed to run for longer; reservations that do not fit
/// beside that any more move later. Whether there was such a job.
bool Simulation::correct_estimates() {
  bool any = false;
  while (!corrections_.empty() && corrections_.front().time <= now_) {
    std::pop_heap(corrections_.begin(), corrections_.end(), std::greater<>{});
    Correction c = corrections_.back();
    corrections_.pop_back();
    StartedJob& job = *c.job;
    const Duration step = kCorrections[std::min(c.times++, kCorrections.size() - 1)];
    const Duration away = suspended_for(job.index) + boot_of(job.index);
    const Time last = options_.killed_at(later(job.start, planned(job.index) + overtime(job) + away));
    c.time = std::min(later(now_, step), later(last, options_.kill_wait));
    view_.hold(job, job.held, c.time);
    if (suspended_) hold_lenders_of(job);
    view_.believe(job.index, c.time - job.start - away);
    scheduler_.corrected(view_, job.index);
    any = true;
    ++happened_;
    if (c.time >= c.end) continue;
    corrections_.push_back(c);
    std::push_heap(corrections_.begin(), corrections_.end(), std::greater<>{});
  }
  return any;
}

bool Simulation::end_next() {
  if (ends_.next_time() > now_) return false;
  const EndQueue::End end = ends_.pop();
  if (end.is_void()) return true;  // its speed has changed since, or it was interrupted
  ++happened_;
  StartedJob& job = *end.job;
  const JobIndex j = job.index;
  used_cores_ -= jobs_[j].size;
  const bool killed = job.killed;
  for (Observer* o : observers_) o->ended(now_, j, job.nodes, killed);
  const Time started = job.start;
  machine_.occupancy.go(job);
  if (machine_.speeds) {
    machine_.speeds->end(job, now_);
    forget_correction(job);
  }
  const NodeRanges nodes = machine_.outages ? job.nodes : NodeRanges{};
  if (machine_.power) machine_.power->job_goes(j, job.nodes, now_);
  job.view->finish(job);
  leave(j, killed);
  scheduler_.ended(view_, j, started);
  times_.end(j);
  if (machine_.outages) machine_.outages->nodes_left(nodes, now_);
  if (suspended_) {
    give_back_lent(j);
    suspended_->forget(j);
  }
  if (++done_ % kProgressStep == 0 && progress_) progress_(done_);
  return true;
}

void Simulation::mold(std::vector<Job>& jobs) {
  if (machine_.speeds) throw SimulationError("moldable jobs are not supported together with slowdowns");
  molding_ = MoldableJobs::make(jobs, options_.molding, machine_.spec.nodes, options_.ppn(machine_.spec),
                                machine_.demands.get());
  if (!molding_) return;
  molding_->try_by([this](JobIndex j, std::size_t i) { return mold(j, i); });
}

Duration Simulation::mold(JobIndex j, std::size_t i) {
  molding_->choose(j, i);
  if (machine_.book != nullptr) machine_.book->asks_anew();
  return planned(j) + longest_boot();
}

std::optional<Duration> Simulation::take_slice(JobIndex j, std::int32_t kind, std::int32_t slice) {
  if (divided_ == nullptr) throw SimulationError("the machine has no GPUs that can be divided (machine.nodes.slices)");
  const JobDemands::OfSlice* taken = nullptr;
  if (slice != 0) {
    if (machine_.speeds->contention().expected_on_slice(j, kind, slice) == 0) return std::nullopt;
    const std::int32_t slices = machine_.demands->layout().kinds[static_cast<std::size_t>(kind)].slices;
    for (const JobDemands::OfSlice& s : machine_.demands->slices(j))
      if (s.slice == slice && s.slices == slices) taken = &s;
  }
  (*divided_)[j].request = machine_.demands->choose_slice(j, taken);
  machine_.book->asks_anew();
  return planned(j) + longest_boot();
}

void Simulation::pass(Pass what) {
  if (molding_ && molding_->choose_for_waiting(view_)) what.ended = true;  // what was found not to fit may do now
  if (machine_.speeds) machine_.speeds->update_holds(view_, now_);
  view_.before_pass();
  in_pass_ = true;
  scheduler_.schedule(view_, what);
  in_pass_ = false;
  view_.after_pass(what.due);
  while (machine_.speeds && machine_.speeds->update_holds(view_, now_)) {  // reservations may be for earlier, even for now
    const bool due = view_.due_now();
    if (due) scheduler_.schedule(view_, {false, true, true, false});
    view_.after_pass(due);
  }
  for (Observer* o : observers_) o->passed(now_);
  if (options_.unstarted == Unstarted::kDrop) drop_waiting();
}

/// The job is over: jobs that wait for it may come, or never will.
void Simulation::leave(JobIndex j, bool stopped) {
  feed_.ended(j, now_, stopped);
  while (const auto never = feed_.take_unfulfilled()) {
    for (Observer* o : observers_) o->unfulfilled(now_, never->job, never->by);
    ++done_;
  }
}

void Simulation::launch(StartedJob& job, std::uint64_t order) {
  if (options_.event_order == EventOrder::kEndsFirst) take_effect(job);
  else pending_.push_back({order, &job});
  scheduler_.started(view_, job.index);
}

void Simulation::take_effect(StartedJob& job) {
  ++happened_;
  used_cores_ += jobs_[job.index].size;
  if (machine_.book == nullptr && job.nodes.empty())
    job.nodes = machine_.occupancy.idle().lowest(job.node_count);  // else it has borrowed
  machine_.occupancy.come(job);
  JobBoot boot;
  if (machine_.power) boot = machine_.power->job_comes(job.index, job.nodes, now_);
  if (machine_.book == nullptr && machine_.demands != nullptr) job.unit = machine_.demands->demand(job.index).front();
  if (machine_.speeds) run_beside_others(job);
  else if (machine_.book != nullptr) run_at_speed_of_nodes(job);
  else run_for(job, times_.runtime(job.index));
  if (machine_.demands != nullptr) {
    const std::int32_t partition = machine_.demands->unit(job.unit).partition;
    for (Observer* o : observers_) o->placed(now_, job.index, job.parts, partition);
  }
  if (molding_) molding_->fix(job.index);
  for (Observer* o : observers_) o->started(now_, job.index, job.nodes);
  if (boot.wait > Duration{0})
    for (Observer* o : observers_) o->booting(now_, job.index, boot.wait, boot.off);
  feed_.began(job.index, now_);
}

void Simulation::forget_correction(const StartedJob& job) {
  std::erase_if(corrections_, [&](const Correction& c) { return c.job == &job; });
  std::make_heap(corrections_.begin(), corrections_.end(), std::greater<>{});
}

/// Where it is believed to end before that.
void Simulation::correct_later(StartedJob& job, Time end) {
  if (job.expected_end >= end) return;
  corrections_.push_back({job.expected_end, &job, end, 0});
  std::push_heap(corrections_.begin(), corrections_.end(), std::greater<>{});
}

/// As fast as the jobs on its nodes let it.
void Simulation::run_beside_others(StartedJob& job) {
  machine_.speeds->start(job, now_);
  if (options_.at_limit == AtLimit::kKill) correct_later(job, later(now_, times_.limit(job.index)));
}

/// For as long as it takes on the slowest of its nodes.
void Simulation::run_at_speed_of_nodes(StartedJob& job) {
  const double speed = machine_.demands->layout().slowest_speed(job.nodes);
  Duration length = times_.runtime(job.index);
  if (speed != 1) {
    job.rate = Rate::of_slowdown(1 / speed);
    length = Work(length).time_at(job.rate);
    for (Observer* o : observers_) o->rate_changed(now_, job.index, job.rate);
  }
  run_for(job, std::max(length, Duration{1}));
}

/// For how long it may run on beyond its limit.
Duration Simulation::overtime(const StartedJob& job) const {
  if (machine_.demands == nullptr) return options_.over_limit;
  const std::int32_t partition = machine_.demands->unit(job.unit).partition;
  if (partition < 0) return options_.over_limit;
  return machine_.demands->layout().partitions[static_cast<std::size_t>(partition)].over_limit.value_or(options_.over_limit);
}

/// From when its nodes are up, unless its limit ends it.
void Simulation::run_for(StartedJob& job, Duration length) {
  const Time begin = later(now_, boot_of(job.index));
  Time end = later(begin, length);
  const Duration limit = times_.limit(job.index);
  job.killed = options_.at_limit == AtLimit::kKill && length > limit;
  if (job.killed) {
    const Time last = options_.killed_at(later(begin, limit + overtime(job)));
    job.killed = end > last;
    end = std::min(end, later(last, options_.kill_wait));
  }
  ends_.add(job, end);
  correct_later(job, end);
}

void Simulation::settle() {
  std::int32_t used = machine_.occupancy.used_nodes();
  if (suspended_)  // on what a suspended job has not lent, nothing runs
    for (const StartedJob& job : view_.started())
      if (job.phase == Phase::kPreempted) used -= lendable(job).count();
  const InstantState state{now_, static_cast<std::int32_t>(view_.loose_queue().size()), used, used_cores_,
                           machine_.occupancy.away().count()};
  for (Observer* o : observers_) o->settled(state);
  if (machine_.speeds) ends_.drop_void();
}

}  // namespace coslice
