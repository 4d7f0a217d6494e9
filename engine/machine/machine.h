// The machine as the scenario describes it: nodes on a flat network, of one kind or of several (machine/layout.h).
#pragma once

#include <cstdint>
#include <memory>

namespace coslice {

struct MachineLayout;

/// nodes x processors x cores, with memory per node.
struct MachineSpec {
  std::int32_t nodes = 1;       ///< 1 to 100,000
  std::int32_t processors = 1;  ///< processors (sockets) per node
  std::int32_t cores = 1;       ///< cores per processor
  std::int64_t memory_kb = 0;   ///< memory per node in KB; 0: not modelled
  /// Kinds of nodes, partitions, licences, for set_layout(). Read by kinds_of() and names_kinds(): what names none has
  /// one kind all the same.
  std::shared_ptr<const MachineLayout> layout = nullptr;
  std::int64_t all_cores = 0;  ///< of its nodes together; 0: as many as the figures above say

  std::int32_t cores_per_node() const { return processors * cores; }
  std::int64_t total_cores() const { return all_cores != 0 ? all_cores : std::int64_t{nodes} * cores_per_node(); }
};

}  // namespace coslice
