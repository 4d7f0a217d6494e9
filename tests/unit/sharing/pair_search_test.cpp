// Gains of pairs and their impact on all jobs' response times (Sodan & Lan 2005, Section 5.2).
#include "sharing/pair_choice.h"

#include <cmath>

#include "api/policy/decayed_usage.h"
#include "catch.h"
#include "core/random.h"
#include "sharing/fairness.h"

namespace pair_search_test {

using namespace coslice;

namespace {

bool near(double x, double expected, double error = 5e-7) { return std::fabs(x - expected) < error; }

/// Figure 5 of the paper as corrected, written down loop by loop.
double plain_impact(const NodesTime& i, const std::vector<NodesTime>& queue, std::size_t at, double slowdown, double n,
                    const ExpectedArrivals& future, bool literal) {
  const auto w = [n](const NodesTime& x) { return x.time * x.nodes / n; };
  const NodesTime& j = queue[at];
  const double pair_runtime = std::min(i.time, j.time) * (slowdown - 1) + std::max(i.time, j.time);
  const double pair_work = pair_runtime * std::max(i.nodes, j.nodes) / n;
  const double delay = pair_work - w(i);
  const double improvement = w(i) + w(j) - pair_work;
  double increase = literal ? delay / w(i) : std::min(i.time, j.time) * (slowdown - 1) / i.time;
  double decrease = 0, clock = w(i);
  int jobs = 2;
  for (std::size_t p = 0; p < at; ++p, ++jobs) {
    clock += w(queue[p]);
    increase += delay / clock;
  }
  clock += w(j);
  decrease += (clock - j.time * slowdown * j.nodes / n) / clock;
  for (std::size_t p = at + 1; p < queue.size(); ++p, ++jobs) {
    clock += w(queue[p]);
    decrease += improvement / clock;
  }
  if (future.work > 0) {
    const int shorts = static_cast<int>(std::floor(clock * future.first + .5));
    const int others = static_cast<int>(std::floor(clock * future.others + .5));
    for (int k = 0; k != shorts; ++k, ++jobs) increase += delay / future.work;
    for (int k = 0; k != others; ++k, ++jobs) {
      clock += future.work;
      decrease += improvement / (future.queued ? clock : future.work);
    }
  }
  return (decrease - increase) / jobs;
}

}  // namespace

TEST_CASE("utilization gains of two jobs", "[lomarc]") {
  struct Example {
    double size_a, size_b, time_a, time_b, slowdown, u1, u2;
  };
  const Example examples[] = {{64, 64, 3600, 3600, 1.0, 1, 1},
                              {64, 64, 3600, 3600, 1.6, 0.25, 0.25},
                              {64, 32, 1000, 500, 1.4, 0.035714, 0.071429},
                              {32, 8, 7200, 3600, 1.2, 0.020833, 0.041667},
                              {32, 8, 7200, 3600, 1.6, -0.109375, -0.218750},
                              {128, 1, 36000, 100, 1.05, -0.000112, -0.040179},
                              {16, 16, 1000, 4000, 1.25, 0.15, 0.6}};
  for (const Example& e : examples) {
    CHECK(near(overlap_gain(e.size_a, e.size_b, e.slowdown), e.u2));
    CHECK(near(overlap_gain(e.size_b, e.size_a, e.slowdown), e.u2));
    CHECK(near(weighted_overlap_gain(e.size_a, e.size_b, e.time_a, e.time_b, e.slowdown), e.u1));
  }
}

TEST_CASE("response-time impact of three jobs, by hand", "[lomarc]") {
  // 4 nodes. i: 2 nodes, 100 s (work 50); p: 4 nodes, 50 s (50); j: 2 nodes, 60 s (30). Slowdown 1.2:
  // the pair takes 60 * .2 + 100 = 112 s on 2 nodes (56), so p is delayed by 6 of 100, i itself by .12, and j ends
  // at 36 instead of 130.
  const std::vector<NodesTime> queue = {{4, 50}, {2, 60}};
  const ResponseImpact impact({2, 100}, queue, 4, {});
  CHECK(near(impact.of(1, 1.2), ((130 - 36) / 130.0 - 0.12 - 6 / 100.0) / 3, 1e-12));
  // As first partner it delays no other, and p gains 24 of 130.
  const std::vector<NodesTime> other = {{2, 60}, {4, 50}};
  CHECK(near(ResponseImpact({2, 100}, other, 4, {}).of(0, 1.2), ((80 - 36) / 80.0 + 24 / 130.0 - 0.12) / 3, 1e-12));
  // As printed, i counts with the delay over its work.
  const ResponseImpact literal({2, 100}, queue, 4, {}, ResponseImpact::Own::kWork);
  CHECK(near(literal.of(1, 1.2), ((130 - 36) / 130.0 - 6 / 50.0 - 6 / 100.0) / 3, 1e-12));
}

TEST_CASE("response-time impact is that of the loops, in random queues", "[lomarc]") {
  RandomStream random(5, "test");
  for (int round = 0; round != 200; ++round) {
    const auto job = [&] {
      return NodesTime{double(random.uniform_int(1, 128)), random.uniform(61, random.uniform() < .5 ? 1000 : 90000)};
    };
    const NodesTime first = job();
    std::vector<NodesTime> queue(static_cast<std::size_t>(random.uniform_int(1, 80)));
    for (NodesTime& x : queue) x = job();
    ExpectedArrivals future;
    if (round % 3 != 0) future = {0.4 / 400, 0.6 / 400, 655, round % 3 == 1};
    const bool literal = round % 2 == 0;
    const ResponseImpact impact(first, queue, 128, future,
                                literal ? ResponseImpact::Own::kWork : ResponseImpact::Own::kSlowdown);
    for (std::size_t at = 0; at != queue.size(); ++at) {
      const double expected = plain_impact(first, queue, at, 1.3, 128, future, literal);
      REQUIRE(near(impact.of(at, 1.3), expected, 1e-8 * (1 + std::fabs(expected))));
    }
  }
}

TEST_CASE("candidates pass the rules one after the other", "[lomarc]") {
  const auto profile = [](Resource kind, double memory) {
    ResourceProfile p;
    p.kind = kind;
    p.fraction = {0, 0, 0};
    p.fraction[static_cast<std::size_t>(kind)] = 1;
    p.memory = memory;
    return p;
  };
  ResourceConflicts compatible, competing;
  compatible.compatible_share = 1;
  competing.compatible_share = 0;
  const std::vector<ResourceProfile> jobs = {profile(Resource::kCpu, .5), profile(Resource::kCpu, .5),
                                             profile(Resource::kDisk, .5), profile(Resource::kDisk, .6),
                                             profile(Resource::kNetwork, .5)};
  const ResourceSlowdowns well(1, jobs, compatible), badly(1, jobs, competing);
  const auto candidate = [](JobIndex j, double runtime, std::int32_t nodes) {
    Candidate c;
    c.job = j;
    c.runtime = c.work = runtime;
    c.nodes = nodes;
    return c;
  };
  PairRules rules;
  rules.over = 60;
  PairCounts counts;
  const auto pair = [&](const ResourceSlowdowns& model, const Candidate& a, const Candidate& b) {
    counts = {};
    return may_pair(model, rules, a, b, a, counts);
  };
  const Candidate head = candidate(0, 100, 4);
  CHECK_FALSE(pair(well, head, candidate(1, 60, 4)));
  CHECK(counts.long_enough == 0);
  CHECK_FALSE(pair(well, head, candidate(1, 61, 5)));
  CHECK((counts.long_enough == 1 && counts.narrow_enough == 0));
  CHECK_FALSE(pair(well, head, candidate(3, 61, 4)));
  CHECK((counts.narrow_enough == 1 && counts.memory_fits == 0));
  CHECK_FALSE(pair(badly, head, candidate(1, 61, 4)));
  CHECK((counts.memory_fits == 1 && counts.matchable == 0));
  CHECK(pair(well, head, candidate(1, 61, 4)));
  CHECK(pair(well, head, candidate(2, 61, 4)));
  CHECK_FALSE(pair(well, candidate(2, 100, 4), candidate(2, 61, 4)));  // two of a disk are never compatible
  rules.max_slowdown = 1.3;
  CHECK_FALSE(pair(well, head, candidate(1, 61, 4)));
  CHECK((counts.matchable == 1 && counts.slow_enough == 0));
  rules.kinds = {};
  rules.kinds[0][2] = rules.kinds[2][0] = true;  // a standard CPU
  CHECK(pair(well, head, candidate(2, 61, 4)));
  CHECK_FALSE(pair(well, head, candidate(4, 61, 4)));
}

}  // namespace pair_search_test
