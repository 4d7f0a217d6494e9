// Placement by rank: of the nodes on which a job fits it gets those that a ranking puts first.
//
// Scores are kept for each distinct request and node. Only nodes that changed since are asked about again, and of nodes
// in equal states one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/random.h"
#include "machine/placement.h"

namespace coslice {

/// In each, ties are decided by the order of nodes. What is left of a node: the sum of its cores, GPUs and memory that
/// no job has, each as a part of the most that a node of the machine has.
enum class BuiltInRank : std::uint8_t {
  kFirst,    ///< all nodes are equally good
  kBestFit,  ///< least left
  kPack,     ///< nodes where something runs before idle ones
  kSpread,   ///< most left
};

std::unique_ptr<NodeRanking> make_ranking(BuiltInRank rank, const MachineLayout& layout);

/// Which of the nodes that are equally good comes first.
enum class NodeTies : std::uint8_t {
  kOrder,   ///< by MachineLayout::order
  kRandom,  ///< each equally likely
};

/// Which GPUs of its node a job gets, where the ranking does not say.
enum class GpuChoice : std::uint8_t {
  kFitting,  ///< fitting_gpus(): the first whole ones; for a share the one with the least left
  kFirst,    ///< the first of which enough is left
  kRandom,   ///< any of which enough is left, each equally likely; whole ones as above
};

struct PlacementRules {
  NodeTies ties = NodeTies::kOrder;
  GpuChoice gpus = GpuChoice::kFitting;
  std::uint64_t seed = 1;  ///< of what is random
  /// By node: its group, such as a switch of the network; empty: there are none. Of nodes that are equally good, a job
  /// gets those of the group with the fewest that are enough, else first those of the group with the most.
  std::vector<std::int32_t> group_of{};
  bool runs = false;  ///< nodes of runs in the order are taken (RankedPlacement::select_by_runs); without groups
};

class RankedPlacement : public Placement {
 public:
  RankedPlacement(const MachineLayout& layout, std::unique_ptr<NodeRanking> ranking, const PlacementRules& rules = {});

  bool choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
              Parts& out) override;
  bool may_decline() const override { return ranking_->may_decline(); }
  std::uint64_t changes() const override { return ranking_->changes(); }

 private:
  /// The scores of all nodes for jobs that are alike to the ranking.
  struct Row {
    std::vector<std::uint64_t> tags;  ///< by node: of the state that was scored; 0: none
    std::vector<double> values;       ///< by node; -infinity: not admitted
    std::vector<std::uint64_t> gpus;  ///< by node: NodeScore::gpus
  };
  /// What of a node scores depend on, if on nothing special to it.
  struct State {
    std::int32_t kind;
    CoreShare cores;
    std::int64_t memory_mib;  ///< 0 where no score depends on it
    boost::container::small_vector<GpuShare, 8> gpus;
    bool operator==(const State&) const = default;
  };
  struct StateHash {
    std::size_t operator()(const State& s) const;
  };
  struct KnownState {
    std::uint64_t tag = 0;
    NodeId node = 0;             ///< node that was seen in that state last
    std::uint64_t question = 0;  ///< the last one in which such a node was asked about,
    std::size_t place = 0;       ///< and its place among those asked about
  };
  struct Candidate {
    double value;
    std::uint64_t order;
    NodeId node;
  };

  Row& row_of(std::uint32_t job, const Request& request);
  Row& row_of_job(std::uint32_t job, const Request& request);
  void reset(Row& row) const;
  void forget();
  void look_at(const NodePool& pool, NodeId n);
  void ask(Row& row, std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting);
  /// Asks for the scores of nodes that changed, where scores depend on the node itself.
  void find_unknown(const Row& row, const NodePool& pool, const NodeSet& fitting) {
    fitting.for_each([&](NodeId n) {
      if (row.tags[static_cast<std::size_t>(n)] != tag_of(pool, n)) asked_.push_back(n);
    });
  }
  void find_unknown_states(Row& row, const NodePool& pool, const NodeSet& fitting);
  std::uint64_t tag_of(const NodePool& pool, NodeId n) const;
  std::uint64_t order_of(std::uint32_t job, NodeId n) const {
    if (rules_.ties == NodeTies::kRandom) return node_draws_.bits(job, static_cast<std::uint64_t>(n));
    return rank_[static_cast<std::size_t>(n)];
  }
  void select(const Row& row, std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting);
  void select_by_groups(std::size_t wanted);
  /// Neighbours in the order that are equally good, and what is left on them.
  struct Run {
    std::vector<Candidate> nodes;
    std::int64_t cores = 0;
  };
  std::vector<Run> runs_of(const std::vector<Candidate>& nodes, const NodePool& pool) const;
  void select_by_runs(const Request& request, const NodePool& pool);
  bool spread(const Row& row, std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
              Parts& out);
  bool spread_over(const std::vector<Candidate>& nodes, const Request& request, const NodePool& pool, Parts& out);
  bool spread_by_runs(const std::vector<Candidate>& nodes, const Request& request, const NodePool& pool,
                      Parts& out) const;
  std::uint64_t gpus_of(std::uint32_t job, const Request& request, const NodePool& pool, NodeId n) const;

  std::unique_ptr<NodeRanking> ranking_;
  PlacementRules rules_;
  RandomKey node_draws_, gpu_draws_;
  std::uint32_t reads_ = 0;            ///< of the ranking, when the rows were made
  std::vector<std::int32_t> kind_of_;  ///< by node
  std::vector<std::uint64_t> rank_;    ///< by node: its place in the order

  std::vector<std::uint64_t> stamps_;     ///< by node: when its state was looked up
  std::vector<KnownState*> state_;        ///< by node
  std::vector<std::uint64_t> state_tag_;  ///< by node: of that state
  std::unordered_map<State, KnownState, StateHash> states_;
  std::uint64_t last_tag_ = 0;

  std::unordered_multimap<std::uint64_t, std::size_t> row_by_hash_;
  std::vector<Request> row_requests_;  ///< what its jobs ask for, as far as scores depend on it
  std::vector<std::unique_ptr<Row>> rows_;
  std::unordered_map<std::uint64_t, Row> row_of_job_;  ///< where each job is a case of its own, for what it asks
  Row own_;                                            ///< where nothing is known for the next time

  std::uint64_t question_ = 0;                                // What follows is of the choose() that runs.
  const std::vector<std::uint64_t>* node_changes_ = nullptr;  ///< NodeRanking::node_changes()
  std::vector<NodeId> asked_;                                 ///< about them
  std::vector<NodeScore> answers_;                            ///< the same places
  std::vector<std::pair<NodeId, std::size_t>> alike_;         ///< a node in the state of that one of those asked about
  std::vector<Candidate> best_;
};

}  // namespace coslice
