// Questions to a profile; how it changes is in profile_change.cpp.
#include "cluster/profile.h"

#include <algorithm>

#include "cluster/step_search.h"

namespace coslice {

namespace {

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
  Time after;
  Time before;
  Time found = kNever;
  Time limit = before;
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
    const std::uint64_t fits = fit_mask(free + base, n);
    std::uint64_t left = ~std::uint64_t{0};
    if (base < from) left <<= from - base;
    if (to - base < 64) left &= ~(~std::uint64_t{0} << (to - base));
    while (const std::uint64_t turns = (search.inside() ? ~fits : fits) & left) {
      const int i = __builtin_ctzll(turns);
      const Time t = times[base + i];
      if (t >= search.limit) return true;
      search.inside() ? search.leave(t) : search.enter(t);
      left = left >> i << i;
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

}  // namespace coslice
