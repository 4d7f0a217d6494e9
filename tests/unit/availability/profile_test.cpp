// The availability profile against a twin that does everything the slow and obvious way.
#include "availability/profile.h"

#include <algorithm>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "catch.h"

namespace profile_test {

using namespace coslice;

namespace {

using Steps = std::vector<std::pair<Time, std::int32_t>>;

Time at(std::int64_t units) { return Time{Duration{units}}; }

/// Free nodes in each cell of a fixed grid of instants; the last cell ends at kNever. Changes must lie on the grid.
class Twin {
 public:
  Twin(std::int32_t capacity, std::vector<Time> grid)
      : capacity_(capacity), grid_(std::move(grid)), free_(grid_.size(), capacity), start_(grid_.front()) {}

  const std::vector<Time>& grid() const { return grid_; }
  Time start() const { return start_; }
  void advance(Time now) { start_ = std::max(start_, now); }

  std::int32_t min_free(Time from, Time to) const {
    to = std::max(to, later(from, Duration{1}));
    std::int32_t least = capacity_;
    for (std::size_t c = cell(from); c < grid_.size() && grid_[c] < to; ++c) least = std::min(least, free_[c]);
    return least;
  }

  std::int32_t max_free(Time from, Time to) const {
    std::int32_t most = 0;
    for (std::size_t c = cell(from); c < grid_.size() && grid_[c] < to; ++c) most = std::max(most, free_[c]);
    return most;
  }

  Time free_since(std::int32_t n, Time until) const {
    for (const Time t : grid_) {
      if (until <= start_) break;
      const Time from = std::max(t, start_);
      if (from < until && min_free(from, until) >= n) return from;
    }
    return until;
  }

  Time earliest_before(std::int32_t n, Duration d, Time after, Time before) const {
    after = std::max(after, start_);
    if (after < before && fits(n, d, after, before)) return after;
    for (const Time t : grid_) {
      if (t > after && t < before && fits(n, d, t, before)) return t;
    }
    return kNever;
  }

  void add(Time from, Time to, std::int32_t n) {
    for (std::size_t c = 0; c < grid_.size(); ++c) {
      if (grid_[c] >= from && grid_[c] < to && end(c) > start_) free_[c] += n;
    }
  }

  Steps steps() const {
    Steps out;
    for (std::size_t c = 0; c < grid_.size(); ++c) {
      if (end(c) <= start_) continue;
      if (out.empty() || out.back().second != free_[c]) out.emplace_back(std::max(grid_[c], start_), free_[c]);
    }
    if (out.back().second != capacity_) out.emplace_back(kNever, capacity_);
    return out;
  }

 private:
  Time end(std::size_t c) const { return c + 1 < grid_.size() ? grid_[c + 1] : kNever; }
  std::size_t cell(Time t) const {
    return static_cast<std::size_t>(std::upper_bound(grid_.begin() + 1, grid_.end(), t) - grid_.begin()) - 1;
  }
  bool fits(std::int32_t n, Duration d, Time t, Time before) const {
    const Time to = std::max(std::min(later(t, d), before), later(t, Duration{1}));
    for (std::size_t c = cell(t); c < grid_.size() && grid_[c] < to; ++c) {
      if (free_[c] < n) return false;
    }
    return true;
  }

  std::int32_t capacity_;
  std::vector<Time> grid_;
  std::vector<std::int32_t> free_;
  Time start_;
};

Steps steps_of(const Profile& p) {
  Steps out;
  p.for_each_step([&](Time t, std::int32_t free) { out.emplace_back(t, free); });
  REQUIRE(p.steps() == out.size());
  return out;
}

/// One profile and its twin, driven by random operations that never break a precondition.
class Race {
 public:
  Race(std::int32_t capacity, std::vector<Time> grid, std::uint32_t seed)
      : capacity_(capacity), profile_(capacity, grid.front()), twin_(capacity, std::move(grid)), rng_(seed) {
    profile_.bound_runs(seed % 2 == 0);
  }

  void change(int span) {
    auto [from, to] = interval(span);
    if (draw(0, 2) == 0) {
      const std::int32_t room = capacity_ - twin_.max_free(std::max(from, twin_.start()), to);
      give_back(from, to, room);
    } else if (const std::int32_t room = twin_.min_free(std::max(from, twin_.start()), to); room > 0) {
      const std::int32_t n = draw(0, 3) == 0 ? room : draw(1, room);
      profile_.reserve(from, to, n);
      twin_.add(from, to, -n);
      taken_.push_back({from, to, n});
    }
  }

  /// Gives back something that was taken, whole or cut; the usual way steps vanish again.
  void undo() {
    if (taken_.empty()) return;
    const std::size_t i = static_cast<std::size_t>(draw(0, static_cast<int>(taken_.size()) - 1));
    const Taken t = taken_[i];
    const Time from = std::max(t.from, twin_.start());
    if (from < t.to && capacity_ - twin_.max_free(from, t.to) >= t.n) {
      profile_.release(t.from, t.to, t.n);
      twin_.add(t.from, t.to, t.n);
    }
    taken_.erase(taken_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  /// Takes the nodes of an interval in an earlier one of the same length, if they are free there.
  void move_up() {
    if (taken_.empty()) return;
    Taken& t = taken_[static_cast<std::size_t>(draw(0, static_cast<int>(taken_.size()) - 1))];
    const auto& g = twin_.grid();
    const Time to = g[static_cast<std::size_t>(draw(0, static_cast<int>(g.size()) - 1))];
    const Duration d = t.to - t.from;
    if (to < twin_.start() || to >= t.from || t.to <= t.from || t.to == kNever) return;
    if (!std::binary_search(g.begin(), g.end(), to + d)) return;
    if (capacity_ - twin_.max_free(t.from, t.to) < t.n) return;
    twin_.add(t.from, t.to, t.n);
    const bool fits = twin_.min_free(to, to + d) >= t.n;
    if (fits) {
      profile_.move_up(t.from, to, d, t.n);
      t = {to, to + d, t.n};
      ++moved_;
    }
    twin_.add(t.from, t.to, -t.n);
  }
  int moved() const { return moved_; }

  void advance(int by) {
    const auto& g = twin_.grid();
    const auto here = std::upper_bound(g.begin(), g.end(), twin_.start()) - g.begin();
    const auto there = std::min<std::ptrdiff_t>(here + draw(0, by) - 1, static_cast<std::ptrdiff_t>(g.size()) - 1);
    Time now = g[static_cast<std::size_t>(there)];
    if (draw(0, 3) == 0) now = later(now, Duration{1});  // between the instants of a wide grid
    profile_.advance(now);
    twin_.advance(now);
  }

  void ask() {
    auto [from, to] = interval(0);
    from = std::max(from, twin_.start());
    const std::int32_t n = draw(0, capacity_ + 1);
    const Duration d = duration();
    CHECK(profile_.free_at(from) == twin_.min_free(from, from));
    CHECK(profile_.min_free(from, to) == twin_.min_free(from, to));
    CHECK(profile_.free_since(n, from) == twin_.free_since(n, from));
    CHECK(profile_.earliest(n, d, from) == twin_.earliest_before(n, d, from, kNever));
    CHECK(profile_.earliest_before(n, d, from, to) == twin_.earliest_before(n, d, from, to));
    if (!profile_.bounds_runs() || n == 0) return;
    const Time until = profile_.free_since(n, to), start = twin_.start();
    const Time hole = twin_.earliest_before(n, d, start, until);
    const Time after = hole == kNever || draw(0, 1) == 0 ? start : hole;
    CHECK(profile_.first_hole(n, d, after, until) == hole);
  }

  void compare() { REQUIRE(steps_of(profile_) == twin_.steps()); }

  void compare_copy() {
    Profile copy = profile_;
    const Time start = twin_.start();
    const std::int32_t n = copy.free_at(start);
    copy.reserve(start, kNever, copy.min_free(start, kNever));
    CHECK(profile_.free_at(start) == n);
    compare();
  }

  int draw(int low, int high) { return low + static_cast<int>(rng_() % static_cast<std::uint32_t>(high - low + 1)); }

 private:
  struct Taken {
    Time from, to;
    std::int32_t n;
  };

  void give_back(Time from, Time to, std::int32_t room) {
    if (room <= 0) return;
    const std::int32_t n = draw(0, 3) == 0 ? room : draw(1, room);
    profile_.release(from, to, n);
    twin_.add(from, to, n);
  }

  /// Two instants of the grid, in order, at most `span` cells apart (0: any); now and then kNever or nothing.
  std::pair<Time, Time> interval(int span) {
    const auto& g = twin_.grid();
    const int size = static_cast<int>(g.size());
    int a = draw(0, size - 1);
    int b = span > 0 ? std::min(size - 1, a + draw(0, span)) : draw(0, size - 1);
    if (a > b) std::swap(a, b);
    const Time to = draw(0, 15) == 0 ? kNever : g[static_cast<std::size_t>(b)];
    return {g[static_cast<std::size_t>(a)], to};
  }

  Duration duration() {
    if (draw(0, 15) == 0) return Duration{draw(0, 1)};
    if (draw(0, 15) == 0) return Duration::max();
    const auto [from, to] = interval(0);
    return to == kNever ? Duration::max() / 2 : to - from;
  }

  std::int32_t capacity_;
  Profile profile_;
  Twin twin_;
  std::mt19937 rng_;
  std::vector<Taken> taken_;
  int moved_ = 0;
};

std::vector<Time> regular_grid(int cells) {
  std::vector<Time> g;
  for (int i = 0; i < cells; ++i) g.push_back(at(i));
  return g;
}

/// Instants at every order of magnitude, up to the last before kNever.
std::vector<Time> wide_grid() {
  std::vector<Time> g{at(0)};
  for (std::int64_t t = 3; t < kNever.time_since_epoch().count() / 4; t *= 3) g.push_back(at(t));
  for (int back = 40; back > 0; back -= 3) g.push_back(kNever - Duration{back});
  return g;
}

void run_race(std::int32_t capacity, const std::vector<Time>& grid, std::uint32_t seed, int rounds, int span,
              int compare_every = 1) {
  INFO("capacity " << capacity << ", cells " << grid.size() << ", seed " << seed);
  Race race(capacity, grid, seed);
  for (int i = 0; i < rounds; ++i) {
    race.draw(0, 2) == 0 ? race.undo() : race.change(span);
    if (race.draw(0, 1) == 0) race.move_up();
    if (race.draw(0, 99) == 0) race.advance(static_cast<int>(grid.size()) / 20 + 2);
    race.ask();
    if (i % compare_every == 0) race.compare();
    if (race.draw(0, 9 * compare_every) == 0) race.compare_copy();
  }
  if (capacity > 10 && grid.size() >= 10) CHECK(race.moved() > 0);
}

}  // namespace

TEST_CASE("profile: the worked example of five jobs on ten nodes", "[profile]") {
  struct Job {
    std::int32_t nodes;
    int duration, start;
  };
  Profile p(10, at(0));
  for (const Job& j : {Job{4, 10, 0}, Job{8, 10, 10}, Job{4, 5, 0}, Job{6, 20, 20}, Job{2, 30, 0}}) {
    const Time t = p.earliest(j.nodes, Duration{j.duration}, at(0));
    CHECK(t == at(j.start));
    p.reserve(t, t + Duration{j.duration}, j.nodes);
  }
  // 0-5: 4+4+2 taken; 5-10: 4+2; 10-20: 8+2; 20-30: 6+2; 30-40: 6
  CHECK(steps_of(p) == Steps{{at(0), 0}, {at(5), 4}, {at(10), 0}, {at(20), 2}, {at(30), 4}, {at(40), 10}});
}

TEST_CASE("profile: edges", "[profile]") {
  Profile p(10, at(5));
  CHECK(p.capacity() == 10);
  CHECK(p.steps() == 1);

  SECTION("more than the machine never fits") {
    CHECK(p.earliest(11, Duration{1}, at(5)) == kNever);
    CHECK(p.earliest_before(11, Duration{1}, at(5), at(50)) == kNever);
    CHECK(p.earliest(std::numeric_limits<std::int32_t>::max(), Duration{1}, at(5)) == kNever);
    CHECK(p.earliest(10, Duration::max(), at(5)) == at(5));
  }
  SECTION("nothing always fits") {
    p.reserve(at(5), kNever, 10);
    CHECK(p.earliest(0, Duration{7}, at(6)) == at(6));
    CHECK(p.earliest(std::numeric_limits<std::int32_t>::min(), Duration{7}, at(6)) == at(6));
    CHECK(p.earliest(1, Duration{7}, at(6)) == kNever);
  }
  SECTION("a job of no length still needs its nodes") {
    p.reserve(at(5), at(20), 8);
    CHECK(p.earliest(3, Duration{0}, at(7)) == at(20));
    CHECK(p.earliest(2, Duration{0}, at(7)) == at(7));
    CHECK(p.earliest_before(3, Duration{0}, at(7), at(20)) == kNever);
    CHECK(p.min_free(at(6), at(6)) == 2);
    p.reserve(at(9), at(9), 2);
    CHECK(p.steps() == 2);
  }
  SECTION("what is never given back leaves a step at the end of time") {
    p.reserve(at(10), kNever, 4);
    CHECK(steps_of(p) == Steps{{at(5), 10}, {at(10), 6}, {kNever, 10}});
    CHECK(p.earliest(7, Duration{5}, at(5)) == at(5));
    CHECK(p.earliest(7, Duration{6}, at(5)) == kNever);
    CHECK(p.earliest(6, Duration::max(), at(7)) == at(7));
    p.release(at(10), kNever, 4);
    CHECK(steps_of(p) == Steps{{at(5), 10}});
  }
  SECTION("equal neighbours merge, also at one instant") {
    p.reserve(at(10), at(20), 3);
    p.reserve(at(20), at(30), 3);
    CHECK(steps_of(p) == Steps{{at(5), 10}, {at(10), 7}, {at(30), 10}});
    p.release(at(10), at(20), 3);
    p.reserve(at(10), at(20), 3);
    p.release(at(10), at(30), 3);
    CHECK(p.steps() == 1);
  }
  SECTION("advance forgets, and what lies before it is ignored") {
    p.reserve(at(5), at(20), 3);
    p.reserve(at(30), at(40), 5);
    p.advance(at(12));
    CHECK(steps_of(p) == Steps{{at(12), 7}, {at(20), 10}, {at(30), 5}, {at(40), 10}});
    p.advance(at(12));
    p.release(at(5), at(20), 3);
    CHECK(steps_of(p) == Steps{{at(12), 10}, {at(30), 5}, {at(40), 10}});
    p.release(at(3), at(12), 5);
    p.advance(at(40));
    CHECK(steps_of(p) == Steps{{at(40), 10}});
    p.advance(at(1000));
    CHECK(steps_of(p) == Steps{{at(1000), 10}});
    CHECK(p.earliest(10, Duration{7}, at(0)) == at(1000));
  }
  SECTION("moving up to a reservation's own beginning") {
    p.reserve(at(5), at(20), 6);
    p.reserve(at(20), at(40), 8);  // this one asks whether it can move
    CHECK(p.earliest_before(8, Duration{20}, at(5), at(20)) == kNever);
    p.release(at(10), at(20), 6);
    CHECK(p.earliest_before(8, Duration{20}, at(5), at(20)) == at(10));
    CHECK(p.earliest_before(8, Duration{20}, at(13), at(20)) == at(13));
    CHECK(p.earliest_before(8, Duration{20}, at(20), at(20)) == kNever);
  }
}

TEST_CASE("profile: every pair of changes on a small grid", "[profile]") {
  constexpr int kCells = 5;
  constexpr std::int32_t kCapacity = 2;
  for (int code = 0; code < kCells * kCells * kCells * kCells; ++code) {
    const int a = code % kCells, b = code / kCells % kCells;
    const int c = code / (kCells * kCells) % kCells, d = code / (kCells * kCells * kCells);
    Profile p(kCapacity, at(0));
    Twin twin(kCapacity, regular_grid(kCells));
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{c, d}}) {
      p.reserve(at(from), at(to), 1);
      twin.add(at(from), at(to), -1);
    }
    REQUIRE(steps_of(p) == twin.steps());
    for (int after = 0; after < kCells; ++after) {
      for (int before = after; before <= kCells; ++before) {
        for (int length = 0; length <= kCells; ++length) {
          for (std::int32_t n = 0; n <= kCapacity + 1; ++n) {
            REQUIRE(p.earliest_before(n, Duration{length}, at(after), at(before)) ==
                    twin.earliest_before(n, Duration{length}, at(after), at(before)));
          }
        }
      }
    }
    p.release(at(a), at(b), 1);
    p.release(at(c), at(d), 1);
    REQUIRE(p.steps() == 1);
  }
}

TEST_CASE("profile: random operations agree with brute force", "[profile]") {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    run_race(1, regular_grid(20), seed, 400, 0);
    run_race(4, regular_grid(60), seed, 600, 0);
    run_race(100, regular_grid(300), seed, 800, 40);
    run_race(7, wide_grid(), seed, 600, 0);
  }
}

TEST_CASE("profile: thousands of steps agree with brute force", "[profile]") {
  for (std::uint32_t seed = 11; seed <= 14; ++seed) {
    run_race(1000, regular_grid(2500), seed, 2000, 12, 20);
    run_race(100'000, regular_grid(1000), seed, 1000, 0, 20);
  }
}

}  // namespace profile_test
