#include "machine/core_spread.h"

#include <numeric>

#include "core/portable_math.h"

namespace coslice {

std::int32_t fewest_nodes(const Request& r) {
  return r.spread.cores == 0 ? r.nodes : std::max(r.nodes, divided_up(r.spread.cores, r.spread.most));
}

CoreShare spread_of(const Request& r, CoreShare left) {
  return std::min(r.spread.most, std::max(left, 0)) / r.spread.unit * r.spread.unit;
}

void take_what_is_left(const Request& r, const NodePool& pool, Parts& parts) {
  if (r.spread.most == 0 || r.spread.cores != 0) return;
  for (NodePart& part : parts) part.cores = spread_on(r, pool.room(part.node));
}

bool lacks_cores(const Request& r, std::vector<CoreShare> of_nodes) {
  if (r.spread.cores == 0) return false;
  if (std::ssize(of_nodes) < fewest_nodes(r)) return true;
  std::ranges::sort(of_nodes, std::ranges::greater{});
  if (std::ssize(of_nodes) > r.spread.nodes) of_nodes.resize(static_cast<std::size_t>(r.spread.nodes));
  return std::accumulate(of_nodes.begin(), of_nodes.end(), std::int64_t{0}) < r.spread.cores;
}

bool lacks_cores(const Request& r, const NodePool& pool, const NodeSet& fitting) {
  if (r.spread.cores == 0) return false;
  std::vector<CoreShare> of_nodes;
  fitting.for_each([&](NodeId n) { of_nodes.push_back(spread_on(r, pool.room(n))); });
  return lacks_cores(r, std::move(of_nodes));
}

bool spread_in_order(const Request& r, const NodePool& pool, std::vector<NodeId> nodes, Parts& out) {
  const auto attempt = [&] {
    CoreSpreading spreading(r);
    out.clear();
    for (const NodeId n : nodes) {
      if (spreading.over()) break;
      const CoreShare there = spread_on(r, pool.room(n));
      if (there > 0 && spreading.takes(there)) out.push_back({n, fitting_gpus(r, pool.room(n)), spreading.take(there)});
    }
    return spreading.done();
  };
  if (attempt()) return true;
  std::ranges::stable_sort(nodes, std::ranges::greater{}, [&](NodeId n) { return spread_on(r, pool.room(n)); });
  return attempt();
}

}  // namespace coslice
