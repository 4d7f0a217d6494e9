// What writes down a run for its RunResult.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "jobs/node_reservation.h"
#include "jobs/workload.h"
#include "machine/fragmentation.h"
#include "machine/machine.h"
#include "machine/node_pool.h"
#include "observe/result.h"
#include "schedule/observer.h"

namespace coslice {

/// Writes down what happens in a run: outcomes, timeline, fingerprint.
class Recorder : public Observer {
 public:
  /// Begins a result. `workload` outlives it.
  Recorder(const Workload& workload, const MachineSpec& machine);

  void submitted(Time t, JobIndex j) override {
    if (j >= result_.outcomes.size()) grow();
    note(t, Kind::kSubmit, j, 0);
  }
  void rejected(Time t, JobIndex j, Rejection why) override;
  void unfulfilled(Time t, JobIndex j, JobIndex) override {
    note(t, Kind::kUnfulfilled, j, 0);
    result_.outcomes[j].state = FinalState::kUnfulfilled;
  }
  void withdrawn(Time t, JobIndex j) override {
    note(t, Kind::kWithdraw, j, 0);
    result_.outcomes[j].state = FinalState::kWithdrawn;
  }
  void placed(Time t, JobIndex j, const Parts& parts, std::int32_t partition) override;
  void started(Time t, JobIndex j, const NodeRanges& nodes) override;
  void preempted(Time t, JobIndex j) override;
  void suspended(Time t, JobIndex j) override;
  void resumed(Time t, JobIndex j, const NodeRanges& nodes) override;
  void rate_changed(Time t, JobIndex j, Rate rate) override;
  void resized(Time t, JobIndex j, const NodeRanges& before, const NodeRanges& nodes, Duration standstill) override;
  void booting(Time t, JobIndex j, Duration wait, std::int32_t) override { up_[j] = later(t, wait); }
  void loading(Time t, JobIndex j, Duration) override { loading_since_[j] = t; }
  void loaded(Time t, JobIndex j) override {
    note(t, Kind::kLoaded, j, 0);
    stop_loading(t, j);
  }
  void slice_begun(Time t, std::size_t job_class, Duration productive) override;
  void slice_ended(Time t, std::size_t) override { slice_ended_ = t; }
  void ended(Time t, JobIndex j, const NodeRanges& nodes, bool killed) override;
  void interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption& what) override;
  void outage_begun(Time t, const Outage& outage) override;
  void node_down(Time t, NodeId n, OutageKind kind) override {
    note(t, Kind::kDown, static_cast<std::uint32_t>(n), static_cast<std::uint64_t>(kind));
    result_.outages->down.push_back({n, t, kNever, kind});
  }
  void node_up(Time t, NodeId n) override;
  void passed(Time) override { ++result_.passes; }
  void settled(const InstantState& state) override;

  /// Returns everything recorded; the recorder is empty afterwards.
  RunResult take() { return std::move(result_); }

 private:
  enum class Kind : std::uint64_t {
    kEnd = 1,
    kKill,
    kSubmit,
    kReject,
    kStart,
    kPreempt,
    kResume,
    kLoaded,
    kSlice,
    kInterrupt,
    kDown,
    kUp,
    kUnfulfilled,
    kWithdraw,
    kResize
  };
  void note(Time t, Kind kind, std::uint32_t j, std::uint64_t nodes);

  void grow();
  void note_suspended(Time t, JobIndex j);
  void note_continued(Time t, JobIndex j, std::int32_t nodes);
  void stop_loading(Time t, JobIndex j);
  /// What an elastic job has in its run.
  struct SizeOfRun {
    Time from{};
    NodeRanges nodes;
    Duration standstill{0};  ///< from then on, while it runs
    bool changed = false;
    Duration preempted{0};  ///< in its run before that
    std::int32_t nodes_at_start = 0;
    Rate rate_at_start{};
  };
  Duration preempted_so_far(Time t, JobIndex j) const;
  Duration suspended_since(Time from, Time t, JobIndex j) const;
  Duration end_size(Time t, JobIndex j, const SizeOfRun& size);
  void end_sizes(Time t, JobIndex j);
  void note_slices();
  Duration preempted_until(Time t, JobIndex j);
  Parts parts_of_components(JobIndex j) const;
  void hold_gpus(JobIndex j, const NodeRanges& nodes);
  void leave_gpus(JobIndex j);
  void count_gpus(JobIndex j, int sign);
  void count_shares(JobIndex j, int sign);

  RunResult result_;
  Time slice_ended_ = kNever;              ///< the last one that ended
  std::map<JobIndex, SizeOfRun> elastic_;  ///< of those that run
  std::map<JobIndex, Rate> rate_;          ///< of elastic jobs that start with another one than 1
  std::map<JobIndex, Time> up_;            ///< when the nodes are up of jobs that have waited for them
  std::vector<Time> loading_since_;        ///< by JobIndex, under time slices; kNever while it is not loading
  std::vector<bool> preempted_;            ///< by JobIndex, under time slices: now
  std::vector<std::int64_t> gpus_;  ///< by JobIndex: thousandths of GPUs that it holds now; empty where nodes have none
  std::int64_t used_gpus_ = 0;      ///< their sum
  /// jobs on each GPU of each node, `most_gpus_` a node; empty where jobs have whole nodes
  std::vector<std::uint16_t> on_gpu_;
  std::size_t most_gpus_ = 0;                 ///< of a node
  std::map<JobIndex, NodeRanges> shares_on_;  ///< where jobs have parts of GPUs that nobody names
  std::vector<std::int32_t> asked_on_node_;   ///< GPUs of which these have parts; by node, empty while there are none
  std::int64_t gpus_with_jobs_ = 0;
};

/// When jobs run on reserved nodes, where they do not run from their start to their end.
class ReservedTime : public Observer {
 public:
  /// Makes the recorder of reserved times. The reservations outlive it.
  ReservedTime(const NodeReservations& reservations, std::size_t jobs)
      : reservations_(reservations), since_(jobs, kNever) {}

  void started(Time t, JobIndex j, const NodeRanges&) override { since_[j] = t; }
  void resumed(Time t, JobIndex j, const NodeRanges& nodes) override {
    leave(t, j, nodes);
    since_[j] = t;
  }
  void resized(Time t, JobIndex j, const NodeRanges& before, const NodeRanges&, Duration) override {
    leave(t, j, before);
    since_[j] = t;
  }
  void preempted(Time t, JobIndex j) override {
    if (since_[j] < t) paused_.push_back({j, since_[j], t});
    since_[j] = kNever;
  }
  void ended(Time t, JobIndex j, const NodeRanges& nodes, bool) override { leave(t, j, nodes); }
  void interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption&) override { leave(t, j, nodes); }

  /// Returns everything recorded. Called once, after the run.
  std::vector<ReservedPiece> take() { return std::move(pieces_); }

 private:
  void leave(Time t, JobIndex j, const NodeRanges& nodes);
  bool is_reserved(const NodeRanges& nodes, Time from, Time to) const;

  const NodeReservations& reservations_;
  std::vector<Time> since_;  ///< by JobIndex; kNever: it does not run
  /// What preempted jobs did, whose nodes are told when they go on or end.
  struct Paused {
    JobIndex job;
    Time from, to;
  };
  std::vector<Paused> paused_;
  std::vector<ReservedPiece> pieces_;
};

/// How full the GPUs of a machine are, and how fragmented what is left of them, against the demand that has arrived so
/// far: what placements are compared by where jobs come and none leaves (Weng et al., USENIX ATC 2023, Section 6).
class DemandWatch : public Observer {
 public:
  /// Makes the watch. All references outlive it. `mix` is what fragmentation is measured by.
  DemandWatch(const MachineLayout& layout, const Workload& workload, const std::vector<TypicalRequest>& mix);

  void submitted(Time, JobIndex j) override { arrive(j); }
  void rejected(Time, JobIndex j, Rejection) override { arrive(j); }
  void placed(Time t, JobIndex j, const Parts& parts, std::int32_t partition) override;
  void ended(Time t, JobIndex j, const NodeRanges& nodes, bool killed) override;
  void interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption&) override {
    ended(t, j, nodes, false);
  }
  void settled(const InstantState& state) override;

  /// Returns the curves up to now.
  DemandCurves take() const {
    return {curve(&Sums::allocation), curve(&Sums::fragmentation), curve(&Sums::ratio), allocation_, jobs_, placed_};
  }

 private:
  struct Sums {
    std::int64_t instants = 0;
    double allocation = 0, fragmentation = 0, ratio = 0;
  };
  double gpus_of(JobIndex j) const;
  void arrive(JobIndex j);
  void measure(const Parts& parts);
  std::vector<double> curve(double Sums::*sum) const;

  const Workload& workload_;
  Fragmentation fragmentation_;
  NodePool pool_;
  std::vector<bool> arrived_jobs_;
  double total_ = 0, arrived_ = 0, used_ = 0;  ///< thousandths of GPUs
  bool came_ = false;                          ///< a job, at this instant
  std::int64_t jobs_ = 0, placed_ = 0;
  double allocation_ = 0;              ///< after the last arrival, %
  std::vector<std::int32_t> kind_of_;  ///< by node
  std::vector<double> fragmented_;     ///< by node
  double fragmented_sum_ = 0;
  struct Held {
    Parts parts;
    std::int32_t partition;
  };
  Request as_placed(JobIndex j, std::int32_t partition) const;
  std::map<JobIndex, Held> held_;  ///< by the jobs that run
  std::vector<Sums> by_percent_;
};

}  // namespace coslice
