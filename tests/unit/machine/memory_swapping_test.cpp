#include "catch.h"
#include "slices/swapped_memory.h"

namespace memory_swapping_test {

using namespace coslice;

namespace {
Duration units(int u) { return whole_seconds(u) / 4; }  // 4 units/s
NodeRanges one_node(NodeId first, NodeId last) {
  NodeRanges r;
  r.append(first, last);
  return r;
}
}  // namespace

TEST_CASE("two jobs that do not fit together swap partly", "[memory]") {
  // Node of 400 units at 4 units/s; A needs 240, B needs 280.
  SwappedParts memory(1, units(400));
  const NodeRanges node = one_node(0, 0);
  const auto load = [&](NodeMemory::Owner job, int need) {
    const Duration time = memory.missing(node, job, units(need));
    const auto displaced = memory.transfer(node, job, units(need), time);
    const Duration charged = displaced.empty() ? Duration{0} : displaced.front().now;
    CHECK(displaced.size() <= 1);
    return std::pair{to_seconds(time), to_seconds(charged)};
  };
  CHECK(load(1, 240) == std::pair{60.0, 0.0});
  CHECK(load(2, 280) == std::pair{70.0, 30.0});
  CHECK(memory.resident(0, 1) == units(120));
  CHECK(load(1, 240) == std::pair{30.0, 30.0});
  CHECK(load(2, 280) == std::pair{30.0, 30.0});
}

TEST_CASE("the same two jobs, swapped as the thesis' program does it", "[memory]") {
  // What has left is taken for what is still there: the last load takes 40 s where 30 s' worth had been lost.
  SwappedJobs memory(1, units(400));
  const NodeRanges node = one_node(0, 0);
  double total = 0;
  const auto load = [&](NodeMemory::Owner job, int need) {
    const Duration time = memory.missing(node, job, units(need));
    const auto displaced = memory.transfer(node, job, units(need), time);
    const Duration charged = displaced.empty() ? Duration{0} : displaced.front().now;
    total += to_seconds(time + charged);
    return std::pair{to_seconds(time), to_seconds(charged)};
  };
  CHECK(load(1, 240) == std::pair{60.0, 0.0});
  CHECK(load(2, 280) == std::pair{70.0, 30.0});
  CHECK(load(1, 240) == std::pair{30.0, 30.0});
  CHECK(load(2, 280) == std::pair{40.0, 30.0});
  CHECK(total == 290);
}

TEST_CASE("swapped as the thesis' program does it: only the last of several victims pays", "[memory]") {
  SwappedJobs memory(1, units(400));
  const NodeRanges node = one_node(0, 0);
  for (const NodeMemory::Owner job : {1U, 2U, 3U}) memory.transfer(node, job, units(100), units(100));
  const auto displaced = memory.transfer(node, 4, units(280), units(280));
  REQUIRE(displaced.size() == 1);
  CHECK(displaced[0].owner == 2U);  // 100 were free, 200 without job 1: 80 of job 2 had to go
  CHECK(displaced[0].now == units(80));
  CHECK(memory.missing(node, 1, units(100)) == units(100));
  CHECK(memory.missing(node, 2, units(100)) == units(20));
  CHECK(memory.missing(node, 3, units(100)) == Duration{0});
  CHECK(memory.free(0) == units(20));
  // Two jobs of the whole node: nothing is missing when it comes back, yet it has to be brought in.
  SwappedJobs full(1, units(400));
  full.transfer(node, 1, units(400), units(400));
  full.transfer(node, 2, units(400), units(400));
  CHECK(full.missing(node, 1, units(400)) == Duration{0});
  CHECK(full.transfer(node, 1, units(400), Duration{0}).size() == 1);
}

TEST_CASE("a job that several displace while it is away", "[memory]") {
  // Job 1 lies on two nodes. Job 2 takes 100 from it on the first, then job 3 takes 150 on the second, at the same
  // disk time: the longest is 150, each for itself makes 250.
  SwappedParts memory(2, units(400));
  memory.transfer(one_node(0, 1), 1, units(400), units(400));
  memory.stopped(one_node(0, 1), 1);
  const auto first = memory.transfer(one_node(0, 0), 2, units(100), units(100));
  const auto second = memory.transfer(one_node(1, 1), 3, units(150), units(150));
  CHECK(first.at(0).absence == units(100));
  CHECK(second.at(0).absence == units(150));
  const auto third = memory.transfer(one_node(0, 0), 4, units(100), units(100));
  CHECK(third.at(0).now == units(100));
  CHECK(third.at(0).absence == units(200));
  memory.stopped(one_node(0, 1), 1);
  CHECK(memory.transfer(one_node(1, 1), 5, units(50), units(50)).at(0).absence == units(50));
}

TEST_CASE("displacement goes by age, is the most on any node, and never hits the loader", "[memory]") {
  SwappedParts memory(2, units(400));
  memory.transfer(one_node(0, 1), 1, units(100), units(100));
  memory.transfer(one_node(0, 0), 2, units(200), units(200));
  memory.transfer(one_node(1, 1), 3, units(300), units(300));
  // 4 needs 320 on both: node 0 lacks 220 (100 of 1, then 120 of 2), node 1 lacks 320 (100 of 1, 220 of 3).
  const auto displaced = memory.transfer(one_node(0, 1), 4, units(320), units(320));
  REQUIRE(displaced.size() == 3);
  const auto who = [&](std::size_t i) { return std::pair{displaced[i].owner, displaced[i].now}; };
  CHECK(who(0) == std::pair{1U, units(100)});
  CHECK(who(1) == std::pair{2U, units(120)});
  CHECK(who(2) == std::pair{3U, units(220)});
  CHECK(memory.resident(0, 2) == units(80));
  CHECK(memory.free(0) == Duration{0});
  memory.remove(one_node(0, 1), 4);
  CHECK(memory.free(1) == units(320));
}

TEST_CASE("a part that was transferred stays", "[memory]") {
  SwappedParts memory(1, units(400));
  const NodeRanges node = one_node(0, 0);
  memory.transfer(node, 1, units(400), units(400));
  memory.transfer(node, 2, units(200), units(40));
  CHECK(memory.resident(0, 2) == units(40));
  CHECK(memory.resident(0, 1) == units(360));
  CHECK(memory.missing(node, 2, units(200)) == units(160));
}

}  // namespace memory_swapping_test
