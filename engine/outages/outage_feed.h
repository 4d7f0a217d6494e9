// Outages one after another, as they begin. Drawn ones have no last one.
#pragma once

#include <vector>

#include "core/random.h"
#include "outages/outage.h"

namespace coslice {

class OutageFeed {
 public:
  /// `plan` outlives it. The machine is new at `start`: what is drawn begins there.
  OutageFeed(const OutagePlan& plan, Time start);

  /// When the next one begins; kNever if there is none.
  Time next_time() const;
  /// Takes it out. At one instant listed ones come first, in their order; then drawn ones, by node. Precondition: there is
  /// one.
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
  std::vector<std::size_t> order_;  ///< of the listed ones, by their beginning
  std::size_t listed_ = 0;          ///< taken out so far
  std::vector<Next> next_;          ///< heap, earliest first
  std::vector<std::vector<NodeId>> nodes_;  ///< by drawn model
  std::vector<RandomStream> random_;  ///< by node: what happens to one leaves the others' draws alone
};

}  // namespace coslice
