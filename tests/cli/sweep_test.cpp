// coslice sweep, merge and reproduce -o: what people type and what they are told.
#include <signal.h>

#include <filesystem>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

namespace sweep_test {

using namespace coslice_test;
using Catch::Contains;

namespace {

const char* const kCampaign = "[campaign]\nseeds = 2\n[scenario]\nmachine.nodes = 16\n"
                              "workload = { generator = \"lublin\", lublin = { jobs = 50 } }\n"
                              "[axes]\npolicy = [\"fcfs\", \"easy\"]\n";

}  // namespace

TEST_CASE("a sweep says where its results are", "[sweep]") {
  const Program coslice;
  coslice.folder.write("c.toml", kCampaign);
  const Said said = coslice("sweep c.toml");
  CHECK(said.status == 0);
  CHECK(said.out == "c.sqlite: 4 runs\n");
  CHECK(said.err.empty());
  CHECK(coslice("sweep c.toml").status == 2);
  CHECK(coslice("sweep c.toml").err ==
        error("c.sqlite: already exists; add --resume to go on with it, or choose another file with -o"));
  CHECK(coslice("sweep c.toml --resume").out == "c.sqlite: 4 runs, 4 of them made before\n");
  const auto json = nlohmann::json::parse(coslice("sweep c.toml -o d.sqlite --json").out);
  CHECK(json == nlohmann::json({{"results", "d.sqlite"}, {"runs", 4}, {"made", 4}, {"kept", 0}, {"failed", 0}}));
}

TEST_CASE("a dry run makes nothing", "[sweep]") {
  const Program coslice;
  coslice.folder.write("c.toml", kCampaign);
  const Said said = coslice("sweep c.toml --dry-run");
  CHECK_THAT(said.out, Contains("4 runs\nresults would be in c.sqlite\n"));
  const auto runs = nlohmann::json::parse(coslice("sweep c.toml --dry-run --json --shard 2/2").out);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0]["point"] == nlohmann::json({{"policy", "easy"}, {"seed", 1}}));
  CHECK(runs[0]["key"].get<std::string>().size() == 64);
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "c.sqlite"));
}

TEST_CASE("a campaign with mistakes writes nothing", "[sweep]") {
  const Program coslice;
  coslice.folder.write("c.toml", std::string(kCampaign) + "\"machine.nodse\" = [1]\n");
  const Said said = coslice("sweep c.toml");
  CHECK(said.status == 2);
  CHECK_THAT(said.err, Contains("c.toml:8: unknown key 'machine.nodse'; did you mean 'nodes'?"));
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "c.sqlite"));
  CHECK(coslice("sweep gone.toml").err == error("gone.toml: there is no such file"));
  CHECK_THAT(coslice("sweep c.toml --shard 3/2").err, Contains("--shard: '3/2' is not a part; expected I/N"));
  CHECK_THAT(coslice("sweep c.toml --prune").err, Contains("add --resume"));
  CHECK_THAT(coslice("sweep c.toml -- --time=1").err, Contains("--time=1: is for jobs in Slurm only"));
}

TEST_CASE("a site without Slurm is told so", "[sweep]") {
  const Program coslice;
  coslice.folder.write("c.toml", kCampaign);
  const Said said = coslice("sweep c.toml --slurm", "PATH=/nowhere");
  CHECK(said.status == 2);
  CHECK_THAT(said.err, Contains("--slurm: there is no sbatch here"));
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "c.sqlite.parts"));
  coslice.folder.write("bin/sbatch",
                       "#!/bin/sh\n[ \"$1\" = --version ] || { echo 'no such partition' >&2; exit 1; }\n");
  coslice.shell("chmod +x bin/sbatch");
  CHECK_THAT(coslice.shell("PATH=$PWD/bin:$PATH coslice sweep c.toml --slurm -- --partition=x").err,
             Contains("--slurm: sbatch refuses: no such partition"));
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "c.sqlite.parts"));
}

TEST_CASE("a sweep in which runs fail ends with status 1 and names them", "[sweep]") {
  const Program coslice;
  coslice.folder.write(
      "bad.lua", "return { api = 1, name = \"bad\", version = \"1\", key = function(job) error(\"never\") end }\n");
  coslice.folder.write("c.toml", std::string(kCampaign) + "\"metrics.bound\" = [10, 20]\n");
  coslice.folder.write(
      "d.toml",
      "[campaign]\n[scenario]\nmachine.nodes = 16\nworkload = { generator = \"lublin\", lublin = { jobs = 50 } }\n"
      "[axes]\npolicy = [\"fcfs\", \"bad.lua\"]\n");
  const Said said = coslice("sweep d.toml");
  CHECK(said.status == 1);
  CHECK(said.out == "d.sqlite: 2 runs, 1 failed\n");
  CHECK_THAT(said.err, Contains("run 2 failed (policy = bad.lua): ") && Contains("never"));
}

TEST_CASE("one run of a campaign can be looked at", "[sweep]") {
  const Program coslice;
  coslice.folder.write("c.toml", kCampaign);
  REQUIRE(coslice("sweep c.toml").status == 0);
  const Said job = coslice("explain c.sqlite:4 1");
  CHECK(job.status == 0);
  CHECK_THAT(job.out, Contains("job 1 of"));
  CHECK(coslice("gantt c.sqlite:1").status == 0);
  CHECK(std::filesystem::exists(coslice.folder / "c-1.html"));
  CHECK_THAT(coslice("explain c.sqlite 1").err,
             Contains("c.sqlite: holds the runs of a campaign; expected one of them, from c.sqlite:1 to c.sqlite:4"));
  CHECK_THAT(coslice("explain c.sqlite:5 1").err, Contains("no such run"));
  CHECK_THAT(coslice("explain c.sqlite:1 1 --policy nobody").err, Contains("no such run in c.sqlite:1"));
}

TEST_CASE("Ctrl-C ends a sweep in order", "[sweep]") {
  const Program coslice;
  coslice.folder.write("c.toml", "[campaign]\nseeds = 500\n[scenario]\nmachine.nodes = 64\n"
                                 "workload = { generator = \"lublin\", lublin = { jobs = 3000 } }\n");
  const Said said =
      coslice.shell("coslice sweep c.toml --workers 2 & until_ready $!; sleep 0.5; kill -INT $!; wait $!");
  CHECK(said.status == 130);
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "c.sqlite-journal"));
  // As many as the file holds, also those that ended behind the last look at them.
  const std::string runs = coslice("merge -o all.sqlite c.sqlite --partial").out;
  const int kept = std::stoi(runs.substr(runs.find(": ") + 2));
  CHECK_THAT(said.err, Contains("interrupted; " + std::to_string(kept) + (kept == 1 ? " new run is" : " new runs are") +
                                " kept in c.sqlite, --resume makes the others"));
}

TEST_CASE("parts are merged", "[sweep]") {
  const Program coslice;
  coslice.folder.write("c.toml", kCampaign);
  CHECK(coslice("sweep c.toml --shard 1/2").out == "c-1-of-2.sqlite: 2 runs\n");
  const Said said = coslice("merge -o all.sqlite c-1-of-2.sqlite");
  CHECK(said.status == 2);
  CHECK_THAT(said.err, Contains("2 of 4 runs are missing") && Contains("shard 2/2 is not given"));
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "all.sqlite"));
  CHECK(coslice("merge -o all.sqlite c-1-of-2.sqlite --partial").out == "all.sqlite: 2 runs of 4\n");
  CHECK_THAT(coslice("merge -o all.sqlite c-1-of-2.sqlite").err, Contains("all.sqlite: already exists"));
  coslice("sweep c.toml --shard 2/2");
  CHECK(coslice("merge -o both.sqlite c-1-of-2.sqlite c-2-of-2.sqlite").out == "both.sqlite: 4 runs\n");
  CHECK_THAT(coslice("merge -o x.sqlite c.toml").err, Contains("c.toml: is not a results file"));
  CHECK_THAT(coslice("merge c-1-of-2.sqlite").err, Contains("--out"));
}

TEST_CASE("the runs of a paper are kept, shared out and taken up again", "[sweep]") {
  const Program coslice;
  coslice.folder.write(
      "p/s.toml",
      "[machine]\nnodes = 16\n[workload]\ngenerator = \"lublin\"\nlublin = { jobs = 60 }\n[policy]\nname = \"fcfs\"\n");
  coslice.folder.write(
      "p/paper.lua",
      "return { api = 1, title = \"t\", seeds = 4, quick_seeds = 2, experiments = { { label = \"T1\", run = "
      "function(lab)\n"
      "local a, b = lab.runs('s.toml'), lab.runs('s.toml', { policy = { name = 'easy' } }, { jobs = true })\n"
      "lab.row { quantity = 'wait', published = 1, values = lab.compare(a, b, function(x, y) return y.all.wait.mean / "
      "x.all.wait.mean end) }\n"
      "lab.row { quantity = 'jobs', published = 60, values = { #b[1].jobs.job_id } }\n"
      "local c = lab.run('s.toml', { policy = { name = 'sjf' } })\n"
      "lab.row { quantity = 'sjf', values = { c.summary.all.wait.mean } }\n"
      "local same = lab.run('s.toml')\n"  // as the first of a, in other words
      "lab.row { quantity = 'again', values = { same.summary.all.wait.mean - a[1].summary.all.wait.mean } }\nend } } "
      "}\n");
  const std::string rows = coslice("reproduce p --json").out;
  REQUIRE_THAT(rows, Contains("\"sjf\""));
  CHECK(coslice("reproduce p --json -o p.sqlite").out == rows);
  CHECK(coslice("reproduce p --json -o p.sqlite --resume").out == rows);
  CHECK_THAT(coslice("reproduce p --json -o p.sqlite").err, Contains("already exists"));
  CHECK(coslice("reproduce p -o a.sqlite --shard 1/2").out ==
        "a.sqlite: part 1/2 of the 8 runs that are known from the beginning\n");
  coslice("reproduce p -o b.sqlite --shard 2/2");
  CHECK(coslice("merge -o ab.sqlite a.sqlite b.sqlite").out == "ab.sqlite: 8 runs\n");
  CHECK(coslice("reproduce p --json -o ab.sqlite --resume").out == rows);
  CHECK_THAT(coslice("reproduce p --resume").err, Contains("--resume: there is no file of results"));

  coslice.folder.write(
      "bin/sbatch",
      "#!/bin/sh\n[ \"$1\" != --version ] || exit 0\ncat >>jobs.sh\necho \"$@\" >>jobs.txt\necho \"17;cluster\"\n");
  coslice.shell("chmod +x bin/sbatch");
  const Said submitted = coslice.shell(
      "PATH=$PWD/bin:$PATH coslice reproduce p --seeds 2 -o s.sqlite --slurm --parts 2 --sbatch=--time=5");
  CHECK_THAT(submitted.out,
             Contains("job 17: 2 parts, into ") && Contains("coslice reproduce p --seeds 2 -o s.sqlite --resume"));
  CHECK_THAT(coslice.folder.read("jobs.txt"),
             Contains("--array=1-2") && Contains("--dependency=afterany:17") && Contains("--time=5"));
  const Said tasks =
      coslice.shell("sed 's/^exec //' jobs.sh >run.sh; for i in 1 2; do SLURM_ARRAY_TASK_ID=$i sh -c \"$(grep -- "
                    "--shard run.sh)\" || exit 1; done; sh -c \"$(grep \"'merge'\" run.sh)\"");
  CHECK_THAT(tasks.out, Contains("s.sqlite: 4 runs"));
  CHECK(coslice("reproduce p --seeds 2 --json -o s.sqlite --resume").out ==
        coslice("reproduce p --seeds 2 --json").out);
}

TEST_CASE("the numbers of nodes of kinds are axes", "[sweep]") {
  const Program coslice;
  coslice.folder.write(
      "machine.toml",
      "[[machine.nodes]]\nname = 'cpu'\ncount = 4\n[[machine.nodes]]\nname = 'gpu'\ncount = 1\ngpus = 4\n"
      "[workload]\njobs = [{ runtime = 100, nodes = 1, request = { gpus = 4 } },\n"
      "{ runtime = 100, nodes = 1, request = { gpus = 4 } }]\n");
  coslice.folder.write("buy.toml", "[campaign]\nscenario = 'machine.toml'\n[axes]\npolicy = ['easy']\n"
                                   "'machine.nodes.gpu.count' = [1, 2]\n'machine.nodes.cpu.count' = [4, 8]\n");
  const Said said = coslice("sweep buy.toml");
  INFO(said.err);
  CHECK(said.out == "buy.sqlite: 4 runs\n");
  const auto makespan = [&](const std::string& gpu_nodes) {
    const Said run = coslice("run machine.toml --policy easy --json --set machine.nodes.gpu.count=" + gpu_nodes);
    return nlohmann::json::parse(run.out)["makespan"].get<double>();
  };
  CHECK(makespan("1") == 200);
  CHECK(makespan("2") == 100);
  const Said wrong = coslice("run machine.toml --set machine.nodes.gpx.count=2");
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("none of nodes is called 'gpx'; expected one of cpu, gpu; did you mean 'gpu'?"));
}

}  // namespace sweep_test
