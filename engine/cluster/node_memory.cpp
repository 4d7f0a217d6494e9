#include "cluster/node_memory.h"

#include <algorithm>
#include <cassert>

#include "cluster/node_ids.h"

namespace coslice {

namespace {

/// One entry for each owner, with the most of any node.
void note(std::vector<NodeMemory::Displaced>& displaced, const NodeMemory::Displaced& here) {
  const auto known =
      std::find_if(displaced.begin(), displaced.end(), [&](const auto& d) { return d.owner == here.owner; });
  if (known == displaced.end()) {
    displaced.push_back(here);
  } else {
    known->now = std::max(known->now, here.now);
    known->absence = std::max(known->absence, here.absence);
  }
}

}  // namespace

// --- parts

Duration SwappedParts::resident(NodeId node, Owner owner) const {
  for (const Resident& r : residents_[static_cast<std::size_t>(node)])
    if (r.owner == owner) return r.amount;
  return Duration{0};
}

Duration SwappedParts::free(NodeId node) const {
  Duration used{0};
  for (const Resident& r : residents_[static_cast<std::size_t>(node)]) used += r.amount;
  return capacity_ - used;
}

Duration SwappedParts::missing(const NodeRanges& nodes, Owner owner, Duration need) const {
  Duration most{0};
  for_each_node(nodes, [&](NodeId n) { most = std::max(most, need - resident(n, owner)); });
  return most;
}

void SwappedParts::displace(Residents& residents, Owner keep, Duration room, std::vector<Displaced>& displaced) {
  Duration used{0};
  for (const Resident& r : residents) used += r.amount;
  Duration lacking = room - (capacity_ - used);
  for (const bool running : {false, true}) {
    for (Resident& r : residents) {
      if (lacking <= Duration{0}) return;
      if (r.owner == keep || r.running != running || r.amount == Duration{0}) continue;
      const Duration x = std::min(r.amount, lacking);
      r.amount -= x;
      r.written += x;
      lacking -= x;
      note(displaced, {r.owner, x, r.written});
    }
  }
  assert(lacking <= Duration{0});
}

std::vector<NodeMemory::Displaced> SwappedParts::transfer(const NodeRanges& nodes, Owner owner, Duration need,
                                                          Duration amount) {
  std::vector<Displaced> displaced;
  for_each_node(nodes, [&](NodeId n) {
    Residents& residents = residents_[static_cast<std::size_t>(n)];
    const auto own =
        std::find_if(residents.begin(), residents.end(), [&](const Resident& r) { return r.owner == owner; });
    Resident newest = own == residents.end() ? Resident{owner, Duration{0}, Duration{0}, true} : *own;
    newest.running = true;
    const Duration x = std::min(need - newest.amount, amount);
    if (x <= Duration{0}) {
      if (own != residents.end()) own->running = true;
      return;
    }
    displace(residents, owner, x, displaced);
    if (own != residents.end()) residents.erase(own);
    newest.amount += x;
    residents.push_back(newest);
  });
  return displaced;
}

void SwappedParts::stopped(const NodeRanges& nodes, Owner owner) {
  for_each_node(nodes, [&](NodeId n) {
    for (Resident& r : residents_[static_cast<std::size_t>(n)]) {
      if (r.owner != owner) continue;
      r.written = Duration{0};
      r.running = false;
    }
  });
}

void SwappedParts::remove(const NodeRanges& nodes, Owner owner) {
  for_each_node(nodes, [&](NodeId n) {
    Residents& residents = residents_[static_cast<std::size_t>(n)];
    const auto same = [&](const Resident& r) { return r.owner == owner; };
    residents.erase(std::remove_if(residents.begin(), residents.end(), same), residents.end());
  });
}

// --- whole jobs

SwappedJobs::Entry* SwappedJobs::find(Node& node, Owner owner) {
  for (Entry& e : node)
    if (e.owner == owner) return &e;
  return nullptr;
}

Duration SwappedJobs::free_on(const Node& node) const {
  Duration free = capacity_;
  for (const Entry& e : node) free -= e.in_memory ? e.need : Duration{0};
  return free;
}

Duration SwappedJobs::free(NodeId node) const { return free_on(nodes_[static_cast<std::size_t>(node)]); }

Duration SwappedJobs::missing(const NodeRanges& nodes, Owner owner, Duration need) const {
  Duration most{0};
  for_each_node(nodes, [&](NodeId n) {
    const Entry* e = find(const_cast<Node&>(nodes_[static_cast<std::size_t>(n)]), owner);
    if (e == nullptr) most = std::max(most, need);
    else if (!e->in_memory) most = std::max(most, need - e->stored);
  });
  return most;
}

/// The program's loadJob: the job is complete on this node now.
void SwappedJobs::load(Node& node, Owner owner, Duration need, std::vector<Displaced>& displaced) {
  Duration free = free_on(node);
  for (Entry& victim : node) {
    if (free >= need) break;
    if (!victim.in_memory) continue;
    victim.in_memory = false;
    victim.stored = Duration{0};
    if (free + victim.need >= need) {
      victim.stored = need - free;
      victim.written += victim.stored;
      note(displaced, {victim.owner, victim.stored, victim.written});
    }
    free += victim.need;
  }
  const auto own = std::find_if(node.begin(), node.end(), [&](const Entry& e) { return e.owner == owner; });
  const Duration written = own == node.end() ? Duration{0} : own->written;
  if (own != node.end()) node.erase(own);
  node.push_back({owner, true, need, need, written});
}

std::vector<NodeMemory::Displaced> SwappedJobs::transfer(const NodeRanges& nodes, Owner owner, Duration need,
                                                         Duration amount) {
  std::vector<Displaced> displaced;
  for_each_node(nodes, [&](NodeId n) {
    Node& node = nodes_[static_cast<std::size_t>(n)];
    Entry* own = find(node, owner);
    if (own != nullptr && own->in_memory) return;
    if (amount >= need - (own != nullptr ? own->stored : Duration{0})) load(node, owner, need, displaced);
    else if (own != nullptr) own->stored += amount;
    else node.push_back({owner, false, need, amount, Duration{0}});
  });
  return displaced;
}

void SwappedJobs::stopped(const NodeRanges& nodes, Owner owner) {
  for_each_node(nodes, [&](NodeId n) {
    if (Entry* e = find(nodes_[static_cast<std::size_t>(n)], owner)) e->written = Duration{0};
  });
}

void SwappedJobs::remove(const NodeRanges& nodes, Owner owner) {
  for_each_node(nodes, [&](NodeId n) {
    Node& node = nodes_[static_cast<std::size_t>(n)];
    node.erase(std::remove_if(node.begin(), node.end(), [&](const Entry& e) { return e.owner == owner; }), node.end());
  });
}

}  // namespace coslice
