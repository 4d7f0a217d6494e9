// Nodes that are not always there, from the command line: what is printed and written, and what is refused.
#include "catch.h"
#include "run_program.h"

namespace outages_test {

using namespace coslice_test;

namespace {

const std::string kJobs =
    "[machine]\nnodes = 4\n[workload]\njobs = [\n"
    "  { submit = 0, nodes = 2, runtime = 600, limit = 900 },\n  { submit = 60, nodes = 2, runtime = 900 },\n"
    "  { submit = 120, nodes = 3, runtime = 300, limit = 600 },\n]\n";
const std::string kFailure = "[[outages.planned]]\nnodes = ['0']\nkind = 'failure'\nfrom = 300\nlength = 900\n";

}  // namespace

TEST_CASE("a run with a failure says what it cost, in all its files", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  coslice.folder.write("s.toml", kJobs + kFailure);
  const Said said = coslice("run s.toml --out out");
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("1 failure, 1 interruption; wasted"));
  CHECK_THAT(coslice.folder.read("out/jobs.csv"), Contains(",interruptions,lost_work\n") && Contains(",1,300\n"));
  CHECK_THAT(coslice.folder.read("out/timeline.csv"), Contains(",available_nodes\n") && Contains("\n300,2,2,2,3\n"));
  CHECK_THAT(coslice.folder.read("out/summary.json"), Contains("\"lost\": 600"));
  CHECK_THAT(coslice("explain out 1 --json").out, Contains("\"failed\""));
  CHECK_THAT(coslice("explain out 1").out, Contains("a node of it failed: 5 min 00 s of work are lost"));
  REQUIRE(coslice("gantt out -o g.svg").status == 0);
  CHECK_THAT(coslice.folder.read("g.svg"), Contains("run of job 1 that a failure ended") && Contains("class=\"away\""));
  REQUIRE(coslice("report out -o r.html").status == 0);
  // The resolved scenario gives the same again.
  REQUIRE(coslice("run out/scenario.toml --quiet --out again").status == 0);
  CHECK(coslice.folder.read("again/jobs.csv") == coslice.folder.read("out/jobs.csv"));
}

TEST_CASE("time slices know failures and maintenance", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  coslice.folder.write("s.toml", kJobs + kFailure + "[policy]\nname = 'scojo_pect'\n");
  REQUIRE(coslice("run s.toml --quiet --out out").status == 0);
  CHECK_THAT(coslice.folder.read("out/jobs.csv"), Contains("interruptions,lost_work") && Contains(",1,300"));
  CHECK_THAT(coslice("explain out 1").out, Contains("a node of it failed: 5 min 00 s of work are lost"));
  coslice.folder.write("m.toml", kJobs + "[[outages.planned]]\nkind = 'maintenance'\nfrom = 300\nlength = 900\n"
                                         "[policy]\nname = 'scojo_pect'\n");
  REQUIRE(coslice("run m.toml --quiet --out kept").status == 0);
  CHECK_THAT(coslice.folder.read("kept/timeline.csv"), Contains(",available_nodes\n") && Contains("\n300,3,0,0,0\n"));
}

TEST_CASE("lists of outages are files with columns", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  coslice.folder.write("s.toml", kJobs + "[outages]\ntrace = 'o.csv'\ninterrupted = 'lose'\n");
  coslice.folder.write("o.csv", "node,from,until\n0,300,1200\n");
  REQUIRE(coslice("run s.toml --quiet --out out").status == 0);
  CHECK_THAT(coslice.folder.read("out/jobs.csv"), Contains("COMPLETED_FAILED"));
  REQUIRE(coslice("run out/scenario.toml --quiet --out again").status == 0);
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"node,from\n", "o.csv:1: there is no column 'until'"},
           {"node,from,until\n0,1,2\n9,1,2\n", "o.csv:3: '9' names no nodes of the machine"},
           {"node,from,until\n0,2,1\n", "o.csv:2: the outage does not end after it begins"},
           {"node,from,until\n0,x,1\n", "o.csv:2: from is 'x'"},
           {"node,from,until,kind\n0,0,1,fail\n", "o.csv:2: kind is 'fail'"},
           {"node,from,until\n0,0\n", "o.csv:2: 2 cells; expected 3, as in the first line"}}) {
    coslice.folder.write("o.csv", text);
    const Said said = coslice("run s.toml");
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains(words));
  }
}

TEST_CASE("a script yields outages, and is told the line of what is wrong", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  const auto script = [&](const std::string& body) {
    coslice.folder.write("o.lua", "return { api = 1, name = 'o', params = { at = { default = 300, doc = 's' } },\n"
                                  "  outages = function(params, machine, span)\n" +
                                      body + "\nend }\n");
  };
  coslice.folder.write("s.toml", kJobs + "[outages]\nscript = 'o.lua'\n[outages.params]\nat = 250\n");
  coslice.folder.write("t.toml",
                       kJobs + "[[outages.planned]]\nnodes = ['0']\nkind = 'failure'\nfrom = 250\nlength = 120\n");
  script("coroutine.yield { nodes = 0, from = params.at, length = span.last }");
  REQUIRE(coslice("run s.toml --quiet --out out").status == 0);
  REQUIRE(coslice("run t.toml --quiet --out planned").status == 0);
  CHECK(coslice.folder.read("out/jobs.csv") == coslice.folder.read("planned/jobs.csv"));
  REQUIRE(coslice("run out/scenario.toml --quiet --out again").status == 0);
  CHECK(coslice.folder.read("again/jobs.csv") == coslice.folder.read("out/jobs.csv"));
  script("local x = random.exponential(500)\ncoroutine.yield { nodes = {0, '2-3'}, from = x, length = 5, kind = "
         "'drain' }");
  CHECK(coslice("run s.toml --seed 1 --json").out != coslice("run s.toml --seed 2 --json").out);
  CHECK_THAT(coslice("validate o.lua").out, Contains("outage script"));
  for (const auto& [body, words] : std::vector<std::pair<std::string, std::string>>{
           {"\ncoroutine.yield { nodes = 4, from = 1, length = 5 }", "o.lua:4: there is no node 4"},
           {"\ncoroutine.yield { nodes = '9', from = 1, length = 5 }", "o.lua:4: '9' names no nodes of the machine"},
           {"coroutine.yield { nodes = 1, from = 1 }", "o.lua:3: outage 1 has no length"},
           {"coroutine.yield { nodes = 1, from = 1, length = 0 }", "o.lua:3: outage 1: length"},
           {"coroutine.yield { node = 1, from = 1, length = 1 }", "outage 1: unknown key 'node'"},
           {"coroutine.yield { nodes = 1.5, from = 1, length = 1 }", "a node's number, a name in quotes"},
           {"coroutine.yield { nodes = 1, from = 1, length = 1, kind = 'fail' }", "outage 1: kind"},
           {"coroutine.yield(3)", "o.lua:3: outage 1: the script yields a number"},
           {"error('no')", "o.lua:3: no"}}) {
    script(body);
    const Said said = coslice("run s.toml");
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains(words));
  }
  coslice.folder.write("s.toml", kJobs + kFailure + "[outages.params]\nat = 250\n");
  CHECK_THAT(coslice("run s.toml").err, Contains("[outages.params] has no effect here"));
}

TEST_CASE("outages that cannot be are refused at their lines", "[cli]") {
  using Catch::Contains;
  CHECK_THAT(complaint(kJobs + "[outages]\nrequeue = 'front'\n"),
             Contains("s.toml:10:") && Contains("outages.requeue has no effect where no node fails"));
  CHECK_THAT(complaint(kJobs + kFailure + "[outages]\ncheckpoint_cost = 5\n"),
             Contains("outages.checkpoint_cost has no effect without checkpoints"));
  CHECK_THAT(complaint(kJobs + kFailure + "[outages]\ncheckpoint_interval = 'daly'\ncheckpoint_cost = 5\n"),
             Contains("Daly's interval needs the time between failures"));
  CHECK_THAT(complaint(kJobs + kFailure + "[outages]\ninterrupted = 'lose'\ncheckpoint_interval = 5\n"),
             Contains("outages.checkpoint_interval has no effect where jobs are lost"));
  CHECK_THAT(complaint(kJobs + "[[outages.planned]]\nfrom = 1\nlength = 5\nevery = 5\n"),
             Contains("begins again before it is over"));
  CHECK_THAT(complaint(kJobs + "[[outages.failures]]\nmtbf = 100\nrepair = 10\n[[outages.failures]]\nnodes = ['1-2']\n"
                               "mtbf = 100\nrepair = 10\n"),
             Contains("a node has two models of failures"));
}

TEST_CASE("jobs of a partition with a higher tier come first, and each partition may have its queue", "[cli]") {
  const std::string machine =
      "[[machine.nodes]]\nname = 'a'\ncount = 2\n[[machine.nodes]]\nname = 'b'\ncount = 1\n"
      "[[machine.partitions]]\nname = 'a'\nnodes = 'a'\n[[machine.partitions]]\nname = 'b'\nnodes = 'b'\n"
      "[[machine.partitions]]\nname = 'urgent'\nnodes = 'a'\ntier = 2\n[workload]\njobs = [\n";
  const auto job = [](int submit, int nodes, int runtime, const std::string& partition) {
    return "  { submit = " + std::to_string(submit) + ", nodes = " + std::to_string(nodes) +
           ", runtime = " + std::to_string(runtime) + ", request = { partition = '" + partition + "' } },\n";
  };
  const Program coslice;
  const auto starts = [&](const std::string& flags) {
    REQUIRE(coslice("run s.toml --quiet --out out " + flags).status == 0);
    const std::string csv = coslice.folder.read("out/jobs.csv");
    std::string all;
    std::size_t line = csv.find('\n') + 1;
    for (; line < csv.size(); line = csv.find('\n', line) + 1) {
      std::size_t field = line;
      for (int i = 0; i < 8; ++i) field = csv.find(',', field) + 1;
      all += csv.substr(field, csv.find(',', field) - field) + " ";
    }
    return all;
  };
  coslice.folder.write("s.toml", machine + job(0, 1, 100, "a") + job(1, 2, 10, "a") + job(2, 1, 10, "b") +
                                     job(3, 2, 10, "urgent") + "]\n");
  CHECK(starts("--policy fcfs") == "0 110 110 100 ");
  CHECK(starts("--policy fcfs --set policy.params.queues=partition") == "0 110 2 100 ");
  CHECK(starts("--policy easy") == "0 110 2 100 ");
  // Behind the first one of its partition, only the next job is looked at, however many wait there.
  coslice.folder.write("s.toml", machine + job(0, 1, 100, "a") + job(1, 2, 10, "a") + job(2, 1, 200, "a") +
                                     job(3, 1, 200, "a") + job(4, 1, 5, "a") + "]\n");
  CHECK(starts("--policy easy --set policy.params.queues=partition") == "0 100 110 110 4 ");
  CHECK(starts("--policy easy --set policy.params.queues=partition --set policy.params.depth=1") ==
        "0 100 110 110 310 ");
}

TEST_CASE("outages are refused where events have another order", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  coslice.folder.write("s.toml", kJobs + kFailure + "[engine]\nevent_order = 'submissions-first'\n");
  const Said said = coslice("run s.toml --quiet");
  CHECK(said.status == 2);
  CHECK_THAT(said.err, Contains("s.toml") &&
                           Contains("engine.event_order = \"submissions-first\" and [outages] cannot be combined"));
}

TEST_CASE("a run says so where jobs start behind the last repetition", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  // A daily hour leaves 82,800 s: the second job fits between no two of them.
  const std::string jobs = "[workload]\njobs = [\n  { nodes = 1, runtime = 60 },\n"
                           "  { nodes = 2, runtime = 60, limit = 82801 },\n]\n[machine]\nnodes = 2\n";
  const std::string daily = "from = 3600\nlength = 3600\nevery = 86400\n";
  coslice.folder.write("r.toml", jobs + "[[reservations]]\nname = 'course'\nusers = [7]\n" + daily);
  coslice.folder.write("m.toml", jobs + "[[outages.planned]]\nkind = 'maintenance'\n" + daily);
  CHECK_THAT(coslice("run r.toml").err, Contains("the reservation 'course' repeats until 31,456,800 s only") &&
                                            Contains("1 job started later") && Contains("job 2, the first of them"));
  CHECK_THAT(coslice("run m.toml").err, Contains("the maintenance of ") && Contains("job 2, the first of them"));
  CHECK(coslice("run r.toml --set 'workload.jobs=[{nodes=2,runtime=60,limit=82800}]'").err.empty());
}

TEST_CASE("what repeats often does so for as long as jobs need, not for a year", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  // The first job fits between no two of them, under any of these policies, with any kind of request.
  const std::string often = "from = 100\nlength = 5\nevery = 150\n";
  for (const std::string request : {"", ", request = { cores = 1 }"}) {
    const std::string jobs = "[workload]\njobs = [\n  { nodes = 2, runtime = 700" + request +
                             " },\n  { nodes = 1, runtime = 100, submit = 5" + request +
                             " },\n]\n[machine]\nnodes = [{ name = 'a', count = 4, cores = 2 }]\n";
    coslice.folder.write("r.toml", jobs + "[[reservations]]\nname = 'course'\nusers = [7]\n" + often);
    coslice.folder.write("m.toml", jobs + "[[outages.planned]]\nkind = 'maintenance'\n" + often);
    for (const std::string policy : {"fcfs", "easy", "conservative"})
      for (const std::string file : {"r.toml", "m.toml"}) {
        INFO(file << " " << policy << request);
        CHECK_THAT(coslice("run " + file + " --policy " + policy).err,
                   Contains("repeats until 149,955 s only") && Contains("job 1, the first of them"));
      }
  }
  // A thousand times are too few for these jobs, one after another.
  std::string many = "[machine]\nnodes = 4\n[workload]\njobs = [\n";
  for (int i = 0; i != 1500; ++i) many += "  { nodes = 4, runtime = 140 },\n";
  coslice.folder.write("l.toml", many + "]\n[[outages.planned]]\nkind = 'maintenance'\n" + often);
  CHECK(coslice("run l.toml --policy easy").err.empty());
}

TEST_CASE("an explanation names the maintenance that a job would run into", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  coslice.folder.write("m.toml", kJobs + "[[outages.planned]]\nkind = 'maintenance'\nfrom = 1000\nlength = 900\n");
  const Said said = coslice("explain m.toml 3 --json");
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("\"maintenance\""));
  CHECK_THAT(coslice("explain m.toml 3").out, Contains("maintenance of nodes that it needs") && Contains("1,000 s"));
}

TEST_CASE("an explanation counts the nodes that were away while a job waited", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  const auto told = [&](const std::string& outages) {
    coslice.folder.write(
        "a.toml", "[machine]\nnodes = 4\n[workload]\njobs = [{ submit = 10, nodes = 4, runtime = 60 }]\n" + outages);
    std::string text = coslice("explain a.toml 1").out;
    for (std::size_t at = 0; (at = text.find("\n  ", at)) != std::string::npos;) {  // lines that were broken, joined
      const std::size_t word = text.find_first_not_of(' ', at + 1);
      text.replace(at, word - at, " ");
    }
    return text;
  };
  const std::string when = "nodes = ['1-2']\nfrom = 0\nlength = 500\n";
  CHECK_THAT(told("[[outages.planned]]\nkind = 'drain'\n" + when), Contains("2 were free; 2 nodes were drained"));
  CHECK_THAT(told("[[outages.planned]]\nkind = 'failure'\nnodes = ['3']\nfrom = 0\nlength = 500\n"),
             Contains("3 were free; 1 node had failed"));
  CHECK_THAT(told("[[outages.planned]]\nkind = 'maintenance'\n" + when), Contains("2 nodes were down for maintenance"));
}

TEST_CASE("what cannot be combined is refused at the line that asks for it", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  const auto refused = [&](const std::string& file, const std::string& flags) {
    const Said said = coslice("run " + file + " --out none " + flags);
    CHECK(said.status == 2);
    CHECK_FALSE(std::filesystem::exists(coslice.folder / "none"));
    return said.err;
  };
  coslice.folder.write("order.toml", kJobs + "[engine]\nevent_order = 'submissions-first'\n" + kFailure);
  CHECK_THAT(refused("order.toml", "--policy easy"),
             Contains("order.toml:11: engine.event_order = \"submissions-first\" and [outages]"));
  coslice.folder.write("slower.toml", kJobs + "[slowdown]\nmodel = 'drawn'\n[policy]\nname = 'fcs'\n");
  CHECK_THAT(refused("slower.toml", ""), Contains("slower.toml:9: policy 'fcs'"));
  coslice.folder.write("sizes.toml", "[machine]\nnodes = 4\n[workload]\nsizes = 'adjusted'\njobs = [\n"
                                     "  { nodes = 1, runtime = 9 },\n"
                                     "  { nodes = 1, runtime = 60, sizes = '1:60,2:40' },\n]\n"
                                     "[slowdown]\nmodel = 'drawn'\n");
  CHECK_THAT(refused("sizes.toml", "--policy easy"),
             Contains("sizes.toml:7: workload.sizes = \"adjusted\" and moldable jobs"));
  // A flag stands on no line.
  coslice.folder.write("plain.toml", kJobs);
  CHECK_THAT(refused("plain.toml", "--policy fcs --set slowdown.model=drawn"), Contains("plain.toml: policy 'fcs'"));
}

TEST_CASE("a belief in early repairs that is wrong for a million times ends no run", "[cli]") {
  const Program coslice;
  coslice.folder.write(
      "s.toml",
      "[machine]\nnodes = 2\n[workload]\njobs = [{ nodes = 2, runtime = 100 }]\n[outages]\nbelieved_repair = 1\n"
      "[[outages.planned]]\nnodes = ['0']\nkind = 'failure'\nfrom = 10\nlength = 1010000\n");
  const Said said = coslice("run s.toml --policy fcfs --quiet --out out");
  REQUIRE(said.status == 0);
  CHECK_THAT(coslice.folder.read("out/summary.json"), Catch::Contains("\"makespan\": 1010110"));
}

}  // namespace outages_test
