// Jobs whose processes share processors: the machine manager. It keeps the queue, packs jobs into the Ousterhout
// matrix, and at each strobe (every slice) asks the policy for classes and modes; between strobes the processors go
// by themselves.
//
// At one instant: what happens on the processors, job ends, submissions, admissions, the strobe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "process/coscheduler.h"
#include "process/extrapolation.h"
#include "process/matrix.h"
#include "process/node_room.h"
#include "process/process_record.h"
#include "process/processors.h"
#include "sched/observer.h"

namespace coslice {

/// A job for the process level.
struct ProcessJob {
  Time submit{};
  std::int32_t size = 1;     ///< processes, each on a processor of its own
  std::int32_t program = 0;  ///< number in the list of programs
  std::int64_t iterations = 1;
  Duration estimate{};         ///< of its time alone; the queue reckons with that times the multiprogramming level
  std::int64_t memory_kb = 0;  ///< of a process
};

enum class ProcessPath : std::uint8_t {
  kExact,   ///< event by event
  kClosed,  ///< exclusive phases in closed form: the same results
  kFast,    ///< settled phases by measured rates, too
};

struct ProcessSimulationOptions {
  std::int32_t processors_per_node = 1;  ///< nodes are what observers are told
  std::int64_t memory_kb = 0;            ///< of a node: what the processes of all rows have together; 0: no limit
  Packing packing = Packing::kLowest;
  bool backfill = true;  ///< EASY; else first come, first served
  ProcessPath path = ProcessPath::kClosed;
  double tolerance = 0.008;  ///< kFast: half of the 99 % interval of a rate, relative, that is good enough
  std::uint64_t seed = 1;
};

class ProcessSimulation {
 public:
  /// The references must outlive the simulation. Jobs are sorted by submission.
  ProcessSimulation(std::int32_t processors, const std::vector<Program>& programs, const std::vector<ProcessJob>& jobs,
                    Coscheduler& coscheduler, const ProcessSimulationOptions& options = {});

  void add(Observer& observer) {
    observers_.push_back(&observer);
    if (DecisionObserver* d = observer.decisions()) listeners_.push_back(d);
  }
  /// Tells it what the processors do. REQUIRES: ProcessPath::kExact.
  void watch(ProcessorWatch& watch) { processors_.watch(&watch); }
  /// Is told now and then how many jobs have ended; may throw.
  void on_progress(std::function<void(std::size_t done)> f) { progress_ = std::move(f); }
  /// Throws SimulationError if the policy leaves processes waiting for ever.
  void run();

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
    std::vector<std::int32_t> columns;
    Ns believed_end;  ///< start + estimate x multiprogramming level
  };
  /// Where and when the first waiting job will find room, as far as is believed.
  struct Shadow {
    Ns time;
    std::int32_t row, extra;
  };

  bool end_jobs(Ns now);
  bool submit(Ns now);
  void admit(Ns now);
  void settled(Ns now);
  ProcessAccount account() const;
  NodeRanges nodes_of(const std::vector<std::int32_t>& columns) const;
  bool can_ever_run(const ProcessJob& job) const;
  bool try_start(JobIndex job, Ns now, const Shadow* shadow);
  bool delays(const Shadow& shadow, std::int32_t row, JobIndex job, Ns now) const;
  Shadow shadow_of(JobIndex head, Ns now) const;
  Shadow shadow_in_memory(JobIndex head, Ns now) const;
  void start(JobIndex job, std::int32_t row, std::vector<std::int32_t> columns, Ns now);
  void explain_wait(JobIndex job, JobIndex head, const std::optional<Shadow>& shadow, Ns now) const;
  void strobe(Ns now);
  void classify_row(Ns now);
  void classify(ProcessId p, Ns now);
  void decide(std::int32_t processor, Ns now);
  void advance_exclusive();
  Ns extrapolate(Ns now);
  std::int64_t cycles_in_classes(std::int64_t cycles);
  bool keeps_class(ProcessId p, std::int64_t cycles);
  bool keep_classes(std::int64_t cycles);
  Ns next_arrival() const;

  const std::vector<Program>& programs_;
  const std::vector<ProcessJob>& jobs_;
  Coscheduler& coscheduler_;
  const CoschedulingRules& rules_;
  ProcessSimulationOptions options_;
  Processors processors_;
  OusterhoutMatrix matrix_;
  NodeRoom room_;
  std::vector<Observer*> observers_;
  std::vector<DecisionObserver*> listeners_;
  std::function<void(std::size_t)> progress_;

  std::size_t arrived_ = 0, ended_ = 0;
  std::vector<JobIndex> waiting_;
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
