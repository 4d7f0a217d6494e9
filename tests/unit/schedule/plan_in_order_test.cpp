// A plan that is cut short where nothing more could start, against the whole plan, which is made where promises are
// heard.
#include "catch.h"
#include "core/work_count.h"
#include "observe/recorder.h"
#include "resource_cases.h"
#include "run/simulation.h"
#include "schedule/plan_in_order.h"
#include "sim_helpers.h"

namespace plan_in_order_test {

using namespace coslice;

namespace {

class Planner : public Scheduler {
 public:
  explicit Planner(PlanOptions options) : options_(std::move(options)) {}
  void schedule(View& view, const Pass&) override {
    PlanOptions options = options_;
    if (stops_of_ > 0) options.preempts = [&](JobIndex j) { return ways(view, j); };
    if (one_of_third_) options.may_start = [&](JobIndex j) { return j % 3 != 0 || runs_no_third(view); };
    const PlanResult made = plan_in_order(view, options);
    cut_short += made.complete ? 0 : 1;
    stopped += made.stopped;
  }
  /// Jobs whose number is a multiple of `of` may stop those whose number is one more.
  void stop_others(JobIndex of) { stops_of_ = of; }
  /// Of each third job one runs at a time.
  void run_one_of_third() { one_of_third_ = true; }
  std::int64_t cut_short = 0;
  std::size_t stopped = 0;

 private:
  static bool runs_no_third(const View& view) {
    return std::ranges::none_of(view.started(), [](const StartedJob& job) { return job.index % 3 == 0; });
  }
  std::vector<PlanPreemption> ways(View& view, JobIndex j) const {
    if (j % stops_of_ != 0) return {};
    PlanPreemption way;
    way.order.how = StopOrder::How::kCancel;
    for (const StartedJob& job : view.started())
      if (job.index % stops_of_ == 1 && job.leaves == kNever) way.candidates.push_back(view.find_started(job.index));
    if (way.candidates.empty()) return {};
    return {way};
  }

  PlanOptions options_;
  JobIndex stops_of_ = 0;  ///< 0: none stops another
  bool one_of_third_ = false;
};

struct Listener : Observer {
  bool hears_promises() const override { return true; }
};

struct Planned {
  std::vector<Time> starts;
  std::int64_t cut_short = 0;
  std::size_t stopped = 0;
};

Planned planned(const cases::Case& c, Planner& planner, bool heard) {
  Recorder recorder(c.workload, c.machine);
  Listener listener;
  Simulation simulation(c.machine, c.workload.jobs, planner, EngineOptions{}, {&c.workload.requests});
  simulation.add(recorder);
  if (heard) simulation.add(listener);
  simulation.run();
  Planned out{{}, planner.cut_short, planner.stopped};
  for (const Outcome& o : recorder.take().outcomes) out.starts.push_back(o.start);
  return out;
}

Planned planned(const cases::Case& c, const PlanOptions& options, bool heard, JobIndex stops_of = 0) {
  Planner planner(options);
  planner.stop_others(stops_of);
  return planned(c, planner, heard);
}

/// Of each third job one may run at a time.
Planned planned_one_of_third(const cases::Case& c, const PlanOptions& options) {
  Planner planner(options);
  planner.run_one_of_third();
  return planned(c, planner, false);
}

/// A machine of that many nodes of 4 cores, and no jobs.
cases::Case equal_nodes(std::int32_t count) {
  cases::Case c;
  auto layout = std::make_shared<MachineLayout>();
  NodeKind kind;
  kind.name = "n";
  kind.count = count;
  kind.cores = 4;
  layout->kinds.push_back(kind);
  c.machine = MachineSpec{count};
  c.machine.layout = layout;
  return c;
}

/// A job that comes at `submit` s and has so many cores of each of its nodes.
void add_job(cases::Case& c, std::int64_t submit, std::int32_t nodes, std::int64_t runtime, std::int32_t cores = 4) {
  Request r;
  r.cores = cores * kWholeCore;
  r.nodes = nodes;
  Job job;
  job.id = std::ssize(c.workload.jobs) + 1;
  job.submit = Time{whole_seconds(submit)};
  job.request = c.workload.requests.intern(r);
  job.size = r.nodes;
  job.runtime = job.limit = whole_seconds(runtime);
  c.workload.jobs.push_back(job);
}

}  // namespace

TEST_CASE("a plan that is cut short starts what the whole plan starts", "[plan]") {
  std::int64_t cut_short = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const cases::Case c = cases::random_case(seed, seed % 3 == 0);
    PlanOptions options;
    if (seed % 2 == 0) options.keeps = ReservationKeeps::kWholeNodes;
    if (seed % 5 == 0) options.limits = {{{find_attribute("user")}, 2}};
    if (seed % 7 == 0) options.depth = 4;
    if (seed % 11 < 5) options.ends = {whole_seconds(static_cast<std::int64_t>(seed % 11)), {}};
    if (seed % 13 < 6) options.resolution = whole_seconds(static_cast<std::int64_t>(seed % 13));
    const Planned fast = planned(c, options, false), whole = planned(c, options, true);
    INFO("seed " << seed);
    REQUIRE(fast.starts == whole.starts);
    REQUIRE(whole.cut_short == 0);
    cut_short += fast.cut_short;
  }
  CHECK(cut_short > 100);
}

TEST_CASE("a plan of equal nodes that is cut short starts what the whole plan starts", "[plan]") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Workload w = test::random_workload(seed, 30, 8);
    cases::Case c{MachineSpec{8}, std::move(w)};
    REQUIRE(planned(c, {}, false).starts == planned(c, {}, true).starts);
  }
}

TEST_CASE("a plan is made as far as the last job that could start or stop others, and no further", "[plan]") {
  std::int64_t cut_short = 0;
  std::size_t stopped = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const cases::Case c = cases::random_case(seed, seed % 3 == 0);
    PlanOptions options;
    options.keeps = ReservationKeeps::kWholeNodes;
    options.resolution = whole_seconds(2);
    options.ends = {whole_seconds(3), {}, true};
    const Planned fast = planned(c, options, false, 4), whole = planned(c, options, true, 4);
    INFO("seed " << seed);
    REQUIRE(fast.starts == whole.starts);
    REQUIRE(fast.stopped == whole.stopped);
    cut_short += fast.cut_short;
    stopped += fast.stopped;
  }
  CHECK(cut_short > 50);
  CHECK(stopped > 5);
}

TEST_CASE("on a full machine no more of a long queue is looked at because some job might stop others", "[plan]") {
  // A job has the machine for 1,000 s, and 300 jobs that stop none wait for it.
  cases::Case c = equal_nodes(20);
  for (std::int64_t i = 0; i != 301; ++i) add_job(c, i, 20, i == 0 ? 1000 : 10);
  PlanOptions options;
  options.keeps = ReservationKeeps::kWholeNodes;
  options.resolution = whole_seconds(2);
  options.ends = {whole_seconds(3), {}, true};
  const auto looks = [&](JobIndex stops_of) {
    const std::uint64_t before = work_of_thread.looks;
    planned(c, options, false, stops_of);
    return work_of_thread.looks - before;
  };
  CHECK(looks(1000) <= looks(0));  // the first job alone might, which runs
}

TEST_CASE("a plan whose refusals stay starts what it starts without", "[plan]") {
  std::int64_t cut_short = 0, cut_before = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const cases::Case c = cases::random_case(seed, seed % 3 == 0);
    PlanOptions options;
    options.keeps = ReservationKeeps::kWholeNodes;
    if (seed % 2 == 0) {
      options.resolution = whole_seconds(2);
      options.ends = {whole_seconds(3), {}, true};
    }
    if (seed % 5 == 0) options.limits = {{{find_attribute("user")}, 2}};
    const Planned without = planned_one_of_third(c, options);
    options.refusals_stay = true;
    const Planned with = planned_one_of_third(c, options);
    INFO("seed " << seed);
    REQUIRE(with.starts == without.starts);
    cut_before += without.cut_short;
    cut_short += with.cut_short;
  }
  CHECK(cut_short > cut_before);
}

TEST_CASE("no plan of all jobs is made for those that limits keep from free nodes", "[plan]") {
  // Two jobs of 8 nodes run at a time, and one of the third ones, which would have room.
  cases::Case c = equal_nodes(20);
  for (std::int64_t i = 0; i != 120; ++i) add_job(c, i, i % 3 == 0 ? 1 : 8, i % 3 == 0 ? 200 : 50 + i % 7, 3);
  PlanOptions options;
  options.keeps = ReservationKeeps::kWholeNodes;
  options.resolution = whole_seconds(2);
  options.ends = {whole_seconds(3), {}, true};
  const auto looks = [&] {
    const std::uint64_t before = work_of_thread.looks;
    planned_one_of_third(c, options);
    return work_of_thread.looks - before;
  };
  const std::uint64_t all = looks();
  options.refusals_stay = true;
  CHECK(looks() < all / 2);
}

}  // namespace plan_in_order_test
