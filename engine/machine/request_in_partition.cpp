#include "machine/request_in_partition.h"

#include <utility>
#include <vector>

#include "machine/eligibility.h"

namespace coslice {

Request in_partition(const MachineLayout& layout, Request request, std::int32_t partition) {
  if (request.row_of < 0 || partition < 0 || request.row_of == partition) return request;
  const bool numbered = request.numbered, shares = request.shares;
  std::vector<std::int32_t> asked = std::exchange(request.partitions, {partition});
  request.rows = 0;
  request = without_rows(std::move(request));
  share_cores(request, layout, shares);
  request.partitions = std::move(asked);
  if (numbered) return request;
  request.numbered = false;
  request.over.clear();
  request.over_first.clear();
  return request;
}

}  // namespace coslice
