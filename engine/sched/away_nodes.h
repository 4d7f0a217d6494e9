// What stands in a view for nodes that are not there.
#pragma once

#include <map>

#include "sched/view.h"

namespace coslice {

class AwayNodes {
 public:
  /// The view outlives it.
  explicit AwayNodes(View& view) : view_(view) {}

  bool has(NodeId n) const { return down_.count(n) != 0; }
  bool empty() const { return down_.empty(); }
  /// As View::take_down(). Precondition: it has not the node.
  void take_down(NodeId n, Time until) { down_[n] = &view_.take_down(n, until); }
  /// The view believes that the node is back at `until`. Precondition: has(n).
  void believe(NodeId n, Time until) { view_.hold(*down_.at(n), 1, until); }
  /// As View::bring_back(). Precondition: has(n).
  void bring_back(NodeId n) {
    const auto it = down_.find(n);
    view_.bring_back(*it->second);
    down_.erase(it);
  }
  /// Calls f(node, when the view believes that it is back) for each, in order of their numbers.
  template <class F>
  void for_each(F&& f) const {
    for (const auto& [n, down] : down_) f(n, down->expected_end);
  }

 private:
  View& view_;
  std::map<NodeId, StartedJob*> down_;
};

}  // namespace coslice
