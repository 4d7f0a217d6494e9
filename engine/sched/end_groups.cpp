#include "sched/end_groups.h"

#include <algorithm>

namespace coslice {

Time EndGroups::gone(Time t, const NodeSet* nodes) {
  if (grouping_.first <= Duration{0} || t == kNever) return t;
  if (!known_) {
    ends_.clear();
    for (const StartedJob& job : view_.started()) ends_.emplace_back(job.expected_end, &job.nodes);
    std::stable_sort(ends_.begin(), ends_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    known_ = true;
  }
  const auto counts = [nodes](const NodeRanges& of) { return nodes == nullptr || nodes->intersects(of); };
  Duration span = grouping_.first;
  for (auto at = ends_.begin(); at != ends_.end() && at->first <= t;) {
    if (!counts(*at->second)) {
      ++at;
      continue;
    }
    const Time until = later(at->first, span);
    Time last = at->first;
    bool has_t = last == t;
    while (++at != ends_.end() && at->first <= until) {
      // Of a job elsewhere it is not asked whether the one behind it belongs to the group, too.
      while (at != ends_.end() && !counts(*at->second)) ++at;
      if (at == ends_.end()) break;
      last = at->first;
      has_t = has_t || last == t;
    }
    if (has_t) return last;
    span = later(Time{span}, grouping_.step > Duration{0} ? grouping_.step : span).time_since_epoch();
  }
  return t;
}

}  // namespace coslice
