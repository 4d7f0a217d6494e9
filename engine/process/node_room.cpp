#include "process/node_room.h"

#include <algorithm>

namespace coslice {

ProcessRoom::ProcessRoom(std::int32_t processors, std::int32_t processors_per_node, std::int64_t memory_kb)
    : processors_(processors), per_node_(processors_per_node), memory_(memory_kb),
      free_(static_cast<std::size_t>((processors + processors_per_node - 1) / processors_per_node), memory_kb) {}

std::int64_t ProcessRoom::most(std::int64_t memory_kb) const {
  if (!limited() || memory_kb == 0) return processors_;
  const std::int64_t fit = memory_ / memory_kb, nodes = processors_ / per_node_;
  return nodes * std::min<std::int64_t>(fit, per_node_) + std::min<std::int64_t>(fit, processors_ % per_node_);
}

}  // namespace coslice
