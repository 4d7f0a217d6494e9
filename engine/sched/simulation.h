// The job-level simulation: the event loop, and what takes effect in it.
//
// Order of events at one instant (EventOrder):
//  ends-first (default): all ends, in the order in which their jobs were started; then all submissions, in the order of
//    the trace; then jobs are withdrawn; then one scheduling pass, in which starts take effect at once. Between ends and submissions: nodes come
//    back, then nodes fail or are drained, so that a job which ends when its node fails has ended; then jobs stop whose
//    policies have asked them to (simulation.cpp); then reservations of nodes end, become known and begin.
//  submissions-first: each submission, with a pass of its own; then each end, with a pass of its own; then the starts
//    that were decided take effect, in the order in which they were decided (a reservation counts from when it was last
//    moved). Free nodes are read from the profile: a job whose limit expires now counts as gone before its end is
//    handled. A job that depended on one that ends now is submitted before the next end is handled. Last, jobs are withdrawn.
//
// A scheduler may believe other run times than the limits (Scheduler::estimate). A job that outruns its estimate at an
// instant (after the ends, or submissions-first: before everything) is believed to need a minute more, then 5, 15, 30 minutes, 1, 2, 5, 10, 20,
// 50, 100 hours more, until its limit (Tsafrir, Etsion & Feitelson 2007); reservations for which that leaves no room move
// later. A job is killed at its limit only.
//
// Where nodes are powered down (NodePower), a scheduler holds nodes for as long as a job may run and the longest time that
// they may take to come up. Which nodes a job gets, and what it waits for them, turns out when its start takes effect; its
// work and its limit begin when all of them are up.
#pragma once

#include "resources/placement.h"
#include "sched/contention.h"
#include "sched/moldable_jobs.h"
#include "sched/node_power.h"
#include "sched/outage_events.h"
#include "sched/preemption.h"
#include "sched/submissions.h"

namespace coslice {

class Simulation : private ViewHost, private OutageHost, private SubmissionHost {
 public:
  /// `jobs` sorted by submission; all references outlive the simulation. `resources` is for machines whose nodes differ:
  /// they need event order ends-first (SimulationError). With `contention`, jobs there slow one another down, and only there
  /// may nodes be reserved. With `power`, nodes are powered down while no job has them, and a job that gets such nodes has
  /// them while they come up; not where jobs slow one another down or nodes are reserved (SimulationError).
  Simulation(const MachineSpec& machine, const std::vector<Job>& jobs, Scheduler& scheduler,
             const EngineOptions& options, const ResourceOptions& resources = {},
             const ContentionOptions* contention = nullptr, const OutageOptions* outages = nullptr,
             const NodeReservations* reservations = nullptr, const PowerOptions* power = nullptr);

  /// Observers are told of everything, in the order in which they were added. Add them before run().
  void add(Observer& observer) {
    observers_.push_back(&observer);
    view_.listen(observer);
  }
  /// Called now and then with the number of jobs that are done.
  void on_progress(std::function<void(std::size_t done)> f) { progress_ = std::move(f); }

  /// Jobs may have other sizes while they wait. `jobs` are those that the simulation was given; where they name requests,
  /// these hold those of all sizes (add_requests_of_sizes). Before run(). Throws SimulationError where jobs slow one
  /// another down.
  void mold(std::vector<Job>& jobs);

  /// The policy may divide GPUs: `jobs` are those that the simulation was given, and get the requests of the slices that they
  /// have, which are among those that it was given (add_requests_of_slices). Before run(). Needs contention.
  void divide_gpus(std::vector<Job>& jobs) { divided_ = &jobs; }

  /// Simulates until nothing is left to happen. Throws what the scheduler throws.
  void run();

  /// When the job entered the queue; later than its submit time only for jobs that wait for something else.
  Time submitted_at(JobIndex j) const { return submissions_.submitted_at(j); }
  /// The entries of all jobs into the queue; empty where all may come when they are submitted. Once, after run().
  std::vector<Time> take_submission_times() { return submissions_.take_submission_times(); }
  /// Work at rate 1 that went into checkpoints, by JobIndex; empty if there were none. After run().
  std::vector<Duration> checkpointing() const { return times_.checkpointing(); }
  /// When nodes were powered down; nothing where they never are. Once, after run().
  std::optional<PowerRecord> take_power() {
    return machine_.power ? std::optional(machine_.power->take()) : std::nullopt;
  }
  /// Jobs still waiting when nothing more could happen: the scheduler left them there.
  std::size_t left_waiting() const { return view_.queue().size() + submissions_.aside().size(); }
  /// The first of them: of its queue, else of those that it had set aside. Precondition: there are some.
  JobIndex first_left() const {
    return view_.queue().size() != 0 ? view_.queue().job(view_.queue().first()) : submissions_.aside().begin()->first;
  }
  /// What its scheduler sees.
  const View& view() const { return view_; }

 private:
  /// When a job will be found to run for longer than it was believed to.
  struct Correction {
    Time time;
    StartedJob* job;
    Time end;           ///< when it really ends
    std::size_t times;  ///< so often it was corrected before
    bool operator>(const Correction& o) const { return time != o.time ? time > o.time : job->index > o.job->index; }
  };
  struct PendingStart {
    std::uint64_t order;
    StartedJob* job;
  };

  // ViewHost
  void launch(StartedJob& job, std::uint64_t order) override {
    if (options_.event_order == EventOrder::kEndsFirst) take_effect(job);
    else pending_.push_back({order, &job});
    lane_.scheduler.started(view_, job.index);
  }
  void wake_at(Time t) override { wake_ = std::min(wake_, t); }
  std::int32_t nodes_of(JobIndex j) const override {
    return machine_.demands == nullptr ? nodes_for(jobs_[j].size, options_.ppn(machine_.spec))
                                       : machine_.demands->request(j).nodes;
  }
  bool requeues_at_back() const override {
    return machine_.outages && machine_.outages->options().place == RequeuePlace::kBack;
  }
  std::int32_t interruptions(JobIndex j) const override { return times_.interruptions(j); }
  const std::vector<JobSize>* sizes_of(JobIndex j) const override { return molding_ ? molding_->sizes(j) : nullptr; }
  Duration mold(JobIndex j, std::size_t i) override;
  std::optional<Duration> take_slice(JobIndex j, std::int32_t kind, std::int32_t slice) override;
  std::int32_t nodes_off() const override { return machine_.power ? machine_.power->off_count(now_) : 0; }
  const Contention* contention() const override { return machine_.speeds ? &machine_.speeds->contention() : nullptr; }
  void stop(StartedJob& job, const StopOrder& order) override;
  void refuse(JobIndex j, Rejection why) override {
    submissions_.reject(j, why, now_);
    lane_.scheduler.dropped(view_, j);
  }
  NodeRanges lendable(const StartedJob& job) const override;
  void launch_over(StartedJob& job, const std::vector<StartedJob*>& lenders) override;
  void set_aside(JobIndex j, Duration planned) override { submissions_.set_aside(j, planned, now_); }
  void release(JobIndex j) override { submissions_.release(j); }
  bool is_aside(JobIndex j) const override { return submissions_.is_aside(j); }

  // SubmissionHost
  Lane& lane_of(JobIndex) override { return lane_; }
  bool can_never_run(JobIndex j) const override {
    return machine_.demands == nullptr ? nodes_of(j) > machine_.spec.nodes : machine_.demands->demand(j).empty();
  }
  /// Whether the job runs in a reservation only that is over for good.
  bool too_late(JobIndex j) const override {
    if (!machine_.reservations) return false;
    const std::int32_t only = machine_.demands->only(j);
    return only >= 0 && machine_.demands->reservations()[static_cast<std::size_t>(only)].last_end() <= now_;
  }
  Duration planned(JobIndex j) const override;
  Duration longest_boot() const override { return machine_.power ? machine_.power->options().longest_boot() : Duration{0}; }
  bool may_be_estimated() const override;

  Time next_instant() const;
  void ends_first();
  void submissions_first();
  void submissions_then_ends();
  bool end_next();
  bool correct_estimates();
  void pass(Pass what);
  void get_on(StartedJob& job);
  Time limit_over(const StartedJob& job) const;
  void set_end(StartedJob& job, Duration least);
  Duration overtime(const StartedJob& job) const;
  /// Where it is believed to end before that.
  void correct_later(StartedJob& job, Time end) {
    if (job.expected_end < end) corrections_.push({job.expected_end, &job, end, 0});
  }
  void forget_correction(const StartedJob& job) {
    corrections_.forget([&](const Correction& c) { return c.job == &job; });
  }
  void take_effect(StartedJob& job);
  Duration boot_of(JobIndex j) const { return machine_.power ? machine_.power->boot_of(j) : Duration{0}; }
  void settle();

  // OutageHost
  void interrupt_jobs_on(NodeId n) override;
  std::string most_interrupted() const override { return times_.most_interrupted(); }
  std::int32_t jobs_on(NodeId n) const override { return machine_.occupancy.jobs_on(n); }
  bool can_take_down(NodeId n) const override { return (machine_.book && machine_.book->directs()) || jobs_on(n) == 0; }
  void take_down(NodeId n, Time until) override { machine_.away->take_down(n, until); }
  void believe_down(NodeId n, Time until) override { machine_.away->believe(n, until); }
  void is_gone(NodeId n) override {
    machine_.occupancy.take_away(n);
    if (machine_.power) machine_.power->goes_away(n, now_);
  }
  bool bring_back(NodeId n) override;
  void maintenance_begins(const Outage& outage) override { view_.forget_outage(outage.nodes, outage.from, outage.to); }
  void tell_apart(const OutagePlan& plan);

  /// Jobs whose grace is over, in the order in which they were asked.
  bool handle_stops() {
    bool any = false;
    for (; const std::optional<PendingStops::Stop> stop = stops_.take(now_); any = true)
      stop_now(*stop->job, stop->order);
    return any;
  }
  void stop_now(StartedJob& job, const StopOrder& order);
  void interrupt(StartedJob& job, InterruptedBy by, const StopOrder& how);
  bool waits_again() const { return !stopped_.empty() || submissions_.some_released(); }
  void resubmit_stopped();
  void suspend(StartedJob& job);
  void resume(StartedJob& job);
  /// They hold their nodes until they are believed to end after it.
  void hold_lenders_of(const StartedJob& job) {
    for (StartedJob* lender : suspended_->lenders_of(job.index))
      view_.hold(*lender, lender->held, suspended_->expected_end(lender->index));
  }
  void give_back_lent(JobIndex j);
  /// The suspended job has just gone: those that borrowed from it keep the nodes.
  void leave_lent(JobIndex j) {
    if (!suspended_) return;
    suspended_->forget(j);
    for (const auto& [borrower, nodes] : suspended_->leave(j)) view_.keep_lent(*borrower, nodes);
  }
  Duration suspended_for(JobIndex j) const { return suspended_ ? suspended_->away(j, now_) : Duration{0}; }
  void reserve_nodes(const NodeReservations& all);
  bool handle_reservations();
  const std::vector<Job>& jobs_;
  EngineOptions options_;
  struct {
    MachineSpec spec;
    Occupancy occupancy;
    std::unique_ptr<JobDemands> demands{};    ///< where nodes differ
    std::unique_ptr<ResourceBook> book{};     ///< where one count of nodes is not enough
    std::unique_ptr<SharedSpeeds> speeds{};   ///< where jobs slow one another down
    std::unique_ptr<Occupancy> running{};     ///< by jobs that get on, where that is so and others wait for nodes to come up
    std::unique_ptr<OutageEvents> outages{};  ///< where nodes are not always there, as is the next one
    std::unique_ptr<AwayNodes> away{};
    std::unique_ptr<ReservationClock> reservations{};  ///< where nodes are reserved
    std::unique_ptr<NodePower> power{};                ///< where nodes are powered down
  } machine_;
  std::vector<Job>* divided_ = nullptr;    ///< the jobs, where they may have slices of GPUs
  std::unique_ptr<MoldableJobs> molding_;  ///< where jobs may choose their sizes
  std::vector<Observer*> observers_;
  Lane lane_;
  View& view_;
  Time now_{};
  Time wake_ = kNever;
  JobTimes times_;
  Submissions submissions_;
  EndQueue ends_;
  EventHeap<Correction> corrections_;
  std::vector<PendingStart> pending_;  ///< submissions-first: decided, not yet in effect
  PendingStops stops_;
  std::vector<JobIndex> stopped_;             ///< in this pass, and to wait again when it is over
  std::unique_ptr<SuspendedJobs> suspended_;  ///< from the first suspension on
  bool in_pass_ = false;
  std::uint64_t happened_ = 0;  ///< starts, ends and corrections so far
  std::int64_t used_cores_ = 0;
  std::function<void(std::size_t)> progress_;
};

}  // namespace coslice
