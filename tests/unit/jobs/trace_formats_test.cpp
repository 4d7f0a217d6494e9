// Logs of others that say which GPUs jobs had: Philly, Helios and ElastiSim.
#include "catch.h"

#include "formats/sacct.h"
#include "formats/trace_format.h"
#include "jobs/attributes.h"
#include "message_of.h"
#include "scratch_folder.h"

namespace trace_formats_test {

using namespace coslice;
using Catch::Contains;

namespace {

const char* const kPhilly = R"([
 {"status": "Pass", "vc": "north", "jobid": "application_1_7", "user": "u1", "submitted_time": "2017-10-07 01:00:00",
  "attempts": [
   {"start_time": "2017-10-07 01:00:30", "end_time": "2017-10-07 01:01:30", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]},
   {"start_time": "2017-10-07 01:02:00", "end_time": "2017-10-07 01:12:00",
    "detail": [{"ip": "m2", "gpus": ["gpu0", "gpu1"]}, {"ip": "m3", "gpus": ["gpu4", "gpu5"]}]}]},
 {"status": "Killed", "vc": "south", "jobid": "application_1_3", "user": "u2", "submitted_time": "2017-10-07 00:59:00",
  "attempts": [{"start_time": "2017-10-07 00:59:00", "end_time": "2017-10-07 00:59:00",
    "detail": [{"ip": "m1", "gpus": ["gpu3"]}]}]},
 {"status": "Failed", "vc": "south", "jobid": "application_1_8", "user": "u2", "submitted_time": "2017-10-07 02:00:00",
  "attempts": []},
 {"status": "Failed", "vc": "south", "jobid": "application_1_9", "user": "u2", "submitted_time": "2017-10-07 02:00:00",
  "attempts": [{"start_time": "2017-10-07 02:10:00", "end_time": null, "detail": [{"ip": "m1", "gpus": ["gpu3"]}]}]}
]
)";

const std::string kHeliosHead =
    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n";
const std::string kHeliosJob =
    "12,ua,vcx,8,32,2,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:42:01,2020-06-09 19:42:01,3600,60\n";

RecordedRequest request_of(const RecordedWorkload& r, std::size_t job) {
  return r.requests.at(static_cast<std::size_t>(r.workload.jobs.at(job).request));
}

}  // namespace

TEST_CASE("Philly: a job has the GPUs of its last attempt, and runs as long as all of them", "[formats]") {
  const RecordedWorkload r = parse_philly(kPhilly, "log.json");
  REQUIRE(r.workload.jobs.size() == 2);
  CHECK(r.workload.records == 4);
  CHECK(r.site_ids == std::vector<std::string>{"application_1_3", "application_1_7"});
  const Job& killed = r.workload.jobs[0];
  CHECK(killed.submit == Time{});
  CHECK(killed.runtime == whole_seconds(1));
  CHECK(killed.status == 5);
  const Job& passed = r.workload.jobs[1];
  CHECK(passed.submit == Time{} + whole_seconds(60));
  CHECK(passed.runtime == whole_seconds(660));
  CHECK_FALSE(passed.limit_given);
  CHECK(passed.size == 4);
  CHECK(r.waits == std::vector<Duration>{Duration{0}, whole_seconds(30)});
  CHECK(request_of(r, 1).gpus == 4);
  CHECK(request_of(r, 1).nodes == 2);
  CHECK(request_of(r, 1).partition == "north");
  CHECK(r.workload.header.unix_start_time == 1507337940);
  REQUIRE(r.workload.notes.size() == 2);
  CHECK_THAT(r.workload.notes[0].reason, Contains("the last one has not ended"));
  CHECK(r.workload.notes[0].count == 2);
  CHECK(r.workload.notes[0].first_line == 10);
}

TEST_CASE("Philly: what is wrong is said with its line", "[formats]") {
  const auto of = [](const std::string& text) { return message_of([&] { parse_philly(text, "log.json"); }); };
  CHECK(of("[\n {]\n") == "log.json:2: this is not JSON; expected a job log of Philly");
  CHECK(of("{}") == "log.json: this is not a list; expected a job log of Philly");
  CHECK(of("[\n\n 3]") == "log.json:3: an item of the list of jobs is not an object; expected a job log of Philly");
  CHECK(of("[\n{\"jobid\": \"a\"}]") ==
        "log.json:2: job 1 (a) has no submitted_time; expected a time like 2017-10-07 01:11:39");
  CHECK(of("[\n{\"jobid\": \"a\", \"submitted_time\": \"today\"}]") ==
        "log.json:2: submitted_time of job 1 (a) is 'today'; expected a time like 2017-10-07 01:11:39");
  CHECK(of("[{\"jobid\": \"a\", \"submitted_time\": \"2017-10-07 01:11:39\"}]") ==
        "log.json:1: job 1 (a) has no attempts; expected a list, which may be empty");
  CHECK(of("[{\"jobid\": \"a\", \"submitted_time\": \"2017-10-07 01:11:39\", \"attempts\": [], \"status\": \"x\"}]") ==
        "log.json:1: status of job 1 (a) is 'x'; expected Pass, Failed or Killed");
  CHECK_THAT(of("[]"), Contains("log.json: no job of the log has run"));
}

TEST_CASE("Helios: GPUs, processors and nodes are columns", "[formats]") {
  const RecordedWorkload r =
      parse_helios(kHeliosHead + kHeliosJob +
                       "13,ub,vcx,0,4,1,CANCELLED,2020-06-09 18:41:00,None,None,,\n"
                       "14,ub,vcy,0,4,1,TIMEOUT,2020-06-09 18:41:00,2020-06-09 18:41:00,2020-06-09 18:41:10,10,0\n",
                   "cluster_log.csv");
  REQUIRE(r.workload.jobs.size() == 2);
  CHECK(r.workload.jobs[0].id == 14);
  CHECK(r.workload.jobs[0].status == 0);
  CHECK(r.workload.jobs[1].id == 12);
  CHECK(r.workload.jobs[1].submit == Time{} + whole_seconds(1));
  CHECK(r.workload.jobs[1].runtime == whole_seconds(3600));
  CHECK(r.workload.jobs[1].size == 32);
  CHECK(r.wait(1) == whole_seconds(60));
  CHECK(request_of(r, 1).gpus == 8);
  CHECK(request_of(r, 1).cpus == 32);
  CHECK(request_of(r, 1).nodes == 2);
  CHECK(request_of(r, 0).gpus == 0);
  REQUIRE(r.workload.notes.size() == 1);
  CHECK(r.workload.notes[0].reason == "never started");
  CHECK(r.workload.notes[0].first_line == 3);
}

TEST_CASE("Helios: what is wrong is said with its line", "[formats]") {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string row = kHeliosJob;
    row.replace(row.find(from), from.size(), to);
    return message_of([&] { parse_helios(kHeliosHead + row, "h.csv"); });
  };
  CHECK(with(",8,32", ",many,32") == "h.csv:2: gpu_num is 'many'; expected a whole number from 0 to 2147483647");
  CHECK(with("COMPLETED", "HAPPY") == "h.csv:2: state is 'HAPPY'; expected a state of Slurm, e.g. COMPLETED");
  CHECK(with("2020-06-09 18:41:01", "noon") ==
        "h.csv:2: submit_time is 'noon'; expected a time like 2020-06-09 18:41:01");
  CHECK_THAT(message_of([] { parse_helios("job_id,user,vc,gpu_nums,cpu_num,submit_time\n", "h.csv"); }),
             Contains("h.csv:1: there is no column 'gpu_num'") && Contains("did you mean 'gpu_nums'?"));
  for (const auto& [from, to] : {std::pair{"gpu_num", "gpu_nmu"}, {"submit_time", "submt_time"}}) {
    std::string text = kHeliosHead + std::string(kHeliosJob);
    text.replace(text.find(from), std::string(from).size(), to);
    CHECK(trace_format(text) == TraceFormat::kHelios);
    CHECK(message_of([&] { parse_helios(text, "h.csv"); }) ==
          std::string("h.csv:1: there is no column '") + from + "'; did you mean '" + to + "'?");
  }
  CHECK(trace_format("job_id,submission_time,requested_number_of_resources,starting_time,final_state\n") ==
        TraceFormat::kSwf);
}

TEST_CASE("traces may begin with a byte order mark", "[formats]") {
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(trace_format(mark + "[\n{\"status\": \"Pass\"}]") == TraceFormat::kPhilly);
  CHECK(trace_format(mark + "{\"jobs\": []}") == TraceFormat::kBatsim);
  CHECK(trace_format(mark + kHeliosHead) == TraceFormat::kHelios);
  const std::string job =
      R"([{"status": "Pass", "vc": "v", "jobid": "a", "user": "u", "submitted_time": "2017-10-07 01:00:00",
    "attempts": [{"start_time": "2017-10-07 01:10:00", "end_time": "2017-10-07 02:10:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]}])";
  CHECK(parse_trace(mark + job, "p.json", trace_format(mark + job)).workload.jobs.size() == 1);
}

TEST_CASE("ElastiSim: run times come from the application model", "[formats]") {
  const ScratchFolder folder;
  folder.write("model.json", R"({"on_init": [{"type": "idle", "delay": 2}],
    "phases": [{"iterations": "steps", "tasks": [{"type": "busy_wait", "delay": "work / num_nodes^2"},
      {"type": "sequence", "iterations": 3, "tasks": [{"type": "idle", "delay": 1}]}]}]})");
  folder.write("other.json", R"({"phases": [{"tasks": [{"type": "cpu", "flops": 1e9}]}]})");
  const std::string file = folder.write("jobs.json", R"({"jobs": [
    {"type": "rigid", "submit_time": 5, "num_nodes": 2, "num_gpus_per_node": 4, "walltime": 100,
     "application_model": "/data/input/model.json", "arguments": {"steps": 10, "work": 16, "name": "x"}},
    {"type": "malleable", "submit_time": 6, "num_nodes_min": 1, "num_nodes_max": 4,
     "application_model": "model.json", "arguments": {"steps": 1, "work": 16}},
    {"type": "rigid", "submit_time": 7, "num_nodes": 2, "application_model": "other.json"}]})");
  const RecordedWorkload r = read_trace(file);
  REQUIRE(r.workload.jobs.size() == 2);
  CHECK(r.workload.jobs[0].id == 0);
  CHECK(r.workload.jobs[0].submit == Time{} + whole_seconds(5));
  CHECK(r.workload.jobs[0].runtime == whole_seconds(2 + 10 * (4 + 3)));
  CHECK(r.workload.jobs[0].limit == whole_seconds(100));
  CHECK(request_of(r, 0).gpus == 8);
  CHECK(request_of(r, 0).exclusive == true);
  const RecordedWorkload again = parse_sacct(sacct_text(r), "dump.sacct", SlurmSize::kNodes);
  CHECK(request_of(again, 0).gpus == 8);
  CHECK(request_of(again, 0).exclusive == true);
  CHECK(request_of(again, 1).gpus == 0);
  CHECK(r.workload.jobs[1].size == 1);
  CHECK(find_attribute("sizes")->text(r.workload.jobs[1]) == "1:21,2:9,3:6.777777778,4:6");
  REQUIRE(r.workload.notes.size() == 2);
  CHECK_THAT(r.workload.notes[0].reason, Contains("malleable"));
  CHECK_THAT(r.workload.notes[1].reason, Contains("depends on the platform"));
  CHECK(r.workload.notes[1].dropped);
}

TEST_CASE("ElastiSim: what is wrong is said with its line", "[formats]") {
  const ScratchFolder folder;
  folder.write("model.json", R"({"phases": [{"tasks": [{"type": "busy_wait", "delay": "work * 2"}]}]})");
  const std::string root = folder / "";
  const auto of = [&](const std::string& jobs) {
    const std::string file = folder.write("jobs.json", "{\"jobs\": [\n" + jobs + "]}");
    std::string message = message_of([&] { read_trace(file); });
    for (std::size_t at = 0; (at = message.find(root)) != std::string::npos;) message.erase(at, root.size());
    return message;
  };
  const std::string job =
      "{\"submit_time\": 0, \"type\": \"rigid\", \"num_nodes\": 1, \"application_model\": \"model.json\"";
  CHECK(of(job + "}") == "model.json: 'work' in 'work * 2' has no value; expected the name of an argument of the job");
  CHECK_THAT(of("{\"submit_time\": 0, \"type\": \"elastic\"}"),
             Contains("jobs.json:2: type of job 0 is 'elastic'; expected rigid, moldable or malleable"));
  CHECK_THAT(of("{\"submit_time\": 0, \"type\": \"rigid\"}"),
             Contains("jobs.json:2: job 0 has no num_nodes; expected a whole number from 1 on"));
  CHECK_THAT(of("{\"submit_time\": 0, \"type\": \"rigid\", \"num_nodes\": 1, \"application_model\": \"gone.json\"}"),
             Contains("jobs.json:2: the application_model of job 0 is 'gone.json', which is not there"));
}

TEST_CASE("formats are told by their first bytes", "[formats]") {
  CHECK(trace_format(kPhilly) == TraceFormat::kPhilly);
  CHECK(trace_format("[]") == TraceFormat::kPhilly);
  CHECK(trace_format(kHeliosHead) == TraceFormat::kHelios);
  CHECK(trace_format("{\"jobs\": [{\"submit_time\": 1}]}") == TraceFormat::kElastisim);
  CHECK(trace_format("{\"nb_res\": 4, \"jobs\": [{\"subtime\": 1}]}") == TraceFormat::kBatsim);
  CHECK(trace_format("JobID|User\n") == TraceFormat::kSacct);
  CHECK(trace_format("[machine]\nnodes = 4\n") == TraceFormat::kSwf);
  CHECK(trace_format("[[machine.nodes]]\n") == TraceFormat::kSwf);
  CHECK(trace_format("job,submit\n") == TraceFormat::kSwf);
  CHECK(trace_format("") == TraceFormat::kSwf);
}

TEST_CASE("arithmetic in files of others", "[formats]") {
  const std::map<std::string, double> names = {{"n", 4}, {"base_2", 3}};
  const auto value = [&](const char* text) { return arithmetic_value(text, names); };
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("(1+2)*3/2 - 1") == 3.5);
  CHECK(value("2^3^2") == 512);
  CHECK(value("-n^2 + 1e1") == -6);
  CHECK(value("base_2 / n") == 0.75);
  for (const char* bad : {"", "1 +", "(1", "1 2", "2 ** 3", "sin(1)"})
    CHECK_THAT(message_of([&] { value(bad); }),
               Contains("cannot be read") || Contains("'sin' in 'sin(1)' has no value"));
  CHECK_THAT(message_of([&] { arithmetic_value(std::string(100'000, '('), names); }), Contains("cannot be read"));
}

}  // namespace trace_formats_test
