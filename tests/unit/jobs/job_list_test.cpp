// Lists of jobs of coslice's own: CSV and JSON.
#include "catch.h"

#include "formats/trace_format.h"
#include "jobs/attributes.h"
#include "message_of.h"
#include "scratch_folder.h"

namespace job_list_test {

using namespace coslice;
using Catch::Contains;

namespace {

const std::string kTable = "submit,nodes,processes,runtime,limit,user,partition,sizes,elastic,note\n"
                           "20,4,,60.5,100,anna,big,,,x\n"
                           "0,8,,100,,ben,,2-8 amdahl 0.95,\"at 0.25,0.5 cost 3\",\n"
                           "30,,6,10,,7,,,,\n";

RecordedWorkload read_text(const ScratchFolder& folder, const std::string& text) {
  return read_trace(folder.write("jobs.csv", text));
}

RecordedRequest request_of(const RecordedWorkload& r, std::size_t job) {
  return r.requests.at(static_cast<std::size_t>(r.workload.jobs.at(job).request));
}

}  // namespace

TEST_CASE("lists of jobs: a table says what attributes say", "[formats]") {
  const ScratchFolder folder;
  const RecordedWorkload r = read_text(folder, kTable);
  const std::vector<Job>& jobs = r.workload.jobs;
  REQUIRE(jobs.size() == 3);
  CHECK(r.workload.name == "jobs.csv");
  CHECK(jobs[0].id == 2);  // in order of submission, numbered as they stand
  CHECK(jobs[0].limit == whole_seconds(100));
  CHECK_FALSE(jobs[0].limit_given);
  CHECK(attributes::kSizes.text(jobs[0]) == "2-8 amdahl 0.95");
  CHECK(attributes::kElastic.text(jobs[0]) == "at 0.25,0.5 cost 3");
  CHECK(jobs[1].id == 1);
  CHECK(jobs[1].submit == Time{} + whole_seconds(20));
  CHECK(jobs[1].runtime == from_seconds(60.5));
  CHECK(jobs[1].limit == whole_seconds(100));
  CHECK(jobs[2].size == 6);
  CHECK(request_of(r, 0).nodes == 8);
  CHECK(request_of(r, 0).exclusive == true);
  CHECK(request_of(r, 1).partition == "big");
  CHECK(request_of(r, 2).nodes == 0);
  CHECK_FALSE(request_of(r, 2).exclusive.has_value());
  CHECK(jobs[2].user == 7);
  CHECK(jobs[1].user != jobs[0].user);
  REQUIRE(r.workload.warnings.size() == 1);
  CHECK_THAT(r.workload.warnings[0], Contains("columns that jobs do not have are left out: note"));
}

TEST_CASE("lists of jobs: JSON says the same", "[formats]") {
  const ScratchFolder folder;
  const RecordedWorkload table = read_text(folder, "submit,nodes,runtime,elastic,sizes\n5,2,7.25,any,\"1:9,2:7.25\"\n");
  const std::string json =
      "[\n  {\"submit\": 5, \"nodes\": 2, \"runtime\": 7.25, \"elastic\": \"any\", \"sizes\": \"1:9,2:7.25\",\n"
      "   \"user\": null}\n]";
  CHECK(trace_format(json) == TraceFormat::kJobList);
  const RecordedWorkload list = read_text(folder, json);
  REQUIRE(list.workload.jobs.size() == 1);
  CHECK(list.workload.jobs[0].submit == table.workload.jobs[0].submit);
  CHECK(list.workload.jobs[0].runtime == table.workload.jobs[0].runtime);
  CHECK(request_of(list, 0).nodes == 2);
  CHECK(attributes::kElastic.text(list.workload.jobs[0]) == "any");
}

TEST_CASE("lists of jobs: whole nodes of several cores are as many processes", "[formats]") {
  const ScratchFolder folder;
  RecordedWorkload r = read_text(folder, "nodes,runtime\n4,10\n");
  MachineSpec machine;
  machine.nodes = 8;
  machine.cores = 4;
  resolve_recorded_requests(r.requests, r.workload, machine, {});
  CHECK(r.workload.jobs[0].size == 16);
  RecordedWorkload two = read_text(folder, "nodes,runtime\n4,10\n");
  TraceNodes nodes;
  nodes.processes_per_node = 2;
  resolve_recorded_requests(two.requests, two.workload, machine, nodes);
  CHECK(two.workload.jobs[0].size == 8);
}

TEST_CASE("lists of jobs: what is wrong is said with its line", "[formats]") {
  const ScratchFolder folder;
  const auto of = [&](const std::string& text) {
    std::string message = message_of([&] { read_text(folder, text); });
    const std::string root = folder / "";
    for (std::size_t at = 0; (at = message.find(root)) != std::string::npos;) message.erase(at, root.size());
    return message;
  };
  CHECK_THAT(of("nodes,runtime\n4,10\n4,soon\n"), Contains("jobs.csv:3: job 2: runtime is \"soon\""));
  CHECK_THAT(of("nodes,runtime\n4,\n"), Contains("jobs.csv:2: job 1 has no runtime"));
  CHECK_THAT(of("nodes,processes,runtime\n4,4,10\n"), Contains("jobs.csv:2: job 1 has both nodes and processes"));
  CHECK_THAT(of("nodes,runtime,sumbit\n4,10,3\n"), Contains("jobs.csv:2: jobs have no column 'sumbit'"));
  CHECK_THAT(of("nodes,runtime,sumbit\n4,10,3\n"), Contains("'submit'"));
  CHECK_THAT(of("nodes,runtime,sizes,elastic\n4,10,2-4 amdahl 1,any\n4,10,2-4 amdahl 1,sometimes\n"),
             Contains("jobs.csv:3: job 2 has wrong elastic = \"sometimes\""));
  CHECK_THAT(of("nodes,runtime,elastic\n4,10,any\n"), Contains("jobs.csv:2: job 1 is elastic and says no sizes"));
  CHECK_THAT(of("nodes,runtime,sizes\n4,10,\n4,10,\"2:30,2\"\n"),
             Contains("jobs.csv:3: job 2 has wrong sizes = \"2:30,2\""));
  CHECK_THAT(of("id,nodes,runtime\n3,4,10\n3,1,1\n"), Contains("jobs.csv:3: job 3 has the id of an earlier job"));
  CHECK_THAT(of("nodes,runtime\n"), Contains("there is no job in it"));
  CHECK_THAT(of("[{\"nodes\": 4, \"runtime\": 10},\n {\"nodes\": [1], \"runtime\": 1}]"),
             Contains("jobs.csv:2: 'nodes' of a job is a list"));
}

}  // namespace job_list_test
