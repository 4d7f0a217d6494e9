#include "run/running_jobs.h"

#include <algorithm>
#include <cassert>
#include <functional>

#include <fmt/format.h>

#include "availability/shared_node_availability.h"
#include "core/error.h"
#include "core/refusals.h"
#include "run/cores_in_use.h"

namespace coslice {
namespace {

constexpr Duration kShortest{1};

bool lacks_licence(const RunningRoom& room, const StartedJob& job, const StartedJob& holder) {
  const std::vector<LicenceUse>& held = room.request(holder.unit).licences;
  const std::vector<LicenceUse>& asked = room.request(job.unit).licences;
  return std::ranges::any_of(asked, [&](const LicenceUse& use) {
    return room.pool().licences_left(use.licence) < use.count &&
           std::ranges::any_of(held, [&](const LicenceUse& h) { return h.licence == use.licence; });
  });
}

/// Whether the job could not start because of what the other one has.
bool in_the_way(const RunningRoom& room, const StartedJob& job, const Parts& parts, const StartedJob& other) {
  if (lacks_licence(room, job, other)) return true;
  return std::ranges::any_of(parts, [&](const NodePart& part) {
    const auto there = [&](const NodePart& p) { return p.node == part.node; };
    return !room.has(job, part) && std::ranges::any_of(other.parts, there);
  });
}

/// What the job waits for on its nodes, their boot or its memory, is over at t; unless its reservation, which is over
/// at `gone`, ends it before.
void wait_on_nodes(EndQueue& ends, StartedJob& job, Time t, Time gone) {
  job.killed = gone < t;
  ends.add(job, std::min(t, gone), !job.killed);
}

/// The job stands still until it goes on, or its reservation ends it.
void stand_still(EndQueue& ends, StartedJob& job, Time gone) {
  if (gone == kNever) return;
  job.killed = true;
  ends.add(job, gone);
}

}  // namespace

RunningJobs::RunningJobs(const MachineSpec& machine, const std::vector<Job>& jobs, const SliceOptions& slices,
                         const EngineOptions& options, const OutageOptions* outages,
                         std::optional<SharingOptions> sharing, const SimulationResources& resources, Lanes& classes,
                         const SliceClock& clock, const std::vector<Observer*>& observers)
    : jobs_(jobs), slices_(slices), sliced_(!slices.classes.empty()), limits_are_work_(sliced_ || sharing),
      options_(options), classes_(classes), clock_(clock), observers_(observers),
      times_(jobs, options, outages == nullptr ? CheckpointOptions{} : outages->checkpoints), machine_(machine),
      occupied_(machine.nodes), running_(machine.nodes), memory_(slices, machine.nodes, jobs.size()),
      on_record_(sliced_ && resources.history != nullptr),
      history_(resources.history != nullptr && resources.history->knows_nodes() ? resources.history : nullptr) {
  if (sharing) shared_.emplace(std::move(*sharing), machine, jobs);
  if (sliced()) {
    class_.reserve(jobs.size());
    for (const Job& job : jobs)
      class_.push_back(static_cast<std::uint8_t>(class_of_estimate(slices.classes, job.limit)));
  }
  if (limits_are_work()) {
    allocations_.emplace(machine.nodes, std::max<std::size_t>(slices.classes.size(), 1));
    nodes_ = {NodeSet(machine.nodes), NodeSet(machine.nodes)};
  }
  const bool maintained = outages != nullptr && outages->plan.has(OutageKind::kMaintenance);
  const bool placed = !resources.placements.empty() || history_ != nullptr;
  if (names_kinds(machine) || maintained || resources.reservations != nullptr || placed ||
      resources.contention != nullptr)
    demands_ = std::make_unique<JobDemands>(machine, jobs, resources.requests, options, resources.reservations,
                                            shared_.has_value());
  if (demands_ && demands_->any_components()) refuse_components(resources);
  const bool only_ranked = limits_are_work() && std::ranges::none_of(resources.placements, [](const Placement* p) {
                             return p->may_decline();
                           });
  // Under slices and in groups, what is planned for all nodes alike is a matter of a count, too.
  const bool plans_for_all = limits_are_work_ && demands_ && demands_->one_count_with_windows() &&
                             (!maintained || std::ranges::all_of(outages->plan.listed, [&](const Outage& o) {
                               return o.kind != OutageKind::kMaintenance || o.nodes.count() == machine.nodes;
                             }));
  const bool by_count = demands_ && (plans_for_all || (demands_->one_count() && !maintained));
  by_node_ = demands_ && !(by_count && (only_ranked || !placed) && resources.contention == nullptr);
  if (shared_ && by_node_) shared_->use(*demands_);
  if (demands_ && !by_node_ && !resources.placements.empty()) {
    ranked_.by_class = resources.placements;
    ranked_.pool.emplace(demands_->layout());
  }
  if (memory_.modelled() && slices.swapping == Swapping::kWholeJobs && (sharing || by_node_))
    fail_together(sharing                           ? Feature::kGroups
                  : resources.contention != nullptr ? Feature::kContention
                                                    : Feature::kHeterogeneous,
                  Feature::kWholeMemory);
  if (resources.power != nullptr)
    power_.emplace(*resources.power, allocations_ ? allocations_->allocated() : occupied_, jobs.size(),
                   resources.start.value_or(jobs.empty() ? Time{} : jobs.front().submit));
  if (resources.contention != nullptr) {
    if (&getting_on() == &running_) running_.list_jobs();
    contention_.emplace(*demands_, *resources.contention, getting_on());
  }
  if (by_node_) use_placements(resources);
  if (shared_ || resources.contention != nullptr || (by_node_ && limits_are_work())) occupied_.list_jobs();
}

/// Each class has a ledger that distinguishes all nodes.
void RunningJobs::use_placements(const SimulationResources& resources) {
  if (limits_are_work()) room_ = std::make_unique<RunningRoom>(*demands_);
  placements_.resize(std::max<std::size_t>(slices_.classes.size(), 1));
  for (std::size_t c = 0; c != placements_.size(); ++c) {
    PlacementOfClass& its = placements_[c];
    if (!resources.placements.empty()) {
      its.placement = resources.placements[c];
    } else if (limits_are_work()) {
      its.as_options_say = std::make_unique<NodesFirst>([this, c](JobIndex j, std::int32_t n, const NodeSet& fitting) {
        return choose_for(classes_[c].view, j, n, fitting);
      });
      its.placement = its.as_options_say.get();
    }
    if (history_ == nullptr) continue;
    its.as_on_record = std::make_unique<RecordedPlacement>(*history_, its.placement);
    its.placement = its.as_on_record.get();
  }
}

std::unique_ptr<NodeAvailability> RunningJobs::make_ledger(std::size_t job_class, Time start) {
  if (!by_node_) return nullptr;
  if (!limits_are_work()) {
    auto ledger = make_node_availability(*demands_, placements_[job_class].placement, occupied_, start);
    if (ledger->directs()) occupied_.list_jobs();
    return ledger;
  }
  auto ledger = std::make_unique<SharedNodeAvailability>(*demands_, &placement(job_class), Time{});
  if (StartChoice* const choice = choice_of_starts(job_class)) ledger->show_starts(*choice);
  return ledger;
}

std::int32_t RunningJobs::nodes_of(JobIndex j) const {
  if (shared_) return shared_->nodes_alone(j);
  return demands_ ? demands_->request(j).nodes : nodes_for(jobs_[j].size, options_.ppn(machine_));
}

/// On the slowest nodes where they differ.
Rate RunningJobs::rate_alone(JobIndex j) const {
  if (!shared_ && !demands_) return Rate{};
  return Rate::of_slowdown(shared_       ? shared_->slowdown_alone(j)
                           : contention_ ? contention_->slowest_alone(j)
                                         : 1 / demands_->slowest(j));
}

Duration RunningJobs::planned_alone(JobIndex j) const {
  const Duration planned = times_.planned(j);
  if (plans_work()) return time_alone(j, planned);
  if (!by_node_ || options_.at_limit == AtLimit::kKill) return planned;
  return std::max(times_.limit(j), Work(times_.runtime(j)).time_at(rate_alone(j)));
}

Duration RunningJobs::time_alone(JobIndex j, Duration believed) const {
  return plans_work() ? std::max(Duration{1}, Work(believed).time_at(rate_alone(j))) : believed;
}

Duration RunningJobs::believed_alone(JobIndex j) const {
  const std::optional<Duration> own = lane_of(j).view.own_estimate(j);
  return own ? time_alone(j, *own) : planned_alone(j);
}

std::vector<StartedJob*> RunningJobs::jobs_with(NodeId n) const {
  if (allocations_) return {allocations_->jobs(n).begin(), allocations_->jobs(n).end()};
  std::vector<StartedJob*> found;
  const std::int32_t jobs = jobs_on(n);
  const NodeRanges node = as_ranges({n});
  for (StartedJob& job : classes_.front().view.started_jobs()) {
    if (std::ssize(found) == jobs) break;
    if (common_nodes(job.nodes, node) != 0) found.push_back(&job);
  }
  return found;
}

void RunningJobs::mold(std::vector<Job>& jobs) {
  molding_ = MoldableJobs::make(jobs, options_.molding, machine_.nodes, options_.ppn(machine_), demands_.get());
  if (!molding_) return;
  molding_->try_by([this](JobIndex j, std::size_t i) { return choose_size(j, i); });
  use_elastic();
}

Duration RunningJobs::choose_size(JobIndex j, std::size_t i) {
  molding_->choose(j, i);
  Lane& lane = lane_of(j);
  if (lane.ledger) lane.ledger->asks_anew();
  if (shared_) shared_->ask_ppn(lane.view, j);
  return planned_alone(j) + longest_boot();
}

std::optional<Duration> RunningJobs::take_gpu_instance(JobIndex j, std::int32_t kind, std::int32_t slice) {
  if (divided_ == nullptr) throw SimulationError("the machine has no GPUs that can be divided (machine.nodes.slices)");
  const JobDemands::OfGpuInstance* taken = nullptr;
  if (slice != 0) {
    if (contention_->expected_on_gpu_instance(j, kind, slice) == 0) return std::nullopt;
    const std::int32_t slices = demands_->layout().kinds[static_cast<std::size_t>(kind)].slices;
    for (const JobDemands::OfGpuInstance& s : demands_->gpu_instances(j))
      if (s.slice == slice && s.slices == slices) taken = &s;
  }
  (*divided_)[j].request = demands_->choose_gpu_instance(j, taken);
  lane_of(j).ledger->asks_anew();
  return believed_alone(j) + longest_boot();
}

NodeRanges RunningJobs::choose_for(const View& view, JobIndex j, std::int32_t count, const NodeSet& admissible) {
  if (history_ != nullptr)
    if (const NodeRanges* const nodes = history_->nodes_of(j, count, count, admissible)) return *nodes;
  if (ranked_.pool) {
    Request request = demands_->request(j);
    request.nodes = count;
    Parts parts;
    ranked_.by_class[class_of(j)]->choose(j, request, *ranked_.pool, admissible, parts);
    return nodes_in(parts);
  }
  if (!sliced()) return admissible.lowest(count);
  const NodeQuestion question{&view, j, count, &admissible, memory_.need(j)};
  return choose_nodes(question, slices_, *allocations_,
                      [this](StartedJob& s) { return clock_.after(class_of(s), s.planned_left.time_at(s.rate)); });
}

/// What the nodes and the jobs on them make of a job that has just got them.
double RunningJobs::slowdown(const StartedJob& job) const {
  if (shared_) return shared_->slowdown_alone(job);
  if (!contention_) return 1 / demands_->layout().slowest_speed(job.nodes);
  const double slowdown = contention_->slowdown(job);
  if (slowdown > kSlowest)
    throw SimulationError(
        fmt::format("job {} is slowed down {:.4g} times by the jobs on its nodes; at most {:.0f} times "
                    "can be simulated",
                    jobs_[job.index].id, slowdown, kSlowest));
  return slowdown;
}

/// The job has its nodes, and comes into being there.
void RunningJobs::begin_job(StartedJob& job) {
  const JobIndex j = job.index;
  if (allocations_) allocations_->add(job, class_of(job), memory_.need(j));
  job.start = now();
  JobBoot boot;
  if (power_) boot = power_->job_comes(j, job.nodes, now());
  job.begin(now(), times_.runtime(j), planned_work(job));
  // It does nothing yet, but is known to be as fast when observers hear that it has started.
  job.phase = Phase::kPreempted;
  if (by_node_) set_rate(job, slowdown(job));
  if (elastic_) begin_elastic(job);
  if (demands_ && !by_node_) job.unit = demands_->demand(j).front();
  if (demands_) {
    const std::int32_t partition = demands_->unit(job.unit).partition;
    for (Observer* o : observers_) o->placed(now(), j, job.parts, partition);
  }
  if (molding_) molding_->fix(j);
  for (Observer* o : observers_) o->started(now(), j, job.nodes);
  if (boot.wait > Duration{0})
    for (Observer* o : observers_) o->booting(now(), j, boot.wait, boot.off);
  if (on_start_) on_start_(j);
  if (options_.event_order == EventOrder::kEndsFirst) lane_of(job.index).scheduler.started(*job.view, j);
  memory_.add(job);
}

/// What its scheduler believes that it has to do. A job that took another size while it waits is held for its limit.
Work RunningJobs::planned_work(const StartedJob& job) const {
  const Duration planned = times_.planned(job.index);
  if (!plans_work() || job.believed - longest_boot() >= planned_alone(job.index)) return Work(planned);
  return Work(std::min(planned, job.view->own_estimate(job.index).value_or(planned)));
}

void RunningJobs::start(StartedJob& job) {
  if (job.nodes.empty()) job.nodes = choose_for(*job.view, job.index, job.node_count, occupied_.idle());
  begin_job(job);
  if (contention_) speeds_.changed.push_back(&job);
  set_going(job);
}

void RunningJobs::start(StartedJob& job, const NodeSet& admissible) {
  if (job.nodes.empty()) job.nodes = choose_for(*job.view, job.index, job.node_count, admissible);
  begin_job(job);
  if (shared_) {
    shared_->start_alone(job);
    set_rate(job, shared_->slowdown_alone(job));
  }
  set_going(job);
}

void RunningJobs::set_going(StartedJob& job, bool again) {
  const CoresInUse cores(job, jobs_[job.index].size, occupied_, demands_.get());
  occupied_.come(job);
  used_cores_ += cores.come();
  if (room_) room_->enter(job);
  if (sliced()) going_.push_back(&job);
  job.foreign = !in_own_slice(job);
  if (leaves_in_slice(job) < job.expected_end) hold_rest(job);
  proceed(job, again && (limits_are_work() || contention_));
}

/// The job, which has its nodes, waits until they are up, then until its memory is loaded, and progresses. `again`: it
/// stopped meanwhile.
void RunningJobs::proceed(StartedJob& job, bool again) {
  const Duration boot = boot_left(job), load = memory_.missing(job);
  if (boot > Duration{0} && again)
    for (Observer* o : observers_) o->booting(now(), job.index, boot, 0);
  if (boot > Duration{0} && (limits_are_work() || contention_)) {  // it slows no others down before
    job.enter(Phase::kBooting, now());
    wait_on_nodes(ends_, job, later(now(), boot), reservation_over(job));
  } else if (load > Duration{0}) {
    job.enter(Phase::kLoading, now());
    ++counts_.loads;
    for (Observer* o : observers_) o->loading(now(), job.index, load);
    wait_on_nodes(ends_, job, later(now(), load), reservation_over(job));
    if (!job.foreign) hold_rest(job);
  } else {
    if (memory_.modelled()) transfer(job, load);
    job.enter(Phase::kRunning, now());
    job.since = later(now(), boot);
    schedule_end(job);
    if (elastic_) begin_elastic(job);
    if (contention_) run_beside(job);
  }
}

/// When the job's work is done at its rate, unless its limit ends it.
void RunningJobs::schedule_end(StartedJob& job) {
  if (ends_outside_) return wait_for_end(job);
  const bool goes_on = is_elastic(job.index) && elastic_->knows(job.index);
  const Duration least = in_pass_ && (by_node_ || limits_are_work() || goes_on) ? kShortest : Duration{0};
  const Duration rest = job.work_left.time_at(job.rate), left = std::max(rest, least);
  if (left == Work::kEndless && limits_are_work())
    throw SimulationError(
        fmt::format("job {} would run for more than 146 years: it progresses {:.4g} times slower than alone",
                    jobs_[job.index].id, 1 / job.rate.value()));
  Time end = left < Work::kEndless ? later(std::max(job.since, now()), left) : kNever;
  job.killed = false;
  if (options_.at_limit == AtLimit::kKill) {
    Time last = told_to_end(job);
    const Time gone = gone_at_last(job, last);
    // It may be told at this instant, in a pass: then it ends in the next nanosecond, by itself or not.
    const bool over =
        goes_on && !limits_are_work_ && rest < Work::kEndless && later(std::max(job.since, now()), rest) > last;
    if (limits_are_work_ || goes_on) last = std::max(last, later(now(), least));
    // Less than a nanosecond beyond its limit, it has not ended by itself.
    const auto beyond = [&] {
      return !options_.limit_check && times_.runtime(job.index) > times_.limit(job.index) + overtime(job);
    };
    job.killed = end > last || over || (limits_are_work_ && end == last && beyond());
    end = std::min(end, std::max(last, gone));
  }
  ends_.add(job, end);
  correct_later(job);
}

/// Where it is believed to end before it does, in a slice of its class.
void RunningJobs::correct_later(StartedJob& job) {
  if (!in_own_slice(job)) return;
  if (plans_work() && !(job.planned_left < job.work_left)) return;
  Time found = plans_work() ? later(job.since, job.planned_left.time_at(job.rate)) : job.expected_end;
  // Its nodes may be held for longer: they might have had to come up first.
  if (limits_are_work() && job.group == nullptr)
    found = std::max(found, later(now(), std::max(job.expected_end - job.view->now(), Duration{0})));
  if (ends_outside_ && found >= later(job.start, planned_alone(job.index)))
    return corrections_.add_at_limit(job, found);
  if (found < job.next_event && found <= clock_.slice().productive_end) corrections_.add(job, found);
}

/// Whether the job, which goes on at that rate, is there although it was believed to have ended by now. In a slice of
/// another class that is found when it stops.
bool RunningJobs::has_outrun(const StartedJob& job, Rate rate) const {
  const bool found =
      job.phase == Phase::kPreempted || (job.phase == Phase::kRunning && !job.foreign && in_own_slice(job));
  return plans_work() && found && job.planned_left < job.work_left && job.planned_left.time_at(rate) <= Duration{0};
}

/// When the job will have ended whatever is believed of it, as far as a scheduler can know.
Time RunningJobs::over_at_last(const StartedJob& job) {
  if (options_.at_limit == AtLimit::kKill) {
    const Time told = told_to_end(job);
    if (job.phase == Phase::kPreempted) stands_still(job);  // it is not told while it does not run
    return gone_at_last(job, told);
  }
  const Work done = Work(times_.runtime(job.index)) - job.work_left;
  return later(now(), (Work(times_.planned(job.index)) - done).time_at(job.rate));
}

/// The job has outrun what it was believed to need: it is believed to need more.
void RunningJobs::believe_more(StartedJob& job) {
  const Time until = std::min(later(now(), Corrections::step(job.corrected++)), over_at_last(job));
  job.planned_left = Work::done(std::max(until - now(), kShortest), job.rate);
  const Work done = Work(times_.runtime(job.index)) - job.work_left;
  job.view->believe(job.index, (done + job.planned_left).time_at(Rate{}));
  Lane& lane = lane_of(job.index);
  lane.scheduler.corrected(*job.view, job.index);
  lane.corrected = true;
}

/// Reservations that do not fit beside that any more move later.
void RunningJobs::correct(StartedJob& job) {
  HostedView& view = *job.view;
  const JobIndex j = job.index;
  if (job.phase == Phase::kSuspended) return correct_suspended(job);
  if (plans_work()) {
    account(job);
    if (job.planned_left.time_at(job.rate) <= Duration{0}) return hold_rest(job);
    return correct_later(job);  // it is held for longer than when this was planned
  }
  const Duration stopped = (suspended_ ? suspended_->time_suspended(j, now()) : Duration{0}) + boot_of(j);
  const Time last = time_over(job, planned_alone(j));
  const bool goes_on = ends_outside_ && last <= now();  // and it has not been ended
  const Time until =
      std::min(later(now(), Corrections::step(job.corrected++)), goes_on ? kNever : gone_at_last(job, last));
  view.hold(job, job.held, until);
  view.believe(j, until - job.start - stopped);
  lane_of(job.index).scheduler.corrected(view, j);
  correct_later(job);
}

/// What has been done so far counts at the speed at which it was done.
void RunningJobs::account(StartedJob& job) {
  if (job.phase != Phase::kRunning) return;
  const Time since = job.since;
  const Work done = job.count(now());
  if (job.group == nullptr) return;
  job.group->useful += jobs_[job.index].size * done.seconds();
  if (job.group->primary == &job) job.group->productive += now() - since;
}

void RunningJobs::set_rate(StartedJob& job, double slowdown) {
  const Rate rate = Rate::of_slowdown(slowdown);
  if (rate == job.rate) return;
  account(job);
  job.rate = rate;
  for (Observer* o : observers_) o->rate_changed(now(), job.index, rate);
  if (job.phase == Phase::kRunning) schedule_end(job);
}

/// The view holds the job's nodes for what it still has to do, as far as its scheduler believes.
void RunningJobs::hold_rest(StartedJob& job) {
  if (job.group != nullptr) return hold_group(*job.group);
  HostedView& view = *job.view;
  if (job.phase == Phase::kSuspended) {
    suspended_->plan(job.index, std::max(job.planned_left.time_at(job.rate), Duration{1}));
    return hold_suspended(job);
  }
  const Duration loading = loading_left(job);
  account(job);
  // The slowdown of a foreign job is not told to its own class, whose reservations would then wait for the job.
  const Rate rate = job.foreign && contention_ ? Rate::of_slowdown(contention_->slowest_alone(job.index)) : job.rate;
  if (has_outrun(job, rate)) believe_more(job);
  const Time end = later(view.now(), loading + standstill_left(job) + job.planned_left.time_at(rate));
  if (is_elastic(job.index) && elastic_->knows(job.index) && elastic_->order(job.index).nodes != 0) hold_order(job);
  else view.hold(job, own_nodes(job), std::min(end, leaves_in_slice(job)));
  hold_lenders_of(job);
  if (plans_work() && job.phase == Phase::kRunning) correct_later(job);
}

/// Without what it has borrowed, which is held by its lenders.
std::int32_t RunningJobs::own_nodes(const StartedJob& job) const {
  return suspended_ ? job.node_count - suspended_->lent_to(job.index).count() : job.node_count;
}

void RunningJobs::go_on_in_own_slice(StartedJob& job) {
  job.foreign = !in_own_slice(job);
  job.evictable = false;
  hold_rest(job);  // before its end: it may have outrun what it was believed to need
  if (job.phase != Phase::kRunning) return;
  account(job);
  schedule_end(job);
}

/// Brings memory onto the job's nodes; a displaced job pays for being written out with longer work.
void RunningJobs::transfer(StartedJob& job, Duration amount) {
  for (const JobMemory::Charge& charge : memory_.transfer(job, amount)) {
    ++counts_.swaps;
    for (Observer* o : observers_) o->swapped_out(now(), charge.job->index, charge.time);
    if (charge.job->phase == Phase::kRunning) {  // beside this one, and both do not fit
      account(*charge.job);
      schedule_end(*charge.job);
    }
    hold_rest(*charge.job);
  }
}

void RunningJobs::finish_load(StartedJob& job) {
  if (job.phase == Phase::kBooting) return proceed(job, false);
  const Duration load = now() - job.since;
  transfer(job, load);
  memory_.count_load(job.index, load);
  job.enter(Phase::kRunning, now());
  for (Observer* o : observers_) o->loaded(now(), job.index);
  schedule_end(job);
  run_beside(job);
}

void RunningJobs::leave_nodes(StartedJob& job) {
  const CoresInUse cores(job, jobs_[job.index].size, occupied_, demands_.get());
  occupied_.go(job);
  used_cores_ -= cores.gone();
  if (contention_) leave_others(job);
  if (room_) room_->leave(job);
  if (sliced()) going_.erase(std::ranges::find(going_, &job));
}

/// It has left its nodes for good.
void RunningJobs::leave_machine(StartedJob& job) {
  if (allocations_) allocations_->remove(job, class_of(job), memory_.need(job.index));
  memory_.remove(job);
  if (power_) power_->job_goes(job.index, job.nodes, now());
}

/// What was transferred so far stays, and so does what was done.
void RunningJobs::break_off(StartedJob& job) {
  account(job);
  const Duration elapsed = now() - job.since;
  if (job.phase != Phase::kLoading || elapsed <= Duration{0}) return;
  transfer(job, elapsed);
  memory_.count_load(job.index, elapsed);
}

void RunningJobs::stop(StartedJob& job) {
  break_off(job);
  stands_still(job);
  memory_.stopped(job);
  ++job.version;
  job.enter(Phase::kPreempted, now());
  leave_nodes(job);
  if (elastic_) preempt_elastic(job);
  ++counts_.preemptions;
  for (Observer* o : observers_) o->preempted(now(), job.index);
  if (job.foreign) {
    foreign_.remove(job);
    if (contention_) set_rate(job, contention_->slowest_alone(job.index));  // as it is held; see hold_rest()
    hold_rest(job);
  }
  job.foreign = false;
  job.evictable = false;
  stand_still(ends_, job, reservation_over(job));
}

/// What is known of its nodes and its memory is void, and so is its end.
void RunningJobs::give_up(StartedJob& job) {
  if (!speeds_.stale.empty()) std::erase(speeds_.stale, &job);
  if (!speeds_.changed.empty()) std::erase(speeds_.changed, &job);  // it started in this pass
  if (job.foreign) foreign_.remove(job);
  ++job.version;
  if (!told_.empty()) told_.erase(job.index);
  leave_machine(job);
  if (is_elastic(job.index) && elastic_->knows(job.index)) end_elastic(job);
}

/// Where its reservation is over, it may stand still, or its memory is being loaded.
void RunningJobs::finish(StartedJob& job) {
  if (contention_) account(job);
  if (job.phase == Phase::kLoading) break_off(job);
  if (job.phase == Phase::kSuspended) occupied_.go(job);
  else if (job.phase != Phase::kPreempted) leave_nodes(job);
  give_up(job);
  for (Observer* o : observers_) o->ended(now(), job.index, job.nodes, job.killed);
  const JobIndex j = job.index;
  leave_view(job);
  if (molding_) molding_->leave(j);
}

void RunningJobs::leave_view(StartedJob& job) {
  const JobIndex j = job.index;
  const Time started = job.start;
  Lane& its_class = lane_of(j);
  HostedView& view = *job.view;
  if (limits_are_work() && !by_node_) view.hold(job, 0, view.now());  // a ledger gives back what it holds
  if (job.group != nullptr) leave_group(job);
  view.finish(job);
  its_class.ended = true;
  its_class.scheduler.ended(view, j, started);
}

Duration RunningJobs::unit_time(StartedJob& job) {
  account_unit(job);
  if (job.group != nullptr) {
    const std::vector<Duration> ends = shared_->planned_ends(*job.group);
    return *std::ranges::max_element(ends) + loading_left(*job.group);
  }
  Duration d = job.planned_left.time_at(job.rate) + memory_.missing(job) + boot_left(job) + standstill_left(job);
  if (job.phase == Phase::kLoading) d -= now() - job.since;
  return d;
}

// --- foreign jobs: one of the slice's class goes before them, but not before those that finish in this slice: these
// may stand on nodes of their own class and would be stranded.

void RunningJobs::hold_foreign(const StartedJob& job, std::int32_t nodes, Duration d) {
  HostedView& view = classes_[clock_.slice().job_class].view;
  foreign_.add(view, job, nodes, later(view.now(), std::min(d, clock_.rest())));
}

std::int32_t RunningJobs::evictable_nodes() const {
  std::int32_t n = 0;
  if (!slices_.evict) return n;
  for (StartedJob* job : going_)
    if (job->evictable && leads(*job)) n += freed_by(*job);
  return n;
}

void RunningJobs::evict_for(std::int32_t count) {
  while (startable_count() < count) {
    StartedJob* last = nullptr;
    for (StartedJob* job : going_)
      if (job->evictable && freed_by(*job) > 0 && (last == nullptr || class_of(*job) >= class_of(*last))) last = job;
    ++counts_.evictions;
    for (StartedJob* job : unit_of(*last)) stop(*job);
  }
}

/// The job, which runs from now on, slows down others and is slowed down by them.
void RunningJobs::run_beside(StartedJob& job) {
  if (!contention_) return;
  if (&getting_on() == &running_) running_.come(job);
  contention_->note_change(job);
  change_speed(job);
  // Beside others than before, or beside none, it may be as fast as when it stopped.
  if (std::erase(speeds_.stale, &job) != 0) note_speed(job);
  for (StartedJob* other : contention_->sharers(job)) change_speed(*other);
}

/// The job stops or ends.
void RunningJobs::leave_others(StartedJob& job) {
  if (!contention_) return;
  if (std::erase(speeds_.changed, &job) != 0) speeds_.stale.push_back(&job);
  if (&getting_on() == &running_) running_.go(job);
  if (job.phase == Phase::kBooting) return;
  contention_->note_change(job);
  for (StartedJob* other : contention_->sharers(job)) change_speed(*other);
}

void RunningJobs::change_speed(StartedJob& job) {
  const Rate before = job.rate;
  set_rate(job, slowdown(job));
  if (job.rate != before) note_speed(job);
}

void RunningJobs::note_speed(StartedJob& job) {
  std::vector<StartedJob*>& changed = speeds_.changed;
  if (std::ranges::find(changed, &job) == changed.end()) changed.push_back(&job);
}

bool RunningJobs::hold_changed() {
  std::vector<StartedJob*> changed = std::exchange(speeds_.changed, {});
  std::ranges::sort(changed, {}, &StartedJob::index);
  // A foreign job is held in its own class for what it would take there; nothing of that has changed.
  std::erase_if(changed, [](const StartedJob* job) { return job->foreign; });
  if (!holds_until_limit())
    for (StartedJob* job : changed) hold_rest(*job);
  return !changed.empty();
}

void RunningJobs::account_unit(StartedJob& job) {
  if (job.group == nullptr) return account(job);
  for (StartedJob* member : unit_of(job)) account(*member);
}

void RunningJobs::set_rates(const Group& group) {
  for (const auto& [job, slowdown] : shared_->slowdowns(group)) set_rate(*job, slowdown);
}

Duration RunningJobs::done(const StartedJob& job) const {
  const Work left = job.work_left - job.done_until(now());
  return times_.runtime(job.index) + memory_.added(job.index) - left.time_at(Rate{});
}

Time RunningJobs::leaves_in_slice(const StartedJob& job) const {
  if (job.leaves == kNever || !in_own_slice(job) || job.leaves > clock_.slice().productive_end) return kNever;
  return later(job.view->now(), job.leaves - now());
}

void RunningJobs::list_suspended(const StartedJob* but) {
  suspended_ = std::make_unique<SuspendedJobs>();
  if (occupied_.lists_jobs()) return;
  occupied_.list_jobs();
  for (StartedJob* job : going_) occupied_.come(*job);
  if (sliced()) return;
  for (StartedJob& job : classes_.front().view.started_jobs())
    if (&job != but && !job.nodes.empty()) occupied_.come(job);
}

/// Time does not count as suspended in which its nodes are coming up.
void RunningJobs::suspend(StartedJob& job) {
  ++job.version;  // its end is void
  stands_still(job);
  const Time up = later(job.view->now(), boot_left(job));
  const CoresInUse cores(job, jobs_[job.index].size, occupied_, demands_.get());
  job.enter(Phase::kSuspended, now());
  if (elastic_) pause_elastic(job);
  if (contention_) leave_others(job);
  memory_.stopped(job);
  used_cores_ -= cores.gone();
  if (sliced()) going_.erase(std::ranges::find(going_, &job));
  suspended_->suspend(job, std::max(job.expected_end - up, Duration{1}), up, told_before(job));
  for (Observer* o : observers_) o->suspended(now(), job.index);
  stand_still(ends_, job, reservation_over(job));
}

void RunningJobs::keep_suspended(StartedJob& job) {
  if (!suspended_->is_suspended(job.index)) suspend(job);
  suspended_->keep(job.index, true);
  if (job.expected_end != kNever) corrections_.add(job, std::max(job.expected_end, later(now(), kShortest)));
}

/// Its nodes are held until it is believed to end, and never go before it does: others could be promised them, or start
/// there.
void RunningJobs::hold_suspended(StartedJob& job) {
  const Time before = job.expected_end;
  job.view->hold(job, job.held, suspended_->expected_end(job.index, job.view->now()));
  if (!limits_are_work() && job.expected_end != before && job.expected_end != kNever)
    corrections_.add(job, job.expected_end);
}

/// The time is over for which its nodes are held, but where it has become a longer one meanwhile.
void RunningJobs::correct_suspended(StartedJob& job) {
  if (job.expected_end > job.view->now()) return;
  suspended_->expect_no_earlier(job.index, later(job.view->now(), Corrections::step(job.corrected++)));
  hold_suspended(job);
}

void RunningJobs::leave_to_others(HostedView& view) {
  if (!suspended_ && !elastic_) return;
  for (StartedJob& job : view.started_jobs()) {
    if (job.phase == Phase::kSuspended) occupied_.go(job);
    if (elastic_) set_away(job, true);
  }
}

void RunningJobs::take_back_from_others(HostedView& view) {
  if (!suspended_ && !elastic_) return;
  for (StartedJob& job : view.started_jobs()) {
    if (job.phase == Phase::kSuspended) occupied_.come(job);
    if (elastic_) set_away(job, false);
  }
}

void RunningJobs::hold_lenders_of(const StartedJob& job) {
  if (!suspended_) return;
  for (StartedJob* lender : suspended_->lenders_of(job.index)) hold_suspended(*lender);
}

NodeRanges RunningJobs::take_idle(const StartedJob& job, std::int32_t count) {
  if (!limits_are_work()) return occupied_.idle().lowest(count);
  evict_for(count);
  return count == 0 ? NodeRanges{} : choose_for(*job.view, job.index, count, startable());
}

/// Where its class has no slice now, it waits for one as any other.
void RunningJobs::go_on_after_loan(StartedJob& job, Duration planned) {
  if (limits_are_work()) {
    occupied_.go(job);
    job.enter(Phase::kPreempted, now());
    job.corrected = 0;
    hold_rest(job);
    if (in_own_slice(job)) resume(job);
    return;
  }
  const CoresInUse cores(job, jobs_[job.index].size, occupied_, demands_.get());
  job.corrected = 0;
  const Duration boot = boot_left(job);
  for (Observer* o : observers_) o->resumed(now(), job.index, job.nodes);
  job.view->hold(job, job.held, later(now(), later(Time{boot}, planned).time_since_epoch()));
  hold_lenders_of(job);
  proceed(job, true);
  used_cores_ += cores.come();
  if (plans_work()) note_speed(job);
}

/// What writing out its memory added to its work is lost, too.
Duration RunningJobs::lost_by(const StartedJob& job, bool requeued, const FinalCheckpoint* last) {
  const Duration done = this->done(job);
  if (!requeued) return done;
  const Duration of_added = std::min(memory_.added(job.index), done);
  const Duration own = done - of_added;
  return of_added + times_.interrupt(job.index, own, last);
}

void RunningJobs::interrupt(StartedJob& job, Interruption& what, const FinalCheckpoint* last) {
  const JobIndex j = job.index;
  break_off(job);
  if (job.phase == Phase::kSuspended) occupied_.go(job);
  else if (job.phase != Phase::kPreempted) leave_nodes(job);
  job.leaves = kNever;
  what.started = now() - job.start;
  what.lost = lost_by(job, what.requeued, last);
  if (shared_) shared_->waits_again(j);
  if (what.requeued && molding_ && !times_.goes_on(j))
    molding_->release(j);  // a checkpoint is for a fixed number of processes
  give_up(job);
  for (Observer* o : observers_) o->interrupted(now(), j, job.nodes, what);
  leave_view(job);
}

void RunningJobs::hold_until_it_leaves(StartedJob& job) {
  if (job.group != nullptr) return hold_group(*job.group);
  if (elastic_) void_late_order(job);
  const Time end = leaves_in_slice(job);
  if (end < job.expected_end) job.view->hold(job, job.held, end);
}

const NodeSet& RunningJobs::startable() {
  if (nodes_.closing.empty()) return occupied_.idle();
  nodes_.startable = occupied_.idle();
  return nodes_.startable -= nodes_.closing;
}

std::int32_t RunningJobs::freed_by(StartedJob& job) const {
  const std::int32_t nodes = unit_nodes(job);
  if (nodes_.closing.empty()) return nodes;
  NodeSet theirs(nodes_.closing.size());
  for (const StartedJob* member : unit_of(job)) theirs.insert(member->nodes);
  return nodes - (theirs &= nodes_.closing).count();
}

SlicedHost::Freed RunningJobs::freed_by(const std::vector<StartedJob*>& jobs) const {
  SlicedHost::Freed freed;
  if (!shared_ && !suspended_) {
    for (StartedJob* job : jobs) {
      freed.nodes += freed_by(*job);
      if (job->expected_end > job->view->now()) freed.held += job->held;
    }
    return freed;
  }
  NodeSet seen(machine_.nodes);
  const auto goes_on = [&](const StartedJob* job) { return std::ranges::find(jobs, job) == jobs.end(); };
  for (const StartedJob* job : jobs) {
    for_each_node(job->nodes, [&](NodeId n) {
      if (seen.contains(n)) return;
      seen.insert(n);
      bool idle = !nodes_.closing.contains(n), held = false, left = true;
      for (const StartedJob* other : allocations_->jobs(n)) {
        const bool there = other->phase == Phase::kSuspended
                               ? in_own_slice(*other)
                               : other->phase != Phase::kPreempted || waits_for_primary(*other);
        if (goes_on(other) && there) idle = false;
        if (other->view != job->view) continue;
        held = held || other->expected_end > job->view->now();
        left = left && !goes_on(other);
      }
      freed.nodes += idle ? 1 : 0;
      freed.held += held && left ? 1 : 0;
    });
  }
  return freed;
}

StartChoice* RunningJobs::choice_of_starts(std::size_t c) {
  if (!on_record_ && (slices_.foreign == ForeignJobs::kNone || !slices_.evict)) return nullptr;
  auto& of_starts = placements_[c].of_starts;
  of_starts = std::make_unique<MakingWay>(
      *room_, [this, c] { return clock_.productive_for(c) ? evictable() : std::vector<StartedJob*>{}; });
  return of_starts.get();
}

void RunningJobs::start_placed(StartedJob& job) {
  make_way(job, job.parts);
  if (shared_) shared_->start_alone(job);
  begin_job(job);
  // Its view holds its nodes for as long as it would take alone. Where jobs may have to wait for boots, it goes on to.
  if (contention_ || longest_boot() == Duration{0}) speeds_.changed.push_back(&job);
  set_going(job);
}

std::vector<StartedJob*> RunningJobs::evictable() const {
  std::vector<StartedJob*> jobs;
  if (!slices_.evict) return jobs;
  for (auto job = going_.rbegin(); job != going_.rend(); ++job)
    if ((*job)->evictable) jobs.push_back(*job);
  std::ranges::stable_sort(jobs, std::ranges::greater{}, [&](const StartedJob* a) { return class_of(*a); });
  return jobs;
}

/// Stops those of the foreign jobs that may be stopped which have what the job is to have, these parts.
void RunningJobs::make_way(const StartedJob& job, const Parts& parts) {
  if (room_->has(job, parts)) return;
  for (StartedJob* other : evictable()) {
    if (!other->evictable || !in_the_way(*room_, job, parts, *other)) continue;  // it may have stopped with its group
    ++counts_.evictions;
    for (StartedJob* member : unit_of(*other)) stop(*member);
  }
  assert(room_->has_reserved(job, parts));
}

}  // namespace coslice
