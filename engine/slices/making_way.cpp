#include "slices/making_way.h"

#include "cluster/node_set.h"

namespace coslice {

/// Whether the job fits on n, both beside those that are there and for as long as it is to run.
void MakingWay::look(NodeId n, const Request& request, const NodePool& pool, NodeSet& free) {
  NodeRoom room = pool.room(n);
  meet(room, beside_.room(n));
  if (!fits(request, room)) return;
  offered_.copy_node(n, beside_);
  offered_.set_room(n, room);
  free.insert(n);
}

bool MakingWay::choose_by(Placement& placement, std::uint32_t job, const Request& request, const NodePool& pool,
                          const NodeSet& fitting, Parts& out) {
  NodeSet free(fitting.size());
  beside_.set_licences(room_.pool().licences());
  fitting.for_each([&](NodeId n) {
    beside_.copy_node(n, room_.pool());
    look(n, request, pool, free);
  });
  const std::vector<StartedJob*> guests = guests_();
  for (auto guest = guests.begin();; ++guest) {
    if (free.count() >= request.nodes && beside_.has_licences(request) &&
        placement.choose(job, request, offered_, free, out))
      return true;
    if (guest == guests.end()) return false;
    const StartedJob& gone = **guest;
    for (const NodePart& part : gone.parts)
      if (!fitting.contains(part.node)) beside_.copy_node(part.node, room_.pool());
    beside_.give(room_.request(gone.unit), gone.parts);
    for (const NodePart& part : gone.parts)
      if (fitting.contains(part.node)) look(part.node, request, pool, free);
  }
}

}  // namespace coslice
