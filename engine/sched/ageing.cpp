#include "sched/ageing.h"

#include <algorithm>

namespace coslice {

void Ageing::apply(View& view, Duration step, double least) {
  const WaitingQueue& queue = view.queue();
  const auto key = [&](JobIndex j) {
    const double aged = came_with_[j] - static_cast<double>((view.wall_now() - came_[j]) / step);
    return std::max(aged, std::min(came_with_[j], least));
  };
  bool changed = false;
  for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) {
    const JobIndex j = queue.job(p);
    if (j >= came_.size()) {
      came_.resize(j + 1, kNever);
      came_with_.resize(j + 1);
    }
    if (came_[j] == kNever) {
      came_[j] = view.wall_now();
      came_with_[j] = queue.key(p);
    }
    changed = changed || key(j) != queue.key(p);
  }
  if (changed) view.resort(key);
}

}  // namespace coslice
