// For how long nodes had jobs, kind by kind: what they draw and cost follows from that.
#pragma once

#include <map>
#include <vector>

#include "cluster/machine.h"
#include "sched/observer.h"

namespace coslice {

class BusyNodes : public Observer {
 public:
  explicit BusyNodes(const MachineSpec& machine);

  void started(Time t, JobIndex j, const NodeRanges& nodes) override { come(t, j, nodes); }
  void resumed(Time t, JobIndex j, const NodeRanges& nodes) override { come(t, j, nodes); }
  void preempted(Time t, JobIndex j) override { go(t, j); }
  void interrupted(Time t, JobIndex j, const NodeRanges&, const Interruption&) override { go(t, j); }
  void ended(Time t, JobIndex j, const NodeRanges&, bool) override { go(t, j); }

  /// Node-seconds in which some job ran on a node, by kind; of a machine of equal nodes one number.
  std::vector<double> take() { return std::move(seconds_); }

 private:
  struct Node {
    std::size_t kind = 0;
    std::int32_t jobs = 0;
    Time since{};  ///< when the first of them came
  };
  void come(Time t, JobIndex j, const NodeRanges& nodes);
  void go(Time t, JobIndex j);

  std::vector<Node> nodes_;
  std::map<JobIndex, NodeRanges> on_;  ///< of the jobs that run
  std::vector<double> seconds_;        ///< by kind
};

}  // namespace coslice
