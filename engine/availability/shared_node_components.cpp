// Where jobs of several components go now.
#include "availability/shared_node_availability.h"

namespace coslice {

/// By the rules of a job for each component in turn.
bool SharedNodeAvailability::choose_components(JobIndex j, std::int32_t unit, const NodePool& pool,
                                               std::vector<NodeSet> fitting) {
  if (directive_ != nullptr)
    for (NodeSet& nodes : fitting) nodes = directive_->open(std::move(nodes));
  const std::vector<std::int32_t>& all = components(unit);
  Parts parts;
  const bool chosen =
      choose_apart(request(unit), std::move(fitting), parts, [&](std::size_t i, const NodeSet& nodes, Parts& out) {
        if (!choose(j, request(all[i]), pool, nodes)) return false;
        out = std::move(chosen_.parts);
        return true;
      });
  chosen_.parts = std::move(parts);
  return chosen;
}

bool SharedNodeAvailability::choose_components_now(JobIndex j, std::int32_t unit, Time end) {
  const Request& r = request(unit);
  const bool beside = beside_shield(end), planned = end > first_closure_;
  if (!pool_.has_licences(r) || (beside && !after_.has_licences(r))) return false;
  if (planned && !lines(unit).has_licences(r, now_, end)) return false;
  std::vector<NodeSet> fitting;
  NodeSet any(nodes(unit).size());
  for (const std::int32_t c : components(unit)) {
    const NodeSet& now = fitting_beside_shield(c, end);
    fitting.push_back(planned ? lines(c).fitting(request(c), now, now_, end) : now);
    if (fitting.back().count() < request(c).nodes) return false;
    any |= fitting.back();
  }
  if (!planned) return choose_components(j, unit, beside ? both_ : pool_, std::move(fitting));
  const NodePool& pool = window_pool(unit, any, now_, end);
  if (beside) meet_beside_shield(any);
  return choose_components(j, unit, pool, std::move(fitting));
}

std::vector<NodeSet> SharedNodeAvailability::fits_apart_then(std::int32_t unit, Wants wants) const {
  std::vector<NodeSet> fit;
  for (const std::int32_t c : components(unit)) fit.push_back(fits_then(c, wants));
  return fit;
}

/// Whether all components fit in after_.
bool SharedNodeAvailability::fits_in_after(std::int32_t unit, Wants wants) const {
  return after_.has_licences(request(unit)) && enough_apart(request(unit), fits_apart_then(unit, wants));
}

}  // namespace coslice
