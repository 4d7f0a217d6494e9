// Loading scenarios: every kind of mistake with its exact message, base files, overrides.
#include "catch.h"

#include "jobs/literal_jobs.h"
#include "message_of.h"
#include "runner/runner.h"
#include "scenario/key_tables.h"
#include "scenario/load.h"
#include "scenario/toml.h"
#include "scratch_folder.h"

namespace scenario_test {

using namespace coslice;

namespace {

const std::string kJobs = "workload.jobs = [ { nodes = 1, runtime = 10 } ]\n";

Scenario parse(const std::string& text) { return check_scenario(parse_scenario_tree(text, "t.toml")); }

/// The message for a scenario that has jobs and these lines, the first of which is line 2.
std::string complaint(const std::string& lines) {
  return message_of([&] { parse(kJobs + lines); });
}

std::string complaint_bare(const std::string& text) {
  return message_of([&] { parse(text); });
}

Scenario with_set(const std::string& assignment) {
  Value tree = parse_scenario_tree(kJobs, "t.toml");
  apply_override(tree, assignment);
  return check_scenario(tree);
}

std::string set_complaint(const std::string& assignment) {
  return message_of([&] { with_set(assignment); });
}

}  // namespace

TEST_CASE("a scenario fills the structs", "[scenario]") {
  const Scenario s = parse(R"(
name = "night"
seed = 7
[machine]
nodes = 64
processors = 2
cores = 8
memory = "4 GB"
[workload]
generator = "lublin"
first = 100
window = [0, 86400.5]
estimates = "scaled"
estimate_factor = 2
[workload.lublin]
jobs = 500
load = 0.85
arar = false
[policy]
name = ["easy", "fcfs"]
[policy.params]
depth = 5
weights = { age = 0.5 }
[engine]
event_order = "submissions-first"
at_limit = "extend"
dependencies = true
processes_per_node = 4
memory = "64 MB"
trusted = true
[metrics]
classes = [ { name = "short", up_to = 60 }, { name = "rest" } ]
bound = 60
trim = 0
[output]
files = ["jobs.csv"]
)");
  CHECK(s.name == "night");
  CHECK(s.seed == 7);
  CHECK(s.machine.nodes == 64);
  CHECK(s.machine.cores_per_node() == 16);
  CHECK(s.machine.memory_kb == 4 * 1024 * 1024);
  CHECK(s.workload.generator == "lublin");
  CHECK(s.workload.transform.first == 100);
  CHECK(s.workload.transform.window->at(1) == from_seconds(86400.5));
  CHECK(s.workload.transform.estimates == Estimates::kScaled);
  CHECK(s.workload.transform.estimate_factor == 2);
  CHECK(s.workload.lublin.jobs == 500);
  CHECK(s.workload.lublin.load == 0.85);
  CHECK_FALSE(s.workload.lublin.alpha);
  CHECK(s.workload.lublin.arar == false);
  CHECK(s.policy.names == std::vector<std::string>{"easy", "fcfs"});
  CHECK(*s.policy.params.find("depth")->integer() == 5);
  CHECK(*s.policy.params.find("weights")->find("age")->real() == 0.5);
  CHECK(s.engine.event_order == EventOrder::kSubmissionsFirst);
  CHECK(s.engine.at_limit == AtLimit::kExtend);
  CHECK(s.engine.dependencies);
  CHECK(s.engine.processes_per_node == 4);
  CHECK(s.limits.memory_kb == 64 * 1024);
  CHECK(s.limits.trusted);
  CHECK(s.limits.for_host().instructions == 0);
  CHECK(s.limits.for_host().memory == 64 << 20);
  REQUIRE(s.metrics.classes.size() == 2);
  CHECK(s.metrics.classes[0].upper == whole_seconds(60));
  CHECK(s.metrics.classes[1].upper == Duration::max());
  CHECK(s.metrics.bound == whole_seconds(60));
  CHECK(s.metrics.trim == 0);
  CHECK(s.output.files == std::vector<std::string>{"jobs.csv"});
}

TEST_CASE("literal jobs", "[scenario]") {
  const Scenario s =
      parse("[workload]\njobs = [ { submit = 1.5, processes = 4, runtime = 100, limit = 200, user = 3 },\n"
            "{ nodes = 2, runtime = 1, memory = \"2 MB\", after = 1, think_time = 5, id = 9 } ]");
  const auto& jobs = *s.workload.jobs;
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].job.submit == at_seconds(1.5));
  CHECK(jobs[0].job.size == 4);
  CHECK(jobs[0].nodes == 0);
  CHECK(jobs[0].job.limit == whole_seconds(200));
  CHECK(jobs[0].job.user == 3);
  CHECK(jobs[1].nodes == 2);
  CHECK_FALSE(jobs[1].job.limit_given);
  CHECK(jobs[1].job.requested_memory_kb == 2048);
  CHECK(jobs[1].extras.preceding == 1);
  CHECK(jobs[1].job.id == 9);

  const Workload w = literal_workload(jobs, 8);
  REQUIRE(w.jobs.size() == 2);
  CHECK(w.name == "jobs");
  CHECK(w.records == 2);
  CHECK(w.jobs[0].id == 9);  // submitted at 0, before the other
  CHECK(w.jobs[0].size == 16);
  CHECK(w.jobs[0].limit == whole_seconds(1));
  CHECK(w.jobs[0].requested_memory_kb == 2048);
  CHECK(w.jobs[0].extras->preceding == 1);
  CHECK(w.jobs[0].extras->think_time == whole_seconds(5));
  CHECK(w.jobs[0].user == -1);
  CHECK(w.jobs[1].id == 1);
  CHECK(w.jobs[1].size == 4);
  CHECK(w.jobs[1].submit == at_seconds(1.5));
  CHECK(w.jobs[1].limit == whole_seconds(200));
  CHECK(w.jobs[1].user == 3);
  CHECK(w.jobs[1].extras->think_time == Duration{-1});
}

TEST_CASE("older names of attributes are read and warned of", "[scenario]") {
  const Scenario s =
      parse("machine.nodes = 4\n[workload]\njobs = [ { size = 4, runtime = 1 }, { size = 2, runtime = 1 } ]");
  const Workload w = literal_workload(*s.workload.jobs, 1);
  CHECK(w.jobs[0].size == 4);
  REQUIRE(w.warnings.size() == 1);
  CHECK(w.warnings[0].find("'size' of a job is called 'processes' now") == 0);
  CHECK(Runner(s).warnings() == w.warnings);
  const Value resolved = *write_record(job_spec_keys(), (*s.workload.jobs)[0]).find("processes");
  CHECK(*resolved.integer() == 4);
  CHECK(message_of([] {
          parse("workload.jobs = [ { size = 4, processes = 4, runtime = 1 } ]");
        }).find("workload.jobs[1].size is the older name of processes, which is there, too") != std::string::npos);
}

TEST_CASE("wrong values name place, value and what was expected", "[scenario]") {
  CHECK(complaint("machine.nodes = -1") == "t.toml:2: machine.nodes is -1; expected a whole number from 0 to 100000");
  CHECK(complaint("[machine]\n\nnodes = 0.5") ==
        "t.toml:4: machine.nodes is 0.5; expected a whole number from 0 to 100000");
  CHECK(complaint("machine.nodes = '4'") ==
        "t.toml:2: machine.nodes is \"4\"; expected a whole number from 0 to 100000");
  CHECK(complaint("machine.nodes = 'four'") ==
        "t.toml:2: machine.nodes is \"four\"; expected a whole number from 0 to 100000");
  CHECK(complaint("machine.nodes = [1]") == "t.toml:2: machine.nodes[1] is 1; expected a table");
  CHECK(complaint("machine.nodes = []") == "t.toml:2: machine.nodes is a list; expected kinds of nodes, at least one");
  CHECK(complaint("machine.nodes = 1e300") ==
        "t.toml:2: machine.nodes is 1e+300; expected a whole number from 0 to 100000");
  CHECK(complaint("machine.nodes = nan") == "t.toml:2: machine.nodes is nan; expected a whole number from 0 to 100000");
  CHECK(complaint("seed = -1") == "t.toml:2: seed is -1; expected a whole number from 0 on");
  CHECK(complaint("engine.trusted = 1") == "t.toml:2: engine.trusted is 1; expected true or false");
  CHECK(complaint("name = 3") == "t.toml:2: name is 3; expected a text in quotes");
  CHECK(complaint("workload.load_factor = 0") ==
        "t.toml:2: workload.load_factor is 0; expected a number above 0, at most 1000000");
  CHECK(complaint("workload.load_factor = nan") ==
        "t.toml:2: workload.load_factor is nan; expected a number above 0, at most 1000000");
  CHECK(complaint("metrics.trim = 0.5") == "t.toml:2: metrics.trim is 0.5; expected a number from 0 to 0.45");
  CHECK(complaint("metrics.bound = -3") == "t.toml:2: metrics.bound is -3; expected seconds from 0 to 1000000000");
  CHECK(complaint("machine.memory = '4 parsec'") ==
        "t.toml:2: machine.memory is \"4 parsec\"; expected a whole number of KB or a text like \"4 GB\"");
  CHECK(complaint("machine.memory = 'GB'") ==
        "t.toml:2: machine.memory is \"GB\"; expected a whole number of KB or a text like \"4 GB\"");
  CHECK(complaint("engine.memory = '1 KB'") ==
        "t.toml:2: engine.memory is \"1 KB\"; expected a whole number of KB or a text like \"4 GB\", at least 1024 KB");
  CHECK(complaint("workload.window = [5, 5]") ==
        "t.toml:2: workload.window is a list; expected [from, to] in seconds, from before to");
  CHECK(complaint("workload.window = [5, 'x']") ==
        "t.toml:2: workload.window[2] is \"x\"; expected seconds from 0 to 1000000000");
  CHECK(complaint("output.dir = ''") == "t.toml:2: output.dir is \"\"; expected a path in quotes");
  CHECK(complaint("policy.name = []") ==
        "t.toml:2: policy.name is a list; expected a name in quotes or a list of names");
  CHECK(complaint("policy.name = ''") == "t.toml:2: policy.name is \"\"; expected a name in quotes");
  CHECK(complaint("policy.name = ['a', 'a']") == "t.toml:2: 'a' appears twice in policy.name");
  CHECK(complaint("policy.params = 3") == "t.toml:2: policy.params is 3; expected a table");
  CHECK(complaint("[engine]\nevent_order = 'end-first'") ==
        "t.toml:3: engine.event_order is \"end-first\"; expected \"ends-first\" or \"submissions-first\"; "
        "did you mean 'ends-first'?");
  CHECK(complaint("output.files = ['job.csv']") == "t.toml:2: output.files is \"job.csv\"; expected \"jobs.csv\", "
                                                   "\"schedule.swf\", \"timeline.csv\" or \"classes.csv\"; "
                                                   "did you mean 'jobs.csv'?");
  CHECK(complaint("name = '" + std::string(100, 'x') + "'") == "no error");
  CHECK(complaint("seed = '" + std::string(59, 'x') + "\u00e4'") ==
        "t.toml:2: seed is \"" + std::string(59, 'x') + "...; expected a whole number from 0 on");
}

TEST_CASE("unknown keys and wrong tables", "[scenario]") {
  CHECK(complaint("[machin]\nnodes = 4") == "t.toml:2: unknown key 'machin'; did you mean 'machine'?");
  CHECK(complaint("[machine]\nnode = 4") == "t.toml:3: unknown key 'machine.node'; did you mean 'nodes'?");
  CHECK(complaint("nodes = 4") == "t.toml:2: unknown key 'nodes'; did you mean 'machine.nodes'?");
  CHECK(complaint("[engine]\ntrim = 4") == "t.toml:3: unknown key 'engine.trim'; did you mean 'metrics.trim'?");
  CHECK(complaint("[machine]\ncolour = 'red'") ==
        "t.toml:3: unknown key 'machine.colour'; expected one of nodes, processors, cores, memory, price, "
        "partitions, licences, switches, list, order, order_column, random_order");
  CHECK(complaint("machine = 4") == "t.toml:2: machine is 4; expected a table");
  CHECK(complaint("[[machine]]\nnodes = 4") == "t.toml:2: machine is a list; expected a table");
  CHECK(complaint("\"a b\" = 4").find("t.toml:2: unknown key '\"a b\"'; expected one of extends, name,") == 0);
  CHECK(complaint_bare("[workload.lubin]\njobs = 3") ==
        "t.toml:1: unknown key 'workload.lubin'; did you mean 'lublin'?");
}

TEST_CASE("what must fit together", "[scenario]") {
  CHECK(complaint_bare("name = 'x'") == "t.toml: the scenario names no workload; expected one of workload.trace, "
                                        "workload.generator, workload.script, workload.jobs");
  CHECK(complaint_bare("\n[workload]\nfirst = 3") ==
        "t.toml:2: the scenario names no workload; expected one of workload.trace, "
        "workload.generator, workload.script, workload.jobs");
  CHECK(complaint("workload.trace = 'a.swf'") ==
        "t.toml:2: workload.trace and workload.jobs are both set; expected one of them");
  CHECK(complaint("[workload.lublin]\njobs = 3") ==
        "t.toml:2: [workload.lublin] has no effect here; expected workload.generator = \"lublin\"");
  CHECK(complaint_bare("[workload]\ngenerator = 'lublin'\nlublin.alpha = 9\nlublin.load = 0.5") ==
        "t.toml:4: workload.lublin.load and workload.lublin.alpha are both set; expected one of them");
  CHECK(complaint_bare("[workload]\ngenerator = 'lublin'\nlublin.alpha = 9\nlublin.types = true") ==
        "t.toml:3: workload.lublin.alpha is set for batch and interactive jobs; expected workload.lublin.load, "
        "because each type has an alpha of its own");
  CHECK(complaint("[workload.params]\nx = 3") ==
        "t.toml:2: [workload.params] has no effect here; expected workload.script");
  CHECK(complaint("workload.estimate_factor = 2") ==
        "t.toml:2: workload.estimate_factor has no effect here; expected workload.estimates = \"scaled\"");
  CHECK(complaint("workload.longest_estimate = 2") ==
        "t.toml:2: workload.longest_estimate has no effect here; expected workload.estimates = \"model\"");
  CHECK(complaint("engine.processes_per_node = 2") ==
        "t.toml:2: engine.processes_per_node is above the number of cores of a node; "
        "expected a whole number from 0 to 1");
}

TEST_CASE("literal jobs and classes are checked one by one", "[scenario]") {
  const auto jobs = [](const std::string& list) { return complaint_bare("[workload]\njobs = [\n" + list + "]"); };
  CHECK(jobs("{ nodes = 1, runtime = 1 },\n{ nodes = 1 }") ==
        "t.toml:4: workload.jobs[2] has no runtime; expected seconds above 0, at most 1000000000");
  CHECK(jobs("{ nodes = 1, processes = 1, runtime = 1 }") ==
        "t.toml:3: workload.jobs[1] has both nodes and processes; expected one of the two");
  CHECK(jobs("{ runtime = 1 }") ==
        "t.toml:3: workload.jobs[1] has neither nodes nor processes; expected one of the two");
  CHECK(jobs("{ nodes = 1, runtime = 0 }") ==
        "t.toml:3: workload.jobs[1].runtime is 0; expected seconds above 0, at most 1000000000");
  CHECK(jobs("{ nodes = 1, runtim = 3 }") ==
        "t.toml:3: unknown key 'workload.jobs[1].runtim'; did you mean 'runtime'?");
  CHECK(jobs("{ nodes = 1, runtime = 1e-12 }") ==
        "t.toml:3: workload.jobs[1].runtime is 1e-12; expected seconds above 0, at most 1000000000");
  CHECK(jobs("{ nodes = 1, runtime = 1, id = 2 },\n{ nodes = 1, runtime = 1 }") ==
        "t.toml:4: workload.jobs[2] has the id of an earlier job, 2; expected a different id for each job");
  CHECK(jobs("{ nodes = 1, runtime = 1, after = 2 }") ==
        "t.toml:3: workload.jobs[1] runs after job 2; expected the id of a job in the list");
  CHECK(jobs("3") == "t.toml:3: workload.jobs[1] is 3; expected a table");
  CHECK(complaint("metrics.classes = []") == "t.toml:2: metrics.classes is empty; expected at least one class");
  CHECK(complaint("metrics.classes = [ { name = 'a' }, { name = 'b' } ]") ==
        "t.toml:2: metrics.classes[1] has no up_to; expected an up_to in every class but the last, "
        "which takes all longer jobs");
  CHECK(complaint("metrics.classes = [ { name = 'a', up_to = 3 } ]") ==
        "t.toml:2: metrics.classes[1] is the last class and has an up_to; expected an up_to in every class but the "
        "last, which takes all longer jobs");
  CHECK(complaint("metrics.classes = [ { name = 'a', up_to = 3 }, { name = 'b', up_to = 3 }, { name = 'c' } ]") ==
        "t.toml:2: metrics.classes[2].up_to is not above the one before; expected classes in growing order of up_to");
  CHECK(complaint("metrics.classes = [ { name = 'a', up_to = 3 }, { name = 'a' } ]") ==
        "t.toml:2: class 'a' appears twice in metrics.classes; expected a different name for each class");
}

TEST_CASE("text that is not TOML", "[scenario]") {
  CHECK(complaint("machine.nodes = ") == "t.toml:2: not valid TOML: the file ends too early");
  CHECK(complaint("machine.nodes = \nseed = 3") == "t.toml:2: not valid TOML: a value is missing");
  CHECK(complaint("machine.nodes = 4\nmachine.nodes = 5") == "t.toml:3: 'machine.nodes' is set twice");
  CHECK(complaint("[machine]\nnodes = 4\n[machine]\ncores = 4") == "t.toml:4: 'machine' is set twice");
  CHECK(complaint("[machine]\nnodes = 4\n[machine.nodes]\nx = 3") == "t.toml:4: 'machine.nodes' is set twice");
  CHECK(complaint("name = \"abc\nseed = 3") ==
        "t.toml:2: not valid TOML: a text does not end on its line, or holds a control character");
  CHECK(complaint("name = x") == "t.toml:2: not valid TOML: this is not a value; a text needs quotes");
  CHECK(complaint("seed = 99999999999999999999") == "t.toml:2: not valid TOML: the number is too large");
  CHECK(complaint("name = '\xff'") == "t.toml:2: not valid TOML: the text is not valid UTF-8");
  CHECK(complaint("seed = 03").find("t.toml:2: not valid TOML: in a ") == 0);  // the rest is the library's wording
  CHECK(complaint("[machine") == "t.toml:2: not valid TOML: the file ends too early");
  CHECK(complaint(std::string("name = '\0'", 10)).find("t.toml:2: not valid TOML: ") == 0);
  CHECK(complaint("name = 2024-01-01") ==
        "t.toml:2: a date or a time is not a value here; expected a number of seconds or a text in quotes");
}

TEST_CASE("hostile text ends in an error, not in a crash", "[scenario]") {
  const auto many = [](const std::string& part, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += part;
    return out;
  };
  const std::string deep = "tables or lists are nested too deep; expected at most 32 levels";
  CHECK(complaint("x = " + many("[", 100000)) == "t.toml:2: " + deep);
  CHECK(complaint("x = " + many("{a=", 100000)) == "t.toml:2: " + deep);
  CHECK(complaint(many("a.", 100000) + "b = 1") == "t.toml:2: " + deep);
  CHECK(complaint(many("\"a.,\".", 100000) + "b = 1") == "t.toml:2: " + deep);
  CHECK(complaint("[" + many("a.", 100000) + "b]") == "t.toml:2: " + deep);
  CHECK(complaint("description = '''\n" + many(".", 1000) + "[[[\n'''\nx = " + many("[", 33)) == "t.toml:5: " + deep);
  CHECK(complaint("description = \"\"\"\n" + many(".", 1000) + "\\\" \"\"\"\"\n# " + many("[", 99)) == "no error");
  CHECK(complaint("name = \"" + many("[.", 99) + "\" # it's") == "no error");
  CHECK(complaint("description = \"" + many("\\u00e4", 100000) + "\"") == "no error");
}

TEST_CASE("--set", "[scenario]") {
  CHECK(with_set("machine.nodes=12").machine.nodes == 12);
  CHECK(with_set("machine.nodes = 12").machine.nodes == 12);
  CHECK(with_set("machine.nodes=1e3").machine.nodes == 1000);
  CHECK(with_set("engine.event_order=submissions-first").engine.event_order == EventOrder::kSubmissionsFirst);
  CHECK(with_set("machine.memory=4 GB").machine.memory_kb == 4 << 20);
  CHECK(with_set("machine.memory=\"4 GB\"").machine.memory_kb == 4 << 20);
  CHECK(with_set("name=a=b").name == "a=b");
  CHECK(with_set("name=2024-01-01").name == "2024-01-01");
  CHECK(with_set("name=").name.empty());
  CHECK(with_set("policy.name=[\"fcfs\", \"easy\"]").policy.names.size() == 2);
  CHECK(*with_set("policy.params.\"a b\"=3").policy.params.find("a b")->integer() == 3);
  CHECK(with_set("machine={ nodes = 3, cores = 2 }").machine.total_cores() == 6);
  CHECK(with_set("name=1\nseed = 5").name == "1\nseed = 5");
  CHECK(with_set("output.dir=./a/../b").output.dir == "b");

  CHECK(set_complaint("machine.nodes=12.5") ==
        "--set machine.nodes=12.5: machine.nodes is 12.5; expected a whole number from 0 to 100000");
  CHECK(set_complaint("machine.node=12") == "--set machine.node=12: unknown key 'machine.node'; did you mean 'nodes'?");
  CHECK(set_complaint("machine.nodes.x=1") ==
        "--set machine.nodes.x=1: machine.nodes is a table; expected a whole number from 0 to 100000");
  CHECK(set_complaint("machine=1") == "--set machine=1: machine is 1; expected a table");
  for (const char* bad : {"machine.nodes", "=3", ".a=3", "a..b=3", "a b=3", "", "[machine]\nnodes=3", "a.\n=3"}) {
    CHECK(set_complaint(bad) ==
          "--set " + std::string(bad) + ": is not an assignment; expected table.key=value, e.g. machine.nodes=64");
  }
  CHECK(set_complaint("extends=x.toml") ==
        "--set extends=x.toml: extends is allowed only in files; expected a key of the scenario");
  CHECK(set_complaint("name=\xff") == "--set name=\xff: name is not valid UTF-8");
  CHECK(set_complaint("policy.params.\"\xff\"=1").find("is not an assignment") != std::string::npos);
}

TEST_CASE("another source of jobs replaces the one below", "[scenario]") {
  CHECK(with_set("workload.trace=a.swf").workload.trace == "a.swf");
  CHECK_FALSE(with_set("workload.trace=a.swf").workload.jobs);
  Value tree = parse_scenario_tree("[workload]\ngenerator = 'lublin'\nlublin.jobs = 5\nfirst = 3", "t.toml");
  apply_override(tree, "workload.script=a.lua");
  apply_override(tree, "workload.params.x=1");
  const Scenario s = check_scenario(tree);
  CHECK(s.workload.generator.empty());
  CHECK(s.workload.script == "a.lua");
  CHECK(s.workload.transform.first == 3);
  apply_override(tree, "workload.generator=lublin");
  apply_override(tree, "workload.lublin.load=0.5");
  apply_override(tree, "workload.lublin.alpha=9");
  CHECK_FALSE(check_scenario(tree).workload.lublin.load);
  CHECK(check_scenario(tree).workload.lublin.alpha == 9);
}

TEST_CASE("a key that is put out of effect from above is dropped", "[scenario]") {
  Value tree = parse_scenario_tree(kJobs + "workload.estimates = 'scaled'\nworkload.estimate_factor = 2", "t.toml");
  apply_override(tree, "workload.estimates=scaled");
  CHECK(check_scenario(tree).workload.transform.estimate_factor == 2);
  apply_override(tree, "workload.estimates=model");
  apply_override(tree, "workload.longest_estimate=7200");
  CHECK(check_scenario(tree).workload.transform.estimate_factor == 1);
  CHECK(check_scenario(tree).workload.transform.longest_estimate == whole_seconds(7200));
  apply_override(tree, "workload.estimate_factor=3");
  CHECK(message_of([&] { check_scenario(tree); }) ==
        "--set workload.estimate_factor=3: workload.estimate_factor has no effect here; "
        "expected workload.estimates = \"scaled\"");
}

TEST_CASE("extends", "[scenario]") {
  const ScratchFolder folder;
  folder.write("lib/base.toml", "extends = 'root.toml'\n[workload]\ntrace = 'a.swf'\n[policy]\nname = ['x', 'y']\n"
                                "[policy.params]\na = 1\nb = 2\n");
  folder.write("lib/root.toml", "seed = 3\nname = 'root'\n[machine]\nnodes = 8\ncores = 2\n");
  folder.write("lib/x.lua", "");
  const std::string top = folder.write("top.toml", "extends = 'lib/base.toml'\nname = 'top'\n[machine]\nnodes = 9\n"
                                                   "[policy.params]\nb = 3\n");
  SECTION("merges the chain") {
    const Scenario s = load_scenario(top, {"machine.processors=4"});
    CHECK(s.name == "top");
    CHECK(s.seed == 3);
    CHECK(s.machine.nodes == 9);
    CHECK(s.machine.cores == 2);
    CHECK(s.machine.processors == 4);
    CHECK(s.workload.trace == folder / "lib/a.swf");
    CHECK(s.policy.names == std::vector<std::string>{folder / "lib/x.lua", "y"});
    CHECK(*s.policy.params.find("a")->integer() == 1);
    CHECK(*s.policy.params.find("b")->integer() == 3);
    CHECK(s.file == top);
  }
  SECTION("an error names the file it stands in") {
    folder.write("lib/root.toml", "seed = 3\n\n[machine]\nnodes = 'x'\n");
    folder.write("other.toml", "extends = 'lib/base.toml'");
    CHECK(message_of([&] { load_scenario(folder / "other.toml"); }) ==
          (folder / "lib/root.toml") + ":4: machine.nodes is \"x\"; expected a whole number from 0 to 100000");
  }
  SECTION("circles") {
    folder.write("lib/root.toml", "seed = 3\nextends = '../lib/../top.toml'\n");
    CHECK(message_of([&] { load_scenario(top); }) == (folder / "lib/root.toml") + ":2: extends leads back to '" + top +
                                                         "'; expected a file that does not extend this one");
    const std::string self = folder.write("self.toml", "extends = './self.toml'");
    CHECK(message_of([&] { load_scenario(self); }) ==
          self + ":1: extends leads back to '" + self + "'; expected a file that does not extend this one");
  }
  SECTION("files that cannot be read") {
    const std::string a = folder.write("a.toml", "\nextends = 'none.toml'");
    CHECK(message_of([&] { load_scenario(a); }) ==
          a + ":2: scenario file '" + (folder / "none.toml") + "' does not exist");
    CHECK(message_of([&] { load_scenario(folder / "lib"); }) ==
          "scenario file '" + (folder / "lib") + "' is a folder; expected a TOML file");
    CHECK(message_of([&] { load_scenario("/dev/zero"); }) ==
          "scenario file '/dev/zero' is larger than 64 MB; expected a TOML file");
    const std::string b = folder.write("b.toml", "extends = 3");
    CHECK(message_of([&] { load_scenario(b); }) ==
          b + ":1: extends is 3; expected the path of a scenario file in quotes");
  }
}

}  // namespace scenario_test
