// Where a job goes: which of the nodes on which it fits it gets.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/core_spread.h"
#include "machine/node_pool.h"
#include "machine/node_set.h"
#include "machine/request.h"

namespace coslice {

// A policy's opinion of nodes for jobs: what a placement by rank asks (ranked_placement.h).

/// What a ranking says of a node for a job.
struct NodeScore {
  double value = 0;        ///< highest first
  std::uint64_t gpus = 0;  ///< the GPUs that the job is to get there (a bit for each); 0: by the placement's own rule
  bool admitted = true;    ///< false: the job is to have no part of this node
};

/// What the scores of a ranking depend on, besides a node's kind and what is left of its cores and GPUs, and the cores
/// and GPUs of the request: a set of bits. Scores are asked for again only where something of that is another.
enum ScoreReads : std::uint32_t {
  kReadsNothingElse = 0,
  kReadsMemory = 1,    ///< what is left of the node's memory
  kReadsNode = 2,      ///< which node it is, and what runs there
  kReadsRequest = 4,   ///< all of the request
  kReadsJob = 8,       ///< which job it is
  kReadsAnything = 16  ///< what may be another at each question: the time, the queue, random numbers
};

class NodeRanking {
 public:
  virtual ~NodeRanking() = default;
  /// Scores these nodes for the job: out[i] is the score of the i-th of them. The job fits on each.
  virtual void score(std::uint32_t job, const Request& request, const NodePool& pool, const std::vector<NodeId>& nodes,
                     std::vector<NodeScore>& out) = 0;
  /// Returns what its scores depend on, as far as is known: it may grow with a question.
  virtual std::uint32_t reads() const = 0;
  /// Returns whether the scorer may refuse a job every part of a node on which it fits.
  virtual bool may_decline() const { return true; }
  /// Returns, by node, a number that changes with what runs there, where that may change while what is left of the node
  /// does not; null: it does not.
  virtual const std::vector<std::uint64_t>* node_changes() const { return nullptr; }
  /// Returns a number that changes whenever one of node_changes() does.
  virtual std::uint64_t changes() const { return 0; }
};

class Placement {
 public:
  virtual ~Placement() = default;
  /// Chooses request.nodes different nodes of `fitting` for the job (by JobIndex), and the GPUs on each that it gets;
  /// or as many as have the cores that are spread, and how many it has of each.
  /// On each node of `fitting` it fits by what is left in `pool`, and they are enough; they are those of one partition:
  /// partitions are tried in the job's order of preference. `pool` is what is left for as long as the job runs, which
  /// may be less than what is left now. False: the job is to have none of them; it waits.
  virtual bool choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
                      Parts& out) = 0;
  /// Returns whether choose() may return false, or leave out nodes on which the job fits. A placement that never does
  /// only ranks nodes: it says where jobs go, not when.
  virtual bool may_decline() const { return true; }
  /// Returns whether choose() returns false by what the pool has left alone: so it would, too, with jobs gone.
  virtual bool declines_by_room() const { return false; }
  /// Returns a number that changes with what its choices depend on beside the pool: while it is the same, so are they.
  virtual std::uint64_t changes() const { return 0; }
};

/// The nodes with the lowest numbers, and their GPUs as fitting_gpus() says.
class FirstFit : public Placement {
 public:
  bool choose(std::uint32_t, const Request& r, const NodePool& pool, const NodeSet& fitting, Parts& out) override {
    out.clear();
    if (r.spread.cores != 0) {
      std::vector<NodeId> nodes;
      fitting.for_each([&](NodeId n) { nodes.push_back(n); });
      return spread_in_order(r, pool, std::move(nodes), out);
    }
    for_each_node(fitting.lowest(r.nodes), [&](NodeId n) { out.push_back({n, fitting_gpus(r, pool.room(n))}); });
    return true;
  }
  bool may_decline() const override { return false; }
};

}  // namespace coslice
