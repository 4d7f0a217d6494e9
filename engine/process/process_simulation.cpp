#include "process/process_simulation.h"

#include <fmt/format.h>

#include "core/error.h"

namespace coslice {
namespace {

Time at(Ns t) { return Time{Duration{t}}; }

/// The jobs as a feed of submissions takes them, which may be withdrawn.
std::vector<Job> submitted(const std::vector<ProcessJob>& jobs, std::deque<JobExtras>& extras) {
  std::vector<Job> all;
  for (const ProcessJob& j : jobs) {
    Job& job = all.emplace_back();
    job.id = static_cast<std::int64_t>(all.size());
    job.submit = j.submit;
    job.size = j.size;
    job.runtime = job.limit = std::max(j.estimate, Duration{1});
    if (j.withdrawn == kNever) continue;
    JobExtras& said = extras.emplace_back();
    said.withdrawn_at = j.withdrawn.time_since_epoch();
    job.extras = &said;
  }
  return all;
}

/// Without slots: how often rates are looked at, under ProcessPath::kFast.
constexpr Ns kLook = 100'000'000;
/// Slots in a row in which no process runs: beyond this number none ever will, under any policy.
constexpr std::int64_t kMostIdleStrobes = 100'000;
/// Outages in a row while jobs wait, none runs and none comes.
constexpr std::int64_t kMostOutagesInVain = 10'000'000;

NodeColumns columns_of(std::int32_t processors, std::int32_t per_node, const JobDemands* demands) {
  if (demands == nullptr) return {processors, per_node};
  std::vector<std::int32_t> of_nodes;
  for (const NodeKind& kind : demands->layout().kinds)
    of_nodes.insert(of_nodes.end(), static_cast<std::size_t>(kind.count), kind.processors * kind.cores);
  return NodeColumns(of_nodes);
}

}  // namespace

ProcessSimulation::ProcessSimulation(std::int32_t processors, const std::vector<Program>& programs,
                                     const std::vector<ProcessJob>& jobs, Coscheduler& coscheduler,
                                     const ProcessSimulationOptions& options, const std::vector<Job>* workload,
                                     const EngineOptions& rules, const ProcessMachine& machine)
    : programs_(programs), jobs_(jobs), coscheduler_(coscheduler), rules_(coscheduler.rules()), options_(options),
      columns_(columns_of(processors, options.processors_per_node, machine.demands)),
      processors_(processors, rules_, options.seed),
      admission_(rules_.multiprogramming, columns_, jobs, options, machine.demands),
      as_submitted_(workload == nullptr ? submitted(jobs, extras_) : std::vector<Job>{}),
      workload_(workload == nullptr ? as_submitted_ : *workload), feed_(workload_, rules), limits_(rules),
      times_(workload_, limits_, machine.outages == nullptr ? CheckpointOptions{} : machine.outages->checkpoints),
      demands_(machine.demands), occupancy_(columns_.nodes()), extrapolation_(processors_, options.tolerance),
      starts_(jobs.size(), kNever), ends_(jobs.size(), kNever), classes_(jobs.size()) {
  occupancy_.list_jobs();
  admission_.on_reserve([this](JobIndex j, Time start) {
    for (Observer* o : observers_) o->reserved(at(now_), j, start);
  });
  const Time start = jobs.empty() ? Time{} : jobs.front().submit;
  start_ = ns(start);
  if (machine.power != nullptr) power_.emplace(*machine.power, occupancy_, jobs.size(), start);
  if (demands_ != nullptr && !demands_->reservations().empty()) reservations_.emplace(demands_->reservations(), start);
  if (machine.outages == nullptr) return;
  outages_.emplace(*machine.outages, start, columns_.nodes(), static_cast<OutageHost&>(*this), observers_);
  plan_maintenance(start);
}

std::int32_t ProcessSimulation::nodes_of(JobIndex j) const {
  return demands_ != nullptr ? demands_->request(j).nodes : nodes_for(jobs_[j].size, options_.processors_per_node);
}

void ProcessSimulation::ask(Scheduler& scheduler) {
  view_ = std::make_unique<JobView>(scheduler, workload_, times_, columns_.nodes(), at(start_),
                                    [this](JobIndex j) { return nodes_of(j); });
}

// Moldable jobs: with another size, a job has another number of processes and of iterations.

void ProcessSimulation::mold(std::vector<Job>& jobs, std::vector<ProcessJob>& processes, JobDemands* demands,
                             ProcessJobOf process_job_of) {
  const std::int32_t per_node = options_.processors_per_node;
  molding_ = {MoldableJobs::make(jobs, limits_.molding, columns_.nodes(), per_node, demands), &processes,
              std::move(process_job_of)};
  for (JobIndex j = 0; molding_.jobs && j != jobs.size(); ++j)
    if (const auto* sizes = molding_.jobs->sizes(j); sizes != nullptr && !sizes->empty()) choose_size(j, 0);
}

void ProcessSimulation::choose_size(JobIndex j, std::size_t i) {
  molding_.jobs->choose(j, i);
  (*molding_.processes)[j] = molding_.process_job_of(j);
  admission_.believe(j, alone(j));
}

/// Which size each waiting job has that is planned for no time.
void ProcessSimulation::choose_sizes(Ns now) {
  if (!molding_.jobs || limits_.molding == Molding::kAsked) return;
  const bool by_room = limits_.molding == Molding::kFitsNow;
  for (const JobIndex j : admission_.waiting_jobs()) {
    const std::vector<JobSize>* const sizes = molding_.jobs->sizes(j);
    if (sizes == nullptr || admission_.is_planned(j)) continue;
    choose_size(j, molding_.jobs->best_of(j, *sizes, [&](std::size_t i) {
      choose_size(j, i);
      const std::optional<Ns> start = admission_.could_start(j, now, by_room);
      if (!start) return kNever;
      return at(by_room ? now : admission_.believed_end(j, *start));
    }));
  }
}

/// With one of its sizes, which it has then.
bool ProcessSimulation::can_ever_run(JobIndex j) {
  const std::vector<JobSize>* const sizes = molding_.jobs ? molding_.jobs->sizes(j) : nullptr;
  if (sizes == nullptr) return admission_.can_ever_run(j);
  for (std::size_t i = 0; i != sizes->size(); ++i) {
    choose_size(j, i);
    if (admission_.can_ever_run(j)) return true;
  }
  return false;
}

// What is believed of jobs.

/// From now on, where that may be another time than when the simulation was made.
void ProcessSimulation::believe(JobIndex j) {
  const Duration limit = alone(j);
  Duration time = limit;
  if (view_) time = view_->believed(j, limit);
  if (time < limit) believed_[j] = {time, 0};
  else believed_.erase(j);
  if (view_ || outages_ || demands_ != nullptr) admission_.believe(j, time);
}

/// Jobs that have outrun what was believed of them are believed to need more, as elsewhere (Corrections), up to their
/// limits. It is enough to know that when waiting jobs look for places.
void ProcessSimulation::correct_estimates(Ns now) {
  for (auto& [j, believed] : believed_) {
    const auto it = on_nodes_.find(j);
    if (it == on_nodes_.end()) continue;
    const Duration limit = alone(j);
    while (believed.time < limit && admission_.believed_end(j, ns(starts_[j])) <= now) {
      believed.time = std::min(limit, believed.time + Corrections::step(believed.corrected++));
      admission_.believe_started(j, believed.time, ns(starts_[j]));
      view_->correct(j, believed.time);
    }
  }
}

void ProcessSimulation::run() {
  std::int64_t idle_strobes = 0;
  while (done_ != jobs_.size()) {
    const Ns until = std::min({next_change(), next_strobe_, next_look_});
    const bool idle = processors_.next_event() == kUnknown && next_coming() == kUnknown &&
                      (next_strobe_ == kUnknown || idle_strobes > kMostIdleStrobes);
    if (idle && (next_opening() == kUnknown || !none_started())) break;
    const Ns due = next_due();
    Ns now = now_ = processors_.run_until(until);
    if (view_) view_->advance(at(now));
    bool changed = end_jobs(now) || now == due;
    changed |= kill_jobs(now);
    changed |= end_boots(now);
    const bool outage = handle_outages(now);
    changed |= handle_reservations(now);
    do {
      for (bool more = true; more; changed |= more) {  // who leaves may let others come
        more = submit(now);
        more |= withdraw(now);
      }
      if (!changed && !outage) break;
      correct_estimates(now);
      choose_sizes(now);
      admission_.admit(now, [&](const PlacedJob& p, StartReason reason) { start(p, reason, now); });
      if (options_.unstarted == Unstarted::kDrop) drop_waiting(now);
    } while (next_arrival() <= now);  // jobs that waited for a start
    if (changed || outage) settled(now);
    check_outages(outage, changed);
    if (options_.path == ProcessPath::kFast && (now == next_strobe_ || now == next_look_)) now = extrapolate(now);
    if (now == next_strobe_) {
      strobe(now);
      idle_strobes = processors_.next_event() == kUnknown ? idle_strobes + 1 : 0;
    }
    if (progress_) progress_(ended_);
  }
  if (!none_started() || admission_.waiting() != 0) left_for_ever();
}

void ProcessSimulation::left_for_ever() const {
  if (!running_.empty()) throw SimulationError("some processes never run: no time slot schedules them");
  throw SimulationError(fmt::format("{} {} for ever: nothing runs and nothing more happens", admission_.waiting(),
                                    admission_.waiting() == 1 ? "job waits" : "jobs wait"));
}

// Nodes that are down. A node is closed to jobs from when it is to go, and gone when no process is on it any more.

void ProcessSimulation::plan_maintenance(Time start) {
  for (const Outage& o : outages_->options().plan.listed)
    if (o.kind == OutageKind::kMaintenance && o.to > start) admission_.access().plan(o.nodes, ns(o.from), ns(o.to));
}

bool ProcessSimulation::handle_outages(Ns now) {
  if (next_outage() > now || next_outage() == kUnknown) return false;
  outages_->handle(at(now), done_);
  if (running_.empty()) next_strobe_ = next_look_ = kUnknown;
  if (options_.path != ProcessPath::kExact) advance_exclusive();
  return true;
}

void ProcessSimulation::is_gone(NodeId n) {
  occupancy_.take_down(n);
  if (power_) power_->goes_down(n, at(now_));
}

bool ProcessSimulation::bring_back(NodeId n) {
  admission_.access().open(n);
  const bool was_gone = occupancy_.bring_back(n);
  if (power_ && was_gone) power_->comes_back(n, at(now_));
  return was_gone;
}

/// Throws SimulationError if nodes come and go while jobs wait that never find enough of them.
void ProcessSimulation::check_outages(bool outage, bool other) {
  in_vain_ = outage && !other && none_started() ? in_vain_ + 1 : 0;
  if (in_vain_ < kMostOutagesInVain) return;
  throw SimulationError(fmt::format("at {} s: nodes have come and gone {} times while jobs waited and none could start",
                                    format_seconds(Duration{now_}), in_vain_));
}

void ProcessSimulation::interrupt_jobs_on(NodeId n) {
  std::vector<JobIndex> jobs;
  for (const StartedJob* job : occupancy_.jobs(n)) jobs.push_back(job->index);
  for (const JobIndex j : jobs) interrupt(j);
}

/// A node of the job failed.
void ProcessSimulation::interrupt(JobIndex j) {
  const double part = stop(j);
  const NodeRanges nodes = leave_machine(j);
  Interruption what;
  what.requeued = outages_->options().interrupted == AfterFailure::kRequeued;
  what.started = at(now_) - starts_[j];
  const Duration whole = times_.runtime(j);
  const Duration done = std::min(whole, Duration{static_cast<Ns>(part * static_cast<double>(whole.count()))});
  what.lost = what.requeued ? times_.interrupt(j, done, nullptr) : done;
  if (what.requeued && molding_.jobs && !times_.goes_on(j)) molding_.jobs->release(j);  // as RunningJobs::interrupt()
  for (Observer* o : observers_) o->interrupted(at(now_), j, nodes, what);
  outages_->nodes_left(nodes, at(now_));
  if (view_) view_->ended(j, starts_[j]);
  if (what.requeued) wait_again(j, now_);
  else leave(j, true, now_);
}

void ProcessSimulation::wait_again(JobIndex j, Ns now) {
  if (too_late(j, now)) return reject(j, Rejection::kOver, now);
  believe(j);
  admission_.submit_again(j, outages_->options().place);
  for (Observer* o : observers_) o->submitted(at(now), j);
  if (view_) view_->submitted(j, alone(j));
}

/// Removes the processes of a job. Returns what part of its work the job has done.
double ProcessSimulation::stop(JobIndex j) {
  const auto its = [j](const Running& r) { return r.job == j; };
  const auto it = std::ranges::find_if(running_, its);
  if (it == running_.end()) {
    std::erase_if(booting_, [j](const Booting& b) { return b.job.job == j; });
    return 0;
  }
  const double part = processors_.progress(it->group, now_);
  processors_.remove(it->group, now_);
  running_.erase(it);
  return part;
}

/// Returns the nodes that it had.
NodeRanges ProcessSimulation::leave_machine(JobIndex j) {
  admission_.release(j);
  const auto it = on_nodes_.find(j);
  const NodeRanges nodes = it->second.nodes;
  occupancy_.go(it->second);
  on_nodes_.erase(it);
  if (power_) power_->job_goes(j, nodes, at(now_));
  return nodes;
}

// Reservations of nodes: jobs that run go on in any case.

bool ProcessSimulation::handle_reservations(Ns now) {
  if (next_reservation() > now || next_reservation() == kUnknown) return false;
  while (const std::optional<ReservationClock::Event> event = reservations_->take(at(now))) {
    if (event->kind == ReservationClock::Kind::kAnnounced) admission_.access().announce(event->reservation);
    if (event->kind != ReservationClock::Kind::kLastEnd) continue;
    for (const JobIndex j : std::vector<JobIndex>(admission_.waiting_jobs()))
      if (demands_->only(j) == event->reservation) {
        give_up(j, Rejection::kOver, now);
      }
  }
  return true;
}

/// Whether the job runs in a reservation only that is over for good.
bool ProcessSimulation::too_late(JobIndex j, Ns now) const {
  const std::int32_t only = demands_ == nullptr ? -1 : demands_->only(j);
  return only >= 0 && demands_->reservations()[static_cast<std::size_t>(only)].last_end() <= at(now);
}

/// Rejects the waiting job.
void ProcessSimulation::give_up(JobIndex j, Rejection why, Ns now) {
  admission_.withdraw(j);
  reject(j, why, now);
  if (view_) view_->withdrawn(j);
}

void ProcessSimulation::reject(JobIndex j, Rejection why, Ns now) {
  for (Observer* o : observers_) o->rejected(at(now), j, why);
  leave(j, true, now);
}

/// How long the job is believed to take from its next start on, where no job shares its processors: as long as its
/// limit says, and longer on nodes that are slow, as no limit ends it there.
Duration ProcessSimulation::alone(JobIndex j) const {
  const double slowest = demands_ == nullptr ? 1 : demands_->slowest(j);
  const Duration limit = times_.limit(j);
  return slowest >= 1 ? limit : from_seconds(to_seconds(limit) / slowest);
}

/// Of the nodes of these processors; empty: all are 1.
std::vector<double> ProcessSimulation::speeds_of(const std::vector<std::int32_t>& columns) const {
  std::vector<double> speeds;
  if (demands_ == nullptr) return speeds;
  for (const std::int32_t c : columns) speeds.push_back(demands_->layout().kind_of(columns_.node_of(c)).speed);
  return speeds;
}

/// What is left of them, and as many more as take the time for checkpoints and for going on from one.
std::int64_t ProcessSimulation::iterations(JobIndex j) const {
  const std::int64_t all = jobs_[j].iterations;
  const Duration left = times_.runtime(j), alone = std::max(workload_[j].runtime, Duration{1});
  if (left == workload_[j].runtime) return all;
  const double part = static_cast<double>(left.count()) / static_cast<double>(alone.count());
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(all) * part + 0.5));
}

/// How many of them the limit allows: it is one of work, as that of other jobs which a policy lays over one another.
/// Returns the number of iterations that all processes have made when the job is at its limit.
std::int64_t ProcessSimulation::iterations_within_limit(const PlacedJob& placed, std::int64_t all) const {
  if (limits_.at_limit == AtLimit::kExtend) return all;
  const JobIndex j = placed.job;
  const std::int32_t partition = partition_of(placed);
  Duration over = limits_.over_limit;
  if (partition >= 0)
    over = demands_->layout().partitions[static_cast<std::size_t>(partition)].over_limit.value_or(over);
  const Duration allowed = times_.limit(j) + std::max(over - times_.beyond_limit(j), Duration{0});
  const Duration whole = times_.runtime(j);
  if (allowed >= whole) return all;
  return std::max<std::int64_t>(1, share_of(all, allowed.count(), whole.count()));
}

std::int32_t ProcessSimulation::partition_of(const PlacedJob& placed) const {
  return demands_ == nullptr ? -1 : demands_->unit(demands_->demand(placed.job)[placed.choice]).partition;
}

/// Tells all observers that the instant is over.
void ProcessSimulation::settled(Ns now) {
  std::vector<bool> used(static_cast<std::size_t>(processors_.count()), false);
  for (const PlacedJob& p : admission_.placed())
    for (const std::int32_t c : p.columns) used[static_cast<std::size_t>(c)] = true;
  std::vector<std::int32_t> columns;
  for (std::int32_t c = 0; c < processors_.count(); ++c)
    if (used[static_cast<std::size_t>(c)]) columns.push_back(c);
  const InstantState state{at(now), static_cast<std::int32_t>(admission_.waiting()), occupancy_.used_nodes(),
                           static_cast<std::int64_t>(columns.size()), occupancy_.down().count()};
  for (Observer* o : observers_) {
    o->passed(at(now));
    o->settled(state);
  }
}

ProcessAccount ProcessSimulation::account() const {
  ProcessAccount a{.events = processors_.events(), .strobes = strobes_, .slots = slots_, .empty_slots = empty_slots_};
  for (ProcessId p = 0; p < processors_.processes(); ++p) {
    a.computing += Duration{processors_.process(p).used};
    a.polling += Duration{processors_.process(p).spun};
  }
  for (const Processor& c : processors_.all()) {
    a.switching += Duration{c.switching};
    a.blocked += Duration{c.blocked};
  }

  return a;
}

ProcessRecord ProcessSimulation::record() const {
  return {.processors = processors_.count(),
          .exact = options_.path == ProcessPath::kExact,
          .extrapolated = Duration{extrapolation_.skipped()},
          .extrapolations = extrapolation_.skips(),
          .error_bound = Duration{extrapolation_.error_bound()},
          .classes = rules_.classes,
          .last_class = classes_,
          .changes = changes_,
          .account = account()};
}

bool ProcessSimulation::end_jobs(Ns now) {
  const std::size_t before = ended_;
  for (const std::int32_t g : processors_.take_finished()) {
    const auto it = std::ranges::find_if(running_, [&](const Running& r) { return r.group == g; });
    const Running its = *it;
    running_.erase(it);
    end(its.job, g, now > its.told, now);
  }
  if (running_.empty()) next_strobe_ = next_look_ = kUnknown;
  return ended_ != before;
}

/// The job, which has no processes any more, is over.
void ProcessSimulation::end(JobIndex j, std::int32_t group, bool killed, Ns now) {
  const NodeRanges nodes = leave_machine(j);
  ends_[j] = at(now);
  ++ended_;
  for (const Process& p : processors_.members(processors_.group(group))) classes_[j].push_back(p.cls);
  for (Observer* o : observers_) o->ended(at(now), j, nodes, killed);
  times_.end(j);
  leave(j, killed, now);
  if (view_) view_->ended(j, starts_[j]);
  if (outages_) outages_->nodes_left(nodes, at(now));
}

// Limits: a job that reaches its own is killed when limits are looked at next, and gone some time later.

bool ProcessSimulation::kill_jobs(Ns now) {
  const std::vector<std::int32_t> at_limit = processors_.take_at_limit();
  for (Running& r : running_) {
    if (std::find(at_limit.begin(), at_limit.end(), r.group) == at_limit.end()) continue;
    r.told = ns(limits_.killed_at(at(now)));
    r.gone = r.told + limits_.kill_wait.count();
  }
  const std::size_t before = ended_;
  for (const Running& r : std::vector<Running>(running_)) {
    if (r.gone > now) continue;
    stop(r.job);
    end(r.job, r.group, true, now);
  }
  if (running_.empty()) next_strobe_ = next_look_ = kUnknown;
  if (!at_limit.empty() && options_.path != ProcessPath::kExact) advance_exclusive();
  return ended_ != before;
}

Ns ProcessSimulation::next_kill() const {
  Ns next = kUnknown;
  for (const Running& r : running_) next = std::min(next, r.gone);
  return next;
}

bool ProcessSimulation::submit(Ns now) {
  bool any = false;
  for (; next_arrival() <= now && next_arrival() != kUnknown; any = true) {
    const JobIndex job = feed_.pop();
    if (const Release* release = feed_.release_of(job))
      for (Observer* o : observers_) o->released(at(now), job, *release);
    for (Observer* o : observers_) o->submitted(at(now), job);
    if (can_ever_run(job) && !too_late(job, now)) enter(job);
    else reject(job, Rejection::kNeverFits, now);
  }
  return any;
}

/// How it writes checkpoints is part of what is believed of it.
void ProcessSimulation::enter(JobIndex job) {
  if (outages_ && outages_->options().interval_of) {
    const std::int32_t nodes = nodes_for(jobs_[job].size, options_.processors_per_node);
    times_.set_checkpoints(job, {outages_->options().interval_of(nodes), std::nullopt});
  }
  if (view_)
    if (const std::optional<OwnCheckpoints> own = view_->checkpoints(job)) times_.set_checkpoints(job, *own);
  believe(job);
  admission_.submit(job);
  if (view_) view_->submitted(job, alone(job));
}

bool ProcessSimulation::withdraw(Ns now) {
  bool any = false;
  for (; next_withdrawal() <= now && next_withdrawal() != kUnknown; any = true) {
    const JobIndex job = feed_.pop_withdrawal();
    const bool waits = feed_.has_entered(job);
    if (waits) admission_.withdraw(job);
    for (Observer* o : observers_) o->withdrawn(at(now), job);
    leave(job, true, now);
    if (waits && view_) view_->withdrawn(job);
  }
  return any;
}

void ProcessSimulation::drop_waiting(Ns now) {
  for (const JobIndex job : std::vector<JobIndex>(admission_.waiting_jobs())) give_up(job, Rejection::kNotAtOnce, now);
}

void ProcessSimulation::start(const PlacedJob& placed, StartReason reason, Ns now) {
  const JobIndex job = placed.job;
  for (Observer* o : observers_) o->decided(at(now), job, reason);
  StartedJob& started = on_nodes_[job];
  started.index = job;
  started.nodes = columns_.nodes_of(placed.columns);
  occupancy_.come(started);
  JobBoot boot;
  if (power_) boot = power_->job_comes(job, started.nodes, at(now));
  starts_[job] = at(now);
  feed_.began(job, at(now));
  if (molding_.jobs) molding_.jobs->fix(job);
  if (view_) view_->started(job);
  if (demands_ != nullptr) {
    for (Observer* o : observers_) o->placed(at(now), job, {}, partition_of(placed));
  }
  for (Observer* o : observers_) o->started(at(now), job, started.nodes);
  if (boot.wait == Duration{0}) return begin(placed, now);
  for (Observer* o : observers_) o->booting(at(now), job, boot.wait, boot.off);
  booting_.push_back({placed, now + boot.wait.count()});
}

Ns ProcessSimulation::next_boot() const {
  Ns next = kUnknown;
  for (const Booting& b : booting_) next = std::min(next, b.up);
  return next;
}

bool ProcessSimulation::end_boots(Ns now) {
  bool any = false;
  for (Booting& b : std::exchange(booting_, {})) {
    if (b.up > now) {
      booting_.push_back(std::move(b));
      continue;
    }
    begin(b.job, now);
    any = true;
  }
  return any;
}

/// Its processes come into being.
void ProcessSimulation::begin(const PlacedJob& placed, Ns now) {
  const auto& [job, row, columns, believed_end, choice] = placed;
  const Program& program = programs_[static_cast<std::size_t>(jobs_[job].program)];
  const std::int64_t all = iterations(job);
  const std::int32_t group =
      processors_.add(job, program, all, columns, row, now, speeds_of(columns), iterations_within_limit(placed, all));
  if (running_.empty()) {
    active_row_ = row;
    if (rules_.slice > Duration{0}) next_strobe_ = (now / rules_.slice.count() + 1) * rules_.slice.count();
    else if (options_.path == ProcessPath::kFast) next_look_ = now + kLook;
  }
  for (const std::int32_t c : columns) decide(c, now);
  running_.push_back({job, group, row});
  if (options_.path != ProcessPath::kExact) processors_.advance_exclusive(group, next_decision());
}

void ProcessSimulation::decide(std::int32_t processor, Ns now) {
  const ProcessId own = processors_.resident(processor, active_row_);
  const ProcessFacts facts = own == kNoProcess ? ProcessFacts{} : processors_.facts(own);
  processors_.set_mode(processor, coscheduler_.slot(own == kNoProcess ? nullptr : &facts), own, now);
}

/// The same for all processors. What a mode changes on one of them, no other process's facts depend on.
void ProcessSimulation::decide_all(Ns now) {
  const auto count = static_cast<std::size_t>(processors_.count());
  std::vector<ProcessFacts> facts(count);
  std::vector<const ProcessFacts*> next(count, nullptr);
  std::vector<ProcessId> own(count);
  for (std::size_t c = 0; c < count; ++c) {
    own[c] = processors_.resident(static_cast<std::int32_t>(c), active_row_);
    if (own[c] == kNoProcess) continue;
    facts[c] = processors_.facts(own[c]);
    next[c] = &facts[c];
  }
  const std::vector<ModeId> modes = coscheduler_.slots(next);
  for (std::size_t c = 0; c < count; ++c) processors_.set_mode(static_cast<std::int32_t>(c), modes[c], own[c], now);
}

void ProcessSimulation::strobe(Ns now) {
  ++strobes_;
  classify_row(now);
  active_row_ = admission_.matrix().next_row(active_row_);
  decide_all(now);
  next_strobe_ = now + rules_.slice.count();
  if (options_.path != ProcessPath::kExact) advance_exclusive();
}

/// Every process at the end of its assigned slot.
void ProcessSimulation::classify_row(Ns now) {
  std::vector<ProcessId> processes;
  for (std::int32_t c = 0; c < processors_.count(); ++c) {
    const ProcessId p = processors_.resident(c, active_row_);
    ++slots_;
    empty_slots_ += p == kNoProcess;
    if (p == kNoProcess) continue;
    processors_.bring_up(c, now);
    processors_.count_slot(p);
    processes.push_back(p);
  }
  if (rules_.classifies) classify(processes, now);
}

void ProcessSimulation::classify(const std::vector<ProcessId>& processes, Ns now) {
  std::vector<ProcessFacts> facts;
  for (const ProcessId p : processes) facts.push_back(processors_.facts(p));
  const std::vector<Classification> verdicts = coscheduler_.classify_all(facts);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (verdicts[i].cls != facts[i].cls) changes_.push_back({at(now), facts[i].job, facts[i].rank, verdicts[i].cls});
    processors_.set_class(processes[i], verdicts[i]);
  }
}

/// At the end of a slot, or without slots now and then: goes on by measured rates as far as nothing changes. Returns
/// the instant to go on from, at which the same strobe is due.
Ns ProcessSimulation::extrapolate(Ns now) {
  const bool slots = rules_.slice > Duration{0};
  const OusterhoutMatrix& matrix = admission_.matrix();
  if (!slots) next_look_ = now + kLook;
  std::int32_t live_rows = 0;
  for (std::int32_t row = 0; row < matrix.rows(); ++row) live_rows += !matrix.empty_row(row);
  const Ns cycle = slots ? live_rows * rules_.slice.count() : kLook;
  std::vector<std::int32_t> groups;
  for (const Running& r : running_) groups.push_back(r.group);
  extrapolation_.look(now, cycle, groups);
  std::int64_t cycles = extrapolation_.cycles_left();
  if (next_change() != kUnknown) cycles = std::min(cycles, (next_change() - now - 1) / cycle);
  if (rules_.classifies && cycles > 0) cycles = cycles_in_classes(cycles);
  if (cycles > 0) {
    extrapolation_.skip(cycles);
    const Ns span = cycles * cycle;
    if (slots) {
      next_strobe_ += span;
      strobes_ += cycles * live_rows;
      slots_ += cycles * live_rows * processors_.count();
      for (std::int32_t row = 0; row < matrix.rows(); ++row)
        if (!matrix.empty_row(row)) empty_slots_ += cycles * matrix.free_columns(row);
    } else {
      next_look_ += span;
    }
    now += span;
  }
  if (!slots) advance_exclusive();
  return now;
}

bool ProcessSimulation::keeps_class(ProcessId p, std::int64_t cycles) {
  const ProcessFacts facts = extrapolation_.facts_after(p, cycles);
  const Classification verdict = coscheduler_.classify(facts);
  return verdict.cls == facts.cls && !verdict.reset;
}

bool ProcessSimulation::keep_classes(std::int64_t cycles) {
  for (const Running& r : running_)
    for (const Process& p : processors_.members(processors_.group(r.group)))
      if (p.phase != ProcessPhase::kDone && !keeps_class(p.self, cycles)) return false;
  return true;
}

/// For how many of these cycles every process keeps its class. The first process of each class in each job is asked for
/// all of its slots, because a policy may count them; the others for the last one, and by halves if that is too far.
std::int64_t ProcessSimulation::cycles_in_classes(std::int64_t cycles) {
  for (const Running& r : running_) {
    std::vector<bool> seen(rules_.classes.size(), false);
    for (const Process& p : processors_.members(processors_.group(r.group))) {
      if (p.phase == ProcessPhase::kDone || seen[p.cls]) continue;
      seen[p.cls] = true;
      for (std::int64_t k = 1; k <= cycles; ++k)
        if (!keeps_class(p.self, k)) cycles = k - 1;
    }
  }
  if (cycles == 0 || keep_classes(cycles)) return cycles;
  std::int64_t keep = 0, lose = cycles;
  while (lose - keep > 1) {
    const std::int64_t middle = keep + (lose - keep) / 2;
    (keep_classes(middle) ? keep : lose) = middle;
  }
  return keep;
}

}  // namespace coslice
