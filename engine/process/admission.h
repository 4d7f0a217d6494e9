// Which waiting jobs enter the Ousterhout matrix, and where: in order, and by EASY backfilling those behind the first
// that finds no room, if they do not delay it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "process/processors.h"
#include "sched/observer.h"

namespace coslice {

enum class Packing : std::uint8_t {
  kLowest,  ///< the free columns with the lowest numbers
  kBuddy,   ///< the first aligned block of a power of two that is free and holds the job (Feitelson & Rudolph 1990)
};

/// A column for each processor, a row for each time slot. A job has the same row on all its
/// processors, so that its processes can be switched in together (Ousterhout 1982).
class OusterhoutMatrix {
 public:
  OusterhoutMatrix(std::int32_t rows, std::int32_t columns, Packing packing);

  std::int32_t rows() const { return static_cast<std::int32_t>(free_.size()); }
  std::int32_t columns() const { return columns_; }
  /// Columns of a row that no job holds.
  std::int32_t free_columns(std::int32_t row) const { return free_[static_cast<std::size_t>(row)]; }
  bool empty_row(std::int32_t row) const { return free_columns(row) == columns_; }
  bool empty() const {
    return std::all_of(free_.begin(), free_.end(), [&](std::int32_t f) { return f == columns_; });
  }

  bool taken(std::int32_t row, std::int32_t column) const {
    return taken_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                  static_cast<std::size_t>(column)];
  }

  /// Where a job of that size would be in the row; nothing if it does not fit. `refused`: columns that it may not have.
  std::optional<std::vector<std::int32_t>> find(std::int32_t row, std::int32_t size,
                                                const std::vector<bool>* refused = nullptr) const;
  void take(std::int32_t row, const std::vector<std::int32_t>& columns) { mark(row, columns, true); }
  void release(std::int32_t row, const std::vector<std::int32_t>& columns) { mark(row, columns, false); }

  /// The next row after `row` that holds a job, which may be the same one; `row` if none does.
  std::int32_t next_row(std::int32_t row) const;

 private:
  void mark(std::int32_t row, const std::vector<std::int32_t>& columns, bool taken);

  std::int32_t columns_;
  Packing packing_;
  std::vector<bool> taken_;  ///< by row, then column
  std::vector<std::int32_t> free_;
};

/// The memory of nodes: a job enters only where the processes of all jobs that share its nodes fit together.
class ProcessRoom {
 public:
  /// `memory_kb` of each node; 0: no limit.
  ProcessRoom(std::int32_t processors, std::int32_t processors_per_node, std::int64_t memory_kb);

  bool limited() const { return memory_ > 0; }
  /// How many processes of that memory a node holds beside those that are there.
  std::int64_t more(std::int32_t node, std::int64_t memory_kb) const {
    return memory_kb == 0 ? INT64_MAX : free_[static_cast<std::size_t>(node)] / memory_kb;
  }
  /// The most processes of that memory that fit onto the empty machine, one to a processor.
  std::int64_t most(std::int64_t memory_kb) const;
  std::int32_t node_of(std::int32_t processor) const { return processor / per_node_; }
  void take(const std::vector<std::int32_t>& processors, std::int64_t memory_kb) { change(processors, -memory_kb); }
  void release(const std::vector<std::int32_t>& processors, std::int64_t memory_kb) { change(processors, memory_kb); }

 private:
  void change(const std::vector<std::int32_t>& processors, std::int64_t kb) {
    for (const std::int32_t p : processors) free_[static_cast<std::size_t>(node_of(p))] += kb;
  }

  std::int32_t processors_, per_node_;
  std::int64_t memory_;
  std::vector<std::int64_t> free_;  ///< by node, KB
};

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

/// The queue of waiting jobs, and the matrix and the memory that those hold which are in it.
class Admission {
 public:
  using Start = std::function<void(const PlacedJob&, StartReason)>;

  /// `jobs` outlives it.
  Admission(std::int32_t rows, std::int32_t processors, const std::vector<ProcessJob>& jobs,
            const AdmissionOptions& options);

  void listen(DecisionObserver& d) { listeners_.push_back(&d); }
  /// Whether the job fits onto the empty machine.
  bool can_ever_run(JobIndex job) const {
    return jobs_[job].size <= matrix_.columns() && jobs_[job].size <= room_.most(jobs_[job].memory_kb);
  }
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
