// Whether there is room for a job now, whatever its placement thinks of it, and which room one is promised for later.
#include <algorithm>

#include "cluster/node_ids.h"
#include "sched/shared_node_book.h"

namespace coslice {

bool SharedNodeBook::has_room_now(const Ask& a) {
  if (ceiling_ <= 0) return false;
  const Demand& demand = demands_->demand(a.job);
  const Time end = later(now_, a.duration);
  return std::any_of(demand.begin(), demand.end(), [&](std::int32_t unit) {
    const std::int32_t wanted = request(unit).nodes;
    return fitting_now(unit).count() >= wanted && licences_until(unit, end) && fitting_until(unit, end).count() >= wanted;
  });
}

/// A promise needs nodes, whatever the placement thinks of them.
void SharedNodeBook::choose_later(JobIndex j, const Request& r, const NodePool& pool, const NodeSet& fitting, Parts& out) {
  if (!placement_->choose(j, r, pool, fitting, out)) first_fit_.choose(j, r, pool, fitting, out);
}

/// Of the nodes on which jobs are now as many as it needs, and idle ones where these are too few.
void SharedNodeBook::choose_busy(JobIndex j, const Request& r, const NodePool& pool, const NodeSet& fitting, Parts& out) {
  NodeSet busy(fitting.size());
  fitting.for_each([&](NodeId n) {
    if (pool_.room(n).jobs != 0) busy.insert(n);
  });
  if (busy.count() >= r.nodes) return choose_later(j, r, pool, busy, out);
  Request some = r;
  some.nodes = busy.count();
  if (some.nodes != 0) choose_later(j, some, pool, busy, out);
  some.nodes = r.nodes - some.nodes;
  NodeSet idle = fitting;
  idle -= busy;
  Parts rest;
  choose_later(j, some, pool, idle, rest);
  out.insert(out.end(), rest.begin(), rest.end());
}

}  // namespace coslice
