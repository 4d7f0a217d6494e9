// Named streams and keyed draws.
#include "core/random.h"

#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include "catch.h"
#include "core/portable_math.h"

namespace random_test {

using namespace coslice;

namespace {

struct Moments {
  double mean = 0, variance = 0, smallest = 1e300, largest = -1e300;
};

Moments moments_of(int n, const std::function<double()>& draw) {
  Moments m;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
    m.smallest = std::min(m.smallest, x);
    m.largest = std::max(m.largest, x);
  }
  m.mean = sum / n;
  m.variance = squares / n - m.mean * m.mean;
  return m;
}

constexpr int kDraws = 400000;

}  // namespace

TEST_CASE("the bits of the streams never change", "[random]") {
  RandomStream arrivals(1, "arrivals");
  CHECK(arrivals() == 0x57c68451f8d7407eull);
  CHECK(arrivals() == 0x1868a5ce32bfc9b0ull);
  RandomStream sizes(1, "sizes");
  CHECK(sizes() == 0x30df344be2d8cb9full);
  CHECK(RandomKey(1, "pairs").uniform(3, 4) == 0x1.3d5086b61eeap-4);
  RandomStream s(5, "all");
  CHECK(s.uniform() == 0x1.4f5dfc5b9f522p-1);
  CHECK(s.uniform_int(1, 1000000) == 587653);
  CHECK(s.exponential(100) == 0x1.b46930aea5eebp+6);
  CHECK(s.normal(0, 1) == 0x1.1d6eb4f3f9306p+0);
  CHECK(s.lognormal(0, 1) == 0x1.a0707151d660dp+1);
  CHECK(s.gamma(4.2, 0.94) == 0x1.21cd39cdb1386p+3);
  CHECK(s.gamma(0.3, 2) == 0x1.e0920b36edeaep-3);
}

TEST_CASE("xoshiro256** gives the numbers of its authors", "[random]") {
  // Their C program with the SplitMix64 state of seed 0 begins with these.
  RandomStream s(std::uint64_t{0});
  CHECK(s() == 11091344671253066420ull);
  CHECK(s() == 13793997310169335082ull);
  CHECK(s() == 1900383378846508768ull);
}

TEST_CASE("streams of different seeds or purposes differ, equal ones agree", "[random]") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (const char* purpose : {"arrivals", "sizes", "run times", ""}) seen.insert(RandomStream(seed, purpose)());
  CHECK(seen.size() == 800);
  RandomStream a(9, "x"), b(9, "x");
  for (int i = 0; i < 100; ++i) REQUIRE(a() == b());
}

TEST_CASE("distributions have their moments", "[random]") {
  RandomStream s(3, "moments");
  const auto u = moments_of(kDraws, [&] { return s.uniform(); });
  CHECK(u.mean == Approx(0.5).margin(0.003));
  CHECK(u.variance == Approx(1.0 / 12).margin(0.001));
  CHECK(u.smallest >= 0);
  CHECK(u.largest < 1);
  const auto e = moments_of(kDraws, [&] { return s.exponential(50); });
  CHECK(e.mean == Approx(50).epsilon(0.01));
  CHECK(e.variance == Approx(2500).epsilon(0.03));
  CHECK(e.smallest > 0);
  const auto n = moments_of(kDraws, [&] { return s.normal(10, 3); });
  CHECK(n.mean == Approx(10).margin(0.03));
  CHECK(n.variance == Approx(9).epsilon(0.02));
  const auto l = moments_of(kDraws, [&] { return s.lognormal(1, 0.5); });
  CHECK(l.mean == Approx(std::exp(1.125)).epsilon(0.01));
  for (const double shape : {0.3, 1.0, 4.2, 312.0}) {
    INFO(shape);
    const auto g = moments_of(kDraws, [&] { return s.gamma(shape, 0.7); });
    CHECK(g.mean == Approx(shape * 0.7).epsilon(0.01));
    CHECK(g.variance == Approx(shape * 0.49).epsilon(0.03));
    CHECK(g.smallest > 0);
  }
}

TEST_CASE("gamma draws follow the incomplete gamma function", "[random]") {
  // Kolmogorov and Smirnov: the largest distance is below 1.95 / sqrt(n) but in one case of 1000.
  for (const double shape : {0.5, 4.2, 10.23}) {
    RandomStream s(4, "distribution");
    const int n = 20000;
    std::vector<double> p(n);
    for (double& x : p) x = portable_gamma_p(shape, s.gamma(shape, 1));
    std::sort(p.begin(), p.end());
    double distance = 0;
    for (int i = 0; i < n; ++i) distance = std::max(distance, std::abs(p[i] - (i + 0.5) / n));
    CHECK(distance < 1.95 / std::sqrt(n));
  }
}

TEST_CASE("whole numbers are drawn evenly, ends included", "[random]") {
  RandomStream s(6, "dice");
  std::array<int, 6> count{};
  for (int i = 0; i < 60000; ++i) ++count[static_cast<std::size_t>(s.uniform_int(-2, 3) + 2)];
  for (const int c : count) CHECK(std::abs(c - 10000) < 400);
  CHECK(s.uniform_int(7, 7) == 7);
  s.uniform_int(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("keyed draws do not depend on the order of asking", "[random]") {
  const RandomKey key(11, "pairs");
  const double forth = key.uniform(3, 8), back = key.uniform(8, 3);
  CHECK(forth != back);
  CHECK(key.uniform(3, 8) == forth);
  CHECK(RandomKey(11, "pairs").uniform(3, 8) == forth);
  CHECK(RandomKey(12, "pairs").uniform(3, 8) != forth);
  CHECK(RandomKey(11, "other").uniform(3, 8) != forth);
  CHECK(key.stream(3, 8)() == key.stream(3, 8)());
}

TEST_CASE("keyed draws over a grid are even and uncorrelated", "[random]") {
  const RandomKey key(1, "grid");
  std::set<std::uint64_t> seen;
  double sum = 0, right = 0, below = 0;
  const int n = 300;
  for (std::uint64_t i = 0; i < n; ++i) {
    for (std::uint64_t j = 0; j < n; ++j) {
      const double x = key.uniform(i, j) - 0.5;
      seen.insert(key.bits(i, j));
      sum += x;
      right += x * (key.uniform(i, j + 1) - 0.5);
      below += x * (key.uniform(i + 1, j) - 0.5);
    }
  }
  CHECK(seen.size() == n * n);
  CHECK(std::abs(sum / (n * n)) < 0.004);          // sd of the mean: 0.00096
  CHECK(std::abs(right / (n * n)) * 12 < 0.0135);  // sd of a correlation: 0.0033
  CHECK(std::abs(below / (n * n)) * 12 < 0.0135);
}

}  // namespace random_test
