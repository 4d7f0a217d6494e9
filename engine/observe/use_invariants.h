// Watches what jobs use of each node, by plain sums over what they were given: nothing here asks the code that gave it.
#pragma once

#include <map>
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

}  // namespace coslice
