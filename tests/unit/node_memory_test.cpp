#include "catch.h"
#include "cluster/node_memory.h"

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
  NodeMemory memory(1, units(400));
  const NodeRanges node = one_node(0, 0);
  const auto load = [&](NodeMemory::Owner job, int need) {
    const Duration time = memory.missing(node, job, units(need));
    const auto displaced = memory.transfer(node, job, units(need), time);
    const Duration charged = displaced.empty() ? Duration{0} : displaced.front().second;
    CHECK(displaced.size() <= 1);
    return std::pair{to_seconds(time), to_seconds(charged)};
  };
  CHECK(load(1, 240) == std::pair{60.0, 0.0});
  CHECK(load(2, 280) == std::pair{70.0, 30.0});
  CHECK(memory.resident(0, 1) == units(120));
  CHECK(load(1, 240) == std::pair{30.0, 30.0});
  CHECK(load(2, 280) == std::pair{30.0, 30.0});
}

TEST_CASE("displacement goes by age, is the most on any node, and never hits the loader", "[memory]") {
  NodeMemory memory(2, units(400));
  memory.transfer(one_node(0, 1), 1, units(100), units(100));
  memory.transfer(one_node(0, 0), 2, units(200), units(200));
  memory.transfer(one_node(1, 1), 3, units(300), units(300));
  // 4 needs 320 on both: node 0 lacks 220 (100 of 1, then 120 of 2), node 1 lacks 320 (100 of 1, 220 of 3).
  const auto displaced = memory.transfer(one_node(0, 1), 4, units(320), units(320));
  REQUIRE(displaced.size() == 3);
  CHECK(displaced[0] == NodeMemory::Displaced{1, units(100)});
  CHECK(displaced[1] == NodeMemory::Displaced{2, units(120)});
  CHECK(displaced[2] == NodeMemory::Displaced{3, units(220)});
  CHECK(memory.resident(0, 2) == units(80));
  CHECK(memory.free(0) == Duration{0});
  memory.remove(one_node(0, 1), 4);
  CHECK(memory.free(1) == units(320));
}

TEST_CASE("a part that was transferred stays", "[memory]") {
  NodeMemory memory(1, units(400));
  const NodeRanges node = one_node(0, 0);
  memory.transfer(node, 1, units(400), units(400));
  memory.transfer(node, 2, units(200), units(40));
  CHECK(memory.resident(0, 2) == units(40));
  CHECK(memory.resident(0, 1) == units(360));
  CHECK(memory.missing(node, 2, units(200)) == units(160));
}
