// The event loop under slices. What happens in a pass is in foreign_jobs.cpp, what happens to a job in sliced_jobs.cpp.
#include "sched/sliced_simulation.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "sched/decisions.h"

namespace coslice {

namespace {

constexpr std::size_t kNoClass = ~std::size_t{0};
/// After so many slices without a job's end there must be less work left than before.
constexpr std::int64_t kSlicesWithoutProgress = 4096;
/// So long nothing may run although jobs wait: a year, or a few intervals if these are longer.
constexpr Duration kPatience = whole_seconds(365 * 86400);
constexpr int kIntervalsOfPatience = 3;

}  // namespace

SlicedSimulation::SlicedSimulation(const MachineSpec& machine, const std::vector<Job>& jobs,
                                   std::vector<Scheduler*> schedulers, SliceOptions slices,
                                   const EngineOptions& options, std::optional<SharingOptions> sharing)
    : jobs_(jobs), options_(options), slices_(std::move(slices)), sharing_(std::move(sharing)), cluster_(machine),
      ledger_(machine.nodes, slices_.classes.size()), feed_(jobs, options.dependencies), plan_(slices_) {
  if (options.event_order != EventOrder::kEndsFirst) {
    throw SimulationError("time slices need engine.event_order = \"ends-first\"");
  }
  ViewHost& host = *this;
  for (Scheduler* scheduler : schedulers) {
    worlds_.emplace_back(jobs_, machine.nodes, host, observers_);
    worlds_.back().scheduler = scheduler;
  }
  on_demand_time_.resize(slices_.classes.size());
  class_.reserve(jobs.size());
  for (const Job& job : jobs)
    class_.push_back(static_cast<std::uint8_t>(class_of_estimate(slices_.classes, job.limit)));
  if (sharing_) {
    if (slices_.memory > Duration{0}) throw SimulationError("shared nodes know no loading and swapping of memory");
    ppn_.resize(jobs.size());
    jobs_on_.resize(static_cast<std::size_t>(machine.nodes));
  }
  if (slices_.memory > Duration{0}) {
    if (slices_.swapping == Swapping::kParts) memory_ = std::make_unique<SwappedParts>(machine.nodes, slices_.memory);
    else memory_ = std::make_unique<SwappedJobs>(machine.nodes, slices_.memory);
    in_memory_.resize(jobs.size());
    need_.resize(jobs.size());
    overhead_.resize(jobs.size());
    charged_.resize(jobs.size());
    first_load_.resize(jobs.size());
  }
}

SlicedSimulation::~SlicedSimulation() = default;

void SlicedSimulation::add(Observer& observer) {
  observers_.push_back(&observer);
  DecisionObserver* d = observer.decisions();
  if (d == nullptr) return;
  for (World& world : worlds_) world.view.listen(*d);
}

void SlicedSimulation::run() {
  if (jobs_.empty()) return;
  for (World& world : worlds_) world.scheduler->begin(world.view);
  now_ = Time{(feed_.next_time().time_since_epoch() / slices_.interval) * slices_.interval};
  idle_since_ = first_interval_ = now_;
  next_slice();
  std::size_t instants = 0;  // progress is also told where no job ends: whoever is told may want to stop the run
  while (done_ != jobs_.size()) {
    advance(next_instant());
    handle_instant();
    check_alive();
    if (++instants % 1024 == 0 && progress_) progress_(done_);
  }
  if (progress_) progress_(done_);
}

Time SlicedSimulation::next_instant() const {
  const Time boundary = state_ == SliceState::kProductive ? slice_.productive_end
                        : state_ == SliceState::kDead     ? slice_.end
                                                          : plan_.interval_end();
  const Time event = events_.empty() ? kNever : events_.front().time;
  return std::max(now_, std::min({event, feed_.next_time(), boundary, wake_}));
}

/// The active view's clock moves with productive time only.
void SlicedSimulation::advance(Time now) {
  now_ = now;
  if (wake_ <= now_) {
    wake_ = kNever;
    if (state_ == SliceState::kProductive) worlds_[slice_.job_class].reopened = true;
  }
  if (state_ != SliceState::kProductive) return;
  View& view = worlds_[slice_.job_class].view;
  view.advance(view.now() + (now_ - slice_clock_));
  slice_clock_ = now_;
}

void SlicedSimulation::handle_instant() {
  while (handle_job_events()) {}
  bool again = handle_slices();
  submit();
  do {
    pass();
    again = state_ == SliceState::kProductive && on_demand_is_over();
    if (again) {
      slice_.productive_end = now_;
      slice_.end = later(now_, slices_.overhead);
      again = handle_slices() && state_ == SliceState::kProductive;
    }
  } while (again);
  settle();
}

bool SlicedSimulation::handle_job_events() {
  if (events_.empty() || events_.front().time > now_) return false;
  const Event event = events_.front();
  std::pop_heap(events_.begin(), events_.end(), std::greater<>{});
  events_.pop_back();
  if (event.version != event.job->version) return true;  // it was preempted meanwhile
  if (event.load) finish_load(*event.job);
  else finish(*event.job);
  return true;
}

bool SlicedSimulation::handle_slices() {
  bool changed = false;
  while (true) {
    if (state_ == SliceState::kProductive && slice_.productive_end <= now_) end_slice();
    else if (state_ == SliceState::kDead && slice_.end <= now_) next_slice();
    else if (state_ == SliceState::kNone && plan_.interval_end() <= now_) next_slice();
    else return changed;
    changed = true;
  }
}

std::size_t SlicedSimulation::class_of_next_slice() const {
  SlicePlan plan = plan_;
  Slice slice;
  const auto wants = [this](std::size_t c) { return wants_slice(c); };
  if (plan.next(slice_.end, wants, slice)) return slice.job_class;
  return plan.interval_end() == slice_.end && plan.next(slice_.end, wants, slice) ? slice.job_class : kNoClass;
}

void SlicedSimulation::end_slice() {
  worlds_[slice_.job_class].view.set_ceiling(0);
  while (!guests_.empty()) take_back_from(*guests_.back().job);
  if (slices_.classes[slice_.job_class].on_demand) on_demand_time_[slice_.job_class] += slice_.end - slice_.begin;
  for (Observer* o : observers_) o->slice_ended(now_, slice_.job_class);
  const View& view = worlds_[slice_.job_class].view;
  view.explain([&](DecisionObserver& d) { d.closed(view); });
  const std::size_t next = slices_.charge_continuing ? kNoClass : class_of_next_slice();
  const std::vector<StartedJob*> going = going_;
  for (StartedJob* job : going)
    if (class_of(*job) != next) stop(*job);
  state_ = SliceState::kDead;
}

void SlicedSimulation::next_slice() {
  Slice slice;
  const auto wants = [this](std::size_t c) { return wants_slice(c); };
  if (plan_.next(now_, wants, slice)) {
    begin_slice(slice);
    return;
  }
  state_ = SliceState::kNone;
  const std::vector<StartedJob*> going = going_;
  for (StartedJob* job : going) stop(*job);
}

void SlicedSimulation::begin_slice(const Slice& slice) {
  slice_ = slice;
  state_ = SliceState::kProductive;
  slice_clock_ = now_;
  worlds_[slice.job_class].reopened = true;
  ++counts_.slices;
  if (memory_) check_progress();
  for (Observer* o : observers_) o->slice_begun(now_, slice.job_class, slice.productive_end - slice.begin);
  const View& view = worlds_[slice.job_class].view;
  view.explain([&](DecisionObserver& d) { d.opened(view); });
  for (StartedJob* job : std::vector<StartedJob*>(going_))
    if (class_of(*job) == slice.job_class) rebase(*job);
    else stop(*job);
  // No two started jobs of a class share a node, so each finds its own nodes idle.
  std::vector<StartedJob*> preempted;
  for (const StartedJob& job : worlds_[slice.job_class].view.started())
    if (job.phase == Phase::kPreempted && !waits_for_primary(job)) preempted.push_back(const_cast<StartedJob*>(&job));
  for (StartedJob* job : preempted) {
    for (Observer* o : observers_) o->resumed(now_, job->index, job->nodes);
    set_going(*job);
  }
}

bool SlicedSimulation::wants_slice(std::size_t c) const {
  const View& view = worlds_[c].view;
  return !view.queue().empty() || !view.started().empty();
}

void SlicedSimulation::submit() {
  while (feed_.next_time() <= now_ && feed_.next_time() != kNever) enter(feed_.pop());
}

void SlicedSimulation::enter(JobIndex j) {
  World& world = worlds_[class_[j]];
  if (sharing_) ask_ppn(world.view, j);
  const std::int32_t nodes = nodes_of(j);
  if (nodes > cluster_.spec().nodes) {
    for (Observer* o : observers_) o->rejected(now_, j);
    feed_.ended(j, now_);
    ++done_;
    return;
  }
  if (memory_) need_[j] = slices_.memory_of(world.view, j);
  world.view.enqueue(j, nodes, planned_alone(j), world.scheduler->key(world.view, j));
  world.submitted = true;
  ++active_jobs_;
  for (Observer* o : observers_) o->submitted(now_, j);
  world.scheduler->submitted(world.view, j);
}

/// For how long the job is believed to run, on nodes of its own.
Duration SlicedSimulation::planned_alone(JobIndex j) const {
  const Job& job = jobs_[j];
  const Duration planned = options_.at_limit == AtLimit::kKill ? job.limit : std::max(job.limit, job.runtime);
  if (!sharing_) return planned;
  return std::max(Duration{1}, Work(planned).time_at(Rate::of_slowdown(slowdown_alone(j, ppn_[j].alone))));
}

void SlicedSimulation::settle() {
  std::size_t waiting = 0;
  for (const World& world : worlds_) waiting += world.view.queue().size();
  const InstantState state{now_, static_cast<std::int32_t>(waiting), cluster_.used_count(), used_cores_};
  for (Observer* o : observers_) o->settled(state);
}

void SlicedSimulation::check_alive() {
  if (active_jobs_ == 0 || !going_.empty()) idle_since_ = now_;
  const Duration patience = std::max(kPatience, kIntervalsOfPatience * slices_.interval);
  if (now_ - idle_since_ <= patience || feed_.next_time() != kNever) return;
  const bool one = active_jobs_ == 1;
  throw SimulationError(fmt::format("{} {} to run: for {} no slice has let {} start{}", active_jobs_,
                                    one ? "job never gets" : "jobs never get", human_duration(patience),
                                    one ? "it" : "any of them", why_nobody_starts()));
}

std::string SlicedSimulation::why_nobody_starts() const {
  for (std::size_t c = 0; c != worlds_.size(); ++c) {
    const SliceClass& s = slices_.classes[c];
    if (!wants_slice(c) || typical_slice(c).productive > Duration{0}) continue;
    if (!s.on_demand && s.share <= 0) return fmt::format("; class '{}' has no slices of its own", s.name);
    return fmt::format("; slices of class '{}' are no longer than the {} s lost at their end", s.name,
                       format_seconds(slices_.overhead));
  }
  return "";
}

/// Jobs that swap each other out before they run would do so for ever: writing out adds to their work.
void SlicedSimulation::check_progress() {
  const std::size_t known = done_ + active_jobs_;
  // Between two jobs a long time may pass in which there is nothing to do.
  if (done_ != watch_.done || known != watch_.known || active_jobs_ == 0)
    watch_ = {done_, known, counts_.slices, counts_.loads, Duration::max()};
  if (counts_.slices - watch_.slices < kSlicesWithoutProgress) return;
  const Duration work = work_left();
  if (work >= watch_.work && counts_.loads == watch_.loads) {
    throw SimulationError(fmt::format("{} jobs never get to run: for {} slices none of them has been let in",
                                      active_jobs_, kSlicesWithoutProgress));
  }
  if (work >= watch_.work) {
    throw SimulationError(fmt::format(
        "{} jobs make no progress: for {} slices they have only loaded and swapped each other out; slices must be "
        "longer than loading takes (here up to {} s)",
        active_jobs_, kSlicesWithoutProgress, to_seconds(slices_.memory)));
  }
  watch_ = {done_, known, counts_.slices, counts_.loads, work};
}

Duration SlicedSimulation::work_left() const {
  Duration work{0};
  for (const World& world : worlds_) {
    for (const StartedJob& job : world.view.started()) work += job.work_left.time_at(Rate{});
    const WaitingQueue& queue = world.view.queue();
    for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) work += jobs_[queue.job(p)].runtime;
  }
  return work;
}

void SlicedSimulation::wake_at(Time t) {
  // The clock of the asking view runs only in its slices; when one begins there is a pass anyway.
  if (state_ != SliceState::kProductive) return;
  const View& view = worlds_[slice_.job_class].view;
  if (t < view.now()) return;
  const Time wall = later(now_, t - view.now());
  if (wall > now_ && wall < slice_.productive_end) wake_ = std::min(wake_, wall);
}

}  // namespace coslice
