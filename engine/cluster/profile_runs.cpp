// Searches for holes by bounds on the runs of steps in each block, and how these bounds are kept: a run that grows raises
// them, a search in vain lowers them, and runs that are cut leave them as they are.
#include <algorithm>

#include "cluster/profile.h"
#include "cluster/step_search.h"

namespace coslice {

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

/// The steps [from, to) of block b have n nodes more than before, and so the runs that they are in are longer, where they
/// have more than `least` nodes. False: such a run goes beyond the block, nothing is done.
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
  std::reverse(open_.begin(), open_.end());
}

/// The steps from `from` up to, without, `to` have n nodes more than before: the runs that were too few nodes apart have
/// grown together. Goes over the longest of them from left to right, with a stack of those that are open, and passes over
/// blocks in which none of them begins or ends.
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
    if (!beyond || (!open_.empty() && open_.back().nodes > c)) end_runs(p, c, t);  // runs that begin beyond are as they were
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
