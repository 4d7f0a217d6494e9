// What the availability profile costs, by its number of steps. Two situations: what EASY does when a job starts or ends
// (its profile holds running jobs only, so each change begins now), and what conservative backfilling does
// (reservations all over the future). Times are per iteration, i.e. per call unless the name says otherwise.
#include <cstdint>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "availability/profile.h"
#include "machine/node_set.h"

using namespace coslice;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct Hold {
  Time from, to;
  std::int32_t nodes;
};

std::mt19937_64& rng() {
  static std::mt19937_64 r(1);
  return r;
}

std::int64_t draw(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(rng()() % static_cast<std::uint64_t>(high - low + 1));
}

/// A machine of one-processor nodes, all busy with jobs that end at different times: as many steps as jobs.
struct Busy {
  Profile profile;
  std::vector<Hold> running;
  Time now{};

  explicit Busy(std::int64_t jobs) : profile(static_cast<std::int32_t>(jobs), Time{}) {
    for (std::int64_t i = 0; i < jobs; ++i) running.push_back(start());
  }
  Hold start() {
    const Hold h{now, now + Duration{draw(1, 100'000) * kSecond}, 1};
    profile.reserve(h.from, h.to, h.nodes);
    return h;
  }
};

/// About this many steps of reservations by jobs of all sizes, packed as conservative backfilling packs them.
struct Booked {
  Profile profile{512, Time{}};
  std::vector<Hold> holds;

  explicit Booked(std::int64_t steps) {
    while (static_cast<std::int64_t>(profile.steps()) < steps) holds.push_back(place());
  }
  Hold place() {
    const auto n = static_cast<std::int32_t>(std::int64_t{1} << draw(0, 7));
    const Duration d{draw(10, 20'000) * kSecond};
    const Time t = profile.earliest(n, d, Time{});
    profile.reserve(t, t + d, n);
    return {t, t + d, n};
  }
  Hold& any() { return holds[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(holds.size()) - 1))]; }
};

/// One job ends early, time goes on, another starts: advance, release, reserve.
void easy_end_and_start(benchmark::State& state) {
  Busy machine(state.range(0));
  std::size_t next = 0;
  const std::int64_t tick = 100'000 * kSecond / state.range(0) / 2;
  for (auto _ : state) {
    Hold& h = machine.running[next];
    next = (next + 7919) % machine.running.size();
    machine.now += Duration{tick};
    machine.profile.advance(machine.now);
    if (h.to > machine.now) machine.profile.release(machine.now, h.to, h.nodes);
    h = machine.start();
  }
  state.counters["steps"] = static_cast<double>(machine.profile.steps());
}

void easy_shadow(benchmark::State& state) {
  Busy machine(state.range(0));
  const auto n = static_cast<std::int32_t>(state.range(0) / 2);
  for (auto _ : state) benchmark::DoNotOptimize(machine.profile.earliest(n, Duration{kSecond}, machine.now));
}

void release_and_reserve(benchmark::State& state) {
  Booked b(state.range(0));
  for (auto _ : state) {
    const Hold& h = b.any();
    b.profile.release(h.from, h.to, h.nodes);
    b.profile.reserve(h.from, h.to, h.nodes);
  }
  state.counters["steps"] = static_cast<double>(b.profile.steps());
}

void earliest(benchmark::State& state) {
  const Booked b(state.range(0));
  for (auto _ : state) {
    const auto n = static_cast<std::int32_t>(std::int64_t{1} << draw(0, 7));
    benchmark::DoNotOptimize(b.profile.earliest(n, Duration{draw(10, 20'000) * kSecond}, Time{}));
  }
}

/// Mostly in vain, as when a schedule is compressed.
void earliest_before(benchmark::State& state) {
  Booked b(state.range(0));
  for (auto _ : state) {
    const Hold& h = b.any();
    benchmark::DoNotOptimize(b.profile.earliest_before(h.nodes, h.to - h.from, Time{}, h.from));
  }
}

void min_free(benchmark::State& state) {
  Booked b(state.range(0));
  for (auto _ : state) {
    const Hold& h = b.any();
    benchmark::DoNotOptimize(b.profile.min_free(h.from, h.to));
  }
}

void copy(benchmark::State& state) {
  const Booked b(state.range(0));
  for (auto _ : state) {
    Profile p = b.profile;
    benchmark::DoNotOptimize(p);
  }
}

/// The lowest idle nodes of a large machine of which the low half is busy: taken and given back.
void lowest_nodes(benchmark::State& state) {
  const auto size = static_cast<std::int32_t>(state.range(0));
  NodeSet idle(size, true);
  idle.erase(idle.lowest(size / 2));
  for (auto _ : state) {
    const NodeRanges r = idle.lowest(16);
    idle.erase(r);
    idle.insert(r);
  }
}

}  // namespace

#define SIZES ->Arg(20)->Arg(100)->Arg(1000)->Arg(10000)
BENCHMARK(easy_end_and_start) SIZES;
BENCHMARK(easy_shadow) SIZES;
BENCHMARK(release_and_reserve) SIZES;
BENCHMARK(earliest) SIZES;
BENCHMARK(earliest_before) SIZES;
BENCHMARK(min_free) SIZES;
BENCHMARK(copy) SIZES;
BENCHMARK(lowest_nodes)->Arg(128)->Arg(100000);
