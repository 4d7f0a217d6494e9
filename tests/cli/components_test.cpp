// Jobs of several components, from the command line: they start together or not at all, wherever the jobs come from.
#include "catch.h"
#include "forecast_site.h"
#include "run_program.h"

namespace components_test {

using namespace coslice_test;
using Catch::Contains;

namespace {

const std::string kMachine =
    "[[machine.nodes]]\nname = 'big'\ncount = 2\ncores = 8\nmemory = '32 GiB'\n"
    "[[machine.nodes]]\nname = 'acc'\ncount = 1\ncores = 4\nmemory = '16 GiB'\ngpus = 2\ngpu_type = 'h100'\n"
    "[[machine.partitions]]\nname = 'batch'\nnodes = ['big']\ndefault = true\n"
    "[[machine.partitions]]\nname = 'acc'\nnodes = ['acc']\n";

/// Both GPUs are taken until 1,000. Job 2 needs one, and a node of its own: job 3 ends before, job 4 needs both nodes.
const std::string kJobs =
    "  { submit = 0, runtime = 1000, components = [ { gpus = 1, partition = 'acc' }, { cores = 2 } ] },\n"
    "  { submit = 10, runtime = 500, components = [ { nodes = 1, cores = 8, memory = '4 GiB' },\n"
    "    { gpus = 2, partition = 'acc' } ] },\n"
    "  { submit = 20, runtime = 900, nodes = 1, request = { cores = 8 } },\n"
    "  { submit = 30, runtime = 100, nodes = 2, request = { cores = 8 } },\n";

void write_scenario(const Program& coslice, const std::string& policy = "easy", const std::string& more = "") {
  coslice.folder.write("s.toml", kMachine + "[policy]\nname = '" + policy + "'\n" + more + "[workload]\njobs = [\n" +
                                     kJobs + "]\n");
}

/// "1 0,2 1000": when which job starts.
std::string starts(const Program& coslice, const std::string& run) {
  return coslice.shell("cut -d, -f1,9 " + run + "/jobs.csv | tail -n +2 | tr '\\n' ' '").out;
}

}  // namespace

TEST_CASE("components start together, under every way to pass others", "[components]") {
  const Program coslice;
  for (const std::string policy : {"fcfs", "easy", "conservative"}) {
    write_scenario(coslice, policy);
    const Said run = coslice("run s.toml --quiet --out " + policy);
    INFO(policy << run.err);
    REQUIRE(run.status == 0);
  }
  CHECK(starts(coslice, "fcfs") == "1,0 2,1000 3,1000 4,1900 ");
  CHECK(starts(coslice, "easy") == "1,0 2,1000 3,20 4,1500 ");
  CHECK(starts(coslice, "conservative") == "1,0 2,1000 3,20 4,1500 ");
}

TEST_CASE("jobs.csv, explanations and pictures have one job of several components", "[components]") {
  const Program coslice;
  write_scenario(coslice);
  REQUIRE(coslice("run s.toml --quiet --out out").status == 0);
  const std::string jobs = coslice.folder.read("out/jobs.csv");
  INFO(jobs);
  CHECK_THAT(jobs, Contains(",batch+acc,big1+acc1,8+1,4096+none,none+2,acc1:0-1\n"));
  CHECK_THAT(jobs, Contains("\n2,jobs,500,10,9,500,"));  // a process for each core
  CHECK(coslice.shell("wc -l < out/jobs.csv").out == "5\n");
  const Said why = coslice("explain out 2");
  INFO(why.out);
  CHECK_THAT(on_one_line(why.out),
             Contains("together (0) 1 node with 8 cores and 4096 MiB and (1) 1 node with 1 core and 2 GPUs"));
  CHECK_THAT(on_one_line(why.out),
             Contains("waited for 2 GPUs on a node of kind acc for component 1") && Contains("job 1 held it"));
  REQUIRE(coslice("gantt out -o out.svg").status == 0);
  CHECK_THAT(coslice.folder.read("out.svg"), Contains("big1, partition batch + acc1, partition acc, GPUs acc1:0-1"));
  REQUIRE(coslice("run out/scenario.toml --quiet --out again").status == 0);
  CHECK(coslice.folder.read("again/jobs.csv") == jobs);
}

TEST_CASE("workload scripts yield jobs of several components", "[components]") {
  const Program coslice;
  write_scenario(coslice);
  coslice.folder.write("w.lua", R"(return { api = 1, name = "jobs", jobs = function()
  local yield = coroutine.yield
  yield { submit = 0, runtime = 1000, components = { { gpus = 1, partition = "acc" }, { cores = 2 } } }
  yield { submit = 10, runtime = 500, components = { { nodes = 1, cores = 8, memory = "4 GiB" },
    { gpus = 2, partition = "acc" } } }
  yield { submit = 20, runtime = 900, nodes = 1, request = { cores = 8 } }
  yield { submit = 30, runtime = 100, nodes = 2, request = { cores = 8 } }
end })");
  coslice.folder.write("l.toml", kMachine + "[policy]\nname = 'easy'\n[workload]\nscript = 'w.lua'\n");
  REQUIRE(coslice("run s.toml --quiet --out out").status == 0);
  const Said run = coslice("run l.toml --quiet --out lua");
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(coslice.folder.read("lua/jobs.csv") == coslice.folder.read("out/jobs.csv"));
}

TEST_CASE("what components cannot stand beside is said at their line", "[components]") {
  const Program coslice;
  const auto refused = [&](const std::string& job) {
    coslice.folder.write("s.toml", kMachine +
                                       "[policy]\nname = 'easy'\n[workload]\njobs = [\n  { submit = 0, runtime = 9, " +
                                       job + " },\n]\n");
    const Said run = coslice("run s.toml");
    CHECK(run.status == 2);
    CHECK_THAT(run.err, Contains("s.toml:24: "));
    return run.err;
  };
  const std::string two = "components = [ { cores = 1 }, { cores = 2 } ]";
  CHECK_THAT(refused("components = [ { cores = 1 } ]"), Contains("one component"));
  CHECK_THAT(refused("nodes = 2, " + two), Contains("has both components and nodes"));
  CHECK_THAT(refused("processes = 2, " + two), Contains("has both components and processes"));
  CHECK_THAT(refused("request = { cores = 1 }, " + two), Contains("has both components and request"));
  CHECK_THAT(refused("sizes = '4:9', " + two), Contains("has both components and sizes"));
  CHECK_THAT(refused("memory = '1 GiB', " + two), Contains("memory for each process"));
  CHECK_THAT(refused("components = [ { gpus = 3 }, { cores = 1 } ]"),
             Contains("its component 0 asks for 3 GPUs on a node, but no node has that"));
  CHECK_THAT(refused("components = [ { nodes = 2 }, { cores = 8 } ]"),
             Contains("its 2 components ask for 3 nodes together, and no node can be of two of them"));
}

TEST_CASE("features that decide by what a job has of each node are refused beside components", "[components]") {
  const Program coslice;
  coslice.folder.write("units.lua", "return { api = 1, name = 'units', version = '1',\n"
                                    "  begin = function(view) view:units('gpus') end, backfill = 'easy' }\n");
  coslice.folder.write("sliced.lua",
                       "return { api = 1, name = 'sliced', version = '1', backfill = 'easy',\n"
                       "  slices = { interval = 100, overhead = 0, classes = { { name = 'a', share = 1 } } } }\n");
  const auto refused = [&](const std::string& policy, const std::string& more = "") {
    write_scenario(coslice, policy, more);
    const Said run = coslice("run s.toml");
    CHECK(run.status == 2);
    return run.err;
  };
  CHECK_THAT(refused("sliced.lua"),
             Contains("jobs of several components and time slices cannot be combined") && Contains("s.toml:24: "));
  CHECK_THAT(refused("units.lua"),
             Contains("jobs of several components cannot be combined") && Contains("units.lua:2"));
  for (const char* policy : {"gpu_fifo", "gpu_sjf", "gpu_las", "gpu_fifo_packed", "gpu_gain", "gpu_mig", "node_gain"}) {
    CHECK_THAT(refused(policy), Contains("s.toml:24: job 1: policy '" + std::string(policy) + "': ") &&
                                    Contains("jobs of several components and GPUs or nodes that a policy counts by "
                                             "kind cannot be combined") &&
                                    !Contains("traceback"));
    CHECK(coslice("validate s.toml").status == 2);
  }
  write_scenario(coslice, "easy", "[slowdown]\nmodel = 'drawn'\n");
  const Said run = coslice("run s.toml");
  CHECK(run.status == 2);
  CHECK_THAT(run.err,
             Contains("jobs of several components and [slowdown] cannot be combined") && Contains("s.toml:22: "));
}

namespace {

const std::string kHead = "JobID|JobIDRaw|User|Partition|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit|"
                          "AllocTRES|ReqTRES|NodeList\n";

std::string row(const std::string& ids, const std::string& partition, const std::string& submit,
                const std::string& times, const std::string& tres, const std::string& nodes) {
  return ids + "|eve|" + partition + "|2026-05-04T" + submit + "|2026-05-04T" + times + "|COMPLETED|1|1|02:00:00|" +
         tres + "|" + tres + "|" + nodes + "\n";
}

// Components of two partitions, of which one is free long before the other.
void write_dump(const Program& coslice) {
  const std::string one = "08:00:00|2026-05-04T09:00:00|01:00:00", two = "09:00:00|2026-05-04T10:00:00|01:00:00";
  coslice.folder.write("jobs.sacct",
                       kHead + row("70|70", "acc", "08:00:00", one, "cpu=2,mem=1G,node=1,gres/gpu=2", "acc1") +
                           row("71+1|72", "acc", "08:05:00", two, "cpu=1,mem=2G,node=1,gres/gpu:h100=1", "acc1") +
                           row("71+0|71", "batch", "08:05:00", two, "cpu=16,mem=8G,node=2", "big[1-2]") +
                           row("73|73", "batch", "08:10:00", two, "cpu=8,mem=8G,node=1", "big1"));
}

}  // namespace

TEST_CASE("components of several kinds in a dump of sacct start together", "[components]") {
  const Program coslice;
  write_dump(coslice);
  coslice.folder.write("s.toml",
                       kMachine + "[workload]\ntrace = 'jobs.sacct'\nexclusive = false\n[policy]\nname = 'easy'\n");
  const Said run = coslice("run s.toml --quiet --out out");
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(run.err.find("heterogeneous") == std::string::npos);
  const std::string jobs = coslice.folder.read("out/jobs.csv");
  INFO(jobs);
  CHECK(starts(coslice, "out") == "70,0 71,3600 73,7200 ");
  CHECK_THAT(jobs, Contains(",batch+acc,big[1-2]+acc1,8+1,4096+2048,none+1,acc1:0\n"));
  // Written as a dump again, it is the same.
  REQUIRE(coslice("convert jobs.sacct --to sacct -o copy.sacct").status == 0);
  INFO(coslice.folder.read("copy.sacct"));
  REQUIRE(coslice("run s.toml --quiet --set workload.trace=copy.sacct --out copy").status == 0);
  CHECK(starts(coslice, "copy") == "70,0 71,3600 73,7200 ");
  CHECK_THAT(coslice.folder.read("copy/jobs.csv"), Contains(",batch+acc,big[1-2]+acc1,8+1,4096+2048,none+1,acc1:0\n"));
  // From the middle of the record, it goes on on its nodes.
  const Said middle = coslice("run s.toml --quiet --set workload.recorded_until=4000 --out middle");
  INFO(middle.err);
  REQUIRE(middle.status == 0);
  CHECK_THAT(coslice.folder.read("middle/jobs.csv"), Contains(",batch+acc,big[1-2]+acc1,"));
  CHECK_THAT(coslice("convert jobs.sacct -o a.swf").err,
             Contains("has components that ask for nodes of several kinds"));
}

// A log is what it is: where a policy knows requests of one kind only, the others of the run have the same jobs.
TEST_CASE("components of a log run apart where a policy knows none", "[components]") {
  const Program coslice;
  coslice.folder.write("sliced.lua",
                       "return { api = 1, name = 'sliced', version = '1', backfill = 'easy',\n"
                       "  slices = { interval = 100, overhead = 0, classes = { { name = 'a', share = 1 } } } }\n");
  write_dump(coslice);
  const auto ran = [&](const std::string& options, const std::string& policies, const std::string& more = "") {
    coslice.folder.write("s.toml", kMachine + "[workload]\ntrace = 'jobs.sacct'\nexclusive = false\n[policy]\nname = " +
                                       policies + "\n" + more);
    const Said run = coslice("run s.toml --quiet --out out " + options);
    INFO(run.err);
    REQUIRE(run.status == 0);
    return run.err;
  };
  CHECK_THAT(
      on_one_line(ran("", "'sliced.lua'")),
      Contains("jobs.sacct: 1 heterogeneous job of several components on nodes of several kinds is taken apart") &&
          Contains("policy 'sliced' has time slices"));
  CHECK(starts(coslice, "out") == "70,0 71,300 74,3600 73,3900 ");
  ran("", "['easy', 'sliced.lua']");
  CHECK(coslice.folder.read("out/easy/jobs.csv").find("71+") == std::string::npos);
  CHECK_THAT(on_one_line(ran("", "'easy'", "[slowdown]\nmodel = 'drawn'\n")), Contains("policy 'easy' has [slowdown]"));
  // On record each component has its own nodes.
  ran("--set workload.recorded_until=4000", "'sliced.lua'");
}

TEST_CASE("components of several kinds in a queue have one start", "[components]") {
  const Program coslice;
  make_site(coslice);
  std::string site = coslice.folder.read("scenario.toml");
  site = replaced(site, "[[machine.partitions]]\nname = \"batch\"\n",
                  "[[machine.nodes]]\nname = \"g\"\nnames = \"g1\"\ngpus = 1\n"
                  "[[machine.partitions]]\nname = \"acc\"\nnodes = [\"g\"]\n"
                  "[[machine.partitions]]\nname = \"batch\"\nnodes = [\"n\"]\n");
  coslice.folder.write("scenario.toml", site);
  const std::string head = "JOBID|USER|PARTITION|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|NODELIST|REASON\n";
  coslice.folder.write("q.txt",
                       head + "611+0|ann|acc|RUNNING|2026-03-12T08:00:00|2026-03-12T08:10:00|02:00:00|1|1|g1|None\n"
                              "611+1|ann|batch|RUNNING|2026-03-12T08:00:00|2026-03-12T08:10:00|02:00:00|1|1|n2|None\n"
                              "612+0|ann|batch|PENDING|2026-03-12T08:20:00|N/A|02:00:00|1|1||Resources\n"
                              "612+1|ann|acc|PENDING|2026-03-12T08:20:00|N/A|02:00:00|1|1||Resources\n"
                              "613|ann|batch|PENDING|2026-03-12T08:25:00|N/A|00:05:00|1|1||Priority\n");
  const Said said = coslice("forecast . --queue q.txt --now 2026-03-12T08:30 --runs 4 --arrivals none --past 0 --csv");
  INFO(said.err << said.out);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.err, !Contains("heterogeneous"));
  CHECK_THAT(said.out, Contains("\n612,") && Contains("\n613,") && !Contains("612+"));
}

}  // namespace components_test
