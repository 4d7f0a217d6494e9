// Worked examples of Zeng 2009, Equation 6. P is the primary: processes, work; N the nodes that the group occupies.
#include "catch.h"
#include "sharing/group_search.h"

namespace utilization_gain_test {

using namespace coslice;

TEST_CASE("utilization gain: worked examples", "[gain]") {
  const auto near = [](double v) { return Approx(v).margin(1e-6); };
  // members: processes, work, slowdown of the member, slowdown of the primary
  CHECK(utilization_gain(32, 3600, {{32, 3600, 1.20, 1.10}}, 32) == near(0.742424));
  CHECK(utilization_gain(32, 3600, {{32, 3600, 1.155, 1.155}}, 16) == near(2.463203));
  CHECK(utilization_gain(32, 3600, {{16, 3600, 1.10, 1.15}}, 32) == near(0.324111));
  CHECK(utilization_gain(32, 3600, {{16, 1800, 1.20, 1.10}, {16, 3600, 1.15, 1.20}}, 16) == near(1.971014));
  CHECK(utilization_gain(64, 3000, {{32, 5000, 1.10, 1.10}, {32, 1200, 1.05, 1.20}}, 32) == near(2.023628));
  CHECK(utilization_gain(64, 6000, {{32, 1000, 1.10, 1.25}, {16, 3000, 1.20, 1.15}, {16, 9000, 1.05, 1.05}}, 32) ==
        near(1.642506));
  CHECK(utilization_gain(16, 7200, {{32, 3600, 1.1232, 1.12}}, 16) == near(1.673484));
  std::vector<GainMember> serial;
  for (int i = 0; i < 8; ++i) serial.push_back({1, 500.0 * (i + 1), 1.05, 1 + 0.02 * i});
  CHECK(utilization_gain(8, 4000, serial, 8) == near(0.412907));
  CHECK(utilization_gain(16, 3600, {{10, 3600, 1.1, 1.1}, {8, 3600, 1.1, 1.1}}, 18) == near(0.717172));
  CHECK(utilization_gain(16, 3600, {{10, 3600, 1.1, 1.1}, {8, 3600, 1.1, 1.1}}, 16) == near(0.931818));
}

TEST_CASE("utilization gain: the timeline of a group whose matched jobs end one after the other", "[gain]") {
  const GainTimeline g = gain_timeline(3600, {{16, 1800, 1.20, 1.10}, {16, 3600, 1.15, 1.20}});
  REQUIRE(g.periods.size() == 2);
  CHECK(g.periods[0].time == Approx(2160));
  CHECK(g.periods[0].slowdown == Approx(1.2));
  CHECK(g.periods[0].members == std::vector<std::size_t>{0, 1});
  CHECK(g.periods[1].time == Approx(1980));
  CHECK(g.periods[1].members == std::vector<std::size_t>{1});
  CHECK(g.time == Approx(4140));
  CHECK(g.primary_left == Approx(150));
}

TEST_CASE("utilization gain: of no job, and of jobs that have nothing left to do", "[gain]") {
  CHECK(utilization_gain(8, 100, {}, 8) == 0);
  CHECK(utilization_gain(8, 0, {{8, 100, 1, 1}}, 8) == 0);
  CHECK(utilization_gain(8, 100, {{8, 0, 1, 1}}, 8) == 0);
}

}  // namespace utilization_gain_test
