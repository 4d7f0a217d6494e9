// Whether there is room for a job now, whatever its placement thinks of it.
#include <algorithm>

#include "sched/shared_node_book.h"

namespace coslice {

bool SharedNodeBook::has_room_now(JobIndex j, Duration d) {
  if (closed_) return false;
  const Demand& demand = demands_->demand(j);
  const Time end = later(now_, d);
  return std::any_of(demand.begin(), demand.end(), [&](std::int32_t unit) {
    const std::int32_t wanted = request(unit).nodes;
    return fitting_now(unit).count() >= wanted && licences_until(unit, end) && fitting_until(unit, end).count() >= wanted;
  });
}

}  // namespace coslice
