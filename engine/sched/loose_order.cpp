#include "sched/loose_order.h"

#include <algorithm>
#include <limits>

namespace coslice {

namespace {
constexpr double kNoProcess = std::numeric_limits<double>::infinity();
}

double LooseOrder::smallest(const WaitingQueue& queue, std::size_t block) const {
  const std::size_t from = block * kBlock, to = std::min(from + kBlock, queue.end());
  const double* const keys = queue.keys();
  const std::int32_t* const nodes = queue.needs();
  // Four at a time: the loop waits for no comparison but its own.
  double least[4] = {kNoProcess, kNoProcess, kNoProcess, kNoProcess};
  std::size_t p = from;
  for (; p + 4 <= to; p += 4) {
    for (std::size_t i = 0; i != 4; ++i) {
      const double key = nodes[p + i] == WaitingQueue::kTaken ? kNoProcess : keys[p + i];
      least[i] = key < least[i] ? key : least[i];
    }
  }
  for (; p < to; ++p)
    if (queue.live(p)) least[0] = std::min(least[0], keys[p]);
  return std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
}

void LooseOrder::look_at(const WaitingQueue& queue) {
  smallest_.resize((queue.end() + kBlock - 1) / kBlock);
  for (std::size_t b = 0; b != smallest_.size(); ++b) smallest_[b] = smallest(queue, b);
}

WaitingQueue::Position LooseOrder::first(const WaitingQueue& queue) const {
  WaitingQueue::Position best = queue.end();
  if (queue.empty()) return best;
  const double least = *std::min_element(smallest_.begin(), smallest_.end());
  for (std::size_t b = 0; b != smallest_.size(); ++b) {
    if (smallest_[b] != least) continue;
    const std::size_t to = std::min((b + 1) * kBlock, queue.end());
    for (WaitingQueue::Position p = b * kBlock; p != to; ++p) {
      if (queue.key(p) != least || !queue.live(p)) continue;
      if (best == queue.end() || queue.job(p) < queue.job(best)) best = p;
    }
  }
  return best;
}

void LooseOrder::taken(const WaitingQueue& queue, WaitingQueue::Position p) {
  smallest_[p / kBlock] = smallest(queue, p / kBlock);
}

}  // namespace coslice
