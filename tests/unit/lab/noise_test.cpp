// Noise is called noise: of policies without any true difference, at most one verdict of 20 says better or worse, under
// whatever conditions their runs were made.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "catch.h"
#include "draws.h"
#include "lab/compare/ranking.h"

namespace noise_test {

using namespace coslice;
using test::Draws;

namespace {

double normal(Draws& d) { return d.normal(); }
double coarse(Draws& d) { return d.uniform() < 0.5 ? 0 : 1; }
double skewed(Draws& d) { return std::exp(1.5 * d.normal()); }
double heavy(Draws& d) { return d.normal() / std::sqrt(-std::log(d.uniform())); }  // Student's t of two degrees

/// What runs are made of: figure = 1000 + of the seed + of the condition + of both + noise of policy and seed, whatever
/// the condition is, + noise of each run.
struct Shape {
  const char* name;
  int policies, seeds, conditions;
  double of_seed = 0, of_condition = 0, of_both = 0, by_seed = 1, by_run = 0;
  double (*noise)(Draws&) = normal;
  double missing = 0;         ///< share of the runs that failed, whatever they would have given
  double fails_from = 1e300;  ///< of the last policy: where seed and condition add more than this
};

constexpr Shape kShapes[] = {
    {"two policies, three seeds", 2, 3, 1},
    {"ten copies of three workloads", 2, 3, 10, 30, 0, 0, 1, 0.01},
    {"ten copies of two workloads", 2, 2, 10, 30, 0, 0, 1, 0.01},
    {"loads that are far apart", 2, 4, 6, 10, 1000, 20, 1, 1},
    {"noise of single runs", 2, 5, 5, 10, 100, 10, 0, 1},
    {"many policies", 6, 5, 3, 20, 100, 5, 1, 0.5},
    {"very many policies on few seeds", 15, 3, 2, 20, 100, 5, 1, 0.2},
    {"heavy tails", 3, 4, 4, 10, 100, 10, 1, 1, heavy},
    {"skewed", 2, 5, 3, 10, 100, 10, 1, 1, skewed},
    {"coarse figures of two seeds", 2, 2, 1, 5, 0, 0, 1, 0, coarse},
    {"coarse figures", 3, 4, 1, 5, 0, 0, 1, 0, coarse},
    {"a tenth of the runs failed", 3, 6, 4, 50, 500, 10, 1, 1, normal, 0.1},
    {"a third of the runs failed", 2, 6, 3, 50, 500, 10, 1, 1, heavy, 0.33},
    {"a policy that fails under high load", 3, 6, 4, 50, 500, 10, 1, 0.5, normal, 0, 300},
};

std::vector<Variant> drawn(const Shape& s, Draws& draws) {
  std::vector<double> of_seed, of_condition, of_both;
  for (int i = 0; i < s.seeds; ++i) of_seed.push_back(s.of_seed * draws.normal());
  for (int k = 0; k < s.conditions; ++k) of_condition.push_back(s.of_condition * draws.normal());
  for (int i = 0; i < s.seeds * s.conditions; ++i) of_both.push_back(s.of_both * draws.normal());
  std::vector<Variant> out;
  for (int p = 0; p < s.policies; ++p) {
    out.push_back({fmt::format("p{}", p), {}});
    for (int i = 0; i < s.seeds; ++i) {
      const double shared = s.by_seed * s.noise(draws);
      for (int k = 0; k < s.conditions; ++k) {
        const double busy = of_seed[i] + of_condition[k];
        RunRecord r;
        r.where = fmt::format("{} {} {}", p, i, k);
        r.seed = i + 1;
        r.condition = fmt::format("load {}", k);
        r.summary =
            Value::table({{"x", 1000 + busy + of_both[i * s.conditions + k] + shared + s.by_run * s.noise(draws)}});
        r.settings = Value::table();
        if (draws.uniform() < s.missing || (p + 1 == s.policies && busy > s.fails_from))
          out.back().failed.push_back({r.where, "it broke", r.seed});
        else out.back().runs.push_back(std::move(r));
      }
    }
  }
  return out;
}

CompareOptions of_x() {
  CompareOptions o;
  o.figures = {"x"};
  o.trim = 0;
  return o;
}

struct Verdicts {
  int all = 0, wrong = 0;
  void add(const VariantComparison& c) {
    if (!c.refused.empty()) return;
    for (std::size_t i = 1; i < c.variants.size(); ++i) {
      const CompareVerdict v = c.figures.front().values[i].verdict;
      if (v == CompareVerdict::kFailed) continue;
      ++all;
      wrong += v != CompareVerdict::kNoise && v != CompareVerdict::kSame && v != CompareVerdict::kNone;
    }
  }
  double share() const { return all == 0 ? 0 : static_cast<double>(wrong) / all; }
};

}  // namespace

TEST_CASE("of policies without a true difference at most a twentieth is said to differ", "[noise]") {
  Draws draws(4911);
  Verdicts beside_the_first, ranked;
  for (const Shape& shape : kShapes) {
    Verdicts here, here_ranked;
    const int tables = 1000 / shape.policies;
    for (int t = 0; t < tables; ++t) {
      const std::vector<Variant> variants = drawn(shape, draws);
      here.add(compare_variants(variants, of_x()));
      // Of two, the ranking says the same.
      if (shape.policies > 2) here_ranked.add(rank_points(variants, of_x()));
    }
    CAPTURE(shape.name, here.all, here.wrong, here_ranked.all, here_ranked.wrong);
    CHECK(here.all > tables / 2);
    CHECK(here.share() <= 0.06);
    CHECK(here_ranked.share() <= 0.06);
    for (const auto& [sum, part] : {std::pair(&beside_the_first, here), std::pair(&ranked, here_ranked)})
      sum->all += part.all, sum->wrong += part.wrong;
  }
  CHECK(beside_the_first.share() <= 0.05);
  CHECK(ranked.share() <= 0.05);
}

TEST_CASE("a true difference is found through the noise of seeds and conditions", "[noise]") {
  Draws draws(7);
  int found = 0;
  for (int t = 0; t < 200; ++t) {
    std::vector<Variant> variants = drawn({"", 2, 6, 4, 100, 1000, 50, 1, 1}, draws);
    for (RunRecord& r : variants[1].runs) r.summary.set("x", *r.summary.find("x")->real() - 5);
    const VariantComparison c = rank_points(variants, of_x());
    found += c.variants[0].name == "p1" && c.figures[0].values[1].verdict == CompareVerdict::kDifferent;
    CHECK(c.figures[0].values[1].units == 6);
    CHECK(c.figures[0].values[1].runs == 24);
  }
  CHECK(found > 190);
}

}  // namespace noise_test
