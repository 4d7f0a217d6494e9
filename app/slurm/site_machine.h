// The nodes and partitions of slurm.conf, with gres.conf, as kinds of nodes and partitions of a scenario.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine/machine_spec.h"
#include "slurm/conf_lines.h"
#include "slurm/host_names.h"
#include "slurm/import_page.h"

namespace coslice::slurm {

/// Nodes of slurm.conf with equal settings.
struct NodeGroup {
  NodeKindSpec spec;               ///< the kind; its name is derived from the names of the nodes
  std::vector<std::string> nodes;  ///< names in the order of slurm.conf
  std::int64_t weight = 1;
  std::int64_t threads = 1;  ///< hardware threads of a core that count as CPUs
  std::int64_t line = 1;     ///< number of the group in the order of slurm.conf, from 1
};

/// A partition of slurm.conf: `spec` is what the scenario has of it, the rest is for the policy and the jobs.
struct SitePartition {
  PartitionSpec spec;
  std::int64_t job_factor = 1;
  std::int64_t grace = 0;  ///< GraceTime: how long its jobs run on once they are to make way, s
  std::int64_t memory_per_cpu = 0, memory_per_node = 0;  ///< DefMemPerCPU and DefMemPerNode, MiB; 0: not set
  /// Other settings that a policy may want, under Slurm's names: AllowQOS, QOS, PreemptMode, ...
  std::vector<std::pair<std::string, std::string>> others;
  /// All settings of it and of lines PartitionName=DEFAULT above it, by key in lower case.
  std::map<std::string, Setting> said;

  /// Returns the setting of that key, or null.
  const Setting* find(const std::string& key_in_lower_case) const;
};

/// Names of nodes that are not simply there when Slurm starts.
struct NodesAside {
  std::vector<std::string> absent;  ///< they take no jobs: FUTURE, DOWN, DRAIN, FAIL
  std::vector<std::string> cloud;   ///< State=CLOUD: powered down at first
};

struct SiteMachine {
  std::vector<NodeGroup> groups;
  NodesAside aside;
  NodeSets node_sets;
  std::vector<std::string> empty_partitions;  ///< which have no nodes, and are left out
  std::vector<SitePartition> partitions;
  std::vector<LicenceSpec> licences;
  std::shared_ptr<const MachineLayout> layout;  ///< the layout of these groups, partitions and licences

  /// Returns the partition of that name, or null; "": the default one.
  const SitePartition* find_partition(const std::string& name) const;
  /// Returns whether there is a node of that name.
  bool has_node(const std::string& name) const;
};

/// Reads groups of equal nodes from lines NodeName=... in their order; NodeName=DEFAULT sets defaults for the lines
/// below it. `gres` are the lines of gres.conf. Nodes of the states FUTURE, DOWN, DRAIN and FAIL, by their own lines or
/// by DownNodes=..., are left out. What Slurm puts right with a warning is put right the same way. Throws InputError
/// with file and line: a value that is not a number, a state that is none, a node that appears twice, no node at all.
std::vector<NodeGroup> read_nodes(const std::vector<ConfLine>& conf, const std::vector<ConfLine>& gres,
                                  NodesAside& aside, ImportPage& page);

/// Reads the partitions of `machine`, whose nodes are known, from lines PartitionName=..., without nodes that are
/// absent. Those without nodes are left out, as no job can start there.
void read_partitions(const std::vector<ConfLine>& conf, SiteMachine& machine, ImportPage& page);

/// Reads nodes and partitions, and checks them together: kinds have names of their own, and partitions name nodes that
/// are there, also by units of the topology (null: no file of it is known).
SiteMachine read_machine(const std::vector<ConfLine>& conf, const std::vector<ConfLine>& gres, ImportPage& page,
                         const std::vector<TopologyUnit>* units = nullptr);

}  // namespace coslice::slurm
