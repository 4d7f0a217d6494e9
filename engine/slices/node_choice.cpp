#include "slices/node_choice.h"

#include <algorithm>
#include <vector>

#include "cluster/node_set.h"

namespace coslice {

namespace {

/// The `count` nodes with the lowest keys, ties by number.
template <class F>
NodeRanges lowest_by(const NodeQuestion& q, F&& key) {
  using Key = decltype(key(NodeId{0}));
  std::vector<std::pair<Key, NodeId>> ranked;
  q.admissible->for_each([&](NodeId n) { ranked.emplace_back(key(n), n); });
  const auto middle = ranked.begin() + q.count;
  std::nth_element(ranked.begin(), middle == ranked.end() ? ranked.end() : middle, ranked.end());
  std::vector<NodeId> chosen;
  for (auto it = ranked.begin(); it != middle; ++it) chosen.push_back(it->second);
  return as_ranges(std::move(chosen));
}

/// The node selection in two stages.
class TwoStages {
 public:
  TwoStages(const NodeQuestion& q, const SliceOptions& o, const NodeLedger& ledger,
            const CompletionEstimate& completion)
      : q_(q), options_(o), ledger_(ledger), completion_(completion) {}

  NodeRanges choose() {
    std::vector<NodeId> enough, lacking;
    q_.admissible->for_each([&](NodeId n) { (spare(n) >= q_.need ? enough : lacking).push_back(n); });
    const auto count = static_cast<std::size_t>(q_.count);
    std::vector<NodeId> chosen;
    if (enough.size() >= count) {
      take(enough, count, options_.fit.enough, chosen);
    } else {
      // Nodes that cannot hold all jobs first, those that soon can before the others; the rest is kept whole.
      std::vector<std::pair<Time, NodeId>> soonest;
      for (const NodeId n : lacking) soonest.emplace_back(first_end(n), n);
      std::sort(soonest.begin(), soonest.end());
      for (std::size_t i = 0; i != std::min(count, soonest.size()); ++i) chosen.push_back(soonest[i].second);
      take(enough, count - chosen.size(), options_.fit.rest, chosen);
    }
    return as_ranges(std::move(chosen));
  }

 private:
  /// Memory that is left when all jobs allocated have what they need; negative where nodes are over-committed.
  Duration spare(NodeId n) const { return options_.memory - ledger_.needed(n); }

  Time first_end(NodeId n) const {
    Time first = kNever;
    for (StartedJob* job : ledger_.jobs(n)) first = std::min(first, completion_(*job));
    return first;
  }

  void take(std::vector<NodeId> nodes, std::size_t count, Fit fit, std::vector<NodeId>& chosen) const {
    // `nodes` is in ascending order: a stable sort keeps ties by number.
    if (fit != Fit::kFirst)
      std::stable_sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) { return spare(a) < spare(b); });
    if (fit == Fit::kWorst) std::reverse(nodes.begin(), nodes.end());
    chosen.insert(chosen.end(), nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count));
  }

  const NodeQuestion& q_;
  const SliceOptions& options_;
  const NodeLedger& ledger_;
  const CompletionEstimate& completion_;
};

}  // namespace

NodeRanges choose_nodes(const NodeQuestion& q, const SliceOptions& options, const NodeLedger& ledger,
                        const CompletionEstimate& completion) {
  if (options.node_rank) {
    return lowest_by(q, [&](NodeId n) {
      return options.node_rank(*q.view, q.job, {n, ledger.foreign(n, *q.view), ledger.needed(n)});
    });
  }
  switch (options.nodes) {
    case NodeChoice::kFirstFree: return q.admissible->lowest(q.count);
    case NodeChoice::kFewestForeign: return lowest_by(q, [&](NodeId n) { return ledger.foreign(n, *q.view); });
    case NodeChoice::kMemoryFit: return TwoStages(q, options, ledger, completion).choose();
  }
  return {};
}

}  // namespace coslice
