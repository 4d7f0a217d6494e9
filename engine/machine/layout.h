// The kinds of nodes of a machine with their resources, its partitions, and what it has of licences. A machine of equal
// nodes (machine/machine.h) has one kind without a name of its own.
//
// Names are for people and files; inside, kinds, partitions, GPU types, features and licences are dense numbers in the
// order in which the scenario names them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "machine/machine.h"
#include "machine/node_set.h"

namespace coslice {

/// Thousandths of a core. Containers are given parts of cores; batch jobs whole ones.
using CoreShare = std::int32_t;
inline constexpr CoreShare kWholeCore = 1000;

/// Thousandths of a GPU.
using GpuShare = std::int32_t;
inline constexpr GpuShare kWholeGpu = 1000;

/// Nodes that are alike.
struct NodeKind {
  std::string name;
  std::int32_t count = 1;       ///< at least 1
  std::int32_t processors = 1;  ///< per node
  std::int32_t cores = 1;       ///< per processor
  std::int64_t memory_mib = 0;  ///< per node; 0: not modelled, no request is refused for it
  std::int32_t gpus = 0;        ///< per node
  std::int32_t gpu_type = -1;   ///< into MachineLayout::gpu_types; -1 without GPUs
  std::int32_t slices =
      0;  ///< number of parts into which each GPU can be divided (request_spec.h); 0: GPUs cannot be divided
  std::vector<std::int32_t> features{};  ///< into MachineLayout::features, ascending
  double speed = 1;                      ///< a job of 1 s of work runs for 1 / speed s
  NodeId first = 0;                      ///< nodes of the kind are first .. first + count - 1
  std::vector<std::string> names{};      ///< of its nodes; empty: NAME1, NAME2, ... are not spelt out

  CoreShare core_share() const { return processors * cores * kWholeCore; }
  /// Returns its nodes.
  NodeRanges nodes() const {
    NodeRanges all;
    all.append(first, first + count - 1);
    return all;
  }
};

/// A named set of nodes in which jobs are submitted. Partitions may overlap.
struct Partition {
  std::string name;
  NodeSet nodes;                          ///< of the whole machine's size
  std::optional<Duration> max_time;       ///< longest limit of a job
  std::optional<Duration> default_time;   ///< limit of a job that names none
  std::optional<std::int32_t> max_nodes;  ///< most nodes of a job
  std::optional<Duration> over_limit;     ///< EngineOptions::over_limit of its jobs, where it is another one
  std::vector<std::int32_t> users{};      ///< who may use it; empty: all
  std::vector<std::int32_t> numbers{};    ///< by which traces name it, beside its name
  std::int32_t oversubscribe = 1;         ///< how many of its jobs may have a core at a time, if they allow it,
  bool oversubscribe_all = false;         ///< or in any case
  std::vector<std::int32_t> over{};       ///< partitions, ascending, whose jobs' cores its own jobs may have, too
  std::int32_t tier = 1;                  ///< jobs of a higher tier come first in each queue
  bool by_default = false;                ///< for jobs that name no partition
};

/// Something countable that belongs to no node: licences of a program, bandwidth of a burst buffer.
struct Licence {
  std::string name;
  std::int64_t count = 0;
};

/// Nodes that are near one another in the network: those of a switch of its lowest level.
struct NetworkSwitch {
  std::string name;
  NodeSet nodes;  ///< of the whole machine's size; no node is at two switches
};

struct MachineLayout {
  std::vector<NodeKind> kinds;
  std::vector<Partition> partitions;  ///< empty: all nodes are one
  std::vector<Licence> licences;
  std::vector<NetworkSwitch> switches;  ///< empty: the network is flat
  std::vector<std::string> gpu_types, features;
  bool numbered = false;  ///< nodes are equal, and scenarios name them by numbers
  /// all nodes, as they are taken where placement finds them equally good; empty: by number
  std::vector<NodeId> order;

  std::int32_t node_count() const { return kinds.empty() ? 0 : kinds.back().first + kinds.back().count; }
  /// Returns the kind of a node.
  const NodeKind& kind_of(NodeId n) const { return kinds[static_cast<std::size_t>(kind_index(n))]; }
  std::int32_t kind_index(NodeId n) const {
    const auto after = std::ranges::upper_bound(kinds, n, {}, &NodeKind::first);
    return static_cast<std::int32_t>(after - kinds.begin()) - 1;
  }
  /// Returns, by kind, the first kind that differs from it by name and nodes only: by nothing that jobs can ask for, or
  /// that makes them slower or faster.
  std::vector<std::int32_t> first_alike() const;
  /// Returns the nodes of kinds that differ from this one by more than that; of size 0 if no other kind is like it.
  NodeSet not_alike(std::int32_t kind) const;
  /// Returns the number of each node's switch, by NodeId; nodes at none have one each, above the others. Empty where
  /// there are no switches.
  std::vector<std::int32_t> switch_of_nodes() const;
  /// Returns the speed of the slowest of these nodes. Precondition: there is one at least.
  double slowest_speed(const NodeRanges& nodes) const;
  /// Returns the number of GPUs of all nodes.
  std::int64_t gpu_count() const;
  /// Returns the name of a node: as the site writes it, else the kind's name and the number within the kind, from 1.
  std::string node_name(NodeId n) const;
  /// Returns the names of all nodes, by NodeId.
  std::vector<std::string> node_names() const;
};

/// Returns the number of a name among those seen, to which it is added if it is new.
std::int32_t number_of(std::string_view name, std::vector<std::string>& known);

/// Returns the kinds of the machine's nodes: those that it names, else one, "n", of all its nodes.
std::shared_ptr<const MachineLayout> kinds_of(const MachineSpec& machine);

/// Returns whether the machine is described by kinds: where it names them, or jobs ask for parts of nodes.
inline bool names_kinds(const MachineSpec& machine) { return machine.layout != nullptr; }

/// Gives a machine that names no kinds its one kind: its jobs may ask for more than whole nodes.
void name_kinds(MachineSpec& machine);

/// Gives the machine that layout. The figures of equal nodes are then those of the nodes where all have the same
/// processors and cores, else one processor per node with the fewest cores that a node has.
void set_layout(MachineSpec& machine, std::shared_ptr<const MachineLayout> layout);

}  // namespace coslice
