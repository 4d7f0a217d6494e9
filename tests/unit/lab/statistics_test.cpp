// Intervals against known distributions: they hold the true mean as often as they say.
#include <cmath>
#include <functional>

#include "catch.h"
#include "draws.h"
#include "lab/compare/statistics.h"

namespace statistics_test {

using namespace coslice;
using test::Draws;

namespace {

/// How many of this many intervals hold the value.
double coverage(int samples, double truth, const std::function<std::optional<Interval>(Draws&)>& interval) {
  Draws draws(20261);
  int held = 0;
  for (int i = 0; i < samples; ++i) {
    const std::optional<Interval> found = interval(draws);
    REQUIRE(found);
    held += found->low <= truth && truth <= found->high;
  }
  return static_cast<double>(held) / samples;
}

std::vector<double> sample(int n, const std::function<double()>& draw) {
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back(draw());
  return values;
}

/// Each value is `memory` of the one before, plus noise; mean 5.
std::vector<double> series(Draws& draws, int n, double memory) {
  std::vector<double> values;
  double now = draws.normal() / std::sqrt(1 - memory * memory);
  for (int i = 0; i < n; ++i) {
    values.push_back(5 + now);
    now = memory * now + draws.normal();
  }
  return values;
}

}  // namespace

TEST_CASE("quantiles of Student's t", "[statistics]") {
  CHECK(student_quantile(0.95, 9) == Approx(2.2621572));
  CHECK(student_quantile(0.99, 4) == Approx(4.6040949));
  CHECK(student_quantile(0.95, 1) == Approx(12.7062047));
  CHECK(student_quantile(0.95, 1e6) == Approx(1.959966));
}

TEST_CASE("Student's interval of normal values holds the mean as often as it says", "[statistics]") {
  for (const int n : {2, 5, 10, 30}) {
    for (const double level : {0.9, 0.95, 0.99}) {
      const double held = coverage(8000, 100, [&](Draws& d) {
        return estimate_of(sample(n, [&] { return 100 + 7 * d.normal(); }), Unit::kSeed, level).interval;
      });
      CAPTURE(n, level);
      CHECK(std::abs(held - level) < 0.011);
    }
  }
}

TEST_CASE("of skewed values it holds somewhat less often, and more values help", "[statistics]") {
  const auto held = [](int n) {
    return coverage(8000, 1, [n](Draws& d) {
      return estimate_of(sample(n, [&] { return d.exponential(); }), Unit::kSeed).interval;
    });
  };
  CHECK(held(10) == Approx(0.90).margin(0.015));
  CHECK(held(50) == Approx(0.94).margin(0.015));
}

TEST_CASE("a paired difference is known better than two means", "[statistics]") {
  double paired_width = 0, apart_width = 0;
  const auto both = [&](Draws& d, bool paired) {
    std::vector<double> a, b, differences;
    for (int i = 0; i < 10; ++i) {
      const double common = 10 * d.normal();
      a.push_back(50 + common + d.normal());
      b.push_back(52 + common + d.normal());
      differences.push_back(b.back() - a.back());
    }
    const auto found = paired ? difference_of(differences, Unit::kSeed).interval : difference_interval(a, b);
    (paired ? paired_width : apart_width) += found->high - found->low;
    return found;
  };
  CHECK(coverage(8000, 2, [&](Draws& d) { return both(d, true); }) == Approx(0.95).margin(0.01));
  CHECK(coverage(8000, 2, [&](Draws& d) { return both(d, false); }) > 0.99);  // it does not know what they share
  CHECK(paired_width < apart_width / 5);
}

TEST_CASE("Welch's interval of independent samples of different deviations and sizes", "[statistics]") {
  const double held = coverage(8000, 3, [](Draws& d) {
    const auto a = sample(6, [&] { return 10 + d.normal(); });
    const auto b = sample(15, [&] { return 13 + 6 * d.normal(); });
    return difference_interval(a, b);
  });
  CHECK(held == Approx(0.95).margin(0.01));
  CHECK(!difference_interval({1}, {1, 2}));
  CHECK(difference_interval({1, 1}, {3, 3})->low == 2);
}

TEST_CASE("batch means hold the mean of dependent values, where plain values do not", "[statistics]") {
  for (const double memory : {0.0, 0.9, 0.98}) {
    const double held = coverage(2000, 5, [&](Draws& d) { return batch_means(series(d, 4000, memory)).interval; });
    CAPTURE(memory, held);
    CHECK(held > 0.925);
    CHECK(held < 0.985);
  }
  const double naive =
      coverage(500, 5, [](Draws& d) { return estimate_of(series(d, 4000, 0.9), Unit::kSeed).interval; });
  CHECK(naive < 0.5);
  // A few batches cannot see through a memory of half the series; they say that their means hang together.
  Draws draws(7);
  CHECK(batch_means(series(draws, 4000, 0.999)).correlation > 0.3);
}

TEST_CASE("too few values have no interval", "[statistics]") {
  CHECK(!batch_means({}).interval);
  CHECK(!batch_means(std::vector<double>(49, 1.0)).interval);
  const BatchMeans five = batch_means(std::vector<double>(50, 3.0));
  CHECK(five.batches == 5);
  REQUIRE(five.interval);
  CHECK(five.interval->low == 3);
  CHECK(five.interval->high == 3);
}

TEST_CASE("values of one unit count once", "[statistics]") {
  Sample sample;
  for (int copy = 0; copy < 10; ++copy)
    for (const auto& [seed, x] : {std::pair(1, 1.0), std::pair(2, 2.0), std::pair(3, 3.0)}) sample.add(seed, x);
  const Estimate e = sample.estimate();
  CHECK(e.units == 3);
  CHECK(sample.values() == 30);
  CHECK(e.mean == 2);
  CHECK(e.interval->high == Approx(2 + 4.3026527 / std::sqrt(3)));
  Sample uneven;  // each counts as much as the other, however many values it has
  for (const double x : {1.0, 2.0, 3.0}) uneven.add(1, x);
  uneven.add(2, 8);
  CHECK(uneven.estimate().mean == 5);
  Sample one;
  one.add(4, 1);
  one.add(4, 2);
  CHECK(!one.estimate().interval);
  CHECK(counted_units(one.estimate().units, Unit::kSeed) == "1 seed");
  CHECK(counted_units(20, Unit::kBatch) == "20 batches");
}

TEST_CASE("a few equal differences are coarse, not certain", "[statistics]") {
  CHECK(!difference_of({1, 1, 1}, Unit::kSeed).interval);
  CHECK(!difference_of({0.1, 0.1 + 1e-16}, Unit::kSeed).interval);
  CHECK(difference_of({0, 0, 0}, Unit::kSeed).interval->high == 0);
  CHECK(difference_of({1, 1, 1, 1, 1, 1}, Unit::kSeed).interval->low == 1);
}

TEST_CASE("instants of one record depend on their neighbours, and their interval is wider for it", "[statistics]") {
  const double held =
      coverage(2000, 5, [&](Draws& d) { return estimate_of(series(d, 40, 0.6), Unit::kInstant).interval; });
  const double plain =
      coverage(2000, 5, [&](Draws& d) { return estimate_of(series(d, 40, 0.6), Unit::kSeed).interval; });
  CHECK(held > 0.9);
  CHECK(plain < 0.75);
}

}  // namespace statistics_test
