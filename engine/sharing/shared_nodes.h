// Jobs that share nodes: processes per node, which jobs lie on which nodes, how fast each progresses, when it will have
// ended. (Zeng 2009, Chapter 4.)
#pragma once

#include <functional>
#include <list>
#include <utility>
#include <vector>

#include "jobs/engine_options.h"
#include "jobs/job_demands.h"
#include "machine/machine.h"
#include "sharing/sharing.h"

namespace coslice {

// Sharing groups as units: what runs and stops only together.

/// Returns the job's group, its primary first, or the job alone.
std::vector<StartedJob*> unit_of(StartedJob& job);
/// Returns the number of nodes of the unit, each counted once.
std::int32_t unit_nodes(const StartedJob& job);
/// Returns whether the job stands for its unit: one job of each unit does.
inline bool leads(const StartedJob& job) { return job.group == nullptr || job.group->primary == &job; }
/// Returns whether the job waits, separated from its group's primary, until the primary ends.
inline bool waits_for_primary(const StartedJob& job) {
  return job.group != nullptr && job.group->apart && job.group->primary != &job;
}

/// The processes per node, slowdowns and groups of jobs that share nodes.
class SharedNodes {
 public:
  /// Makes the record of shared nodes. `jobs` outlive it.
  SharedNodes(SharingOptions options, const MachineSpec& machine, const std::vector<Job>& jobs);
  /// Distinguishes nodes: requests follow the layout of processes, and speeds are those of the nodes. Precondition:
  /// `demands` was made for groups. `demands` outlives this.
  void use(JobDemands& demands) { demands_ = &demands; }

  // --- processes per node
  /// Asks the options for the job's processes per node, at its submission. Throws SimulationError if the number is
  /// below 1 or above the cores of a node.
  void ask_ppn(const View& view, JobIndex j);
  /// Sets the job's processes per node on nodes of its own. Throws SimulationError if the number is below 1 or above
  /// the cores of a node, or the job then needs more nodes than the view has.
  void set_ppn_alone(const View& view, JobIndex j, std::int32_t ppn);
  /// Returns how many nodes the waiting job needs if it does not share them.
  std::int32_t nodes_alone(JobIndex j) const {
    return demands_ != nullptr ? demands_->request(j).nodes : nodes_for(jobs_[j].size, ppn_[j].alone);
  }
  /// Returns the processes per node, nodes and demand that the waiting job would have in a group.
  SharingHost::InGroup in_group(JobIndex j) const {
    return {ppn_[j].shared, nodes_shared(j), ppn_[j].asked_shared.demand};
  }
  /// Notes that the job, which has stopped, waits again.
  void waits_again(JobIndex j) {
    if (demands_ != nullptr) demands_->choose(j, ppn_[j].asked_alone);
  }

  // --- speeds
  /// Returns the slowdown of the waiting job on nodes of its own: on the slowest that it may have.
  double slowdown_alone(JobIndex j) const;
  /// Returns the slowdown of the started job if it had no group.
  double slowdown_alone(const StartedJob& job) const;
  /// Returns the slowdown of each member of the group, in the order in which they change. The primary is as slow as the
  /// worst of its partners makes it (Zeng 2009, Section 4.3).
  std::vector<std::pair<StartedJob*, double>> slowdowns(const Group& group) const;
  /// Returns, for the primary and then each matched job, the productive time from now to its estimated end.
  /// Precondition: the work done so far is accounted for.
  std::vector<Duration> planned_ends(const Group& group) const;

  // --- groups
  /// Gives a job that starts alone its processes per node.
  void start_alone(StartedJob& job) { job.ppn = had_[job.index].ppn = ppn_[job.index].alone; }
  /// Gives the new ones among the members their processes per node and their number of nodes. Throws SimulationError if
  /// two of them need more cores than a node has.
  void size_members(StartedJob& primary, const std::vector<StartedJob*>& matched);
  /// Gives the new members nodes: matched jobs side by side on the primary's nodes, then on idle ones. `idle(n)`
  /// chooses n idle nodes.
  void lay(StartedJob& primary, const std::vector<StartedJob*>& matched,
           const std::function<NodeRanges(std::int32_t)>& idle) const;
  /// Makes the group of the members, which have their nodes. `gain` is what is expected of the group.
  Group& form(StartedJob& primary, const std::vector<StartedJob*>& matched, double gain);
  /// Removes a group. Its members leave it before.
  void end(Group& group);

  // --- what is reported
  /// Counts a search that found `candidates` jobs that could share nodes with a primary.
  void count_attempt(std::size_t candidates) {
    ++counts_.attempts;
    counts_.attempts_vain += candidates == 0;
    counts_.attempts_few += candidates < SharingCounts::kFewCandidates;
  }
  /// Notes the response time that the job could expect when it came.
  void bound_response(JobIndex j, Duration bound) { had_[j].bound = bound; }
  const SharingCounts& counts() const { return counts_; }
  /// Returns the record of each job's processes per node and groups, by JobIndex.
  const std::vector<SharedJob>& jobs() const { return had_; }

 private:
  NodeShape shape() const { return {machine_.processors, machine_.cores_per_node(), options_.layout}; }
  double slowdown_beside(const StartedJob& job, const StartedJob& other) const;
  double on_kind(JobIndex j, const Request& request, const NodeKind& kind) const;
  void ask_alone(JobIndex j);
  std::int32_t nodes_shared(JobIndex j) const {
    return ppn_[j].own_nodes != 0 ? ppn_[j].own_nodes : nodes_for(jobs_[j].size, ppn_[j].shared);
  }

  struct Ppn {
    std::int32_t alone = 1, shared = 1;
    std::int32_t own_nodes = 0;  ///< nodes that the job itself asks for, where it lays itself out; 0: it does not
    JobDemands::Asked asked_alone, asked_shared{kNoRequest, -1};  ///< where nodes are distinguished
  };
  SharingOptions options_;
  MachineSpec machine_;
  const std::vector<Job>& jobs_;
  JobDemands* demands_ = nullptr;  ///< null: nodes are counted
  std::vector<Ppn> ppn_;           ///< by JobIndex
  std::vector<SharedJob> had_;     ///< by JobIndex: what it really got
  std::list<Group> groups_;        ///< addresses are stable
  std::uint32_t group_number_ = 0;
  SharingCounts counts_;
};

}  // namespace coslice
