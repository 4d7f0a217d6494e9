#include "slices/sliced_resources.h"

#include "cluster/node_set.h"

namespace coslice {

bool NodesFirst::choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
                        Parts& out) {
  out.clear();
  for_each_node(choose_(job, request.nodes, fitting),
                [&](NodeId n) { out.push_back({n, fitting_gpus(request, pool.room(n))}); });
  return true;
}

}  // namespace coslice
