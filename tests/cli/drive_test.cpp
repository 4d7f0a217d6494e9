// coslice drive beside a Slurm that is played by two scripts (tests/slurm/drive/fake).
#include "catch.h"

#include "drive_site.h"

namespace drive_test {

using namespace coslice_test;
using Catch::Contains;

TEST_CASE("a dry run says what it would order, and orders nothing", "[cli]") {
  const Site site;
  const Said said = site.drive("--policy easy --partition batch --dry-run --once");
  CHECK(said.status == 0);
  CHECK(said.err.empty());
  CHECK(said.out == "scontrol hold 102                               # of partition=batch: waits until easy starts it\n"
                    "scontrol hold 103                               # of partition=batch: waits until easy starts it\n"
                    "scontrol hold 104                               # of partition=batch: waits until easy starts it\n"
                    "scontrol release 104                            # easy starts it now: 1 node\n"
                    "scontrol update JobId=104 Priority=2000000000   # before all others\n");
  CHECK(site.orders().empty());
  CHECK_FALSE(site.has_state());
}

TEST_CASE("the jobs that the policy starts are released, and no other job is named", "[cli]") {
  const Site site;
  REQUIRE(site.drive("--policy easy --partition batch --once").status == 0);
  CHECK(site.orders() == kHolds + kStarts);
  CHECK_THAT(site.coslice.folder.read("coslice-drive.toml"),
             Contains("filter = \"partition=batch\"") && Contains("id = \"104\"") && Contains("priority = 600"));

  // 104 has started, 101 has ended: nodes are free for the first in the queue, but for the one that 104 has.
  site.forget_orders();
  site.edit("jobs", "104|PENDING|Priority|cleo|batch|2026-03-02T09:20:00|N/A",
            "104|RUNNING|None|cleo|batch|2026-03-02T09:20:00|2026-03-02T10:00:05");
  site.edit("jobs", "NO||\n105", "NO|n3|\n105");
  site.edit("jobs", "101|RUNNING", "101|COMPLETED");
  site.edit("nodes", "CPUAlloc=16", "CPUAlloc=0");
  site.edit("nodes", "CPUAlloc=16", "CPUAlloc=0");
  site.edit("config", "10:00:00", "10:05:00");
  const Said said = site.drive("--policy easy --partition batch --once");
  CHECK(said.status == 0);
  CHECK(said.err.empty());
  CHECK(site.orders().empty());  // 102 is first and waits for n3; 103 would be in its way
  const Said others = site.drive("--policy easy --user ann --once");
  CHECK(others.status == 2);
  CHECK_THAT(others.err, Contains("has 2 jobs of partition=batch; expected the same jobs, not those of user=ann"));
}

TEST_CASE("SIGTERM gives everything back", "[cli]") {
  const Site site;
  const Said said =
      site.shell("coslice drive --policy easy --partition batch --interval 0.1 >log & pid=$!; until_ready $pid; "
                 "for i in $(seq 600); do [ -e orders ] && [ $(grep -c . orders) -ge 4 ] && break; sleep 0.05; done; "
                 "kill -TERM $pid; wait $pid");
  CHECK(said.status == 0);
  CHECK(said.err.empty());
  CHECK(site.orders() == kHolds + kStarts + "scontrol release 102\nscontrol release 103\nscontrol release 104\n");
  CHECK_FALSE(site.has_state());
  CHECK_THAT(site.coslice.folder.read("log"), Contains("scontrol release 103") && Contains("# given back"));
}

TEST_CASE("where priorities are not computed anew, a job is given back the one that it had", "[cli]") {
  const Site site;
  site.edit("config", "priority/multifactor", "priority/basic");
  REQUIRE(site.drive("--policy easy --partition batch --once").status == 0);
  site.forget_orders();
  REQUIRE(site.drive("--recover").status == 0);
  CHECK(site.orders() == "scontrol release 102\nscontrol update JobId=102 Priority=800\n"
                         "scontrol release 103\nscontrol update JobId=103 Priority=700\n"
                         "scontrol update JobId=104 Priority=600\n");
  CHECK_FALSE(site.has_state());
}

TEST_CASE("a policy that fails leaves no job held", "[cli]") {
  const Site site;
  site.coslice.folder.write("bad.lua", "return { api = 1, name = 'bad', version = '1', description = 'Fails.',\n"
                                       "  schedule = function(view) error('no idea') end }\n");
  const Said said = site.drive("--policy bad.lua --partition batch");
  CHECK(said.status == 1);
  CHECK_THAT(said.err, Contains("bad.lua:2") && Contains("no idea"));
  CHECK(site.orders() == kHolds + "scontrol release 102\nscontrol release 103\nscontrol release 104\n");
  CHECK_FALSE(site.has_state());
}

TEST_CASE("a drive that was killed is recovered", "[cli]") {
  const Site site;
  site.shell("coslice drive --policy easy --partition batch --interval 0.1 >log & pid=$!; "
             "for i in $(seq 600); do [ -e orders ] && [ $(grep -c . orders) -ge 5 ] && "
             "! grep -q unanswered coslice-drive.toml && break; sleep 0.05; done; "
             "kill -KILL $pid; wait $pid");
  REQUIRE(site.has_state());
  site.forget_orders();
  const Said refused = site.drive("--policy easy --partition batch");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("coslice-drive.toml: has 3 jobs of an earlier drive") && Contains("--recover"));
  const Said others = site.drive("--policy easy --user ann --recover");
  CHECK(others.status == 2);
  CHECK_THAT(others.err, Contains("has 3 jobs of partition=batch"));
  CHECK(site.orders().empty());
  CHECK(site.drive("--recover").status == 0);
  CHECK(site.orders() == "scontrol release 102\nscontrol release 103\nscontrol release 104\n");
  CHECK_FALSE(site.has_state());
}

TEST_CASE("jobs that their users hold are started only if they are given, and given back held", "[cli]") {
  const Site site;
  REQUIRE(site.drive("--policy sjf --user ann --partition batch --take-held --once").status == 0);
  CHECK(site.orders() == "scontrol hold 103\nscontrol release 106\nscontrol update JobId=106 Priority=2000000000\n");
  site.forget_orders();
  REQUIRE(site.drive("--recover").status == 0);
  CHECK(site.orders() == "scontrol release 103\nscontrol uhold 106\n");
}

TEST_CASE("what another hand did to a job is left as it is", "[cli]") {
  const Site site;
  REQUIRE(site.drive("--policy easy --partition batch --once").status == 0);
  site.forget_orders();
  site.edit("jobs", "103|PENDING|JobHeldAdmin|ann|batch|2026-03-02T09:10:00|N/A|3:00:00|0",
            "103|PENDING|Priority|ann|batch|2026-03-02T09:10:00|N/A|3:00:00|750");
  site.edit("jobs", "102|PENDING", "102|CANCELLED");
  const Said said = site.drive("--recover");
  CHECK(said.status == 0);
  CHECK(site.orders() == "scontrol release 104\n");
}

TEST_CASE("lines of squeue that cannot be read, or are there twice, are left out with a word", "[cli]") {
  const Site site;
  site.edit("jobs", "103|PENDING|Priority|ann|batch|2026-03-02T09:10:00", "103|PENDING|Priority|ann|batch|yesterday");
  // As a comment with a line feed would make it: a second line for a job that was not given.
  site.edit("jobs", "107|",
            "105|PENDING|Priority|ann|batch|2026-03-02T09:30:00|N/A|1:00:00|500|cpu=16,mem=64000M,node=1|NO||\n107|");
  const Said said = site.drive("--policy easy --partition batch --once");
  CHECK(said.status == 0);
  CHECK_THAT(said.err, Contains("line 3 of squeue is left out: of job 103, submittime is 'yesterday'") &&
                           Contains("job 105 is left out: squeue has 2 lines of it"));
  CHECK(site.orders() == "scontrol hold 102\nscontrol hold 104\n" + kStarts);
}

TEST_CASE("a Slurm that cannot be understood is an error", "[cli]") {
  const Site site;
  site.coslice.folder.write("squeue.says", "squeue: hello\n");
  const Said squeue = site.drive("--policy easy --partition batch");
  CHECK(squeue.status == 2);
  CHECK_THAT(squeue.err, Contains("squeue: lists no job that can be read"));
  std::filesystem::remove(site.coslice.folder / "squeue.says");
  site.coslice.folder.write("config", "nothing\n");
  const Said config = site.drive("--policy easy --partition batch");
  CHECK(config.status == 2);
  CHECK_THAT(config.err, Contains("scontrol show config: does not say the time"));
  CHECK(site.orders().empty());
}

TEST_CASE("a Slurm that does not answer, or refuses, is waited for", "[cli]") {
  const Site site;
  site.coslice.folder.write("squeue.sleeps", "20");
  const Said slow = site.drive("--policy easy --partition batch --timeout 0.3 --once");
  CHECK(slow.status == 1);
  CHECK_THAT(slow.err, Contains("squeue --noheader: no answer in time"));
  std::filesystem::remove(site.coslice.folder / "squeue.sleeps");
  site.coslice.folder.write("scontrol.refuses", "");
  const Said refused = site.drive("--policy easy --partition batch --once");
  CHECK(refused.status == 0);
  CHECK_THAT(refused.err, Contains("scontrol hold 103: slurm_update error: Access/permission denied"));
  CHECK_FALSE(site.has_state());
}

TEST_CASE("nodes that are away or used by others are not counted on", "[cli]") {
  const Site site;
  site.edit("nodes", "State=IDLE", "State=IDLE+DRAIN");
  const std::string fourth = "State=IDLE ThreadsPerCore=1";
  SECTION("one node is left") {
    REQUIRE(site.drive("--policy easy --partition batch --once").status == 0);
    CHECK(site.orders() == kHolds + kStarts);
  }
  SECTION("none is left") {
    site.edit("nodes", fourth, "State=DOWN* ThreadsPerCore=1");
    REQUIRE(site.drive("--policy easy --partition batch --once").status == 0);
    CHECK(site.orders() == kHolds);
  }
  SECTION("a job that is not listed has it") {
    site.edit("nodes",
              "CPUAlloc=0 CPUEfctv=16 CPUTot=16 AvailableFeatures=(null) ActiveFeatures=(null) Gres=(null) OS=Linux "
              "6.1.0 #1 SMP RealMemory=64000 AllocMem=0 State=IDLE Thr",
              "CPUAlloc=4 CPUEfctv=16 CPUTot=16 AvailableFeatures=(null) ActiveFeatures=(null) Gres=(null) OS=Linux "
              "6.1.0 #1 SMP RealMemory=64000 AllocMem=0 State=MIXED Thr");
    REQUIRE(site.drive("--policy easy --partition batch --once").status == 0);
    CHECK(site.orders() == kHolds);
  }
}

TEST_CASE("jobs share nodes as Slurm lets them", "[cli]") {
  const Site site;
  site.coslice.folder.write(
      "jobs",
      "jobarrayid|state|reason|username|partition|submittime|starttime|timelimit|prioritylong|tres-alloc|tres-per-node|"
      "minmemory|oversubscribe|feature|nodelist|comment\n"
      "1|RUNNING|None|eve|night|2026-03-02T08:00:00|2026-03-02T08:00:10|4:00:00|900|cpu=48,mem=64000M,node=4||16000M|"
      "OK||n[1-4]|\n"
      "2|PENDING|Priority|ann|batch|2026-03-02T09:00:00|N/A|1:00:00|800|cpu=4,mem=48000M,node=1||48000M|OK|||a\n"
      "3|PENDING|Priority|ann|batch|2026-03-02T09:00:01|N/A|1:00:00|800|cpu=2,mem=48001M,node=1||48001M|OK|||a\n"
      "4_1|PENDING|Priority|ann|batch|2026-03-02T09:00:02|N/A|1:00:00|800|cpu=16,mem=4000M,node=4||1000M|OK|||a\n"
      "4_2|PENDING|Priority|ann|batch|2026-03-02T09:00:02|N/A|1:00:00|800|cpu=5,mem=1000M,node=1||1000M|OK|||a\n"
      "5|PENDING|Priority|ann|batch|2026-03-02T09:00:03|N/A|1:00:00|800|cpu=1,mem=1000M,node=1||1000M|OK|quick||a\n"
      "6+0|PENDING|Priority|ann|batch|2026-03-02T09:00:03|N/A|1:00:00|800|cpu=1,mem=1000M,node=1||1000M|OK|||a\n"
      "7|PENDING|Priority|ann|batch|2026-03-02T09:00:03|N/A|1:00:00|800|cpu=1,mem=1000M,node=1||1000M|OK|||b\n");
  const Said said = site.drive("--policy easy --only-comment a --once");
  CHECK(said.status == 0);
  CHECK_THAT(said.err, Contains("of job 6+0, its number is '6+0'"));
  CHECK(site.orders() == "scontrol hold 2\nscontrol hold 3\nscontrol hold 4_1\nscontrol hold 4_2\nscontrol hold 5\n"
                         "scontrol release 5\n"
                         "scontrol release 2\nscontrol update JobId=2 Priority=2000000000\n");
}

TEST_CASE("GPUs are counted by type, what other jobs have of them, too", "[cli]") {
  const Site site;
  site.edit("nodes", "Gres=(null) OS=Linux 6.1.0 #1 SMP RealMemory=64000 AllocMem=0 State=IDLE",
            "Gres=gpu:a100:2(S:0-1) OS=Linux 6.1.0 #1 SMP RealMemory=64000 AllocMem=0 State=MIXED");
  site.coslice.folder.write(
      "jobs",
      "jobarrayid|state|reason|username|partition|submittime|starttime|timelimit|prioritylong|tres-alloc|tres-per-node|"
      "minmemory|oversubscribe|feature|nodelist\n"
      "1|RUNNING|None|eve|night|2026-03-02T08:00:00|2026-03-02T08:00:10|4:00:00|900|cpu=1,mem=1000M,node=1|gres:gpu:1|"
      "1000M|OK||n3\n"
      "2|PENDING|Priority|ann|batch|2026-03-02T09:00:00|N/"
      "A|1:00:00|800|cpu=1,mem=1000M,node=1|gres:gpu:a100:2|1000M|OK||\n"
      "3|PENDING|Priority|ann|batch|2026-03-02T09:00:01|N/A|1:00:00|800|cpu=1,mem=1000M,node=1|gres/gpu:1|1000M|OK||\n"
      "4|PENDING|Priority|ann|batch|2026-03-02T09:00:02|N/A|1:00:00|800|cpu=1,mem=1000M,node=1,gres/gpu=1||1000M|OK||\n"
      "5|PENDING|Priority|ann|batch|2026-03-02T09:00:03|N/"
      "A|1:00:00|800|cpu=1,mem=1000M,node=1|gres:gpu:v100:1|1000M|OK||\n");
  const Said said = site.drive("--policy easy --partition batch --set policy.params.none=1 --once");
  CHECK(said.status == 2);
  REQUIRE(site.drive("--policy sjf --partition batch --once").status == 0);
  // The second GPU is for 3, as 2 must wait for both; 4 has none left, and 5 asks for a type that is not there.
  CHECK(site.orders() == "scontrol hold 2\nscontrol hold 3\nscontrol hold 4\nscontrol hold 5\nscontrol release 5\n"
                         "scontrol release 3\nscontrol update JobId=3 Priority=2000000000\n");
}

TEST_CASE("a site's own policy decides, with the site's numbers of users", "[cli]") {
  const Site site;
  site.coslice.folder.write(
      "site/scenario.toml",
      "[[machine.nodes]]\nname = \"n\"\nnames = \"n[1-4]\"\nprocessors = 2\ncores = 8\nmemory = 64000\n"
      "[[machine.partitions]]\nname = \"batch\"\nnodes = [\"n\"]\nmax_time = 60\n[workload]\ntrace = \"jobs.sacct\"\n"
      "[policy]\nname = \"policy.lua\"\n[policy.params]\nfirst = 2\n");
  site.coslice.folder.write("site/jobs.sacct",
                            "JobID|User|Account|Partition|QOS|Submit|Elapsed|NNodes|NCPUS|Timelimit\n"
                            "1|bob|all|batch|normal|2026-01-01T00:00:00|01:00:00|1|16|02:00:00\n2|ann|all|batch|normal|"
                            "2026-01-01T00:01:00|01:00:00|1|16|02:00:00\n");
  site.coslice.folder.write("site/policy.lua",
                            "return { api = 1, name = 'mine', version = '1', params = { first = { default = 0, doc = "
                            "'Whose jobs come first.' } },\n"
                            "  key = function(job, params) return job.user == params.first and 0 or 1 end }\n");
  REQUIRE(site.drive("--site site --partition batch --once").status == 0);
  CHECK(site.orders() == kHolds + "scontrol release 103\nscontrol update JobId=103 Priority=2000000000\n");
  CHECK(site.drive("--recover").status == 0);
  site.forget_orders();
  REQUIRE(site.drive("--site site --set policy.params.first=1 --partition batch --once").status == 0);
  CHECK(site.orders() == kHolds);  // bob's 102 is first, and needs four nodes
}

TEST_CASE("a partition that Slurm does not have is said", "[cli]") {
  const Site site;
  const Said said = site.drive("--policy easy --partition bach --once");
  CHECK(said.status == 0);
  CHECK_THAT(said.err, Contains("--partition bach: Slurm has no such partition with nodes; did you mean 'batch'?"));
  CHECK_THAT(site.drive("--policy easy --partition night --once").err, !Contains("no such partition"));
}

TEST_CASE("what cannot be driven is refused before anything is asked", "[cli]") {
  const Site site;
  const auto refused = [&](const std::string& arguments) {
    const Said said = site.drive(arguments);
    CHECK(said.status == 2);
    return said.err;
  };
  CHECK_THAT(refused("--policy easy"), Contains("is given no jobs") && Contains("--only-comment"));
  CHECK_THAT(refused("--partition batch"), Contains("--policy: is missing"));
  CHECK_THAT(refused("--policy scojo_pect --partition batch"),
             Contains("has time slices, for which Slurm has no orders"));
  CHECK_THAT(refused("--policy easy --partition ''"), Contains("a filter is empty"));
  CHECK_THAT(refused("--policy easy,fcfs --partition batch"), Contains("easy,fcfs"));
  const std::string set = "--policy easy --partition batch --set ";
  for (const char* other : {"machine.nodes=3", "workload.seed=1", "engine.molding=asked", "metrics.trim=0.1"})
    CHECK_THAT(refused(set + other), Contains("is nothing that a drive looks at"));
  CHECK_THAT(refused(set + "policy.name=fcfs"), Contains("names a policy; expected --policy NAME"));
  CHECK_THAT(refused(set + "machine.nods=3"), Contains("machine.nods"));
  site.coslice.folder.write("other.toml", "[machine]\nnodes = 2\n");
  CHECK_THAT(refused("--recover --state other.toml"), Contains("other.toml: is not a list of jobs that a drive holds"));
  CHECK(site.orders().empty());
}

}  // namespace drive_test
