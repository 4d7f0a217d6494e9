#include "resources/placement.h"

#include "cluster/node_set.h"

namespace coslice {

bool FirstFit::choose(std::uint32_t, const Request& request, const NodePool& pool, const NodeSet& fitting, Parts& out) {
  out.clear();
  for_each_node(fitting.lowest(request.nodes), [&](NodeId n) {
    out.push_back({n, fitting_gpus(request, pool.room(n))});
  });
  return true;
}

}  // namespace coslice
