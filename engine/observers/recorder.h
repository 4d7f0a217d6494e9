// Writes down what happens in a run: outcomes, timeline, fingerprint.
#pragma once

#include "observers/result.h"
#include "sched/observer.h"

namespace coslice {

class Recorder : public Observer {
 public:
  /// `workload` outlives the result.
  Recorder(const Workload& workload, const MachineSpec& machine);

  void submitted(Time t, JobIndex j) override;
  void rejected(Time t, JobIndex j, Rejection why) override;
  void unfulfilled(Time t, JobIndex j, JobIndex by) override;
  void withdrawn(Time t, JobIndex j) override;
  void placed(Time t, JobIndex j, const Parts& parts, std::int32_t partition) override;
  void started(Time t, JobIndex j, const NodeRanges& nodes) override;
  void preempted(Time t, JobIndex j) override;
  void resumed(Time t, JobIndex j, const NodeRanges& nodes) override;
  void loading(Time t, JobIndex j, Duration time) override;
  void loaded(Time t, JobIndex j) override;
  void slice_begun(Time t, std::size_t job_class, Duration productive) override;
  void slice_ended(Time t, std::size_t job_class) override;
  void ended(Time t, JobIndex j, const NodeRanges& nodes, bool killed) override;
  void interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption& what) override;
  void outage_begun(Time t, const Outage& outage) override;
  void node_down(Time t, NodeId n, OutageKind kind) override;
  void node_up(Time t, NodeId n) override;
  void passed(Time) override { ++result_.passes; }
  void settled(const InstantState& state) override;

  /// Everything recorded; the recorder is empty afterwards.
  RunResult take() { return std::move(result_); }

 private:
  enum class Kind : std::uint64_t { kEnd = 1, kKill, kSubmit, kReject, kStart, kPreempt, kResume, kLoaded, kSlice, kInterrupt, kDown, kUp, kUnfulfilled, kWithdraw };
  void note(Time t, Kind kind, std::uint32_t j, std::uint64_t nodes);

  void note_suspended(Time t, JobIndex j);
  void note_continued(Time t, JobIndex j, std::int32_t nodes);
  void stop_loading(Time t, JobIndex j);
  void note_slices();
  Duration away_until(Time t, JobIndex j);
  void hold_gpus(JobIndex j, std::int32_t nodes);
  void leave_gpus(JobIndex j);
  void count_gpus(JobIndex j, int sign);

  RunResult result_;
  Time slice_ended_ = kNever;        ///< the last one that ended
  std::vector<Time> loading_since_;  ///< by JobIndex, under time slices; kNever while it is not loading
  std::vector<bool> preempted_;      ///< by JobIndex, under time slices: now
  std::vector<std::int64_t> gpus_;   ///< by JobIndex: thousandths of GPUs that it holds now; empty where nodes have none
  std::int64_t used_gpus_ = 0;       ///< their sum
  std::vector<std::uint16_t> on_gpu_;  ///< jobs on each GPU of each node, `most_gpus_` a node; empty where jobs have whole nodes
  std::size_t most_gpus_ = 0;        ///< of a node
  std::int64_t gpus_with_jobs_ = 0;
};

}  // namespace coslice
