// simulate, runs, golden snapshots and properties of regression suites.
#include "testing_helpers.h"

#include "catch.h"

namespace testing_simulate_test {

using namespace coslice;
using namespace coslice::test;

TEST_CASE("simulate: everything that a run tells", "[testing]") {
  const SuiteRun run = run_text(R"(
it("holds", function()
  local run = simulate { policy = "easy", nodes = 10, jobs = {
    job{submit=0, nodes=6, runtime=10, id=7, user=3},
    job{submit=0, nodes=8, runtime=10, user=4, queue=1},
    job{submit=2, nodes=4, runtime=900.25, limit=8, user=3},
    job{submit=1, nodes=11, runtime=5},
  } }
  expect(run.policy).equals("easy")
  expect(run.nodes).equals(10)
  expect(#run.jobs).equals(4)
  expect(run).starts { 0, 10, 2, false }
  expect(run).finishes { 10, 20, 10, false }
  expect(run).never.starts { 0, 10, 2 }
  local first, third, fourth = run.jobs[1], run.jobs[3], run.jobs[4]
  expect({ first.id, first.submit, first.entered, first.nodes, first.processes, first.runtime, first.limit, first.user, first.group, first.queue })
    .equals { 7, 0, 0, 6, 6, 10, 10, 3, -1, -1 }
  expect({ first.wait, first.response, first.bounded_slowdown, first.allocated, first.state })
    .equals { 0, 10, 1, "0-5", "completed" }
  expect({ third.id, third.runtime, third.limit, third.wait, third.response, third.allocated, third.state })
    .equals { 3, 900.25, 8, 0, 8, "6-9", "killed" }
  expect({ fourth.id, fourth.state, fourth.allocated }).equals { 4, "rejected", "" }
  expect(fourth.start).is_nil()
  expect(fourth.wait).is_nil()
  local s = run.summary
  expect({ s.nb_jobs, s.nb_jobs_finished, s.nb_jobs_killed, s.nb_jobs_rejected, s.makespan, s.max_queue_length }).equals { 4, 3, 1, 1, 20, 1 }
  expect(s.utilization).near((60 + 80 + 32) / 200, 1e-12)
  expect(s.all.wait.mean).near(10 / 3, 1e-12)
  expect({ s.all.wait.median, s.all.wait.p95, s.all.wait.max, s.all.response.max }).equals { 0, 9, 10, 20 }
  expect(s.all.bounded_slowdown.max).equals(2)
  expect(s.by_user[3].jobs).equals(2)
  expect(s.by_queue[1].wait.max).equals(10)
  expect(s.by_class.short.jobs).equals(2)
  expect(s.by_class.medium.jobs).equals(1)
  expect(s.trimmed.all.jobs).equals(3)
  expect(s.trimmed.by_class.short.jobs).equals(2)
  expect(run.fingerprint).matches("^%x+$")
  expect(#run.fingerprint).equals(16)
  expect(run).violates_nothing()
  expect(run).keeps_promises()
  local seen = {}
  for i, job in ipairs(run.jobs) do seen[i] = job.id end
  for i, job in pairs(run.jobs) do expect(job.id).equals(seen[i]) end
  expect(seen).equals { 7, 2, 3, 4 }
  expect(run.jobs[5]).is_nil()
  expect(tostring(run)).equals("a run of 'easy'")
  expect(simulate { policy = "easy", nodes = 1, jobs = { job{nodes=1, runtime=1} } }.fingerprint).never.equals(run.fingerprint)
end)
it("keeps the order in which jobs are written", function()
  local run = simulate { policy = "fcfs", nodes = 1, jobs = { job{submit=9, nodes=1, runtime=1}, job{submit=0, nodes=1, runtime=20} } }
  expect(run).starts { 20, 0 }
  expect(run.jobs[1].submit).equals(9)
end)
it("is exact to the nanosecond", function()
  local run = simulate { policy = "fcfs", nodes = 1, jobs = { job{nodes=1, runtime=0.1}, job{nodes=1, runtime=0.2}, job{nodes=1, runtime=1} } }
  expect(run).starts { 0, 0.1, 0.3 }
end)
)");
  CHECK(run.text == "s_test.lua  3 passed\n\n3 passed, 0 failed, 0 skipped\n");
}

TEST_CASE("simulate: the summary is the tree of summary.json", "[testing]") {
  const SuiteRun run = run_text(R"(
it("holds", function()
  local jobs = { job{submit=0, nodes=2, runtime=10, user=3}, job{submit=0, nodes=2, runtime=20, user=4} }
  local s = simulate { policy = "fcfs", nodes = 2, jobs = jobs } .summary
  expect({ s.nb_jobs, s.nb_jobs_finished, s.makespan, s.all.wait.mean, s.max_queue_length }).equals { 2, 2, 30, 5, 1 }
  expect({ s.by_user[4].wait.max, s.by_user["4"].wait.max, s.by_class.short.jobs }).equals { 10, 10, 2 }
  expect({ s.trimmed.all.jobs, s.trimmed.saturated, s.high_load["in"].time }).equals { 2, false, 0 }
  expect(s.workload.jobs).equals(2)
  expect(s.policy.name).equals("fcfs")
  expect(function() return s.all.wait.meen end).raises("did you mean 'mean'")
  expect(function() return s.slices end).raises("has no field 'slices'")
end)
it("knows the names of the version before", function()
  local s = simulate { policy = "fcfs", nodes = 2, jobs = { job{nodes=2, runtime=10} } } .summary
  expect({ s.finished, s.mean_wait, s.by_class.short.max_wait, s.swaps, s.efficiency }).equals { 1, 0, 0, 0, 1 }
  expect(s.finished).equals(1)
end)
)");
  INFO(run.text);
  CHECK(run.report.exit_status() == 0);
  const auto& warnings = run.report.suites[0].warnings;
  REQUIRE(warnings.size() == 5);  // each name once
  CHECK(warnings[0].find(":15: 'finished' of a summary is now 'nb_jobs_finished'") != std::string::npos);
  CHECK(run.text.find("warning: ") != std::string::npos);
}

TEST_CASE("simulate: scenario files, overrides, shorthands", "[testing]") {
  const ScratchFolder folder;
  folder.write("scenarios/base.toml",
               "machine.nodes = 4\nworkload.jobs = [ { nodes = 4, runtime = 10 }, { nodes = 4, runtime = 10 } ]\n");
  folder.write("scenarios/bad.toml", "machine.nodes = 4\nworkload.jobs = [ { nodes = 4, runtim = 10 } ]\n");
  folder.write("suites/mine.lua",
               "return { api = 1, name = 'mine', version = '1', order = 'submit', descending = true }\n");
  folder.write("suites/s_test.lua", R"(
it("runs a file", function()
  expect(simulate("../scenarios/base.toml")).starts { 0, 10 }
  local run = simulate("../scenarios/base.toml", { policy = "fcfs", machine = { nodes = 8 } })
  expect(run).starts { 0, 0 }
  expect(run.policy).equals("fcfs")
  expect(simulate("../scenarios/base.toml", { jobs = { job{nodes=1, runtime=3} } })).finishes { 3 }
end)
it("finds policies beside the suite", function()
  expect(simulate("../scenarios/base.toml", { policy = "mine" }).policy).equals("mine")
  expect(simulate("../scenarios/base.toml", { policy = "mine.lua" }).policy).equals("mine")
end)
it("takes a scenario's own tables", function()
  local scenario = { machine = { nodes = 2, cores = 2 }, policy = { name = "easy", params = { depth = 1 } },
                     workload = { jobs = { { processes = 3, runtime = 5 }, { processes = 1, runtime = 5 } } }, engine = { at_limit = "extend" } }
  expect(simulate(scenario)).starts { 0, 5 }
  expect(simulate(scenario, { nodes = 3 })).starts { 0, 0 }
  local a, b = simulate(scenario, { policy = { "fcfs", "easy" }, params = { reservations = 2 } })
  expect({ a.policy, b.policy }).equals { "fcfs", "easy" }
end)
it("names the file of a mistake", function() simulate("../scenarios/bad.toml") end)
it("names a file that is not there", function() simulate("scenarios/base.toml") end)
)");
  CHECK(run_in(folder).text == R"(suites/s_test.lua  3 passed, 2 failed
  failed: names the file of a mistake
    scenarios/bad.toml:2: unknown key 'workload.jobs[1].runtim'; did you mean 'runtime'?
      in simulate, called at suites/s_test.lua:21
  failed: names a file that is not there
    suites/s_test.lua:22: scenario file 'suites/scenarios/base.toml' does not exist

3 passed, 2 failed, 0 skipped
)");
}

TEST_CASE("simulate: mistakes name the suite's line", "[testing]") {
  const std::string jobs = "jobs = { job{nodes=1, runtime=1} }";
  const auto failure = [&](const std::string& rest) { return failure_of("simulate { " + jobs + ", " + rest + " }"); };
  CHECK(failure("nodes = 1, polcy = 'easy'") == "s_test.lua:2: unknown key 'polcy'; did you mean 'policy'?\n");
  CHECK(failure("nodes = 1, policy = 'esy'").find("s_test.lua:2: there is no policy 'esy'") == 0);
  CHECK(failure("nodes = 1, policy = 'esy'").find("did you mean 'easy'?") != std::string::npos);
  CHECK(failure("nodes = '1'") == "s_test.lua:2: machine.nodes is \"1\"; expected a whole number from 0 to 100000\n");
  CHECK(failure("policy = 'easy'").find("s_test.lua") == 0);
  CHECK(failure("nodes = 1, machine = { nodes = 1 }") ==
        "s_test.lua:2: nodes and machine.nodes are both set; expected one of them\n");
  CHECK(failure("nodes = 1, engine = { at_limit = print }") ==
        "s_test.lua:2: engine.at_limit is a function; expected plain data: numbers, texts, tables\n");
  CHECK(
      failure("nodes = 1, policy = 'easy', params = { depht = 1 }") ==
      "s_test.lua:2: policy 'easy' has no parameter 'depht'; expected one of depth, queues, reservations; did you mean "
      "'depth'?\n");
  CHECK(failure_of("simulate { nodes = 1, jobs = {\n  job{nodes=1, runtime=1},\n  job{nodes=1, runtme=1},\n} }") ==
        "s_test.lua:4: unknown key 'workload.jobs[2].runtme'; did you mean 'runtime'?\n  in simulate, called at "
        "s_test.lua:2\n");
  CHECK(failure_of("simulate(7)") == "s_test.lua:2: the scenario is number 7; expected a table with the keys of a "
                                     "scenario, or the path of a scenario file\n");
  CHECK(failure_of("simulate({ jobs = {}, nodes = 1 }, 'x')") ==
        "s_test.lua:2: what simulate overrides is string \"x\"; expected a table with the keys of a scenario\n");
  CHECK(failure_of("simulate { 1, 2 }") ==
        "s_test.lua:2: the scenario is a list; expected named keys: jobs = { job{...}, ... }\n");
  CHECK(failure_of("local s = {} s.machine = s simulate(s)")
            .find("is nested too deeply; expected at most 32 levels; is it inside itself?") != std::string::npos);
  CHECK(failure_of("job(3)") ==
        "s_test.lua:2: job takes a table, as job{submit=0, nodes=4, runtime=100}, got number 3\n");
  CHECK(failure_of("return simulate { nodes=1, jobs={ job{nodes=1, runtime=1} } }.sumary") ==
        "s_test.lua:2: the run has no field 'sumary'; did you mean 'summary'?\nstack traceback:\n  [engine]: in "
        "metamethod 'index'\n"
        "  s_test.lua:2: in the case\n");
}

TEST_CASE("simulate: policies written in the suite", "[testing]") {
  const std::string jobs =
      "jobs = { job{nodes=4, runtime=5}, job{submit=1, nodes=4, runtime=5}, job{submit=2, nodes=4, runtime=5} }";
  const SuiteRun run = run_text(R"(
local scenario = { nodes = 4, )" +
                                jobs + R"( }
it("may use the suite's variables", function()
  local asked = {}
  local lifo = { api = 1, name = "lifo", version = "1",
    key = function(job, params) asked[#asked + 1] = job.id return -job.submit * params.sign end,
    params = { sign = { default = 1, doc = "1 or -1" } },
  }
  expect(simulate(scenario, { policy = lifo })).starts { 0, 10, 5 }
  expect(asked).equals { 1, 2, 3 }
  expect(simulate(scenario, { policy = lifo, params = { sign = -1 } })).starts { 0, 5, 10 }
end)
it("may be data, with settings that are functions, again and again", function()
  local mine = { api = 1, name = "mine", version = "1", backfill = "easy", depth = function(params) return params.depth end,
                 params = { depth = { default = 1, doc = "as of easy" } } }
  local jobs = { job{nodes=6, runtime=10}, job{nodes=8, runtime=10}, job{nodes=8, runtime=10}, job{nodes=4, runtime=10} }
  for _ = 1, 2 do
    expect(simulate { policy = mine, nodes = 10, jobs = jobs }).starts { 0, 10, 20, 30 }
    expect(simulate { policy = mine, nodes = 10, jobs = jobs, params = { depth = 2 } }).starts { 0, 10, 20, 0 }
  end
end)
it("may have passes of their own", function()
  local own = { api = 1, name = "own", version = "1", schedule = function(view) view:start_in_order() end }
  expect(simulate(scenario, { policy = own })).starts_like(simulate(scenario, { policy = "fcfs" }))
end)
it("may be text", function()
  expect(simulate(scenario, { policy = [[
    return { api = 1, name = "text", version = "1", key = function(job) return -job.submit end }
  ]] })).starts { 0, 10, 5 }
end)
it("stand beside others", function()
  local other = { api = 1, name = "other", version = "1", key = function(job) return -job.submit end }
  local a, b, c = simulate(scenario, { policy = { "fcfs", other, other } })
  expect({ a.policy, b.policy, c.policy }).equals { "fcfs", "other", "other" }
  expect(c).starts { 0, 10, 5 }
end)
it("may live in a coroutine", function()
  coroutine.wrap(function()
    local other = { api = 1, name = "other", version = "1", key = function(job) return -job.submit end }
    expect(simulate(scenario, { policy = other })).starts { 0, 10, 5 }
  end)()
end)
)");
  CHECK(run.text == "s_test.lua  6 passed\n\n6 passed, 0 failed, 0 skipped\n");

  const auto failure = [&](const std::string& policy) {
    return failure_of("local policy = " + policy + "\nsimulate { nodes = 4, policy = policy, " + jobs + " }");
  };
  CHECK(failure("{ api = 1, name = 'x', version = '1', kay = 1 }")
            .find("s_test.lua: policy has an unknown field 'kay'; expected one of") == 0);
  CHECK(failure("{ api = 1, name = 'x', version = '1', key = function(job) return job.x.y end }") ==
        R"(s_test.lua:2: attempt to index a nil value (field 'x')
stack traceback:
  s_test.lua:2: in function <s_test.lua:2>
  [engine]: in global 'simulate'
  s_test.lua:3: in the case
  in hook 'key' of policy 'x'
  in simulate, called at s_test.lua:3
)");
  CHECK(failure("[[return {\n  api = 1, name = 'x', version = 1 }]]")
            .find("s_test.lua:4 (policy):2: policy: field 'version' is") == 0);
  CHECK(failure("{ api = 1, name = 'x', version = '1', schedule = function() end }") ==
        "policy 'x' left 3 jobs waiting for ever: nothing runs and nothing more happens; the first is job 1, came at 0 "
        "s: "
        "its 4 nodes would fit, and the policy does not start it\n  in simulate, called at s_test.lua:3\n");
}

TEST_CASE("simulate: jobs that start elsewhen are shown as a table", "[testing]") {
  CHECK(failure_of(R"(local run = simulate { policy = "easy", nodes = 10, jobs = {
  job{submit=0, nodes=6, runtime=10}, job{submit=0.5, nodes=8, runtime=10.25}, job{submit=0, nodes=14, runtime=10} } }
expect(run).starts { 0, 20, 0, 3 })") == R"(s_test.lua:4: the jobs do not start as expected
 job  submit  nodes  runtime  expected  got
   1       0      6       10         0    0
   2     0.5      8    10.25        20   10  <--
   3       0     14       10         0    -  <--
none                                 3    -  <--
)");
  CHECK(failure_of(R"(local jobs = {}
for i = 1, 100 do jobs[i] = job{nodes=1, runtime=i} end
local a, b = simulate { policy = { "fcfs", { api=1, name="lifo", version="1", key=function(job) return -job.id end } }, nodes = 98, jobs = jobs }
expect(b).starts_like(a))") == R"(s_test.lua:5: the jobs do not start as under 'fcfs'
job  submit  nodes  runtime  fcfs  lifo
  1       0      1        1     0     4  <--
  2       0      1        2     0     3  <--
 99       0      1       99     1     0  <--
100       0      1      100     2     0  <--
)");
}

TEST_CASE("Golden snapshots: written on request, compared otherwise", "[testing]") {
  const ScratchFolder folder;
  const auto write_suite = [&](int runtime) {
    folder.write("mine_test.lua", R"(
it("is golden", function()
  expect(simulate { policy = "easy", nodes = 4, jobs = { job{nodes=3, runtime=)" +
                                      std::to_string(runtime) +
                                      R"(}, job{submit=1, nodes=2, runtime=3.5} } }).matches_golden("two")
end)
it("is a golden text", function() expect("a\nb").matches_golden("text") end)
)");
  };
  write_suite(10);
  const SuiteRun missing = run_in(folder);
  CHECK(missing.report.count(CaseStatus::kFailed) == 2);
  CHECK(missing.text.find("mine_test.lua:5: there is no golden snapshot golden/mine.text.txt yet; --update writes "
                          "it:\n    a\n    b\n") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "golden"));

  TestOptions update;
  update.update = true;
  CHECK(run_in(folder, update).text ==
        "mine_test.lua  2 passed, 2 golden snapshots written\n\n2 passed, 0 failed, 0 skipped\n");
  CHECK(run_in(folder, update).report.suites[0].goldens_written == 0);
  CHECK(folder.read("golden/mine.two.txt") == R"(policy easy on 4 nodes
2 jobs: 2 finished (0 killed), 0 rejected
makespan 13.5 s, utilization 0.685185, mean queue 0.666667
wait: mean 4.5, median 4.5, p95 8.55, max 9
response: mean 11.25, median 11.25, p95 12.375, max 12.5
bounded slowdown: mean 1.125, median 1.125, p95 1.2375, max 1.25

job   submit   nodes   runtime   start   finish   state       allocated
-----------------------------------------------------------------------
  1        0       3        10       0       10   completed   0-2
  2        1       2       3.5      10     13.5   completed   0-1
)");
  CHECK(std::distance(std::filesystem::directory_iterator(folder / "golden"), {}) == 2);
  CHECK(run_in(folder).report.exit_status() == 0);

  write_suite(9);
  const SuiteRun changed = run_in(folder);
  CHECK(changed.report.exit_status() == 1);
  CHECK(changed.text.find(
            R"(mine_test.lua:3: the golden snapshot golden/mine.two.txt differs; --update accepts the new result:
    6 of 11 lines differ:
    - makespan 13.5 s,)") != std::string::npos);
  CHECK(changed.text.find("    -   2        1       2       3.5      10     13.5   completed   0-1\n"
                          "    +   2        1       2       3.5       9     12.5   completed   0-1\n") !=
        std::string::npos);
  folder.write("golden/mine.text.txt", "a\nb\nc\n");
  CHECK(run_in(folder).text.find("1 line removed, 0 added:\n    line 3:\n    - c\n") != std::string::npos);
  folder.write("golden/mine.text.txt", "a \nb\n");  // blanks alone still differ
  CHECK(run_in(folder).text.find("1 of 2 lines differ:\n    - a \n    + a\n") != std::string::npos);

  const std::string lengthy = failure_of("expect(('line\\n'):rep(100)).matches_golden('long')");
  CHECK(std::count(lengthy.begin(), lengthy.end(), '\n') == 23);
  CHECK(lengthy.find("\n... 80 more lines") != std::string::npos);

  CHECK(failure_of("expect('x').matches_golden('../x')") ==
        "s_test.lua:2: \"../x\" is not a name for a golden snapshot; expected letters, digits, '_', '-', '.'\n");
  CHECK(failure_of("expect({}).matches_golden('x')") ==
        "s_test.lua:2: matches_golden needs a run of simulate or a text, got a table\n");
  CHECK(failure_of("expect('x').matches_golden()") ==
        "s_test.lua:2: matches_golden needs a name: matches_golden(\"name\")\n");
}

TEST_CASE("Properties: a failing workload is shrunk to a minimal one", "[testing]") {
  const std::string lua = R"(
property("no job waits long", { runs = 50, seed = 3, jobs = 30 }, function(workload)
  expect(simulate(workload, { policy = "easy" }).summary.all.wait.max).at_most(5)
end)
)";
  const std::string expected = R"(s_test.lua  1 failed
  failed: no job waits long
    s_test.lua:3: expected a number of at most 5, got 6
    for this workload (run 1 of 50 with seed 3; 30 jobs shrunk to 2 in TRIES tries):
    machine = { nodes = 1 },
    jobs = {
      job{submit=0, nodes=1, runtime=6},
      job{submit=0, nodes=1, runtime=1},
    },

0 passed, 1 failed, 0 skipped
)";
  const auto report = [&](const TestOptions& options) {
    return std::regex_replace(run_text(lua, options).text, std::regex("in \\d+ tries"), "in TRIES tries");
  };
  CHECK(report({}) == expected);
  TestOptions seeded;
  seeded.seed = 99;
  const std::string other = report(seeded);
  CHECK(other.find("with seed 99") != std::string::npos);
  CHECK(other.find("job{submit=0, nodes=1, runtime=1},\n") != std::string::npos);
}

TEST_CASE("Properties: the seed makes the workloads", "[testing]") {
  const auto drawn = [](const std::string& options) {
    const SuiteRun run = run_text("property('x', " + options + R"(, function(workload)
  for _, j in ipairs(workload.jobs) do print(j.submit, j.nodes, j.runtime, j.limit, j.user) end
  print("nodes", workload.machine.nodes)
end))");
    CHECK(run.only_case().status == CaseStatus::kPassed);
    return run.only_case().output;
  };
  const auto first = drawn("{ runs = 2, jobs = 10 }");
  CHECK(first.size() == 22);
  CHECK(first.back() == "nodes\t8");
  CHECK(drawn("{ runs = 2, jobs = 10 }") == first);
  CHECK(drawn("{ runs = 2, jobs = 10, seed = 1 }") == first);
  CHECK(drawn("{ runs = 2, jobs = 10, seed = 2 }") != first);
  const auto one = drawn("{ runs = 1, jobs = 10 }");
  CHECK(std::equal(one.begin(), one.end(), first.begin()));
  for (const std::string& line : drawn("{ runs = 3, jobs = 10, estimates = 'exact', users = 2, nodes = 3 }")) {
    CHECK(std::regex_match(line, std::regex("\\d+\t[123]\t\\d+\tnil\t[12]|nodes\t3")));
  }
}

TEST_CASE("Properties: workloads of the suite's own", "[testing]") {
  CHECK(run_text(R"(
property("fails", { runs = 3, workload = function()
  local jobs = {}
  for i = 1, 12 do jobs[i] = job{submit=i, nodes=math.random(4), runtime=random.uniform(1, 9), queue=i} end
  return { machine = { nodes = 4 }, jobs = jobs }
end }, function(workload)
  for _, j in ipairs(workload.jobs) do expect(j.queue).never.equals(7) end
end)
)")
            .text.find(R"(12 jobs shrunk to 1 in )") != std::string::npos);
  const SuiteRun bad = run_text("property('x', { workload = function() return {} end }, function() end)\n");
  CHECK(bad.only_case().failures.at(0).problem ==
        "property: its workload function must return { machine = { nodes = ... }, jobs = { job{...}, ... } }");
}

TEST_CASE("Properties: mistakes and skips are not shrunk", "[testing]") {
  const SuiteRun mistake = run_text("property('x', function(w) simulate(w, { policy = 'esy' }) end)\n");
  CHECK(mistake.only_case().notes.empty());
  CHECK(mistake.only_case().failures.at(0).problem == "there is no policy 'esy'");
  const SuiteRun skipped = run_text("property('x', function() skip('no') end)\n");
  CHECK(skipped.only_case().status == CaseStatus::kSkipped);
  CHECK(skipped.only_case().reason == "no");
  CHECK(run_text("local n = 0\nproperty('x', function() n = n + 1 if n == 1 then error('once') end end)\n")
            .only_case()
            .failures.at(0)
            .problem == "the property failed on this workload, and then held: it depends on more than the workload");
}

}  // namespace testing_simulate_test
