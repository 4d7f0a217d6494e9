// Foreign jobs that are not stopped for jobs of the slice's class: the view of that class holds their nodes.
#pragma once

#include <algorithm>
#include <vector>

#include "sched/view.h"

namespace coslice {

class ForeignHolds {
 public:
  /// The view holds nodes for the job until `until`, in its own time.
  void add(View& view, const StartedJob& job, std::int32_t nodes, Time until) {
    view.hold_foreign(job, nodes, until);
    holds_.push_back({&job, &view, nodes, until});
  }
  /// The job stopped or ended. Nothing happens if no view holds nodes for it.
  void remove(const StartedJob& job) {
    const auto hold = std::find_if(holds_.begin(), holds_.end(), [&](const Hold& h) { return h.job == &job; });
    if (hold == holds_.end()) return;
    hold->view->release_foreign(job, hold->nodes, hold->until);
    holds_.erase(hold);
  }
  /// The slice is over.
  void clear() {
    while (!holds_.empty()) remove(*holds_.back().job);
  }
  std::size_t size() const { return holds_.size(); }

 private:
  struct Hold {
    const StartedJob* job;
    View* view;
    std::int32_t nodes;
    Time until;
  };
  std::vector<Hold> holds_;
};

}  // namespace coslice
