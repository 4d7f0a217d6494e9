// Where nodes differ: the nodes of a job that starts in its class's slice, while jobs of other classes run there that make
// way for it. Its book knows nothing of those; they should have to stop only where it finds no place beside them.
#pragma once

#include <functional>
#include <vector>

#include "resources/start_choice.h"
#include "slices/running_room.h"

namespace coslice {

class MakingWay : public StartChoice {
 public:
  /// The jobs that make way just now for one of the class, the first to do so first.
  using Guests = std::function<std::vector<StartedJob*>()>;
  /// All references outlive it.
  MakingWay(const RunningRoom& room, Guests guests)
      : room_(room), guests_(std::move(guests)), beside_(room.pool()), offered_(room.pool()) {}

  /// Offers the placement what is free beside all of them, then beside all but the first, and so on. What it is shown is
  /// marked by who runs there, too: scores may depend on that, and the job's book knows only its own.
  bool choose_by(Placement& placement, std::uint32_t job, const Request& request, const NodePool& pool,
                 const NodeSet& fitting, Parts& out) override;

 private:
  void look(NodeId n, const Request& request, const NodePool& pool, NodeSet& free);

  const RunningRoom& room_;
  Guests guests_;
  NodePool beside_;   ///< what is left beside those that are not gone yet
  NodePool offered_;  ///< of that, what is left for as long as the job is to run
};

}  // namespace coslice
