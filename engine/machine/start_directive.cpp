#include "machine/start_directive.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace coslice {
namespace {

std::uint64_t bit(std::size_t g) { return std::uint64_t{1} << g; }

/// Of these GPUs the first ones, as many as the request asks for; nothing if there are fewer.
std::optional<std::uint64_t> first_of(std::uint64_t gpus, const Request& r) {
  if (std::popcount(gpus) < r.gpus) return {};
  while (std::popcount(gpus) > r.gpus) gpus &= ~std::bit_floor(gpus);
  return gpus;
}

/// GPUs that no job uses.
std::uint64_t idle_gpus(const NodeRoom& room) {
  std::uint64_t gpus = 0;
  for (std::size_t g = 0; g != room.gpus.size(); ++g)
    if (room.gpus[g] == kWholeGpu) gpus |= bit(g);
  return gpus;
}

/// What a node is for a job that is to run beside others.
struct Hosts {
  std::int32_t here = 0;     ///< of them, on the node
  std::uint64_t gpus = 0;    ///< theirs, with enough left
  std::uint64_t single = 0;  ///< of those, the ones on which there is one of them and no further job
};

Hosts hosts_on(const std::vector<StartDirective::Host>& all, const Request& r, const NodeRoom& room, NodeId n) {
  Hosts hosts;
  std::uint64_t seen = 0, twice = 0;
  for (const StartDirective::Host& host : all) {
    const auto part = std::ranges::find_if(host.parts, [&](const NodePart& p) { return p.node == n; });
    if (part == host.parts.end()) continue;
    ++hosts.here;
    twice |= seen & part->gpus;
    seen |= part->gpus;
    for (std::size_t g = 0; g != room.gpus.size(); ++g) {
      if ((part->gpus & bit(g)) == 0 || room.gpus[g] < r.gpu_share) continue;
      hosts.gpus |= bit(g);
      if (room.gpus[g] == kWholeGpu - host.gpu_share) hosts.single |= bit(g);
    }
  }
  hosts.single &= ~twice;
  return hosts;
}

/// The GPUs that the request would get of the node; nothing if it is not to be there.
std::optional<std::uint64_t> beside(const StartDirective& directive, const Request& r, const NodeRoom& room, NodeId n) {
  const Hosts hosts = hosts_on(directive.beside, r, room, n);
  if (r.gpus == 0) {
    const bool there = hosts.here != 0 && (!directive.alone || room.jobs == 1);
    return there || (directive.idle && room.jobs == 0) ? std::optional<std::uint64_t>(0) : std::nullopt;
  }
  const std::uint64_t theirs = directive.alone ? hosts.single : hosts.gpus;
  if (const auto chosen = first_of(theirs, r); chosen || !directive.idle) return chosen;
  std::uint64_t both = theirs;
  for (std::uint64_t idle = idle_gpus(room); idle != 0 && std::popcount(both) != r.gpus; idle &= idle - 1)
    both |= idle & (~idle + 1);
  return std::popcount(both) == r.gpus ? std::optional<std::uint64_t>(both) : std::nullopt;
}

std::optional<std::uint64_t> at(const StartDirective& directive, const Request& r, const NodeRoom& room, NodeId n) {
  if (!directive.beside.empty()) return beside(directive, r, room, n);
  if (!directive.alone) return fitting_gpus(r, room);
  if (r.gpus == 0) return room.jobs == 0 ? std::optional<std::uint64_t>(0) : std::nullopt;
  return first_of(idle_gpus(room), r);
}

/// Nodes of the job that is to start, as they are with it and with those that follow it there.
using Rooms = std::vector<std::pair<NodePart, NodeRoom>>;

/// Lets the guest have what it asks for of these nodes, beside the one job there; false if it finds no room.
bool take_beside(const StartDirective::Guest& guest, const StartDirective& beside_it, Rooms& rooms) {
  return std::ranges::any_of(guest.options, [&](const StartDirective::Guest::Option& option) {
    const Request& r = *option.request;
    std::vector<std::pair<NodeRoom*, std::uint64_t>> taken;
    for (auto& [part, room] : rooms) {
      if (static_cast<std::int32_t>(taken.size()) == r.nodes) break;
      if (!option.nodes->contains(part.node) || !fits(r, room)) continue;
      if (const auto gpus = at(beside_it, r, room, part.node)) taken.emplace_back(&room, *gpus);
    }
    if (static_cast<std::int32_t>(taken.size()) != r.nodes) return false;
    for (const auto& [room, gpus] : taken) change_room(*room, r, {0, gpus}, 1);
    return true;
  });
}

/// Whether they find room beside the jobs there.
bool all_find_room(const std::vector<StartDirective::Guest>& guests, const StartDirective& there, Rooms& rooms) {
  return std::ranges::all_of(guests,
                             [&](const StartDirective::Guest& guest) { return take_beside(guest, there, rooms); });
}

/// Whether all guests find room beside the job, if it has these parts.
bool has_room_beside_it(const StartDirective& directive, const Request& request, const NodePool& pool,
                        const Parts& parts) {
  if (directive.with.empty()) return true;
  Rooms rooms;
  for (const NodePart& part : parts) {
    rooms.emplace_back(part, pool.room(part.node));
    change_room(rooms.back().second, request, part, 1);
  }
  return all_find_room(directive.with, {.alone = true, .beside = {{parts, request.gpu_share}}}, rooms);
}

bool is_host(const StartDirective& directive, NodeId n) {
  return std::ranges::any_of(directive.beside, [&](const StartDirective::Host& host) {
    return std::ranges::any_of(host.parts, [&](const NodePart& p) { return p.node == n; });
  });
}

/// The same beside the jobs beside which it is to start.
bool has_room_beside_hosts(const StartDirective& directive, const Request& request, const NodePool& pool,
                           const NodeSet& fitting, const Parts& parts) {
  if (directive.with.empty()) return true;
  Rooms rooms;
  fitting.for_each([&](NodeId n) {
    if (is_host(directive, n)) rooms.emplace_back(NodePart{n, 0}, pool.room(n));
  });
  for (auto& [node, room] : rooms)
    for (const NodePart& part : parts)
      if (part.node == node.node) change_room(room, request, part, 1);
  return all_find_room(directive.with, {.alone = directive.alone, .beside = directive.beside}, rooms);
}

bool serves(const StartDirective::Guest& guest, NodeId n) {
  return std::ranges::any_of(guest.options,
                             [&](const StartDirective::Guest::Option& option) { return option.nodes->contains(n); });
}

/// Adds to `out` nodes that are such a place, until there are enough; with `serving` only those that could serve each
/// of the jobs that come with it.
void add_nodes(const StartDirective& directive, const Request& r, const NodePool& pool, const NodeSet& nodes,
               bool serving, Parts& out) {
  nodes.for_each([&](NodeId n) {
    if (static_cast<std::int32_t>(out.size()) == r.nodes) return;
    if (directive.kind >= 0 && pool.layout().kind_index(n) != directive.kind) return;
    const auto gpus = at(directive, r, pool.room(n), n);
    if (!gpus) return;
    if (serving && !std::ranges::all_of(directive.with, [&](const auto& g) { return serves(g, n); })) return;
    if (serving && r.nodes == 1 && !has_room_beside_it(directive, r, pool, {{n, *gpus}})) return;
    out.push_back({n, *gpus});
  });
}

bool choose_nodes_at(const StartDirective& directive, const Request& r, const NodePool& pool, const NodeSet& fitting,
                     bool serving, Parts& out) {
  out.clear();
  if (directive.idle && !directive.beside.empty()) {
    NodeSet theirs(fitting.size()), others(fitting.size());
    fitting.for_each([&](NodeId n) { (is_host(directive, n) ? theirs : others).insert(n); });
    add_nodes(directive, r, pool, theirs, serving, out);
    add_nodes(directive, r, pool, others, serving, out);
  } else {
    add_nodes(directive, r, pool, fitting, serving, out);
  }
  if (static_cast<std::int32_t>(out.size()) != r.nodes) return false;
  std::ranges::sort(out, {}, &NodePart::node);
  return true;
}

}  // namespace

bool choose_at(const StartDirective& directive, const Request& request, const NodePool& pool, const NodeSet& fitting,
               Parts& out) {
  if (request.spread.cores != 0) {  // it may have any of these nodes, beside whichever job
    std::vector<NodeId> nodes;
    fitting.for_each([&](NodeId n) { nodes.push_back(n); });
    return spread_in_order(request, pool, std::move(nodes), out);
  }
  if (!directive.beside.empty() && !directive.idle)
    return choose_nodes_at(directive, request, pool, fitting, false, out) &&
           has_room_beside_hosts(directive, request, pool, fitting, out);
  const auto all_fit = [&](bool serving) {
    return choose_nodes_at(directive, request, pool, fitting, serving, out) &&
           has_room_beside_it(directive, request, pool, out);
  };
  if (directive.with.empty()) return all_fit(false);
  return all_fit(true) || (request.nodes > 1 && all_fit(false));
}

}  // namespace coslice
