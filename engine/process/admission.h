// Which waiting jobs enter the Ousterhout matrix, and where: in order, and by backfilling those behind the first that
// finds no room, if they do not delay it (EASY), or if they do not delay the planned start of any other (conservative).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "events/outage_events.h"
#include "process/column_access.h"
#include "process/processors.h"
#include "schedule/queue_scheduler.h"

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
  /// Returns the number of columns of a row that no job holds.
  std::int32_t free_columns(std::int32_t row) const { return free_[static_cast<std::size_t>(row)]; }
  bool empty_row(std::int32_t row) const { return free_columns(row) == columns_; }
  bool empty() const {
    return std::ranges::all_of(free_, [&](std::int32_t f) { return f == columns_; });
  }

  bool taken(std::int32_t row, std::int32_t column) const {
    return taken_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                  static_cast<std::size_t>(column)];
  }

  /// Returns where a job of that size would be in the row; nothing if it does not fit. `refused`: columns that it may
  /// not have.
  std::optional<std::vector<std::int32_t>> find(std::int32_t row, std::int32_t size,
                                                const std::vector<bool>* refused = nullptr) const;
  /// Returns the aligned block of a power of two in which a job has these columns, under buddy packing.
  std::vector<std::int32_t> block_of(const std::vector<std::int32_t>& columns) const;
  void take(std::int32_t row, const std::vector<std::int32_t>& columns) { mark(row, columns, true); }
  void release(std::int32_t row, const std::vector<std::int32_t>& columns) { mark(row, columns, false); }

  /// Returns the next row after `row` that holds a job, which may be the same one; `row` if none does.
  std::int32_t next_row(std::int32_t row) const;

 private:
  void mark(std::int32_t row, const std::vector<std::int32_t>& columns, bool taken);

  std::int32_t columns_;
  Packing packing_;
  std::vector<bool> taken_;  ///< by row, then column
  std::vector<std::int32_t> free_;
};

/// What processes have of a node from the start of their job to its end, whose slot it may be.
struct ProcessNeed {
  std::int64_t memory_kb = 0;
  std::int64_t gpus = 0;  ///< thousandths of one
  bool any() const { return memory_kb > 0 || gpus > 0; }
};

/// The memory and the GPUs of nodes: a job enters only where what the processes of all jobs need that share its nodes
/// is there.
class ProcessRoom {
 public:
  static constexpr std::int64_t kNoLimit = INT64_MAX / 2;

  /// Makes the room of the nodes. `of_nodes`: what each node has, by NodeId; kNoLimit: that is not modelled. `columns`
  /// outlive it.
  ProcessRoom(const NodeColumns& columns, std::vector<ProcessNeed> of_nodes)
      : columns_(&columns), free_(std::move(of_nodes)), limited_(std::ranges::any_of(free_, [](const ProcessNeed& n) {
          return n.memory_kb != kNoLimit || (n.gpus != kNoLimit && n.gpus > 0);
        })) {}

  bool limited() const { return limited_; }
  /// Returns how many processes that need so much a node holds beside those that are there.
  std::int64_t more(NodeId n, const ProcessNeed& need) const {
    const ProcessNeed& free = free_[static_cast<std::size_t>(n)];
    const std::int64_t by_memory = need.memory_kb > 0 ? free.memory_kb / need.memory_kb : INT64_MAX;
    return need.gpus > 0 ? std::min(by_memory, free.gpus / need.gpus) : by_memory;
  }
  /// Marks the free columns of a row that have nothing for one more process each.
  void refuse(const OusterhoutMatrix& matrix, std::int32_t row, const ProcessNeed& need,
              std::vector<bool>& refused) const;
  void take(const std::vector<std::int32_t>& processors, const ProcessNeed& need) { change(processors, need, -1); }
  void release(const std::vector<std::int32_t>& processors, const ProcessNeed& need) { change(processors, need, 1); }

 private:
  void change(const std::vector<std::int32_t>& processors, const ProcessNeed& need, int sign) {
    if (!limited_ || !need.any()) return;
    for (const std::int32_t p : processors) {
      ProcessNeed& free = free_[static_cast<std::size_t>(columns_->node_of(p))];
      free.memory_kb += sign * need.memory_kb;
      free.gpus += sign * need.gpus;
    }
  }

  const NodeColumns* columns_;
  std::vector<ProcessNeed> free_;  ///< by node
  bool limited_;
};

/// A job for the process level.
struct ProcessJob {
  Time submit{};
  std::int32_t size = 1;     ///< processes, each on a processor of its own
  std::int32_t program = 0;  ///< number in the list of programs
  std::int64_t iterations = 1;
  Duration estimate{};         ///< of its time alone; the queue reckons with that times the multiprogramming level
  std::int64_t memory_kb = 0;  ///< of a process
  Time withdrawn = kNever;     ///< the job leaves the queue then, unless it has started
  std::int64_t gpus = 0;       ///< of a process, thousandths of one

  ProcessNeed need() const { return {memory_kb, gpus}; }
};

struct AdmissionOptions {
  std::int32_t processors_per_node = 1;
  std::int64_t memory_kb = 0;  ///< of a node: what the processes of all rows have together; 0: no limit
  Packing packing = Packing::kLowest;
  Backfill backfill = Backfill::kEasy;  ///< kNone: first come, first served
  Duration longest_boot{0};             ///< the longest that a started job may wait for its nodes
};

/// A job in the matrix.
struct PlacedJob {
  JobIndex job;
  std::int32_t row;
  std::vector<std::int32_t> columns;
  Ns believed_end;         ///< start + estimate x multiprogramming level
  std::size_t choice = 0;  ///< of what nodes it gets, as ColumnAccess has them
};

/// The queue of waiting jobs, and the matrix and the memory that those hold which are in it.
class Admission {
 public:
  using Start = std::function<void(const PlacedJob&, StartReason)>;
  /// Where a waiting job is planned to start has changed.
  using Reserve = std::function<void(JobIndex, Time)>;

  /// Makes the admission of a run. `columns`, `jobs` and `demands` outlive it. `demands` as ColumnAccess has them;
  /// their layout says what nodes have.
  Admission(std::int32_t rows, const NodeColumns& columns, const std::vector<ProcessJob>& jobs,
            const AdmissionOptions& options, const JobDemands* demands);

  void listen(DecisionObserver& d) { listeners_.push_back(&d); }
  void on_reserve(Reserve f) { reserve_ = std::move(f); }
  /// Returns what jobs may have of the columns.
  ColumnAccess& access() { return access_; }
  /// Returns whether the job fits onto the empty machine.
  bool can_ever_run(JobIndex job) const;
  void submit(JobIndex job) { wait(job, Turn{kInOrder, next_++}); }
  /// Lets a job that was interrupted wait again, in that place.
  void submit_again(JobIndex job, RequeuePosition place);
  /// Sets how long the job would take alone from its next start on, as is believed.
  void believe(JobIndex job, Duration alone) { alone_[job] = alone; }
  /// The same of a job that has started, then.
  void believe_started(JobIndex job, Duration alone, Ns start) {
    believe(job, alone);
    for (PlacedJob& p : placed_)
      if (p.job == job) p.believed_end = believed_end(job, start);
  }
  /// Returns when the job is believed to be gone that starts then.
  Ns believed_end(JobIndex job, Ns start) const {
    const Ns alone = alone_[job].count(),
             begin = later(Time{Duration{start}}, options_.longest_boot).time_since_epoch().count();
    return alone > (kUnknown - begin) / matrix_.rows() ? kUnknown : begin + alone * matrix_.rows();
  }
  /// Returns whether the waiting job is planned for a time.
  bool is_planned(JobIndex job) const {
    return std::any_of(planned_.begin(), planned_.end(), [job](const Planned& p) { return p.job == job; });
  }
  /// Returns when the waiting job would find room, beside all that is planned; `now_only`: nothing if that is not now.
  std::optional<Ns> could_start(JobIndex job, Ns now, bool now_only) const;
  /// Removes the job, which waits no more and has not started.
  void withdraw(JobIndex job);
  /// Calls `start` for each waiting job that enters now, which holds its place by then.
  void admit(Ns now, const Start& start);
  /// Returns when the next waiting job after `now` is planned to start; kUnknown if none is known.
  Ns next_due(Ns now) const;
  /// Returns the waiting jobs, in their order.
  const std::vector<JobIndex>& waiting_jobs() const { return waiting_; }
  /// Removes the job from the matrix. Returns where it was.
  PlacedJob release(JobIndex job);

  const OusterhoutMatrix& matrix() const { return matrix_; }
  std::size_t waiting() const { return waiting_.size(); }
  /// Returns the jobs in the matrix, in order of their starts.
  const std::vector<PlacedJob>& placed() const { return placed_; }

 private:
  /// Where a job stands in the queue: those that go first, then by number.
  struct Turn {
    std::int32_t last;
    std::uint64_t number;
    bool operator<(const Turn& o) const { return last != o.last ? last < o.last : number < o.number; }
  };
  static constexpr std::int32_t kFirst = 0, kInOrder = 1;
  /// Where and when the first waiting job will find room, as far as is believed.
  struct Shadow {
    Ns time;
    std::int32_t row, extra;
  };
  /// Where and when a job will find room.
  struct Slot {
    Ns time;
    std::int32_t row;
    std::vector<std::int32_t> columns;
    std::size_t choice = 0;  ///< of the job, as ColumnAccess has them
    bool now = false;        ///< the job is in the matrix
  };
  struct Planned {
    JobIndex job;
    Slot slot;
    Ns to;
  };

  std::vector<ProcessNeed> whole_nodes(const JobDemands* demands) const;
  bool limited_by_room(JobIndex job) const { return room_.limited() && jobs_[job].need().any(); }
  void wait(JobIndex job, Turn turn);
  void admit_by_shadow(Ns now, const Start& start);
  void admit_by_plan(Ns now, const Start& start);
  void keep_plans(Ns now);
  bool stands(const Planned& p, Ns now) const;
  bool is_free(const Planned& p, OusterhoutMatrix matrix, const ProcessRoom& room,
               const std::vector<Planned>& beside) const;
  std::optional<Planned> take_plan(JobIndex job);
  bool try_start(JobIndex job, JobIndex head, Ns now, const Shadow* shadow, const Start& start);
  void enter(JobIndex job, Slot slot, Ns now, StartReason reason, const Start& start);
  bool delays(const Shadow& shadow, std::int32_t row, JobIndex job, JobIndex head, Ns now) const;
  std::vector<const PlacedJob*> by_believed_end() const;
  Shadow shadow_of(JobIndex head, Ns now);
  Shadow shadow_by_count(JobIndex head, Ns now) const;
  std::optional<Slot> earliest(JobIndex job, Ns now, bool at_once) const;
  std::vector<Ns> openings(Ns now) const;
  std::vector<bool> refused(const OusterhoutMatrix& matrix, const ProcessRoom& room, std::int32_t row, JobIndex job,
                            std::size_t choice, Ns from, const std::vector<Planned>& beside) const;
  std::optional<Slot> place(const OusterhoutMatrix& matrix, const ProcessRoom& room, std::int32_t row, JobIndex job,
                            Ns from) const;
  void explain_wait(JobIndex job, JobIndex head, const std::optional<Shadow>& shadow, Ns now) const;

  const NodeColumns& columns_;
  const std::vector<ProcessJob>& jobs_;
  AdmissionOptions options_;
  OusterhoutMatrix matrix_;
  ColumnAccess access_;
  const ProcessRoom whole_;  ///< of nodes on which no process is
  ProcessRoom room_;
  std::vector<Duration> alone_;  ///< by job
  std::vector<Turn> turns_;      ///< by job
  std::uint64_t next_ = 0;
  std::vector<JobIndex> waiting_;  ///< by their turns
  std::vector<PlacedJob> placed_;
  std::vector<Planned> planned_;  ///< of waiting jobs, under conservative backfilling; else of the first one, in a pass
  std::vector<DecisionObserver*> listeners_;
  Reserve reserve_;
};

}  // namespace coslice
