// What states and reasons of a queue mean, and the same job in all of its forms.
#include <fstream>

#include "catch.h"
#include "message_of.h"
#include "slurm/queue.h"
#include "slurm/queue_words.h"

namespace queue_words_test {

using namespace coslice;
using namespace coslice::slurm;
using Catch::Contains;

namespace {

QueueSnapshot json_queue(const std::string& jobs) {
  QueueSnapshot out;
  read_queue_json("{\"jobs\": [" + jobs + "]}", "q.json", out);
  return out;
}

QueueSnapshot text_queue(const std::string& text) {
  QueueSnapshot out;
  read_squeue_columns(text, "q.txt", out);
  return out;
}

QueueSnapshot scontrol_queue(const std::string& text) {
  QueueSnapshot out;
  read_scontrol(text, "s.txt", out);
  return out;
}

std::string ids(const QueueSnapshot& queue) {
  std::string out;
  for (const QueuedJob& job : queue.jobs) out += job.id + " ";
  return out;
}

}  // namespace

TEST_CASE("states of jobs", "[queue_words]") {
  for (const char* state : {"RUNNING", "R", "CG", "COMPLETING", "CONFIGURING", "SUSPENDED", "ST", "RESIZING",
                            "SIGNALING", "COMPLETED,COMPLETING", "RUNNING,CONFIGURING,POWER_UP_NODE"})
    CHECK(stands_as(state) == JobStands::kRuns);
  for (const char* state : {"PD", "PENDING", "REQUEUED", "RF"}) CHECK(stands_as(state) == JobStands::kWaits);
  for (const char* state : {"REQUEUE_HOLD", "PENDING,REQUEUE_HOLD", "SE", "RD"})
    CHECK(stands_as(state) == JobStands::kHeld);
  for (const char* state : {"CD", "OUT_OF_MEMORY", "REVOKED", "STAGE_OUT"}) CHECK(stands_as(state) == JobStands::kOver);
  for (const char* state : {"", "PENDNG", "PENDING,SOON"}) CHECK(stands_as(state) == JobStands::kUnknown);
}

TEST_CASE("reasons of jobs that wait", "[queue_words]") {
  const auto all = [](WaitsFor what, std::initializer_list<const char*> reasons) {
    for (const char* reason : reasons) {
      INFO(reason);
      CHECK(waits_for(reason) == what);
    }
  };
  all(WaitsFor::kTurn, {"",
                        "None",
                        "Priority",
                        "Resources",
                        "Licenses",
                        "JobArrayTaskLimit",
                        "Reservation",
                        "AssocGrpCpuLimit",
                        "AssocMaxJobsLimit",
                        "QOSMaxJobsPerUserLimit",
                        "QOSGrpGRES",
                        "MaxGRESPerAccount",
                        "MaxCpuRunMinsPerUser",
                        "AssocGrpCPUMinutesLimit",
                        "QOSUsageThreshold",
                        "ReqNodeNotAvail, UnavailableNodes:n[1-2]",
                        "ReqNodeNotAvail,_Reserved_for_maintenance",
                        "NonZeroExitCode",
                        "MaxPoweredUpNodes",
                        "MpiPortsBusy",
                        "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"});
  all(WaitsFor::kTime, {"BeginTime"});
  all(WaitsFor::kDependency, {"Dependency"});
  all(WaitsFor::kRelease,
      {"JobHeldUser", "JobHeldAdmin", "JobHoldMaxRequeue", "PartitionDown", "PartitionInactive",
       "launch_failed_requeued_held", "job requeued in held state", "job_requeued_in_special_exit_state"});
  all(WaitsFor::kChange, {"DependencyNeverSatisfied", "PartitionTimeLimit", "PartitionNodeLimit", "PartitionConfig",
                          "BadConstraints", "InvalidAccount", "InvalidQOS", "QOSMaxCpuPerJobLimit",
                          "AssocMaxWallDurationPerJobLimit", "QOSMinCpuNotSatisfied", "AssocMaxGRESPerNode",
                          "MaxMemPerLimit", "ReservationDeleted", "DeadLine", "AssociationTimeLimit", "QOSTimeLimit",
                          "burst_buffer/lua: teardown: no such pool", "Could not find burst buffer record",
                          "Job's account not permitted to use this partition (fast allows x not y)"});
  all(WaitsFor::kTurn,
      {"AssocGrpBBRunMinutes", "AssocGrpSubmitJobsLimit", "AssociationResourceLimit", "QOSGrpWallLimit",
       "QOSMaxMemoryPerUser", "QOSMaxSubmitJobPerUserLimit", "MaxSubmitJobsPerAccount", "PowerNotAvail"});
  all(WaitsFor::kChange, {"QOSMinMemory", "AssocMaxLicenseMinutesPerJob", "QOSMaxNodePerJobLimit"});
  all(WaitsFor::kUnknown, {"NovelReason", "Because", "QOSFooBarLimit", "AssocFoo", "QOS", "AssocGrp", "MaxFooPerUser",
                           "QOSMaxCpuPerMoonLimit", "JobHeldAlien", "InvalidFoo", "QOSFooBarLimit, and more"});
}

TEST_CASE("a range of nodes and segments in all forms of a queue", "[queue_words]") {
  const auto same = [](const QueueSnapshot& queue) {
    REQUIRE(queue.jobs.size() == 1);
    const QueuedJob& job = queue.jobs.front();
    CHECK(job.node_count == 2);
    CHECK(job.most_nodes == 4);
    CHECK(job.segment == 2);
  };
  same(text_queue("JOBID|STATE|NODES|MAX_NODES|SEGMENT_SIZE\n7|PENDING|2|4|2\n"));
  same(text_queue("JOBID|STATE|NODES|SEGMENT_SIZE\n7|PENDING|2-4|2\n"));
  same(scontrol_queue("JobId=7 JobName=x\n   JobState=PENDING Reason=None\n   NumNodes=2-4 NumCPUs=2 SegmentSize=2\n"));
  same(
      json_queue(R"({"job_id": 7, "job_state": ["PENDING"], "node_count": {"set": true, "infinite": false, "number": 2},
                      "max_nodes": {"set": true, "infinite": false, "number": 4}, "segment_size": 2})"));
  same(json_queue(R"({"job_id": 7, "job_state": "PENDING", "node_count": 2, "max_nodes": 4, "segment_size": 2})"));
  CHECK(text_queue("JOBID|STATE|NODES|MAX_NODES|SEGMENT_SIZE\n7|PENDING|2|2|N/A\n").jobs.front().most_nodes == 2);
}

TEST_CASE("a limit that is none is a year, and one that is not said is the partition's", "[queue_words]") {
  constexpr std::int64_t kYear = 365LL * 86400 * 1'000'000'000;
  const auto text = [](const char* limit) {
    return text_queue(std::string("JOBID|STATE|TIME_LIMIT\n7|RUNNING|") + limit + "\n").jobs.front().limit;
  };
  CHECK(text("UNLIMITED") == kYear);
  CHECK(text("INFINITE") == kYear);
  CHECK_FALSE(text("Partition_Limit"));
  CHECK(text("10:00") == 600'000'000'000);
  const auto json = [](const char* limit) {
    return json_queue(std::string(R"({"job_id": 7, "job_state": ["RUNNING"], "time_limit": )") + limit + "}")
        .jobs.front()
        .limit;
  };
  CHECK(json(R"({"set": false, "infinite": true, "number": 0})") == kYear);
  CHECK_FALSE(json(R"({"set": false, "infinite": false, "number": 0})"));
  CHECK(json("4294967295") == kYear);  // as releases before 23.02 write it
  CHECK_FALSE(json("4294967294"));     // and that there is none
  CHECK(json("10") == 600'000'000'000);
}

TEST_CASE("states of nodes", "[queue_words]") {
  const auto all = [](NodeTakes what, std::initializer_list<const char*> states) {
    for (const char* state : states) {
      INFO(state);
      CHECK(node_takes(state) == what);
    }
  };
  all(NodeTakes::kJobs, {"IDLE",
                         "ALLOCATED+",
                         "MIXED-",
                         "IDLE~",
                         "idle#",
                         "IDLE!",
                         "MIXED%",
                         "IDLE+CLOUD+POWERED_DOWN",
                         "alloc",
                         "mix",
                         "IDLE+POWERING_UP+NOT_RESPONDING",
                         "COMPLETING",
                         "comp*~",
                         "PLANNED",
                         "BLOCKED",
                         "IDLE+REBOOT_REQUESTED",
                         "IDLE@",
                         "IDLE+DRAIN+REBOOT_ISSUED",
                         "MIXED+CLOUD+POWERING_DOWN",
                         "IDLE+DYNAMIC_NORM",
                         "pow_dn"});
  all(NodeTakes::kNothing, {"DOWN", "DOWN*", "DOWN~", "DOWN+CLOUD+POWERED_DOWN", "MIXED+DRAIN", "drained", "drng*",
                            "FAIL", "FAILING*", "IDLE*", "IDLE+NOT_RESPONDING", "UNKNOWN", "UNKNOWN*", "FUTURE",
                            "INVAL", "IDLE+INVALID_REG", "ERROR", "DRAINING@*+DRAIN+FAIL"});
  all(NodeTakes::kReserved, {"RESERVED", "MAINT", "IDLE+RESERVED", "IDLE$", "MIXED+MAINTENANCE", "resv"});
  all(NodeTakes::kUnknown, {"", "IDEL", "IDLE+NOVEL"});
}

TEST_CASE("ids of elements and components are those that squeue prints", "[queue_words]") {
  const std::string wait = "\"job_state\": [\"PENDING\"], \"job_id\": 61";
  CHECK(
      ids(json_queue(
          "{" + wait +
          ", \"array_job_id\": {\"set\": true, \"number\": 60}, \"array_task_id\": {\"set\": false, "
          "\"number\": 0}, \"array_max_tasks\": {\"set\": true, \"number\": 3}, \"array_task_string\": \"2,4-6\"}")) ==
      "60_[2,4-6%3] ");
  CHECK(ids(json_queue("{" + wait +
                       ", \"array_job_id\": 60, \"array_task_id\": null, \"array_task_string\": \"4-6%2\"}")) ==
        "60_[4-6%2] ");
  CHECK(ids(json_queue(R"({"job_state": "RUNNING", "job_id": 63, "array_job_id": 60, "array_task_id": 1,
                          "array_max_tasks": 3, "array_task_string": ""})")) == "60_1 ");
  CHECK(ids(json_queue("{" + wait + R"(, "array_job_id": {"set": true, "number": 0},
                       "het_job_id": {"set": true, "number": 59}, "het_job_offset": {"set": true, "number": 2}})")) ==
        "59+2 ");
  CHECK(ids(json_queue("{" + wait + R"(, "array_job_id": 0, "het_job_id": 0, "het_job_offset": 0})")) == "61 ");
  CHECK(ids(scontrol_queue(
            "JobId=60 ArrayJobId=60 ArrayTaskId=4-6%2 ArrayTaskThrottle=2 JobName=a\n   JobState=PENDING\n\n"
            "JobId=63 ArrayJobId=60 ArrayTaskId=1 ArrayTaskThrottle=2 JobName=a\n   JobState=RUNNING\n\n"
            "JobId=59 HetJobId=58 HetJobOffset=1 JobName=h\n   JobState=PENDING\n")) == "60_[4-6%2] 60_1 58+1 ");
  CHECK(ids(text_queue(
            "JOBID|ARRAY_JOB_ID|ARRAY_TASK_ID|STATE\n60|60|4-6%2|PENDING\n63|60|1|RUNNING\n7|7|N/A|PENDING\n")) ==
        "60_[4-6%2] 60_1 7 ");
  CHECK(ids(text_queue("ARRAY_JOB_ID|ARRAY_TASK_ID|ST\n60|4-6%2|PD\n7|N/A|PD\n")) == "60_[4-6%2] 7 ");
}

TEST_CASE("names in a queue may have bars and line ends, between columns with bars, too", "[queue_words]") {
  const std::string head = "JOBID|NAME|USER|ST|TIME_LIMIT|NODES|SUBMIT_TIME|NODELIST|REASON\n",
                    end = "|ann|PD|1:00:00|2|2026-05-01T08:00:00||Priority\n";
  const auto texts = [&](const std::vector<std::string>& names) {
    std::string text = head;
    for (std::size_t i = 0; i != names.size(); ++i) text += std::to_string(i + 1) + "|" + names[i] + end;
    const QueueSnapshot out = text_queue(text);
    for (const QueuedJob& job : out.jobs) {
      CHECK((job.user == "ann" && job.state == "PD" && job.node_count == 2 && job.reason == "Priority"));
      CHECK(job.limit == std::int64_t{3600} * 1'000'000'000);
    }
    return ids(out);
  };
  CHECK(texts({"a|b", "plain", "||", "a|12|R|x", "|"}) == "1 2 3 4 5 ");
  CHECK(texts({"two\nlines", "plain", "t|\n|\n|h", "four\n\nof\nthem"}) == "1 2 3 4 ");
  CHECK(texts({"ends |ann|PD|", "1|x|ann"}) == "1 2 ");
  CHECK_THAT(message_of([&] { text_queue(head + "1|a|ann|PD|1:00:00\n2|b" + end); }),
             Contains("q.txt:2: the line has 5 fields; expected 9") && Contains("leave that column out"));
  CHECK_THAT(message_of([&] { text_queue(head + "2|b" + end + "1|a|ann|PD|1:00:00\n"); }),
             Contains("q.txt:3: the line has 5 fields; expected 9"));
  CHECK_THAT(message_of([&] { text_queue(head + "1|a|ann|PD|1:00:00|2|soon|late||x|y|Priority\n"); }),
             Contains("q.txt:2: the line has 12 fields; expected 9"));
}

TEST_CASE("jobs that are held, however that is said", "[queue_words]") {
  const auto held = [](const QueueSnapshot& queue) { return queue.jobs.at(0).is_held(); };
  const auto json = [&](const std::string& more) {
    return held(json_queue("{\"job_id\": 7, \"job_state\": [\"PENDING\"]" + more + "}"));
  };
  CHECK_FALSE(json(""));
  CHECK_FALSE(json(R"(, "hold": false, "state_reason": "Priority")"));
  CHECK(json(R"(, "hold": true, "state_reason": "None")"));
  CHECK(json(R"(, "state_reason": "PartitionInactive")"));
  CHECK(json(R"(, "state_reason": "None", "state_description": "launch failed requeued held")"));
  CHECK(held(json_queue(R"({"job_id": 7, "job_state": ["PENDING", "SPECIAL_EXIT"]})")));
  CHECK(held(text_queue("JOBID|ST|PRIORITY\n7|PD|0\n")));
  CHECK(held(text_queue("JOBID|ST|PRIORITY\n7|PD|0.00000000000000\n")));
  CHECK_FALSE(held(text_queue("JOBID|ST|PRIORITY\n7|PD|0.00000000023283\n")));
  CHECK(held(scontrol_queue("JobId=7\n JobState=PENDING Reason=None\n Priority=0\n")));
  CHECK(held(text_queue("JOBID|ST\n7|RH\n")));
  CHECK(held(text_queue("JOBID|ST|NODELIST(REASON)\n7|PD|(job requeued in held state)\n")));
  // A time before which it is not to start: where it is known, the job comes then.
  CHECK(held(text_queue("JOBID|ST|REASON|START_TIME\n7|PD|BeginTime|N/A\n")));
  const QueuedJob later = text_queue("JOBID|ST|REASON|START_TIME\n7|PD|BeginTime|2026-04-01T10:00:00\n").jobs.at(0);
  CHECK((!later.is_held() && later.begins().has_value()));
  CHECK(json_queue(R"({"job_id": 7, "job_state": "PENDING", "state_reason": "BeginTime", "eligible_time": 1775037600})")
            .jobs.at(0)
            .begins() == later.begins());
  CHECK_FALSE(text_queue("JOBID|ST|REASON|START_TIME\n7|PD|Resources|2026-04-01T10:00:00\n").jobs.at(0).begins());
}

TEST_CASE("what texts of scontrol say is not what the job or the node is", "[queue_words]") {
  const std::string job =
      "JobId=7 JobName=run State=x Partition=none UserId=root JobId=9\n"
      "   UserId=ann(70) GroupId=a(70)\n   JobState=PENDING Reason=Priority\n   Partition=batch Q=1\n"
      "   NumNodes=2 NumCPUs=8\n   Command=/a b/run.sh NumNodes=90 JobState=RUNNING\n"
      "   SubmitLine=sbatch --wrap=\"a\nJobState=FAILED NodeList=zz\"\n"
      "   Comment=Partition=long Priority=0\n   TresPerNode=gres/gpu:2\n";
  const QueueSnapshot lines = scontrol_queue(job + "\nJobId=8 JobName=b\n   JobState=PENDING\n");
  CHECK(ids(lines) == "7 8 ");
  std::string one = job;
  for (std::size_t at; (at = one.find("\n   ")) != one.npos;) one.replace(at, 4, " ");
  one.erase(one.find("\nJobState=FAILED"), 1);
  for (const QueueSnapshot& queue : {lines, scontrol_queue(one)}) {
    REQUIRE_FALSE(queue.jobs.empty());
    const QueuedJob& found = queue.jobs[0];
    CHECK((found.id == "7" && found.user == "ann" && found.partition == "batch" && found.state == "PENDING"));
    CHECK((found.node_count == 2 && found.nodes.empty() && found.gres == "gres/gpu:2" && !found.held));
  }
  const QueueSnapshot nodes = scontrol_queue(
      "NodeName=a1 Arch=x\n   State=IDLE Weight=1\n   Reason=was State=DOWN NodeName=a3 [ann@2026-03-01]\n"
      "       State=DRAIN\n   Comment=State=FAIL\n\n"
      "NodeName=a2 Arch=x State=DOWN+DRAIN Weight=1 Reason=not State=IDLE NodeName=a4\n");
  CHECK(nodes.down == std::vector<std::string>{"a2"});
}

TEST_CASE("words that are not known are said", "[queue_words]") {
  const QueueSnapshot queue = text_queue("JOBID|STATE|REASON\n7|PENDING|NovelReason\n8|RUNNING|NovelReason\n");
  REQUIRE(queue.warnings.size() == 1);
  CHECK(queue.warnings[0] == "q.txt:2: job 7 waits for 'NovelReason', a reason that is not known: as if for its turn");
  const std::string json = R"({"jobs":[{"job_id":7,"job_state":["PENDING"],"state_reason":"QOSFooBarLimit"}]})";
  QueueSnapshot of_json;
  read_queue_json(json, "q.json", of_json);
  REQUIRE(of_json.warnings.size() == 1);
  CHECK_THAT(of_json.warnings[0], Contains("q.json: job 7 waits for 'QOSFooBarLimit', a reason that is not known"));
  const QueueSnapshot nodes = scontrol_queue("NodeName=a1 CPUTot=4\n   State=IDLE+NOVEL ThreadsPerCore=1\n");
  CHECK(nodes.down == std::vector<std::string>{"a1"});
  REQUIRE(nodes.warnings.size() == 1);
  CHECK_THAT(nodes.warnings[0], Contains("s.txt:2: node a1 has the state 'IDLE+NOVEL', which is not known"));
}

TEST_CASE("nodes as sinfo prints them", "[queue_words]") {
  const QueueSnapshot queue = text_queue("PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
                                         "all*         up   infinite      2  idle~ a[1-2]\n"
                                         "all*         up   infinite      2  down* a[3-4]\n"
                                         "low          up   infinite      2  down* a[3-4]\n"
                                         "all*         up   infinite      1  maint a5\n"
                                         "all*         up   infinite      0    n/a \n");
  CHECK(queue.down == std::vector<std::string>{"a3", "a4"});
  CHECK(queue.reserved == std::vector<std::string>{"a5"});
}

TEST_CASE("names with blanks stand in the columns of squeue's own form", "[queue_words]") {
  const QueueSnapshot queue =
      text_queue("             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
                 "                71     batch my big j      ann PD       0:00      2 (Nodes required, or so)\n"
                 "              70_3     batch        x      bob  R      10:00      1 a1\n");
  REQUIRE(queue.jobs.size() == 2);
  CHECK((queue.jobs[0].user == "ann" && queue.jobs[0].node_count == 2 &&
         queue.jobs[0].reason == "Nodes required, or so"));
  CHECK((queue.jobs[1].id == "70_3" && queue.jobs[1].nodes == "a1"));
  const QueueSnapshot left = text_queue("JOBID     NAME           STATE     FEATURES  NODES\n"
                                        "72        two words      PENDING             3\n");
  REQUIRE(left.jobs.size() == 1);
  CHECK((left.jobs[0].node_count == 3 && left.jobs[0].features.empty()));
}

}  // namespace queue_words_test
