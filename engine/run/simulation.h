// The simulation of jobs: the event loop. Jobs are decided about in lanes, each with a scheduler of its own, which sees
// a view whose clock runs only while its jobs may run. Without time slices there is one lane, whose slice never ends.
//
// Order of events at one instant (EventOrder):
//  ends-first (default): the list OrderAtInstant (events/order_at_instant.h), then one scheduling pass, in which starts
//    take effect at once. Ends come in the order in which the jobs were started, submissions in that of the trace. Jobs
//    that end when their nodes fail have ended.
//  submissions-first: each submission, with a pass of its own; then each end, with a pass of its own; then the starts
//    that were decided take effect, in the order in which they were decided (a reservation counts from when it was last
//    moved). Free nodes are read from the profile: a job whose limit expires now counts as gone before its end is
//    handled. A job that depended on one that ends now is submitted before the next end is handled. Last, jobs are
//    withdrawn.
//
// A scheduler may believe other run times than the limits (Scheduler::estimate). A job that outruns its estimate at an
// instant (after the ends, or submissions-first: before everything) is believed to need a minute more, then 5, 15, 30
// minutes, 1, 2, 5, 10, 20, 50, 100 hours more, until its limit (Tsafrir, Etsion & Feitelson 2007); reservations for
// which that leaves no room move later. A job is killed at its limit only.
//
// Where nodes are powered down (NodePower), a scheduler holds nodes for as long as a job may run and the longest time
// that they may take to come up. Which nodes a job gets, and what it waits for them, turns out when its start takes
// effect; its work and its limit begin when all of them are up.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "core/time.h"
#include "events/order_at_instant.h"
#include "events/submissions.h"
#include "run/foreign_starts.h"
#include "run/lane_outages.h"
#include "run/lane_reservations.h"
#include "run/outside.h"
#include "run/progress_watch.h"
#include "run/running_jobs.h"
#include "slices/slices.h"

namespace coslice {

// Whether a job that was to stop with a checkpoint had the time to write it. It is written in the last part of its run,
// which the end of a slice may cut off.

class LastCheckpoints : public Observer {
 public:
  /// Notes that the started job was asked to write a checkpoint.
  void asked(Time now, const StartedJob& job) {
    since_.emplace(job.index, job.phase == Phase::kRunning ? now : kNever);
  }
  /// Returns whether the job has run for `cost` without a break, since it was asked.
  bool written(Time now, JobIndex j, Duration cost) const {
    const auto since = since_.find(j);
    return since != since_.end() && since->second != kNever && now - since->second >= cost;
  }

  void ended(Time, JobIndex j, const NodeRanges&, bool) override { since_.erase(j); }
  void interrupted(Time, JobIndex j, const NodeRanges&, const Interruption&) override { since_.erase(j); }
  void preempted(Time, JobIndex j) override { set(j, kNever); }
  void resumed(Time now, JobIndex j, const NodeRanges&) override { set(j, now); }
  void loading(Time, JobIndex j, Duration) override { set(j, kNever); }
  void loaded(Time now, JobIndex j) override { set(j, now); }

 private:
  void set(JobIndex j, Time t) {
    if (const auto since = since_.find(j); since != since_.end()) since->second = t;
  }

  std::map<JobIndex, Time> since_;  ///< since when jobs that were asked run without a break; kNever: they do not run
};

/// The clock of a class: it runs only while slices of the class are productive.
class ClassClock final : public WallClock {
 public:
  ClassClock(const SliceClock& slices, std::size_t job_class) : slices_(slices), class_(job_class) {}
  Time now() const override { return slices_.now(); }
  Time after(Duration productive) const override { return slices_.after(class_, productive); }

 private:
  const SliceClock& slices_;
  std::size_t class_;
};

class Simulation : private SlicedHost, private SharingHost, private SubmissionHost {
 public:
  /// Makes a run with one scheduler. `jobs` sorted by submission; all references outlive the simulation. Throws
  /// SimulationError for the event order submissions-first where requests distinguish nodes.
  Simulation(const MachineSpec& machine, const std::vector<Job>& jobs, Scheduler& scheduler,
             const EngineOptions& options, const SimulationResources& resources = {},
             const OutageOptions* outages = nullptr)
      : Simulation(machine, jobs, {&scheduler}, SliceOptions{}, options, {}, resources, outages) {}
  /// Makes a run with one scheduler for each class of the slices, or with one for all jobs where `slices` have no
  /// classes. Throws SimulationError for the event order submissions-first, which is not supported under slices.
  Simulation(const MachineSpec& machine, const std::vector<Job>& jobs, const std::vector<Scheduler*>& schedulers,
             SliceOptions slices, const EngineOptions& options, std::optional<SharingOptions> sharing = {},
             const SimulationResources& resources = {}, const OutageOptions* outages = nullptr);

  // The sources of OrderAtInstant.
  struct Ends;
  struct Changes;
  struct Outages;
  struct Stops;
  struct Reservations;
  struct Outrun;
  struct SliceBounds;
  struct Arrivals;
  struct Wakes;

  /// Adds an observer, which is told of everything. Observers are told in the order in which they were added. Called
  /// before run().
  void add(Observer& observer);
  /// Lets `f` be called now and then with the number of jobs that are done.
  void on_progress(std::function<void(std::size_t done)> f) { progress_ = std::move(f); }
  /// Lets jobs have other sizes while they wait. `jobs` are those that the simulation was given; where they name
  /// requests, these hold those of all sizes (add_requests_of_sizes). Called before run().
  void mold(std::vector<Job>& jobs) { started_.mold(jobs); }
  /// Lets the policy divide GPUs: `jobs` are those that the simulation was given, and get the requests of the GPU
  /// instances that they have, which are among those that it was given (add_requests_of_gpu_instances). Called before
  /// run(). Precondition: there is contention.
  void divide_gpus(std::vector<Job>& jobs) { started_.divide_gpus(jobs); }

  /// Lets jobs come in the run. `jobs` are those that the simulation was given, to which they are added; there are no
  /// slices, groups, slowdowns and sizes to choose. Both outlive the simulation. Called before run().
  void let_in(JobInlet& inlet, std::vector<Job>& jobs);
  /// Makes the run one beside a machine outside, which says what happens. `jobs` as for let_in(). Preconditions:
  /// ends-first, and outages that plan nothing. Called before run().
  void go_beside(OutsideMachine& outside, std::vector<Job>& jobs);
  /// Simulates until nothing is left to happen. Throws what the scheduler throws, and under slices SimulationError if
  /// some jobs never get to run.
  void run();

  /// Returns when the job entered the queue; later than its submit time only for jobs that wait for something else.
  Time submitted_at(JobIndex j) const { return submissions_.submitted_at(j); }
  /// Returns the entries of all jobs into the queue; empty where all may come when they are submitted. Once, after
  /// run().
  std::vector<Time> take_submission_times() { return submissions_.take_submission_times(); }
  /// Returns the work at rate 1 that went into checkpoints, by JobIndex; empty if there were none. Called after run().
  std::vector<Duration> checkpointing() const { return started_.times().checkpointing(); }
  /// Returns when nodes were powered down; nothing where they never are. Once, after run().
  std::optional<PowerRecord> take_power() {
    return started_.power() != nullptr ? std::optional(started_.power()->take()) : std::nullopt;
  }
  /// Returns the jobs still waiting when nothing more could happen: their schedulers left them there, without having
  /// said that nothing will ever let them start.
  std::size_t left_waiting() const;
  /// Returns those of which they have said so, and why, in order of submission.
  std::map<JobIndex, std::string> blocked() const;
  /// Returns the first of them: of a queue, else of those that were set aside. Precondition: there are some.
  JobIndex first_left() const;
  /// Returns what the scheduler of the first lane sees.
  const HostedView& view() const { return lanes_.front().view; }
  const SliceCounts& counts() const { return started_.counts(); }
  /// Returns the memory of jobs: loading and swapping.
  const JobMemory& memory() const { return started_.memory(); }
  /// Returns the record of shared nodes; null where nodes are not shared.
  const SharedNodes* shared_nodes() const { return started_.shared(); }

 private:
  struct PendingStart {
    std::uint64_t order;
    StartedJob* job;
  };

  // ViewHost, SlicedHost
  void launch(StartedJob& job, std::uint64_t order) override;
  void wake_at(Time t) override;
  std::int32_t nodes_of(JobIndex j) const override { return started_.nodes_of(j); }
  bool requeues_at_back() const override { return outages_ && outages_->options().place == RequeuePosition::kBack; }
  std::int32_t interruptions(JobIndex j) const override { return started_.times().interruptions(j); }
  const std::vector<JobSize>* sizes_of(JobIndex j) const override {
    return started_.molding() != nullptr ? started_.molding()->sizes(j) : nullptr;
  }
  Duration mold(JobIndex j, std::size_t i) override { return started_.choose_size(j, i); }
  StartedJob* elastic_job(JobIndex j) const override {
    return started_.elastic() != nullptr ? started_.elastic()->running(j) : nullptr;
  }
  const std::vector<JobSize>* elastic_sizes(const StartedJob& job) const override {
    return started_.elastic_sizes(job);
  }
  std::int32_t ordered_nodes(const StartedJob& job) const override {
    return started_.elastic() != nullptr ? started_.elastic()->order(job.index).nodes : 0;
  }
  bool resize(StartedJob& job, std::size_t i) override {
    ++happened_;
    return started_.order_size(job, i);
  }
  Time expected_end(const StartedJob& job, const JobSize& size) const override {
    return started_.expected_end_with(job, size);
  }
  Time next_point(const StartedJob& job) const override {
    return started_.elastic() != nullptr ? started_.next_point(job) : kNever;
  }
  Time next_point_of_any() const override;
  ElasticRoom elastic_room(const View& view) const override { return started_.elastic_room(view); }
  ElasticMember next_elastic(const View& view, std::uint64_t from) const override {
    return started_.next_elastic(view, from);
  }
  std::optional<Duration> take_gpu_instance(JobIndex j, std::int32_t kind, std::int32_t slice) override {
    return started_.take_gpu_instance(j, kind, slice);
  }
  std::int32_t nodes_off() const override {
    return started_.power() != nullptr ? started_.power()->off_count(now()) : 0;
  }
  const Contention* contention() const override { return started_.contention(); }
  const SlicedHost* slices() const override { return started_.limits_are_work() ? this : nullptr; }
  void stop(StartedJob& job, const StopOrder& order) override;
  void refuse(JobIndex j, Rejection why) override;
  NodeRanges lendable(const StartedJob& job) const override;
  void launch_over(StartedJob& job, const std::vector<StartedJob*>& lenders) override;
  void suspend(StartedJob& job) override;
  void go_on(StartedJob& job) override;
  void set_aside(JobIndex j, Duration planned) override { submissions_.set_aside(j, planned, now()); }
  void release(JobIndex j) override { submissions_.release(j); }
  bool is_aside(JobIndex j) const override { return submissions_.is_aside(j); }
  std::size_t class_of(JobIndex j) const override { return started_.class_of(j); }
  std::size_t class_of(const View& view) const override;
  bool is_open(const View& view) const override { return clock_.productive_for(class_of(view)); }
  Duration done(const StartedJob& job) const override { return started_.done(job); }
  Freed freed_by(const std::vector<StartedJob*>& jobs) const override { return started_.freed_by(jobs); }

  // SharingHost
  InGroup in_group(JobIndex j) const override { return started_.shared()->in_group(j); }
  bool may_be_joined(const StartedJob& job) const override {
    return job.leaves == kNever && !started_.some_to_go(job.nodes) && job.phase != Phase::kSuspended &&
           (started_.suspended() == nullptr || !started_.suspended()->borrows(job.index));
  }
  Duration limit_left(JobIndex j) const override { return started_.times().limit(j); }
  void count_attempt(std::size_t candidates) override { started_.shared()->count_attempt(candidates); }
  void bound_response(JobIndex j, Duration bound) override { started_.shared()->bound_response(j, bound); }
  void set_ppn_alone(View& view, View::Position p, std::int32_t ppn) override;
  void launch_group(StartedJob& primary, const std::vector<StartedJob*>& matched, double gain, Duration time) override {
    started_.launch_group(primary, matched, gain, time);
  }
  void separate(Group& group) override { started_.separate(group); }

  // SubmissionHost
  Lane& lane_of(JobIndex j) override { return sliced_ ? lanes_[started_.class_of(j)] : lanes_.front(); }
  void comes(Lane& lane, JobIndex j) override;
  void waits(JobIndex j) override {
    if (MoldableJobs* const molding = started_.molding()) molding->forget_choice(j);
  }
  bool can_never_run(JobIndex j) const override { return started_.can_never_run(j); }
  bool too_late(JobIndex j) const override { return reservations_ && reservations_->too_late(j); }
  void enters(Lane& lane, JobIndex j) override { started_.memory().ask(lane.view, j); }
  Duration planned(JobIndex j) const override { return started_.planned_alone(j); }
  Duration most_believed(JobIndex j) const override { return started_.most_believed(j); }
  Duration time_for(JobIndex j, Duration believed) const override { return started_.time_alone(j, believed); }
  Duration longest_boot() const override { return started_.longest_boot(); }
  void gave_way(Lane& lane) override;

  void set_up(Time start, const OutageOptions* outages, const NodeReservations* reservations,
              const std::vector<Scheduler*>& schedulers);
  void distinguish(const OutagePlan& plan, const NodeReservations* reservations);
  void begin();
  void run_beside();
  void take_in(const OutsideMachine::Happened& happened);
  void take_in(const std::vector<Job>& jobs);
  Time next_decision() const;
  void advance(Time now);
  void check_progress(std::uint64_t before, bool outage);
  void check_none_kept() const;
  bool only_blocked() const;
  bool only_asked_for() const;
  bool waits_in_vain() const;
  void ends_first();
  void submissions_first();
  void submissions_then_ends();
  bool end_next();
  void finish(StartedJob& job);
  void fail(StartedJob& job);
  void interrupt(StartedJob& job, Interruption& what, const FinalCheckpoint* last);
  bool handle_slices();
  void end_slice();
  void next_slice();
  void begin_slice();
  bool drop_not_started();
  void passes();
  template <class F>
  void wait_again(F&& pass_again);
  void pass(const Pass* what = nullptr);
  void pass_closed(Lane& lane);
  void pass_on_record(Lane& lane);
  void pass_open(const Pass* what);
  void ask(Lane& lane, Pass what);
  std::size_t active() const;
  bool on_demand_is_over() const;
  void settle();
  std::int32_t nodes_standing_still() const;
  void count_turn();
  void set_open_ceiling();
  bool handle_stops();
  void stop_now(StartedJob& job, const StopOrder& order);
  bool correct_estimates();
  void give_back_lent(JobIndex j);
  void leave_lent(JobIndex j);
  void take_effect(StartedJob& job);

  void take_record(const RecordedHistory& history);
  void wake_for_record();

  bool sliced() const { return sliced_; }
  /// Returns the lane whose slice it is, or was last.
  Lane& open_lane() { return sliced_ ? lanes_[clock_.slice().job_class] : lanes_.front(); }
  const Lane& open_lane() const { return sliced_ ? lanes_[clock_.slice().job_class] : lanes_.front(); }
  std::int32_t ceiling() const { return started_.startable_count() + started_.evictable_nodes(); }
  Time now() const { return clock_.now(); }

  const std::vector<Job>& jobs_;
  EngineOptions options_;
  SliceOptions slices_;
  const bool sliced_;
  std::vector<Observer*> observers_;
  Time recorded_until_ = kNever;          ///< jobs start as recorded before; kNever: none does
  std::vector<Time> record_;              ///< when they do, the first at the end, after that instant itself
  std::deque<RecordedStarts> on_record_;  ///< by lane
  Lanes lanes_;
  SliceClock clock_;
  SliceClock::Wants wants_slice_;
  RunningJobs started_;
  ForeignStarts foreign_;
  Submissions submissions_;
  std::unique_ptr<LaneOutages> outages_;            ///< where nodes are not always there
  std::unique_ptr<LaneReservations> reservations_;  ///< where some are reserved for users
  std::vector<PendingStart> pending_;               ///< submissions-first: decided, not yet in effect
  PendingStops stops_;
  std::optional<LastCheckpoints> last_checkpoints_;  ///< from the first one that a policy asked for
  std::vector<JobIndex> stopped_;                    ///< in this pass, and to wait again when it is over
  bool in_pass_ = false;
  bool stopped_in_pass_ = false;  ///< some job was, for good or not
  ProgressWatch watch_;
  Time view_time_{};  ///< instant up to which the open view's clock has been moved
  Time wake_ = kNever;
  std::uint64_t happened_ = 0;  ///< starts, ends, stops, suspensions and corrections so far
  Time turn_ = kNever;          ///< the last instant at which a job was suspended or went on
  std::int64_t in_vain_ = 0;    ///< instants without any of these, in passes
  Time vain_since_{};           ///< the first of them
  std::function<void(std::size_t)> progress_;
  JobInlet* inlet_ = nullptr;            ///< null: no jobs come but those that it was given
  OutsideMachine* outside_ = nullptr;    ///< null: the machine is simulated
  std::vector<Job>* growing_ = nullptr;  ///< the jobs, where some are added
};

}  // namespace coslice
