#include "schedule/unsorted_queue.h"

namespace coslice {
namespace {
constexpr double kNone = std::numeric_limits<double>::infinity();
}

double UnsortedQueue::smallest(const WaitingQueue& queue, std::size_t block) {
  const std::size_t from = block * kBlock, to = std::min(from + kBlock, queue.end());
  const double* const keys = queue.keys();
  const std::int32_t* const nodes = queue.needs();
  // Four at a time: the loop waits for no comparison but its own.
  double least[4] = {kNone, kNone, kNone, kNone};
  std::size_t p = from;
  for (; p + 4 <= to; p += 4) {
    for (std::size_t i = 0; i != 4; ++i) {
      const double key = nodes[p + i] == WaitingQueue::kTaken ? kNone : keys[p + i];
      least[i] = key < least[i] ? key : least[i];
    }
  }
  for (; p < to; ++p)
    if (queue.live(p)) least[0] = std::min(least[0], keys[p]);
  return std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
}

bool UnsortedQueue::begin(View& view, const BlockKeys& keys) {
  if (!keys.begin(view, smallest_, known_)) return false;
  WaitingQueue& queue = view.queue_as_it_is();
  source_ = &keys;
  rows_ = queue.end();
  shortest_.follow(queue);
  keys_ = queue.set_keys([this](double* all) { finish(all); });
  return true;
}

void UnsortedQueue::compute(const WaitingQueue& queue, std::size_t block) {
  source_->compute(block * kBlock, end_of(block), keys_);
  known_[block] = 1;
  smallest_[block] = smallest(queue, block);
}

UnsortedQueue::Position UnsortedQueue::first(const WaitingQueue& queue) {
  Position best = queue.end();
  if (queue.empty()) return best;
  const auto lowest = std::ranges::min_element(smallest_);
  const auto promising = static_cast<std::size_t>(lowest - smallest_.begin());
  if (known_[promising] == 0) compute(queue, promising);
  double least = smallest_[promising];
  for (std::size_t b = 0; b != smallest_.size(); ++b) {
    if (smallest_[b] > least) continue;
    if (known_[b] == 0) compute(queue, b);
    least = std::min(least, smallest_[b]);
  }
  for (std::size_t b = 0; b != smallest_.size(); ++b) {
    if (smallest_[b] != least) continue;
    for (Position p = b * kBlock, stop = end_of(b); p != stop; ++p)
      if (queue.live(p) && queue.key(p) == least && (best == queue.end() || queue.job(p) < queue.job(best))) best = p;
  }
  return best;
}

}  // namespace coslice
