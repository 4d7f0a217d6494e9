#include "process/column_access.h"

#include <algorithm>

namespace coslice {

void ColumnAccess::forget(const NodeRanges& nodes, Ns from, Ns to) {
  const auto it = std::find_if(windows_.begin(), windows_.end(),
                               [&](const Window& w) { return w.from == from && w.to == to && w.nodes == nodes; });
  if (it != windows_.end()) windows_.erase(it);
}

void ColumnAccess::refuse(Ns from, Ns to, std::vector<bool>& refused) const {
  for (const auto& [n, until] : closed_)
    if (until > from) refuse(n, refused);
  for (const Window& w : windows_)
    if (w.from < to && from < w.to) for_each_node(w.nodes, [&](NodeId n) { refuse(n, refused); });
}

std::vector<Ns> ColumnAccess::openings(Ns now) const {
  std::vector<Ns> all;
  for (const auto& [n, until] : closed_) all.push_back(until);
  for (const Window& w : windows_) all.push_back(w.to);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  all.erase(all.begin(), std::upper_bound(all.begin(), all.end(), now));
  if (!all.empty() && all.back() == kUnknown) all.pop_back();
  return all;
}

}  // namespace coslice
