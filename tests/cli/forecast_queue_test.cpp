// The same queue in all of its forms gives the same forecast.
#include "catch.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "forecast_site.h"

namespace forecast_queue_test {

using namespace coslice_test;
using Catch::Contains;

namespace {

const std::string kAsk = " --now 2026-03-12T08:30 --runs 8 --arrivals none --past 0 --csv";

std::string forecast_of(const Program& coslice, const std::string& name, const std::string& text) {
  coslice.folder.write(name, text);
  const Said said = coslice("forecast . --queue " + name + kAsk);
  INFO(said.err);
  CHECK(said.status == 0);
  return said.out;
}

/// Jobs of squeue --json: fields of one that runs or waits.
std::string json_job(const std::string& id, const std::string& state, const std::string& more) {
  return "{\"job_id\": " + id + ", \"user_name\": \"ann\", \"partition\": \"batch\", \"job_state\": [\"" + state +
         "\"], \"time_limit\": {\"set\": true, \"infinite\": false, \"number\": 120}, \"node_count\": {\"set\": true, "
         "\"number\": 1}, \"cpus\": {\"set\": true, \"number\": 1}, " +
         more + "}";
}

}  // namespace

TEST_CASE("an array that waits is its elements, and only so many of them run", "[forecast_queue]") {
  const Program coslice;
  make_site(coslice);
  // Two nodes; one is taken until 9:00. Of 210 one element may run beside the one that does, of 220 any.
  const std::string json =
      "{\"jobs\": [" +
      json_job("211", "RUNNING",
               R"("array_job_id": {"set": true, "number": 210}, "array_task_id": {"set": true, "number": 1},
        "array_task_string": "", "array_max_tasks": {"set": true, "number": 1}, "nodes": "n1", "submit_time": 1773302400,
        "start_time": 1773302400, "state_reason": "None")") +
      "," +
      json_job("210", "PENDING",
               R"("array_job_id": {"set": true, "number": 210}, "array_task_id": {"set": false, "number": 0},
        "array_task_string": "2-3", "array_max_tasks": {"set": true, "number": 1}, "nodes": "", "submit_time": 1773302400,
        "state_reason": "JobArrayTaskLimit")") +
      "," +
      json_job("220", "PENDING",
               R"("array_job_id": {"set": true, "number": 0}, "array_task_string": "", "nodes": "",
        "submit_time": 1773303000, "state_reason": "Priority", "hold": false)") +
      "]}";
  const std::string text = "JOBID|USER|PARTITION|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|NODELIST|REASON\n"
                           "210_[2-3%1]|ann|batch|PENDING|2026-03-12T08:00:00|N/A|02:00:00|1|1||JobArrayTaskLimit\n"
                           "220|ann|batch|PENDING|2026-03-12T08:10:00|N/A|02:00:00|1|1||Priority\n"
                           "210_1|ann|batch|RUNNING|2026-03-12T08:00:00|2026-03-12T08:00:00|02:00:00|1|1|n1|None\n";
  const std::string control =
      "JobId=210 ArrayJobId=210 ArrayTaskId=2-3%1 ArrayTaskThrottle=1 JobName=x\n   UserId=ann(7) JobState=PENDING "
      "Reason=JobArrayTaskLimit\n   TimeLimit=02:00:00 SubmitTime=2026-03-12T08:00:00 Partition=batch NumNodes=1 "
      "NumCPUs=1\n\nJobId=211 ArrayJobId=210 ArrayTaskId=1 ArrayTaskThrottle=1 JobName=x\n   UserId=ann(7) "
      "JobState=RUNNING Reason=None\n   TimeLimit=02:00:00 SubmitTime=2026-03-12T08:00:00 "
      "StartTime=2026-03-12T08:00:00 Partition=batch NodeList=n1 NumNodes=1 NumCPUs=1\n\nJobId=220 JobName=y\n   "
      "UserId=ann(7) JobState=PENDING Reason=Priority\n   TimeLimit=02:00:00 SubmitTime=2026-03-12T08:10:00 "
      "Partition=batch NumNodes=1 NumCPUs=1\n";
  const std::string of_text = forecast_of(coslice, "q.txt", text);
  CHECK(forecast_of(coslice, "q.json", json) == of_text);
  CHECK(forecast_of(coslice, "s.txt", control) == of_text);
  // All run for an hour: the next element follows the one that runs at 9:00, the last one that at 10:00; 220 starts
  // now.
  INFO(of_text);
  CHECK_THAT(of_text,
             Contains("\n210_2,ann,batch,1,1,") && Contains("\n210_3,ann,batch,1,1,") && Contains("\n220,ann"));
  CHECK_THAT(of_text, Contains(",1800,1800,1800,") && Contains(",5400,5400,5400,") && Contains(",0,0,0,"));
}

TEST_CASE("a job whose nodes are being cleared is over soon, whatever its limit", "[forecast_queue]") {
  const Program coslice;
  make_site(coslice);
  const std::string head = "JOBID|USER|PARTITION|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|NODELIST|REASON\n";
  const std::string waits = "220|ann|batch|PENDING|2026-03-12T08:10:00|N/A|02:00:00|2|2||Resources\n";
  const auto first = [&](const std::string& state) {
    return forecast_of(coslice, "q.txt",
                       head + "211|ann|batch|" + state +
                           "|2026-03-12T08:00:00|2026-03-12T08:00:00|02:00:00|1|1|n1|None\n" + waits);
  };
  CHECK_THAT(first("RUNNING"), Contains(",1800,1800,1800,"));
  for (const char* state : {"COMPLETING", "CG", "COMPLETED,COMPLETING"})
    CHECK_THAT(first(state), !Contains(",1800,1800,1800,") && Contains("\n220,ann,batch,2,"));
}

TEST_CASE("a range of nodes in a queue waits for the fewest of them", "[forecast_queue]") {
  const Program coslice;
  make_site(coslice);
  // Of two nodes one is taken until 9:00.
  const std::string runs = "211|ann|batch|RUNNING|2026-03-12T08:00:00|2026-03-12T08:00:00|02:00:00|1|1|n1|None\n";
  const std::string head = "JOBID|USER|PARTITION|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|NODELIST|REASON\n";
  const auto waiting = [](const std::string& nodes) {
    return "220|ann|batch|PENDING|2026-03-12T08:10:00|N/A|02:00:00|" + nodes + "|1||Resources\n";
  };
  CHECK_THAT(forecast_of(coslice, "two.txt", head + runs + waiting("2")), Contains(",1800,1800,1800,"));
  CHECK_THAT(forecast_of(coslice, "range.txt", head + runs + waiting("1-2")),
             Contains("\n220,ann,batch,1,") && Contains(",0,0,0,"));
}

TEST_CASE("a job that waits for a time comes then, and one that is held has no forecast", "[forecast_queue]") {
  const Program coslice;
  make_site(coslice);
  const std::string head = "JOBID|USER|PARTITION|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|NODELIST|REASON\n";
  coslice.folder.write("q.txt",
                       head + "301|ann|batch|PENDING|2026-03-12T08:00:00|2026-03-12T11:30:00|02:00:00|1|1||BeginTime\n"
                              "302|ann|batch|PENDING|2026-03-12T08:00:00|N/A|02:00:00|1|1||PartitionDown\n"
                              "303|ann|batch|PENDING|2026-03-12T08:00:00|N/A|02:00:00|1|1||QOSMaxCpuPerJobLimit\n"
                              "304|ann|batch|REQUEUE_HOLD|2026-03-12T08:00:00|N/A|02:00:00|1|1||None\n"
                              "305|ann|batch|PENDING|2026-03-12T08:00:00|N/A|02:00:00|1|1||NovelReason\n");
  const Said said = coslice("forecast . --queue q.txt --now 2026-03-12T08:30 --runs 8 --arrivals none --past 0 --json");
  INFO(said.err << said.out);
  REQUIRE(said.status == 0);
  const auto json = nlohmann::json::parse(said.out);
  REQUIRE(json["jobs"].size() == 2);
  CHECK(json["jobs"][0]["id"] == "305");
  CHECK(json["jobs"][0]["median"] == 0.0);
  CHECK(json["jobs"][1]["id"] == "301");
  CHECK(json["jobs"][1]["median"] == 3 * 3600.0);
  REQUIRE(json["held"].size() == 3);
  CHECK_THAT(said.err, Contains("q.txt:6: job 305 waits for 'NovelReason', a reason that is not known"));
}

TEST_CASE("nodes that are powered down are free, those in a reservation that nobody knows are not",
          "[forecast_queue]") {
  const Program coslice;
  make_site(coslice);
  coslice.folder.write("q.txt",
                       "JOBID|USER|PARTITION|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|NODELIST|REASON\n"
                       "401|ann|batch|PENDING|2026-03-12T08:20:00|N/A|02:00:00|2|2||Resources\n");
  const auto median = [&](const std::string& state, const std::string& more = "") {
    coslice.folder.write("nodes.txt", "NodeName=n2 CoresPerSocket=1\n   State=" + state + " ThreadsPerCore=1\n" + more);
    const Said said = coslice(
        "forecast . --queue q.txt --queue nodes.txt --now 2026-03-12T08:30 --runs 4 --arrivals none --past 0 --json");
    INFO(said.err);
    REQUIRE(said.status == 0);
    const auto value = nlohmann::json::parse(said.out)["jobs"][0]["median"];
    return (value.is_null() ? std::string("never") : std::to_string(value.get<int>())) + " " + said.err;
  };
  for (const char* state : {"IDLE+CLOUD+POWERED_DOWN", "IDLE~", "MIXED+PLANNED", "IDLE+REBOOT_REQUESTED"})
    CHECK(median(state) == "0 ");
  for (const char* state : {"DOWN*+CLOUD", "IDLE+DRAIN", "UNKNOWN", "IDLE+FAIL"}) CHECK(median(state) == "never ");
  CHECK_THAT(median("IDLE+MAINTENANCE+RESERVED"), Contains("never ") && Contains("n2 is of a reservation"));
  CHECK_THAT(median("IDLE", "NodeName=gone9 CoresPerSocket=1\n   State=DOWN+NOVEL ThreadsPerCore=1\n"),
             Contains("0 ") && Contains("nodes.txt:4: node gone9 has the state 'DOWN+NOVEL'"));
}

TEST_CASE("any text may stand in any field of a queue", "[forecast_queue]") {
  const Program coslice;
  make_site(coslice);
  const auto queue = [](const std::string& account, const std::string& qos) {
    return "{\"jobs\": [" +
           json_job("501", "PENDING",
                    R"("submit_time": 1773303000, "state_reason": "Priority", "nodes": "", "account": ")" + account +
                        R"(", "qos": ")" + qos + "\"") +
           "]}";
  };
  const std::string plain = forecast_of(coslice, "a.json", queue("lab", "high"));
  CHECK_THAT(plain, Contains("\n501,ann,batch,1,1,"));
  CHECK(forecast_of(coslice, "b.json", queue("l|a|b", "hi\\ngh \\\"5\\\" |")) == plain);
  CHECK(forecast_of(coslice, "c.json", queue("\\\\u007c", "|||||||||")) == plain);
}

TEST_CASE("components in a queue are one job, whatever they ask for", "[forecast_queue]") {
  const Program coslice;
  make_site(coslice);
  const std::string head =
      "JOBID|USER|PARTITION|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|NODELIST|REASON|FEATURES\n";
  const std::string first = "601+0|ann|batch|PENDING|2026-03-12T08:20:00|N/A|02:00:00|1|1||Resources|\n";
  const std::string second = "601+1|ann|batch|PENDING|2026-03-12T08:20:00|N/A|02:00:00|1|1||Resources|";
  coslice.folder.write("q.txt", head + first + second + "\n");
  const Said together = coslice("forecast . --queue q.txt" + kAsk);
  INFO(together.err << together.out);
  CHECK(together.status == 0);
  CHECK_THAT(together.out, Contains("601") && !Contains("601+"));
  CHECK_THAT(together.err, !Contains("heterogeneous"));
  coslice.folder.write("q.txt", head + first + second + "other\n");
  const Said said = coslice("forecast . --queue q.txt" + kAsk);
  CHECK(said.status == 0);
  CHECK_THAT(said.out, Contains("601") && !Contains("601+"));
  CHECK_THAT(said.err, !Contains("heterogeneous"));
  coslice.shell("echo '71|cut' >> jobs.sacct");
  CHECK(coslice("forecast . --queue q.txt" + kAsk).status == 2);
  CHECK(coslice("forecast . --skip-bad --queue q.txt" + kAsk).status == 0);
}

TEST_CASE("elements of arrays in a queue take no numbers of jobs of the history", "[forecast_queue]") {
  const Program coslice;
  make_site(coslice);
  const std::string head = "JOBID|USER|PARTITION|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|NODELIST|REASON\n";
  const auto waits = [](const std::string& id, const char* more = "") {
    return id + "|ann|batch|PENDING|2026-03-12T08:00:00|N/A|02:00:00|1|1||Priority" + more + "\n";
  };
  const auto forecast = [&](const std::string& queue) {
    coslice.folder.write("queue.txt", head + queue);
    const Said said = coslice(
        "forecast . --queue queue.txt --now 2026-03-12T08:30 --runs 4 --arrivals none --past 0 --horizon 30 --json");
    INFO(said.err);
    REQUIRE(said.status == 0);
    return nlohmann::json::parse(said.out);
  };
  // 40 jobs have ended; of a job of the history that waits again the record is left out.
  CHECK(forecast(waits("90_[1-60]"))["ended"] == 40);
  CHECK(forecast(waits("90_[1-60]") + waits("7"))["ended"] == 39);
  CHECK(forecast(waits("7_[1-5]") + waits("8+0") + waits("8+1"))["ended"] == 39);
  // A history of elements: a plain job of the queue may have a number that one of them has here.
  const std::string history = coslice.folder.read("jobs.sacct");
  std::string elements;
  std::size_t line = 0;
  for (std::size_t at = 0; at < history.size(); ++line) {
    const std::size_t end = history.find('\n', at);
    elements += (line == 0 ? "" : "5000_") + history.substr(at, end + 1 - at);
    at = end + 1;
  }
  coslice.folder.write("jobs.sacct", elements);
  CHECK(forecast(waits("3") + waits("4") + waits("5001"))["ended"] == 40);
  const auto same = forecast(waits("5000_3") + waits("6000_[1-3]"));
  CHECK(same["ended"] == 39);
  CHECK(same["jobs"].size() == 4);
}

TEST_CASE("a list of elements has steps, and what is cut off of it is said", "[forecast_queue]") {
  const Program coslice;
  make_site(coslice);
  const std::string head = "JOBID|USER|PARTITION|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|NODELIST|REASON\n";
  coslice.folder.write("queue.txt", head +
                                        "61_[0-20:5]|ann|batch|PENDING|2026-03-12T08:00:00|N/A|02:00:00|1|1||Priority\n"
                                        "62_[1-3,7,...%2]|ann|batch|PENDING|2026-03-12T08:00:00|N/A|02:00:00|1|1||"
                                        "Priority\n");
  const Said said = coslice("forecast . --queue queue.txt" + kAsk);
  CHECK(said.status == 0);
  CHECK_THAT(said.out, Contains("\n61_0,") && Contains("\n61_20,") && Contains("\n62_7,"));
  CHECK(std::count(said.out.begin(), said.out.end(), '\n') == 1 + 5 + 4);
  CHECK_THAT(said.err, Contains("queue.txt:3: the list of elements of job 62_[1-3,7,...%2] is cut off: 4 elements "
                                "are read; SLURM_BITSTR_LEN=0"));
  CHECK(said.err.find("61_") == std::string::npos);
}

TEST_CASE("of a list of partitions each that the machine does not have is said", "[forecast_queue]") {
  const Program coslice;
  make_site(coslice);
  coslice.folder.write("queue.txt", replaced(replaced(kQueue, "104|bob|batch", "104|bob|batch,zzz"), "103|ann|batch",
                                             "103|ann|zzz,batch"));
  const Said said = coslice("forecast . --queue queue.txt" + kAsk);
  CHECK(said.status == 0);
  CHECK_THAT(said.err,
             Contains("queue.txt:4: job 103 and 1 more name a partition 'zzz', which the machine does not have, "
                      "in the list 'zzz,batch': the others of it count"));
}

TEST_CASE("jobs that can never run are named with their own reasons", "[forecast_queue]") {
  const Program coslice;
  make_site(coslice);
  coslice.folder.write("scenario.toml", replaced(coslice.folder.read("scenario.toml"), "default_time",
                                                 "max_time = 86400\ndefault_time"));
  const std::string head = "JOBID|USER|PARTITION|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|NODELIST|REASON\n";
  coslice.folder.write("queue.txt", head + "70|ann|batch|PENDING|2026-03-12T08:00:00|N/A|02:00:00|5|5||Priority\n"
                                           "71|ann|batch|PENDING|2026-03-12T08:00:00|N/A|UNLIMITED|1|1||Priority\n"
                                           "72|ann|batch|PENDING|2026-03-12T08:00:00|N/A|02:00:00|5|5||Priority\n"
                                           "73|ann|batch|PENDING|2026-03-12T08:00:00|N/A|02:00:00|1|1||Priority\n");
  const Said said =
      coslice("forecast . --queue queue.txt --now 2026-03-12T08:30 --runs 4 --arrivals none --past 0 --json");
  CHECK(said.status == 0);
  CHECK_THAT(said.err, Contains("queue.txt:2: jobs 70, 72 can never run on this machine and are left out: each asks"));
  CHECK_THAT(said.err, Contains("queue.txt:3: job 71 can never run on this machine and is left out: its limit, "
                                "UNLIMITED, is above the 86400 s of partition \"batch\""));
  const auto json = nlohmann::json::parse(said.out);
  CHECK(json["jobs"].size() == 1);
  REQUIRE(json["held"].size() == 3);
  CHECK(json["held"][1]["id"] == "71");
  CHECK_THAT(json["held"][1]["reason"].get<std::string>(), Contains("UNLIMITED"));
}

TEST_CASE("jobs that their limits never let start have the reason instead of a forecast", "[forecast_queue]") {
  const Program coslice;
  coslice.folder.write("slurm.conf", "ClusterName=reef\nNodeName=n[1-2] CPUs=4 RealMemory=8000\nPartitionName=p "
                                     "Nodes=ALL Default=YES\nAccountingStorageEnforce=limits\n"
                                     "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n");
  coslice.folder.write("assoc.txt",
                       "add account name=sea\nadd user name=ann account=sea\nadd user name=bob account=sea "
                       "MaxJobs=0\nadd user name=cy account=sea MaxTRESPerJob=cpu=2\n");
  std::string jobs = "JobID|User|Account|Partition|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit|AllocTRES\n";
  for (const char* user : {"ann", "bob", "cy"})
    for (int i = 10; i < 22; ++i)
      jobs += (user[0] == 'a'   ? "1"
               : user[0] == 'b' ? "2"
                                : "3") +
              std::to_string(i) + "|" + user + "|sea|p|2026-03-02T" + std::to_string(i) + ":00:00|2026-03-02T" +
              std::to_string(i) + ":00:00|2026-03-02T" + std::to_string(i) +
              ":30:00|00:30:00|COMPLETED|1|1|01:00:00|cpu=1,node=1\n";
  coslice.folder.write("jobs.sacct", jobs);
  REQUIRE(coslice("import slurm --conf slurm.conf --assoc assoc.txt --jobs jobs.sacct -o site").status == 0);
  const auto row = [](const char* id, const char* user, const char* cpus) {
    return std::string(id) + "|" + user + "|sea|p|PENDING|2026-03-03T08:00:00|01:00:00|1|" + cpus + "|Priority\n";
  };
  coslice.folder.write("queue.txt", "JOBID|USER|ACCOUNT|PARTITION|STATE|SUBMIT_TIME|TIME_LIMIT|NODES|CPUS|REASON\n" +
                                        row("901", "bob", "1") + row("902", "ann", "1") + row("903", "cy", "3") +
                                        row("904", "cy", "2") + row("905", "bob", "1"));
  const std::string ask = "forecast site --queue queue.txt --now 2026-03-03T08:30 --runs 4 --arrivals none --past 0";
  const Said said = coslice(ask + " --json");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto json = nlohmann::json::parse(said.out);
  CHECK(json["jobs"].size() == 2);
  REQUIRE(json["held"].size() == 3);
  for (const auto& held : json["held"])
    CHECK_THAT(held["reason"].get<std::string>(), held["id"] == "903" ? Contains("AssocMaxCpuPerJobLimit of user cy")
                                                                      : Contains("AssocMaxJobsLimit of user bob"));
  CHECK_THAT(coslice(ask).out,
             Contains("held, no forecast: 901 (AssocMaxJobsLimit of user bob in account sea: MaxJobs=0"));
}

TEST_CASE("many jobs that are held are told by their reasons", "[forecast_queue]") {
  const Program coslice;
  make_site(coslice);
  const auto row = [](const std::string& id, const std::string& reason) {
    return id + "|bob|batch|PENDING|2026-03-12T08:26:00|N/A|02:00:00|1|1||" + reason + "\n";
  };
  const std::string head = "JOBID|USER|PARTITION|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|NODELIST|REASON\n";
  const auto said = [&](const std::string& rows) {
    coslice.folder.write("many.txt", head + row("200", "Priority") + rows);
    return coslice("forecast scenario.toml --queue many.txt --now 2026-03-12T08:30 --runs 2 --arrivals none --past 0")
        .out;
  };
  CHECK_THAT(said(row("301_[1-19]", "JobHeldUser") + row("302", "JobHeldAdmin")),
             Contains("held, no forecast: 301_1 (JobHeldUser), 301_2") && Contains(", 302 (JobHeldAdmin)\n"));
  CHECK_THAT(said(row("301_[1-1200]", "JobHeldUser") + row("302", "JobHeldAdmin") + row("303", "JobHeldUser")),
             Contains("held, no forecast: 1,202 jobs\n"
                      "  JobHeldUser: 301_1, 301_2, 301_3, 301_4, 301_5 and 1,196 more\n"
                      "  JobHeldAdmin: 302\n"));
}

TEST_CASE("a file that is no queue is said to be what it looks like", "[forecast_queue]") {
  const Program coslice;
  make_site(coslice);
  const auto refused = [&](const std::string& text) {
    coslice.folder.write("q", text);
    const Said said = coslice("forecast . --queue q --now 2026-03-12T08:30");
    CHECK(said.status == 2);
    return said.err;
  };
  CHECK_THAT(refused("JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME\n"
                     "12      ann     RUN   normal     h1          h2          x          Mar  1 10:00\n"),
             Contains("q: looks like what bjobs of LSF prints, which is not read; expected what squeue"));
  CHECK_THAT(refused("JOBID USER NAME ST NTASKS NNODES TIME INFO\nf1 ann x R 1 1 1m n1\n"),
             Contains("looks like what flux jobs prints"));
  CHECK_THAT(refused("JobId=12 UserId=ann(1) GroupId=a(1) Name=x JobState=COMPLETED Partition=batch\n"),
             Contains("looks like what Slurm's jobcomp/filetxt writes"));
  CHECK_THAT(refused("Job id  Name  User  Time Use S Queue\n---- ----\n12.h x ann 00:00 R batch\n"),
             Contains("looks like what qstat of PBS"));
  CHECK_THAT(refused("\xfd"
                     "7zXZ" +
                     std::string(1, '\0') + "abc"),
             Contains("packed by xz") && Contains("unpack it"));
  CHECK_THAT(refused("JobID|Submit|Elapsed|NCPUS\n1|a|b|c\n"), Contains("looks like a dump of sacct"));
}

}  // namespace forecast_queue_test
