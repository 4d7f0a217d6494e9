// Which waiting jobs enter the Ousterhout matrix, and where: in order, and by EASY backfilling those behind the first
// that finds no room, if they do not delay it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "process/matrix.h"
#include "process/node_room.h"
#include "process/process.h"
#include "sched/observer.h"

namespace coslice {

class DecisionObserver;

/// A job for the process level.
struct ProcessJob {
  Time submit{};
  std::int32_t size = 1;     ///< processes, each on a processor of its own
  std::int32_t program = 0;  ///< number in the list of programs
  std::int64_t iterations = 1;
  Duration estimate{};         ///< of its time alone; the queue reckons with that times the multiprogramming level
  std::int64_t memory_kb = 0;  ///< of a process
  Time withdrawn = kNever;     ///< it leaves the queue then, unless it has started
};

struct AdmissionOptions {
  std::int32_t processors_per_node = 1;  ///< nodes are what observers are told
  std::int64_t memory_kb = 0;            ///< of a node: what the processes of all rows have together; 0: no limit
  Packing packing = Packing::kLowest;
  bool backfill = true;  ///< EASY; else first come, first served
};

/// A job in the matrix.
struct PlacedJob {
  JobIndex job;
  std::int32_t row;
  std::vector<std::int32_t> columns;
  Ns believed_end;  ///< start + estimate x multiprogramming level
};

class Admission {
 public:
  using Start = std::function<void(const PlacedJob&, StartReason)>;

  /// `jobs` outlives it.
  Admission(std::int32_t rows, std::int32_t processors, const std::vector<ProcessJob>& jobs,
            const AdmissionOptions& options);

  void listen(DecisionObserver& d) { listeners_.push_back(&d); }
  /// Whether the job fits onto the empty machine.
  bool can_ever_run(JobIndex job) const;
  void submit(JobIndex job) { waiting_.push_back(job); }
  /// The job waits no more.
  void withdraw(JobIndex job) { std::erase(waiting_, job); }
  /// Calls `start` for each waiting job that enters now, which holds its place by then.
  void admit(Ns now, const Start& start);
  /// The waiting jobs, which wait no longer.
  std::vector<JobIndex> drop_waiting() { return std::exchange(waiting_, {}); }
  /// The job leaves the matrix.
  PlacedJob release(JobIndex job);

  const OusterhoutMatrix& matrix() const { return matrix_; }
  std::size_t waiting() const { return waiting_.size(); }
  /// In the matrix, in order of their starts.
  const std::vector<PlacedJob>& placed() const { return placed_; }

 private:
  /// Where and when the first waiting job will find room, as far as is believed.
  struct Shadow {
    Ns time;
    std::int32_t row, extra;
  };

  bool try_start(JobIndex job, Ns now, const Shadow* shadow, const Start& start);
  bool delays(const Shadow& shadow, std::int32_t row, JobIndex job, Ns now) const;
  Ns believed_end(JobIndex job, Ns start) const { return start + jobs_[job].estimate.count() * matrix_.rows(); }
  std::vector<const PlacedJob*> by_believed_end() const;
  Shadow shadow_of(JobIndex head, Ns now) const;
  Shadow shadow_in_memory(JobIndex head, Ns now) const;
  void explain_wait(JobIndex job, JobIndex head, const std::optional<Shadow>& shadow, Ns now) const;

  const std::vector<ProcessJob>& jobs_;
  AdmissionOptions options_;
  OusterhoutMatrix matrix_;
  ProcessRoom room_;
  std::vector<JobIndex> waiting_;
  std::vector<PlacedJob> placed_;
  std::vector<DecisionObserver*> listeners_;
};

}  // namespace coslice
