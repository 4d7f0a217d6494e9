// The availability profile: how many nodes are believed free at each instant from now on.
//
// Ordered steps (time, free); the last one extends to infinity with free = capacity. Neighbours with equal counts are
// merged. Counts decide *when* a job can run; which nodes it gets is decided when it starts (machine/placement.h).
// A profile is a plain value: a what-if is a copy.
//
// The steps are kept in blocks, each a sorted array. A profile of a hundred steps is one block, as fast as a flat
// vector and copied in two allocations; one of ten thousand neither moves nor touches more than two blocks per change.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/container/static_vector.hpp>

#include "core/time.h"

namespace coslice {

/// Upper bounds on how long nodes stay free in a part of the availability profile, by how many nodes: a search for a
/// hole passes over parts in which none can be long enough.
///
/// For each class of node counts no run of steps with at least as many free nodes, of those that touch the part, is
/// longer than its bound. Classes are single counts up to 32, then eighths of an octave; their bounds never rise.
class RunBounds {
 public:
  /// Begins without knowledge: any run may be of any length.
  RunBounds() { std::fill(std::begin(longest_), std::end(longest_), Duration::max()); }

  /// Returns a length that no run with n nodes free exceeds.
  Duration longest(std::int32_t n) const { return longest_[class_of(n)]; }
  /// Notes a run of that length with n nodes free, n > 0.
  void raise(std::int32_t n, Duration length) {
    for (std::size_t c = class_of(n) + 1; c-- != 0 && longest_[c] < length;) longest_[c] = length;
    if (!exact_.empty()) drop_if([&](const Exact& e) { return e.nodes <= n && e.longest < length; });
  }
  /// Notes that all runs with n nodes free are shorter.
  void lower(std::int32_t n, Duration length) {
    const Duration most = length - Duration{1};
    for (std::size_t c = class_of(n - 1) + 1; c < kClasses && longest_[c] > most; ++c) longest_[c] = most;
  }
  /// Notes that all runs with exactly n nodes free are shorter, where a class is of several counts; the oldest such
  /// bounds are forgotten.
  void lower_exactly(std::int32_t n, Duration length) {
    lower(n, length);
    const Exact bound{n, length - Duration{1}};
    drop_if([&](const Exact& e) { return e.nodes >= n && e.longest >= bound.longest; });
    if (exact_.size() == exact_.capacity()) exact_.erase(exact_.begin());
    exact_.push_back(bound);
  }
  /// Returns whether no run with n nodes free is as long as that, by lower_exactly too.
  bool all_shorter(std::int32_t n, Duration length) const {
    return longest(n) < length ||
           std::ranges::any_of(exact_, [&](const Exact& e) { return e.nodes <= n && e.longest < length; });
  }
  /// Joins the bounds of another part to these, for both parts together.
  void join(const RunBounds& o) {
    for (std::size_t c = 0; c != kClasses; ++c) longest_[c] = std::max(longest_[c], o.longest_[c]);
    drop_if([&](const Exact& e) { return !o.all_shorter(e.nodes, e.longest + Duration{1}); });
  }

 private:
  static constexpr std::size_t kClasses = 136;

  /// Returns the last class whose least count is not above n.
  static std::size_t class_of(std::int32_t n) {
    if (n < 32) return static_cast<std::size_t>(std::max(n, 0));
    const auto count = static_cast<std::uint32_t>(n);
    const auto octave = static_cast<std::uint32_t>(std::bit_width(count)) - 1;
    return std::min<std::size_t>(kClasses - 1, 32 + (octave - 5) * 8 + (count >> (octave - 3) & 7));
  }

  struct Exact {
    std::int32_t nodes;
    Duration longest;
  };
  template <class F>
  void drop_if(F&& f) {
    exact_.erase(std::remove_if(exact_.begin(), exact_.end(), f), exact_.end());
  }

  Duration longest_[kClasses];
  boost::container::static_vector<Exact, 4> exact_;  ///< none implies another
};

/// Free nodes as a step function of time. An interval is half open; one that is empty (to <= from) changes nothing
/// and a question about it is a question about its first instant, because a job of no length needs its nodes too.
/// What lies before the profile's start (see advance) is forgotten: changes there are ignored. kNever is the end of
/// time, and sums of times stop there.
class Profile {
 public:
  /// Makes a profile with all `capacity` nodes free from `start` on.
  Profile(std::int32_t capacity, Time start);

  std::int32_t capacity() const { return capacity_; }
  /// Forgets everything before `now`. Later questions must not ask about earlier instants.
  void advance(Time now);
  /// Returns the number of free nodes at t.
  std::int32_t free_at(Time t) const;
  /// Returns the least number of free nodes in [from, to).
  std::int32_t min_free(Time from, Time to) const;
  /// Returns the first t >= after with at least n free nodes throughout [t, t + d); kNever if n > capacity.
  Time earliest(std::int32_t n, Duration d, Time after) const;
  /// Returns the first t in [after, before) with at least n free nodes throughout [t, min(t + d, before)); kNever if
  /// there is none. So a reservation that begins at `before` can move up without being taken out first.
  Time earliest_before(std::int32_t n, Duration d, Time after, Time before) const;
  /// Returns the first t from which on at least n nodes are free up to `until`; `until` itself if fewer are free just
  /// before it.
  Time free_since(std::int32_t n, Time until) const;
  /// Returns the first t >= after from which on at least n nodes are free for d, all of it before `until`, where fewer
  /// are free just before t; kNever if there is none. Precondition: no such t lies before `after`; bound_runs(true).
  Time first_hole(std::int32_t n, Duration d, Time after, Time until) const;
  /// Says whether bounds on the length of runs of steps are kept. They make first_hole() fast, and other searches
  /// through a profile of thousands of steps; changes are slower.
  void bound_runs(bool wanted);
  bool bounds_runs() const { return !runs_.empty(); }
  /// Takes n nodes in [from, to). Precondition: that many are free throughout.
  void reserve(Time from, Time to, std::int32_t n);
  /// Takes n nodes in [from, to), free or not: counts may go below 0 until the jobs that had them are moved.
  void overdraw(Time from, Time to, std::int32_t n) { add(from, to, -n); }
  /// Gives n nodes back in [from, to). Precondition: that many were taken throughout.
  void release(Time from, Time to, std::int32_t n) { add(from, to, n); }
  /// Moves n nodes that were taken in [from, from + d) to [to, to + d), which begins earlier. Only the difference is
  /// touched. Precondition: with them given back, that many are free there.
  void move_up(Time from, Time to, Duration d, std::int32_t n);
  /// Returns a number; while it stays the same, at no instant are more nodes free than before.
  std::uint64_t gains() const { return gains_; }
  /// Returns the number of steps.
  std::size_t steps() const { return steps_; }
  /// Calls f(time, free) for each step in order of time.
  template <typename F>
  void for_each_step(F&& f) const {
    for (const Block& b : blocks_) {
      const Store& s = store_[b.slot];
      for (std::int32_t i = 0; i < b.size; ++i) f(s.times[i], s.free[i] + b.add);
    }
  }

 private:
  static constexpr std::int32_t kBlockSteps = 128;
  static constexpr std::size_t kNoBlock = static_cast<std::size_t>(-1);

  /// The steps of a block, the counts apart from the times so that searches read only counts.
  struct Store {
    Time times[kBlockSteps];
    std::int32_t free[kBlockSteps];
  };

  /// Up to kBlockSteps neighbouring steps. A change that covers a block whole touches only `add`.
  struct Block {
    Time first{};            ///< times[0] of its store
    std::uint32_t slot = 0;  ///< where in store_
    std::int32_t size = 0;   ///< steps; never 0 between calls
    std::int32_t add = 0;    ///< to be added to each count in the store
    std::int32_t low = 0;    ///< the smallest count in the store; see set_bounds
    std::int32_t high = 0;   ///< no count in the store is larger
  };

  struct Position {
    std::size_t block = 0;
    std::int32_t step = 0;
  };

  struct OpenRun {
    std::int32_t nodes;
    std::size_t block;
    Time begin;
  };

  Time start() const { return blocks_.front().first; }
  Store& store(std::size_t b) { return store_[blocks_[b].slot]; }
  const Store& store(std::size_t b) const { return store_[blocks_[b].slot]; }
  std::int32_t count(std::size_t b, std::int32_t i) const { return store(b).free[i] + blocks_[b].add; }

  std::size_t block_at(Time t) const;
  Position locate(Time t) const;

  Time earliest_hole(std::int32_t n, Duration d, Time after, Time before) const;
  Time earliest_in_bounds(std::int32_t n, Duration d, Time after, Time before) const;
  Time scan(std::size_t b, std::int32_t n, Duration d) const;
  bool fits_on(std::size_t b, std::int32_t n, Time until) const;
  std::int32_t before(std::size_t b, std::int32_t i) const {
    return i > 0 ? count(b, i - 1) : b > 0 ? count(b - 1, blocks_[b - 1].size - 1) : -1;
  }
  /// Returns whether at least `nodes` nodes are free throughout block b; false where that is not known.
  bool at_least(std::size_t b, std::int32_t nodes) const {
    return std::int64_t{blocks_[b].low} + blocks_[b].add >= nodes;
  }
  Position run_begin(Position p, std::int32_t nodes) const;
  void open_runs(Position p, std::int32_t least);
  void gained(Position from, Position to, std::int32_t n);
  bool gained_inside(std::size_t b, std::int32_t from, std::int32_t to, std::int32_t least);
  void end_runs(Position p, std::int32_t c, Time t);

  void add(Time from, Time to, std::int32_t n);
  std::size_t block_with_room(Time t);
  std::int32_t begin_step(std::size_t b, Time t) { return begin_step(b, t, last_step(b, t)); }
  std::int32_t begin_step(std::size_t b, Time t, std::int32_t in);
  std::int32_t last_step(std::size_t b, Time t) const;
  std::int32_t last_step_from(std::size_t b, std::int32_t i, Time t) const;
  void drop_steps(std::size_t b, std::int32_t from, std::int32_t to);
  void drop_if_equal(std::size_t b, std::int32_t i);
  void change(std::size_t b, std::int32_t from, std::int32_t to, std::int32_t n);
  void set_bounds(std::size_t b);
  void halve(std::size_t b);
  void fuse(std::size_t b);
  void tidy(std::size_t b);

  std::int32_t capacity_;
  std::size_t steps_ = 1;
  std::uint64_t gains_ = 0;
  std::vector<Block> blocks_;            ///< in order of time
  std::vector<Store> store_;             ///< one per block, in any order
  mutable std::vector<RunBounds> runs_;  ///< as store_, of all runs that touch the block; empty: not wanted
  mutable Position last_{};              ///< somewhere here the last free_since ended: what follows is mostly near
  std::vector<OpenRun> open_;            ///< while bounds are kept
};

}  // namespace coslice
