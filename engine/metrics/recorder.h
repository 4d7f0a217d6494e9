// Writes down what happens in a run: outcomes, timeline, fingerprint.
#pragma once

#include "metrics/result.h"
#include "sched/observer.h"

namespace coslice {

class Recorder : public Observer {
 public:
  /// `workload` outlives the result.
  Recorder(const Workload& workload, const MachineSpec& machine);

  void submitted(Time t, JobIndex j) override;
  void rejected(Time t, JobIndex j) override;
  void started(Time t, JobIndex j, const NodeRanges& nodes) override;
  void ended(Time t, JobIndex j, const NodeRanges& nodes, bool killed) override;
  void passed(Time) override { ++result_.passes; }
  void settled(const InstantState& state) override;

  /// Everything recorded; the recorder is empty afterwards.
  RunResult take() { return std::move(result_); }

 private:
  enum class Kind : std::uint64_t { kEnd = 1, kKill, kSubmit, kReject, kStart };
  void note(Time t, Kind kind, JobIndex j, std::uint64_t nodes);

  RunResult result_;
};

}  // namespace coslice
