// coslice report and coslice export.
#include <filesystem>
#include <map>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

namespace report_test {

using namespace coslice_test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

const char* const kSliced = "name = \"sliced\"\nseed = 3\n[machine]\nnodes = 8\n[workload]\ngenerator = \"lublin\"\n"
                            "[workload.lublin]\njobs = 60\n[policy]\nname = \"scojo_pect\"\n[policy.params]\n"
                            "memory = \"MM5\"\n";

const char* const kPairs = R"lua(
return {
  api = 1, name = "pairs", version = "1",
  sharing = {
    alone = function(job, machine) return machine.cores end,
    shared = function(job, machine) return machine.cores // 2 end,
  },
  schedule = function(view)
    local head = view:head()
    local group = head and view:waiting_candidates():without(head):best_of_all(head, 0.5, 1)
    if group and view:can_start_group(group) then view:start_group(group)
    elseif head and view:fits(head) then view:start(head) end
  end,
}
)lua";
const char* const kShared =
    "name = \"shared\"\n[machine]\nnodes = 1\ncores = 4\n[workload]\njobs = [ { submit = 0, processes = 4, "
    "runtime = 100 }, { submit = 10, processes = 2, runtime = 200 }, { submit = 20, processes = 2, "
    "runtime = 300 } ]\n[policy]\nname = \"pairs.lua\"\n";

/// Events of one track never overlap, so that they nest; how many there are.
std::size_t check_nesting(const Json& events) {
  std::map<int, double> ends;
  std::size_t n = 0;
  for (const Json& e : events) {
    if (e["ph"] != "X") continue;
    ++n;
    const double from = e["ts"], to = from + e["dur"].get<double>();
    double& before = ends[e["tid"].get<int>()];
    CHECK(from >= before - 1e-3);
    before = to;
  }
  return n;
}

}  // namespace

TEST_CASE("a page of a run: figures, charts, sources", "[report]") {
  const Program coslice;
  coslice.folder.write("tiny.swf", kTrace);
  REQUIRE(coslice("run tiny.swf --quiet --out results/7").status == 0);
  const Said said = coslice("report results/7");
  CHECK(said.status == 0);
  CHECK(has(said.err, "wrote 7-report.html: 5 charts"));
  const std::string page = coslice.folder.read("7-report.html");
  CHECK(has(page, "<title>tiny, easy</title>"));
  CHECK(has(page, "Content-Security-Policy"));
  CHECK(has(page, "backfill = &quot;easy&quot;"));  // the policy's source
  CHECK(has(page, "gantt-frame"));
  CHECK(count(page, "http://") == count(page, "http://www.w3.org/2000/svg"));  // a name, no address
  CHECK(!has(page, "https://"));
  CHECK(coslice("report results/7 -o a.html").status == 0);
  CHECK(coslice.folder.read("a.html") == page);
  CHECK(coslice("report tiny.swf --no-gantt -o b.html").status == 0);
  CHECK(!has(coslice.folder.read("b.html"), "<iframe"));
}

TEST_CASE("a page of several policies beside one another", "[report]") {
  const Program coslice;
  coslice.folder.write("tiny.swf", kTrace);
  REQUIRE(coslice("run tiny.swf --policy fcfs,easy --quiet --out r").status == 0);
  CHECK(has(coslice("report r -o r.html --svg figures").err, "wrote r.html: 7 charts"));
  const std::string page = coslice.folder.read("r.html");
  CHECK(has(page, "<title>tiny: fcfs, easy</title>"));
  CHECK(count(page, "<iframe") == 2);
  CHECK(count(page, "<img class=\"paper\"") == 2);
  CHECK(count(page, "<td class=\"text\">fcfs</td>") > 4);
  const std::string wait = coslice.folder.read("figures/wait.svg");
  CHECK(has(wait, ">fcfs</text>"));
  CHECK(has(wait, ">easy</text>"));
  REQUIRE(coslice("report tiny.swf --policy fcfs,easy -o s.html").status == 0);
  CHECK(has(coslice.folder.read("s.html"), "<title>tiny: fcfs, easy</title>"));
}

TEST_CASE("all that a run prints is in its page", "[report]") {
  const Program coslice;
  coslice.folder.write("s.toml", kSliced);
  REQUIRE(coslice("report s.toml --no-gantt -o s.html").status == 0);
  for (const char* title :
       {"Figures", "Wait, s", "Response time, s", "Bounded slowdown", "Relative response time", "Time slices"})
    CHECK(has(coslice.folder.read("s.html"), std::string(">") + title + "</h2>"));
  for (const char* column : {"preemptions", "loads", "overhead, s", "overhead, % of run times"})
    CHECK(has(coslice.folder.read("s.html"), std::string(">") + column + "</th>"));
  coslice.folder.write("pairs.lua", kPairs);
  coslice.folder.write("shared.toml", kShared);
  REQUIRE(coslice("report shared.toml --policy pairs.lua,easy --no-gantt -o p.html").status == 0);
  for (const char* column : {"efficiency, %", "groups", "jobs in a group", "gain had, %", "gain promised, %"})
    CHECK(has(coslice.folder.read("p.html"), std::string(">") + column + "</th>"));
}

TEST_CASE("a page of a machine with GPUs shows GPUs, power, preemptions and who was refused", "[report]") {
  const Program coslice;
  // Job 1 has one of four GPUs all the time; 2 is refused, 3 is stopped once.
  coslice.folder.write("fussy.lua", R"lua(
local stopped = false
return {
  api = 1, name = "fussy", version = "1",
  schedule = function(view)
    for job in view:waiting() do
      if job.id == 2 then view:refuse(job, "its QOS allows no job") return end
    end
    view:start_in_order()
    if stopped or view.now < 20 then return view.now < 20 and view:wake(20) end
    for job in view:running() do
      if job.id == 3 then stopped = true; view:requeue(job) return end
    end
  end,
}
)lua");
  coslice.folder.write(
      "s.toml",
      "name = \"s\"\n[[machine.nodes]]\nname = \"g\"\ncount = 2\ncores = 4\nmemory = \"8 GiB\"\ngpus = 2\n[workload]\n"
      "jobs = [ { submit = 0, nodes = 1, runtime = 100, request = { cores = 1, gpus = 1, memory = \"1 GiB\" } },\n"
      "{ submit = 0, nodes = 1, runtime = 100, request = { cores = 1, gpus = 1 } },\n"
      "{ submit = 10, nodes = 1, runtime = 40, request = { cores = 1, gpus = 1 } } ]\n"
      "[power]\nidle = 20\nboot = 5\nwatts = { busy = 300, idle = 100 }\n[policy]\nname = \"fussy.lua\"\n");
  const Said run = coslice("run s.toml");
  INFO(run.err << run.out);
  REQUIRE(run.status == 0);
  CHECK(has(run.out, "1 rejected (refused by the policy)"));
  REQUIRE(coslice("report s.toml --no-gantt -o s.html --svg drawings").status == 0);
  const std::string page = coslice.folder.read("s.html");
  CHECK(!has(page, "larger than the machine"));
  CHECK(has(page, "1 job did not run (refused by the policy)"));
  for (const char* title : {"Figures", "Power", "Energy", "Preemptions", "Rejections"})
    CHECK(has(page, std::string(">") + title + "</h2>"));
  for (const char* column : {"nodes in use, %", "cores in use, %", "memory in use, %", "GPUs in use, %", "boots, nodes",
                             "preemptions, policy", "jobs, refused"})
    CHECK(has(page, std::string(">") + column + "</th>"));
  CHECK(has(page, "of the GPUs in use"));
  const std::string chart = coslice.folder.read("drawings/utilization.svg");
  CHECK(has(chart, "Utilization of the GPUs over time"));
  CHECK((has(chart, ">GPUs</text>") && has(chart, ">nodes</text>")));
  REQUIRE(coslice("report s.toml --policy fussy.lua,easy --no-gantt -o t.html --svg both").status == 0);
  CHECK((has(coslice.folder.read("both/utilization.svg"), ">fussy</text>") &&
         !has(coslice.folder.read("both/utilization.svg"), ">nodes</text>")));
}

TEST_CASE("drawings of its charts", "[report]") {
  const Program coslice;
  coslice.folder.write("s.toml", kSliced);
  const Said said = coslice("report s.toml --svg figures");
  CHECK(said.status == 0);
  CHECK(has(said.err, "wrote 5 drawings into figures"));
  CHECK(!fs::exists(coslice.folder / "s-report.html"));
  for (const char* name : {"utilization", "queue", "wait", "response", "slowdown"}) {
    const std::string svg = coslice.folder.read(std::string("figures/") + name + ".svg");
    CHECK(has(svg, "</svg>"));
    CHECK(!has(svg, "nan"));
  }
  CHECK(coslice("report s.toml --svg figures -o both.html").status == 0);
  CHECK(fs::exists(coslice.folder / "both.html"));
}

TEST_CASE("names that would be markup stay names", "[report]") {
  const Program coslice;
  coslice.folder.write("s.toml",
                       "name = \"<script>alert(1)</script> & co\"\ndescription = \"</p><img src=x onerror=y>\"\n"
                       "[machine]\nnodes = 4\n[workload]\nname = \"</script><b>\"\njobs = [{ submit = 0, nodes = 1, "
                       "runtime = 10 }]\n[policy]\nname = \"easy\"\n[metrics]\nclasses = [{ name = \"</td><i>\" }]\n");
  REQUIRE(coslice("report s.toml -o x.html --svg d").status == 0);
  const std::string page = coslice.folder.read("x.html");
  for (const char* markup : {"<script>alert", "<img src=x", "<b>\"", "</td><i>", "</script><b>"})
    CHECK(!has(page, markup));
  CHECK(has(page, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; co, easy"));
}

TEST_CASE("runs of nothing have a page too", "[report]") {
  const Program coslice;
  coslice.folder.write("big.toml",
                       "[machine]\nnodes = 2\n[workload]\njobs = [{ submit = 0, nodes = 9, runtime = 10 }]\n"
                       "[policy]\nname = \"easy\"\n");
  const Said said = coslice("report big.toml -o x.html");
  CHECK(said.status == 0);
  const std::string page = coslice.folder.read("x.html");
  CHECK(has(page, "No job ran to an end"));
  CHECK(!has(page, "<iframe"));
}

TEST_CASE("what cannot be reported is said", "[report]") {
  const Program coslice;
  coslice.folder.write("tiny.swf", kTrace);
  REQUIRE(coslice("run tiny.swf --policy fcfs,easy --quiet --out r").status == 0);
  CHECK(coslice("report r --policy esay").err ==
        error("--policy esay: no such run in r; expected one of: easy, fcfs; did you mean 'easy'?"));
  CHECK(has(coslice("report r --policy easy").err, "wrote r-easy-report.html"));
  CHECK(has(coslice("report tiny.swf -o x.pdf").err, "'x.pdf' does not end in .html"));
  CHECK(has(coslice("report tiny.swf --by load").err, "there are no axes"));
  CHECK(coslice("report tiny.swf --by load").status == 2);
  // Lines for the axis that would else be along the charts: these are along another one, or there is none.
  coslice.folder.write("by.toml", "[campaign]\nscenario = \"tiny.swf\"\n[axes]\npolicy = [\"easy\", \"fcfs\"]\n"
                                  "\"machine.nodes\" = [2, 3, 4]\n");
  REQUIRE(coslice("sweep by.toml").status == 0);
  REQUIRE(coslice("report by.sqlite --by machine.nodes --figure wait --svg by").status == 0);
  CHECK(has(coslice.folder.read("by/wait-all-jobs.svg"), "over policy"));
  CHECK(has(coslice("report by.sqlite --by policy --x policy").err, "--by policy: its values would be lines"));
  CHECK(has(coslice("report by.sqlite --by policy,machine.nodes").err, "leaves no axis with several values"));
}

TEST_CASE("Perfetto: a track for each node, events that nest, counters", "[export]") {
  const Program coslice;
  coslice.folder.write("tiny.swf", kTrace);
  REQUIRE(coslice("export tiny.swf --format perfetto").status == 0);
  const Json trace = Json::parse(coslice.folder.read("tiny.trace.json"));
  const Json& events = trace["traceEvents"];
  CHECK(check_nesting(events) == 3 + 4 + 1 + 1);  // nodes of the four jobs
  std::size_t counters = 0, tracks = 0;
  for (const Json& e : events) {
    counters += e["ph"] == "C";
    tracks += e["name"] == "thread_name";
    if (e["ph"] == "X" && e["name"] == "job 1") {
      CHECK(e["ts"] == 0);
      CHECK(e["dur"] == 100000000);
    }
  }
  CHECK(tracks == 4);
  CHECK(counters > 4);
  CHECK(coslice("export tiny.swf --format perfetto -o -").out == coslice.folder.read("tiny.trace.json"));
}

TEST_CASE("Perfetto: pieces of preempted jobs, parts of shared nodes", "[export]") {
  const Program coslice;
  coslice.folder.write("s.toml", kSliced);
  REQUIRE(coslice("export s.toml --format perfetto -o s.json").status == 0);
  CHECK(check_nesting(Json::parse(coslice.folder.read("s.json"))["traceEvents"]) > 60);
  CHECK(has(coslice.folder.read("s.json"), "loading memory"));
  coslice.folder.write("pairs.lua", kPairs);
  coslice.folder.write("shared.toml", kShared);
  REQUIRE(coslice("export shared.toml --format perfetto -o p.json").status == 0);
  const Json shared = Json::parse(coslice.folder.read("p.json"));
  CHECK(check_nesting(shared["traceEvents"]) == 4);
  CHECK(has(coslice.folder.read("p.json"), "node 0, part 2"));
}

TEST_CASE("evalys: Batsim's columns of the jobs that ran", "[export]") {
  const Program coslice;
  coslice.folder.write("s.toml", "[machine]\nnodes = 4\n[workload]\njobs = [{ submit = 0, nodes = 3, runtime = 10 }, "
                                 "{ submit = 1, nodes = 9, runtime = 10 }, { submit = 2, nodes = 2, runtime = 5 }]\n"
                                 "[policy]\nname = \"easy\"\n");
  REQUIRE(coslice("export s.toml --format evalys -o -").status == 0);
  CHECK(coslice("export s.toml --format evalys -o -").out ==
        "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
        "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
        "consumed_energy,metadata\n"
        "1,jobs,10,0,3,10,1,COMPLETED_SUCCESSFULLY,0,10,10,0,10,1,0-2,-1,\n"
        "3,jobs,5,2,2,5,1,COMPLETED_SUCCESSFULLY,10,5,15,8,13,2.6,0-1,-1,\n");
  CHECK(coslice("export s.toml").status == 2);
  CHECK(has(coslice("export s.toml --format perfeto").err, "did you mean 'perfetto'?"));
}

TEST_CASE("a page of a campaign, with what failed in it", "[report]") {
  const Program coslice;
  coslice.folder.write(
      "bad.lua",
      "return { api = 1, name = \"bad\", version = \"1\", key = function(job) error(\"no <b> luck\") end }\n");
  coslice.folder.write("c.toml",
                       "[campaign]\nname = \"lo<ads\"\nseeds = 2\n[scenario.machine]\nnodes = 16\n"
                       "[scenario.workload]\ngenerator = \"lublin\"\n[scenario.workload.lublin]\njobs = 60\n"
                       "[axes]\npolicy = [\"easy\", \"bad.lua\", \"fcfs\"]\n\"workload.lublin.load\" = [0.6, 0.9]\n");
  coslice("sweep c.toml -o c.sqlite");
  const Said said = coslice("report c.sqlite -o c.html --svg figures");
  CHECK(said.status == 0);
  const std::string page = coslice.folder.read("c.html");
  CHECK(has(page, "<h1>lo&lt;ads</h1>"));
  CHECK(has(page, "8 runs of 12, 4 failed"));
  CHECK(has(page, "Runs that failed"));
  CHECK(has(page, "no &lt;b&gt; luck"));
  CHECK(!has(page, "no <b> luck"));
  const std::string wait = coslice.folder.read("figures/wait-all-jobs.svg");
  CHECK(has(wait, ">easy</text>"));
  CHECK(has(wait, ">fcfs</text>"));
  CHECK(has(wait, ">workload.lublin.load</text>"));
  CHECK(has(coslice("report c.sqlite --x policy -o d.html --svg bars").err, "drawings into bars"));
  REQUIRE(coslice("report c.sqlite --log --svg logarithmic").status == 0);
  const std::string logarithmic = coslice.folder.read("logarithmic/wait-all-jobs.svg");
  CHECK(logarithmic != wait);
  CHECK(!has(logarithmic, "nan"));
  CHECK(!has(logarithmic, "inf"));
  CHECK(has(coslice.folder.read("bars/wait-all-jobs.svg"), ">0.9</text>"));
  CHECK(has(coslice("report c.sqlite --x load").err, "--x load: no such axis with several values"));
}

TEST_CASE("a policy without a parameter stands beside the others at each of its values", "[report]") {
  const Program coslice;
  coslice.folder.write("c.toml", "[campaign]\nseeds = 2\n[scenario.machine]\nnodes = 16\n"
                                 "[scenario.workload]\ngenerator = \"lublin\"\n[scenario.workload.lublin]\njobs = 60\n"
                                 "[axes]\npolicy = [\"fcfs\", \"easy\"]\n\"policy.params.depth\" = [1, 100]\n"
                                 "\"workload.lublin.load\" = [0.63, 0.91]\n");
  REQUIRE(coslice("sweep c.toml -o c.sqlite").status == 0);
  REQUIRE(coslice("report c.sqlite --svg figures -o c.html").status == 0);
  CHECK(!fs::exists(coslice.folder / "figures/wait-all-jobs-policy-easy.svg"));
  for (const char* depth : {"1", "100"}) {
    const std::string name = std::string("figures/wait-all-jobs-policy.params.depth-") + depth + ".svg";
    INFO(name);
    const std::string wait = coslice.folder.read(name);
    for (const char* text : {">fcfs</text>", ">easy</text>", ">0.63</text>", ">0.91</text>"}) CHECK(has(wait, text));
    CHECK(!has(wait, ">0.7</text>"));
  }
  const std::string page = coslice.folder.read("c.html");
  CHECK(has(page, R"("values":["1","100"])"));
  CHECK(has(page, "<td class=\"text\">-</td>"));  // of the table
  REQUIRE(coslice("report c.sqlite --x policy.params.depth --svg depths").status == 0);
  const std::string flat = coslice.folder.read("depths/wait-all-jobs-workload.lublin.load-0.63.svg");
  CHECK(has(flat, ">fcfs</text>"));
  CHECK(count(flat, " fill=\"none\" stroke=") == 2);  // a line each
  REQUIRE(coslice("report c.sqlite --by policy.params.depth --svg lines").status == 0);
  CHECK(count(coslice.folder.read("lines/wait-all-jobs-policy-fcfs.svg"), " fill=\"none\" stroke=") == 1);
  CHECK(count(coslice.folder.read("lines/wait-all-jobs-policy-easy.svg"), " fill=\"none\" stroke=") == 2);
}

TEST_CASE("drawings of a campaign: figures, labels, all policies in one, and no name without a line", "[report]") {
  const Program coslice;
  coslice.folder.write("c.toml", "[campaign]\nseeds = 2\n[scenario.machine]\nnodes = 16\n"
                                 "[scenario.workload]\ngenerator = \"lublin\"\n[scenario.workload.lublin]\njobs = 60\n"
                                 "[axes]\npolicy = [\"fcfs\", \"easy\", \"sjf\"]\n\"policy.params.depth\" = [2, 50]\n"
                                 "\"workload.lublin.load\" = [0.64, 0.93]\n");
  REQUIRE(coslice("sweep c.toml").status == 0);
  const Said said = coslice("report c.sqlite --svg one --figure wait,slowdown.p95 --by policy,policy.params.depth "
                            "--x workload.lublin.load --label 'workload.lublin.load=offered load' --label fcfs=FCFS "
                            "--label 'wait-all-jobs=mean wait'");
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK(has(said.err, "wrote 2 drawings into one"));
  const std::string wait = coslice.folder.read("one/wait-all-jobs.svg");
  for (const char* text : {">FCFS</text>", ">easy depth=2</text>", ">easy depth=50</text>", ">offered load</text>",
                           ">mean wait</text>", ">mean wait over offered load</text>"})
    CHECK(has(wait, text));
  CHECK(!has(wait, ">fcfs<"));
  CHECK(fs::exists(coslice.folder / "one/slowdown-p95-all-jobs.svg"));
  CHECK(has(coslice("report c.sqlite --svg two --label nobody=x").err, "no drawing has 'nobody'"));
  CHECK(has(coslice("report c.sqlite --svg two --figure wiat").err, "did you mean 'wait'?"));
  CHECK(has(coslice("report c.sqlite --label fcfs=x").err, "--label: is for drawings"));
  // With a parameter along the chart a policy that is not run under a load has no line, and no name.
  coslice.folder.write("d.toml",
                       "[campaign]\nseeds = 1\nwhere = \"policy == 'easy' or load < 0.9\"\n[scenario.machine]\n"
                       "nodes = 16\n[scenario.workload]\ngenerator = \"lublin\"\n[scenario.workload.lublin]\n"
                       "jobs = 60\n[axes]\npolicy = [\"easy\", \"fcfs\"]\n\"workload.lublin.load\" = [0.64, 0.93]\n"
                       "\"metrics.bound\" = [10, 20]\n");
  REQUIRE(coslice("sweep d.toml").status == 0);
  REQUIRE(coslice("report d.sqlite --x metrics.bound --svg three").status == 0);
  CHECK(has(coslice.folder.read("three/wait-all-jobs-workload.lublin.load-0.64.svg"), ">fcfs</text>"));
  CHECK(!has(coslice.folder.read("three/wait-all-jobs-workload.lublin.load-0.93.svg"), ">fcfs</text>"));
  coslice.folder.write("t.swf", kTrace);
  REQUIRE(coslice("report t.swf --policy easy --svg run --figure wait").status == 0);
  CHECK(has(coslice("report t.swf --policy easy --svg run2 --figure wiat").err, "did you mean 'wait'?"));
  CHECK(has(coslice("report t.swf --policy easy --figure wait").err, "a page of a run shows all its charts"));
}

TEST_CASE("a long number of a card is smaller, not broken", "[report]") {
  const Program coslice;
  coslice.folder.write("s.toml", "machine.nodes = 4\nworkload.jobs = [{ submit = 0, nodes = 1, runtime = 3456789 }]\n"
                                 "policy.name = \"easy\"\n");
  REQUIRE(coslice("report s.toml --no-gantt -o s.html").status == 0);
  const std::string page = coslice.folder.read("s.html");
  CHECK(has(page, "<b class=\"long\">"));
  CHECK(!has(page.substr(page.find(".tiles b {"), 200), "overflow-wrap"));
}

}  // namespace report_test
