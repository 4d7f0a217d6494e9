// Jobs under slices: going, stopping, loading, ending.
#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "sched/sliced_simulation.h"

namespace coslice {

namespace {

constexpr Duration kShortest{1};

}  // namespace

Duration SlicedSimulation::missing(const StartedJob& job) const {
  return memory_ ? memory_->missing(job.nodes, job.index, need(job.index)) : Duration{0};
}

void SlicedSimulation::schedule_event(StartedJob& job, Time t, bool load) {
  if (t == kNever)
    throw SimulationError("the schedule reaches beyond the 292 years that can be counted in nanoseconds");
  events_.push_back({t, load, sequence_++, &job, ++job.version});
  std::push_heap(events_.begin(), events_.end(), std::greater<>{});
}

/// When the job will have done what is left. What starts in a pass never ends at the same instant.
void SlicedSimulation::schedule_end(StartedJob& job) {
  const Duration left = job.work_left.time_at(job.rate);
  if (left == Work::kEndless) {
    throw SimulationError(
        fmt::format("job {} would run for more than 146 years: it gets on {:.4g} times slower than alone",
                    jobs_[job.index].id, 1 / job.rate.value()));
  }
  schedule_event(job, later(now_, in_pass_ ? std::max(left, kShortest) : left), false);
}

/// The view holds the job's nodes for what it still has to do, as far as anybody believes.
void SlicedSimulation::hold_rest(StartedJob& job) {
  if (job.group != nullptr) {
    hold_group(*job.group);
    return;
  }
  View& view = *job.view;
  Duration loading{0};
  if (job.phase == Phase::kLoading && in_own_slice(job)) loading = missing(job) - (now_ - job.since);
  account(job);
  view.hold(job, job.node_count, later(view.now(), loading + job.planned_left.time_at(job.rate)));
}

NodeRanges SlicedSimulation::choose_for(StartedJob& job, std::int32_t count, const NodeSet& admissible) {
  const NodeQuestion question{job.view,
                              job.index,
                              class_of(job),
                              count,
                              &admissible,
                              need(job.index)};
  return choose_nodes(question, slices_, ledger_, [this](StartedJob& s) { return estimated_completion(s); });
}

/// The job has its nodes, and comes into being there.
void SlicedSimulation::begin_job(StartedJob& job) {
  ledger_.add(job, class_of(job), need(job.index));
  if (memory_) in_memory_[job.index] = &job;
  const Job& j = jobs_[job.index];
  const bool kill = options_.at_limit == AtLimit::kKill;
  job.start = now_;
  job.work_left = Work(kill ? std::min(j.runtime, j.limit) : j.runtime);
  job.planned_left = Work(kill ? j.limit : std::max(j.runtime, j.limit));
  job.phase = Phase::kPreempted;
  for (Observer* o : observers_) o->started(now_, job.index, job.nodes);
  worlds_[class_of(job)].scheduler->started(*job.view, job.index);
  if (memory_) first_load_[job.index] = missing(job);
}

void SlicedSimulation::first_start(StartedJob& job, const NodeSet& admissible) {
  job.nodes = choose_for(job, job.node_count, admissible);
  begin_job(job);
  if (sharing_) {
    job.ppn = ppn_[job.index].alone;
    ppn_[job.index].had.ppn = job.ppn;
    set_rate(job, slowdown_alone(job.index, job.ppn));
  }
  set_going(job);
}

void SlicedSimulation::set_going(StartedJob& job) {
  occupy(job);
  going_.push_back(&job);
  job.since = now_;
  job.foreign = !in_own_slice(job);
  const Duration load = missing(job);
  if (load == Duration{0} && memory_) transfer(job, load);
  if (load > Duration{0}) {
    job.phase = Phase::kLoading;
    ++counts_.loads;
    for (Observer* o : observers_) o->loading(now_, job.index, load);
    schedule_event(job, later(now_, load), true);
    if (!job.foreign) hold_rest(job);
  } else {
    job.phase = Phase::kRunning;
    schedule_end(job);
  }
}

/// Brings memory onto the job's nodes; whoever is displaced pays for being written out with longer work.
void SlicedSimulation::transfer(StartedJob& job, Duration amount) {
  for (const NodeMemory::Displaced& d : memory_->transfer(job.nodes, job.index, need(job.index), amount)) {
    const JobIndex owner = d.owner;
    const bool each = slices_.swap_charge == SwapCharge::kEachLoad;
    const Duration time = each ? d.now : std::max(Duration{0}, d.absence - charged_[owner]);
    if (time == Duration{0}) continue;
    charged_[owner] += time;
    StartedJob& victim = *in_memory_[owner];
    victim.work_left += Work(time);
    victim.planned_left += Work(time);
    overhead_[owner] += time;
    ++counts_.swaps;
    for (Observer* o : observers_) o->swapped_out(now_, owner, time);
    hold_rest(victim);
  }
}

void SlicedSimulation::finish_load(StartedJob& job) {
  const Duration load = now_ - job.since;
  transfer(job, load);
  overhead_[job.index] += load;
  job.phase = Phase::kRunning;
  job.since = now_;
  for (Observer* o : observers_) o->loaded(now_, job.index);
  schedule_end(job);
}

/// Accounts for what a job has done so far, and goes on.
void SlicedSimulation::rebase(StartedJob& job) {
  if (job.phase == Phase::kRunning) {
    account(job);
    schedule_end(job);
  }
  job.foreign = !in_own_slice(job);
  job.evictable = false;
  hold_rest(job);
}

/// Preempts: what was done counts, the nodes stay allocated.
void SlicedSimulation::stop(StartedJob& job) {
  const Duration elapsed = now_ - job.since;
  if (job.phase == Phase::kRunning) {
    account(job);
  } else if (elapsed > Duration{0}) {
    transfer(job, elapsed);
    overhead_[job.index] += elapsed;
  }
  if (memory_) {
    memory_->stopped(job.nodes, job.index);
    charged_[job.index] = Duration{0};
  }
  ++job.version;
  job.phase = Phase::kPreempted;
  job.since = now_;
  vacate(job);
  going_.erase(std::find(going_.begin(), going_.end(), &job));
  ++counts_.preemptions;
  for (Observer* o : observers_) o->preempted(now_, job.index);
  if (job.foreign) {
    take_back_from(job);
    hold_rest(job);
  }
  job.foreign = false;
  job.evictable = false;
}

void SlicedSimulation::finish(StartedJob& job) {
  const JobIndex j = job.index;
  vacate(job);
  going_.erase(std::find(going_.begin(), going_.end(), &job));
  if (job.foreign) take_back_from(job);
  const std::size_t c = class_of(job);
  ledger_.remove(job, c, need(j));
  if (memory_) {
    memory_->remove(job.nodes, j);
    in_memory_[j] = nullptr;
  }
  const bool killed = options_.at_limit == AtLimit::kKill && jobs_[j].runtime > jobs_[j].limit;
  for (Observer* o : observers_) o->ended(now_, j, job.nodes, killed);
  ++job.version;
  View& view = *job.view;
  view.hold(job, 0, view.now());
  if (job.group != nullptr) leave_group(job);
  const Time started = job.start;
  view.finish(job);
  feed_.ended(j, now_);
  worlds_[c].ended = true;
  worlds_[c].scheduler->ended(view, j, started);
  --active_jobs_;
  ++done_;
  if (progress_ && done_ % 256 == 0) progress_(done_);
}

// --- from productive time to the wall clock: slices to come are taken to be as long as the fixed shares make them, an
// on-demand slice as long as its last ones were in the mean.

Time SlicedSimulation::estimated_completion(StartedJob& job) {
  return wall_time_after(class_of(job), job.planned_left.time_at(job.rate));
}

Time SlicedSimulation::wall_time_after(const View& view, Duration productive) const {
  std::size_t c = 0;
  while (&worlds_[c].view != &view) ++c;
  return wall_time_after(c, productive);
}

/// When so much productive time of the class will have passed, as far as one can tell now.
Time SlicedSimulation::wall_time_after(std::size_t c, Duration productive) const {
  Time t = now_;
  if (state_ == SliceState::kProductive && slice_.job_class == c) {
    const Duration rest = slice_.productive_end - now_;
    if (productive <= rest) return now_ + productive;
    productive -= rest;
    t = slice_.end;
  }
  const Time interval{(t.time_since_epoch() / slices_.interval) * slices_.interval};
  const TypicalSlice typical = typical_slice(c);
  if (typical.productive <= Duration{0}) return kNever;
  // In this interval the class's turn may still come; else in the next one.
  const Time turn = later(interval, typical.offset);
  const Time first = turn >= t ? turn : later(turn, slices_.interval);
  const auto whole = (productive.count() - 1) / typical.productive.count();
  const Duration last = productive - whole * typical.productive;
  if (whole > (kNever - first) / slices_.interval) return kNever;
  return later(first + whole * slices_.interval, last);
}

SlicedSimulation::TypicalSlice SlicedSimulation::typical_slice(std::size_t c) const {
  double sum = 0;
  for (const SliceClass& s : slices_.classes) sum += s.on_demand ? 0 : s.share;
  Duration demanded{0};
  for (std::size_t i = 0; i != slices_.classes.size(); ++i)
    if (slices_.classes[i].on_demand) demanded += mean_on_demand(i);
  TypicalSlice typical;
  for (std::size_t i = 0; i <= c; ++i) {
    const SliceClass& s = slices_.classes[i];
    const double share = sum > 0 ? s.share / sum : 0;
    const Duration length =
        s.on_demand ? mean_on_demand(i) : from_seconds(to_seconds(slices_.interval - demanded) * share);
    // A slice on demand lasts as long as its jobs need it.
    if (i == c) typical.productive = s.on_demand ? s.longest : length - slices_.overhead;
    else typical.offset += length;
  }
  return typical;
}

Duration SlicedSimulation::mean_on_demand(std::size_t c) const {
  const std::int64_t intervals = 1 + (now_.time_since_epoch() - first_interval_.time_since_epoch()) / slices_.interval;
  return on_demand_time_[c] / intervals;
}

}  // namespace coslice
