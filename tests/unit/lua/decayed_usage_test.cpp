// Usage that loses half its weight in every half-life.
#include "api/policy/decayed_usage.h"

#include <cmath>

#include "catch.h"

namespace decayed_usage_test {

using namespace coslice;

TEST_CASE("what is used loses half its weight in a half-life", "[usage]") {
  DecayedUsage usage(100);
  usage.hold(0, 4, 0);
  usage.hold(0, -4, 1);
  const double used = usage.of(0, 1);
  CHECK(used == Approx(4 * (1 - std::exp2(-0.01)) * 100 / std::log(2)));  // a little of the 4 node-seconds is forgotten
  CHECK(usage.of(0, 101) == Approx(used / 2));
  CHECK(usage.of(0, 401) == Approx(used / 16));
}

TEST_CASE("what is held for long comes to its half-life over ln 2", "[usage]") {
  DecayedUsage usage(60);
  usage.hold(2, 3, 10);
  CHECK(usage.of(2, 10) == 0);
  CHECK(usage.of(2, 1e5) == Approx(3 * 60 / std::log(2)));
}

TEST_CASE("without a half-life nothing is forgotten", "[usage]") {
  DecayedUsage usage(0);
  usage.hold(1, 3, 5);
  CHECK(usage.of(1, 15) == 30);
  usage.hold(1, -1, 25);
  CHECK(usage.of(1, 35) == 80);
  CHECK(usage.of(0, 35) == 0);
}

TEST_CASE("how often usage is asked for changes nothing, and owners add up to the total", "[usage]") {
  DecayedUsage often(3600), seldom(3600);
  for (int i = 0; i != 500; ++i) {
    const auto owner = static_cast<std::size_t>(i * 7 % 5);
    const double nodes = i % 11 + 1, from = i * 10;
    for (DecayedUsage* u : {&often, &seldom}) u->hold(owner, nodes, from);
    if (i >= 60) {
      const int ended = i - 60;
      for (DecayedUsage* u : {&often, &seldom})
        u->hold(static_cast<std::size_t>(ended * 7 % 5), -(ended % 11 + 1), from);
    }
    for (std::size_t o = 0; o != 5; ++o) CHECK(often.of(o, from + 5) >= 0);
  }
  double sum = 0;
  for (std::size_t o = 0; o != 5; ++o) {
    CHECK(often.of(o, 6000) == Approx(seldom.of(o, 6000)).epsilon(1e-12));
    sum += seldom.of(o, 6000);
  }
  CHECK(seldom.total(6000) == Approx(sum).epsilon(1e-12));
}

}  // namespace decayed_usage_test
