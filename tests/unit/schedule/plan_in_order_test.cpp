// A plan that is cut short where nothing more could start, against the whole plan, which is made where promises are
// heard.
#include "catch.h"
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
  void schedule(View& view, const Pass&) override { cut_short += plan_in_order(view, options_).complete ? 0 : 1; }
  std::int64_t cut_short = 0;

 private:
  PlanOptions options_;
};

struct Listener : Observer {
  bool hears_promises() const override { return true; }
};

struct Planned {
  std::vector<Time> starts;
  std::int64_t cut_short = 0;
};

Planned planned(const cases::Case& c, const PlanOptions& options, bool heard) {
  Planner planner(options);
  Recorder recorder(c.workload, c.machine);
  Listener listener;
  Simulation simulation(c.machine, c.workload.jobs, planner, EngineOptions{}, {&c.workload.requests});
  simulation.add(recorder);
  if (heard) simulation.add(listener);
  simulation.run();
  Planned out{{}, planner.cut_short};
  for (const Outcome& o : recorder.take().outcomes) out.starts.push_back(o.start);
  return out;
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

}  // namespace plan_in_order_test
