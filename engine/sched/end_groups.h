// When a plan looks whether running jobs have gone. Slurm's select plugin asks when a job can start by taking running jobs
// away in the order of their ends, those that end close to one another together; it looks only when the last of such a group
// is gone. The groups span longer each, so that plans are coarser far ahead than near.
#pragma once

#include <utility>
#include <vector>

#include "sched/view.h"

namespace coslice {

struct EndGrouping {
  Duration first{0};  ///< jobs that end within so long of the first one go together; 0: each by itself
  Duration step{0};   ///< so much longer is each further group; 0: twice as long as the one before
};

class EndGroups {
 public:
  /// The view outlives it, and what runs there does not end.
  EndGroups(const View& view, const EndGrouping& grouping) : view_(view), grouping_(grouping) {}

  /// Jobs have started since.
  void refresh() { known_ = false; }
  /// When the group is gone with which the jobs on these nodes go that end at t; t where none of them does. Null: any nodes.
  Time gone(Time t, const NodeSet* nodes);

 private:
  const View& view_;
  const EndGrouping& grouping_;
  bool known_ = false;
  std::vector<std::pair<Time, const NodeRanges*>> ends_;  ///< of what runs, ascending
};

}  // namespace coslice
