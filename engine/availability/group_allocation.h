// Where the jobs of a group would be on a heterogeneous machine: the primary on nodes that it may have, others
// over these, wherever both find their cores, memory and GPUs on a node, and beyond them.
#pragma once

#include <map>
#include <vector>

#include "availability/shared_node_availability.h"

namespace coslice {

class GroupAllocation {
 public:
  /// Prepares to find room for the jobs of `ask`. The ledger and `ask` outlive it.
  GroupAllocation(SharedNodeAvailability& ledger, const GroupAsk& ask);

  /// Finds an allocation for each member, in order; running members stay where they are. Returns false if there is none
  /// with at most ask.fresh new nodes, or if the nodes are planned for something else before the group is over.
  bool find(std::vector<JobAllocation>& out);

 private:
  const Demand& demand_of(const GroupAsk::Member& m) const;
  const Request& request(std::int32_t unit) const { return ledger_.demands().request_of(unit); }
  NodeSet open(std::int32_t unit) const { return ledger_.open_until(unit, end_); }
  bool stay(const GroupAsk::Member& m, JobAllocation& allocation);
  bool place_primary(JobAllocation& allocation);
  bool place_over(const GroupAsk::Member& m, JobAllocation& allocation);
  bool take_idle(const GroupAsk::Member& m, std::int32_t unit, std::int32_t count, const NodeSet& idle, Parts& parts);
  bool has_room(std::int32_t unit, NodeId n) const { return fits_in_group(request(unit), rooms_.at(n)); }
  bool has_licences(std::int32_t unit) const;
  void take(std::int32_t unit, const Parts& parts);
  NodeSet wanted_by_others(std::int32_t primary, const NodeSet& idle) const;

  SharedNodeAvailability& ledger_;
  const GroupAsk& ask_;
  Time end_;
  std::map<NodeId, NodeRoom> rooms_;  ///< on nodes of the group, what its jobs leave
  std::vector<NodeId> base_;          ///< nodes of the primary, ascending
  NodeSet covered_;                   ///< by others than the primary
  std::vector<std::int32_t> new_units_;
  std::int32_t fresh_ = 0;
};

}  // namespace coslice
