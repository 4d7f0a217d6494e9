// Sizes fitted to nodes with several cores, by hand and against the published shares.
#include "jobs/transform.h"

#include <array>

#include "catch.h"
#include "jobs/lublin.h"
#include "metrics/summary.h"
#include "unit/asked_slowdowns.h"

namespace size_adjustment_test {

using namespace coslice;

namespace {

constexpr CoreCounts kMachine{128, 2, 2};

AskedSlowdowns constant(double over_processors, double over_cores) {
  AskedSlowdowns m;
  m.ask_over_processors = [=](JobIndex) { return over_processors; };
  m.ask_over_cores = [=](JobIndex) { return over_cores; };
  m.ask_beside = [](JobIndex, JobIndex) { return 1.0; };
  return m;
}

Workload of_sizes(const std::vector<std::int32_t>& sizes) {
  Workload w;
  for (std::size_t i = 0; i != sizes.size(); ++i) {
    Job job;
    job.id = static_cast<std::int64_t>(i) + 1;
    job.submit = Time{whole_seconds(static_cast<std::int64_t>(i) * 100)};
    job.runtime = job.limit = whole_seconds(100);
    job.size = sizes[i];
    w.jobs.push_back(job);
  }
  return w;
}

std::vector<std::int32_t> adjusted(const std::vector<std::int32_t>& sizes, double over_processors, double over_cores,
                                   SizeAdjustment::Rounding rounding = SizeAdjustment::Rounding::kPowerOfTwo) {
  Workload w = of_sizes(sizes);
  SizeAdjustment options;
  options.rounding = rounding;
  adjust_sizes(w, constant(over_processors, over_cores), kMachine, options);
  std::vector<std::int32_t> out;
  for (const Job& job : w.jobs) out.push_back(job.size);
  return out;
}

using Sizes = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("sizes become processes by what jobs bear", "[sizes]") {
  const auto formula = SizeAdjustment::Rounding::kFormula;
  CHECK(adjusted({1, 2, 8, 6, 128}, 1.0, 1.2) == Sizes{1, 8, 32, 20, 512});  // 4 a node: 6 * 4 / 1.2
  CHECK(adjusted({1, 2, 8, 6, 128}, 1.0, 1.2, formula) == Sizes{1, 7, 27, 20, 427});
  CHECK(adjusted({1, 2, 7, 100}, 1.1, 1.3) == Sizes{1, 4, 13, 182});  // 2 a node: 7 * 2 / 1.1 = 12.7
  CHECK(adjusted({1, 2, 7, 100}, 1.2, 1.3) == Sizes{1, 2, 7, 100});   // 1 a node
  CHECK(adjusted({3}, 1.2, 1.0) == Sizes{10});                        // over all cores 1.2 is borne
  CHECK(adjusted({127}, 0.9, 1.0) == Sizes{512});                     // 564 processes would need 141 nodes
}

TEST_CASE("powers of two stay such and keep their work in the mean", "[sizes]") {
  // 8 nodes, 4 a node at 1.2: 26.7 processes, between 16 and 32. 6 nodes are no power of two: by the formula.
  const auto drawn = SizeAdjustment::Rounding::kDrawnPowerOfTwo;
  const Sizes given(10000, 8);
  const Sizes sizes = adjusted(given, 1.0, 1.2, drawn);
  double sum = 0;
  for (const std::int32_t size : sizes) {
    REQUIRE((size == 16 || size == 32));
    sum += size;
  }
  CHECK(sum / 10000 == Approx(8 * 4 / 1.2).epsilon(.01));
  CHECK(adjusted(given, 1.0, 1.2, drawn) == sizes);
  CHECK(adjusted({1, 6}, 1.0, 1.2, drawn) == Sizes{1, 20});
  CHECK(adjusted({1, 2, 8, 128}, 1.0, 1.0, drawn) == Sizes{1, 8, 32, 512});  // what is one needs no draw
  CHECK(adjusted({2, 8, 128}, 1.2, 1.3, drawn) == Sizes{2, 8, 128});         // 1 a node
}

TEST_CASE("the bounds of what jobs bear belong to it", "[sizes]") {
  const SizeAdjustment limits;
  CHECK(processes_per_node(constant(1, 1.25), 0, 2, kMachine, limits) == 4);
  CHECK(processes_per_node(constant(1, 1.2500001), 0, 2, kMachine, limits) == 2);
  CHECK(processes_per_node(constant(1.12, 2), 0, 2, kMachine, limits) == 2);
  CHECK(processes_per_node(constant(1.1200001, 2), 0, 2, kMachine, limits) == 1);
  CHECK(processes_per_node(constant(1, 1), 0, 1, kMachine, limits) == 1);
  CHECK(processes_per_node(constant(1, 1), 0, 2, {8, 4, 1}, limits) == 4);
}

TEST_CASE("the account of an adjustment", "[sizes]") {
  Workload w = of_sizes({1, 8, 6});
  AskedSlowdowns model = constant(1, 1.2);
  model.ask_over_processors = [](JobIndex j) { return j == 2 ? 1.15 : 1.0; };
  adjust_sizes(w, model, kMachine, {});
  REQUIRE(w.adjusted);
  CHECK(w.adjusted->serial == 1);
  CHECK(w.adjusted->full == 1);
  CHECK(w.adjusted->one == 1);
  CHECK(w.adjusted->half == 0);
  // 15 nodes x 100 s in 200 s on 128 nodes; then 8 processes per... 32 processes on 8 nodes, at 1.2.
  CHECK(w.adjusted->load_before == Approx(15 * 100 / (200.0 * 128)));
  CHECK(w.adjusted->load_after == Approx((7 + 8 * 1.2) * 100 / (200.0 * 128)));
}

TEST_CASE("an adjusted workload has the published shares and little more work", "[sizes]") {
  // Zeng 2009: processes per node by Equation 11 and Table 4; Table 5: shares of short, medium and long jobs and of
  // their work. Powers of two that are multiplied exactly bring 4 to 5 % of load.
  double jobs = 0, four = 0, two = 0, one = 0, more = 0;
  std::array<double, 3> count{}, work{};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    LublinOptions options;
    options.jobs = 10000;
    options.nodes = 128;
    options.seed = seed;
    options.alpha = 10.33;
    Workload w = generate_lublin(options);
    const DrawnSlowdowns model(seed, w.jobs.size());
    for (const Job& job : w.jobs) {
      const std::size_t c = class_of(job.runtime, MetricsOptions{}.classes);
      count[c] += 1;
      work[c] += to_seconds(job.runtime) * job.size;
    }
    Workload formula = w, drawn = w;
    adjust_sizes(w, model, kMachine, {});
    SizeAdjustment options_f;
    options_f.rounding = SizeAdjustment::Rounding::kFormula;
    adjust_sizes(formula, model, kMachine, options_f);
    options_f.rounding = SizeAdjustment::Rounding::kDrawnPowerOfTwo;
    adjust_sizes(drawn, model, kMachine, options_f);
    jobs += static_cast<double>(w.adjusted->one + w.adjusted->half + w.adjusted->full);
    four += static_cast<double>(w.adjusted->full);
    two += static_cast<double>(w.adjusted->half);
    one += static_cast<double>(w.adjusted->one);
    more += w.adjusted->load_after / w.adjusted->load_before / 3;
    CHECK(formula.adjusted->load_after / formula.adjusted->load_before == Approx(1).margin(.03));
    CHECK(drawn.adjusted->load_after / drawn.adjusted->load_before == Approx(1).margin(.03));
    for (const Job& job : w.jobs) REQUIRE(job.size <= 512);
  }
  CHECK(four / jobs == Approx(.362).margin(.01));
  CHECK(two / jobs == Approx(.382).margin(.01));
  CHECK(one / jobs == Approx(.256).margin(.01));
  CHECK(more == Approx(1.045).margin(.01));
  const double all = count[0] + count[1] + count[2], all_work = work[0] + work[1] + work[2];
  const std::array<double, 3> jobs_published{.64, .195, .165}, work_published{.005, .26, .735};
  for (std::size_t c = 0; c != 3; ++c) {
    CHECK(count[c] / all == Approx(jobs_published[c]).margin(.01));
    CHECK(work[c] / all_work == Approx(work_published[c]).margin(.02));
  }
}

}  // namespace size_adjustment_test
