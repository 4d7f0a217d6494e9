// How a profile changes. At most two blocks are touched inside, those at the ends of the interval; a block that grows
// full is halved, small neighbours are fused.
#include <algorithm>
#include <cassert>
#include <limits>

#include "cluster/profile.h"
#include "cluster/step_search.h"

namespace coslice {

Profile::Profile(std::int32_t capacity, Time start) : capacity_(capacity), blocks_(1), store_(1) {
  blocks_[0].size = 1;
  blocks_[0].first = start;
  store_[0].times[0] = start;
  store_[0].free[0] = capacity;
  set_bounds(0);
}

void Profile::advance(Time now) {
  if (now <= start()) return;
  for (std::size_t gone = block_at(now); gone > 0; --gone) {
    drop_steps(0, 0, blocks_[0].size);
    fuse(0);
  }
  drop_steps(0, 0, last_step_from(0, 0, now));
  store(0).times[0] = blocks_[0].first = now;
}

void Profile::reserve(Time from, Time to, std::int32_t n) {
  add(from, to, -n);
  assert(to <= std::max(from, start()) || min_free(std::max(from, start()), to) >= 0);
}

void Profile::move_up(Time from, Time to, Duration d, std::int32_t n) {
  const Time end = later(from, d), new_end = later(to, d);
  add(to, std::min(from, new_end), -n);
  add(std::max(from, new_end), end, n);
}

/// Adds n to the counts of steps [from, to) of block b. The largest count is looked for only together with the smallest,
/// which a gain of nodes may make larger.
[[gnu::always_inline]] inline void Profile::change(std::size_t b, std::int32_t from, std::int32_t to, std::int32_t n) {
  if (from == to) return;
  std::int32_t* free = store(b).free;
  if (b == 0) {
    for (std::int32_t k = from; k < to; ++k) free[k] += n;
    return;
  }
  std::int32_t low = std::numeric_limits<std::int32_t>::max(), high = std::numeric_limits<std::int32_t>::min();
  for (std::int32_t k = from; k < to; ++k) {
    free[k] += n;
    low = std::min(low, free[k]);
    high = std::max(high, free[k]);
  }
  Block& block = blocks_[b];
  if (low - n == block.low && n > 0) return set_bounds(b);
  block.low = std::min(block.low, low);
  block.high = std::max(block.high, high);
}

void Profile::add(Time from, Time to, std::int32_t n) {
  from = std::max(from, start());
  if (from >= to || n == 0) return;
  gains_ += n > 0;
  const std::size_t a = block_with_room(from);
  const bool known = last_.block == a && last_.step < blocks_[a].size && store(a).times[last_.step] == from;
  const bool near = a + 1 == blocks_.size() || to < blocks_[a + 1].first;
  const std::size_t b = near ? a : block_with_room(to);  // a has room for two
  const std::int32_t i = known ? last_.step : begin_step(a, from);
  const std::int32_t j = near ? begin_step(a, to, last_step_from(a, i, to)) : begin_step(b, to);
  if (a == b) {
    change(a, i, j, n);
  } else {
    change(a, i, blocks_[a].size, n);
    for (std::size_t k = a + 1; k < b; ++k) blocks_[k].add += n;
    change(b, 0, j, n);
  }
  assert(min_free(from, to) <= capacity_);
  if (n > 0 && !runs_.empty()) gained({a, i}, {b, j}, n);
  drop_if_equal(b, j);
  drop_if_equal(a, i);
  if (a != b) tidy(b);
  tidy(a);
}

/// The block that covers t, with room for two more steps.
std::size_t Profile::block_with_room(Time t) {
  const std::size_t b = block_at(t);
  if (blocks_[b].size <= kBlockSteps - 2) return b;
  halve(b);
  return t < blocks_[b + 1].first ? b : b + 1;
}

/// The step of block b that covers t.
std::int32_t Profile::last_step(std::size_t b, Time t) const {
  return last_not_after(store(b).times, blocks_[b].size, t);
}

/// The same, where step i is not after it and probably near.
std::int32_t Profile::last_step_from(std::size_t b, std::int32_t i, Time t) const {
  const Time* times = store(b).times;
  const std::int32_t size = blocks_[b].size;
  for (const std::int32_t near = std::min(i + 4, size - 1); i < near; ++i)
    if (times[i + 1] > t) return i;
  return i + last_not_after(times + i, size - i, t);
}

/// Makes t, which step `in` of block b covers, the beginning of a step, and returns that.
std::int32_t Profile::begin_step(std::size_t b, Time t, std::int32_t in) {
  Store& s = store(b);
  const std::int32_t size = blocks_[b].size;
  const std::int32_t at = in + 1;
  if (s.times[at - 1] == t) return at - 1;
  std::copy_backward(s.times + at, s.times + size, s.times + size + 1);
  std::copy_backward(s.free + at, s.free + size, s.free + size + 1);
  s.times[at] = t;
  s.free[at] = s.free[at - 1];
  ++blocks_[b].size;
  ++steps_;
  return at;
}

/// May leave the block empty.
void Profile::drop_steps(std::size_t b, std::int32_t from, std::int32_t to) {
  if (from == to) return;
  Store& s = store(b);
  std::copy(s.times + to, s.times + blocks_[b].size, s.times + from);
  std::copy(s.free + to, s.free + blocks_[b].size, s.free + from);
  blocks_[b].size -= to - from;
  blocks_[b].first = s.times[0];
  steps_ -= static_cast<std::size_t>(to - from);
}

/// Drops a step that says the same as the one before it.
void Profile::drop_if_equal(std::size_t b, std::int32_t i) {
  if (i == 0 && b == 0) return;
  const std::int32_t before = i > 0 ? count(b, i - 1) : count(b - 1, blocks_[b - 1].size - 1);
  if (count(b, i) != before) return;
  drop_steps(b, i, i + 1);
  if (i == 0) set_bounds(b);  // else the same count still stands before it
}

/// The first block gets bounds that exclude nothing: it shrinks with each advance and is searched anyway.
void Profile::set_bounds(std::size_t b) {
  Block& block = blocks_[b];
  block.low = std::numeric_limits<std::int32_t>::min();
  block.high = std::numeric_limits<std::int32_t>::max();
  if (b == 0 || block.size == 0) return;
  const std::int32_t* free = store(b).free;
  std::int32_t low = free[0], high = free[0];
  for (std::int32_t i = 1; i < block.size; ++i) {
    low = std::min(low, free[i]);
    high = std::max(high, free[i]);
  }
  block.low = low;
  block.high = high;
}

/// Moves the upper half of block b into a new one after it.
void Profile::halve(std::size_t b) {
  const std::int32_t kept = blocks_[b].size / 2;
  store_.emplace_back();
  if (!runs_.empty()) runs_.push_back(runs_[blocks_[b].slot]);
  const Store& from = store(b);
  Store& to = store_.back();
  std::copy(from.times + kept, from.times + blocks_[b].size, to.times);
  std::copy(from.free + kept, from.free + blocks_[b].size, to.free);
  Block upper;
  upper.first = to.times[0];
  upper.slot = static_cast<std::uint32_t>(store_.size() - 1);
  upper.size = blocks_[b].size - kept;
  upper.add = blocks_[b].add;
  blocks_[b].size = kept;
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(b) + 1, upper);
  set_bounds(b);
  set_bounds(b + 1);
}

/// Takes the steps of block b + 1 into block b. Precondition: they have room there.
void Profile::fuse(std::size_t b) {
  Block& into = blocks_[b];
  const Block gone = blocks_[b + 1];
  const Store& from = store_[gone.slot];
  Store& to = store_[into.slot];
  std::copy(from.times, from.times + gone.size, to.times + into.size);
  for (std::int32_t i = 0; i < gone.size; ++i) to.free[into.size + i] = from.free[i] + gone.add - into.add;
  if (!runs_.empty()) runs_[into.slot].join(runs_[gone.slot]);
  into.size += gone.size;
  into.first = to.times[0];
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(b) + 1);
  set_bounds(b);
  // The last store moves into the slot that became free.
  const auto last = static_cast<std::uint32_t>(store_.size() - 1);
  if (gone.slot != last) {
    store_[gone.slot] = store_[last];
    if (!runs_.empty()) runs_[gone.slot] = runs_[last];
    std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& k) { return k.slot == last; })->slot = gone.slot;
  }
  store_.pop_back();
  if (!runs_.empty()) runs_.pop_back();
}

/// Fuses a block that has become small or empty with a neighbour.
void Profile::tidy(std::size_t b) {
  if (blocks_[b].size >= kBlockSteps / 4 || blocks_.size() == 1) return;
  const std::size_t left = b + 1 < blocks_.size() ? b : b - 1;
  const bool fits = blocks_[left].size + blocks_[left + 1].size <= kBlockSteps * 3 / 4;
  if (fits || blocks_[b].size == 0) fuse(left);
}

}  // namespace coslice
