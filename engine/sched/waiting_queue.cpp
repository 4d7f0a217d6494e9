#include "sched/waiting_queue.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace coslice {

void WaitingQueue::insert(JobIndex job, std::int32_t nodes, Duration duration, double key) {
  Position p = end();
  const auto before = [&](Position q) { return key_[q] < key || (key_[q] == key && job_[q] < job); };
  if (p != 0 && !before(p - 1)) {
    Position low = 0;
    while (low != p) {
      const Position middle = low + (p - low) / 2;
      if (before(middle)) low = middle + 1; else p = middle;
    }
    ++order_version_;
  }
  const auto at = static_cast<std::ptrdiff_t>(p);
  nodes_.insert(nodes_.begin() + at, nodes);
  job_.insert(job_.begin() + at, job);
  duration_.insert(duration_.begin() + at, duration);
  key_.insert(key_.begin() + at, key);
  reserved_.insert(reserved_.begin() + at, kNever);
  reservation_order_.insert(reservation_order_.begin() + at, 0);
  if (p + 1 == end() && p % kBlock != 0) least_.back() = std::min(least_.back(), nodes);
  else find_least_from(p / kBlock);
  ++live_;
  if (p <= first_ || live_ == 1) first_ = p;
}

void WaitingQueue::take(Position p) {
  assert(live(p));
  nodes_[p] = kTaken;
  find_least(p / kBlock);
  --live_;
  if (p == first_) first_ = next(p);
}

WaitingQueue::Position WaitingQueue::next(Position p) const {
  do ++p;
  while (p < end() && !live(p));
  return p;
}

WaitingQueue::Position WaitingQueue::next_fitting(Position p, std::int32_t n) const {
  const Position stop = end();
  const Position next_block = std::min((p + kBlock - 1) / kBlock * kBlock, stop);
  while (p < next_block && nodes_[p] > n) ++p;
  if (p < next_block || p == stop) return p;
  std::size_t block = p / kBlock;
  while (block != least_.size() && least_[block] > n) ++block;
  p = block * kBlock;
  while (p < stop && nodes_[p] > n) ++p;
  return std::min(p, stop);
}

void WaitingQueue::find_least(std::size_t block) {
  const std::int32_t* nodes = nodes_.data() + block * kBlock;
  const std::size_t count = std::min(kBlock, nodes_.size() - block * kBlock);
  std::int32_t least = kTaken;
  // A loop of fixed length is one that the compiler makes vector code of.
  if (count == kBlock) for (std::size_t i = 0; i != kBlock; ++i) least = std::min(least, nodes[i]);
  else for (std::size_t i = 0; i != count; ++i) least = std::min(least, nodes[i]);
  least_[block] = least;
}

/// After entries have moved: everything from that block on.
void WaitingQueue::find_least_from(std::size_t block) {
  least_.resize((nodes_.size() + kBlock - 1) / kBlock);
  for (; block < least_.size(); ++block) find_least(block);
}

WaitingQueue::Position WaitingQueue::find(JobIndex job) const {
  for (Position p = first_; p < end(); ++p)
    if (job_[p] == job && live(p)) return p;
  return end();
}

void WaitingQueue::compact() {
  const std::size_t tombstones = end() - live_;
  if (tombstones > 64 && tombstones > live_ / 2) drop_tombstones();
}

void WaitingQueue::drop_tombstones() {
  if (live_ == end()) return;
  Position to = 0;
  for (Position p = first_; p < end(); ++p) {
    if (!live(p)) continue;
    nodes_[to] = nodes_[p];
    job_[to] = job_[p];
    duration_[to] = duration_[p];
    key_[to] = key_[p];
    reserved_[to] = reserved_[p];
    reservation_order_[to] = reservation_order_[p];
    ++to;
  }
  nodes_.resize(to);
  job_.resize(to);
  duration_.resize(to);
  key_.resize(to);
  reserved_.resize(to);
  reservation_order_.resize(to);
  first_ = 0;
  find_least_from(0);
  ++order_version_;
}

void WaitingQueue::sort_by_key() {
  std::vector<std::uint32_t> order(end());
  std::iota(order.begin(), order.end(), 0U);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return key_[a] < key_[b] || (key_[a] == key_[b] && job_[a] < job_[b]);
  };
  if (std::is_sorted(order.begin(), order.end(), before)) return;
  std::sort(order.begin(), order.end(), before);
  apply_order(order);
  ++order_version_;
}

namespace {
template <class T>
void permute(std::vector<T>& values, const std::vector<std::uint32_t>& order) {
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const std::uint32_t i : order) sorted.push_back(values[i]);
  values.swap(sorted);
}
}  // namespace

void WaitingQueue::apply_order(const std::vector<std::uint32_t>& order) {
  permute(nodes_, order);
  permute(job_, order);
  permute(duration_, order);
  permute(key_, order);
  permute(reserved_, order);
  permute(reservation_order_, order);
  find_least_from(0);
}

}  // namespace coslice
