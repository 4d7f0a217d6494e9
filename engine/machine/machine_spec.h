// A heterogeneous machine, as a scenario or a script writes it down, and the layout that it describes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/codec.h"
#include "machine/layout.h"

namespace coslice {

// Memory in MiB, as machines and requests say it.

/// Returns "4 GiB", "1000 KiB": what codec::read_kilobytes() reads as that many. Precondition: kb > 0.
inline std::string kilobytes_text(std::int64_t kb) {
  const char* const units[] = {" KiB", " MiB", " GiB"};
  std::size_t unit = 0;
  for (; unit != 2 && kb % 1024 == 0; ++unit) kb /= 1024;
  return std::to_string(kb) + units[unit];
}

/// Returns a whole number of MiB, or a text with a unit. Throws InputError as codecs do.
inline std::int64_t read_mebibytes(const Value& v, const std::string& path, const std::string& expected) {
  if (!v.text()) return codec::read_integer(v, path, expected, 0, 1'000'000'000'000);
  const std::int64_t kb = codec::read_kilobytes(v, path, expected, 0);
  if (kb % 1024 != 0) codec::wrong(v, path, expected);
  return kb / 1024;
}

/// Makes the codec of a field in MiB; 0 is "not said".
template <class S, class Field>
Codec<S> mebibytes(Field field) {
  const std::string words = "a whole number of MiB or a text like \"48 GiB\"";
  return {words, [=](S& s, const Value& v, const std::string& p) { field(s) = read_mebibytes(v, p, words); },
          codec::writer<S>(field, [](std::int64_t mib) { return codec::unless(mib == 0, mib); })};
}

inline constexpr double kMostPrice = 1e9;
inline constexpr double kMostWatts = 1e6;  ///< of a node

/// One table of `[[machine.nodes]]`.
struct NodeKindSpec {
  std::string name;
  std::string names{};     ///< of its nodes: "n[001-128]"; "": `name` and a number
  std::int32_t count = 0;  ///< 0: as many as `names` says
  std::int32_t processors = 1;
  std::int32_t cores = 1;
  std::int64_t memory_mib = 0;  ///< 0: not modelled
  std::int32_t gpus = 0;
  std::string gpu_type{};   ///< "": "gpu" where there are GPUs
  std::int32_t slices = 0;  ///< of each GPU; 0: it cannot be divided
  std::vector<std::string> features{};
  double speed = 1;
  std::optional<double> price{};  ///< of a node for an hour
  std::optional<double> busy_watts{}, idle_watts{};
  Place place{};
};

/// One table of `[[machine.partitions]]`.
struct PartitionSpec {
  std::string name;
  std::vector<std::string> nodes;  ///< kinds, nodes, ranges of nodes; empty: all
  std::optional<Duration> max_time, default_time, over_limit;
  std::optional<std::int32_t> max_nodes;
  std::vector<std::int64_t> users, numbers;
  std::int32_t tier = 1, oversubscribe = 1;
  bool oversubscribe_all = false;
  std::vector<std::string> over;  ///< partitions; empty: all others where oversubscribe is above 1, else none
  bool by_default = false;
  Place place;
};

/// One table of `[[machine.licences]]`.
struct LicenceSpec {
  std::string name;
  std::int64_t count = 0;
  Place place;
};

/// One table of `[[machine.switches]]`: one switch, or several with as many nodes each.
struct SwitchSpec {
  std::string name;                ///< or names: "s[1-8]"
  std::vector<std::string> nodes;  ///< kinds, nodes, ranges of nodes; empty: `count`
  std::int32_t count = 0;          ///< the first nodes that no switch above has; 0: `nodes`
  Place place{};
};

struct LayoutSpec {
  std::vector<NodeKindSpec> kinds;
  std::vector<PartitionSpec> partitions;
  std::vector<LicenceSpec> licences;
  std::vector<SwitchSpec> switches;

  /// Returns whether nothing is described: the nodes are equal, and there is nothing beside them.
  bool empty() const { return kinds.empty() && partitions.empty() && licences.empty() && switches.empty(); }
};

const std::vector<Key<NodeKindSpec>>& node_kind_keys();
const std::vector<Key<PartitionSpec>>& partition_keys();
const std::vector<Key<LicenceSpec>>& licence_keys();
const std::vector<Key<SwitchSpec>>& switch_keys();

/// Returns a machine of equal nodes as one kind of nodes, "n".
NodeKindSpec equal_nodes(const MachineSpec& machine);

/// Returns the layout that is described. Throws InputError at the place of what is wrong: names that appear twice,
/// kinds without nodes, counts that differ from the names, partitions of nothing or of nodes that do not exist, nodes
/// at two switches, more than 100,000 nodes.
std::shared_ptr<const MachineLayout> make_layout(const LayoutSpec& spec);

}  // namespace coslice
