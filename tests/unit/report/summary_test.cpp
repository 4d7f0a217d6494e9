#include "metrics/summary.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "catch.h"
#include "metrics/figures.h"

namespace summary_test {

using namespace coslice;

namespace {

Time at(std::int64_t s) { return Time{whole_seconds(s)}; }

/// A workload and what became of it, built job by job.
struct Run {
  Workload workload;
  RunResult result;

  explicit Run(std::int32_t nodes) { result.machine.nodes = nodes; }

  Job& job(std::int64_t submit, std::int64_t runtime, std::int64_t start, FinalState state = FinalState::kCompleted) {
    Job j;
    j.id = static_cast<std::int64_t>(workload.jobs.size()) + 1;
    j.submit = at(submit);
    j.runtime = j.limit = whole_seconds(runtime);
    workload.jobs.push_back(j);
    Outcome o;
    o.state = state;
    const bool ran = state == FinalState::kCompleted || state == FinalState::kWalltimeReached;
    if (ran) o.start = at(start), o.end = at(start + runtime);
    result.outcomes.push_back(o);
    return workload.jobs.back();
  }
  void point(std::int64_t time, int queue, int nodes, int cores) {
    result.timeline.push_back({at(time), queue, nodes, cores});
  }
  Summary summary(const MetricsOptions& options = {}) {
    result.workload = &workload;
    return summarize(result, options);
  }
};

}  // namespace

TEST_CASE("a summary of five jobs worked by hand", "[summary]") {
  Run run(4);
  run.result.machine.cores = 2;
  run.job(0, 100, 0).user = 7;
  run.job(0, 200, 100).user = 3;
  run.job(10, 1000, 300).user = 7;
  run.job(20, 5, 1300).user = 3;
  run.job(30, 1, 0, FinalState::kRejected).user = 9;
  run.point(0, 1, 2, 4);     // 100 s
  run.point(100, 3, 4, 4);   // 200 s
  run.point(300, 1, 1, 2);   // 1000 s
  run.point(1300, 0, 2, 4);  // 5 s
  run.point(1305, 0, 0, 0);
  const Summary s = run.summary();

  CHECK(s.jobs == 5);
  CHECK(s.finished == 4);
  CHECK(s.rejected == 1);
  CHECK(s.killed == 0);
  CHECK(s.makespan == 1305);
  CHECK(s.utilization == Approx((200 + 800 + 1000 + 10) / (1305.0 * 4)).epsilon(1e-14));
  CHECK(s.core_utilization == Approx((400 + 800 + 2000 + 20) / (1305.0 * 8)).epsilon(1e-14));
  CHECK(s.mean_queue == Approx((100 + 600 + 1000) / 1305.0).epsilon(1e-14));
  CHECK(s.max_queue == 3);

  // Waits 0, 100, 290, 1280. The median lies halfway between ranks 1 and 2, the 95th percentile at rank 2.85, the
  // 99th at 2.97.
  CHECK(s.all.name == "all");
  CHECK(s.all.jobs == 4);
  CHECK(s.all.wait.mean == 417.5);
  CHECK(s.all.wait.median == 195);
  CHECK(s.all.wait.p95 == 1131.5);
  CHECK(s.all.wait.p99 == Approx(1250.3).epsilon(1e-14));
  CHECK(s.all.wait.max == 1280);
  // Responses 100, 300, 1290, 1285.
  CHECK(s.all.response.mean == 743.75);
  CHECK(s.all.response.median == 792.5);
  CHECK(s.all.response.max == 1290);
  // Bounded at 10 s: 1, 1.5, 1.29, 128.5.
  CHECK(s.all.bounded_slowdown.mean == Approx(33.0725).epsilon(1e-14));
  CHECK(s.all.bounded_slowdown.median == Approx(1.395).epsilon(1e-14));
  CHECK(s.all.bounded_slowdown.max == 128.5);
  // Unbounded: 1, 1.5, 1.29, 257.
  CHECK(s.mean_slowdown == Approx(65.1975).epsilon(1e-14));
  CHECK(s.max_slowdown == 257);

  REQUIRE(s.by_class.size() == 3);
  CHECK(s.by_class[0].name == "short");
  CHECK(s.by_class[0].jobs == 3);
  CHECK(s.by_class[0].wait.mean == 460);
  CHECK(s.by_class[1].name == "medium");
  CHECK(s.by_class[1].jobs == 1);
  CHECK(s.by_class[1].wait.p95 == 290);
  CHECK(s.by_class[2].name == "long");
  CHECK(s.by_class[2].jobs == 0);
  CHECK(s.by_class[2].wait.max == 0);

  REQUIRE(s.by_user.size() == 2);  // the user whose only job was rejected has no figures
  CHECK(s.by_user[0].name == "3");
  CHECK(s.by_user[0].wait.mean == 690);
  CHECK(s.by_user[1].name == "7");
  CHECK(s.by_user[1].wait.mean == 145);
  CHECK(s.by_queue.empty());
}

TEST_CASE("a killed job is judged by the time that it was allowed", "[summary]") {
  Run run(1);
  Job& killed = run.job(0, 100, 50, FinalState::kWalltimeReached);
  killed.runtime = whole_seconds(400);
  const Summary s = run.summary();
  CHECK(s.killed == 1);
  CHECK(s.finished == 1);
  CHECK(s.all.response.mean == 150);
  CHECK(s.all.bounded_slowdown.mean == 1.5);
  CHECK(s.max_slowdown == 1.5);
}

TEST_CASE("a job that ran past its limit is judged by its run time", "[summary]") {
  Run run(1);
  run.job(0, 100, 100).limit = whole_seconds(10);
  CHECK(run.summary().all.bounded_slowdown.mean == 2);
}

TEST_CASE("jobs still waiting or running are counted and nothing else", "[summary]") {
  Run run(2);
  run.job(0, 10, 0);
  run.job(5, 10, 0, FinalState::kNotRun);
  const Summary s = run.summary();
  CHECK(s.jobs == 2);
  CHECK(s.finished == 1);
  CHECK(s.makespan == 10);
  CHECK(s.all.jobs == 1);
}

TEST_CASE("a run without jobs has a summary of zeros", "[summary]") {
  Run run(2);
  Summary s = run.summary();
  CHECK(s.jobs == 0);
  CHECK(s.makespan == 0);
  CHECK(s.utilization == 0);
  CHECK(s.by_class.size() == 3);
  run.job(5, 10, 0, FinalState::kRejected);
  s = run.summary();
  CHECK(s.rejected == 1);
  CHECK(s.makespan == 0);
  CHECK(s.mean_slowdown == 0);
}

TEST_CASE("the timeline is cut to the span from first submission to last end", "[summary]") {
  Run run(2);
  run.job(10, 10, 10);
  run.point(0, 0, 2, 2);  // before the first submission
  run.point(10, 4, 1, 1);
  run.point(20, 8, 2, 2);  // after the last end
  run.point(30, 0, 0, 0);
  const Summary s = run.summary();
  CHECK(s.utilization == 0.5);
  CHECK(s.mean_queue == 4);
}

TEST_CASE("classes hold run times up to their bound", "[summary]") {
  const MetricsOptions o;
  CHECK(class_of(whole_seconds(600), o.classes) == 0);
  CHECK(class_of(whole_seconds(600) + Duration{1}, o.classes) == 1);
  CHECK(class_of(whole_seconds(10800), o.classes) == 1);
  CHECK(class_of(whole_seconds(10801), o.classes) == 2);
  CHECK(class_of(whole_seconds(5), {{"tiny", whole_seconds(1)}}) == 1);
}

TEST_CASE("jobs beyond every class are not lost", "[summary]") {
  Run run(1);
  run.job(0, 5, 0);
  MetricsOptions o;
  o.classes = {{"tiny", whole_seconds(1)}};
  const Summary s = run.summary(o);
  REQUIRE(s.by_class.size() == 2);
  CHECK(s.by_class[0].jobs == 0);
  CHECK(s.by_class[1].name == "other");
  CHECK(s.by_class[1].jobs == 1);
}

TEST_CASE("trimming cuts the same number of jobs at both ends", "[summary]") {
  Run run(1);
  for (int i = 0; i < 150; ++i) run.job(i, 1, i + (i < 3 || i >= 147 ? 1000 : 0));
  const Summary s = run.summary();
  CHECK(s.all.wait.max == 1000);
  CHECK(s.trimmed.jobs == 144);
  CHECK(s.trimmed.wait.max == 0);
  CHECK(s.trimmed_by_class[0].jobs == 144);
  MetricsOptions o;
  o.trim = 0;
  CHECK(run.summary(o).trimmed.jobs == 150);
  o.trim = 0.5;
  CHECK(run.summary(o).trimmed.jobs == 0);
}

TEST_CASE("users some of which are unknown still add up", "[summary]") {
  Run run(1);
  run.job(0, 1, 0).queue = 2;
  run.job(0, 1, 0);
  run.job(0, 1, 0).queue = 10;
  const Summary s = run.summary();
  REQUIRE(s.by_queue.size() == 3);
  CHECK(s.by_queue[0].name == "-1");
  CHECK(s.by_queue[1].name == "2");
  CHECK(s.by_queue[2].name == "10");
}

namespace {

/// The definition itself, on sorted values.
double percentile_7(std::vector<double> x, double p) {
  std::sort(x.begin(), x.end());
  const double h = static_cast<double>(x.size() - 1) * p;
  const auto low = static_cast<std::size_t>(h);
  const std::size_t high = std::min(low + 1, x.size() - 1);
  return x[low] + (h - std::floor(h)) * (x[high] - x[low]);
}

}  // namespace

TEST_CASE("statistics agree with their definition on random runs", "[summary]") {
  std::mt19937 random(7);
  for (int n = 1; n <= 120; ++n) {
    Run run(8);
    std::vector<double> waits, slowdowns;
    for (int i = 0; i < n; ++i) {
      const auto wait = static_cast<int>(random() % 4 == 0 ? 0 : random() % 5000);
      const auto runtime = static_cast<int>(1 + random() % 2000);
      run.job(i, runtime, i + wait);
      waits.push_back(wait);
      slowdowns.push_back(std::max(1.0, (wait + runtime) / static_cast<double>(std::max(runtime, 10))));
    }
    const Summary s = run.summary();
    double sum = 0, slowdown_sum = 0;
    for (double w : waits) sum += w;
    for (double b : slowdowns) slowdown_sum += b;
    CHECK(s.all.wait.mean == Approx(sum / n).epsilon(1e-12));
    CHECK(s.all.wait.median == Approx(percentile_7(waits, 0.5)).epsilon(1e-12));
    CHECK(s.all.wait.p95 == Approx(percentile_7(waits, 0.95)).epsilon(1e-9));
    CHECK(s.all.wait.p99 == Approx(percentile_7(waits, 0.99)).epsilon(1e-9));
    CHECK(s.all.wait.max == *std::max_element(waits.begin(), waits.end()));
    CHECK(s.all.bounded_slowdown.mean == Approx(slowdown_sum / n).epsilon(1e-12));
    CHECK(s.all.bounded_slowdown.median == Approx(percentile_7(slowdowns, 0.5)).epsilon(1e-12));
    CHECK(s.all.bounded_slowdown.p95 == Approx(percentile_7(slowdowns, 0.95)).epsilon(1e-9));
  }
}

TEST_CASE("relative response time is bounded below by a minute and not clamped at 1", "[summary]") {
  Run run(1);
  run.job(0, 30, 0);       // 30 / 60
  run.job(0, 120, 30);     // 150 / 120
  run.job(100, 900, 150);  // 950 / 900, medium
  const Summary s = run.summary();
  CHECK(s.by_class[0].mean_relative_response == Approx((0.5 + 1.25) / 2).epsilon(1e-14));
  CHECK(s.by_class[1].mean_relative_response == Approx(950 / 900.0).epsilon(1e-14));
  CHECK(s.all.mean_relative_response == Approx((0.5 + 1.25 + 950 / 900.0) / 3).epsilon(1e-14));
  MetricsOptions options;
  options.relative_response_bound = whole_seconds(10);
  CHECK(run.summary(options).by_class[0].mean_relative_response == Approx((1 + 1.25) / 2).epsilon(1e-14));
  CHECK_FALSE(s.slices.has_value());
}

TEST_CASE("overhead of both models is counted in job-seconds", "[summary]") {
  Run run(4);
  run.job(0, 1000, 0);
  run.job(0, 3000, 0);
  run.job(0, 1, 0, FinalState::kRejected);
  run.point(0, 0, 4, 4);  // 3000 s on 4 nodes
  run.point(3000, 0, 0, 0);
  run.result.overhead = {whole_seconds(100), whole_seconds(40), {}};
  run.result.first_load = {whole_seconds(60), whole_seconds(40), {}};
  run.result.sliced = {{3, 1, 1, whole_seconds(80)}, {2, 2, 3, whole_seconds(40)}, {}};
  run.result.switch_time = whole_seconds(10);
  const Summary s = run.summary();
  REQUIRE(s.slices.has_value());
  CHECK(s.slices->overhead == 100 + 10 + 40 + 20);
  CHECK(s.slices->overhead_without_first_loads == 70);
  CHECK(s.slices->share == Approx(170 / 4000.0).epsilon(1e-14));
  CHECK(s.slices->share_without_first_loads == Approx(70 / 4000.0).epsilon(1e-14));
  CHECK(s.slices->share_by_nodes == Approx((110 + 3 * 60) / (1000.0 + 3 * 3000)).epsilon(1e-14));
  CHECK(s.utilization == 1);
  CHECK(s.slices->utilization_without_loading == Approx(1 - (80 + 3 * 40) / 12000.0).epsilon(1e-14));
}

TEST_CASE("a run is compared with its reference", "[summary]") {
  Run slow(1), fast(1);
  slow.job(0, 100, 100);   // 2
  fast.job(0, 100, 50);    // 1.5
  slow.job(0, 900, 900);   // 2
  fast.job(0, 900, 1800);  // 3
  for (Run* r : {&slow, &fast}) r->result.sliced.resize(2);
  slow.result.overhead = {whole_seconds(50), whole_seconds(50)};
  fast.result.overhead = {whole_seconds(45), whole_seconds(45)};
  const Comparison c = compare(slow.summary(), fast.summary());
  CHECK(c.overhead_reduction == Approx(0.1).epsilon(1e-14));
  REQUIRE(c.by_class.size() == 3);
  CHECK(c.by_class[0].name == "short");
  CHECK(c.by_class[0].response_improvement == Approx(0.25).epsilon(1e-14));
  CHECK(c.by_class[1].response_improvement == Approx(-0.5).epsilon(1e-14));
  CHECK(std::isnan(c.by_class[2].response_improvement));  // there are no long jobs
  CHECK(c.all.response_improvement == Approx(-0.125).epsilon(1e-14));
  Run plain(1);
  plain.job(0, 100, 0);
  CHECK(std::isnan(compare(plain.summary(), fast.summary()).overhead_reduction));
}

TEST_CASE("The catalogue: a path is declared once, and every figure says what it is", "[summary]") {
  std::set<std::string> paths;
  for (const FigureSection& section : figure_sections()) {
    CHECK_FALSE(section.doc.empty());
    for (const RunFigure& f : section.figures) {
      const std::string path = section.path.empty() ? f.path : section.path + "." + f.path;
      INFO(path);
      CHECK(paths.insert(path).second);
      CHECK(find_run_figure(path) == &f);
      CHECK(f.doc.back() == '.');
      CHECK_FALSE(f.quantity.empty());
    }
  }
  CHECK(paths.count("slices.overhead_share") == 1);
  CHECK(find_run_figure("slices.no_such") == nullptr);
}

}  // namespace summary_test
