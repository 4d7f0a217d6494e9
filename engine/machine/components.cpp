#include "machine/components.h"

#include <algorithm>
#include <map>

namespace coslice {
namespace {

/// Nodes that are in the same sets.
struct Alike {
  std::uint32_t sets = 0;  ///< bit i: in the i-th
  std::int64_t nodes = 0;
};

std::uint32_t sets_of(NodeId n, std::size_t first, const std::vector<NodeSet>& sets) {
  std::uint32_t all = 0;
  for (std::size_t i = first; i != sets.size(); ++i)
    if (sets[i].contains(n)) all |= std::uint32_t{1} << i;
  return all;
}

std::vector<Alike> alike_nodes(std::size_t first, const std::vector<NodeSet>& sets) {
  NodeSet any = sets[first];
  for (std::size_t i = first + 1; i != sets.size(); ++i) any |= sets[i];
  std::map<std::uint32_t, std::int64_t> counts;
  any.for_each([&](NodeId n) { ++counts[sets_of(n, first, sets)]; });
  std::vector<Alike> all;
  for (const auto& [of, nodes] : counts) all.push_back({of, nodes});
  return all;
}

/// Gives each component nodes of its sets; where these are gone, one that has them takes others instead.
class NodeFlow {
 public:
  NodeFlow(const std::vector<std::int32_t>& wanted, std::size_t first, std::vector<Alike> alike)
      : first_(first), wanted_(wanted), alike_(std::move(alike)),
        has_(wanted.size(), std::vector<std::int64_t>(alike_.size(), 0)) {}

  bool find() {
    for (std::size_t i = first_; i != wanted_.size(); ++i)
      for (std::int64_t missing = wanted_[i]; missing > 0;) {
        seen_.assign(wanted_.size(), false);
        const std::int64_t got = take(i, missing);
        if (got == 0) return false;
        missing -= got;
      }
    return true;
  }

 private:
  bool may_have(std::size_t i, std::size_t a) const { return (alike_[a].sets >> i & 1) != 0; }

  /// Lets the component have up to `most` more, of what is left or of what another one can do without. How many.
  std::int64_t take(std::size_t i, std::int64_t most) {
    seen_[i] = true;
    for (std::size_t a = 0; a != alike_.size(); ++a) {
      if (!may_have(i, a) || alike_[a].nodes == 0) continue;
      const std::int64_t n = std::min(most, alike_[a].nodes);
      alike_[a].nodes -= n;
      has_[i][a] += n;
      return n;
    }
    for (std::size_t a = 0; a != alike_.size(); ++a)
      for (std::size_t k = first_; k != wanted_.size() && may_have(i, a); ++k) {
        if (seen_[k] || has_[k][a] == 0) continue;
        const std::int64_t n = take(k, std::min(most, has_[k][a]));
        if (n == 0) continue;
        has_[k][a] -= n;
        has_[i][a] += n;
        return n;
      }
    return 0;
  }

  std::size_t first_;
  const std::vector<std::int32_t>& wanted_;
  std::vector<Alike> alike_;                    ///< what is left of them
  std::vector<std::vector<std::int64_t>> has_;  ///< by component and of which
  std::vector<bool> seen_;
};

/// Whether there are so many nodes for each of the components from `first` on.
bool enough(const std::vector<std::int32_t>& wanted, std::size_t first, const std::vector<NodeSet>& sets) {
  std::vector<std::size_t> order;
  for (std::size_t i = first; i != sets.size(); ++i) {
    if (sets[i].count() < wanted[i]) return false;
    order.push_back(i);
  }
  // Mostly counts say it: each has enough whatever those with fewer nodes to choose from take.
  std::ranges::sort(order, {}, [&](std::size_t i) { return sets[i].count(); });
  std::int64_t taken = 0;
  bool plenty = true;
  for (const std::size_t i : order) plenty = plenty && (taken += wanted[i]) <= sets[i].count();
  return plenty || NodeFlow(wanted, first, alike_nodes(first, sets)).find();
}

std::vector<std::int32_t> nodes_wanted(const Request& r) {
  std::vector<std::int32_t> wanted;
  for (const Request& c : r.components) wanted.push_back(c.nodes);
  return wanted;
}

}  // namespace

void have_idle_cores(Request& component) {
  component.rows = 0;
  component.over.clear();
  component.over_first.clear();
}

Request of_components(std::vector<Request> components) {
  Request whole;
  whole.nodes = 0;
  whole.partitions = components.front().partitions;
  std::map<std::int32_t, std::int64_t> licences;
  for (Request& c : components) {
    whole.nodes += c.nodes;
    for (const LicenceUse& use : c.licences) licences[use.licence] += use.count;
    c.licences.clear();
    have_idle_cores(c);
  }
  for (const auto& [licence, count] : licences) whole.licences.push_back({licence, count});
  whole.components = std::move(components);
  return whole;
}

bool enough_apart(const Request& r, const std::vector<NodeSet>& sets) { return enough(nodes_wanted(r), 0, sets); }

namespace components_detail {

/// A node that cannot stay is like all others in the same sets: none of them can be added to those that stay.
bool narrow(const Request& r, std::size_t i, std::vector<NodeSet>& sets, const Parts& chosen) {
  std::vector<std::int32_t> wanted = nodes_wanted(r);
  std::vector<NodeSet> left = sets;
  const auto take = [&](std::vector<NodeSet>& from, NodeId n) {
    for (std::size_t k = i; k != from.size(); ++k) from[k].erase(n);
  };
  for (const NodePart& part : chosen) take(left, part.node);
  wanted[i] = 0;
  if (enough(wanted, i, left)) return true;
  left = sets;
  wanted[i] = r.components[i].nodes;
  for (const NodePart& part : chosen) {
    std::vector<NodeSet> without = left;
    take(without, part.node);
    --wanted[i];
    if (enough(wanted, i, without)) {
      left = std::move(without);
      continue;
    }
    const std::uint32_t of = sets_of(part.node, i, left);
    const NodeRanges others = left[i].ranges();
    for_each_node(others, [&](NodeId n) {
      if (sets_of(n, i, left) == of) sets[i].erase(n);
    });
    return false;
  }
  return true;
}

}  // namespace components_detail
}  // namespace coslice
