#include "sched/simulation.h"

#include <fmt/format.h>

namespace coslice {
namespace {
/// How often progress is told: often enough for a bar, rarely enough to cost nothing.
constexpr std::size_t kProgressStep = 2048;
constexpr std::size_t kInstantsStep = 256;  ///< some take long
/// A policy that wakes itself for ever would never end.
constexpr std::int64_t kPassesInVain = 1'000'000;
/// So many instants at which nodes come and go count as one such pass.
constexpr std::int64_t kOutagesForPass = 100;

/// Passes at one instant in which jobs are requeued. A policy that starts what it has just stopped would never end.
constexpr std::int32_t kMostResubmissions = 10'000;

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
    : jobs_(jobs), options_(options), machine_{machine, Occupancy(machine.nodes)},
      lane_(jobs, machine.nodes, first_submission(jobs), *this, observers_, scheduler), view_(lane_.view),
      now_(first_submission(jobs)),
      times_(jobs_, options_, outages == nullptr ? CheckpointOptions{} : outages->checkpoints),
      submissions_(jobs, options_, times_, *this, *this, observers_) {
  if (outages != nullptr) {
    if (options.event_order != EventOrder::kEndsFirst)
      throw SimulationError("nodes that fail or are drained need the event order \"ends-first\"");
    submissions_.set_checkpoints(outages->interval_of);
    OutageHost& host = *this;
    machine_.outages = std::make_unique<OutageEvents>(*outages, now_, machine.nodes, host, observers_);
    machine_.away = std::make_unique<AwayNodes>(view_);
  }
  if (power != nullptr) {
    machine_.power = std::make_unique<NodePower>(*power, machine_.occupancy, jobs.size(), now_);
  }
  const bool planned = outages != nullptr && outages->plan.has(OutageKind::kMaintenance);
  if (!names_kinds(machine) && !planned && reservations == nullptr && resources.placement == nullptr &&
      contention == nullptr)
    return;  // one count says when jobs fit, and no request is looked at
  machine_.demands = std::make_unique<JobDemands>(machine, jobs, resources.requests, options, reservations);
  if (outages != nullptr) tell_apart(outages->plan);
  if (reservations != nullptr) reserve_nodes(*reservations);
  const bool counted =
      machine_.demands->one_count() && resources.placement == nullptr && contention == nullptr && !planned;
  if (!counted) machine_.book = make_resource_book(*machine_.demands, resources.placement, machine_.occupancy, now_);
  if (machine_.book && options.event_order != EventOrder::kEndsFirst)
    throw SimulationError("machines whose nodes differ need the event order \"ends-first\"");
  view_.use(*machine_.demands, machine_.book.get());
  if (contention != nullptr) {
    if (power != nullptr) {
      machine_.running = std::make_unique<Occupancy>(machine.nodes);
      machine_.running->list_jobs();
    }
    machine_.speeds = std::make_unique<SharedSpeeds>(
        *machine_.demands, options_, *contention, machine_.running ? *machine_.running : machine_.occupancy,
        [this](StartedJob& job, Duration least) { set_end(job, least); }, observers_);
  }
  if (contention != nullptr || (machine_.book && machine_.book->directs())) machine_.occupancy.list_jobs();
}

/// Counts of nodes are kept for those with the same plans.
void Simulation::tell_apart(const OutagePlan& plan) {
  for (const Outage& o : plan.listed) {
    if (o.kind != OutageKind::kMaintenance) continue;
    const NodeSet nodes(machine_.demands->layout().node_count(), o.nodes);
    const std::vector<NodeSet>& known = machine_.demands->told_apart();
    if (nodes.count() < nodes.size() && (known.empty() || !(known.back() == nodes)))
      machine_.demands->tell_apart(nodes);
  }
}

void Simulation::run() {
  lane_.scheduler.begin(view_);
  if (machine_.outages)  // maintenance is known from the beginning
    for (const Outage& o : machine_.outages->options().plan.listed)
      if (o.kind == OutageKind::kMaintenance && o.to > now_) view_.plan_outage(o.nodes, o.from, o.to);
  std::int64_t in_vain = 0;
  std::size_t instants = 0;  // progress is also told where no job ends: the listener may want to stop the run
  for (Time t = next_instant(); t != kNever && submissions_.done() != jobs_.size(); t = next_instant()) {
    now_ = t;
    view_.advance(t);
    const std::uint64_t before = happened_ + submissions_.changes();
    const bool outage = machine_.outages && machine_.outages->next_time() <= now_;
    if (options_.event_order == EventOrder::kEndsFirst) ends_first();
    else submissions_first();
    settle();
    if (++instants % kInstantsStep == 0 && progress_) progress_(submissions_.done());
    // Outages do not come from the policy: a job may have to wait through many of them, so an instant with one counts less.
    in_vain = happened_ + submissions_.changes() == before ? in_vain + (outage ? 1 : kOutagesForPass) : 0;
    if (in_vain >= kPassesInVain * kOutagesForPass) {
      throw SimulationError(
          outage
              ? fmt::format("at {} s: nodes have come and gone so often that no job was submitted, started or ended in "
                            "{} passes",
                            format_seconds(now_.time_since_epoch()), in_vain)
              : fmt::format("at {} s: the policy asked for {} passes in a row in which nothing happened",
                            format_seconds(now_.time_since_epoch()), kPassesInVain));
    }
  }
  if (progress_) progress_(submissions_.done());
}

Time Simulation::next_instant() const {
  Time next = std::min({ends_.next_time(), submissions_.next_time(), wake_, stops_.next_time(),
                        corrections_.next_time()});
  if (machine_.outages)
    next = std::min(next, std::max(machine_.outages->next_time(), now_));  // some may be from before the first job
  if (machine_.reservations) next = std::min(next, machine_.reservations->next_time());
  return next;
}

void Simulation::ends_first() {
  while (ends_.next_time() <= now_ && end_next()) lane_.ended = true;
  if (machine_.outages && machine_.outages->handle(now_, submissions_.done()))
    lane_.ended = lane_.submitted = true;  // interrupted jobs wait again
  if (stops_.next_time() <= now_ && handle_stops()) lane_.ended = lane_.submitted = true;
  if (machine_.reservations && handle_reservations()) lane_.ended = true;
  if (corrections_.next_time() <= now_)
    lane_.corrected = correct_estimates();  // after the ends: what they free need not be taken from reservations
  submissions_.come_and_go(now_);
  if (wake_ <= now_) wake_ = kNever;
  pass(lane_.take_pass(true));
  if (waits_again()) resubmit_stopped();
  while (submissions_.some_come(now_)) {  // jobs that waited for a start
    submissions_.come_and_go(now_);
    pass(lane_.take_pass(true));
    resubmit_stopped();
  }
}

void Simulation::submissions_first() {
  for (bool again = true; again;) {
    submissions_then_ends();
    again = submissions_.withdraw_due(now_);
    if (again) pass({false, true, false, false});
    again |= submissions_.some_come(now_);  // some waited for a start
  }
}

void Simulation::submissions_then_ends() {
  const bool corrected = correct_estimates();
  for (;;) {  // an end can release a job that depended on it: a submission at the same instant
    bool submitted = false;
    while (!submitted && submissions_.some_come(now_)) submitted = submissions_.come_next(now_);
    if (submitted) pass({true, false, false, corrected});
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

bool Simulation::may_be_estimated() const {
  if (!machine_.speeds || options_.at_limit == AtLimit::kKill) return true;
  throw SimulationError(
      "where jobs slow one another down and run on beyond their limits, a policy cannot have estimates "
      "of its own: engine.at_limit = \"kill\", or no hook \"estimate\"");
}

/// Jobs that run on although they should have ended by now are believed to run for longer; reservations that do not fit
/// beside that any more move later. Whether there was such a job.
bool Simulation::correct_estimates() {
  bool any = false;
  while (corrections_.next_time() <= now_) {
    Correction c = corrections_.pop();
    StartedJob& job = *c.job;
    const Duration step = kCorrections[std::min(c.times++, kCorrections.size() - 1)];
    const Duration away = suspended_for(job.index) + boot_of(job.index);
    const Time last = options_.killed_at(later(job.start, planned(job.index) + overtime(job) + away));
    c.time = std::min(later(now_, step), later(last, options_.kill_wait));
    view_.hold(job, job.held, c.time);
    if (suspended_) hold_lenders_of(job);
    view_.believe(job.index, c.time - job.start - away);
    lane_.scheduler.corrected(view_, job.index);
    any = true;
    ++happened_;
    if (c.time < c.end) corrections_.push(c);
  }
  return any;
}

bool Simulation::end_next() {
  if (ends_.next_time() > now_) return false;
  const EndQueue::End end = ends_.pop();
  if (end.is_void()) return true;  // its speed has changed since, or it was interrupted
  ++happened_;
  StartedJob& job = *end.job;
  if (end.load()) {
    get_on(job);
    return true;
  }
  const JobIndex j = job.index;
  used_cores_ -= jobs_[j].size;
  const bool killed = job.killed;
  for (Observer* o : observers_) o->ended(now_, j, job.nodes, killed);
  const Time started = job.start;
  machine_.occupancy.go(job);
  if (machine_.running) machine_.running->go(job);
  if (machine_.speeds) {
    machine_.speeds->end(job, now_);
    forget_correction(job);
  }
  const NodeRanges nodes = machine_.outages ? job.nodes : NodeRanges{};
  if (machine_.power) machine_.power->job_goes(j, job.nodes, now_);
  job.view->finish(job);
  submissions_.leave(j, killed, now_);
  lane_.scheduler.ended(view_, j, started);
  times_.end(j);
  if (machine_.outages) machine_.outages->nodes_left(nodes, now_);
  if (suspended_) {
    give_back_lent(j);
    suspended_->forget(j);
  }
  if (submissions_.done() % kProgressStep == 0 && progress_) progress_(submissions_.done());
  return true;
}

void Simulation::mold(std::vector<Job>& jobs) {
  if (machine_.speeds) throw SimulationError("moldable jobs are not supported together with slowdowns");
  molding_ = MoldableJobs::make(jobs, options_.molding, machine_.spec.nodes, options_.ppn(machine_.spec),
                                machine_.demands.get());
  if (molding_) molding_->try_by([this](JobIndex j, std::size_t i) { return mold(j, i); });
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
  lane_.scheduler.schedule(view_, what);
  in_pass_ = false;
  view_.after_pass(what.due);
  while (machine_.speeds &&
         machine_.speeds->update_holds(view_, now_)) {  // reservations may be for earlier, even for now
    const bool due = view_.due_now();
    if (due) lane_.scheduler.schedule(view_, {false, true, true, false});
    view_.after_pass(due);
  }
  for (Observer* o : observers_) o->passed(now_);
  if (options_.unstarted != Unstarted::kDrop) return;
  submissions_.reject_waiting(lane_, Rejection::kNotAtOnce, [](JobIndex) { return true; });
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
  job.begin(later(now_, boot.wait), times_.runtime(job.index), times_.planned(job.index));
  if (!machine_.speeds || boot.wait == Duration{0}) {
    get_on(job);
  } else {  // it slows no others down before
    job.phase = Phase::kBooting;
    ends_.add(job, job.since, true);
  }
  if (machine_.demands != nullptr) {
    const std::int32_t partition = machine_.demands->unit(job.unit).partition;
    for (Observer* o : observers_) o->placed(now_, job.index, job.parts, partition);
  }
  if (molding_) molding_->fix(job.index);
  for (Observer* o : observers_) o->started(now_, job.index, job.nodes);
  if (boot.wait > Duration{0})
    for (Observer* o : observers_) o->booting(now_, job.index, boot.wait, boot.off);
  submissions_.began(job.index, now_);
}

/// The job has all of its nodes, or will have them when its progress begins: it does its work at the speed of the slowest.
void Simulation::get_on(StartedJob& job) {
  job.phase = Phase::kRunning;
  if (machine_.speeds) {
    if (machine_.running) machine_.running->come(job);
    machine_.speeds->start(job, now_);
    if (options_.at_limit == AtLimit::kKill) correct_later(job, limit_over(job));
    return;
  }
  Duration least{0};
  if (machine_.book != nullptr) {
    const double speed = machine_.demands->layout().slowest_speed(job.nodes);
    least = Duration{1};
    if (speed != 1) {
      job.rate = Rate::of_slowdown(1 / speed);
      for (Observer* o : observers_) o->rate_changed(now_, job.index, job.rate);
    }
  }
  set_end(job, least);
}

/// For how long it may run on beyond its limit.
Duration Simulation::overtime(const StartedJob& job) const {
  const std::int32_t partition = machine_.demands == nullptr ? -1 : machine_.demands->unit(job.unit).partition;
  if (partition < 0) return options_.over_limit;
  return machine_.demands->layout().partitions[static_cast<std::size_t>(partition)].over_limit.value_or(
      options_.over_limit);
}

/// When the job's limit is over: neither while its nodes come up nor while it is suspended does it pass.
Time Simulation::limit_over(const StartedJob& job) const {
  const Duration limit = times_.limit(job.index) + overtime(job);
  return options_.killed_at(later(job.start, limit + boot_of(job.index) + suspended_for(job.index)));
}

/// When its work is done at its rate, `least` from now or later, unless its limit ends it.
void Simulation::set_end(StartedJob& job, Duration least) {
  const Duration left = std::max(job.work_left.time_at(job.rate), least);
  Time end = left < Work::kEndless ? later(std::max(job.since, now_), left) : kNever;
  job.killed = false;
  if (options_.at_limit == AtLimit::kKill) {
    const Time last = limit_over(job);
    job.killed = end > last;
    end = std::min(end, later(last, options_.kill_wait));
  }
  ends_.add(job, end);
  if (!machine_.speeds) correct_later(job, end);
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

// Nodes that go and come back (OutageEvents), and the jobs on them.

bool Simulation::bring_back(NodeId n) {
  machine_.away->bring_back(n);
  const bool was_gone = machine_.occupancy.bring_back(n);
  if (machine_.power && was_gone) machine_.power->comes_back(n, now_);
  return was_gone;
}

void Simulation::interrupt_jobs_on(NodeId n) {
  const std::int32_t jobs = jobs_on(n);
  const NodeRanges node = as_ranges({n});
  std::vector<StartedJob*> struck;
  for (StartedJob& job : view_.started_jobs()) {
    if (common_nodes(job.nodes, node) != 0) struck.push_back(&job);
    if (std::ssize(struck) == jobs) break;
  }
  StopOrder order;
  if (machine_.outages->options().interrupted != AfterFailure::kRequeued) order.how = StopOrder::How::kCancel;
  for (StartedJob* job : struck) {
    const JobIndex j = job->index;
    interrupt(*job, InterruptedBy::kFailure, order);
    if (order.how == StopOrder::How::kCancel) continue;
    if (machine_.outages->options().place == RequeuePlace::kFront) view_.put_first(j);
    submissions_.submit(j, now_);
  }
}

// Reservations of nodes: the book keeps jobs off the nodes; here is what happens at the instants at which they become known,
// begin and end.

/// Nodes are kept for some jobs for a time. Counts of nodes are kept for those that are in the same reservations.
void Simulation::reserve_nodes(const NodeReservations& all) {
  machine_.reservations = std::make_unique<ReservationClock>(all, now_);
  for (const NodeReservation& r : all) {
    if (r.floating) continue;
    NodeSet nodes(machine_.demands->layout().node_count(), r.nodes);
    if (nodes.count() < nodes.size()) machine_.demands->tell_apart(nodes);
  }
}

/// A window that begins or ends is an instant of its own, so that there is a pass.
bool Simulation::handle_reservations() {
  bool any = false;
  while (const std::optional<ReservationClock::Event> event = machine_.reservations->take(now_)) {
    any = true;
    if (event->kind == ReservationClock::Kind::kAnnounced) view_.announce_reservation(event->reservation);
    if (event->kind != ReservationClock::Kind::kLastEnd) continue;
    view_.forget_reservation(event->reservation);
    // It is over for good: jobs that name it can never run.
    submissions_.reject_waiting(lane_, Rejection::kOver, [&](JobIndex j) { return machine_.demands->only(j) == event->reservation; });
  }
  return any;
}

void Simulation::stop(StartedJob& job, const StopOrder& order) {
  assert(!job.nodes.empty());
  const Time t = time_of_stop(now_, order);
  if (t >= job.leaves) return;
  if (t <= now_) return stop_now(job, order);
  stops_.add(job, t, order);
  if (t >= job.expected_end) return;
  forget_correction(job);  // it does not outrun what is believed now
  view_.hold(job, job.held, t);
}

void Simulation::stop_now(StartedJob& job, const StopOrder& order) {
  const JobIndex j = job.index;
  interrupt(job, InterruptedBy::kPolicy, order);
  if (order.how == StopOrder::How::kCancel) return;
  if (in_pass_) stopped_.push_back(j);
  else submissions_.submit(j, now_);
}

/// For its policy the job ends; if it is to be requeued, it is submitted again afterwards.
void Simulation::interrupt(StartedJob& job, InterruptedBy by, const StopOrder& how) {
  ++happened_;
  const JobIndex j = job.index;
  const Time started = job.start;
  const NodeRanges nodes = job.nodes;
  const bool suspended = suspended_ && suspended_->is_suspended(j);
  if (!suspended) used_cores_ -= jobs_[j].size;
  ++job.version;  // its end is void
  job.leaves = kNever;
  job.count(now_);
  const Duration done = times_.runtime(j) - job.work_left.time_at(Rate{});
  machine_.occupancy.go(job);
  if (machine_.speeds && job.phase == Phase::kRunning) {
    if (machine_.running) machine_.running->go(job);
    machine_.speeds->end(job, now_);
  }
  forget_correction(job);
  view_.finish(job);
  leave_lent(j);
  if (machine_.power) machine_.power->job_goes(j, nodes, now_);
  const bool requeue = how.how != StopOrder::How::kCancel, saved = how.how == StopOrder::How::kCheckpoint;
  const Duration lost = requeue ? times_.interrupt(j, done, saved ? &how.checkpoint : nullptr) : done;
  if (molding_ && !times_.goes_on(j)) molding_->release(j);  // a checkpoint is that of so many processes
  const Interruption what{lost, now_ - started, requeue, by, how.for_job, saved};
  for (Observer* o : observers_) o->interrupted(now_, j, nodes, what);
  lane_.scheduler.ended(view_, j, started);
  if (machine_.outages) machine_.outages->nodes_left(nodes, now_);
  give_back_lent(j);
  if (!requeue) submissions_.leave(j, true, now_);
}

/// Jobs that were stopped or released in the pass wait again, and another pass follows, which may start them.
void Simulation::resubmit_stopped() {
  const bool at_once = options_.event_order == EventOrder::kEndsFirst;  // starts take effect in each pass
  for (std::int32_t n = 0; waits_again(); ++n) {
    if (n == kMostResubmissions) {
      throw SimulationError(fmt::format("at {} s: the policy stopped, started or released jobs in {} passes in a row",
                                        format_seconds(now_.time_since_epoch()), kMostResubmissions));
    }
    for (const JobIndex j : std::exchange(stopped_, {})) submissions_.submit(j, now_);
    submissions_.take_released(now_);
    lane_.submitted = false;
    pass({true, true, at_once, false});
    if (at_once || wake_ > now_) continue;
    wake_ = kNever;
    pass({false, false, true, false});
  }
}

NodeRanges Simulation::lendable(const StartedJob& job) const {
  if (options_.event_order != EventOrder::kEndsFirst)
    throw SimulationError("jobs are suspended in place under the event order \"ends-first\" only");
  if (machine_.book != nullptr && !machine_.book->lends())
    throw SimulationError(
        "jobs are suspended in place only where each has whole nodes, and no 'placement' chooses them");
  if (machine_.power && now_ < later(job.start, boot_of(job.index))) return {};  // nothing runs on them yet
  if (job.leaves != kNever || job.nodes.empty() || (suspended_ && suspended_->borrows(job.index))) return {};
  return suspended_ ? without(job.nodes, suspended_->lent_by(job.index)) : job.nodes;
}

/// Where nodes differ, the book has chosen them; else idle ones come first, then those of the lenders in their order.
void Simulation::launch_over(StartedJob& job, const std::vector<StartedJob*>& lenders) {
  Occupancy& occupancy = machine_.occupancy;
  if (!suspended_) {
    suspended_ = std::make_unique<SuspendedJobs>();
    occupancy.list_jobs();
    for (StartedJob& other : view_.started_jobs())
      if (&other != &job) occupancy.come(other);
  }
  std::int32_t wanted = job.node_count - job.held;
  NodeRanges nodes = machine_.book == nullptr ? occupancy.idle().lowest(job.held) : job.nodes;
  for (StartedJob* lender : lenders) {
    NodeRanges part = lendable(*lender);
    if (machine_.book == nullptr) {
      NodeSet lent(machine_.spec.nodes, part);
      part = lent.lowest(std::min(wanted, lent.count()));
      nodes = together(nodes, part);
    } else {
      part = in_both(nodes, part);
    }
    if (part.empty()) continue;
    wanted -= part.count();
    if (!suspended_->is_suspended(lender->index)) suspend(*lender);
    suspended_->lend(lender->index, job, part);
  }
  job.nodes = nodes;
  take_effect(job);
  hold_lenders_of(job);
  lane_.scheduler.started(view_, job.index);
}

void Simulation::suspend(StartedJob& job) {
  ++happened_;
  ++job.version;  // its end is void
  forget_correction(job);
  job.enter(Phase::kPreempted, now_);
  used_cores_ -= jobs_[job.index].size;
  suspended_->suspend(job, std::max(job.expected_end - now_, Duration{1}), now_);
  for (Observer* o : observers_) o->preempted(now_, job.index);
}

void Simulation::resume(StartedJob& job) {
  ++happened_;
  const Duration planned = suspended_->resume(job.index, now_);
  job.enter(Phase::kRunning, now_);
  used_cores_ += jobs_[job.index].size;
  view_.hold(job, job.held, later(now_, planned));
  set_end(job, Duration{machine_.book != nullptr});
  for (Observer* o : observers_) o->resumed(now_, job.index, job.nodes);
}

/// The job, which has just gone, gives back what it borrowed: its lenders may go on.
void Simulation::give_back_lent(JobIndex j) {
  if (!suspended_) return;
  const std::vector<StartedJob*> lenders = suspended_->lenders_of(j);
  for (StartedJob* lender : suspended_->take_back(j)) resume(*lender);
  for (StartedJob* lender : lenders)
    if (suspended_->is_suspended(lender->index))
      view_.hold(*lender, lender->held, suspended_->expected_end(lender->index));
}

}  // namespace coslice
