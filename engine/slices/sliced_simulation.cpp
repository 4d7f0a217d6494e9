#include "slices/sliced_simulation.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice {
namespace {

/// Passes at one instant in which jobs are stopped. A policy that starts what it has just stopped would never end.
constexpr std::int32_t kMostPasses = 10'000;

/// What the jobs of each class want now.
std::vector<ClassDemand> demand_of(const Lanes& classes) {
  std::vector<ClassDemand> all;
  for (const Lane& c : classes) {
    ClassDemand& d = all.emplace_back();
    const WaitingQueue& queue = c.view.queue();
    for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) {
      ++d.waiting;
      d.waiting_nodes += queue.nodes(p);
      d.waiting_work += queue.nodes(p) * to_seconds(queue.duration(p));
    }
    for (const StartedJob& job : c.view.started()) {
      ++d.started;
      d.started_nodes += job.node_count;
      d.started_work += job.node_count * to_seconds(std::max(job.expected_end - c.view.now(), Duration{0}));
    }
  }
  return all;
}

}  // namespace

SlicedSimulation::SlicedSimulation(const MachineSpec& machine, const std::vector<Job>& jobs,
                                   const std::vector<Scheduler*>& schedulers, SliceOptions slices,
                                   const EngineOptions& options, std::optional<SharingOptions> sharing,
                                   const SlicedResources& resources, const OutageOptions* outages)
    : jobs_(jobs), options_(options), slices_(std::move(slices)), clock_(slices_),
      wants_slice_([this](std::size_t c) { return classes_[c].wants_slice(); }),
      started_(machine, jobs, slices_, options_, outages, std::move(sharing), resources, classes_, clock_, observers_),
      foreign_(slices_, clock_, classes_, started_, observers_), watch_(slices_, clock_, classes_, jobs),
      submissions_(jobs, options, started_.times(), *this, *this, observers_), starts_(submissions_) {
  slices_.demand = [this] { return demand_of(classes_); };
  observers_.push_back(&starts_);
  if (options.event_order != EventOrder::kEndsFirst)
    throw SimulationError("time slices need engine.event_order = \"ends-first\"");
  if (started_.by_node() && started_.shared() != nullptr)
    throw SimulationError(
        "on a machine whose nodes differ there are no groups of jobs: jobs share nodes by what they ask "
        "for, where their placement puts them");
  ViewHost& host = *this;
  SharingHost* const sharing_host = started_.shared() != nullptr ? this : nullptr;
  for (Scheduler* scheduler : schedulers) {
    classes_.emplace_back(jobs_, machine.nodes, Time{}, host, observers_, *scheduler, sharing_host,
                          std::make_unique<ClassClock>(clock_, classes_.size()));
    const std::size_t c = classes_.size() - 1;
    if (!started_.by_node()) {
      if (started_.demands() != nullptr) classes_[c].view.use(*started_.demands(), nullptr);
      continue;
    }
    auto book = std::make_unique<SharedNodeBook>(*started_.demands(), &started_.placement(c), Time{});
    if (StartChoice* const choice = started_.choice_of_starts(c)) book->show_starts(*choice);
    classes_[c].use(std::move(book));
  }
  if (resources.reservations != nullptr) {
    reservations_ = std::make_unique<SlicedReservations>(
        *started_.demands(), jobs.empty() ? Time{} : jobs.front().submit, slices_, clock_, classes_);
  }
  if (outages == nullptr) return;
  if (started_.shared() != nullptr)
    throw SimulationError("groups of jobs on shared nodes are not supported together with outages");
  submissions_.set_checkpoints(outages->interval_of);
  outages_ = std::make_unique<SlicedOutages>(*outages, jobs.empty() ? Time{} : jobs.front().submit, slices_, clock_,
                                             classes_, started_, observers_, [this](StartedJob& job) { fail(job); });
}

void SlicedSimulation::add(Observer& observer) {
  observers_.push_back(&observer);
  for (Lane& c : classes_) c.view.listen(observer);
}

void SlicedSimulation::run() {
  if (jobs_.empty()) return;
  for (Lane& c : classes_) c.scheduler.begin(c.view);
  clock_.begin(submissions_.next_time());
  watch_.begin();
  next_slice();
  if (outages_) outages_->plan();
  if (reservations_) reservations_->plan();
  std::size_t instants = 0;  // progress is also told where no job ends: the listener may want to stop the run
  while (submissions_.done() != jobs_.size()) {
    advance(next_instant());
    handle_instant();
    watch_.check_starts(active(), !started_.going().empty(),
                        submissions_.next_time() != kNever || (outages_ && outages_->some_away()) ||
                            (reservations_ && reservations_->next_time() != kNever));
    if (++instants % 16 == 0 && progress_) progress_(submissions_.done());
  }
  if (progress_) progress_(submissions_.done());
}

/// Counts the jobs that have come and not ended.
std::size_t SlicedSimulation::active() const {
  std::size_t n = submissions_.aside().size();
  for (const Lane& c : classes_) n += c.view.loose_queue().size() + c.view.started().size();
  return n;
}

Time SlicedSimulation::next_instant() const {
  const Time outage = outages_ ? outages_->next_time() : kNever;
  const Time reservation = reservations_ ? reservations_->next_time() : kNever;
  return std::max(now(), std::min({started_.ends().next_time(), submissions_.next_time(), clock_.boundary(), wake_, outage, reservation, stops_.next_time()}));
}

/// The open view's clock moves with productive time only.
void SlicedSimulation::advance(Time now) {
  clock_.advance(now);
  if (wake_ <= now) {
    wake_ = kNever;
    if (clock_.productive()) open_class().woken = true;
  }
  if (!clock_.productive()) return;
  View& view = open_class().view;
  view.advance(view.now() + (now - view_time_));
  view_time_ = now;
}

void SlicedSimulation::handle_instant() {
  while (handle_job_events()) {}
  if (outages_) outages_->handle(submissions_.done());
  handle_stops();
  handle_reservations();
  handle_slices();
  submissions_.come_and_go(now());
  bool again = false;
  do {
    passes();
    again = clock_.productive() && on_demand_is_over();
    if (again) {
      clock_.cut_short();
      again = handle_slices() && clock_.productive();
    }
    if (submissions_.some_come(now())) {  // jobs that waited for a start
      submissions_.come_and_go(now());
      again = true;
    }
    if (!again && options_.unstarted == Unstarted::kDrop) again = drop_not_started();
  } while (again);
  settle();
}

bool SlicedSimulation::handle_job_events() {
  if (started_.ends().next_time() > now()) return false;
  const EndQueue::End end = started_.ends().pop();
  if (end.is_void()) return true;  // the job was preempted meanwhile
  if (end.load()) started_.finish_load(*end.job);
  else finish(*end.job);
  return true;
}

void SlicedSimulation::finish(StartedJob& job) {
  const JobIndex j = job.index;
  const NodeRanges nodes = outages_ ? job.nodes : NodeRanges{};
  started_.finish(job);
  submissions_.leave(j, options_.kills(jobs_[j]), now());
  started_.times().end(j);
  if (outages_) outages_->job_left(nodes);
  if (progress_ && submissions_.done() % 256 == 0) progress_(submissions_.done());
}

/// A node of the job failed.
void SlicedSimulation::fail(StartedJob& job) {
  const JobIndex j = job.index;
  Interruption what;
  what.requeued = outages_->options().interrupted == AfterFailure::kRequeued;
  interrupt(job, what, nullptr);
  if (!what.requeued) return;
  if (outages_->options().place == RequeuePlace::kFront) lane_of(j).view.put_first(j);
  submissions_.submit(j, now());
}

/// For its policy the job ends; if it is to be requeued, it is submitted again afterwards.
void SlicedSimulation::interrupt(StartedJob& job, const Interruption& what, const FinalCheckpoint* last) {
  const JobIndex j = job.index;
  const NodeRanges nodes = job.nodes;
  started_.interrupt(job, what, last);
  ++interrupted_;
  if (outages_) outages_->job_left(nodes);
  if (!what.requeued) submissions_.leave(j, true, now());
}

bool SlicedSimulation::handle_slices() {
  bool changed = false;
  for (; clock_.boundary() <= now(); changed = true) {
    if (clock_.productive()) end_slice();
    else next_slice();
  }
  return changed;
}

void SlicedSimulation::end_slice() {
  View& view = open_class().view;
  open_class().set_ceiling(0);
  started_.release_foreign();
  clock_.count_slice();
  for (Observer* o : observers_) o->slice_ended(now(), clock_.slice().job_class);
  view.explain([&](DecisionObserver& d) { d.closed(view); });
  const std::size_t next = slices_.charge_continuing ? SliceClock::kNoClass : clock_.class_after(wants_slice_);
  for (StartedJob* job : std::vector<StartedJob*>(started_.going()))
    if (started_.class_of(*job) != next) started_.stop(*job);
  clock_.close();
}

void SlicedSimulation::next_slice() {
  if (clock_.open(wants_slice_)) return begin_slice();
  for (StartedJob* job : std::vector<StartedJob*>(started_.going())) started_.stop(*job);
}

void SlicedSimulation::begin_slice() {
  const Slice& slice = clock_.slice();
  View& view = open_class().view;
  view_time_ = now();
  open_class().reopened = true;
  ++started_.counts().slices;
  if (outages_) outages_->look_again();
  if (reservations_) reservations_->look_again();
  if (started_.memory().modelled()) watch_.check_progress(submissions_.done() + interrupted_, active(), started_.counts());
  for (Observer* o : observers_) o->slice_begun(now(), slice.job_class, slice.productive_end - slice.begin);
  view.explain([&](DecisionObserver& d) { d.opened(view); });
  for (StartedJob* job : std::vector<StartedJob*>(started_.going()))
    if (started_.class_of(*job) == slice.job_class) started_.go_on_in_own_slice(*job);
    else started_.stop(*job);
  // No two started jobs of a class share a node, so each finds its own nodes idle.
  std::vector<StartedJob*> preempted;
  for (StartedJob& job : view.started_jobs())
    if (job.phase == Phase::kPreempted && !waits_for_primary(job)) preempted.push_back(&job);
  for (StartedJob* job : preempted) started_.resume(*job);
}

/// An on-demand slice is over when none of its jobs runs: those that could be started run now.
bool SlicedSimulation::on_demand_is_over() const {
  const std::size_t c = clock_.slice().job_class;
  if (!slices_.classes[c].on_demand) return false;
  const std::vector<StartedJob*>& going = started_.going();
  return std::none_of(going.begin(), going.end(), [&](const StartedJob* job) { return started_.class_of(*job) == c; });
}

/// First the slice's own class, then jobs of other classes.
void SlicedSimulation::pass() {
  // Reservations may have moved: a pass asks for the next one, when they come due.
  if (started_.update_holds() && clock_.productive()) open_class().ended = true;
  started_.set_in_pass(in_pass_ = true);
  for (Lane& c : classes_) {
    const bool open = clock_.productive() && &c == &open_class();
    if (!open && (c.submitted || c.view.freed_early())) pass_closed(c);
  }
  if (clock_.productive()) pass_open();
  started_.set_in_pass(in_pass_ = false);
  for (Observer* o : observers_) o->passed(now());
}

/// Reservations are made and moved while a class waits for its slice, but nothing starts.
void SlicedSimulation::pass_closed(Lane& c) {
  c.set_ceiling(0);
  c.view.before_pass();
  c.scheduler.schedule(c.view, {c.submitted, c.view.freed_early(), false});
  c.view.after_pass(false);
  c.submitted = false;
}

/// The scheduler of the slice's class is asked when something has changed for its class, or other classes leave more
/// nodes than at its last pass.
void SlicedSimulation::pass_open() {
  Lane& c = open_class();
  const std::int32_t nodes = ceiling();
  const bool ended =
      c.ended || (c.reopened && started_.by_node()) || nodes > c.ceiling || c.view.freed_early();
  set_open_ceiling();
  if (c.submitted || ended || c.reopened || c.woken || c.view.has_late()) {
    c.view.before_pass();
    c.scheduler.schedule(c.view, {c.submitted, ended, true});
    c.view.after_pass(!stopped_in_pass_);  // what a stop left room for is for the pass that follows
    while (started_.update_holds()) {      // reservations may be for earlier, even for now
      const bool due = c.view.due_now();
      if (due) c.scheduler.schedule(c.view, {false, true, true});
      c.view.after_pass(due && !stopped_in_pass_);
    }
    c.submitted = c.ended = c.reopened = c.woken = false;
  }
  if (slices_.foreign != ForeignJobs::kNone && active() != started_.going().size()) foreign_.run();
  c.ceiling = ceiling();
}

/// Where nodes differ, its book knows what can be had.
void SlicedSimulation::set_open_ceiling() { open_class().set_ceiling(std::max(ceiling(), started_.by_node() ? 1 : 0)); }

void SlicedSimulation::settle() {
  std::size_t waiting = 0;
  for (const Lane& c : classes_) waiting += c.view.queue().size();
  const InstantState state{now(), static_cast<std::int32_t>(waiting), started_.occupancy().used_nodes(),
                           started_.used_cores(), started_.occupancy().away().count()};
  for (Observer* o : observers_) o->settled(state);
}

void SlicedSimulation::launch(StartedJob& job, std::uint64_t) {
  if (started_.by_node()) return started_.start_placed(job);
  started_.evict_for(job.node_count);
  View& view = *job.view;
  view.set_ceiling(view.ceiling() - job.node_count);
  started_.start(job, started_.startable());
}

void SlicedSimulation::wake_at(Time t) {
  // The clock of the asking view runs only in its slices; when one begins there is a pass anyway.
  if (!clock_.productive()) return;
  const View& view = open_class().view;
  if (t < view.now()) return;
  const Time wall = later(now(), t - view.now());
  if (wall > now() && wall < clock_.slice().productive_end) wake_ = std::min(wake_, wall);
}

void SlicedSimulation::set_ppn_alone(View& view, View::Position p, std::int32_t ppn) {
  const JobIndex j = view.queue().job(p);
  started_.shared()->set_ppn_alone(view, j, ppn);
  view.resize(p, nodes_of(j), started_.planned_alone(j));
}

// Jobs under slices that stop before their ends because their policies say so, and such as are never to run. Graces pass on
// the wall clock, whatever slice it is: a job that stands still when its grace is over stops then, as one that runs.

void SlicedSimulation::stop(StartedJob& job, const StopOrder& order) {
  if (started_.shared() != nullptr) throw SimulationError("jobs of groups on shared nodes cannot be stopped");
  const Time t = time_of_stop(now(), order);
  if (t >= job.leaves) return;
  if (order.how == StopOrder::How::kCheckpoint) {
    if (!last_checkpoints_) observers_.push_back(&last_checkpoints_.emplace());
    last_checkpoints_->asked(now(), job);
  }
  if (t <= now()) return stop_now(job, order);
  stops_.add(job, t, order);
  const Time end = started_.leaves_in_slice(job);
  if (end < job.expected_end) job.view->hold(job, job.held, end);
}

/// Jobs whose grace is over, in the order in which they were asked.
void SlicedSimulation::handle_stops() {
  while (const std::optional<PendingStops::Stop> stop = stops_.take(now())) stop_now(*stop->job, stop->order);
}

void SlicedSimulation::stop_now(StartedJob& job, const StopOrder& order) {
  const JobIndex j = job.index;
  Interruption what;
  what.requeued = order.how != StopOrder::How::kCancel;
  what.by = InterruptedBy::kPolicy;
  what.for_job = order.for_job;
  what.saved = order.how == StopOrder::How::kCheckpoint && last_checkpoints_->written(now(), j, order.checkpoint.cost);
  interrupt(job, what, what.saved ? &order.checkpoint : nullptr);
  if (!in_pass_) {
    if (what.requeued) submissions_.submit(j, now());
    return;
  }
  stopped_in_pass_ = true;
  if (what.requeued) stopped_.push_back(j);
  if (clock_.productive_for(started_.class_of(j))) set_open_ceiling();
}

/// One pass, and others while jobs are stopped in them: those that were requeued wait again.
void SlicedSimulation::passes() {
  pass();
  for (std::int32_t n = 0; stopped_in_pass_ || submissions_.some_released(); ++n) {
    if (n == kMostPasses)
      throw SimulationError(fmt::format("at {} s: the policy stopped, started or released jobs in {} passes in a row",
                                        format_seconds(now().time_since_epoch()), kMostPasses));
    stopped_in_pass_ = false;
    const std::vector<JobIndex> again = std::exchange(stopped_, {});
    for (const JobIndex j : again) submissions_.submit(j, now());
    submissions_.take_released(now());
    if (clock_.productive()) open_class().ended = true;
    pass();
  }
}

std::size_t SlicedSimulation::class_of(const View& view) const {
  const auto its = std::find_if(classes_.begin(), classes_.end(), [&](const Lane& c) { return &c.view == &view; });
  return static_cast<std::size_t>(its - classes_.begin());
}

/// What no class has started by the end of an instant, whatever slice it is. Returns whether jobs that waited for those come now.
bool SlicedSimulation::drop_not_started() {
  const bool more = submissions_.reject_waiting(classes_, Rejection::kNotAtOnce, [](JobIndex) { return true; }) &&
                    submissions_.some_come(now());
  if (more) submissions_.come_and_go(now());
  return more;
}

/// Jobs that name a reservation which is over for good can never run.
void SlicedSimulation::handle_reservations() {
  if (!reservations_ || !reservations_->handle()) return;
  for (const std::int32_t over : reservations_->take_over())
    submissions_.reject_waiting(classes_, Rejection::kOver, [&](JobIndex j) { return started_.demands()->only(j) == over; });
}

}  // namespace coslice
