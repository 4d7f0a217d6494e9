// Rankings of nodes that need no script.
#pragma once

#include <cstdint>
#include <memory>

#include "resources/node_ranking.h"

namespace coslice {

/// In each, ties go by the order of nodes. What is left of a node: the sum of its cores, GPUs and memory that no job has,
/// each as a part of the most that a node of the machine has.
enum class BuiltInRank : std::uint8_t {
  kFirst,    ///< all nodes are equally good
  kBestFit,  ///< least left
  kPack,     ///< nodes where something runs before idle ones
  kSpread,   ///< most left
};

std::unique_ptr<NodeRanking> make_ranking(BuiltInRank rank, const MachineLayout& layout);

}  // namespace coslice
