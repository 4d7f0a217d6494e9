// Jobs whose processes share processors: the machine manager. Jobs enter the Ousterhout matrix (admission.h), and at
// each strobe (every slice) asks the policy for classes and modes; between strobes the processors go
// by themselves.
//
// At one instant: what happens on the processors, job ends, submissions, withdrawals, admissions, the strobe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "process/admission.h"
#include "process/coscheduler.h"
#include "process/extrapolation.h"
#include "process/process_record.h"
#include "process/processors.h"
#include "sched/engine_options.h"
#include "sched/observer.h"
#include "sched/submission_feed.h"

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

class ProcessSimulation {
 public:
  /// The references must outlive the simulation. Jobs are sorted by submission.
  /// `workload`, which outlives it, says by the same numbers what the jobs wait for before they come (dependencies, arrays,
  /// times, holds; as SubmissionFeed); null: each comes when it is submitted.
  ProcessSimulation(std::int32_t processors, const std::vector<Program>& programs, const std::vector<ProcessJob>& jobs,
                    Coscheduler& coscheduler, const ProcessSimulationOptions& options = {},
                    const std::vector<Job>* workload = nullptr, const EngineOptions& rules = {});

  void add(Observer& observer) {
    observers_.push_back(&observer);
    if (DecisionObserver* d = observer.decisions()) admission_.listen(*d);
  }
  /// Tells it what the processors do. REQUIRES: ProcessPath::kExact.
  void watch(ProcessorWatch& watch) { processors_.watch(&watch); }
  /// Is told now and then how many jobs have ended; may throw.
  void on_progress(std::function<void(std::size_t done)> f) { progress_ = std::move(f); }
  /// Throws SimulationError if the policy leaves processes waiting for ever.
  void run();

  /// The entries of all jobs into the queue; empty where all come when they are submitted. Once, after run().
  std::vector<Time> take_submission_times() { return feed_.take_submission_times(); }
  /// By job; kNever for one that never ran.
  const std::vector<Time>& starts() const { return starts_; }
  const std::vector<Time>& ends() const { return ends_; }
  /// Without the programs' names.
  ProcessRecord record() const;
  const Processors& processors() const { return processors_; }

 private:
  struct Running {
    JobIndex job;
    std::int32_t group, row;
  };

  bool end_jobs(Ns now);
  bool submit(Ns now);
  bool withdraw(Ns now);
  void leave(JobIndex job, bool stopped, Ns now);
  void drop_waiting(Ns now);
  void settled(Ns now);
  ProcessAccount account() const;
  NodeRanges nodes_of(const std::vector<std::int32_t>& columns) const;
  void start(const PlacedJob& placed, StartReason reason, Ns now);
  void strobe(Ns now);
  void classify_row(Ns now);
  void classify(const std::vector<ProcessId>& processes, Ns now);
  void decide(std::int32_t processor, Ns now);
  void decide_all(Ns now);
  void advance_exclusive() {
    for (const Running& r : running_)
      if (rules_.slice == Duration{0} || r.row == active_row_)
        processors_.advance_exclusive(r.group, std::min(next_strobe_, next_look_));
  }
  Ns extrapolate(Ns now);
  std::int64_t cycles_in_classes(std::int64_t cycles);
  bool keeps_class(ProcessId p, std::int64_t cycles);
  bool keep_classes(std::int64_t cycles);
  static Ns ns(Time t) { return t.time_since_epoch().count(); }  // kUnknown for kNever
  Ns next_arrival() const { return ns(feed_.next_time()); }
  Ns next_withdrawal() const { return ns(feed_.next_withdrawal()); }
  /// When a job comes or is withdrawn.
  Ns next_change() const { return std::min(next_arrival(), next_withdrawal()); }

  const std::vector<Program>& programs_;
  const std::vector<ProcessJob>& jobs_;
  Coscheduler& coscheduler_;
  const CoschedulingRules& rules_;
  ProcessSimulationOptions options_;
  Processors processors_;
  Admission admission_;
  std::deque<JobExtras> extras_;    ///< where no workload was given, as is the next one
  std::vector<Job> as_submitted_;
  SubmissionFeed feed_;
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
