// Watches what jobs use of each node, by plain sums over what they were given: nothing here asks the code that gave it.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "jobs/job.h"
#include "machine/machine.h"
#include "machine/request_spec.h"
#include "observe/invariants.h"

namespace coslice {

/// At the end of each instant, on each node of a heterogeneous machine: jobs that run have no more cores and GPUs than
/// there are, none has a core of another one but where a partition of theirs says so, and all that are there, suspended
/// ones on parts of nodes too, have no more memory than there is. Under time slices, and in groups, too; not where
/// processes take turns.
class UseInvariants : public RunWatch {
 public:
  /// Makes the checker. All references outlive it. `sliced`: what a preempted job has in memory is not there.
  UseInvariants(const MachineSpec& machine, const std::vector<Job>& jobs, const RequestTable& requests, bool sliced)
      : layout_(*machine.layout), jobs_(jobs), requests_(requests), sliced_(sliced), on_(jobs.size()) {}

  void placed(Time, JobIndex j, const Parts& parts, std::int32_t partition) override {
    on_[j].parts = parts;
    on_[j].partition = partition;
  }
  void started(Time, JobIndex j, const NodeRanges& nodes) override;
  void resized(Time t, JobIndex j, const NodeRanges&, const NodeRanges& nodes, Duration) override {
    if (!(nodes_in(on_[j].parts) == nodes)) on_[j].parts.clear();  // where it has parts, it was placed anew
    started(t, j, nodes);
  }
  void preempted(Time, JobIndex j) override { on_[j].runs = false; }
  void resumed(Time, JobIndex j, const NodeRanges&) override { on_[j].runs = true; }
  void ended(Time, JobIndex j, const NodeRanges&, bool) override { leave(j); }
  void interrupted(Time, JobIndex j, const NodeRanges&, const Interruption&) override { leave(j); }
  void settled(const InstantState& state) override;

 private:
  struct OnNodes {
    Parts parts;
    std::int32_t partition = -1;
    bool there = false, runs = false;
  };
  void leave(JobIndex j) { on_[j] = {}; }
  void check(Time t, NodeId n, const std::vector<std::pair<JobIndex, const NodePart*>>& jobs);
  bool may_share(JobIndex a, JobIndex b) const;
  const Request& request(JobIndex j) const { return requests_[jobs_[j].request]; }

  const MachineLayout& layout_;
  const std::vector<Job>& jobs_;
  const RequestTable& requests_;
  bool sliced_;
  std::vector<OnNodes> on_;  ///< by JobIndex
};

/// Where processes take turns, on equal nodes, too: at the end of each instant the jobs in the machine, whose turn
/// it is or not, have no more memory and GPUs of a node together than there are, each on nodes of its partition
/// that have what it asks for. What a program needs without its job's saying so is not known here. How many
/// processes of a job a node has is not told, if it does not fill its nodes: then the fewest count that there can
/// be.
class ProcessUseInvariants : public RunWatch {
 public:
  /// Makes the checker. All references outlive it.
  ProcessUseInvariants(const MachineSpec& machine, const std::vector<Job>& jobs, const RequestTable& requests)
      : layout_(kinds_of(machine)), memory_kb_(machine.memory_kb), jobs_(jobs), requests_(requests), seen_(jobs.size()),
        on_(static_cast<std::size_t>(machine.nodes)) {}

  void placed(Time, JobIndex j, const Parts&, std::int32_t partition) override { seen_[j].partition = partition; }
  void started(Time t, JobIndex j, const NodeRanges& nodes) override;
  void ended(Time, JobIndex j, const NodeRanges&, bool) override { leave(j); }
  void interrupted(Time, JobIndex j, const NodeRanges&, const Interruption&) override { leave(j); }
  void settled(const InstantState& state) override;

 private:
  struct Seen {
    std::int32_t partition = -1;
    NodeRanges nodes;
  };
  /// What the processes of jobs have of a node.
  struct Use {
    std::int64_t memory_kb = 0, gpus = 0;  ///< GPUs in thousandths
  };
  void leave(JobIndex j);
  Use least(JobIndex j, NodeId n) const;

  std::shared_ptr<const MachineLayout> layout_;
  std::int64_t memory_kb_;  ///< of each node, where the machine says it for all; 0: their kinds do
  const std::vector<Job>& jobs_;
  const RequestTable& requests_;
  std::vector<Seen> seen_;                 ///< by JobIndex
  std::vector<std::vector<JobIndex>> on_;  ///< by node
  std::vector<NodeId> came_;               ///< nodes on which jobs have come at this instant
};

}  // namespace coslice
