// Where a policy wants a job to start, in words that are not node numbers.
#pragma once

#include <cstdint>

#include "cluster/node_set.h"
#include "resources/node_pool.h"

namespace coslice {

/// All that is said of it holds.
struct StartPlace {
  std::int32_t kind = -1;  ///< of nodes; -1: any
  bool alone = false;      ///< on GPUs of which no job has a share; without GPUs on nodes where no job is
  Parts beside;            ///< only there, and on exactly these GPUs; empty: anywhere
};

/// Chooses the first of the nodes of `fitting` (as Placement::choose) that are such a place, and GPUs there; false if there
/// are not enough.
bool choose_at(const StartPlace& place, const Request& request, const NodePool& pool, const NodeSet& fitting, Parts& out);

}  // namespace coslice
