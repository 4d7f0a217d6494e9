// coslice convert as people call it.
#include "catch.h"
#include "run_program.h"

namespace convert_test {

using namespace coslice_test;

namespace {

const char* const kDump =
    "JobID|User|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit\n"
    "1|anna|2026-03-01T08:00:00|2026-03-01T08:10:00|2026-03-01T10:10:00|02:00:00|COMPLETED|2|64|04:00:00\n"
    "1.0||2026-03-01T08:00:00|2026-03-01T08:10:00|2026-03-01T10:10:00|02:00:00|COMPLETED|2|64|\n";

}  // namespace

TEST_CASE("convert: the formats are told by contents and endings", "[convert]") {
  const Program coslice;
  coslice.folder.write("jobs", kDump);
  const Said first = coslice("convert jobs --machine 128 --names who.csv -o a.swf.gz");
  CHECK(first.status == 0);
  CHECK(first.out.empty());
  CHECK(first.err == "left out 1 record: a step of a job, not a job (first in line 3)\n"
                     "wrote a.swf.gz: 1 job over 0 s; on record 1 job waited 600 s in the mean\n");
  CHECK(coslice.folder.read("who.csv") == "kind,number,name,jobs\nuser,1,anna,1\njob,1,1,1\n");
  CHECK(coslice("convert a.swf.gz -o b.json").status == 0);
  CHECK(coslice("convert b.json").out.find("; MaxProcs: 128\n; MaxJobs: 1\n; MaxRecords: 1\n1 0 -1 7200 64") !=
        std::string::npos);
  CHECK(coslice("convert a.swf.gz --to sacct").out.find("1|user1|||||") != std::string::npos);
  CHECK(coslice("convert jobs --size nodes").out.find("1 0 600 7200 2 ") != std::string::npos);
  CHECK(coslice("convert jobs --machine 64 -o small.swf").err.find("on record, jobs had") == std::string::npos);
  coslice.folder.write(
      "two.swf", "1 0 5 10 3 -1 -1 3 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n2 0 6 10 3 -1 -1 3 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  CHECK(coslice("convert two.swf --machine 4 -o small.swf")
            .err.find("warning: --machine 4: on record, jobs had 6 at once") != std::string::npos);
  CHECK(coslice("convert b.json --to batsim5").out.find("\"DelayProfile\"") != std::string::npos);
}

TEST_CASE("convert: bad input ends with status 2, and nothing is written", "[convert]") {
  const Program coslice;
  coslice.folder.write("jobs", kDump);
  coslice.folder.write("bad.sacct", "JobID|Submit|Elapsed|NCPUS\n1|soon|00:10|4\n");
  const auto refused = [&](const std::string& call, const std::string& says) {
    const Said said = coslice("convert " + call);
    CHECK(said.status == 2);
    CHECK(said.err.find(says) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(coslice.folder / "x.swf"));
  };
  refused("bad.sacct -o x.swf", "bad.sacct:2: Submit is 'soon'");
  refused("jobs -o x.dat", "'x.dat' does not say its format");
  refused("jobs -o x.swf --to swff", "did you mean 'swf'?");
  refused("jobs -o x.swf --size cores", "there is no unit 'cores'");
  refused("jobs -o x.swf --machine 8", "is smaller than all jobs");
  refused("absent -o x.swf", "absent");
  refused("jobs -o no/such/x.swf", "no/such");
}

TEST_CASE("convert: a job comes when it became eligible, if that is asked for", "[convert]") {
  const Program coslice;
  coslice.folder.write("jobs",
                       "JobID|Submit|Eligible|Start|Elapsed|State|NCPUS|SubmitLine\n"
                       "1|2026-03-01T08:00:00|2026-03-01T08:10:00|2026-03-01T08:20:00|00:10:00|COMPLETED|4|sbatch a\n"
                       "2|2026-03-01T08:00:00|2026-03-01T08:30:00|2026-03-01T08:40:00|00:10:00|COMPLETED|4|sbatch -d "
                       "afterany:1 b\n");
  const Said plain = coslice("convert jobs"), eligible = coslice("convert jobs --eligible -o e.swf");
  CHECK(plain.out.find("begin=") == std::string::npos);
  CHECK(plain.out.find("; depends=afterany:1\n") != std::string::npos);
  // 20 min and 40 min from the submissions; 10 min from when the first one became eligible.
  CHECK(eligible.err.find("2 jobs waited 1,500 s in the mean") != std::string::npos);
  CHECK(coslice.folder.read("e.swf").find("; begin=600\n") != std::string::npos);
  const Said run = coslice("run e.swf --policy fcfs --out out --quiet");
  CHECK(run.status == 0);
  CHECK(coslice("convert e.swf -o e.sacct").err.find("altered 1 record: such a trace has no field for times before") !=
        std::string::npos);
  CHECK(
      coslice("convert e.swf -o e.json").err.find("altered 2 records: such a trace has no field for what jobs wait") !=
      std::string::npos);
  CHECK(coslice("convert jobs -o plain.sacct").err.find("no field") == std::string::npos);
  const Said refused = coslice("convert e.swf --eligible");
  CHECK(refused.status == 2);
  CHECK(refused.err.find("--eligible: is for dumps of sacct only") != std::string::npos);
  coslice.folder.write("bare", "JobID|Submit|Elapsed|NCPUS\n1|2026-03-01T08:00:00|00:10:00|4\n");
  CHECK(coslice("convert bare --eligible").err.find("bare:1: no column says when a job became eligible") !=
        std::string::npos);
}

TEST_CASE("convert: GPUs that a trace cannot hold are not lost in silence", "[convert]") {
  const Program coslice;
  const std::string job =
      "|2026-03-01T08:00:00|2026-03-01T08:10:00|2026-03-01T10:10:00|02:00:00|COMPLETED|1|8|1-00:00:00|";
  coslice.folder.write("jobs", "JobID|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit|AllocTRES\n1" + job +
                                   "cpu=8,gres/gpu=2\n2" + job + "cpu=8\n3" + job + "gres/gpu:a100=1\n");
  const Said said = coslice("convert jobs -o a.swf");
  CHECK(said.status == 0);
  CHECK(
      said.err.find("altered 2 records: asks for GPUs, which such a trace has no field for: they are lost; a scenario "
                    "may take the file itself as its trace, and --to sacct keeps them\n") != std::string::npos);
  // A dump can hold them.
  CHECK(coslice("convert jobs -o b.sacct").err.find("GPUs") == std::string::npos);
  const std::string back = coslice.folder.read("b.sacct");
  CHECK(back.find("|1|8||1-00:00:00|cpu=8,node=1,gres/gpu=2|cpu=8,node=1,gres/gpu=2|\n") != std::string::npos);
  CHECK(back.find("|cpu=8,node=1,gres/gpu=1,gres/gpu:a100=1|") != std::string::npos);
}

TEST_CASE("convert: logs of GPU clusters keep their GPUs in a dump of sacct", "[convert]") {
  const Program coslice;
  coslice.folder.write("log.csv", "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,duration\n"
                                  "12,ua,vcx,8,32,2,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:42:01,3600\n");
  const Said said = coslice("convert log.csv --names who.csv -o log.sacct");
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK(coslice.folder.read("who.csv").find("partition,1,vcx,1\n") != std::string::npos);
  const std::string dump = coslice.folder.read("log.sacct");
  CHECK(dump.find("|COMPLETED|2|32||UNLIMITED|cpu=32,node=2,gres/gpu=8|") != std::string::npos);
  coslice.folder.write("gpus.toml", "[[machine.nodes]]\nname = \"g\"\ncount = 2\ncores = 16\ngpus = 4\n"
                                    "[workload]\ntrace = \"log.csv\"\nmissing_limit = \"run-time\"\n");
  REQUIRE(coslice("run gpus.toml --policy easy --quiet --out out").status == 0);
  CHECK(coslice.folder.read("out/jobs.csv").find(",g[1-2],16,none,4,g1:0-3 g2:0-3\n") != std::string::npos);
  const auto refused = [&](const std::string& call, const std::string& says) {
    const Said wrong = coslice("convert " + call);
    CHECK(wrong.status == 2);
    INFO(wrong.err);
    CHECK(wrong.err.find(says) != std::string::npos);
  };
  refused("log.csv --from phily", "there is no format 'phily'; expected one of swf, sacct, sacct-json, batsim, "
                                  "philly, helios, elastisim, list; did you mean 'philly'?");
  refused("log.csv --size nodes", "--size: is for dumps of sacct only");
  refused("log.csv --skip-bad", "log.csv is read as helios");
  refused("log.csv --from philly", "log.csv:1: this is not JSON; expected a job log of Philly");
}

TEST_CASE("convert: ids and names of the site go into a map and come back", "[convert]") {
  const Program coslice;
  coslice.folder.write("jobs", "JobID|User|JobName|Partition|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit\n"
                               "12_3|anna|a|b|gpu|2026-03-01T08:00:00|2026-03-01T08:10:00|2026-03-01T10:10:00|02:00:00|"
                               "COMPLETED|64|64|UNLIMITED\n"
                               "9|ben|cfd|cpu|2026-03-01T08:00:00|2026-03-01T08:10:00|2026-03-01T10:10:00|02:00:00|"
                               "COMPLETED|2|2|\n");
  const Said there = coslice("convert jobs --names who.csv -o a.swf");
  CHECK(there.status == 0);
  CHECK(there.err.find("altered 2 records: no limit, it stays missing; --missing-limit says what stands in for it "
                       "(first in line 2)\n") != std::string::npos);
  CHECK(coslice.folder.read("who.csv").find("executable,1,a|b,1\n") != std::string::npos);
  CHECK(coslice.folder.read("who.csv").find("job,10,12_3,1\njob,9,9,1\n") != std::string::npos);
  CHECK(coslice.folder.read("a.swf").find("10 0 600 7200 64 -1 -1 64 -1 ") != std::string::npos);
  const std::string back = coslice("convert a.swf --to sacct --names who.csv").out;
  CHECK(back.find(
            "12_3|anna||gpu||a\\u007cb||2026-03-01T08:00:00|2026-03-01T08:10:00|2026-03-01T10:10:00|02:00:00|COMPLETED|"
            "64|64||UNLIMITED||||10|\n") != std::string::npos);
  const auto limits = [&](const std::string& rule, const std::string& first, const std::string& second) {
    const std::string out = coslice("convert jobs --missing-limit " + rule).out;
    INFO(rule + "\n" + out);
    CHECK(out.find("10 0 600 7200 64 -1 -1 64 " + first + " ") != std::string::npos);
    CHECK(out.find("9 0 600 7200 2 -1 -1 2 " + second + " ") != std::string::npos);
  };
  limits("run-time", "7200", "7200");
  limits("2x", "14400", "14400");
  limits("1-00:00:00", "86400", "86400");
  limits("1h", "7200", "7200");
  limits("gpu=3h,others=1d", "10800", "86400");
  const auto refused = [&](const std::string& call, const std::string& says) {
    const Said said = coslice("convert " + call + " -o x.swf");
    CHECK(said.status == 2);
    INFO(said.err);
    CHECK(said.err.find(says) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(coslice.folder / "x.swf"));
  };
  refused("jobs --missing-limit soon", "--missing-limit");
  refused("jobs --missing-limit 0.5x", "workload.missing_limit.factor is 0.5");
  refused("jobs --missing-limit gpx=3h", "there is no partition 'gpx'; expected a partition of the dump, or others; "
                                         "did you mean 'gpu'?");
  refused("jobs --missing-limit gpu=3h", "jobs without a limit are in partition 2, which has no limit");
  refused("a.swf --names who.csv", "--names: SWF and Batsim have no names");
  coslice.folder.write("bad.csv", "kind,number,name,jobs\nuse,1,anna,1\n");
  refused("a.swf --to sacct --names bad.csv", "bad.csv:2: there is no kind 'use'");
}

TEST_CASE("convert: jobs are chosen, and waits stay with those that are left", "[convert]") {
  const Program coslice;
  coslice.folder.write("t.swf", "; MaxProcs: 4\n"
                                "1 0 5 10 3 -1 -1 3 20 -1 1 1 -1 -1 -1 -1 -1 -1\n"
                                "2 60 6 10 3 -1 -1 3 20 -1 1 2 -1 -1 -1 -1 -1 -1\n"
                                "3 90 7 10 3 -1 -1 3 20 -1 1 1 -1 -1 -1 -1 -1 -1\n");
  const Said part = coslice("convert t.swf -s workload.keep.users=1");
  CHECK(part.out.find("\n1 0 5 10") != std::string::npos);
  CHECK(part.out.find("\n2 ") == std::string::npos);
  CHECK(part.out.find("\n3 90 7 10") != std::string::npos);
  CHECK(part.err == "left out 1 record: not among the chosen (users)\n");
  const Said loaded = coslice("convert t.swf --load 0.5 -o half.swf");
  CHECK(loaded.err.find("on record") == std::string::npos);
  CHECK(coslice("info half.swf").out.find("offered load  0.500") != std::string::npos);
  CHECK(coslice("convert t.swf -s machine.nodes=3").err.find("'machine.nodes' does not change the jobs") !=
        std::string::npos);
  CHECK(coslice("convert t.swf -s workload.keep.users=9").err.find("no job is left") != std::string::npos);
}

TEST_CASE("convert: bad lines are skipped and told, a missing header is named", "[convert]") {
  const Program coslice;
  coslice.folder.write("jobs", std::string(kDump) + "2|cut\n3|cut\n");
  CHECK(coslice("convert jobs -o a.swf").status == 2);
  const Said said = coslice("convert jobs --skip-bad -o a.swf");
  CHECK(said.status == 0);
  CHECK(said.err.find("coslice: warning: 2 bad lines skipped:\n  jobs:4: the line has 2 fields; expected 10") == 0);
  coslice.folder.write("headless", std::string(kDump).substr(std::string(kDump).find('\n') + 1));
  const Said none = coslice("convert headless -o b.swf");
  CHECK(none.status == 2);
  CHECK(none.err.find("headless:1: there is no header line: the first line is that of job 1") != std::string::npos);
  CHECK(coslice("convert t.json --skip-bad").status == 2);
}

TEST_CASE("bad lines are left out alike by all commands that read jobs", "[convert]") {
  const Program coslice;
  const std::string good =
      std::string(kDump) +
      "3|ben|2026-03-01T08:05:00|2026-03-01T08:20:00|2026-03-01T09:20:00|01:00:00|COMPLETED|1|32|04:00:00\n";
  coslice.folder.write("jobs.sacct", good + "2|cut\n");
  coslice.folder.write("good.sacct", good);
  coslice.folder.write("s.toml",
                       "[machine]\nnodes = 64\n[workload]\ntrace = \"jobs.sacct\"\n[policy]\nname = \"fcfs\"\n");
  CHECK(coslice("run good.sacct --policy fcfs --nodes 64 -q --out good").status == 0);
  for (const char* command :
       {"run s.toml -q --out out", "info jobs.sacct", "info s.toml", "whatif s.toml --runs 1 -s policy.name=easy",
        "compare fcfs easy --scenario s.toml --seeds 1", "fidelity good --recorded jobs.sacct"}) {
    CAPTURE(command);
    const Said refused = coslice(command);
    CHECK(refused.status == 2);
    CHECK(refused.err.find("jobs.sacct:5: the line has 2 fields; expected 10") != std::string::npos);
    const Said skipped = coslice(std::string(command) + " --skip-bad");
    CHECK(skipped.status == 0);
    CHECK(skipped.err.find("jobs.sacct:5: the line has 2 fields") != std::string::npos);
  }
  CHECK(coslice("explain out 1").status == 0);  // the run's own scenario says it
  coslice.folder.write("c.toml", "[campaign]\nscenario = \"s.toml\"\n[axes]\npolicy = [\"fcfs\", \"easy\"]\n");
  CHECK(coslice("sweep c.toml -o a.sqlite").status != 0);
  CHECK(coslice("sweep c.toml -o b.sqlite --skip-bad").status == 0);
  // Where no line can be left out, it is not ignored.
  coslice.folder.write("none.toml", "[machine]\nnodes = 4\n[workload]\njobs = [{ nodes = 1, runtime = 5 }]\n");
  CHECK(coslice("run none.toml --skip-bad").err.find("the scenario has no trace") != std::string::npos);
  CHECK(coslice("convert good.sacct -o good.json").status == 0);
  const Said batsim = coslice("info good.json --skip-bad");
  CHECK(batsim.status == 2);
  CHECK(batsim.err.find("good.json: has a format of which no lines can be left out") != std::string::npos);
}

// The machine has four nodes of four cores, and the job before leaves two: one component alone would not wait.
TEST_CASE("components of a heterogeneous job that ask for nodes of one kind start together", "[convert]") {
  const Program coslice;
  const std::string head =
      "JobID|JobIDRaw|User|Partition|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit|AllocTRES|"
      "NodeList|SubmitLine\n";
  const auto row = [](const std::string& ids, const std::string& submit, const std::string& times,
                      const std::string& nodes, const std::string& cpus, const std::string& list) {
    return ids + "|eve|p|2026-05-04T" + submit + "|2026-05-04T" + times + "|01:00:00|COMPLETED|" + nodes + "|" + cpus +
           "|01:00:00|cpu=" + cpus + ",mem=" + cpus + "G,node=" + nodes + "|" + list + "|sbatch -n1 : -n8 a.sh\n";
  };
  const std::string at_once = "08:00:00|2026-05-04T09:00:00", behind = "09:00:00|2026-05-04T10:00:00";
  coslice.folder.write("jobs.sacct", head + row("20|20", "08:00:00", at_once, "2", "8", "n[1-2]") +
                                         row("21+1|22", "08:10:00", behind, "2", "8", "n[2-3]") +
                                         row("21+0|21", "08:10:00", behind, "1", "2", "n1") +
                                         row("23|23", "08:20:00", "08:20:00|2026-05-04T09:20:00", "1", "4", "n4"));
  coslice.folder.write("m.toml", "[[machine.nodes]]\nname = \"n\"\ncount = 4\ncores = 4\nmemory = 16000\n"
                                 "[[machine.partitions]]\nname = \"p\"\nnodes = [\"n\"]\n"
                                 "[workload]\ntrace = \"jobs.sacct\"\n[policy]\nname = \"easy\"\n");
  const Said run = coslice("run m.toml -q --out r");
  INFO(run.err);
  REQUIRE(run.status == 0);
  const std::string jobs = coslice.folder.read("r/jobs.csv");
  INFO(jobs);
  CHECK(jobs.find("\n21,") != std::string::npos);
  CHECK(jobs.find("\n22,") == std::string::npos);
  CHECK(run.err.find("heterogeneous") == std::string::npos);
  CHECK_THAT(coslice("explain r 21").out, Catch::Contains("3 nodes"));
  coslice("convert jobs.sacct -o a.swf");
  CHECK_THAT(coslice.folder.read("a.swf"), Catch::Contains("21 600 3000 3600 10 "));
}

TEST_CASE("components of heterogeneous jobs without the others are said to be jobs of their own", "[convert]") {
  const Program coslice;
  std::string text = "JobID|User|Partition|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit\n";
  for (const char* id : {"7", "8+0", "9+1", "10+0", "10+1"})
    text += std::string(id) + "|eve|" + std::string("p") + id[std::string(id).size() - 1] +
            "|2026-05-04T08:00:00|2026-05-04T08:10:00|2026-05-04T09:10:00|01:00:00|COMPLETED|1|4|02:00:00\n";
  coslice.folder.write("jobs.sacct", text);
  const std::string words = "2 heterogeneous jobs of 2 components in all (8+0 ...)";
  const Said run = coslice("run jobs.sacct --nodes 64 -q");
  CHECK(run.status == 0);
  const std::size_t at = run.err.find(words);
  REQUIRE(at != std::string::npos);
  CHECK(run.err.find(words, at + 1) == std::string::npos);
  CHECK(coslice("convert jobs.sacct -o a.swf").err.find(words) != std::string::npos);
  CHECK(coslice("info jobs.sacct").out.find("heterogeneous") != std::string::npos);
}

TEST_CASE("a dump of sacct as the trace of a machine with GPUs asks for what is on record", "[convert]") {
  const Program coslice;
  const std::string job = "|2026-03-01T08:00:00|2026-03-01T08:00:00|2026-03-01T08:10:00|00:10:00|COMPLETED|00:20:00|";
  coslice.folder.write(
      "jobs.sacct",
      "JobID|Partition|Submit|Start|End|Elapsed|State|Timelimit|NNodes|NCPUS|AllocTRES|ReqTRES|Constraints\n"
      "11|gpu" +
          job +
          "1|4|billing=4,cpu=4,gres/gpu:a100=2,gres/gpu=2,mem=16G,node=1|cpu=4,gres/gpu=2|\n"
          "12|gpu" +
          job +
          "1|2|cpu=2,gres/gpu=3,mem=8G,node=1,license/mesher=1|cpu=2,gres/gpu:A100=3|\n"
          "13|cpu" +
          job +
          "2|8|cpu=8,mem=8G,node=2||ib|old\n"
          "14|cpu" +
          job +
          "1|2|cpu=2,mem=1G,node=1,license/matlab=2||big\n"
          "15|night" +
          job + "1|1|cpu=1,gres/gpu=9,node=1||\n");
  coslice.folder.write("s.toml",
                       "[[machine.nodes]]\nname = 'thin'\ncount = 4\ncores = 8\nmemory = '32 GiB'\nfeatures = ['ib', "
                       "'old']\n[[machine.nodes]]\nname = 'fast'\ncount = 2\ncores = 16\nmemory = '64 GiB'\ngpus = 4\n"
                       "gpu_type = 'A100'\n[[machine.partitions]]\nname = 'cpu'\nnodes = 'thin'\n"
                       "[[machine.partitions]]\nname = 'gpu'\nnodes = 'fast'\n[[machine.licences]]\nname = 'mesher'\n"
                       "count = 1\n[workload]\ntrace = 'jobs.sacct'\n");
  const Said said = coslice("run s.toml --quiet --out out");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const std::string jobs = coslice.folder.read("out/jobs.csv");
  INFO(jobs);
  CHECK(jobs.find(",gpu,fast1,4,16384,2,fast1:0-1\n") != std::string::npos);
  CHECK(jobs.find(",gpu,fast2,2,8192,3,fast2:0-2\n") != std::string::npos);
  CHECK(jobs.find(",cpu,thin[1-2],4,4096,none,none\n") != std::string::npos);
  CHECK(jobs.find(",cpu,thin1,2,1024,none,none\n") != std::string::npos);  // shares the node: so it was on record
  CHECK(said.err.find("1 job asked for what is left out or not kept here; the first is job 14 (line 5): "
                      "no kind of node has the feature 'big'") != std::string::npos);
  CHECK(said.err.find("1 job can never run on this machine and is left out; the first is job 15 (line 6): asks for 9 "
                      "GPUs on a node") != std::string::npos);
  CHECK(said.err.find("1 job names a partition that the machine does not have") != std::string::npos);
  // On equal nodes there are none, which is said.
  coslice.folder.write("equal.toml", "[machine]\nnodes = 8\ncores = 8\n[workload]\ntrace = 'jobs.sacct'\n");
  const Said equal = coslice("run equal.toml --quiet");
  CHECK(equal.status == 0);
  CHECK(equal.err.find("jobs.sacct: 3 jobs asked for GPUs, which a machine of equal nodes does not have") !=
        std::string::npos);
}

}  // namespace convert_test
