// What view:units counts for policies that give GPUs or divide them, against policies that count for themselves: the
// same schedules.
#include "catch.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "case_range.h"
#include "core/random.h"
#include "runner/runner.h"
#include "scenario/load.h"
#include "unit_twin.h"

namespace unit_plan_test {

using namespace coslice;

namespace {

/// When each job started and ended, and on which nodes.
std::vector<std::string> lives(const Scenario& scenario, const std::vector<GivenPolicy>& given) {
  const Runner runner(scenario, given);
  const PolicyRun run = runner.run(0);
  std::vector<std::string> all;
  for (std::size_t j = 0; j != run.result.outcomes.size(); ++j) {
    const Outcome& o = run.result.outcomes[j];
    all.push_back(fmt::format("job {}: {} to {} on {}, state {}", j, o.start.time_since_epoch().count(),
                              o.end.time_since_epoch().count(), run.result.archive.get(o.nodes).str(),
                              static_cast<int>(o.state)));
  }
  return all;
}

struct Case {
  std::string machine, slowdown, jobs, params;
};

std::string scenario_text(const Case& c) {
  return fmt::format("{}\n[slowdown]\nmodel = 'script'\nscript = '{}/tests/policies/slowdowns/{}'\namong = 'gpu'\n"
                     "[engine]\nat_limit = 'extend'\ntrusted = true\n[workload]\njobs = [\n{}]\n[policy.params]\n{}",
                     c.machine, COSLICE_SOURCE, c.slowdown, c.jobs, c.params);
}

void same_schedule(const Case& c, const std::string& policy, const std::string& own_params, const char* twin,
                   const std::string& twin_params) {
  const auto run = [&](const std::string& name, const std::string& params, const std::vector<GivenPolicy>& given) {
    Scenario s = check_scenario(parse_scenario_tree(scenario_text(c) + params, "t.toml"));
    s.policy.names = {name};
    return lives(s, given);
  };
  INFO(scenario_text(c) << own_params);
  CHECK(run(policy, own_params, {}) == run("twin", twin_params, {GivenPolicy(Script{"twin", twin})}));
}

std::string random_jobs(RandomStream& random, int count, bool slices) {
  const auto pick = [&](int n) { return static_cast<int>(random.uniform() * n); };
  std::string jobs;
  double time = 0;
  for (int i = 0; i != count; ++i) {
    time += pick(4) == 0 ? 0 : random.exponential(40);
    const int runtime = 1 + pick(300);
    const int gpus = pick(8) == 0 ? pick(3) : 1;
    const int nodes = gpus < 2 && pick(12) == 0 ? 2 : 1;
    const double share = gpus == 0 || pick(6) == 0 ? 1 : slices ? (pick(4) == 0 ? 0.4 : 0.1) : 0.5;
    jobs += fmt::format(
        "  {{ submit = {}, nodes = {}, runtime = {}, executable = {}, request = {{ cores = {}, gpus = {}{} }} }},\n",
        static_cast<int>(time), nodes, runtime, 1 + pick(slices ? 3 : 2), 1 + pick(2), gpus,
        gpus == 0 ? "" : fmt::format(", gpu_share = {}", share));
  }
  return jobs;
}

}  // namespace

TEST_CASE("plans of what jobs are to have are those of a policy that counts for itself", "[units]") {
  for (const std::uint64_t seed : test::cases_at_length(1, 60)) {
    RandomStream random(seed, "unit plan");
    const auto pick = [&](int n) { return static_cast<int>(random.uniform() * n); };
    Case c;
    c.machine = fmt::format("[[machine.nodes]]\nname = 'slow'\ncount = {}\ncores = 4\ngpus = {}\ngpu_type = 'slow'\n"
                            "[[machine.nodes]]\nname = 'fast'\ncount = {}\ncores = {}\ngpus = 2\ngpu_type = 'fast'\n",
                            1 + pick(2), 1 + pick(2), 1 + pick(3), 2 + pick(3));
    c.slowdown = "gpus.lua";
    c.jobs = random_jobs(random, 40, false);
    c.params = fmt::format("round = {}\nperiod = {}\nrestart = {}\n",
                           std::vector{0, 0, 30, 60}[static_cast<std::size_t>(pick(4))], pick(2) * 50, pick(2) * 3);
    same_schedule(c, "gpu_fifo", "", unit_twin::kAllocation, "");
    same_schedule(c, "gpu_fifo_packed", "least = 1.2\n", unit_twin::kAllocation, "packed = true\n");
    same_schedule(c, "gpu_sjf", "", unit_twin::kAllocation, "order = 'limit, running first'\n");
    same_schedule(c, "gpu_sjf", "preempt = true\n", unit_twin::kAllocation, "order = 'limit'\n");
  }
}

TEST_CASE("plans by the time that jobs have been served are those of a policy that counts for itself", "[units]") {
  constexpr const char* kServed = "local gpus = require 'gpu_allocation'\n"
                                  "return gpus.policy({ api = 1, name = 'served', version = '1' }, { always = true, "
                                  "order = function() return 0 end,\n"
                                  "  rank = function(_, served) return served // 500 end })";
  for (const std::uint64_t seed : test::cases_at_length(1, 30)) {
    RandomStream random(seed, "unit plan by time served");
    Case c;
    c.machine = "[[machine.nodes]]\nname = 'slow'\ncount = 2\ncores = 4\ngpus = 1\ngpu_type = 'slow'\n"
                "[[machine.nodes]]\nname = 'fast'\ncount = 2\ncores = 4\ngpus = 2\ngpu_type = 'fast'\n";
    c.slowdown = "gpus.lua";
    c.jobs = random_jobs(random, 30, false);
    c.params = fmt::format("round = {}\nperiod = 50\nrestart = 2\n", seed % 2 * 60);
    const auto run = [&](const char* script, const std::string& params) {
      Scenario s = check_scenario(parse_scenario_tree(scenario_text(c) + params, "t.toml"));
      s.policy.names = {"p"};
      return lives(s, {GivenPolicy(Script{"p", script})});
    };
    INFO(scenario_text(c));
    CHECK(run(kServed, "") == run(unit_twin::kAllocation, "order = 'served'\n"));
  }
}

TEST_CASE("divided GPUs are those of a policy that counts for itself", "[units]") {
  for (const std::uint64_t seed : test::cases_at_length(1, 60)) {
    RandomStream random(seed, "unit slices");
    const auto pick = [&](int n) { return static_cast<int>(random.uniform() * n); };
    Case c;
    c.machine =
        fmt::format("[[machine.nodes]]\nname = 'new'\ncount = {}\ncores = {}\ngpus = {}\ngpu_type = 'new'\nslices = 7\n"
                    "[[machine.nodes]]\nname = 'old'\ncount = 1\ncores = 4\ngpus = 2\ngpu_type = 'old'\n",
                    1 + pick(2), 3 + pick(6), 1 + pick(2));
    c.slowdown = "slices.lua";
    c.jobs = random_jobs(random, 40, true);
    c.params = fmt::format("move = {}\nrestart = {}\nleast = {}\n", pick(3) != 0, pick(2) * 10, pick(2) * 0.1);
    same_schedule(c, "gpu_mig", "", unit_twin::kSlices, "");
  }
}

}  // namespace unit_plan_test
