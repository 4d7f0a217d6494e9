// Jobs that another book lets run on the nodes of this one, and what it tells about where they could.
#include <algorithm>
#include <cassert>

#include "sched/shared_node_book.h"
#include "sched/view.h"

namespace coslice {

// As everywhere in this book: without reservations what is left now never becomes less, but for what is shielded or planned.
NodeSet SharedNodeBook::fitting_until(std::int32_t unit, Time end) {
  const Request& r = request(unit);
  if (reserved_.empty() && planned_ == 0) return (beside_shield(end) ? fits_both_ : fits_now_).fitting(unit, r, nodes(unit));
  return lines(unit).fitting(r, fitting_now(unit), now_, end);
}

NodeRoom SharedNodeBook::room_until(std::int32_t unit, NodeId n, Time end) {
  if (reserved_.empty() && planned_ == 0) return (beside_shield(end) ? both_ : pool_).room(n);
  NodeRoom room = pool_.room(n);
  meet(room, lines(unit).room(n, now_, end));
  return room;
}

bool SharedNodeBook::licences_until(std::int32_t unit, Time end) {
  const Request& r = request(unit);
  if (!pool_.has_licences(r)) return false;
  if (reserved_.empty() && planned_ == 0) return !beside_shield(end) || after_.has_licences(r);
  return lines(unit).has_licences(r, now_, end);
}

bool SharedNodeBook::left_until(std::int32_t unit, const Parts& parts, Time end) {
  return licences_until(unit, end) && std::all_of(parts.begin(), parts.end(), [&](const NodePart& part) {
           return fits_on(request(unit), room_until(unit, part.node, end), part.gpus);
         });
}

void SharedNodeBook::take_in(const StartedJob& job, std::int32_t /*nodes*/, Time end) {
  const Holding held{job.parts, job.unit, now_, end};
  const Request& r = request(held.unit);
  take_in_lines(held.unit, held.parts, now_, end);
  if (beside_shield(end)) after_.take(r, held.parts);
  apply(held.unit, held.parts, 1);
  ends_.insert({end, job.index});
  started_[job.index] = held;
}

void SharedNodeBook::let_go(const StartedJob& job, std::int32_t /*nodes*/, Time /*end*/) {
  const auto it = started_.find(job.index);
  if (it == started_.end()) return;
  const Holding& held = it->second;
  ends_.erase({held.to, job.index});
  give_in_lines(held.unit, held.parts, now_, held.to);
  apply(held.unit, held.parts, -1);
  started_.erase(it);
}

void SharedNodeBook::finish(StartedJob& job) { let_go(job, job.held, now_); }

void SharedNodeBook::keep_place(const Ask& a) {
  assert(reserved_.empty() && !shielding_);
  const Demand& demand = demands_->demand(a.job);
  if (planned_ != 0) {  // as for shield()
    const Time t = earliest(a, now_);
    if (t != kNever) reserve(a, t);
    return;
  }
  const bool now = std::any_of(demand.begin(), demand.end(), [&](std::int32_t unit) {
    return fitting_now(unit).count() >= request(unit).nodes && licences_now(unit);
  });
  if (now) reserve(a, now_);
  else shield(a);
}

void SharedNodeBook::give_up_place(JobIndex j) {
  if (reserved_.count(j) != 0) unreserve(j);
  else unshield();
}

void SharedNodeBook::set_aside(JobIndex j) {
  const auto own = reserved_.find(j);
  if (own != reserved_.end()) give_in_lines(own->second.unit, own->second.parts, own->second.from, own->second.to);
}

void SharedNodeBook::put_back(JobIndex j) {
  const auto own = reserved_.find(j);
  if (own != reserved_.end()) take_in_lines(own->second.unit, own->second.parts, own->second.from, own->second.to);
}

}  // namespace coslice
