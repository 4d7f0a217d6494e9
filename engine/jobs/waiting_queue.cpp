#include "jobs/waiting_queue.h"

#include <cassert>
#include <tuple>
#include <utility>

namespace coslice {

void WaitingQueue::insert(JobIndex job, std::int32_t nodes, Duration duration, double key) {
  Position p = end();
  const auto before = [&](Position q) {
    if (tiered() && tier(job_[q]) != tier(job)) return tier(job_[q]) > tier(job);
    return key_[q] < key || (key_[q] == key && job_[q] < job);
  };
  if (p != 0 && may_be_unsorted_ && (unsorted_ || !before(p - 1))) {
    unsorted_ = true;
  } else if (p != 0 && !before(p - 1)) {
    Position low = 0;
    while (low != p) {
      const Position middle = low + (p - low) / 2;
      if (before(middle)) low = middle + 1;
      else p = middle;
    }
    ++order_version_;
  }
  const auto at = static_cast<std::ptrdiff_t>(p);
  nodes_.insert(nodes_.begin() + at, nodes);
  job_.insert(job_.begin() + at, job);
  duration_.insert(duration_.begin() + at, duration);
  key_.insert(key_.begin() + at, key);
  reserved_.insert(reserved_.begin() + at, kNever);
  reservations_.insert(reservations_.begin() + at, Reservation{});
  if (p + 1 == end() && p % kBlock != 0) least_.back() = std::min(least_.back(), nodes);
  else find_least_from(p / kBlock);
  ++live_;
  if (p <= first_ || live_ == 1) first_ = p;
}

void WaitingQueue::take(Position p) {
  assert(live(p));
  nodes_[p] = kTaken;
  reserved_[p] = kNever;
  find_least(p / kBlock);
  --live_;
  if (p == first_) first_ = next(p);
}

Time WaitingQueue::find_due(Time now, std::vector<Position>& due) const {
  Time later = kNever;
  for (Position p = first_; p < end(); ++p) {
    if (reserved_[p] <= now) due.push_back(p);
    else later = std::min(later, reserved_[p]);
  }
  return later;
}

void WaitingQueue::resize(Position p, std::int32_t nodes, Duration duration) {
  assert(live(p));
  const std::int32_t before = std::exchange(nodes_[p], nodes);
  duration_[p] = duration;
  std::int32_t& least = least_[p / kBlock];
  if (nodes <= least) least = nodes;
  else if (before == least) find_least(p / kBlock);
  ++order_version_;
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

WaitingQueue::Position WaitingQueue::next_passing(Position p, Position stop, std::int32_t n,
                                                  const EasyHole& hole) const {
  while (p < stop) {
    const Position block_stop = std::min(block_end(p), stop);
    if (least_[p / kBlock] <= n)
      for (; p < block_stop; ++p)
        if (nodes_[p] <= n && hole.takes(duration_[p], nodes_[p])) return p;
    p = block_stop;
  }
  return stop;
}

void WaitingQueue::find_least(std::size_t block) {
  const std::int32_t* nodes = nodes_.data() + block * kBlock;
  const std::size_t count = std::min(kBlock, nodes_.size() - block * kBlock);
  std::int32_t least = kTaken;
  // A loop of fixed length is one that the compiler makes vector code of.
  if (count == kBlock)
    for (std::size_t i = 0; i != kBlock; ++i) least = std::min(least, nodes[i]);
  else
    for (std::size_t i = 0; i != count; ++i) least = std::min(least, nodes[i]);
  least_[block] = least;
}

void WaitingQueue::drop_tombstones() {
  if (live_ == end()) return;
  finish_keys();
  Position to = 0;
  for (Position p = first_; p < end(); ++p) {
    if (!live(p)) continue;
    each_array([&](auto& array) { array[to] = array[p]; });
    ++to;
  }
  each_array([&](auto& array) { array.resize(to); });
  first_ = 0;
  find_least_from(0);
  ++order_version_;
}

void WaitingQueue::sort_by_key() {
  const auto higher = [this](const Rank& a, const Rank& b) { return tier(a.job) > tier(b.job); };
  ranks_.clear();
  bool sorted = true;
  for (Position p = 0; p != end(); ++p) {
    ranks_.push_back({key_[p], job_[p], static_cast<std::uint32_t>(p)});
    sorted = sorted && (p == 0 || (ranks_[p - 1] < ranks_[p] && !higher(ranks_[p], ranks_[p - 1])));
  }
  if (sorted) return;
  sort_ranks();
  if (tiered()) std::ranges::stable_sort(ranks_, higher);
  apply_ranks();
  ++order_version_;
}

// From pass to pass most entries keep their order. Those that stand out of it are taken out, sorted and merged back
// (drop- merge sort, Emanuelsson 2016): a time that grows with n, and n log n only of those.
void WaitingQueue::sort_ranks() {
  std::size_t kept = 0;
  dropped_.clear();
  for (const Rank& r : ranks_) {
    if (kept == 0 || !(r < ranks_[kept - 1])) {
      ranks_[kept++] = r;
    } else if (kept >= 2 && !(r < ranks_[kept - 2])) {  // the one before stands out, not this one
      dropped_.push_back(ranks_[kept - 1]);
      ranks_[kept - 1] = r;
    } else {
      dropped_.push_back(r);
    }
  }
  std::copy(dropped_.begin(), dropped_.end(), ranks_.begin() + static_cast<std::ptrdiff_t>(kept));
  if (dropped_.size() > ranks_.size() / 4) {
    std::sort(ranks_.begin(), ranks_.end());
    return;
  }
  std::sort(dropped_.begin(), dropped_.end());
  // Merged from the back, so that nothing is overwritten before it is read.
  for (std::size_t to = ranks_.size(), d = dropped_.size(); d != 0;)
    ranks_[--to] = kept != 0 && dropped_[d - 1] < ranks_[kept - 1] ? ranks_[--kept] : dropped_[--d];
}

// Each cycle of the permutation in place: keys that change with time sort the queue at many passes.
void WaitingQueue::apply_ranks() {
  for (Position first = 0; first != end(); ++first) {
    if (ranks_[first].from == first) continue;
    const std::tuple lifted{nodes_[first], duration_[first], reserved_[first], reservations_[first]};
    Position to = first;
    for (Position from = ranks_[to].from; from != first; from = ranks_[to].from) {
      nodes_[to] = nodes_[from];
      duration_[to] = duration_[from];
      reserved_[to] = reserved_[from];
      reservations_[to] = reservations_[from];
      ranks_[to].from = static_cast<std::uint32_t>(to);
      to = from;
    }
    std::tie(nodes_[to], duration_[to], reserved_[to], reservations_[to]) = lifted;
    ranks_[to].from = static_cast<std::uint32_t>(to);
  }
  for (Position p = 0; p != end(); ++p) {
    key_[p] = ranks_[p].key;
    job_[p] = ranks_[p].job;
  }
  find_least_from(0);
}

}  // namespace coslice
