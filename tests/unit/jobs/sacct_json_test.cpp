// Jobs in JSON of Slurm's commands, of several versions; formats that are not read are named.
#include "catch.h"
#include "core/error.h"
#include "formats/sacct.h"
#include "formats/trace_format.h"
#include "jobs/attributes.h"
#include "message_of.h"

namespace sacct_json_test {

using namespace coslice;

namespace {

RecordedWorkload read_json(const std::string& text, SkippedLines* skipped = nullptr) {
  REQUIRE(trace_format(text) == TraceFormat::kSlurmJson);
  return parse_trace(text, "jobs.json", TraceFormat::kSlurmJson, skipped);
}

std::string name_in(const RecordedWorkload& r, const std::string& kind, std::int32_t number) {
  for (const auto& n : r.names)
    if (n.kind == kind && n.number == number) return n.name;
  return "";
}

const std::string kOld =
    R"({"meta":{"plugin":{"type":"openapi/dbv0.0.37","name":"Slurm OpenAPI DB v0.0.37"},"Slurm":{"release":"22.05.2"}},
"errors":[],"jobs":[
{"account":"sea","allocation_nodes":2,"array":{"job_id":0,"task":null,"task_id":null},"association":{"account":"sea",
"cluster":"c","partition":null,"user":"ida"},"constraints":"big|fast","exit_code":{"status":"SUCCESS","return_code":0},
"time":{"elapsed":600,"eligible":1700000100,"end":1700001000,"start":1700000100,"submission":1700000000,"suspended":0,
"limit":4294967295},"job_id":41,"reservation":{"id":0,"name":0},"name":"a|b\n\"c\"","nodes":"n[1-2]","partition":"wide","qos":"normal",
"required":{"CPUs":8,"memory":4000},"state":{"current":"COMPLETED","reason":"None"},"user":"ida",
"steps":[{"step":{"id":"41.batch"},"state":"COMPLETED"}],
"tres":{"allocated":[{"type":"cpu","name":null,"id":1,"count":8},{"type":"mem","name":null,"id":2,"count":4000},
{"type":"node","name":null,"id":4,"count":2},{"type":"gres","name":"gpu:a30","id":1002,"count":3}],"requested":[]}},
{"account":"sea","array":{"job_id":50,"task":null,"task_id":7,"limits":{"max":{"running":{"tasks":4}}}},
"time":{"elapsed":60,"eligible":1700000200,"end":1700000290,"start":1700000230,"submission":1700000200,"limit":30},
"job_id":57,"name":"x","partition":"wide","qos":"normal","required":{"CPUs":1},"state":{"current":"TIMEOUT"},
"user":"bo","tres":{"allocated":[],"requested":[{"type":"cpu","name":"","id":1,"count":1}]}},
{"job_id":58,"time":{"elapsed":0,"eligible":1700000300,"end":0,"start":0,"submission":1700000300,"limit":30},
"state":{"current":"PENDING"},"user":"bo","required":{"CPUs":1},"partition":"wide"}]})";

const std::string kNew =
    R"({"jobs":[{"account":"sea","comment":{"administrator":"","job":"","system":""},"allocation_nodes":1,
"array":{"job_id":0,"limits":{"max":{"running":{"tasks":0}}},"task_id":{"set":false,"infinite":false,"number":0},
"task":""},"association":{"account":"sea","cluster":"c","partition":"","user":"ida","id":5},"constraints":"",
"exit_code":{"status":["SUCCESS"],"return_code":{"set":true,"infinite":false,"number":0}},
"het":{"job_id":70,"job_offset":{"set":true,"infinite":false,"number":1}},"job_id":71,"name":"n","nodes":"n3",
"partition":"wide","priority":{"set":true,"infinite":false,"number":100},"qos":"high",
"required":{"CPUs":4,"memory_per_cpu":{"set":true,"infinite":false,"number":500},"memory_per_node":{"set":false,
"infinite":false,"number":0}},"time":{"elapsed":120,"eligible":1700000000,"end":1700000180,"planned":{"set":true,
"infinite":false,"number":60},"start":1700000060,"submission":1700000000,"suspended":0,"limit":{"set":true,
"infinite":false,"number":90}},"state":{"current":["FAILED"],"reason":"None"},"submit_line":"sbatch -n 4 x | y",
"reservation":{"id":3,"name":"course"},"user":"ida","steps":[],"tres":{"allocated":[{"type":"cpu","name":"","id":1,
"count":4},{"type":"node","name":"","id":4,"count":1},{"type":"license","name":"abc","id":9,"count":2}],
"requested":[{"type":"cpu","name":"","id":1,"count":4}]}},
{"account":"sea","allocation_nodes":0,"array":{"job_id":80,"limits":{"max":{"running":{"tasks":2}}},"task_id":{"set":
false,"infinite":false,"number":0},"task":"3-4%2"},"job_id":80,"name":"w","partition":"wide","qos":"high","required":
{"CPUs":1},"time":{"elapsed":0,"eligible":1700000100,"end":1700000400,"start":0,"submission":1700000100,"limit":
{"set":true,"infinite":true,"number":0}},"state":{"current":["CANCELLED"]},"user":"ida","tres":{"allocated":[],
"requested":[{"type":"cpu","name":"","id":1,"count":1},{"type":"node","name":"","id":4,"count":1}]}}],
"meta":{"plugin":{"data_parser":"data_parser/v0.0.44"},"slurm":{"release":"25.11.1"}},"errors":[],"warnings":[]})";

}  // namespace

TEST_CASE("sacct --json before 23.02: plain numbers, one state, starts that are not those", "[convert]") {
  const RecordedWorkload r = read_json(kOld);
  REQUIRE(r.workload.jobs.size() == 2);
  CHECK(r.site_ids == std::vector<std::string>{"41", "50_7"});
  CHECK(r.wait(0) == whole_seconds(400));  // it ran for 600 s until 1000; `start` is when it became eligible
  CHECK(r.workload.jobs[0].runtime == whole_seconds(600));
  CHECK(r.workload.jobs[0].size == 8);
  CHECK_FALSE(r.workload.jobs[0].limit_given);
  CHECK(r.workload.jobs[1].limit == whole_seconds(1800));
  CHECK(r.workload.jobs[1].status == 0);
  CHECK(name_in(r, "executable", r.workload.jobs[0].executable) == "a|b\n\"c\"");
  CHECK(name_in(r, "user", r.workload.jobs[0].user) == "ida");
  CHECK(name_in(r, "group", r.workload.jobs[1].group) == "sea");
  const RecordedRequest& asked = r.requests.at(static_cast<std::size_t>(r.workload.jobs[0].request));
  CHECK(asked.gpus == 3);
  CHECK(asked.gpu_types == std::vector<std::string>{"a30"});
  CHECK(asked.nodes == 2);
  CHECK(asked.memory_kb == 4'096'000);
  CHECK(asked.features == "big|fast");
  CHECK(attributes::kArray.text(r.workload.jobs[1]) == "50_7%4");
  CHECK(r.nodes[0] == "n[1-2]");
  CHECK(find_attribute("reservation")->text(r.workload.jobs[0]).empty());  // 21.08 writes a 0 for none
}

TEST_CASE("sacct --json of today: numbers that may not be set, lists of states, parts of a job", "[convert]") {
  const RecordedWorkload r = read_json(kNew);
  REQUIRE(r.workload.jobs.size() == 3);
  CHECK(r.site_ids == std::vector<std::string>{"70+1", "80_3", "80_4"});
  CHECK(r.workload.jobs[0].id == 71);
  CHECK(r.wait(0) == whole_seconds(60));
  CHECK(r.workload.jobs[0].limit == whole_seconds(5400));
  CHECK(r.workload.jobs[0].requested_memory_kb == 512'000);
  CHECK(r.workload.jobs[0].status == 0);
  CHECK(find_attribute("reservation")->text(r.workload.jobs[0]) == "course");
  CHECK(r.requests.at(static_cast<std::size_t>(r.workload.jobs[0].request)).licences.at(0).first == "abc");
  CHECK(r.workload.jobs[1].extras->withdrawn_at == whole_seconds(400));
  CHECK(attributes::kArray.text(r.workload.jobs[2]) == "80_4%2");
}

TEST_CASE("sacct --json: no zone is blamed for times, which have none", "[convert]") {
  std::string text = kNew;
  text.replace(text.find("\"start\":1700000060"), 18, "\"start\":1699990060");
  const RecordedWorkload r = read_json(text);
  CHECK(r.wait(0) < Duration{0});
  std::string all;
  for (const TraceNote& note : r.workload.notes) all += note.reason + "\n";
  CHECK(all.find("started before it was submitted, by times that say their zone") != all.npos);
  CHECK(all.find("TZ=UTC") == all.npos);
  CHECK(sacct_of_json(text, "jobs.json").find("|2023-11-14T22:13:20Z|") != std::string::npos);
}

TEST_CASE("squeue --json: jobs that have ended are jobs, others are not", "[convert]") {
  const RecordedWorkload r = read_json(
      R"({"jobs":[{"account":"sea","accrue_time":{"set":true,"infinite":false,"number":1},"admin_comment":"",
"array_job_id":{"set":true,"infinite":false,"number":0},"array_task_id":{"set":false,"infinite":false,"number":0},
"cpus":{"set":true,"infinite":false,"number":6},"end_time":{"set":true,"infinite":false,"number":1700003600},
"start_time":{"set":true,"infinite":false,"number":1700000600},"submit_time":{"set":true,"infinite":false,
"number":1700000000},"eligible_time":{"set":true,"infinite":false,"number":1700000000},"features":"fast","job_id":90,
"job_state":["COMPLETED","COMPLETING"],"name":"q","node_count":{"set":true,"infinite":false,"number":1},"nodes":"n1",
"partition":"wide","qos":"normal","shared":["none"],"time_limit":{"set":true,"infinite":false,"number":60},
"tres_alloc_str":"cpu=6,mem=1G,node=1,billing=6","tres_req_str":"cpu=6,mem=1G,node=1,billing=6","user_name":"ida"},
{"account":"sea","accrue_time":0,"job_id":91,"job_state":"RUNNING","submit_time":1700000000,"start_time":1700000600,
"end_time":1700009600,"cpus":2,"node_count":1,"time_limit":60,"user_name":"ida","partition":"wide"}],
"last_update":1700005000})");
  REQUIRE(r.workload.jobs.size() == 1);
  CHECK(r.site_ids[0] == "90");
  CHECK(r.workload.jobs[0].runtime == whole_seconds(3000));
  CHECK(r.wait(0) == whole_seconds(600));
  CHECK(r.workload.jobs[0].limit == whole_seconds(3600));
  CHECK(r.requests.at(0).exclusive == std::optional(true));
  CHECK(r.requests.at(0).features == "fast");
}

TEST_CASE("squeue --json that a filter has made small is what it was", "[convert]") {
  const std::string job = R"({"job_id": 7, "job_state": ["COMPLETED"], "submit_time": 1700000000, "cpus": 4,
    "start_time": 1700000100, "end_time": 1700000200})";
  for (const std::string& text : {"{\"jobs\": [" + job + "]}", "[" + job + "]", "[\n" + job + "]"}) {
    CHECK(trace_format(text) == TraceFormat::kSlurmJson);
    CHECK(read_json(text).workload.jobs.size() == 1);
  }
  CHECK(trace_format(R"({"jobs": [{"type": "rigid", "submit_time": 3, "num_nodes": 2}]})") == TraceFormat::kElastisim);
  const std::string small = R"({"jobs": [{"job_id": 7, "state": {"current": ["COMPLETED"]}, "time": {"submission":
    1700000000, "start": 1700000100, "end": 1700000200, "elapsed": 100}}]})";
  CHECK(trace_format(small) == TraceFormat::kSlurmJson);
  CHECK(message_of([&] { read_json(small); }).find("no job of the dump says its size: 1 has ended") !=
        std::string::npos);
}

TEST_CASE("JSON of Slurm: what is wrong has its line, and can be left out", "[convert]") {
  const std::string head = R"({"meta":{"slurm":{"release":"24.05.1"}},"jobs":[)";
  const std::string good = R"({"job_id":5,"account":"a","user":"u","time":{"submission":1700000000,"start":1700000000,
"end":1700000060,"elapsed":60},"state":{"current":["COMPLETED"]},"required":{"CPUs":1}})";
  const auto wrong = [&](const std::string& jobs) { return message_of([&] { read_json(head + jobs + "]}"); }); };
  CHECK(wrong(good + ",\n{\"job_id\":6}").find("jobs.json:3: it does not say when the job was submitted") == 0);
  CHECK(wrong(good + ",\n{\"name\":\"x\"}").find("jobs.json:3: the job has no job_id") == 0);
  std::string odd = good;
  odd.replace(odd.find("COMPLETED"), 9, "SLEEPING!");
  CHECK(wrong(odd).find("jobs.json:1: the state of the job is 'SLEEPING!'") == 0);
  SkippedLines skipped;
  CHECK(read_json(head + odd + "," + good + ",{}]}", &skipped).workload.jobs.size() == 1);
  CHECK(skipped.count == 2);
  CHECK(message_of([&] { read_json(R"({"meta":{"slurm":{}},"nodes":[]})"); }).find("there is no list 'jobs'") !=
        std::string::npos);
  CHECK(wrong("").find("no job of the dump has run") != std::string::npos);
}

TEST_CASE("formats that are not read are named, and those that are are listed", "[convert]") {
  const auto refused = [](const std::string& text) { return message_of([&] { refuse_unread_format(text, "log"); }); };
  struct Case {
    const char *text, *what;
  };
  for (const Case& c : {
           Case{"04/02/2026 00:12:31;E;1234.host;user=ann group=g jobname=x queue=q ctime=1 qtime=1 start=2 end=3\n",
                "accounting of PBS or Torque"},
           Case{"\"JOB_FINISH\" \"10.1\" 1700000000 101 2001 33816579 1 1699990000 0 0\n", "accounting of LSF"},
           Case{"# a comment\n\n\"JOB_NEW\" \"9.12\" 1700000000 101\n", "accounting of LSF"},
           Case{"00:00:13 1700000013:1843 job 8 JOBEND 1 1 ann grp 3600 Completed [batch:1]\n", "an event log of Moab"},
           Case{"VERSION 230\n1 1 1 ann grp 3600 Completed [DEFAULT:1]\n", "a trace of Maui or Moab"},
           Case{"{\"jobs\": [{\"id\": 12, \"userid\": 1001, \"t_submit\": 1700000000.5, \"ntasks\": 4}]}",
                "jobs of Flux"},
           Case{"[{\"id\": 12, \"t_depend\": 1700000000.5}]", "jobs of Flux"},
           Case{"JobStatus = 4\nClusterId = 17\nProcId = 0\n*** Offset = 0 ClusterId = 17 ProcId = 0\n",
                "a history of HTCondor"},
           Case{"000 (017.000.000) 2026-04-02 10:00:00 Job submitted from host: <10.0.0.1>\n",
                "an event log of HTCondor"},
           Case{
               "all.q:n1:grp:ann:job:5:sge:0:1700000000:1700000001:1700000002:0:0:1:1:1:1:0:0:0:0:0:0:0:0:0:0:0:0:NONE:"
               "defaultdepartment:NONE:1:0:1.0:0:0:-q all.q:0:NONE:0:NONE:0:0\n",
               "accounting of Grid Engine"},
           Case{"             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n",
                "what squeue prints"},
           Case{"JOBID|USER|STATE|NODES\n1|ann|R|1\n", "what squeue prints"},
           Case{"JobId=12 UserId=ann(1) GroupId=a(1) Name=x JobState=COMPLETED Partition=p TimeLimit=60\n",
                "what Slurm's jobcomp/filetxt writes"},
           Case{"JobId=12 JobName=x\n   UserId=ann(1) GroupId=a(1)\n   JobState=RUNNING\n", "what scontrol show job"},
           Case{"Job id            Name             User              Time Use S Queue\n", "what qstat of PBS"},
           Case{"\nserver:\n                                          Req'd\nJob ID   Username Queue  Jobname  NDS\n",
                "what qstat of PBS"},
           Case{"Job Id: 12.host\n    Job_Name = x\n", "what qstat of PBS"},
           Case{"job-ID  prior   name       user         state submit/start at     queue\n", "what qstat of Grid"},
           Case{"JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME\n",
                "what bjobs of LSF"},
           Case{"{\n  \"COMMAND\":\"bjobs\",\n  \"JOBS\":1}", "what bjobs of LSF"},
           Case{"       JOBID QUEUE    USER     NAME       ST NTASKS NNODES     TIME INFO\n", "what flux jobs prints"},
           Case{"<?xml version=\"1.0\"?>\n<!DOCTYPE classads SYSTEM \"classads.dtd\">\n<classads>\n<c>\n",
                "a history of HTCondor"},
           Case{"<?xml version=\"1.0\"?>\n<a/>\n", "XML"},
           Case{"BZh91AY&SY\x01\x02", "a file packed by bzip2"},
           Case{"\x28\xb5\x2f\xfd\x01", "a file packed by zstd"},
           Case{"PK\x03\x04x", "a ZIP archive"},
           Case{"PAR1\x15", "a table in Parquet"},
       }) {
    CAPTURE(c.text);
    const std::string said = refused(c.text);
    CHECK(said.find(std::string("log: looks like ") + c.what) == 0);
    CHECK(said.find("SWF, a dump of sacct (--parsable2), sacct --json") != std::string::npos);
  }
  CHECK(refused("{\"things\": [{\"size\": 3}]}").find("log: is JSON of no format that is read; expected SWF") == 0);
  for (const char* read : {"; Version: 2.2\n1 0 -1 10 1\n", "1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 -1 -1 -1 -1 -1\n",
                           "JobID|Submit|Elapsed|NCPUS\n", "{\"nb_res\": 4, \"jobs\": [], \"profiles\": {}}",
                           "[{\"jobid\": \"a\", \"attempts\": []}]", "what is this\n", "[]", "{}"})
    CHECK(refused(read) == "no error");
  CHECK(refused(kOld) == "no error");
}

}  // namespace sacct_json_test
