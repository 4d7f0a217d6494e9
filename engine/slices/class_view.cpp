#include "slices/class_view.h"

#include <algorithm>

namespace coslice {

std::vector<ClassDemand> demand_of(const ClassViews& classes) {
  std::vector<ClassDemand> all;
  for (const ClassView& c : classes) {
    ClassDemand& d = all.emplace_back();
    const WaitingQueue& queue = c.view.queue();
    for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) {
      ++d.waiting;
      d.waiting_nodes += queue.nodes(p);
      d.waiting_work += queue.nodes(p) * to_seconds(queue.duration(p));
    }
    for (const StartedJob& job : c.view.started()) {
      ++d.started;
      d.started_nodes += job.node_count;
      d.started_work += job.node_count * to_seconds(std::max(job.expected_end - c.view.now(), Duration{0}));
    }
  }
  return all;
}

}  // namespace coslice
