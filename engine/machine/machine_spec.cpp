#include "machine/machine_spec.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "machine/eligibility.h"
#include "machine/node_names.h"

namespace coslice {
namespace {

constexpr std::int64_t kMostNodesInAll = 100'000;

class LayoutMaker {
 public:
  explicit LayoutMaker(const LayoutSpec& spec) : spec_(spec) {}

  std::shared_ptr<const MachineLayout> make() {
    for (const NodeKindSpec& kind : spec_.kinds) add_kind(kind);
    name_nodes();
    for (const PartitionSpec& partition : spec_.partitions) add_partition(partition);
    choose_default();
    name_partitions_over();
    for (const LicenceSpec& licence : spec_.licences) add_licence(licence);
    for (const SwitchSpec& one : spec_.switches) add_switches(one);
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
    NodeKind kind{.name = spec.name,
                  .processors = spec.processors,
                  .cores = spec.cores,
                  .memory_mib = spec.memory_mib,
                  .gpus = spec.gpus,
                  .slices = spec.slices,
                  .speed = spec.speed,
                  .first = layout_.node_count()};
    if (!spec.names.empty()) kind.names = expand_node_names(spec.names, spec.place);
    kind.count = spec.count != 0 ? spec.count : static_cast<std::int32_t>(kind.names.size());
    if (kind.count == 0)
      fail_at(spec.place, fmt::format("the kind '{}' has no nodes", spec.name), "its count or the names of its nodes");
    if (!kind.names.empty() && static_cast<std::int32_t>(kind.names.size()) != kind.count)
      fail_at(spec.place,
              fmt::format("the kind '{}' has {} nodes and {} names", spec.name, kind.count, kind.names.size()),
              "a name for each node, or no count");

    if (spec.gpus == 0 && !spec.gpu_type.empty())
      fail_at(spec.place, fmt::format("the kind '{}' has a type of GPUs, but no GPUs", spec.name), "gpus = 1 or more");
    if (spec.gpus == 0 && spec.slices != 0)
      fail_at(spec.place, fmt::format("the kind '{}' has slices of GPUs, but no GPUs", spec.name), "gpus = 1 or more");

    if (spec.gpus > 0) kind.gpu_type = number_of(spec.gpu_type.empty() ? "gpu" : spec.gpu_type, layout_.gpu_types);
    for (const std::string& feature : spec.features) {
      check_feature(feature, spec);
      kind.features.push_back(number_of(feature, layout_.features));
    }
    std::ranges::sort(kind.features);

    if (std::int64_t{kind.first} + kind.count > kMostNodesInAll)
      fail_at(spec.place, fmt::format("the machine has more than {} nodes", kMostNodesInAll));
    layout_.kinds.push_back(std::move(kind));
  }

  void name_nodes() {
    for (NodeId n = 0; n < layout_.node_count(); ++n) {
      const std::string name = layout_.node_name(n);
      if (!nodes_.emplace(name, n).second)
        fail_at(spec_.kinds[static_cast<std::size_t>(layout_.kind_index(n))].place,
                fmt::format("two nodes are called '{}'", name), "a name for each node");
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

  /// `whose` names them in a message: "partition 'cpu'".
  void insert_nodes(NodeSet& set, const std::string& text, const Place& place, const std::string& whose) const {
    const auto unknown = lookup_->insert(set, text, place);
    if (!unknown) return;
    std::vector<std::string> kinds;
    for (const NodeKind& kind : layout_.kinds) kinds.push_back(kind.name);
    fail_at(place, fmt::format("{} names '{}', which is neither a kind nor a node", whose, *unknown),
            fmt::format("one of {}, or names of nodes", fmt::join(kinds, ", ")), did_you_mean(*unknown, kinds));
  }

  /// A partition may be called like a kind if it is that kind's; else figures of the two would be taken for one
  /// another.
  void check_beside_kinds(const Partition& partition, const PartitionSpec& spec) const {
    for (const NodeKind& kind : layout_.kinds) {
      if (kind.name != partition.name) continue;
      if (!(kind.nodes() == partition.nodes.ranges()))
        fail_at(spec.place, fmt::format("partition '{}' is called like a kind, but has other nodes", partition.name),
                "a name of its own, or the nodes of that kind");
    }
  }

  void add_partition(const PartitionSpec& spec) {
    check_new(layout_.partitions, spec.name, spec.place, "partitions");
    check_plain(spec.name, spec.place, "partition");
    Partition partition{.name = spec.name,
                        .nodes = NodeSet(layout_.node_count(), spec.nodes.empty()),
                        .max_time = spec.max_time,
                        .default_time = spec.default_time,
                        .max_nodes = spec.max_nodes,
                        .over_limit = spec.over_limit,
                        .oversubscribe = spec.oversubscribe,
                        .oversubscribe_all = spec.oversubscribe_all,
                        .tier = spec.tier,
                        .by_default = spec.by_default};
    for (const std::string& text : spec.nodes)
      insert_nodes(partition.nodes, text, spec.place, fmt::format("partition '{}'", spec.name));
    check_beside_kinds(partition, spec);
    if (spec.oversubscribe_all && spec.oversubscribe == 1)
      fail_at(spec.place,
              fmt::format("partition '{}' has all of its jobs share cores, but not how many a core", spec.name),
              "oversubscribe = 2 or more");
    if (spec.max_time && spec.default_time && *spec.default_time > *spec.max_time)
      fail_at(spec.place, fmt::format("partition '{}' has a default_time above its max_time", spec.name));

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

    layout_.partitions.push_back(std::move(partition));
  }

  /// Whose cores jobs of the partitions may have beside those of their own.
  void name_partitions_over() {
    for (std::size_t p = 0; p != layout_.partitions.size(); ++p) {
      const PartitionSpec& spec = spec_.partitions[p];
      std::vector<std::int32_t>& over = layout_.partitions[p].over;
      for (std::size_t other = 0; other != layout_.partitions.size(); ++other) {
        const bool named = std::ranges::find(spec.over, layout_.partitions[other].name) != spec.over.end();
        if (other != p && (named || (spec.over.empty() && spec.oversubscribe > 1)))
          over.push_back(static_cast<std::int32_t>(other));
      }
      check_partitions_over(spec);
    }
  }

  void check_partitions_over(const PartitionSpec& spec) const {
    std::vector<std::string> names;
    for (const Partition& other : layout_.partitions) names.push_back(other.name);
    for (const std::string& name : spec.over)
      if (std::ranges::find(names, name) == names.end())
        fail_at(spec.place, fmt::format("partition '{}' is over '{}', which is no partition", spec.name, name),
                fmt::format("one of {}", fmt::join(names, ", ")), did_you_mean(name, names));
  }

  void choose_default() {
    const auto is_default = [](const Partition& p) { return p.by_default; };
    if (!layout_.partitions.empty() && std::ranges::none_of(layout_.partitions, is_default))
      layout_.partitions.front().by_default = true;
  }

  void add_licence(const LicenceSpec& spec) {
    check_new(layout_.licences, spec.name, spec.place, "licences");
    layout_.licences.push_back({spec.name, spec.count});
  }

  void add_switches(const SwitchSpec& spec) {
    const std::vector<std::string> names = expand_node_names(spec.name, spec.place);
    if (spec.nodes.empty() == (spec.count == 0))
      fail_at(spec.place,
              fmt::format("switch '{}' has {}", spec.name, spec.count == 0 ? "no nodes" : "both nodes and a count"),
              "one of nodes and count");
    if (names.size() > 1 && spec.count == 0)
      fail_at(spec.place, fmt::format("the switches '{}' have the same nodes", spec.name),
              "count, or a table for each");
    for (const std::string& name : names) {
      check_new(layout_.switches, name, spec.place, "switches");
      check_plain(name, spec.place, "switch");
      layout_.switches.push_back({name, nodes_of_switch(spec, name)});
      layout_.switches.back().nodes.for_each([&](NodeId n) { at_switch_->insert(n); });
    }
  }

  NodeSet nodes_of_switch(const SwitchSpec& spec, const std::string& name) {
    if (!at_switch_) at_switch_.emplace(layout_.node_count());
    NodeSet nodes(layout_.node_count());
    for (const std::string& text : spec.nodes) insert_nodes(nodes, text, spec.place, fmt::format("switch '{}'", name));
    if (spec.count != 0) {
      std::int32_t found = 0;
      for (NodeId n = 0; n != layout_.node_count() && found != spec.count; ++n) {
        if (at_switch_->contains(n)) continue;
        nodes.insert(n);
        ++found;
      }
      if (found != spec.count)
        fail_at(spec.place, fmt::format("switch '{}' is to have {} nodes, and {} are left", name, spec.count, found),
                "as many as there are");
    }
    nodes.for_each([&](NodeId n) {
      if (at_switch_->contains(n))
        fail_at(spec.place, fmt::format("node '{}' is at two switches", layout_.node_name(n)), "each node once");
    });
    return nodes;
  }

  const LayoutSpec& spec_;
  MachineLayout layout_;
  std::optional<NodeSet> at_switch_;  ///< nodes of the switches so far
  std::map<std::string, NodeId> nodes_;
  std::optional<NodeLookup> lookup_;               ///< once the nodes have names
  std::map<std::int64_t, std::string> by_number_;  ///< partitions, as traces name them
};

constexpr std::int64_t kMostGpusOfNode = 64;  // NodePart::gpus has a bit for each
constexpr std::int64_t kMostSlices = 16;
constexpr std::int64_t kMostRows = 1000;
constexpr std::int64_t kHighestTier = 65'533;  // of Slurm's PriorityTier
constexpr std::int64_t kMostOfLicence = 1'000'000'000'000;

template <class Field>
Codec<PartitionSpec> numbers(Field field, const std::string& words) {
  return {words,
          [=](PartitionSpec& s, const Value& v, const std::string& p) {
            if (!v.list() || v.list()->empty()) codec::wrong(v, p, words);
            field(s).clear();
            for (const Value& n : *v.list()) field(s).push_back(codec::read_integer(n, p, words, 0, INT32_MAX));
          },
          codec::writer<PartitionSpec>(field, [](const std::vector<std::int64_t>& all) {
            return codec::unless(all.empty(), Value::List(all.begin(), all.end()));
          })};
}

}  // namespace

NodeKindSpec equal_nodes(const MachineSpec& machine) {
  const auto equal = kinds_of(machine);
  const NodeKind& of = equal->kinds.front();
  return {
      .name = of.name, .count = of.count, .processors = of.processors, .cores = of.cores, .memory_mib = of.memory_mib};
}

std::shared_ptr<const MachineLayout> make_layout(const LayoutSpec& spec) { return LayoutMaker(spec).make(); }

// The keys of [[machine.nodes]], [[machine.partitions]], [[machine.licences]] and [[machine.switches]].
#define KIND(member) COSLICE_FIELD(NodeKindSpec, member)
#define PARTITION(member) COSLICE_FIELD(PartitionSpec, member)
#define LICENCE(member) COSLICE_FIELD(LicenceSpec, member)
#define SWITCH(member) COSLICE_FIELD(SwitchSpec, member)

const std::vector<Key<NodeKindSpec>>& node_kind_keys() {
  using K = NodeKindSpec;
  static const std::vector<Key<K>> keys = {
      {"name", codec::text<K>(KIND(name)), "The kind's name.", true},
      {"count", codec::integer<K>(KIND(count), 1, kMostNodesInAll, 0),
       "Nodes of this kind. Default: as many as `names` has."},
      {"names", codec::text<K>(KIND(names)),
       "Names of the nodes, e.g. `\"n[001-128]\"`. Default: the kind's name and a number from 1."},
      {"processors", codec::integer<K>(KIND(processors), 1, 1024), "Processors (sockets) per node. Default 1."},
      {"cores", codec::integer<K>(KIND(cores), 1, 1024), "Cores per processor. Default 1."},
      {"memory", mebibytes<K>(KIND(memory_mib)), "Memory per node. Default: not modelled."},
      {"gpus", codec::integer<K>(KIND(gpus), 0, kMostGpusOfNode, 0), "GPUs per node. Default 0."},
      {"gpu_type", codec::text<K>(KIND(gpu_type)), "Their type, e.g. `\"A100\"`. Default: `\"gpu\"`."},
      {"slices", codec::integer<K>(KIND(slices), 2, kMostSlices, 0),
       "Parts into which a policy may divide each of their GPUs (MIG), e.g. 7: a slice has one or several of them. "
       "Default: "
       "GPUs are not divided."},
      {"features", codec::texts<K>(KIND(features)), "What jobs may ask for by name."},
      {"speed", codec::real<K>(KIND(speed), {0, 1000, true}),
       "Run times of jobs are divided by it; a job on nodes of several kinds goes at the speed of the slowest. "
       "Default 1."},
      {"price", codec::real<K>(KIND(price), {0, kMostPrice}),
       "Price of one node-hour while the node is up and powered on, in any currency; with it, runs report their cost. "
       "Default: none."},
      {"busy_watts", codec::real<K>(KIND(busy_watts), {0, kMostWatts}),
       "What a node draws that a job has, W. Default: `power.watts.busy`."},
      {"idle_watts", codec::real<K>(KIND(idle_watts), {0, kMostWatts}),
       "What a node draws that is up and that no job has, W. Default: `power.watts.idle`."},
  };
  return keys;
}

const std::vector<Key<PartitionSpec>>& partition_keys() {
  using P = PartitionSpec;
  static const std::vector<Key<P>> keys = {
      {"name", codec::text<P>(PARTITION(name)), "The partition's name.", true},
      {"nodes", codec::texts<P>(PARTITION(nodes)),
       "Its nodes: names of kinds, of nodes, or ranges of them. Default: all nodes."},
      {"default", codec::flag<P>(PARTITION(by_default)),
       "Jobs that name no partition go here. Default: the first partition, unless another one says so."},
      {"max_time", codec::seconds<P>(PARTITION(max_time), {0, kMaxSeconds, true}), "Longest limit of a job."},
      {"default_time", codec::seconds<P>(PARTITION(default_time), {0, kMaxSeconds, true}),
       "Limit of a job that has none."},
      {"over_limit", codec::seconds<P>(PARTITION(over_limit)),
       "For how long its jobs may run on beyond their limits. Default: `engine.over_limit`."},
      {"max_nodes", codec::integer<P>(PARTITION(max_nodes), 1, kMostNodesInAll), "Most nodes of a job."},
      {"tier", codec::integer<P>(PARTITION(tier), 0, kHighestTier, 1),
       "Jobs of a partition with a higher tier precede all others in the queue, whatever orders these. A job that "
       "may "
       "use several has the highest of theirs. Default 1."},
      {"oversubscribe", codec::integer<P>(PARTITION(oversubscribe), 1, kMostRows, 1),
       "Number of its jobs that may share a core, or a node where jobs have whole nodes: those that allow it "
       "(`request.oversubscribe`). They share no node with jobs that do not. A job of several partitions is one of "
       "that in which it runs. Default 1."},
      {"oversubscribe_all", codec::flag<P>(PARTITION(oversubscribe_all)),
       "Whether all of its jobs allow it, except exclusive ones."},
      {"over", codec::texts<P>(PARTITION(over)),
       "Partitions whose jobs' cores its own jobs may have as well, those of other tiers first: for policies that let "
       "jobs take turns or stand still (`view:suspend`). Memory and GPUs are not shared. Cores that are promised to a "
       "waiting job are for no job that it could not come beside. With its own name alone: those of none. Default: of "
       "all others with `oversubscribe` above 1, else of none."},
      {"users", numbers(PARTITION(users), "a list of users' numbers"),
       "Numbers of the users who may use it. Default: all."},
      {"numbers", numbers(PARTITION(numbers), "a list of partitions' numbers"),
       "Numbers by which a trace names it (SWF field 16), beside those that the trace's header gives its name."},
  };
  return keys;
}

const std::vector<Key<LicenceSpec>>& licence_keys() {
  using L = LicenceSpec;
  static const std::vector<Key<L>> keys = {
      {"name", codec::text<L>(LICENCE(name)), "Its name.", true},
      {"count", codec::integer<L>(LICENCE(count), 1, kMostOfLicence), "How many there are.", true},
  };
  return keys;
}

const std::vector<Key<SwitchSpec>>& switch_keys() {
  using S = SwitchSpec;
  static const std::vector<Key<S>> keys = {
      {"name", codec::text<S>(SWITCH(name)), "Its name; with `count`, names of several: `\"s[1-8]\"`.", true},
      {"nodes", codec::texts<S>(SWITCH(nodes)),
       "Its nodes: names of kinds, of nodes, or ranges of them. No node is at two switches."},
      {"count", codec::integer<S>(SWITCH(count), 1, kMostNodesInAll, 0),
       "Instead of `nodes`: how many of the nodes that no switch above has, the first ones. Each of several has as "
       "many."},
  };
  return keys;
}

}  // namespace coslice
