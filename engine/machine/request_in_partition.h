// What a job asks for in each of the partitions that it may use: it shares cores as those of the one in which it runs.
#pragma once

#include <cstdint>

#include "machine/layout.h"
#include "machine/request.h"

namespace coslice {

/// Returns the request of a job, or of a component of one, as it is where it runs in that partition: requests say of
/// the first one that they name how cores are shared (share_cores). -1: in none.
Request in_partition(const MachineLayout& layout, Request request, std::int32_t partition);

}  // namespace coslice
