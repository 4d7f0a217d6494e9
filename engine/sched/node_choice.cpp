#include "sched/node_choice.h"

#include <algorithm>
#include <vector>

#include "cluster/node_ids.h"

namespace coslice {

namespace {

std::vector<NodeId> members(const NodeSet& set) {
  std::vector<NodeId> nodes;
  nodes.reserve(static_cast<std::size_t>(set.count()));
  const NodeRanges all = set.ranges();
  for (const NodeRange& r : all.ranges())
    for (NodeId n = r.first; n <= r.last; ++n) nodes.push_back(n);
  return nodes;
}

/// The `count` nodes with the lowest keys, ties by number.
template <class F>
NodeRanges lowest_by(const NodeQuestion& q, F&& key) {
  using Key = decltype(key(NodeId{0}));
  std::vector<std::pair<Key, NodeId>> ranked;
  for (const NodeId n : members(*q.admissible)) ranked.emplace_back(key(n), n);
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
    const std::vector<NodeId> all = members(*q_.admissible);
    std::vector<NodeId> enough, lacking, others;
    for (const NodeId n : all) {
      if (spare(n) >= q_.need) enough.push_back(n);
      (lacks(n) ? lacking : others).push_back(n);
    }
    const auto count = static_cast<std::size_t>(q_.count);
    std::vector<NodeId> chosen;
    if (enough.size() >= count) {
      take(enough, count, options_.fit.enough, chosen);
    } else {
      // Nodes that cannot hold everybody first, those that soon can before the others; the rest is kept whole.
      std::vector<std::pair<Time, NodeId>> soonest;
      for (const NodeId n : lacking) soonest.emplace_back(time_until_fit(n), n);
      std::sort(soonest.begin(), soonest.end());
      for (std::size_t i = 0; i != std::min(count, soonest.size()); ++i) chosen.push_back(soonest[i].second);
      take(others, count - chosen.size(), options_.fit.rest, chosen);
    }
    return as_ranges(std::move(chosen));
  }

 private:
  /// Memory that is left when everybody allocated has what he needs; negative where nodes are over-committed.
  Duration spare(NodeId n) const { return options_.memory - ledger_.needed(n); }

  bool lacks(NodeId n) const {
    return options_.fit.lacking == Lacking::kInUse ? ledger_.needed(n) < q_.need : spare(n) < q_.need;
  }

  Time time_until_fit(NodeId n) const {
    std::vector<std::pair<Time, Duration>> ends;
    for (StartedJob* job : ledger_.jobs(n)) ends.emplace_back(completion_(*job), q_.need_of(job->index));
    std::sort(ends.begin(), ends.end());
    if (options_.fit.until == UntilFit::kFirstEnd) return ends.empty() ? kNever : ends.front().first;
    Duration room = spare(n);
    Time fits = Time::min();
    for (std::size_t i = 0; i != ends.size() && room < q_.need; ++i) {
      room += ends[i].second;
      fits = ends[i].first;
    }
    return fits;
  }

  Duration size(NodeId n) const { return options_.fit.key == FitKey::kResident ? q_.memory->free(n) : spare(n); }

  void take(std::vector<NodeId> nodes, std::size_t count, Fit fit, std::vector<NodeId>& chosen) const {
    // `nodes` is in ascending order: a stable sort keeps ties by number.
    const auto tighter = [&](NodeId a, NodeId b) { return size(a) < size(b); };
    if (fit == Fit::kBest) std::stable_sort(nodes.begin(), nodes.end(), tighter);
    if (fit == Fit::kWorst && options_.fit.ties_high) {
      std::stable_sort(nodes.begin(), nodes.end(), tighter);
      std::reverse(nodes.begin(), nodes.end());
    } else if (fit == Fit::kWorst) {
      std::stable_sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) { return size(a) > size(b); });
    }
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
      return options.node_rank(*q.view, q.job, {n, ledger.foreign(n, q.job_class), ledger.needed(n)});
    });
  }
  switch (options.nodes) {
    case NodeChoice::kFirstFree: return q.admissible->lowest(q.count);
    case NodeChoice::kFewestForeign: return lowest_by(q, [&](NodeId n) { return ledger.foreign(n, q.job_class); });
    case NodeChoice::kMemoryFit: return TwoStages(q, options, ledger, completion).choose();
  }
  return {};
}

}  // namespace coslice
