// Slowdowns as a scenario asks for them: drawn, from a table, from a script; and what policies see of them.
#include "catch.h"

#include "message_of.h"
#include "runner/runner.h"
#include "scenario/load.h"
#include "scratch_folder.h"

namespace slowdown_settings_test {

using namespace coslice;

namespace {

const std::string kBase = R"(
[machine]
nodes = 8
processors = 2
cores = 2
[workload]
jobs = [ { nodes = 1, runtime = 10, executable = 3, user = 1 }, { nodes = 2, runtime = 20, executable = 4, user = 2 },
         { nodes = 3, runtime = 30, user = 3 } ]
)";

Scenario scenario(const std::string& more) { return check_scenario(parse_scenario_tree(kBase + more, "t.toml")); }

std::string complaint(const std::string& more) {
  return message_of([&] { Runner runner(scenario(more)); });
}

std::string table_lines(const std::string& path, const std::string& by = "executable") {
  return "[slowdown]\nmodel = \"table\"\ntable = '" + path + "'\napplications = \"" + by + "\"\n";
}

std::string script_lines(const std::string& path) {
  return "[slowdown]\nmodel = \"script\"\nscript = '" + path + "'\n";
}

std::string script(const std::string& functions) { return "return { api = 1, name = \"mine\", " + functions + " }\n"; }

/// What a policy prints when the i-th job is submitted.
std::vector<std::string> printed(const Scenario& s, const std::string& what) {
  const std::string text =
      "return { api = 1, name = 'p', version = '1', submitted = function(view, job) print(" + what + ") end }";
  Scenario mine = s;
  mine.policy.names = {"p"};
  const Runner runner(mine, {GivenPolicy(Script{"p", text})});
  std::vector<std::string> lines;
  RunCallbacks callbacks;
  callbacks.print = [&](std::string_view line) { lines.emplace_back(line); };
  runner.run(0, callbacks);
  return lines;
}

}  // namespace

TEST_CASE("without slowdowns there is no model, and jobs say 1", "[slowdown]") {
  CHECK(Runner(scenario("")).slowdowns() == nullptr);
  const auto lines = printed(scenario(""), "job.slowdown_processors, job.slowdown_cores, job.application == ''");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].substr(0, 12) == "1.0\t1.0\ttrue");
}

TEST_CASE("drawn slowdowns follow the scenario's seed", "[slowdown]") {
  const Scenario s = scenario("[slowdown]\nmodel = \"drawn\"\n");
  const auto a = Runner(s).slowdowns(), b = Runner(s).slowdowns();
  Scenario other = s;
  other.seed = 2;
  const auto c = Runner(other).slowdowns();
  CHECK(a->over_cores(1) == b->over_cores(1));
  CHECK(a->beside(1, 2) == b->beside(1, 2));
  CHECK(a->over_cores(1) != c->over_cores(1));
  CHECK(a->beside(1, 2) != c->beside(1, 2));
}

TEST_CASE("a table of slowdowns", "[slowdown]") {
  const ScratchFolder folder;
  const std::string path = folder.write("t.toml", R"(
source = "measured"
[default]
over_cores = 1.5
beside = 1.3
[[applications]]
name = "cg"
over_processors = 1.1
beside = { ep = 1.2 }
beside_apart = { ep = 1.04 }
numbers = [3, 7]
share = 3
[[applications]]
name = "ep"
over_cores = 1.0
beside = 1.01
numbers = [4]
share = 1
)");
  const Runner runner(scenario(table_lines(path)));
  const auto m = runner.slowdowns();
  CHECK(m->over_processors(0) == 1.1);
  CHECK(m->over_cores(0) == 1.5);
  CHECK(m->over_cores(1) == 1.0);
  CHECK(m->beside(0, 0) == 1.3);
  CHECK(m->beside(0, 1) == 1.2);
  CHECK(m->beside(1, 0) == 1.01);
  CHECK(m->beside(1, 2) == 1.01);
  CHECK(m->beside(2, 0) == 1.3);
  CHECK(m->beside_apart(0, 0) == 1.3);
  CHECK(m->beside_apart(0, 1) == 1.04);
  CHECK(m->beside_apart(1, 0) == 1.01);
  CHECK(m->beside_apart(2, 0) == 1.3);
  const ExchangedSlowdowns within(*m);
  CHECK(within.over_processors(0) == 1.5);
  CHECK(within.over_cores(0) == 1.1);
  CHECK(within.beside(0, 1) == 1.04);
  CHECK(m->over_processors(2) == 1);
  REQUIRE(runner.warnings().size() == 1);
  CHECK(runner.warnings()[0].find("1 of 3 jobs run none of its applications") != std::string::npos);
  const auto lines =
      printed(scenario(table_lines(path)), "job.application .. '|', job.slowdown_processors, job.slowdown_cores");
  CHECK(lines[0].substr(0, 12) == "cg|\t1.1\t1.5");
  CHECK(lines[2].substr(0, 10) == "|\t1.0\t1.5");

  Scenario large = scenario(table_lines(path, "drawn"));
  large.workload.jobs.reset();
  large.workload.generator = "lublin";
  large.workload.lublin.jobs = 4000;
  const auto drawn = Runner(large).slowdowns();
  int cg = 0;
  for (JobIndex j = 0; j != 4000; ++j) cg += drawn->application(j) == "cg";
  CHECK(cg / 4000.0 == Approx(.75).margin(.02));
}

TEST_CASE("mistakes in a table of slowdowns", "[slowdown]") {
  const ScratchFolder folder;
  const auto wrong = [&](const std::string& text) { return complaint(table_lines(folder.write("t.toml", text))); };
  const std::string cg = "[[applications]]\nname = \"cg\"\n";
  CHECK(wrong("").find("slowdowns has no applications") != std::string::npos);
  CHECK(wrong(cg + "over_core = 1").find("t.toml:3: unknown key") != std::string::npos);
  CHECK(wrong(cg + "over_cores = 0.001").find("expected a number above 0.01") != std::string::npos);
  CHECK(wrong(cg + "beside = { gc = 1.1 }").find("did you mean 'cg'?") != std::string::npos);
  CHECK(wrong(cg + cg).find("'cg' appears twice") != std::string::npos);
  CHECK(wrong(cg + "numbers = [1]\n[[applications]]\nname = \"ep\"\nnumbers = [1]")
            .find("number 1 is that of 'cg' and of 'ep'") != std::string::npos);
  CHECK(wrong("[default]\nbeside = { cg = 1 }\n" + cg).find("default.beside is a table") != std::string::npos);
  CHECK(complaint(table_lines(folder / "none.toml")).find("does not exist") != std::string::npos);
}

TEST_CASE("slowdowns from a script", "[slowdown]") {
  const ScratchFolder folder;
  const std::string path = folder.write("s.lua", script(R"(
    params = { factor = { default = 1.5, doc = "x" } },
    application = function(job) return job.executable < 0 and "none" or "app " .. job.executable end,
    over_cores = function(job, params) return params.factor end,
    beside = function(job, other) return 1 + job.id / 10 + other.id / 100 end,
    beside_apart = function(job, other) return 1 + other.id / 100 end)"));
  const Scenario s = scenario(script_lines(path) + "params = { factor = 2 }\n");
  const Runner runner(s);
  const auto m = runner.slowdowns();
  CHECK(m->over_processors(0) == 1);
  CHECK(m->over_cores(0) == 2);
  CHECK(m->beside(0, 1) == Approx(1.12));
  CHECK(m->beside(0, 1) == Approx(1.12));  // remembered
  CHECK(m->beside(1, 0) == Approx(1.21));
  CHECK(m->beside_apart(0, 1) == Approx(1.02));
  CHECK(m->application(1) == "app 4");
  CHECK(m->application(2) == "none");
}

TEST_CASE("mistakes in a slowdown script", "[slowdown]") {
  const ScratchFolder folder;
  const auto wrong = [&](const std::string& text) { return complaint(script_lines(folder.write("s.lua", text))); };
  CHECK(wrong("return 1").find("does not return a table") != std::string::npos);
  CHECK(wrong(script("")).find("has no function") != std::string::npos);
  CHECK(wrong(script("besides = 1")).find("besides") != std::string::npos);
  CHECK(wrong(script("over_cores = function(job) return 0 end")).find("a number above 0.01 and below 1000") !=
        std::string::npos);
  CHECK(wrong(script("over_cores = function(job) return 'x' end")).find("a number") != std::string::npos);
  CHECK(wrong(script("beside = function(job, other) return job.runtme end")).find("did you mean 'runtime'?") !=
        std::string::npos);
  CHECK(wrong(script("beside = function() while true do end end")).find("instructions") != std::string::npos);
  CHECK(wrong(script("beside = function() return os.time() end")).find("os") != std::string::npos);
  CHECK(wrong(script("beside = function() return math.random() end")).find("random numbers are not available here") !=
        std::string::npos);
}

TEST_CASE("settings of slowdowns that cannot be combined", "[slowdown]") {
  CHECK(complaint("[slowdown]\nmodel = \"table\"\n").find("slowdown.model is \"table\" and names no file") !=
        std::string::npos);
  CHECK(complaint("[slowdown]\ntable = \"x.toml\"\n").find("slowdown.table has no effect here") != std::string::npos);
  CHECK(message_of([] {
          check_scenario(
              parse_scenario_tree("workload.sizes = \"adjusted\"\nworkload.generator = \"lublin\"", "t.toml"));
        }).find("sizes cannot be adjusted without slowdowns") != std::string::npos);
}

TEST_CASE("a run with adjusted sizes", "[slowdown][sizes]") {
  Value tree = parse_scenario_tree(kBase + "sizes = \"adjusted\"\n[slowdown]\nmodel = \"drawn\"\n", "t.toml");
  const Runner runner(check_scenario(tree));
  const Workload& w = runner.workload();
  REQUIRE(w.adjusted);
  CHECK(w.jobs[0].size == 1);  // one node, so a serial job
  CHECK(w.jobs[1].size >= 2);
  CHECK(w.adjusted->serial == 1);
}

}  // namespace slowdown_settings_test
