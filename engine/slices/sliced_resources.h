// Time slices on a machine whose nodes differ: each class of jobs has a book of the whole machine (sched/resource_book.h),
// which holds while its slices are productive, and jobs of a class may share nodes with one another.
#pragma once

#include <functional>
#include <vector>

#include "resources/placement.h"
#include "sched/contention.h"
#include "sched/job_demands.h"

namespace coslice {

/// What the simulation is told of such a machine, beside MachineSpec::layout. All outlive it.
struct SlicedResources {
  const RequestTable* requests = nullptr;         ///< of the workload; null: every job asks for whole nodes
  std::vector<Placement*> placements;             ///< by class; empty: nodes are chosen as SliceOptions says
  const ContentionOptions* contention = nullptr;  ///< null: jobs do not slow one another down
  const NodeReservations* reservations = nullptr;  ///< of nodes, for users; null: none
};

/// Chooses nodes by something that knows no GPUs: those on each are as fitting_gpus() says.
class NodesFirst : public Placement {
 public:
  using Choose = std::function<NodeRanges(JobIndex, std::int32_t count, const NodeSet& fitting)>;
  explicit NodesFirst(Choose choose) : choose_(std::move(choose)) {}
  bool choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
              Parts& out) override;

 private:
  Choose choose_;
};

}  // namespace coslice
