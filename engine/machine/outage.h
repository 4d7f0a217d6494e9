// Times in which nodes are down: failures, drained nodes, planned maintenance. Where they come from is a list, or
// they are drawn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/random.h"
#include "core/time.h"
#include "machine/node_set.h"

namespace coslice {

// How long something lasts that is drawn at random: the time between failures of a node, the time of a repair.

struct Lifetime {
  enum class Shape : std::uint8_t {
    kExponential,  ///< without memory: one parameter
    kWeibull,      ///< `spread` is its shape k: below 1 failures come in clusters, above 1 things wear out
    kLognormal,    ///< `spread` is the sigma of its logarithm; usual for repairs (Schroeder & Gibson 2006)
  };
  Shape shape = Shape::kExponential;
  double mean = 0;  ///< s, above 0
  double spread = 1;

  /// Draws a time of at least 1 ns.
  Duration draw(RandomStream& random) const;
};

enum class OutageKind : std::uint8_t {
  kFailure,      ///< without warning: jobs on the nodes are interrupted
  kDrain,        ///< jobs on the nodes run to their ends, no other one starts there
  kMaintenance,  ///< known in advance: no job is started there that would not have ended before
};
/// Names of the kinds of outages in scenarios and tables, by number.
inline constexpr const char* kOutageNames[] = {"failure", "drain", "maintenance"};

struct Outage {
  Time from, to;  ///< from < to
  NodeRanges nodes;
  OutageKind kind = OutageKind::kFailure;
};

/// Failures that are drawn, node by node.
struct FailureModel {
  NodeRanges nodes;
  Lifetime between;  ///< from the end of a repair, or the beginning, to the next failure
  Lifetime repair;
  std::int32_t rack = 1;  ///< how many consecutive ones of `nodes` may fail together
  double rack_share = 0;  ///< of the failures: those that take the whole rack
};

struct OutagePlan {
  std::vector<Outage> listed;
  std::vector<FailureModel> drawn;
  std::uint64_t seed = 1;

  bool has(OutageKind kind) const {
    return std::ranges::any_of(listed, [kind](const Outage& o) { return o.kind == kind; });
  }
};

// Outages one after another, as they begin. Drawn ones have no last one.

class OutageFeed {
 public:
  /// Makes the outages of a run. `plan` outlives it. The machine is new at `start`: what is drawn begins there.
  OutageFeed(const OutagePlan& plan, Time start);

  /// Returns when the next one begins; kNever if there is none.
  Time next_time() const;
  /// Removes the outage of next_time() and returns it. At one instant listed ones come first, in their order; then
  /// drawn ones, by node. Precondition: there is one.
  Outage pop();

 private:
  /// The next failure of a node.
  struct Next {
    Time time;
    NodeId node;
    std::uint32_t model;
    bool operator>(const Next& o) const { return time != o.time ? time > o.time : node > o.node; }
  };
  void draw_next(Time from, NodeId node, std::uint32_t model);
  NodeRanges struck(NodeId node, std::uint32_t model);

  const OutagePlan& plan_;
  std::vector<std::size_t> order_;          ///< of the listed ones, by their beginning
  std::size_t listed_ = 0;                  ///< taken out so far
  std::vector<Next> next_;                  ///< heap, earliest first
  std::vector<std::vector<NodeId>> nodes_;  ///< by drawn model
  std::vector<RandomStream> random_;        ///< by node: what happens to one leaves the others' draws alone
};

}  // namespace coslice
