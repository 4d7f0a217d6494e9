#include "cluster/node_memory.h"

#include <algorithm>
#include <cassert>

namespace coslice {

namespace {

template <class F>
void for_each_node(const NodeRanges& nodes, F&& f) {
  for (const NodeRange& r : nodes.ranges())
    for (NodeId n = r.first; n <= r.last; ++n) f(n);
}

}  // namespace

Duration NodeMemory::resident(NodeId node, Owner owner) const {
  for (const Resident& r : residents_[static_cast<std::size_t>(node)])
    if (r.owner == owner) return r.amount;
  return Duration{0};
}

Duration NodeMemory::free(NodeId node) const {
  Duration used{0};
  for (const Resident& r : residents_[static_cast<std::size_t>(node)]) used += r.amount;
  return capacity_ - used;
}

Duration NodeMemory::missing(const NodeRanges& nodes, Owner owner, Duration need) const {
  Duration most{0};
  for_each_node(nodes, [&](NodeId n) { most = std::max(most, need - resident(n, owner)); });
  return most;
}

void NodeMemory::displace(Residents& residents, Owner keep, Duration room, std::vector<Displaced>& on_this_node) {
  Duration used{0};
  for (const Resident& r : residents) used += r.amount;
  Duration lacking = room - (capacity_ - used);
  for (Resident& r : residents) {
    if (lacking <= Duration{0}) break;
    if (r.owner == keep || r.amount == Duration{0}) continue;
    const Duration x = std::min(r.amount, lacking);
    r.amount -= x;
    lacking -= x;
    on_this_node.emplace_back(r.owner, x);
  }
  assert(lacking <= Duration{0});
}

std::vector<NodeMemory::Displaced> NodeMemory::transfer(const NodeRanges& nodes, Owner owner, Duration need,
                                                        Duration amount) {
  std::vector<Displaced> displaced;
  for_each_node(nodes, [&](NodeId n) {
    Residents& residents = residents_[static_cast<std::size_t>(n)];
    const Duration old = resident(n, owner);
    const Duration x = std::min(need - old, amount);
    if (x <= Duration{0}) return;
    std::vector<Displaced> here;
    displace(residents, owner, x, here);
    const auto gone = [&](const Resident& r) { return r.owner == owner || r.amount == Duration{0}; };
    residents.erase(std::remove_if(residents.begin(), residents.end(), gone), residents.end());
    residents.push_back({owner, old + x});
    for (const Displaced& d : here) {
      const auto same = [&](const Displaced& e) { return e.first == d.first; };
      const auto known = std::find_if(displaced.begin(), displaced.end(), same);
      if (known == displaced.end()) displaced.push_back(d);
      else known->second = std::max(known->second, d.second);
    }
  });
  return displaced;
}

void NodeMemory::remove(const NodeRanges& nodes, Owner owner) {
  for_each_node(nodes, [&](NodeId n) {
    Residents& residents = residents_[static_cast<std::size_t>(n)];
    const auto same = [&](const Resident& r) { return r.owner == owner; };
    residents.erase(std::remove_if(residents.begin(), residents.end(), same), residents.end());
  });
}

}  // namespace coslice
