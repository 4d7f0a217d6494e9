// GPUs that are divided into slices, of which each has several of its parts for itself (NVIDIA's multi-instance GPUs). A slice is
// a share of the GPU; where on it a slice lies, and which slices go beside one another, is the policy's business.
#pragma once

#include <cstdint>
#include <vector>

#include "resources/layout.h"
#include "resources/request.h"

namespace coslice {

/// So many of a GPU's parts; rounded down, so that all of them are never more than one GPU.
inline GpuShare share_of_slice(std::int32_t slice, std::int32_t slices) { return slice * kWholeGpu / slices; }

/// Whether some GPU of the machine can be divided.
bool divides_gpus(const MachineLayout& layout);

/// What a job would ask for that has a slice instead of its GPU: each slice of each number of parts that GPUs of the machine
/// have, if it is not smaller than the share that the job asks for. None for jobs of several nodes, of several GPUs or of none,
/// and for those that want nodes for themselves.
std::vector<Request> requests_on_slices(const MachineLayout& layout, const Request& asked);

}  // namespace coslice
