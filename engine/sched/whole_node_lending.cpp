// Nodes that one started job lends to another one, in the book of whole nodes.
#include <algorithm>
#include <cassert>

#include "sched/suspended_jobs.h"
#include "sched/view.h"
#include "sched/whole_node_book.h"

namespace coslice {

/// The nodes that the unit would have until `end`, idle ones first, and lent ones; both empty if they are not enough.
std::pair<NodeRanges, NodeRanges> WholeNodeBook::nodes_over(std::int32_t unit, Time end, const NodeSet& lent) const {
  const Union& u = union_of(unit);
  std::int32_t left = wanted(unit).nodes;
  NodeRanges own, borrowed;
  for (std::size_t i = 0; i != u.atoms.size(); ++i) {
    const auto a = static_cast<std::size_t>(u.atoms[i]);
    const std::int32_t stays = profiles_[static_cast<std::size_t>(u.profiles[i])].min_free(now_, end);
    const std::int32_t n = std::clamp(stays, 0, std::min(left, idle_[a]));
    own = together(own, occupancy_->idle().lowest(n, atoms_[a], idle_from_[a]));
    left -= n;
  }
  for (std::size_t i = 0; i != u.atoms.size() && left > 0; ++i) {
    const std::int32_t atom = u.atoms[i];
    const bool planned = std::any_of(plans_.begin(), plans_.end(), [&](const Plan& p) {
      return p.from < end && now_ < p.to &&
             std::any_of(p.shares.begin(), p.shares.end(), [&](const Share& s) { return s.atom == atom; });
    });
    if (planned || u.profiles[i] != atom) continue;  // the node is not there throughout, or closed to the job at times
    NodeSet here = lent;
    here &= atoms_[static_cast<std::size_t>(atom)];
    const std::int32_t n = std::min(left, here.count());
    borrowed = together(borrowed, here.lowest(n));
    left -= n;
  }
  if (left > 0) return {};
  return {own, borrowed};
}

bool WholeNodeBook::fits_over(const Ask& a, const NodeRanges& lent) const {
  assert(reservations_ == 0);
  const NodeSet nodes(demands_->layout().node_count(), lent);
  return std::any_of(demands_->demand(a.job).begin(), demands_->demand(a.job).end(), [&](std::int32_t unit) {
    const auto [own, borrowed] = nodes_over(unit, later(now_, a.duration), nodes);
    return !own.empty() || !borrowed.empty();
  });
}

void WholeNodeBook::start_over(StartedJob& job, const NodeRanges& lent) {
  ++changes_;
  const NodeSet nodes(demands_->layout().node_count(), lent);
  for (const std::int32_t unit : demands_->demand(job.index)) {
    const auto [own, borrowed] = nodes_over(unit, job.expected_end, nodes);
    if (own.empty() && borrowed.empty()) continue;
    Holding holding{shares_of(own), unit, now_, job.expected_end, false, borrowed};
    change(holding.shares, now_, job.expected_end, 1);
    take_now(holding.shares, 1);
    job.nodes = together(own, borrowed);
    job.unit = unit;
    job.held = own.count();
    job.hold = keep(std::move(holding));
    count_idle();
    return;
  }
  assert(false);
}

void WholeNodeBook::keep_lent(StartedJob& job, const NodeRanges& nodes) {
  ++changes_;
  Holding& holding = held(job.hold);
  holding.lent = without(holding.lent, nodes);
  holding.shares = shares_of(without(job.nodes, holding.lent));
  const Shares kept = shares_of(nodes);
  change(kept, now_, job.expected_end, 1);
  take_now(kept, 1);
  count_idle();
}

}  // namespace coslice
