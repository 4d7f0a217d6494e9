#include "slices/swapped_memory.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace coslice {
namespace {

/// One entry for each owner, with the most of any node.
void note(std::vector<NodeMemory::Displaced>& displaced, const NodeMemory::Displaced& here) {
  const auto known = std::ranges::find_if(displaced, [&](const auto& d) { return d.owner == here.owner; });
  if (known == displaced.end()) {
    displaced.push_back(here);
  } else {
    known->now = std::max(known->now, here.now);
    known->absence = std::max(known->absence, here.absence);
  }
}

}  // namespace

Duration NodeMemory::free_on(const Node& node) const {
  Duration free = capacity_;
  for (const Entry& e : node) free -= e.held;
  return free;
}

void NodeMemory::stopped(const NodeRanges& nodes, Owner owner) {
  each_node(nodes, [&](Node& node) {
    const auto own = find(node, owner);
    if (own == node.end()) return;
    own->written = Duration{0};
    own->running = false;
  });
}

Duration SwappedParts::missing(const NodeRanges& nodes, Owner owner, Duration need) const {
  Duration most{0};
  for_each_node(nodes, [&](NodeId n) { most = std::max(most, need - resident(n, owner)); });
  return most;
}

void SwappedParts::displace(Node& node, Owner keep, Duration room, std::vector<Displaced>& displaced) {
  Duration lacking = room - free_on(node);
  for (const bool running : {false, true}) {
    for (Entry& e : node) {
      if (lacking <= Duration{0}) return;
      if (e.owner == keep || e.running != running || e.held == Duration{0}) continue;
      const Duration x = std::min(e.held, lacking);
      e.held -= x;
      e.written += x;
      lacking -= x;
      note(displaced, {e.owner, x, e.written});
    }
  }
  assert(lacking <= Duration{0});
}

std::vector<NodeMemory::Displaced> SwappedParts::transfer(const NodeRanges& nodes, Owner owner, Duration need,
                                                          Duration amount) {
  std::vector<Displaced> displaced;
  each_node(nodes, [&](Node& node) {
    const auto own = find(node, owner);
    Entry newest = own == node.end() ? Entry{owner} : *own;
    newest.running = true;
    const Duration x = std::min(need - newest.held, amount);
    if (x <= Duration{0}) {
      if (own != node.end()) own->running = true;
      return;
    }
    displace(node, owner, x, displaced);
    if (own != node.end()) node.erase(own);
    newest.held += x;
    node.push_back(newest);
  });
  return displaced;
}

Duration SwappedJobs::missing(const NodeRanges& nodes, Owner owner, Duration need) const {
  Duration most{0};
  for_each_node(nodes, [&](NodeId n) {
    Duration here = need;
    for (const Entry& e : nodes_[static_cast<std::size_t>(n)])
      if (e.owner == owner) here = e.complete ? Duration{0} : need - e.stored;
    most = std::max(most, here);
  });
  return most;
}

/// The program's loadJob: the job is complete on this node now.
void SwappedJobs::load(Node& node, Owner owner, Duration need, std::vector<Displaced>& displaced) {
  Duration free = free_on(node);
  for (Entry& victim : node) {
    if (free >= need) break;
    if (!victim.complete) continue;
    victim.complete = false;
    victim.stored = Duration{0};
    if (free + victim.held >= need) {
      victim.stored = need - free;
      victim.written += victim.stored;
      note(displaced, {victim.owner, victim.stored, victim.written});
    }
    free += std::exchange(victim.held, Duration{0});
  }
  const auto own = find(node, owner);
  const Duration written = own == node.end() ? Duration{0} : own->written;
  if (own != node.end()) node.erase(own);
  node.push_back({owner, need, written, true, true, need});
}

std::vector<NodeMemory::Displaced> SwappedJobs::transfer(const NodeRanges& nodes, Owner owner, Duration need,
                                                         Duration amount) {
  std::vector<Displaced> displaced;
  each_node(nodes, [&](Node& node) {
    const auto own = find(node, owner);
    if (own != node.end() && own->complete) return;
    if (amount >= need - (own != node.end() ? own->stored : Duration{0})) load(node, owner, need, displaced);
    else if (own != node.end()) own->stored += amount;
    else node.push_back({owner, Duration{0}, Duration{0}, true, false, amount});
  });
  return displaced;
}

}  // namespace coslice
