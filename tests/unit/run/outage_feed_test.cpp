// Failures that are drawn.
#include "catch.h"

#include <cmath>

#include "machine/node_set.h"
#include "machine/outage.h"

namespace outage_feed_test {

using namespace coslice;

namespace {
Time at(double s) { return at_seconds(s); }
}  // namespace

TEST_CASE("drawn lifetimes have the mean that they were given", "[outages]") {
  RandomStream random(7, "test");
  for (const Lifetime& l :
       {Lifetime{Lifetime::Shape::kExponential, 1000, 1}, Lifetime{Lifetime::Shape::kWeibull, 1000, 0.7},
        Lifetime{Lifetime::Shape::kLognormal, 1000, 0.8}}) {
    double sum = 0;
    for (int i = 0; i < 200'000; ++i) sum += to_seconds(l.draw(random));
    CHECK(std::abs(sum / 200'000 - 1000) < 15);
  }
}

TEST_CASE("availability comes to MTBF / (MTBF + MTTR)", "[outages]") {
  OutagePlan plan;
  FailureModel model;
  model.nodes.append(0, 49);
  model.between = {Lifetime::Shape::kWeibull, 5000, 0.8};
  model.repair = {Lifetime::Shape::kLognormal, 500, 1};
  plan.drawn.push_back(model);
  OutageFeed feed(plan, Time{});
  const Time end = at(2e6);
  double down = 0;
  while (feed.next_time() < end) {
    const Outage o = feed.pop();
    down += to_seconds(std::min(o.to, end) - o.from) * o.nodes.count();
  }
  const double availability = 1 - down / (50 * 2e6);
  CHECK(std::abs(availability - 5000.0 / 5500.0) < 0.002);
}

TEST_CASE("a rack fails together", "[outages]") {
  OutagePlan plan;
  FailureModel model;
  model.nodes.append(2, 9);
  model.between.mean = 1000;
  model.repair.mean = 10;
  model.rack = 4;
  model.rack_share = 0.5;
  plan.drawn.push_back(model);
  OutageFeed feed(plan, Time{});
  int racks = 0;
  for (int i = 0; i < 1000; ++i) {
    const NodeRanges nodes = feed.pop().nodes;
    if (nodes.count() == 1) continue;
    ++racks;
    CHECK((nodes.str() == "2-5" || nodes.str() == "6-9"));
  }
  CHECK(racks > 430);
  CHECK(racks < 570);
}

}  // namespace outage_feed_test
