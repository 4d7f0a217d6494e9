// After how many ends nodes have room, against jobs that are taken away one by one.
#include "schedule/rooms_ahead.h"

#include <algorithm>
#include <deque>

#include "catch.h"
#include "core/random.h"
#include "resource_cases.h"

namespace rooms_ahead_test {

using namespace coslice;

namespace {

/// Jobs that run where they fit first, by their order of ends.
struct Machine {
  Machine(const cases::Case& c, std::uint64_t seed)
      : demands(c.machine, c.workload.jobs, &c.workload.requests, EngineOptions{}), pool(demands.layout()) {
    RandomStream random = RandomKey(seed, "rooms").stream(0, 0);
    for (JobIndex j = 0; j != c.workload.jobs.size(); ++j) {
      if (demands.demand(j).empty() || random.uniform() < 0.3) continue;
      start(j, demands.demand(j).front());
    }
  }
  void start(JobIndex j, std::int32_t unit) {
    const Request& r = demands.request_of(unit);
    if (!r.components.empty() || !pool.has_licences(r)) return;
    NodeSet fitting(demands.layout().node_count());
    for (NodeId n = 0; n != fitting.size(); ++n)
      if (demands.nodes(demands.unit(unit)).contains(n) && pool.fits(r, n)) fitting.insert(n);
    Parts parts;
    FirstFit placement;
    if (fitting.count() < r.nodes || !placement.choose(j, r, pool, fitting, parts)) return;
    pool.take(r, parts);
    StartedJob& job = jobs.emplace_back();
    job.index = j;
    job.unit = unit;
    job.nodes = nodes_in(parts);
    job.parts = parts;
    running.push_back(&job);
  }
  /// How many have to be over, one by one, until as many nodes have room.
  std::uint32_t ends_until_room(std::int32_t unit, const NodeSet& open) const {
    const Request& r = demands.request_of(unit);
    NodePool left = pool;
    for (std::uint32_t ends = 0;; ++ends) {
      std::int32_t fitting = 0;
      open.for_each([&](NodeId n) { fitting += left.fits(r, n) ? 1 : 0; });
      if (fitting >= r.nodes) return ends;
      if (ends == running.size()) return RoomsAhead::kNever;
      left.give(demands.request_of(running[ends]->unit), running[ends]->parts);
    }
  }

  JobDemands demands;
  NodePool pool;
  std::deque<StartedJob> jobs;
  std::vector<const StartedJob*> running;
};

}  // namespace

TEST_CASE("nodes have room when as many jobs are over as if these were taken away one by one", "[plan]") {
  std::size_t now = 0, later = 0, never = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const cases::Case c = cases::random_case(seed, seed % 2 == 0);
    const Machine machine(c, seed);
    RoomsAhead rooms(machine.pool, machine.demands);
    RandomStream random = RandomKey(seed, "open").stream(0, 0);
    for (int times = 0; times != 10; ++times) {
      NodeSet open(machine.demands.layout().node_count());
      for (NodeId n = 0; n != open.size(); ++n)
        if (random.uniform() < 0.7) open.insert(n);
      for (std::int32_t u = 0; u != std::ssize(machine.demands.units()); ++u) {
        const Request& r = machine.demands.request_of(u);
        if (r.nodes <= 0 || !r.licences.empty() || r.row_of >= 0 || !r.components.empty()) continue;
        NodeSet own = open;
        own &= machine.demands.nodes(machine.demands.unit(u));
        const std::uint32_t ends = rooms.ends_until_room(u, own, machine.running);
        INFO("seed " << seed << ", unit " << u);
        REQUIRE(ends == machine.ends_until_room(u, own));
        ++(ends == 0 ? now : ends == RoomsAhead::kNever ? never : later);
      }
    }
  }
  CHECK(now > 100);
  CHECK(later > 100);
  CHECK(never > 100);
}

TEST_CASE("nothing is said of rooms where a running job has lent its nodes", "[plan]") {
  const cases::Case c = cases::random_case(3, false);
  Machine machine(c, 3);
  REQUIRE(!machine.jobs.empty());
  machine.jobs.front().phase = Phase::kSuspended;
  RoomsAhead rooms(machine.pool, machine.demands);
  for (std::int32_t u = 0; u != std::ssize(machine.demands.units()); ++u)
    CHECK(rooms.ends_until_room(u, machine.demands.nodes(machine.demands.unit(u)), machine.running) == 0);
}

}  // namespace rooms_ahead_test
