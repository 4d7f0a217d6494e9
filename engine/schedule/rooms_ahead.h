// After how many of the running jobs each node has room for a job, where they end one after another. What a node has
// left then does not depend on which other nodes a job may use, so that it is found out once for a whole plan, and not
// for each of the thousands of places that are looked for in it.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "jobs/job_demands.h"
#include "jobs/started_jobs.h"
#include "machine/node_pool.h"

namespace coslice {

class RoomsAhead {
 public:
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};

  /// Looks at what is left now. All outlive it, and do not change between forget() and the next question.
  RoomsAhead(const NodePool& now, const JobDemands& demands) : now_(now), demands_(demands) {}

  /// Forgets everything: other jobs run, or they end in another order.
  void forget();
  /// Returns how many of `running` have to be over, in this order, until as many of these nodes have room as the unit
  /// asks for. As many need not be enough, where jobs ask for more than room on nodes; fewer never are. 0: none, or
  /// that is not known; kNever: there are too few even when all are over. The order is the same until forget().
  std::uint32_t ends_until_room(std::int32_t unit, const NodeSet& open, std::span<const StartedJob* const> running);

 private:
  /// What is left on a node once so many jobs are over, on this one or elsewhere.
  struct Room {
    std::uint32_t ends;
    NodeRoom room;
  };
  bool knows_rooms(std::span<const StartedJob* const> running);
  std::uint32_t first_that_fits(const Request& r, NodeId n) const;

  const NodePool& now_;
  const JobDemands& demands_;
  std::vector<std::vector<Room>> rooms_;  ///< by node, as jobs on it end; none: not known yet
  bool known_ = false;                    ///< the rooms are what will be left
  std::unordered_map<std::int32_t, std::vector<std::uint32_t>> ends_;  ///< by unit and node; kNotAsked: not known yet
  std::vector<std::uint32_t> of_nodes_;                                ///< ends_until_room()
};

}  // namespace coslice
