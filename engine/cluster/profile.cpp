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
struct HoleSearch {
  Duration length;
  Time after;
  Time before;
  Time found = kNever;
  Time limit = before;

  bool inside() const { return found != kNever; }
  void enter(Time t) {
    found = std::max(after, t);
    limit = std::min(later(found, length), before);
  }
  void leave() {
    found = kNever;
    limit = before;
  }
};

/// Walks along steps [from, to) where the counts must be n or more. Tells whether the search is over.
bool walk(HoleSearch& search, const Time* times, const std::int32_t* free, std::int32_t from, std::int32_t to,
          std::int32_t n) {
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
      search.inside() ? search.leave() : search.enter(t);
      left = left >> i << i;
    }
  }
  return false;
}

}  // namespace

std::size_t Profile::block_at(Time t) const {
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

Time Profile::earliest_before(std::int32_t n, Duration d, Time after, Time before) const {
  after = std::max(after, start());
  if (n > capacity_ || after >= before) return kNever;
  HoleSearch search{d, after, before};
  const Position p = locate(after);
  std::int32_t from = p.step;
  for (std::size_t b = p.block; b < blocks_.size() && blocks_[b].first < search.limit; ++b, from = 0) {
    const std::int32_t wanted = std::max(n, 0) - blocks_[b].add;
    if (blocks_[b].low >= wanted) {
      if (!search.inside()) search.enter(store(b).times[from]);
    } else if (blocks_[b].high < wanted) {
      search.leave();
    } else if (walk(search, store(b).times, store(b).free, from, blocks_[b].size, wanted)) {
      break;
    }
  }
  return search.found;
}

}  // namespace coslice
