// The machine of a real Slurm as it is now: its nodes, its partitions, its clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "machine/machine_spec.h"

namespace coslice::drive {

struct LiveNode {
  std::string name;
  NodeKindSpec kind;      ///< what it has; without a name
  bool available = true;  ///< jobs may be started on it
  bool used = false;      ///< jobs have CPUs of it
};

struct LivePartition {
  std::string name;
  std::vector<std::string> nodes;
  std::int32_t tier = 1;
  bool by_default = false;
  bool up = true;  ///< jobs are started in it
};

/// What the controller says of itself.
struct Controller {
  std::int64_t now = 0;        ///< its clock, seconds since 1970
  bool ages = false;           ///< priorities are recomputed all the time (priority/multifactor)
  bool memory_counts = false;  ///< jobs are given memory
  bool whole_nodes = false;    ///< jobs are given whole nodes only
};

struct LiveMachine {
  Controller controller;
  std::vector<LiveNode> nodes;
  std::vector<LivePartition> partitions;
  std::vector<std::string> problems;  ///< what was left out, in words
};

/// Returns what `scontrol show config`, `scontrol show node -o` and `scontrol show partition -o` print. Throws
/// InputError where the first one is no such text, or no node can be read.
LiveMachine read_machine(std::string_view config, std::string_view nodes, std::string_view partitions);

/// Returns the machine as kinds of nodes and partitions: nodes that have the same are a kind.
LayoutSpec layout_of(const LiveMachine& machine);

}  // namespace coslice::drive
