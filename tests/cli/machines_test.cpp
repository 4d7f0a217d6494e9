// Heterogeneous machines, from the command line: what is printed and written, and what is refused.
#include <cmath>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"
#include "shared_files.h"

namespace machines_test {

using namespace coslice_test;

namespace {

const std::string kMachine =
    "[[machine.nodes]]\nname = 'thin'\ncount = 2\ncores = 4\nmemory = '8 GiB'\n"
    "[[machine.nodes]]\nname = 'gpu'\ncores = 8\ncount = 1\ngpus = 2\nspeed = 2.0\n"
    "[[machine.partitions]]\nname = 'all'\n[[machine.partitions]]\nname = 'gpu'\nnodes = 'gpu'\nmax_time = 1000\n";

std::string scenario(const std::string& jobs, const std::string& policy = "easy") {
  return kMachine + "[workload]\njobs = [" + jobs + "]\n[policy]\nname = '" + policy + "'\n";
}

}  // namespace

TEST_CASE("jobs.csv says what a job had where, and the resolved scenario runs again", "[cli]") {
  const Program coslice;
  coslice.folder.write("s.toml",
                       scenario("{ runtime = 100, nodes = 1, request = { gpu_share = 0.5, partition = 'gpu' } },"
                                "{ runtime = 100, nodes = 1, request = { gpus = 2, partition = 'gpu' } },"
                                "{ runtime = 60, processes = 8 }"));
  REQUIRE(coslice("run s.toml --quiet --out out").status == 0);
  const std::string jobs = coslice.folder.read("out/jobs.csv");
  CHECK_THAT(jobs, Catch::Contains("ran_in,node_names,node_cores,node_memory,node_gpus,gpus\n"));
  CHECK_THAT(jobs, Catch::Contains(",gpu,gpu1,1,none,0.5,gpu1:0\n"));
  CHECK_THAT(jobs, Catch::Contains(",gpu,gpu1,1,none,2,gpu1:0-1\n"));
  CHECK_THAT(jobs, Catch::Contains(",all,thin[1-2],4,none,none,none\n"));
  // The kind is twice as fast; the second job waits for the GPU that the first one has half of.
  CHECK_THAT(jobs, Catch::Contains(",0,50,50,0,50,") && Catch::Contains(",50,50,100,50,100,"));
  REQUIRE(coslice("run out/scenario.toml --quiet --out again").status == 0);
  CHECK(coslice.folder.read("again/jobs.csv") == jobs);
  CHECK(coslice("gantt out -o g.svg").status == 0);
  CHECK(coslice("report out -o r.html").status == 0);
  CHECK(coslice("explain out 2").status == 0);
}

TEST_CASE("what no machine can serve is said before the run, with the first reason", "[cli]") {
  using Catch::Contains;
  CHECK_THAT(complaint(scenario("{ runtime = 1, nodes = 1, request = { gpus = 3 } }")),
             Contains("job 1 can never run: asks for 3 GPUs on a node, but no node has that"));
  CHECK_THAT(complaint(scenario("{ runtime = 2000, nodes = 1, request = { gpus = 1, partition = 'gpu' } }")),
             Contains("can never run: its limit of 2000 s is above the 1000 s of partition"));
  CHECK_THAT(complaint(scenario("{ runtime = 1, nodes = 1, request = { gpus = 1, gpu_share = 2 } }")),
             Contains("s.toml:") && Contains("gpu_share is 2; expected"));
  CHECK_THAT(complaint(scenario("{ runtime = 1, nodes = 1, request = { partition = 'gpus' } }")),
             Contains("no partition 'gpus'; expected one of all, gpu; did you mean 'gpu'?"));
  CHECK_THAT(
      complaint("[machine]\nnodes = 2\n[workload]\njobs = [{ runtime = 1, nodes = 1, request = { gpus = 1 } }]\n"),
      Contains("job 1 can never run: asks for 1 GPU on a node, but no node has that"));
  CHECK_THAT(complaint("[[machine.nodes]]\nname = 'a'\ncount = 0\n"),
             Contains("s.toml:3: machine.nodes[1].count is 0"));
  CHECK_THAT(complaint("[[machine.nodes]]\nname = 'a'\n"), Contains("the kind 'a' has no nodes"));
}

TEST_CASE("what jobs ask of a machine whose nodes differ, and which can never run", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  coslice.folder.write(
      "s.toml", scenario("{ submit = 0, runtime = 100, nodes = 1, request = { gpu_share = 0.5, partition = 'gpu' } },"
                         "{ submit = 0, runtime = 100, nodes = 1, request = { gpus = 2, partition = 'gpu' } },"
                         "{ submit = 50, runtime = 60, processes = 8 },"
                         "{ submit = 60, runtime = 2000, nodes = 1, request = { gpus = 1, partition = 'gpu' } },"
                         "{ submit = 70, runtime = 3000, nodes = 1, request = { gpus = 1, partition = 'gpu' } },"
                         "{ submit = 100, runtime = 1, nodes = 1, request = { gpus = 3 } }"));
  const Said said = coslice("info s.toml");
  REQUIRE(said.status == 0);
  CHECK(said.err.empty());
  CHECK_THAT(said.out, Contains("jobs          6 of 6 records"));
  CHECK_THAT(said.out, Contains("its limit of 2000 s is above the 1000 s of partition \"gpu\"") && Contains("job 4"));
  CHECK_THAT(said.out, Contains("asks for 3 GPUs on a node, but no node has that") && Contains("job 6"));
  // Two GPUs twice as fast for 100 s: 400. Half of one and two, for 100 s each: 250. Cores: 2 x 100 of 8 x 2 x 100.
  CHECK_THAT(said.out, Contains("0.625") && Contains("0.125"));
  const std::string json = coslice("info s.toml --json").out;
  CHECK_THAT(json, Contains("\"never\": [\n      {\n        \"reason\": \"its limit of 2000 s is above") &&
                       Contains("\"jobs\": 2,\n        \"first_job\": 4"));
  CHECK_THAT(json, Contains("\"gpus\": 0.625"));
  // The third job has two whole nodes of 16 / 3 cores on an average: 640 core-seconds of (8 + 16) x 100.
  CHECK_THAT(json, Contains("\"cores\": 0.26666666666666"));
  CHECK_THAT(coslice("info s.toml --set machine.nodes.gpu.gpus=4 --json").out, Contains("\"gpus\": 0.3125"));
  CHECK_THAT(coslice("info s.toml --nodes 4").err, Contains("--nodes") && Contains("machine.nodes.KIND.count"));
  coslice.folder.write("equal.toml", "machine.nodes = 4\nworkload.jobs = [{ runtime = 9, nodes = 1 }]\n");
  CHECK_THAT(coslice("info equal.toml").out,
             Contains("4 processors, from the scenario") && !Contains("Kinds of nodes"));
}

TEST_CASE("jobs may ask for parts of nodes where nobody named a kind", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  const std::string jobs = "cores = 2\n[workload]\njobs = [{ runtime = 10, nodes = 1, request = { cores = 1 } },\n"
                           "{ runtime = 10, nodes = 1, request = { cores = 1 } }, { runtime = 5, nodes = 2 }]\n";
  coslice.folder.write("equal.toml", "[machine]\nnodes = 2\n" + jobs);
  coslice.folder.write("named.toml", "[[machine.nodes]]\nname = 'n'\ncount = 2\n" + jobs);
  REQUIRE(coslice("run equal.toml --quiet --out equal").status == 0);
  REQUIRE(coslice("run named.toml --quiet --out named").status == 0);
  const std::string csv = coslice.folder.read("equal/jobs.csv");
  CHECK(csv == coslice.folder.read("named/jobs.csv"));
  CHECK_THAT(csv, Contains(",10,1,0,-1,,short,10,1,1,,,,,,none,n1,1,none,none,none\n2,jobs,10,0,") &&
                      Contains("\n3,jobs,5,0,4,5,1,COMPLETED_SUCCESSFULLY,10,"));  // both on n1
}

TEST_CASE("nodes that nobody named have numbers, whatever jobs ask for", "[cli]") {
  const Program coslice;
  const std::string scenario =
      "[machine]\nnodes = 4\ncores = 2\n[[outages.planned]]\nnodes = '0-1'\nfrom = 2\nlength = 3\nkind = 'drain'\n"
      "[power]\nexcept = '2'\nidle = 5\nboot = 1\nshutdown = 1\n[workload]\njobs = [{ runtime = 9, nodes = 1 }, ";
  coslice.folder.write("whole.toml", scenario + "{ runtime = 10, nodes = 1 }]\n");
  coslice.folder.write("part.toml", scenario + "{ runtime = 10, nodes = 1, request = { cores = 1 } }]\n");
  CHECK(coslice("run whole.toml").err == "");
  CHECK(coslice("run part.toml").err == "");
}

TEST_CASE("slowdowns of jobs that share equal nodes may be set", "[cli]") {
  const Program coslice;
  const auto said = [&](const char* request) {
    coslice.folder.write("s.toml",
                         "[machine]\nnodes = 1\ncores = 2\n[slowdown]\nmodel = 'drawn'\ncombine = 'sum'\n[workload]\n"
                         "jobs = [{ runtime = 9, nodes = 1" +
                             std::string(request) + " }]\n");
    return coslice("run s.toml --quiet").err;
  };
  CHECK(said(", request = { cores = 1 }") == "");
  CHECK_THAT(said(""), Catch::Contains("slowdown.combine has no effect where jobs have whole nodes"));
}

TEST_CASE("keys and scripts that would lose a request or a partition do not", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  coslice.folder.write("id.lua", "return { api = 1, name = 'same', job = function(job) return job end }");
  coslice.folder.write("s.toml", kMachine + "[workload]\njob_script = 'id.lua'\njobs = [{ runtime = 10, nodes = 1, "
                                            "request = { gpus = 1, partition = 'gpu' } }]\n");
  REQUIRE(coslice("run s.toml --quiet --out out").status == 0);
  CHECK_THAT(coslice.folder.read("out/jobs.csv"), Contains(",gpu,gpu1,1,none,1,gpu1:0\n"));

  coslice.folder.write("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nx,4000,100,1,A\n");
  CHECK_THAT(complaint("[machine]\nlist = 'nodes.csv'\n[[machine.partitions]]\nname = 'p'\n"),
             Contains("machine.partitions has no effect beside machine.list"));
  CHECK_THAT(complaint(scenario("{ runtime = 1, nodes = 1, memory = '9 GiB', request = { partition = 'all', exclusive "
                                "= true, features = 'x' } }")),
             Contains("no kind of node has the feature 'x'"));
  coslice.folder.write("twice.toml", kMachine +
                                         "[workload]\nsize_factor = 2.0\njobs = [{ runtime = 10, nodes = 1, request = "
                                         "{ cores = 2 } }]\n");
  REQUIRE(coslice("run twice.toml --quiet --out twice").status == 0);
  CHECK_THAT(coslice.folder.read("twice/jobs.csv"), Contains(",0-1,"));
}

TEST_CASE("the memory that a job says counts, however it says its size", "[cli]") {
  const std::string small = "[[machine.nodes]]\nname = 'small'\ncount = 4\ncores = 4\nmemory = '8 GiB'\n[workload]\n";
  // 4 processes of 3 GiB each are 12,288 MiB on a node.
  for (const char* size : {"nodes = 1", "processes = 4", "processes = 4, request = { exclusive = true }"}) {
    INFO(size);
    CHECK_THAT(complaint(small + "jobs = [{ runtime = 1, memory = '3 GiB', " + size + " }]\n"),
               Catch::Contains("asks for 12288 MiB of memory on a node, but no node has that"));
  }
}

TEST_CASE("three months of CEA Curie run on its partitions", "[cli]") {
  const std::string trace = shared_file("slurm/waits/CEA-Curie-2012-06_08.swf.gz");
  if (trace.empty()) {
    WARN("the log of Curie is not there: skipped");
    return;
  }
  const Program coslice;
  const Said said = coslice("run " COSLICE_SOURCE "/scenarios/machines/curie.toml --set workload.trace=" + trace);
  CHECK(said.status == 0);
  CHECK_THAT(said.out, Catch::Contains("jobs        128,159, 2,496 killed at their limit"));
}

TEST_CASE("jobs that ask for no core use none", "[cli]") {
  const Program coslice;
  std::string jobs;
  for (int i = 0; i != 4; ++i) jobs += "{ runtime = 100, nodes = 1, request = { cores = 0, gpus = 1 } },";
  coslice.folder.write("s.toml", "[[machine.nodes]]\nname = 'g'\ncount = 1\ncores = 2\ngpus = 4\n[workload]\njobs = [" +
                                     jobs + "]\n[policy]\nname = 'easy'\n");
  const Said said = coslice("run s.toml -q --out out");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto summary = nlohmann::json::parse(coslice.folder.read("out/summary.json"));
  CHECK(summary["core_utilization"] == 0.0);
  CHECK(coslice.folder.read("out/timeline.csv").find("\n0,0,1,0\n") != std::string::npos);
}

TEST_CASE("small energies have digits, and what powering down costs is no saving", "[cli]") {
  const Program coslice;
  coslice.folder.write("s.toml", "[machine]\nnodes = 2\nprice = 0.05\n[workload]\njobs = ["
                                 "{ runtime = 100, nodes = 2 }, { submit = 200, runtime = 100, nodes = 2 }]\n"
                                 "[power]\nidle = 10\nboot = 60\n[power.watts]\nbusy = 300\nidle = 0\nbooting = 200\n");
  const std::string one = coslice("run s.toml").out;
  INFO(one);
  // 300 W of two nodes for 200 s, and 200 W of both for a minute.
  CHECK_THAT(one, Catch::Contains("energy      0.040 kWh, 0.0 % by idle nodes; 20.0 % more than if all stayed on"));
  CHECK_THAT(one, Catch::Contains("cost        0.0075: nodes 0.0075, "));
  const std::string two = coslice("run s.toml --policy easy,fcfs").out;
  INFO(two);
  CHECK_THAT(two, Catch::Contains("0.040    0.040 │"));
}

TEST_CASE("a core is in use once, and a part of it in part", "[cli]") {
  const auto used = [](const std::string& machine, const std::string& request, int jobs) {
    const Program coslice;
    std::string list;
    for (int i = 0; i != jobs; ++i) list += "{ runtime = 100, nodes = 1, request = { " + request + " } },";
    coslice.folder.write("s.toml", "[[machine.nodes]]\nname = 'n'\ncount = 1\ncores = 4\n" + machine +
                                       "[workload]\njobs = [" + list + "]\n[policy]\nname = 'easy'\n");
    const Said said = coslice("run s.toml -q --out out");
    INFO(said.err);
    REQUIRE(said.status == 0);
    return nlohmann::json::parse(coslice.folder.read("out/summary.json"))["core_utilization"].get<double>();
  };
  CHECK(used("", "cores = 0.25", 16) == 1);
  CHECK(used("", "cores = 0.5", 4) == 0.5);
  const std::string shared = "[[machine.partitions]]\nname = 'p'\noversubscribe = 4\noversubscribe_all = true\n";
  CHECK(used(shared, "cores = 4", 3) == 1);
  CHECK(used(shared, "cores = 1", 3) == 0.75);
  CHECK(used(shared, "cores = 3", 2) == 0.75);  // both have the same three
  CHECK(used(shared, "exclusive = true, cores = 4", 3) == 1);
}

TEST_CASE("the scarcest nodes are named where few jobs can have others", "[cli]") {
  const auto load_of = [](const std::string& partitions, const std::string& request) {
    const Program coslice;
    std::string list;
    for (int i = 0; i != 20; ++i)
      list += "{ submit = " + std::to_string(100 * i) + ", runtime = 190, nodes = 1, request = { cores = 4, " +
              (i % 2 == 0 ? request : "exclusive = false") + " } },";
    coslice.folder.write("s.toml", "[[machine.nodes]]\nname = 'c'\ncount = 9\ncores = 4\n"
                                   "[[machine.nodes]]\nname = 'big'\ncount = 1\ncores = 4\nfeatures = 'fat'\n" +
                                       partitions + "[workload]\njobs = [" + list + "]\n[policy]\nname = 'easy'\n");
    const Said said = coslice("run s.toml");
    INFO(said.out << said.err);
    REQUIRE(said.status == 0);
    return said.out.substr(0, said.out.find('\n'));
  };
  // Ten jobs of 190 s for a node in 1900 s; twenty for ten nodes.
  CHECK(load_of("", "features = 'fat'") == "load        1.000 offered, of cores of kind big (cores 0.200)");
  const std::string two = "[[machine.partitions]]\nname = 'all'\n[[machine.partitions]]\nname = 'debug'\nnodes = ";
  CHECK(load_of(two + "'c1'\n", "partition = 'debug'") ==
        "load        1.000 offered, of cores of partition debug (cores 0.200)");
  CHECK(load_of(two + "['c1', 'c2', 'big']\n", "partition = 'debug', features = '!fat'") ==
        "load        0.500 offered, of cores of c1 and 1 more node (cores 0.200)");
  // Those that may have other nodes, too, are no load of these.
  CHECK(load_of(two + "'c1'\n", "partition = ['debug', 'all']") == "load        0.200 offered, of cores");
}

TEST_CASE("a GPU that a job has draws more", "[cli]") {
  const Program coslice;
  coslice.folder.write("s.toml", "[[machine.nodes]]\nname = 'g'\ncount = 1\ncores = 8\ngpus = 4\n[workload]\njobs = ["
                                 "{ runtime = 3600, nodes = 1, request = { cores = 1, gpus = 2 } },"
                                 "{ runtime = 1800, nodes = 1, request = { cores = 1, gpus = 1, gpu_share = 0.5 } }]\n"
                                 "[policy]\nname = 'easy'\n[power.watts]\nbusy = 300\nidle = 100\ngpu = 200\n");
  const Said said = coslice("run s.toml -q --out out");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto energy = nlohmann::json::parse(coslice.folder.read("out/summary.json"))["energy"];
  // 300 W for an hour, 2 x 200 W for an hour, 100 W for half of one.
  CHECK(std::abs(energy["used"].get<double>() - 0.75) < 1e-9);
  CHECK(std::abs(energy["jobs"].get<double>() - 0.75) < 1e-9);
  CHECK(complaint("[machine]\nnodes = 2\n[workload]\njobs = [{ nodes = 1, runtime = 5 }]\n[power.watts]\ngpu = 20\n")
            .find("power.watts.gpu has no effect") != std::string::npos);
}

}  // namespace machines_test
