#include "machine/layout.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "machine/memory_amount.h"

namespace coslice {

namespace {

/// Whether nodes of one kind have what those of the other have.
bool same_nodes(const NodeKind& a, const NodeKind& b) {
  const auto all = [](const NodeKind& k) {
    return std::tie(k.processors, k.cores, k.memory_mib, k.gpus, k.gpu_type, k.slices, k.features, k.speed);
  };
  return all(a) == all(b);
}

/// Whether the partition has all nodes of both kinds, or none.
bool has_both(const Partition& p, const NodeKind& a, const NodeKind& b) {
  NodeSet both(p.nodes.size(), a.nodes());
  both.insert(b.nodes());
  const std::int32_t all = both.count(), in = (both &= p.nodes).count();
  return in == 0 || in == all;
}

}  // namespace

std::vector<std::int32_t> MachineLayout::first_alike() const {
  std::vector<std::int32_t> first;
  for (const NodeKind& kind : kinds) {
    const auto alike = [&](const NodeKind& k) {
      return &k == &kind || (same_nodes(k, kind) &&
                             std::ranges::all_of(partitions, [&](const Partition& p) { return has_both(p, k, kind); }));
    };
    first.push_back(static_cast<std::int32_t>(std::ranges::find_if(kinds, alike) - kinds.begin()));
  }
  return first;
}

NodeSet MachineLayout::not_alike(std::int32_t kind) const {
  const std::vector<std::int32_t> first = first_alike();
  const std::int32_t own = first[static_cast<std::size_t>(kind)];
  if (std::ranges::count(first, own) == 1) return NodeSet(0);
  NodeSet others(node_count());
  for (std::size_t k = 0; k != kinds.size(); ++k)
    if (first[k] != own) others.insert(kinds[k].nodes());
  return others;
}

std::vector<std::int32_t> MachineLayout::switch_of_nodes() const {
  if (switches.empty()) return {};
  std::vector<std::int32_t> all(static_cast<std::size_t>(node_count()), -1);
  std::int32_t count = 0;
  for (const NetworkSwitch& s : switches) {
    s.nodes.for_each([&](NodeId n) { all[static_cast<std::size_t>(n)] = count; });
    ++count;
  }
  for (std::int32_t& of : all)
    if (of < 0) of = count++;
  return all;
}

double MachineLayout::slowest_speed(const NodeRanges& nodes) const {
  double slowest = 0;
  for (const NodeRange& r : nodes.ranges()) {
    for (std::int32_t k = kind_index(r.first); k <= kind_index(r.last); ++k) {
      const double speed = kinds[static_cast<std::size_t>(k)].speed;
      slowest = slowest == 0 ? speed : std::min(slowest, speed);
    }
  }
  return slowest;
}

std::int64_t MachineLayout::gpu_count() const {
  std::int64_t gpus = 0;
  for (const NodeKind& kind : kinds) gpus += std::int64_t{kind.count} * kind.gpus;
  return gpus;
}

std::string MachineLayout::node_name(NodeId n) const {
  const NodeKind& kind = kind_of(n);
  if (!kind.names.empty()) return kind.names[static_cast<std::size_t>(n - kind.first)];
  return fmt::format("{}{}", kind.name, n - kind.first + 1);
}

std::vector<std::string> MachineLayout::node_names() const {
  std::vector<std::string> names;
  for (NodeId n = 0; n != node_count(); ++n) names.push_back(node_name(n));
  return names;
}

std::int32_t number_of(std::string_view name, std::vector<std::string>& known) {
  const auto found = std::ranges::find(known, name) - known.begin();
  if (found == std::ssize(known)) known.emplace_back(name);
  return static_cast<std::int32_t>(found);
}

std::shared_ptr<const MachineLayout> kinds_of(const MachineSpec& machine) {
  if (names_kinds(machine)) return machine.layout;
  auto equal = std::make_shared<MachineLayout>();
  equal->numbered = true;
  equal->kinds.push_back({.name = "n",
                          .count = machine.nodes,
                          .processors = machine.processors,
                          .cores = machine.cores,
                          .memory_mib = mib_of_node(machine.memory_kb)});
  return equal;
}

void name_kinds(MachineSpec& machine) {
  machine.all_cores = machine.total_cores();
  machine.layout = kinds_of(machine);
}

void set_layout(MachineSpec& machine, std::shared_ptr<const MachineLayout> layout) {
  machine.nodes = layout->node_count();
  machine.processors = 1;
  machine.memory_kb = 0;
  machine.cores = std::numeric_limits<std::int32_t>::max();
  machine.all_cores = 0;
  for (const NodeKind& kind : layout->kinds) {
    const std::int32_t cores = kind.processors * kind.cores;
    machine.cores = std::min(machine.cores, cores);
    machine.all_cores += std::int64_t{kind.count} * cores;
  }
  const NodeKind& first = layout->kinds.front();
  if (std::ranges::all_of(layout->kinds, [&](const NodeKind& kind) {
        return kind.processors == first.processors && kind.cores == first.cores;
      })) {
    machine.processors = first.processors;
    machine.cores = first.cores;
  }
  machine.layout = std::move(layout);
}

}  // namespace coslice
