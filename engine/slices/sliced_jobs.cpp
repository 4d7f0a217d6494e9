#include "slices/sliced_jobs.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice {

namespace {

constexpr Duration kShortest{1};

}  // namespace

SlicedJobs::SlicedJobs(const MachineSpec& machine, const std::vector<Job>& jobs, const SliceOptions& slices,
                       const EngineOptions& options, const OutageOptions* outages,
                       std::optional<SharingOptions> sharing, const SlicedResources& resources, ClassViews& classes,
                       const SliceClock& clock, const std::vector<Observer*>& observers)
    : jobs_(jobs), slices_(slices), options_(options), classes_(classes), clock_(clock), observers_(observers),
      times_(jobs, options, outages == nullptr ? CheckpointOptions{} : outages->checkpoints), machine_(machine),
      occupied_(machine.nodes), running_(machine.nodes), nodes_{NodeSet(machine.nodes), NodeSet(machine.nodes)},
      ledger_(machine.nodes, slices.classes.size()), memory_(slices, machine.nodes, jobs.size()) {
  class_.reserve(jobs.size());
  for (const Job& job : jobs) class_.push_back(static_cast<std::uint8_t>(class_of_estimate(slices.classes, job.limit)));
  const bool maintained = outages != nullptr && outages->plan.has(OutageKind::kMaintenance);
  if (names_kinds(machine) || maintained || resources.reservations != nullptr || !resources.placements.empty())
    demands_ = std::make_unique<JobDemands>(machine, jobs, resources.requests, options, resources.reservations);
  const bool only_ranked = std::none_of(resources.placements.begin(), resources.placements.end(),
                                        [](const Placement* p) { return p->may_decline(); });
  const bool by_node = demands_ && !(demands_->one_count() && only_ranked && resources.contention == nullptr && !maintained);
  if (demands_ && !by_node && !resources.placements.empty()) {
    ranked_.by_class = resources.placements;
    ranked_.pool.emplace(demands_->layout());
  }
  if (memory_.modelled() && slices.swapping == Swapping::kWholeJobs && (sharing || by_node))
    throw SimulationError("where jobs run on the same nodes, memory is swapped in parts: swapping = \"parts\"");
  if (by_node) {
    if (resources.contention != nullptr) {
      running_.list_jobs();
      contention_.emplace(*demands_, *resources.contention, running_);
    }
    room_ = std::make_unique<RunningRoom>(*demands_);
    for (std::size_t c = 0; c != slices.classes.size(); ++c) {
      auto chosen = std::make_unique<NodesFirst>([this, c](JobIndex j, std::int32_t n, const NodeSet& fitting) {
        return choose_for(classes_[c].view, j, n, fitting);
      });
      Placement* const placement = resources.placements.empty() ? chosen.get() : resources.placements[c];
      placements_.push_back({std::move(chosen), placement, nullptr});
    }
  }
  if (sharing) shared_.emplace(std::move(*sharing), machine, jobs);
  if (sharing || by_node) occupied_.list_jobs();
}

bool SlicedJobs::can_never_run(JobIndex j) const {
  return (demands_ && demands_->demand(j).empty()) || nodes_of(j) > machine_.nodes;
}

std::int32_t SlicedJobs::nodes_of(JobIndex j) const {
  if (shared_) return shared_->nodes_alone(j);
  return demands_ ? demands_->request(j).nodes : nodes_for(jobs_[j].size, options_.ppn(machine_));
}

Duration SlicedJobs::planned_alone(JobIndex j) const {
  const Duration planned = times_.planned(j);
  if (!shared_ && !demands_) return planned;
  const double slowdown = shared_       ? shared_->slowdown_alone(j, shared_->ppn_alone(j))
                          : contention_ ? contention_->slowest_alone(j)
                                        : 1 / demands_->slowest(j);
  return std::max(Duration{1}, Work(planned).time_at(Rate::of_slowdown(slowdown)));
}

// --- starting and going

NodeRanges SlicedJobs::choose_for(const View& view, JobIndex j, std::int32_t count, const NodeSet& admissible) {
  if (ranked_.pool) {
    Request request = demands_->request(j);
    request.nodes = count;
    Parts parts;
    ranked_.by_class[class_of(j)]->choose(j, request, *ranked_.pool, admissible, parts);
    return nodes_in(parts);
  }
  const NodeQuestion question{&view, j, count, &admissible, memory_.need(j)};
  return choose_nodes(question, slices_, ledger_,
                      [this](StartedJob& s) { return clock_.after(class_of(s), s.planned_left.time_at(s.rate)); });
}

/// The job has its nodes, and comes into being there.
void SlicedJobs::begin_job(StartedJob& job) {
  ledger_.add(job, class_of(job), memory_.need(job.index));
  job.start = now();
  job.work_left = Work(times_.actual(job.index));
  job.planned_left = Work(times_.planned(job.index));
  job.phase = Phase::kPreempted;
  if (demands_ && !by_node()) job.unit = demands_->demand(job.index).front();
  if (demands_) {
    const std::int32_t partition = demands_->unit(job.unit).partition;
    for (Observer* o : observers_) o->placed(now(), job.index, job.parts, partition);
  }
  for (Observer* o : observers_) o->started(now(), job.index, job.nodes);
  classes_[class_of(job)].scheduler.started(*job.view, job.index);
  memory_.add(job);
}

void SlicedJobs::start(StartedJob& job, const NodeSet& admissible) {
  job.nodes = choose_for(*job.view, job.index, job.node_count, admissible);
  begin_job(job);
  if (shared_) {
    shared_->start_alone(job);
    set_rate(job, shared_->slowdown_alone(job));
  }
  set_going(job);
}

void SlicedJobs::resume(StartedJob& job) {
  for (Observer* o : observers_) o->resumed(now(), job.index, job.nodes);
  set_going(job);
}

void SlicedJobs::set_going(StartedJob& job) {
  used_cores_ += jobs_[job.index].size;
  occupied_.come(job);
  if (room_) room_->enter(job);
  going_.push_back(&job);
  job.since = now();
  job.foreign = !in_own_slice(job);
  if (leaves_in_slice(job) < job.expected_end) hold_rest(job);
  const Duration load = memory_.missing(job);
  if (load > Duration{0}) {
    job.phase = Phase::kLoading;
    ++counts_.loads;
    for (Observer* o : observers_) o->loading(now(), job.index, load);
    ends_.add(job, later(now(), load), true);
    if (!job.foreign) hold_rest(job);
  } else {
    transfer(job, load);
    job.phase = Phase::kRunning;
    schedule_end(job);
    run_beside(job);
  }
}

/// When the job will have done what is left.
void SlicedJobs::schedule_end(StartedJob& job) {
  const Duration left = job.work_left.time_at(job.rate);
  if (left == Work::kEndless) {
    throw SimulationError(
        fmt::format("job {} would run for more than 146 years: it gets on {:.4g} times slower than alone",
                    jobs_[job.index].id, 1 / job.rate.value()));
  }
  ends_.add(job, later(now(), in_pass_ ? std::max(left, kShortest) : left));
}

/// What has been done so far counts at the speed at which it was done.
void SlicedJobs::account(StartedJob& job) {
  if (job.phase != Phase::kRunning) return;
  const Work done = Work::done(now() - job.since, job.rate);
  if (job.group != nullptr) {
    job.group->useful += jobs_[job.index].size * done.seconds();
    if (job.group->primary == &job) job.group->productive += now() - job.since;
  }
  job.work_left -= done;
  job.planned_left -= done;
  job.since = now();
}

void SlicedJobs::set_rate(StartedJob& job, double slowdown) {
  const Rate rate = Rate::of_slowdown(slowdown);
  if (rate == job.rate) return;
  account(job);
  job.rate = rate;
  for (Observer* o : observers_) o->rate_changed(now(), job.index, rate);
  if (job.phase == Phase::kRunning) schedule_end(job);
}

/// The view holds the job's nodes for what it still has to do, as far as its scheduler believes.
void SlicedJobs::hold_rest(StartedJob& job) {
  if (job.group != nullptr) {
    hold_group(*job.group);
    return;
  }
  View& view = *job.view;
  Duration loading{0};
  if (job.phase == Phase::kLoading && in_own_slice(job)) loading = memory_.missing(job) - (now() - job.since);
  account(job);
  // The slowdown of a foreign job is not told to its own class, whose reservations would then wait for the job.
  const Rate rate =
      job.foreign && contention_ ? Rate::of_slowdown(contention_->slowest_alone(job.index)) : job.rate;
  const Time end = later(view.now(), loading + job.planned_left.time_at(rate));
  view.hold(job, job.node_count, std::min(end, leaves_in_slice(job)));
}

void SlicedJobs::go_on_in_own_slice(StartedJob& job) {
  if (job.phase == Phase::kRunning) {
    account(job);
    schedule_end(job);
  }
  job.foreign = !in_own_slice(job);
  job.evictable = false;
  hold_rest(job);
}

// --- loading

/// Brings memory onto the job's nodes; a displaced job pays for being written out with longer work.
void SlicedJobs::transfer(StartedJob& job, Duration amount) {
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

void SlicedJobs::finish_load(StartedJob& job) {
  const Duration load = now() - job.since;
  transfer(job, load);
  memory_.count_load(job.index, load);
  job.phase = Phase::kRunning;
  job.since = now();
  for (Observer* o : observers_) o->loaded(now(), job.index);
  schedule_end(job);
  run_beside(job);
}

// --- stopping and ending

void SlicedJobs::leave_nodes(StartedJob& job) {
  leave_others(job);
  used_cores_ -= jobs_[job.index].size;
  occupied_.go(job);
  if (room_) room_->leave(job);
  going_.erase(std::find(going_.begin(), going_.end(), &job));
}

/// What was transferred so far stays.
void SlicedJobs::break_off_load(StartedJob& job) {
  const Duration elapsed = now() - job.since;
  if (elapsed <= Duration{0}) return;
  transfer(job, elapsed);
  memory_.count_load(job.index, elapsed);
}

void SlicedJobs::stop(StartedJob& job) {
  if (job.phase == Phase::kRunning) account(job);
  else break_off_load(job);
  memory_.stopped(job);
  ++job.version;
  job.phase = Phase::kPreempted;
  job.since = now();
  leave_nodes(job);
  ++counts_.preemptions;
  for (Observer* o : observers_) o->preempted(now(), job.index);
  if (job.foreign) {
    foreign_.remove(job);
    if (contention_) set_rate(job, contention_->slowest_alone(job.index));  // as it is held; see hold_rest()
    hold_rest(job);
  }
  job.foreign = false;
  job.evictable = false;
}

void SlicedJobs::finish(StartedJob& job) {
  const JobIndex j = job.index;
  leave_nodes(job);
  std::erase(speeds_.stale, &job);
  if (job.foreign) foreign_.remove(job);
  ClassView& its_class = classes_[class_of(job)];
  ledger_.remove(job, class_of(job), memory_.need(j));
  memory_.remove(job);
  for (Observer* o : observers_) o->ended(now(), j, job.nodes, times_.kills(j));
  ++job.version;
  View& view = *job.view;
  view.hold(job, 0, view.now());
  if (job.group != nullptr) leave_group(job);
  const Time started = job.start;
  view.finish(job);
  its_class.ended = true;
  its_class.scheduler.ended(view, j, started);
}

Duration SlicedJobs::unit_time(StartedJob& job) {
  account_unit(job);
  if (job.group != nullptr) {
    const std::vector<Duration> ends = shared_->planned_ends(*job.group);
    return *std::max_element(ends.begin(), ends.end()) + loading_left(*job.group);
  }
  Duration d = job.planned_left.time_at(job.rate) + memory_.missing(job);
  if (job.phase == Phase::kLoading) d -= now() - job.since;
  return d;
}

// --- foreign jobs: one of the slice's class goes before them, but not before those that finish in this slice: these may
// stand on nodes of their own class and would be stranded.

void SlicedJobs::hold_foreign(const StartedJob& job, std::int32_t nodes, Duration d) {
  View& view = classes_[clock_.slice().job_class].view;
  foreign_.add(view, job, nodes, later(view.now(), std::min(d, clock_.rest())));
}

std::int32_t SlicedJobs::evictable_nodes() const {
  std::int32_t n = 0;
  if (!slices_.evict) return n;
  for (StartedJob* job : going_)
    if (job->evictable && leads(*job)) n += freed_by(*job);
  return n;
}

void SlicedJobs::evict_for(std::int32_t count) {
  while (startable_count() < count) {
    StartedJob* last = nullptr;
    for (StartedJob* job : going_)
      if (job->evictable && freed_by(*job) > 0 && (last == nullptr || class_of(*job) >= class_of(*last))) last = job;
    ++counts_.evictions;
    for (StartedJob* job : unit_of(*last)) stop(*job);
  }
}

}  // namespace coslice
