#include "resources/gpu_slices.h"

#include <algorithm>
#include <set>

namespace coslice {

bool divides_gpus(const MachineLayout& layout) {
  return std::any_of(layout.kinds.begin(), layout.kinds.end(), [](const NodeKind& k) { return k.slices != 0; });
}

std::vector<Request> requests_on_slices(const MachineLayout& layout, const Request& asked) {
  std::vector<Request> all;
  if (asked.nodes != 1 || asked.gpus != 1 || asked.exclusive) return all;
  std::set<std::int32_t> numbers;
  for (const NodeKind& k : layout.kinds)
    if (k.slices != 0) numbers.insert(k.slices);
  for (const std::int32_t slices : numbers)
    for (std::int32_t slice = 1; slice <= slices; ++slice) {
      const std::int32_t rounded_up = (slice * kWholeGpu + slices - 1) / slices;  // a seventh may be asked for as 0.143
      if (rounded_up < asked.gpu_share) continue;
      Request r = asked;
      r.slice = slice;
      r.slices = slices;
      r.gpu_share = share_of_slice(slice, slices);
      all.push_back(std::move(r));
    }
  return all;
}

}  // namespace coslice
