// The job-level simulation under time slices. Each class of jobs has a view with a scheduler of its own, which knows
// nothing of slices: its clock runs only while its slices are productive. This class is the event loop: it preempts and
// resumes, asks the schedulers, and lets jobs of other classes use what a slice leaves over.
//
// Order of events at one instant: job ends, loads finished, nodes come back, nodes fail or are drained (interrupted jobs
// wait again), jobs stop whose policies have asked them to, reservations of nodes end, become known and
// begin, slice end, slice begin, submissions, jobs are withdrawn, one scheduling pass.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "sched/event_queues.h"
#include "sched/observer.h"
#include "sched/view.h"
#include "sched/submissions.h"
#include "slices/foreign_starts.h"
#include "slices/progress_watch.h"
#include "slices/sliced_jobs.h"
#include "slices/sliced_outages.h"
#include "slices/sliced_reservations.h"
#include "slices/slices.h"

namespace coslice {

// Whether a job that was to stop with a checkpoint had the time to write it. It is written in the last part of its run, which
// the end of a slice may cut off.

class LastCheckpoints : public Observer {
 public:
  /// The started job was asked to write one.
  void asked(Time now, const StartedJob& job) {
    since_.emplace(job.index, job.phase == Phase::kRunning ? now : kNever);
  }
  /// Whether it has run for as long as that takes without a break, since it was asked.
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

class SlicedSimulation : private SlicedHost, private SharingHost, private SubmissionHost {
 public:
  /// One scheduler per class of the options. All references outlive the simulation. Throws SimulationError for the
  /// event order submissions-first, which knows no slices; for groups of jobs where nodes differ or are not always there;
  /// and for maintenance and reservations of nodes on a machine of equal nodes.
  SlicedSimulation(const MachineSpec& machine, const std::vector<Job>& jobs, const std::vector<Scheduler*>& schedulers,
                   SliceOptions slices, const EngineOptions& options, std::optional<SharingOptions> sharing = {},
                   const SlicedResources& resources = {}, const OutageOptions* outages = nullptr);

  void add(Observer& observer);
  void on_progress(std::function<void(std::size_t done)> f) { progress_ = std::move(f); }
  /// Simulates until every job has ended. Throws SimulationError if some never get to run.
  void run();

  std::vector<Time> take_submission_times() { return submissions_.take_submission_times(); }
  /// Work at rate 1 that went into checkpoints, by JobIndex; empty if there were none. After run().
  std::vector<Duration> checkpointing() const { return started_.times().checkpointing(); }
  const SliceCounts& counts() const { return started_.counts(); }
  /// Loading and swapping.
  const JobMemory& memory() const { return started_.memory(); }
  /// Null where nodes are not shared.
  const SharedNodes* shared_nodes() const { return started_.shared(); }

 private:
  // SlicedHost
  void launch(StartedJob& job, std::uint64_t order) override;
  void wake_at(Time t) override;
  std::int32_t nodes_of(JobIndex j) const override { return started_.nodes_of(j); }

  bool requeues_at_back() const override { return outages_ && outages_->options().place == RequeuePlace::kBack; }
  std::int32_t interruptions(JobIndex j) const override { return started_.times().interruptions(j); }
  const Contention* contention() const override { return started_.contention(); }
  std::size_t class_of(JobIndex j) const override { return started_.class_of(j); }
  std::size_t class_of(const View& view) const override;
  bool is_open(const View& view) const override { return clock_.productive_for(class_of(view)); }
  Duration done(const StartedJob& job) const override { return started_.done(job); }
  std::int32_t freed_by(StartedJob& job) const override { return started_.freed_by(job); }

  // SharingHost
  std::int32_t shared_ppn(JobIndex j) const override { return started_.shared()->ppn_shared(j); }
  void count_attempt(std::size_t candidates) override { started_.shared()->count_attempt(candidates); }
  void bound_response(JobIndex j, Duration bound) override { started_.shared()->bound_response(j, bound); }
  void set_ppn_alone(View& view, View::Position p, std::int32_t ppn) override;
  void launch_group(StartedJob& primary, const std::vector<StartedJob*>& matched, double gain) override {
    started_.launch_group(primary, matched, gain);
  }
  void separate(Group& group) override { started_.separate(group); }

  Time next_instant() const;
  void advance(Time now);
  void handle_instant();
  bool handle_job_events();
  void finish(StartedJob& job);
  void fail(StartedJob& job);
  void interrupt(StartedJob& job, const Interruption& what, const FinalCheckpoint* last);
  bool handle_slices();
  void end_slice();
  void next_slice();
  void begin_slice();
  bool drop_not_started();
  void pass();
  void pass_closed(Lane& c);
  std::size_t active() const;
  void pass_open();
  bool on_demand_is_over() const;
  void settle();
  void set_open_ceiling();

  void stop(StartedJob& job, const StopOrder& order) override;
  void refuse(JobIndex j, Rejection why) override {
    submissions_.reject(j, why, now());
    lane_of(j).scheduler.dropped(lane_of(j).view, j);
  }
  void set_aside(JobIndex j, Duration planned) override { submissions_.set_aside(j, planned, now()); }
  void release(JobIndex j) override { submissions_.release(j); }
  bool is_aside(JobIndex j) const override { return submissions_.is_aside(j); }

  // SubmissionHost
  Lane& lane_of(JobIndex j) override { return classes_[started_.class_of(j)]; }
  void comes(Lane& lane, JobIndex j) override {
    if (SharedNodes* shared = started_.shared()) shared->ask_ppn(lane.view, j);
  }
  bool can_never_run(JobIndex j) const override { return started_.can_never_run(j); }
  bool too_late(JobIndex j) const override { return reservations_ && reservations_->too_late(j); }
  void enters(Lane& lane, JobIndex j) override { started_.memory().ask(lane.view, j); }
  Duration planned(JobIndex j) const override { return started_.planned_alone(j); }
  bool may_be_estimated() const override { return false; }
  void gave_way(Lane& lane) override {  // others may start, or be promised earlier starts
    (clock_.productive() && &lane == &open_class() ? lane.ended : lane.submitted) = true;
  }

  void handle_stops();
  void handle_reservations();
  void stop_now(StartedJob& job, const StopOrder& order);
  void passes();
  /// The view of the slice's class.
  Lane& open_class() { return classes_[clock_.slice().job_class]; }
  std::int32_t ceiling() const { return started_.startable_count() + started_.evictable_nodes(); }
  Time now() const { return clock_.now(); }

  const std::vector<Job>& jobs_;
  EngineOptions options_;
  SliceOptions slices_;
  std::vector<Observer*> observers_;
  Lanes classes_;
  SliceClock clock_;
  SliceClock::Wants wants_slice_;
  SlicedJobs started_;
  ForeignStarts foreign_;
  std::unique_ptr<SlicedOutages> outages_;            ///< where nodes are not always there
  std::unique_ptr<SlicedReservations> reservations_;  ///< where some are reserved for users
  PendingStops stops_;
  std::optional<LastCheckpoints> last_checkpoints_;  ///< from the first one that a policy asked for
  std::vector<JobIndex> stopped_;                    ///< in this pass, and to wait again when it is over
  bool in_pass_ = false;
  bool stopped_in_pass_ = false;  ///< some job was, for good or not
  ProgressWatch watch_;
  Submissions submissions_;
  /// Tells of starts.
  struct Starts : Observer {
    explicit Starts(Submissions& of) : submissions(of) {}
    void started(Time t, JobIndex j, const NodeRanges&) override { submissions.began(j, t); }
    Submissions& submissions;
  } starts_;
  Time view_time_{};  ///< instant up to which the open view's clock has been moved
  Time wake_ = kNever;
  std::size_t interrupted_ = 0;  ///< runs of jobs
  std::function<void(std::size_t)> progress_;
};

}  // namespace coslice
