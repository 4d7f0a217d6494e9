#include "resources/machine_spec.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "resources/feature_expression.h"
#include "resources/node_names.h"

namespace coslice {

namespace {

constexpr std::int64_t kMostNodesInAll = 100'000;

/// The number of a name among those seen, which grow.
std::int32_t number_of(const std::string& name, std::vector<std::string>& known) {
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return static_cast<std::int32_t>(found - known.begin());
  known.push_back(name);
  return static_cast<std::int32_t>(known.size()) - 1;
}

class LayoutMaker {
 public:
  explicit LayoutMaker(const LayoutSpec& spec) : spec_(spec) {}

  std::shared_ptr<const MachineLayout> make() {
    for (const NodeKindSpec& kind : spec_.kinds) add_kind(kind);
    name_nodes();
    for (const PartitionSpec& partition : spec_.partitions) add_partition(partition);
    choose_default();
    for (const LicenceSpec& licence : spec_.licences) add_licence(licence);
    return std::make_shared<const MachineLayout>(std::move(layout_));
  }

 private:
  template <class T>
  static void check_new(const std::vector<T>& before, const std::string& name, const Place& place, const char* what) {
    if (name.empty()) fail_at(place, fmt::format("one of the {} has an empty name", what), "a name in quotes");
    for (const T& other : before)
      if (other.name == name) fail_at(place, fmt::format("two {} are called '{}'", what, name), "a name of its own");
  }

  static void check_plain(const std::string& name, const Place& place, const char* what) {
    if (is_plain_name(name)) return;
    fail_at(place, fmt::format("the {} is called '{}'", what, printable(name)), kPlainNameWords);
  }

  static void check_feature(const std::string& feature, const NodeKindSpec& spec) {
    if (is_feature_name(feature)) return;
    fail_at(spec.place,
            fmt::format("the kind '{}' has the feature '{}', for which no job can ask", spec.name, printable(feature)),
            "a name of letters, digits and _ - . : + other than and, or, not");
  }

  void add_kind(const NodeKindSpec& spec) {
    check_new(layout_.kinds, spec.name, spec.place, "kinds");
    check_plain(spec.name, spec.place, "kind");
    NodeKind kind;
    kind.name = spec.name;
    if (!spec.names.empty()) kind.names = expand_node_names(spec.names, spec.place);
    kind.count = spec.count != 0 ? spec.count : static_cast<std::int32_t>(kind.names.size());
    if (kind.count == 0) {
      fail_at(spec.place, fmt::format("the kind '{}' has no nodes", spec.name), "its count or the names of its nodes");
    }
    if (!kind.names.empty() && static_cast<std::int32_t>(kind.names.size()) != kind.count) {
      fail_at(spec.place,
              fmt::format("the kind '{}' has {} nodes and {} names", spec.name, kind.count, kind.names.size()),
              "a name for each node, or no count");
    }
    kind.processors = spec.processors;
    kind.cores = spec.cores;
    kind.memory_mib = spec.memory_mib;
    kind.gpus = spec.gpus;
    kind.speed = spec.speed;
    if (spec.gpus == 0 && !spec.gpu_type.empty()) {
      fail_at(spec.place, fmt::format("the kind '{}' has a type of GPUs, but no GPUs", spec.name), "gpus = 1 or more");
    }
    if (spec.gpus == 0 && spec.slices != 0) {
      fail_at(spec.place, fmt::format("the kind '{}' has slices of GPUs, but no GPUs", spec.name), "gpus = 1 or more");
    }
    kind.slices = spec.slices;
    if (spec.gpus > 0) kind.gpu_type = number_of(spec.gpu_type.empty() ? "gpu" : spec.gpu_type, layout_.gpu_types);
    for (const std::string& feature : spec.features) {
      check_feature(feature, spec);
      kind.features.push_back(number_of(feature, layout_.features));
    }
    std::sort(kind.features.begin(), kind.features.end());
    kind.first = layout_.node_count();
    if (std::int64_t{kind.first} + kind.count > kMostNodesInAll) {
      fail_at(spec.place, fmt::format("the machine has more than {} nodes", kMostNodesInAll));
    }
    layout_.kinds.push_back(std::move(kind));
  }

  void name_nodes() {
    for (NodeId n = 0; n < layout_.node_count(); ++n) {
      const std::string name = layout_.node_name(n);
      if (!nodes_.emplace(name, n).second) {
        fail_at(spec_.kinds[static_cast<std::size_t>(layout_.kind_index(n))].place,
                fmt::format("two nodes are called '{}'", name), "a name for each node");
      }
    }
    check_kinds_beside_nodes();
    lookup_.emplace(layout_);
  }

  /// Partitions name kinds and nodes alike: a name must say which.
  void check_kinds_beside_nodes() const {
    for (std::size_t k = 0; k < layout_.kinds.size(); ++k) {
      const NodeKind& kind = layout_.kinds[k];
      const auto node = nodes_.find(kind.name);
      if (node == nodes_.end() || (kind.count == 1 && node->second == kind.first)) continue;
      fail_at(spec_.kinds[k].place,
              fmt::format("the kind '{}' is called like a node of kind '{}'", kind.name,
                          layout_.kind_of(node->second).name),
              "a name of its own");
    }
  }

  void insert_nodes(NodeSet& set, const std::string& text, const PartitionSpec& spec) const {
    const auto unknown = lookup_->insert(set, text, spec.place);
    if (!unknown) return;
    std::vector<std::string> kinds;
    for (const NodeKind& kind : layout_.kinds) kinds.push_back(kind.name);
    fail_at(spec.place, fmt::format("partition '{}' names '{}', which is neither a kind nor a node", spec.name, *unknown),
            fmt::format("one of {}, or names of nodes", fmt::join(kinds, ", ")), did_you_mean(*unknown, kinds));
  }

  /// A partition may be called like a kind if it is that kind's; else figures of the two would be taken for one another.
  void check_beside_kinds(const Partition& partition, const PartitionSpec& spec) const {
    for (const NodeKind& kind : layout_.kinds) {
      if (kind.name != partition.name) continue;
      NodeSet same(layout_.node_count());
      for (NodeId n = kind.first; n < kind.first + kind.count; ++n) same.insert(n);
      if (!(same.ranges() == partition.nodes.ranges()))
        fail_at(spec.place, fmt::format("partition '{}' is called like a kind, but has other nodes", partition.name),
                "a name of its own, or the nodes of that kind");
    }
  }

  void add_partition(const PartitionSpec& spec) {
    check_new(layout_.partitions, spec.name, spec.place, "partitions");
    check_plain(spec.name, spec.place, "partition");
    Partition partition;
    partition.name = spec.name;
    partition.nodes = NodeSet(layout_.node_count(), spec.nodes.empty());
    for (const std::string& text : spec.nodes) insert_nodes(partition.nodes, text, spec);
    check_beside_kinds(partition, spec);
    if (spec.max_time && spec.default_time && *spec.default_time > *spec.max_time) {
      fail_at(spec.place, fmt::format("partition '{}' has a default_time above its max_time", spec.name));
    }
    partition.max_time = spec.max_time;
    partition.default_time = spec.default_time;
    partition.max_nodes = spec.max_nodes;
    partition.over_limit = spec.over_limit;
    partition.tier = spec.tier;
    for (const std::int64_t user : spec.users) partition.users.push_back(static_cast<std::int32_t>(user));
    for (const std::int64_t number : spec.numbers) {
      if (const auto [at, is_new] = by_number_.try_emplace(number, spec.name); !is_new)
        fail_at(spec.place,
                at->second == spec.name
                    ? fmt::format("partition '{}' has the number {} twice", spec.name, number)
                    : fmt::format("partitions '{}' and '{}' both have the number {}", at->second, spec.name, number),
                "each number once");
      partition.numbers.push_back(static_cast<std::int32_t>(number));
    }
    partition.by_default = spec.by_default;
    layout_.partitions.push_back(std::move(partition));
  }

  void choose_default() {
    const auto is_default = [](const Partition& p) { return p.by_default; };
    if (!layout_.partitions.empty() && std::none_of(layout_.partitions.begin(), layout_.partitions.end(), is_default))
      layout_.partitions.front().by_default = true;
  }

  void add_licence(const LicenceSpec& spec) {
    check_new(layout_.licences, spec.name, spec.place, "licences");
    layout_.licences.push_back({spec.name, spec.count});
  }

  const LayoutSpec& spec_;
  MachineLayout layout_;
  std::map<std::string, NodeId> nodes_;
  std::optional<NodeLookup> lookup_;  ///< once the nodes have names
  std::map<std::int64_t, std::string> by_number_;  ///< partitions, as traces name them
};

}  // namespace

NodeKindSpec equal_nodes(const MachineSpec& machine) {
  const auto equal = kinds_of(machine);
  const NodeKind& of = equal->kinds.front();
  NodeKindSpec kind;
  kind.name = of.name;
  kind.count = of.count;
  kind.processors = of.processors, kind.cores = of.cores;
  kind.memory_mib = of.memory_mib;
  return kind;
}

std::shared_ptr<const MachineLayout> make_layout(const LayoutSpec& spec) { return LayoutMaker(spec).make(); }

}  // namespace coslice
