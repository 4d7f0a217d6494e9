// coslice compare.
#include <sstream>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

namespace compare_test {

using namespace coslice_test;
using Json = nlohmann::json;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const char* const kDrawn = "name = \"drawn\"\n[machine]\nnodes = 32\n[workload]\ngenerator = \"lublin\"\n"
                           "[workload.lublin]\njobs = 300\nload = 0.8\n[policy]\nname = [\"easy\", \"fcfs\"]\n";

Json row_of(const Json& comparison, const std::string& figure, const std::string& job_class,
            const std::string& variant) {
  for (const Json& row : comparison["figures"])
    if (row["figure"] == figure && row["class"] == job_class && row["variant"] == variant) return row;
  FAIL("no row " << figure << " " << job_class << " " << variant);
  return {};
}

}  // namespace

TEST_CASE("of a folder of several runs the scenario's first policy is the baseline", "[compare]") {
  const Program coslice;
  coslice.folder.write("s.toml", kDrawn);
  const auto names = [&](const std::string& policies) {
    REQUIRE(coslice("run s.toml --quiet --out runs --policy " + policies).status == 0);
    std::string out;
    const Json all = Json::parse(coslice("compare runs --format json").out);
    for (const Json& v : all.at(0)["variants"]) out += v["name"].get<std::string>() + " ";
    return out;
  };
  CHECK(names("sjf,fcfs,easy") == "sjf fcfs easy ");
  CHECK(names("easy,sjf,fcfs") == "easy sjf fcfs ");
}

TEST_CASE("policies are compared on the same seeds", "[compare]") {
  const Program coslice;
  coslice.folder.write("s.toml", kDrawn);
  const Said said = coslice("compare easy fcfs --scenario s.toml --seeds 4 --format json");
  REQUIRE(said.status == 0);
  const Json c = Json::parse(said.out).at(0);
  CHECK(c["variants"] == Json::parse(R"([{"name":"easy","seeds":[1,2,3,4]},{"name":"fcfs","seeds":[1,2,3,4]}])"));
  const Json wait = row_of(c, "wait, s", "all", "fcfs");
  CHECK(wait["method"] == "paired");
  CHECK(wait["runs"] == 4);
  CHECK(wait["difference"] > 0);
  CHECK(wait["low"] < wait["mean"]);
  // The same runs one by one, into folders, give the same.
  for (int seed = 1; seed <= 4; ++seed)
    REQUIRE(
        coslice("run s.toml --quiet --seed " + std::to_string(seed) + " --out runs/" + std::to_string(seed)).status ==
        0);
  const Said folders = coslice("compare runs/* --format json");
  REQUIRE(folders.status == 0);
  CHECK(folders.out == said.out);
  CHECK(coslice("compare --scenario s.toml --seeds 4 --format json -j 1").out == said.out);  // its own policies
}

TEST_CASE("a table for the terminal, for texts and for programs", "[compare]") {
  const Program coslice;
  coslice.folder.write("s.toml", kDrawn);
  const std::string call = "compare easy fcfs --scenario s.toml --seeds 3";
  const Said table = coslice(call);
  CHECK(has(table.out, "│ wait, s"));
  CHECK(has(table.out, "Means over 3 seeds (1 to 3) with intervals of 95 %"));
  CHECK(has(table.out, "The first and last 2 % of the jobs of each run are left out"));
  CHECK(has(coslice(call + " --format markdown").out, "| wait, s | all | easy |"));
  CHECK(has(coslice(call + " --format latex").out, "\\begin{tabular}"));
  CHECK(has(coslice(call + " --format csv").out, "at,figure,class,variant,runs,mean,"));
  CHECK(has(coslice(call + " --figure wait.p95,makespan --level 0.9").out, "wait p95, s"));
  CHECK(has(coslice(call + " --trim 0").out, "All jobs count"));
  CHECK(has(coslice(call + " --trim 0.1").out, "The first and last 10 %"));
}

TEST_CASE("a log gives one run each, compared job by job", "[compare]") {
  const Program coslice;
  coslice.folder.write("s.toml", kDrawn);
  REQUIRE(coslice("generate lublin --jobs 300 --nodes 32 --load 0.8 -o log.swf").status == 0);
  const Said said = coslice("compare easy fcfs --scenario log.swf --format json");
  REQUIRE(said.status == 0);
  CHECK(has(said.err, "every seed gives the same run: one is compared"));
  const Json c = Json::parse(said.out).at(0);
  CHECK(row_of(c, "wait, s", "all", "fcfs")["method"] == "batches");
  CHECK(row_of(c, "utilization, %", "", "fcfs")["difference_low"].is_null());
  CHECK(has(c["notes"].dump(), "not what other workloads would give"));
}

TEST_CASE("a machine that falls behind is pointed out", "[compare]") {
  const Program coslice;
  coslice.folder.write("s.toml", kDrawn);
  const Said said = coslice("compare easy fcfs --scenario s.toml --seeds 2 --set workload.lublin.load=2.0");
  CHECK(said.status == 0);
  CHECK(has(said.out, "Beware: the machine fell behind"));
}

TEST_CASE("what cannot be compared is said", "[compare]") {
  const Program coslice;
  coslice.folder.write("tiny.swf", kTrace);
  coslice.folder.write("x.txt", "text");
  REQUIRE(coslice("run tiny.swf --quiet --out r").status == 0);
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    const Said said = coslice("compare " + arguments);
    CHECK(said.status == 2);
    CHECK(has(said.err, message));
    CHECK(said.out.empty());
  };
  refused("", "nothing to compare was named");
  refused("r", "all runs are of one kind, easy");
  refused("r nowhere", "nowhere: does not exist");
  refused("r x.txt", "x.txt: is not a run folder");
  refused("r --seeds 3", "--seeds: nothing is simulated without a scenario");
  refused("r --by load", "there are no axes but in the results of a campaign");
  refused("easy --scenario tiny.swf", "all runs are of one kind, easy");
  refused("easy fcfs --scenario tiny.swf --format xml", "--format xml: there is no such format");
  refused("easy fcfs --scenario tiny.swf --level 2", "--level 2: out of range");
  refused("easy fcfs --scenario tiny.swf --figure wiat", "did you mean 'wait'?");
  refused("easy fcfs --scenario tiny.swf --figure cost", "no run has this figure");
  refused("easy fcfs --scenario tiny.swf --figure cost", "(`price`)");
  refused("easy fcsf --scenario tiny.swf", "did you mean 'fcfs'?");
}

TEST_CASE("a policy that stops no job stands beside one that does", "[compare]") {
  const Program coslice;
  coslice.folder.write(
      "s.toml", "policy = { name = [\"easy\", \"preemptive\"], params = { urgent_queue = 1 } }\n[machine]\nnodes = 1\n"
                "price = 3.6\n[workload]\njobs = [{ submit = 0, nodes = 1, runtime = 100, queue = 2 }, "
                "{ submit = 50, nodes = 1, runtime = 10, queue = 1 }]\n");
  REQUIRE(coslice("run s.toml --quiet --out runs").status == 0);
  const auto numbers_in_row = [&](const std::string& policies, const std::string& title) {
    std::istringstream rows(coslice("run s.toml --policy " + policies).out);
    std::string row, digits;
    while (std::getline(rows, row) && !has(row, "│ " + title)) {}
    for (const char c : row)
      if (c >= '0' && c <= '9') digits += c;
    return digits;
  };
  CHECK(numbers_in_row("easy,preemptive", "preemptions") == "01");
  CHECK(numbers_in_row("scojo_pect,preemptive", "preemptions") == "01");
  CHECK(numbers_in_row("easy,preemptive", "cost") == "011016");
  const Json c = Json::parse(coslice("compare runs --figure preemptions.stopped,cost.total --format json").out).at(0);
  CHECK(row_of(c, "preemptions.stopped", "", "easy")["mean"] == 0);
  CHECK(row_of(c, "preemptions.stopped", "", "preemptive")["difference"] == 1);
  CHECK(row_of(c, "cost.total", "", "easy")["mean"].get<double>() == Approx(0.11));
  CHECK(row_of(c, "cost.total", "", "preemptive")["mean"].get<double>() == Approx(0.16));
  CHECK(has(coslice("compare runs --figure prempt").err, "did you mean 'preemptions."));
  const Said near = coslice("compare runs --figure preemptions");
  CHECK(near.status == 2);
  CHECK(has(near.err, "'preemptions.stopped'"));
  const Said absent = coslice("compare runs --figure slices.preemptions");
  CHECK(has(absent.err, "no run has this figure"));
  CHECK(has(absent.err, "Under time slices only."));
}

TEST_CASE("of jobs that come all at once the machine's figures are those of the whole run", "[compare]") {
  const Program coslice;
  coslice.folder.write("s.toml", "machine.nodes = 4\npolicy.name = ['easy', 'fcfs']\n[workload]\njobs = [\n"
                                 "  { nodes = 3, runtime = 100 },\n  { nodes = 4, runtime = 100 },\n]\n");
  const Said said = coslice("compare --scenario s.toml --format json");
  const Json c = Json::parse(said.out).at(0);
  CHECK(row_of(c, "utilization, %", "", "easy")["mean"].get<double>() == Approx(87.5));
  CHECK(row_of(c, "queue", "", "easy")["mean"].get<double>() == Approx(0.5));
  CHECK(has(c["notes"].dump(), "utilization and queue are those of the whole run"));
  REQUIRE(coslice("run s.toml --quiet --out runs").status == 0);
  CHECK(row_of(Json::parse(coslice("compare runs --format json").out).at(0), "utilization, %", "", "easy")["mean"] ==
        row_of(c, "utilization, %", "", "easy")["mean"]);
}

TEST_CASE("what would have no effect is refused, and a figure is shown once", "[compare]") {
  const Program coslice;
  coslice.folder.write("s.toml", kDrawn);
  const std::string compare = "compare easy fcfs --scenario s.toml --seeds 2 ";
  CHECK(has(coslice(compare + "--set seed=5").err, "--set seed=5: has no effect"));
  CHECK(has(coslice(compare + "--set policy.name=sjf").err, "--set policy.name=sjf: has no effect"));
  CHECK(coslice("compare --scenario s.toml --seeds 2 --set 'policy.name=[\"sjf\", \"easy\"]'").status == 0);
  for (const char* none : {"--figure ''", "--figure ,"}) {
    const Said said = coslice(compare + none);
    CHECK(said.status == 2);
    CHECK(has(said.err, "--figure: names no figure"));
  }
  CHECK(coslice(compare + "--format csv --figure wait,queue,wait").out ==
        coslice(compare + "--format csv --figure wait,queue").out);
  const std::string whatif = "whatif s.toml --policy easy --runs 2 --set machine.nodes=40 --format csv --figure ";
  const Said said = coslice(whatif + "wait,queue");
  INFO(said.err);
  CHECK(said.status == 0);
  CHECK(said.out == coslice(whatif + "wait --figure queue").out);
}

TEST_CASE("runs of a few jobs or none are compared as far as that goes", "[compare]") {
  const Program coslice;
  coslice.folder.write("tiny.swf", kTrace);
  const Said tiny = coslice("compare easy fcfs --scenario tiny.swf --format markdown");
  CHECK(tiny.status == 0);
  CHECK(has(tiny.out, "nothing says which differences are chance"));
  coslice.folder.write("none.toml",
                       "[machine]\nnodes = 2\n[workload]\njobs = [{ submit = 0, nodes = 1, runtime = 10 }]\n"
                       "[policy]\nname = [\"easy\", \"fcfs\"]\n");
  const Said one = coslice("compare --scenario none.toml");
  CHECK(one.status == 0);
  CHECK(has(one.out, "wait, s"));
}

TEST_CASE("the results of a campaign, at each of its points", "[compare]") {
  const Program coslice;
  coslice.folder.write("c.toml", "[campaign]\nname = \"loads\"\nseeds = 3\n[scenario.machine]\nnodes = 16\n"
                                 "[scenario.workload]\ngenerator = \"lublin\"\n[scenario.workload.lublin]\njobs = 80\n"
                                 "[axes]\npolicy = [\"easy\", \"fcfs\"]\n\"workload.lublin.load\" = [0.6, 0.9]\n");
  REQUIRE(coslice("sweep c.toml -o c.sqlite").status == 0);
  const Said said = coslice("compare c.sqlite --format json");
  REQUIRE(said.status == 0);
  const Json all = Json::parse(said.out);
  REQUIRE(all.size() == 2);
  CHECK(all[0]["at"] == "workload.lublin.load 0.6");
  CHECK(all[1]["variants"] == Json::parse(R"([{"name":"easy","seeds":[1,2,3]},{"name":"fcfs","seeds":[1,2,3]}])"));
  CHECK(row_of(all[1], "wait, s", "all", "fcfs")["method"] == "paired");
  const Json loads = Json::parse(coslice("compare c.sqlite --by workload.lublin.load --format json").out);
  CHECK(loads.at(0)["at"] == "policy easy");
  CHECK(has(coslice("compare c.sqlite").out, "workload.lublin.load 0.9\n"));
  // Its points first, the best one on top.
  const std::string table = coslice("compare c.sqlite").out;
  CHECK(
      table.rfind(
          "2 points ranked by wait, s, means over 2 conditions (workload.lublin.load 0.6 to workload.lublin.load 0.9)",
          0) == 0);
  CHECK(has(table, "1. easy"));
  CHECK(has(table, "2. fcfs"));
  CHECK(has(table, "Means over 3 seeds (1 to 3), each the mean of its runs under 2"));
  CHECK(!has(coslice("compare c.sqlite --by policy").out, "ranked"));
  CHECK(has(coslice("compare c.sqlite --by lod").err, "--by lod: no such axis in c.sqlite"));
  CHECK(has(coslice("compare c.sqlite --trim 0.1").err, "does not hold its jobs"));
  // Two campaigns: the same points, another machine.
  coslice.folder.write("d.toml", "[campaign]\nname = \"more nodes\"\nseeds = 3\n[scenario.machine]\nnodes = 20\n"
                                 "[scenario.workload]\ngenerator = \"lublin\"\n[scenario.workload.lublin]\njobs = 80\n"
                                 "[axes]\npolicy = [\"easy\", \"fcfs\"]\n\"workload.lublin.load\" = [0.6, 0.9]\n");
  REQUIRE(coslice("sweep d.toml -o d.sqlite").status == 0);
  const Json two = Json::parse(coslice("compare c.sqlite d.sqlite --format json").out);
  CHECK(two.size() == 4);
  CHECK(two[0]["variants"][1]["name"] == "more nodes");
}

TEST_CASE("one run each of a campaign is compared by the jobs that it kept, as run folders are", "[compare]") {
  const Program coslice;
  const std::string scenario =
      "machine = { nodes = 16 }\nworkload = { generator = \"lublin\", lublin = { jobs = 400 } }\n";
  coslice.folder.write("s.toml", scenario + "policy = { name = [\"easy\", \"fcfs\"] }\n");
  const auto campaign = [&](const std::string& name, const std::string& jobs) {
    coslice.folder.write(name + ".toml", "[campaign]\nseeds = 1\n" + jobs + "[scenario]\n" + scenario +
                                             "[axes]\npolicy = [\"easy\", \"fcfs\"]\n");
    REQUIRE(coslice("sweep " + name + ".toml -o " + name + ".sqlite").status == 0);
  };
  campaign("kept", "jobs = true\n");
  campaign("lean", "");
  REQUIRE(coslice("run s.toml --quiet --out folder").status == 0);
  for (const std::string trim : {"", " --trim 0.1"}) {
    const Json kept = Json::parse(coslice("compare kept.sqlite --format json" + trim).out);
    const Json folder = Json::parse(coslice("compare folder --format json" + trim).out);
    CHECK(row_of(kept[0], "wait, s", "all", "fcfs")["method"] == "batches");
    CHECK(kept[0]["figures"] == folder[0]["figures"]);
  }
  const Said said = coslice("compare lean.sqlite");
  CHECK(said.status == 0);
  CHECK(has(said.out, "One run each, without intervals."));
  CHECK(has(said.out, "jobs = true in [campaign] keeps them"));
  CHECK(has(coslice("compare lean.sqlite --trim 0.1").err, "or --trim 0; jobs = true in [campaign] keeps them"));
}

TEST_CASE("a policy without a parameter is compared at each of its values", "[compare]") {
  const Program coslice;
  coslice.folder.write("c.toml", "[campaign]\nseeds = 2\n[scenario.machine]\nnodes = 16\n"
                                 "[scenario.workload]\ngenerator = \"lublin\"\n[scenario.workload.lublin]\njobs = 60\n"
                                 "[axes]\npolicy = [\"fcfs\", \"sjf\", \"easy\"]\n"
                                 "\"workload.lublin.load\" = [0.6, 0.9]\n\"policy.params.depth\" = [1, 100]\n");
  REQUIRE(has(coslice("sweep c.toml -o c.sqlite").out + coslice("sweep c.toml -o c.sqlite --resume").out, "16 runs"));
  const Json all = Json::parse(coslice("compare c.sqlite --format json").out);
  REQUIRE(all.size() == 4);
  for (const Json& group : all) CHECK(group["variants"].size() == 3);
  CHECK(all[0]["at"] == "workload.lublin.load 0.6, policy.params.depth 1");
  CHECK(row_of(all[0], "wait, s", "all", "fcfs") == row_of(all[1], "wait, s", "all", "fcfs"));
  const Json depths = Json::parse(coslice("compare c.sqlite --by policy.params.depth --format json").out);
  REQUIRE(depths.size() == 2);
  CHECK(depths[0]["at"] == "policy easy, workload.lublin.load 0.6");
  // Nothing to compare: each part has other points.
  REQUIRE(coslice("sweep c.toml --shard 1/16").status == 0);
  CHECK(has(coslice("compare c-1-of-16.sqlite --by policy").err,
            "no point has runs that ended well of two values of 'policy'; expected at least two to compare"));
}

TEST_CASE("a campaign of many points is ranked, and has no table for each place", "[compare]") {
  const Program coslice;
  coslice.folder.write(
      "c.toml", "[campaign]\nseeds = 2\n[scenario.machine]\nnodes = 16\n"
                "[scenario.workload]\ngenerator = \"lublin\"\n[scenario.workload.lublin]\njobs = 60\nload = 0.9\n"
                "[scenario.policy]\nname = \"easy\"\n[axes]\n"
                "\"engine.event_order\" = [\"ends-first\", \"submissions-first\"]\n"
                "\"policy.params.depth\" = [1, 2, 5, 10, 100]\n");
  REQUIRE(coslice("sweep c.toml -o c.sqlite").status == 0);
  const Said said = coslice("compare c.sqlite --figure slowdown");
  INFO(said.out);
  CHECK(said.status == 0);
  CHECK(said.out.rfind("10 points ranked by slowdown; differences are to the best\n", 0) == 0);
  CHECK(has(said.out, "10. "));
  CHECK(has(said.out, "event_order=ends-first depth=100"));
  CHECK(has(said.out, "--by AXIS has a table of all figures for each of 5 places"));
  CHECK(!has(said.out, "policy.params.depth 2"));
  const Json all = Json::parse(coslice("compare c.sqlite --format json").out);
  CHECK(all.size() == 5);
  CHECK(all[0]["figures"][0].contains("runs_needed"));
}

TEST_CASE("a damaged job list is not compared", "[compare]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  REQUIRE(coslice("run t.swf --quiet --out a").status == 0);
  REQUIRE(coslice("run t.swf --quiet --policy fcfs --out b").status == 0);
  REQUIRE(coslice("compare a b").status == 0);
  const std::string jobs = coslice.folder.read("b/jobs.csv");
  coslice.folder.write("b/jobs.csv", jobs.substr(0, jobs.size() - 5));
  CHECK(coslice("compare a b").err == error("b/jobs.csv: is cut off; expected a job list that coslice wrote"));
  coslice.folder.write("b/jobs.csv", jobs.substr(0, jobs.rfind('\n', jobs.size() - 2) + 1));
  CHECK(coslice("compare a b").err == error("b/jobs.csv: holds 3 jobs that ended, summary.json counts 4"));
}

TEST_CASE("jobs that never ran in their record are in no figure of runs that are compared", "[cli]") {
  const Program coslice;
  coslice.folder.write("j.sacct",
                       "JobID|User|Partition|Submit|Start|End|ElapsedRaw|State|NCPUS|NNodes|TimelimitRaw\n"
                       "1|a|p|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:10:00|600|COMPLETED|4|4|20\n"
                       "2|b|p|2024-01-01T00:02:00|2024-01-01T00:10:00|2024-01-01T00:20:00|600|COMPLETED|2|2|20\n"
                       "3|b|p|2024-01-01T00:03:00|None|2024-01-01T05:00:00|0|CANCELLED by 1|2|2|20\n");
  coslice.folder.write("s.toml", "machine.nodes = 4\nworkload.trace = 'j.sacct'\n");
  // The third job is cancelled after five hours, and starts here before.
  REQUIRE(coslice("run s.toml --policy easy,fcfs --out runs --quiet").status == 0);
  const std::string call = " --figure wait.mean --format json --trim 0";
  const Said kept = coslice("compare runs" + call);
  INFO(kept.err);
  REQUIRE(kept.status == 0);
  CHECK(row_of(Json::parse(kept.out).at(0), "wait, s", "short", "easy")["mean"] == (0 + 480) / 2);
  coslice.folder.write("c.toml", "[campaign]\njobs = true\n[axes]\n'policy.name' = ['easy', 'fcfs']\n"
                                 "[scenario]\nmachine.nodes = 4\nworkload.trace = 'j.sacct'\n");
  REQUIRE(coslice("sweep c.toml -o c.sqlite").status == 0);
  const Said swept = coslice("compare c.sqlite" + call);
  INFO(swept.err);
  REQUIRE(swept.status == 0);
  CHECK(row_of(Json::parse(swept.out).at(0), "wait, s", "short", "easy")["mean"] == (0 + 480) / 2);
  CHECK(has(coslice("run s.toml --policy easy,fcfs").out, "withdrawn"));
}

}  // namespace compare_test
