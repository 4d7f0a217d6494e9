#include "availability/profile.h"

#include <cassert>
#include <limits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace coslice {
namespace {

/// The last of n sorted instants that is not after t (0 if all are). Branches here would be mispredicted half the time;
/// comparisons that do not wait for one another are quicker than fewer of them that do.
std::int32_t last_not_after(const Time* times, std::int32_t n, Time t) {
  const Time* base = times;
  while (n > 4) {
    const std::int32_t quarter = n / 4;
    const std::int32_t passed = (base[quarter] <= t) + (base[2 * quarter] <= t) + (base[3 * quarter] <= t);
    base += passed * quarter;
    n = passed == 3 ? n - 3 * quarter : quarter;
  }
  while (n > 1) {
    const std::int32_t half = n / 2;
    base += base[half] <= t ? half : 0;
    n -= half;
  }
  return static_cast<std::int32_t>(base - times);
}

/// Bit i of the result tells whether counts[i] >= n. Reads counts[0 .. 63]. Precondition: n > INT32_MIN.
[[gnu::always_inline]] inline std::uint64_t fit_mask(const std::int32_t* counts, std::int32_t n) {
  std::uint64_t mask = 0;
#if defined(__SSE2__)
  // Sixteen comparisons, packed from 32 to 8 bits each, give 16 bits of the mask. Every x86-64 processor has this.
  const __m128i limit = _mm_set1_epi32(n - 1);
  const auto compare = [&](int i) {
    return _mm_cmpgt_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(counts + i)), limit);
  };
  for (int i = 0; i < 64; i += 16) {
    const __m128i low = _mm_packs_epi32(compare(i), compare(i + 4));
    const __m128i high = _mm_packs_epi32(compare(i + 8), compare(i + 12));
    mask |= static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high))) << i;
  }
#else
  for (int i = 0; i < 64; ++i) mask |= static_cast<std::uint64_t>(counts[i] >= n) << i;
#endif
  return mask;
}

/// The first bit at or after `at` that is not set; 64 if all are.
[[gnu::always_inline]] inline int run_end(std::uint64_t bits, int at) {
  const std::uint64_t clear = ~bits >> at << at;
  return clear == 0 ? 64 : __builtin_ctzll(clear);
}

std::int32_t least(const std::int32_t* counts, std::int32_t from, std::int32_t to) {
  std::int32_t m = counts[from];
  for (std::int32_t i = from + 1; i < to; ++i) m = std::min(m, counts[i]);
  return m;
}

/// A walk along the steps that looks for a hole: it stands either before a hole (`found` is kNever, the hole must begin
/// before `limit`) or in one that begins at `found` and is long enough once it reaches `limit`.
template <bool kMeasures>
struct HoleSearch {
  Duration length;
  Time after, before;
  Time found = kNever, limit = before;
  Duration longest{0};  ///< of the runs that were too short, if it measures them

  bool inside() const { return found != kNever; }
  void enter(Time t) { go_on_since(std::max(after, t)); }
  /// In a run that began there; before `after`, if it is known to be too short.
  void go_on_since(Time t) {
    found = t;
    limit = std::min(later(found, length), before);
  }
  /// The run ends at t.
  void leave(Time t) {
    if constexpr (kMeasures) longest = std::max(longest, t - found);
    found = kNever;
    limit = before;
  }
};

/// Walks along steps [from, to) where the counts must be n or more. Tells whether the search is over.
template <bool kMeasures>
bool walk(HoleSearch<kMeasures>& search, const Time* times, const std::int32_t* free, std::int32_t from,
          std::int32_t to, std::int32_t n) {
  for (std::int32_t base = from & ~63; base < to; base += 64) {
    if (times[base] >= search.limit) return true;
    const int end = std::min(to - base, 64);  // of the steps that are looked at
    std::uint64_t fits = fit_mask(free + base, n);
    if (base < from) fits = fits >> (from - base) << (from - base);
    int at = std::max(from - base, 0);
    if (search.inside()) {
      at = run_end(fits, at);
      if (at >= end) continue;
      if (times[base + at] >= search.limit) return true;
      search.leave(times[base + at]);
    }
    while (at < end && (fits = fits >> at << at) != 0) {
      at = __builtin_ctzll(fits);
      if (at >= end) break;
      if (times[base + at] >= search.limit) return true;
      search.enter(times[base + at]);
      at = run_end(fits, at);
      if (at >= end) break;
      if (times[base + at] >= search.limit) return true;
      search.leave(times[base + at]);
    }
  }
  return false;
}

}  // namespace

std::size_t Profile::block_at(Time t) const {
  if (blocks_.size() == 1) return 0;
  for (std::size_t b = last_.block, end = std::min(b + 2, blocks_.size()); b < end && blocks_[b].first <= t; ++b)
    if (b + 1 == blocks_.size() || t < blocks_[b + 1].first) return b;
  const Block* base = blocks_.data();
  for (std::size_t n = blocks_.size(); n > 1;) {
    const std::size_t half = n / 2;
    base += base[half].first <= t ? half : 0;
    n -= half;
  }
  return static_cast<std::size_t>(base - blocks_.data());
}

/// The step that covers t. Most questions are about the present, where the profile begins.
Profile::Position Profile::locate(Time t) const {
  if (t <= start()) return {0, 0};
  const std::size_t b = block_at(t);
  return {b, last_not_after(store(b).times, blocks_[b].size, t)};
}

std::int32_t Profile::free_at(Time t) const {
  const Position p = locate(t);
  return count(p.block, p.step);
}

std::int32_t Profile::min_free(Time from, Time to) const {
  const Position p = locate(from);
  const Position q = to > from ? locate(to - Duration{1}) : p;
  if (p.block == q.block) return least(store(p.block).free, p.step, q.step + 1) + blocks_[p.block].add;
  std::int32_t m = least(store(p.block).free, p.step, blocks_[p.block].size) + blocks_[p.block].add;
  for (std::size_t b = p.block + 1; b < q.block; ++b) m = std::min(m, blocks_[b].low + blocks_[b].add);
  return std::min(m, least(store(q.block).free, 0, q.step + 1) + blocks_[q.block].add);
}

Time Profile::free_since(std::int32_t n, Time until) const {
  if (until <= start()) return until;
  Position p = locate(until - Duration{1});
  Time since = until;
  last_ = p;
  for (;; --p.block, p.step = blocks_[p.block].size - 1) {
    const Store& s = store(p.block);
    const std::int32_t wanted = n - blocks_[p.block].add;
    for (; p.step >= 0; --p.step) {
      if (s.free[p.step] < wanted) return since;
      since = s.times[p.step];
      last_ = p;
    }
    if (p.block == 0) return since;
  }
}

Time Profile::earliest(std::int32_t n, Duration d, Time after) const { return earliest_before(n, d, after, kNever); }

/// As earliest_before, step by step.
[[gnu::always_inline]] inline Time Profile::earliest_hole(std::int32_t n, Duration d, Time after, Time before) const {
  HoleSearch<false> search{d, after, before};
  const Position p = locate(after);
  std::int32_t from = p.step;
  for (std::size_t b = p.block; b < blocks_.size() && blocks_[b].first < search.limit; ++b, from = 0) {
    const std::int32_t wanted = std::max(n, 0) - blocks_[b].add;
    if (blocks_[b].low >= wanted) {
      if (!search.inside()) search.enter(store(b).times[from]);
    } else if (blocks_[b].high < wanted) {
      if (search.inside()) search.leave(blocks_[b].first);
    } else if (walk(search, store(b).times, store(b).free, from, blocks_[b].size, wanted)) {
      break;
    }
  }
  return search.found;
}

Time Profile::earliest_before(std::int32_t n, Duration d, Time after, Time before) const {
  after = std::max(after, start());
  if (n > capacity_ || after >= before) return kNever;
  if (!bounds_runs() || n <= 0) return earliest_hole(n, d, after, before);  // the usual case, and inline
  // Bounds are on whole runs, and the one that reaches `before` need not be as long as others.
  const Time slide = before == kNever ? before : std::max(after, free_since(n, before));
  const Time found = after < slide ? earliest_in_bounds(n, d, after, slide) : kNever;
  return found == kNever && slide < before ? slide : found;
}

/// The same where runs are bounded: passes over blocks whose runs are too short.
Time Profile::earliest_in_bounds(std::int32_t n, Duration d, Time after, Time before) const {
  HoleSearch<true> search{d, after, before};
  const Position p = locate(after);
  // From here on all runs are too short, but for one that goes on; that which covers `after` may be longer than asked.
  std::size_t vain = kNoBlock;
  const auto settle = [&](std::size_t end) {
    for (; vain < end; ++vain) runs_[blocks_[vain].slot].lower_exactly(n, search.longest + Duration{1});
  };
  bool passed_over = false;
  std::int32_t from = p.step;
  for (std::size_t b = p.block; b < blocks_.size() && blocks_[b].first < search.limit; ++b, from = 0) {
    const std::int32_t wanted = std::max(n, 0) - blocks_[b].add;
    if (b != p.block && runs_[blocks_[b].slot].all_shorter(n, d)) {
      if (search.inside()) {
        search.leave(blocks_[b].first);
        search.longest = d - Duration{1};  // it goes on, but not for longer
      }
      settle(b);
      search.longest = Duration{0};
      vain = b + 1;
      passed_over = true;
      continue;
    }
    if (passed_over && this->before(b, 0) >= n) {
      const Position begin = run_begin({b, 0}, n);
      search.go_on_since(store(begin.block).times[begin.step]);
    }
    passed_over = false;
    if (blocks_[b].low >= wanted) {
      if (!search.inside()) search.enter(store(b).times[from]);
    } else if (blocks_[b].high < wanted) {
      if (search.inside()) search.leave(blocks_[b].first);
    } else if (walk(search, store(b).times, store(b).free, from, blocks_[b].size, wanted)) {
      break;
    }
    if (!search.inside()) {
      settle(b + 1);
      vain = b + 1;
      search.longest = Duration{0};
    } else if (search.found >= blocks_[b].first && search.found > after) {
      settle(b);
      vain = vain == kNoBlock ? b + 1 : b;
    }
  }
  return search.found;
}

// How a profile changes. At most two blocks are touched inside, those at the ends of the interval; a block that grows
// full is halved, small neighbours are fused.

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

/// Adds n to the counts of steps [from, to) of block b. The largest count is looked for only together with the
/// smallest, which a gain of nodes may make larger.
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
  if (count(b, i) != before(b, i)) return;
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
  const Block upper{to.times[0], static_cast<std::uint32_t>(store_.size() - 1), blocks_[b].size - kept, blocks_[b].add};
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
    std::ranges::find_if(blocks_, [&](const Block& k) { return k.slot == last; })->slot = gone.slot;
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

// Searches for holes by bounds on the runs of steps in each block, and how these bounds are kept: a run that grows
// raises them, a search in vain lowers them, and runs that are cut leave them as they are.

void Profile::bound_runs(bool wanted) {
  if (wanted == !runs_.empty()) return;
  runs_.clear();
  if (wanted) runs_.resize(store_.size());
}

/// Whether at least n nodes are free from the beginning of block b up to `until`.
bool Profile::fits_on(std::size_t b, std::int32_t n, Time until) const {
  for (; b != blocks_.size() && blocks_[b].first < until; ++b) {
    const std::int32_t wanted = n - blocks_[b].add;
    if (blocks_[b].low >= wanted) continue;
    const Store& s = store(b);
    for (std::int32_t i = 0; i != blocks_[b].size; ++i) {
      if (s.times[i] >= until) return true;
      if (s.free[i] < wanted) return false;
    }
  }
  return true;
}

/// The beginning of the first run in block b that has n nodes free for d; kNever if there is none.
Time Profile::scan(std::size_t b, std::int32_t n, Duration d) const {
  const Store& s = store(b);
  const std::int32_t wanted = n - blocks_[b].add, size = blocks_[b].size;
  bool inside = before(b, 0) >= n;
  Time begin = kNever;  // of a run from the block before: none of ours
  for (std::int32_t base = 0; base < size; base += 64) {
    const std::uint64_t fits = fit_mask(s.free + base, wanted);
    std::uint64_t left = size - base < 64 ? ~(~std::uint64_t{0} << (size - base)) : ~std::uint64_t{0};
    while (const std::uint64_t turns = (inside ? ~fits : fits) & left) {
      const int i = __builtin_ctzll(turns);
      const Time t = s.times[base + i];
      if (inside && begin != kNever && t - begin >= d) return begin;
      begin = t;
      inside = !inside;
      left = left >> i << i;
    }
  }
  return inside && begin != kNever && fits_on(b + 1, n, later(begin, d)) ? begin : kNever;
}

Time Profile::first_hole(std::int32_t n, Duration d, Time after, Time until) const {
  for (std::size_t b = after <= start() ? 0 : block_at(after); b != blocks_.size() && blocks_[b].first < until; ++b) {
    RunBounds& runs = runs_[blocks_[b].slot];
    if (runs.longest(n) < d || blocks_[b].high < n - blocks_[b].add) continue;
    const Time found = scan(b, n, d);
    if (found != kNever) return found < until ? found : kNever;
    runs.lower(n, d);
  }
  return kNever;
}

/// The steps [from, to) of block b have n nodes more than before, and so the runs that they are in are longer, where
/// they have more than `least` nodes. False: such a run goes beyond the block, nothing is done.
bool Profile::gained_inside(std::size_t b, std::int32_t from, std::int32_t to, std::int32_t least) {
  const Store& s = store(b);
  const std::int32_t size = blocks_[b].size;
  least -= blocks_[b].add;
  while (from > 0 && s.free[from - 1] > least) --from;
  while (to < size && s.free[to] > least) ++to;
  if (from == 0 && b > 0 && count(b - 1, blocks_[b - 1].size - 1) - blocks_[b].add > least) return false;
  if (to == size && (b + 1 == blocks_.size() || count(b + 1, 0) - blocks_[b].add > least)) return false;
  RunBounds& runs = runs_[blocks_[b].slot];
  std::int32_t nodes[kBlockSteps], begins[kBlockSteps];
  std::int32_t open = 0;
  for (std::int32_t i = from; i <= to; ++i) {
    const std::int32_t c = i < to ? s.free[i] : least;
    const Time t = i < size ? s.times[i] : blocks_[b + 1].first;
    std::int32_t begin = i;
    for (; open > 0 && nodes[open - 1] >= c; --open) {
      begin = begins[open - 1];
      if (nodes[open - 1] > c) runs.raise(nodes[open - 1] + blocks_[b].add, t - s.times[begin]);
    }
    nodes[open] = c;
    begins[open++] = begin;
  }
  return true;
}

/// The first step from which on at least that many nodes are free up to p; p itself if fewer are just before it.
Profile::Position Profile::run_begin(Position p, std::int32_t nodes) const {
  while (before(p.block, p.step) >= nodes) {
    if (p.step > 0) {
      --p.step;
    } else {
      --p.block;
      p.step = at_least(p.block, nodes) ? 0 : blocks_[p.block].size - 1;
    }
  }
  return p;
}

/// Opens the runs with more than `least` nodes that go on at p, those with fewest first.
void Profile::open_runs(Position p, std::int32_t least) {
  for (std::int32_t nodes = before(p.block, p.step); nodes > least; nodes = before(p.block, p.step)) {
    p = run_begin(p, nodes);
    open_.push_back({nodes, p.block, store(p.block).times[p.step]});
  }
  std::ranges::reverse(open_);
}

/// The steps from `from` up to, without, `to` have n nodes more than before: the runs that were too few nodes apart
/// have grown together. Goes over the longest of them from left to right, with a stack of those that are open, and
/// passes over blocks in which none of them begins or ends.
void Profile::gained(Position from, Position to, std::int32_t n) {
  const auto next = [&](Position& p) {
    if (++p.step == blocks_[p.block].size) p = {p.block + 1, 0};
  };
  std::int32_t least = capacity_;
  for (Position p = from; p.block < to.block || (p.block == to.block && p.step < to.step); next(p))
    least = std::min(least, count(p.block, p.step));
  least = std::max(least - n, 0);  // runs with so few nodes are as they were
  if (from.block == to.block && gained_inside(from.block, from.step, to.step, least)) return;
  open_runs(from, least);
  for (Position p = from;; next(p)) {
    const bool infinite = p.block == blocks_.size();
    if (!infinite && p.step == 0 && p.block > to.block && !open_.empty() && at_least(p.block, open_.back().nodes)) {
      p.step = blocks_[p.block].size - 1;  // no open run ends in this block
      continue;
    }
    const std::int32_t c = infinite ? least : count(p.block, p.step);
    const Time t = infinite ? kNever : store(p.block).times[p.step];
    const bool beyond = p.block > to.block || (p.block == to.block && p.step >= to.step);
    if (!beyond || (!open_.empty() && open_.back().nodes > c))
      end_runs(p, c, t);  // runs that begin beyond are as they were
    if (infinite || (beyond && c <= least)) break;
  }
  open_.clear();
}

/// At step p, which begins at t, c nodes are free: open runs with more of them end.
void Profile::end_runs(Position p, std::int32_t c, Time t) {
  OpenRun begun{c, p.block, t};
  for (; !open_.empty() && open_.back().nodes >= c; open_.pop_back()) {
    const OpenRun& run = open_.back();
    begun.block = run.block;
    begun.begin = run.begin;
    if (run.nodes == c) continue;
    const std::size_t end = std::min(p.step > 0 ? p.block + 1 : p.block, blocks_.size());
    const Duration length = t == kNever ? Duration::max() : t - run.begin;
    for (std::size_t b = run.block; b != end; ++b) runs_[blocks_[b].slot].raise(run.nodes, length);
  }
  open_.push_back(begun);
}

}  // namespace coslice
