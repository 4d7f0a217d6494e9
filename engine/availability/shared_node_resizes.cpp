// Where jobs that have parts of nodes grow, and what they give up.
#include "availability/shared_node_availability.h"

namespace coslice {

const Request& SharedNodeAvailability::on_nodes(std::int32_t unit) const {
  const Request& r = request(unit);
  if (r.licences.empty()) return r;
  const auto [at, is_new] = on_nodes_.try_emplace(unit, r);
  if (is_new) at->second.licences.clear();
  return at->second;
}

/// The nodes that the job may have and has not, on which it could have its part until `end` beside all reservations;
/// those that are kept for it included.
NodeSet SharedNodeAvailability::left_beside(const StartedJob& job, Time end, Kept how) {
  const Request& r = on_nodes(job.unit);
  end = std::max(end, later(now_, Duration{1}));
  NodeSet left = fitting_now(job.unit);
  if (!never_less(end)) left = lines(job.unit).fitting(r, left, now_, end);
  const Holding& own = started_.at(job.index);
  const NodeSet has(left.size(), job.nodes);
  for (const NodePart& part : own.parts) {
    left.erase(part.node);
    if (has.contains(part.node)) continue;
    const bool stays = how == Kept::kStays || end <= own.to || never_less(end);
    if (stays || lines(job.unit).can_take(r, {part}, own.to, end)) left.insert(part.node);
  }
  left.erase(job.nodes);
  return left;
}

/// Its part of so many of these nodes: by the placement as where it starts, or the first ones where that declines.
void SharedNodeAvailability::choose_more(const StartedJob& job, const NodeSet& among, std::int32_t count, Time end,
                                         Parts& out) {
  Request some = on_nodes(job.unit);
  some.nodes = count;
  const NodePool& pool = never_less(end) ? pool_ : window_pool(job.unit, among, now_, end);
  Parts chosen;
  choose_any(job.index, some, pool, among, chosen);
  out.insert(out.end(), chosen.begin(), chosen.end());
}

/// Those that are kept for it first.
NodeRanges SharedNodeAvailability::more_nodes(const StartedJob& job, const NodeRanges& kept, std::int32_t more,
                                              Time end) {
  NodeSet left = left_beside(job, end, Kept::kStays), found(left.size());
  for_each_node(kept, [&](NodeId n) {
    if (!left.contains(n)) return;
    left.erase(n);
    if (found.count() < more) found.insert(n);
  });
  if (found.count() == more) return found.ranges();
  Parts parts;
  choose_more(job, left, more - found.count(), std::max(end, later(now_, Duration{1})), parts);
  found.insert(nodes_in(parts));
  return found.ranges();
}

Parts SharedNodeAvailability::parts_on(const StartedJob& job, const NodeRanges& nodes) const {
  NodeSet left(demands_->layout().node_count(), nodes);
  Parts parts;
  for (const Parts* some : {&started_.at(job.index).parts, &job.parts}) {
    for (const NodePart& part : *some) {
      if (!left.contains(part.node)) continue;
      left.erase(part.node);
      parts.push_back(part);
    }
  }
  return parts;
}

bool SharedNodeAvailability::room_for_nodes(const StartedJob& job, const NodeRanges& nodes, Time end) {
  if (reserved_.empty()) return true;
  NodeSet left(demands_->layout().node_count(), nodes);
  const Holding& own = started_.at(job.index);
  const Request& r = on_nodes(own.unit);
  const auto goes_on = [&](const Request& asked, const Parts& parts, Time from) {
    Parts some;
    for (const NodePart& part : parts) {
      if (!left.contains(part.node)) continue;
      left.erase(part.node);
      some.push_back(part);
    }
    return room_beside_reserved(own.unit, asked, some, {std::max(from, now_), end});
  };
  const auto given_up = started_.find(index_of_given_up(job.index));
  if (!goes_on(request(own), own.parts, own.to)) return false;
  if (given_up != started_.end() && !goes_on(r, given_up->second.parts, given_up->second.to)) return false;
  if (!goes_on(r, job.parts, now_)) return false;
  bool fits_there = true;
  left.for_each([&](NodeId n) { fits_there = fits_there && fits(r, room_until(own.unit, n, end)); });
  return fits_there;
}

void SharedNodeAvailability::resize(StartedJob& job, const NodeRanges& nodes, Time end) {
  Holding& held = started_.at(job.index);
  Parts parts = parts_on(job, nodes);
  const NodeRanges more = without(nodes, nodes_in(parts));
  if (!more.empty()) {
    const NodeSet among(demands_->layout().node_count(), more);
    choose_more(job, among, among.count(), std::max(end, later(now_, Duration{1})), parts);
  }
  if (beside_shield(held.to)) after_.give(request(held), held.parts);
  ends_.erase({held.to, job.index});
  held.from = now_;
  give_in_lines(held);
  apply(held, -1);
  held = {std::move(parts), job.unit, now_, end};
  take_in_lines(held);
  if (beside_shield(end)) after_.take(request(held), held.parts, true);
  apply(held, 1, true);
  ends_.insert({end, job.index});
}

void SharedNodeAvailability::give_up(const StartedJob& given_up, const StartedJob& job) {
  const NodeSet nodes(demands_->layout().node_count(), given_up.nodes);
  Holding held{{}, job.unit, now_, now_, true};
  for (const NodePart& part : job.parts)
    if (nodes.contains(part.node)) held.parts.push_back(part);
  has_come(given_up.index, std::move(held), true);
}

}  // namespace coslice
