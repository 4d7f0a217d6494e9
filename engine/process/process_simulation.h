// Jobs whose processes share processors: the machine manager. Jobs enter the Ousterhout matrix (admission.h), and at
// each strobe (every slice) asks the policy for classes and modes; between strobes the processors go
// by themselves.
//
// At one instant: what happens on the processors, job ends, jobs that are killed at their limits, nodes that are up for
// a job, outages (nodes come back, then others fail or are drained: interrupted jobs wait again), reservations of
// nodes, submissions, withdrawals, admissions, the strobe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events/node_power.h"
#include "events/outage_events.h"
#include "events/submission_feed.h"
#include "jobs/engine_options.h"
#include "process/admission.h"
#include "process/coscheduler.h"
#include "process/extrapolation.h"
#include "process/job_view.h"
#include "process/process_record.h"
#include "process/processors.h"
#include "schedule/observer.h"

namespace coslice {

enum class ProcessPath : std::uint8_t {
  kExact,   ///< event by event
  kClosed,  ///< exclusive phases in closed form: the same results
  kFast,    ///< settled phases by measured rates, too
};

struct ProcessSimulationOptions : AdmissionOptions {
  ProcessPath path = ProcessPath::kClosed;
  double tolerance = 0.008;  ///< kFast: half of the 99 % interval of a rate, relative, that is good enough
  std::uint64_t seed = 1;
  Unstarted unstarted = Unstarted::kWait;
};

/// What a machine is beside equal nodes that are always there for all. What is not null outlives the simulation.
struct ProcessMachine {
  /// When which nodes are down, and what becomes of jobs that have processes on a node that fails.
  const OutageOptions* outages = nullptr;
  /// What jobs ask for of nodes of several kinds, and how they stand to reservations of nodes.
  const JobDemands* demands = nullptr;
  /// When nodes are powered down, and how long they take to come up.
  const PowerOptions* power = nullptr;
};

class ProcessSimulation : private OutageHost {
 public:
  /// Makes a run. The references outlive the simulation. Jobs are sorted by submission. `workload`, which outlives it,
  /// says by the same numbers what the jobs wait for before they come (dependencies, arrays, times, holds; as
  /// SubmissionFeed); null: each comes when it is submitted.
  ProcessSimulation(std::int32_t processors, const std::vector<Program>& programs, const std::vector<ProcessJob>& jobs,
                    Coscheduler& coscheduler, const ProcessSimulationOptions& options = {},
                    const std::vector<Job>* workload = nullptr, const EngineOptions& rules = {},
                    const ProcessMachine& machine = {});

  void add(Observer& observer) {
    observers_.push_back(&observer);
    if (DecisionObserver* d = observer.decisions()) admission_.listen(*d);
  }
  /// Lets `scheduler`, which outlives the simulation, say how jobs write checkpoints and for how long they are believed
  /// to run, and be told of what becomes of them. It is asked for no pass.
  void ask(Scheduler& scheduler);
  /// Returns a job's part of the process level: as it is now, with its size, run time and limit.
  using ProcessJobOf = std::function<ProcessJob(JobIndex)>;
  /// Lets moldable jobs choose among their sizes while they wait (EngineOptions::molding). `jobs` and `processes` are
  /// those that the simulation has; they get what is chosen, and so do `demands`, which are null where nodes are equal.
  void mold(std::vector<Job>& jobs, std::vector<ProcessJob>& processes, JobDemands* demands,
            ProcessJobOf process_job_of);
  /// Lets `watch` be told what the processors do. Precondition: ProcessPath::kExact.
  void watch(ProcessorWatch& watch) { processors_.watch(&watch); }
  /// Lets `f` be told now and then how many jobs have ended; it may throw.
  void on_progress(std::function<void(std::size_t done)> f) { progress_ = std::move(f); }
  /// Throws SimulationError if the policy leaves processes waiting for ever.
  void run();

  /// Returns the entries of all jobs into the queue; empty where all come when they are submitted. Once, after run().
  std::vector<Time> take_submission_times() { return feed_.take_submission_times(); }
  /// Returns the work at rate 1 that went into checkpoints, by JobIndex; empty if there were none. Called after run().
  std::vector<Duration> checkpointing() const { return times_.checkpointing(); }
  /// Returns when nodes were powered down; nothing where they never are. Once, after run().
  std::optional<PowerRecord> take_power() { return power_ ? std::optional(power_->take()) : std::nullopt; }
  /// Returns the starts by job; kNever for one that never ran.
  const std::vector<Time>& starts() const { return starts_; }
  const std::vector<Time>& ends() const { return ends_; }
  /// Returns the record of the processes, without the programs' names.
  ProcessRecord record() const;
  const Processors& processors() const { return processors_; }

 private:
  struct Running {
    JobIndex job;
    std::int32_t group, row;
    Ns told = kUnknown, gone = kUnknown;  ///< when it is killed, and when it is gone then at the latest
  };
  /// A job that has its processors, and waits for their nodes to come up.
  struct Booting {
    PlacedJob job;
    Ns up;
  };

  // OutageHost
  std::int32_t jobs_on(NodeId n) const override { return occupancy_.jobs_on(n); }
  void interrupt_jobs_on(NodeId n) override;
  std::string most_interrupted() const override { return times_.most_interrupted(); }
  /// Returns true: admission records which job has which processors.
  bool can_take_down(NodeId) const override { return true; }
  void take_down(NodeId n, Time until) override { admission_.access().close(n, ns(until)); }
  void believe_down(NodeId n, Time until) override { admission_.access().close(n, ns(until)); }
  void is_gone(NodeId n) override;
  bool bring_back(NodeId n) override;
  void maintenance_begins(const Outage& o) override { admission_.access().forget(o.nodes, ns(o.from), ns(o.to)); }

  void plan_maintenance(Time start);
  bool handle_outages(Ns now);
  void interrupt(JobIndex j);
  double stop(JobIndex j);
  NodeRanges leave_machine(JobIndex j);
  bool handle_reservations(Ns now);
  bool too_late(JobIndex j, Ns now) const;
  void reject(JobIndex j, Rejection why, Ns now);
  void give_up(JobIndex j, Rejection why, Ns now);
  void wait_again(JobIndex j, Ns now);
  Duration alone(JobIndex j) const;
  void believe(JobIndex j);
  void correct_estimates(Ns now);
  void choose_size(JobIndex j, std::size_t i);
  void choose_sizes(Ns now);
  bool can_ever_run(JobIndex j);
  std::int32_t nodes_of(JobIndex j) const;
  std::int64_t iterations(JobIndex j) const;
  std::int64_t iterations_within_limit(const PlacedJob& placed, std::int64_t all) const;
  std::int32_t partition_of(const PlacedJob& placed) const;
  std::vector<double> speeds_of(const std::vector<std::int32_t>& columns) const;
  void check_outages(bool outage, bool other);
  void left_for_ever() const;
  bool end_jobs(Ns now);
  bool kill_jobs(Ns now);
  void end(JobIndex j, std::int32_t group, bool killed, Ns now);
  bool submit(Ns now);
  void enter(JobIndex job);
  bool withdraw(Ns now);
  /// Notes that the job is over: jobs that wait for it may come, or never will.
  void leave(JobIndex job, bool stopped, Ns now) {
    done_ += feed_.leave(job, Time{Duration{now}}, stopped, observers_);
  }
  void drop_waiting(Ns now);
  void settled(Ns now);
  ProcessAccount account() const;
  void start(const PlacedJob& placed, StartReason reason, Ns now);
  bool end_boots(Ns now);
  void begin(const PlacedJob& placed, Ns now);
  bool none_started() const { return running_.empty() && booting_.empty(); }
  void strobe(Ns now);
  void classify_row(Ns now);
  void classify(const std::vector<ProcessId>& processes, Ns now);
  void decide(std::int32_t processor, Ns now);
  void decide_all(Ns now);
  void advance_exclusive() {
    for (const Running& r : running_)
      if (rules_.slice == Duration{0} || r.row == active_row_) processors_.advance_exclusive(r.group, next_decision());
  }
  /// Returns the next instant at which something is decided about jobs that have their processors for themselves.
  Ns next_decision() const { return std::min({next_strobe_, next_look_, next_outage(), next_kill()}); }
  Ns extrapolate(Ns now);
  std::int64_t cycles_in_classes(std::int64_t cycles);
  bool keeps_class(ProcessId p, std::int64_t cycles);
  bool keep_classes(std::int64_t cycles);
  static Ns ns(Time t) { return t.time_since_epoch().count(); }  // kUnknown for kNever
  Ns next_arrival() const { return ns(feed_.next_time()); }
  Ns next_withdrawal() const { return ns(feed_.next_withdrawal()); }
  Ns next_outage() const { return outages_ ? std::max(ns(outages_->next_time()), start_) : kUnknown; }
  Ns next_boot() const;
  Ns next_kill() const;
  Ns next_reservation() const { return reservations_ ? ns(reservations_->next_time()) : kUnknown; }
  /// Returns when a job comes, is withdrawn or killed, or the nodes of one are up.
  Ns next_coming() const { return std::min({next_arrival(), next_withdrawal(), next_boot(), next_kill()}); }
  Ns next_due() const { return admission_.next_due(now_); }
  /// Returns when waiting jobs may find more nodes than before, although none ends.
  Ns next_opening() const { return std::min({next_outage(), next_reservation(), next_due()}); }
  Ns next_change() const { return std::min(next_coming(), next_opening()); }

  const std::vector<Program>& programs_;
  const std::vector<ProcessJob>& jobs_;
  Coscheduler& coscheduler_;
  const CoschedulingRules& rules_;
  ProcessSimulationOptions options_;
  NodeColumns columns_;
  Processors processors_;
  Admission admission_;
  std::deque<JobExtras> extras_;  ///< where no workload was given, as is the next one
  std::vector<Job> as_submitted_;
  const std::vector<Job>& workload_;
  SubmissionFeed feed_;
  EngineOptions limits_;  ///< only what they say about limits is used
  JobTimes times_;
  const JobDemands* demands_;
  std::unique_ptr<JobView> view_;  ///< null: nobody is asked
  /// Jobs with estimates, and how often these proved too short.
  struct Believed {
    Duration time{};
    std::size_t corrected = 0;
  };
  std::map<JobIndex, Believed> believed_;
  struct {
    std::unique_ptr<MoldableJobs> jobs;  ///< null: none is moldable
    std::vector<ProcessJob>* processes = nullptr;
    ProcessJobOf process_job_of;
  } molding_;
  std::map<JobIndex, StartedJob> on_nodes_;
  Occupancy occupancy_;
  std::optional<OutageEvents> outages_;
  std::optional<NodePower> power_;
  std::optional<ReservationClock> reservations_;
  std::vector<Booting> booting_;  ///< by order of start
  Ns start_ = 0, now_ = 0;        ///< the first submission; the instant that is being handled
  std::int64_t in_vain_ = 0;      ///< outages in a row while nothing else happened
  std::size_t done_ = 0;          ///< jobs that are over, or never came
  std::vector<Observer*> observers_;
  std::function<void(std::size_t)> progress_;

  std::size_t ended_ = 0;
  std::vector<Running> running_;  ///< by order of start
  std::int32_t active_row_ = 0;
  Ns next_strobe_ = kUnknown;
  std::int64_t strobes_ = 0, slots_ = 0, empty_slots_ = 0;
  Extrapolation extrapolation_;
  Ns next_look_ = kUnknown;  ///< kFast without slots: when to look at the rates
  std::vector<Time> starts_, ends_;
  std::vector<std::vector<ClassId>> classes_;
  std::vector<ClassChange> changes_;
};

}  // namespace coslice
