#include "catch.h"

#include "formats/openb.h"

#include <algorithm>

#include "formats/trace_file.h"
#include "message_of.h"
#include "scratch_folder.h"

namespace openb_test {

using namespace coslice;
using Catch::Contains;

namespace {

/// A list in a folder of its own.
class File {
 public:
  explicit File(const std::string& text) : path_(folder_.write("list.csv", text)) {}
  const std::string& path() const { return path_; }

 private:
  ScratchFolder folder_;
  std::string path_;
};

const char* const kNodes =
    "sn,cpu_milli,memory_mib,gpu,model\nn0,8000,100,2,A\nn1,4000,100,0,\nn2,8000,100,2,A\nn3,8000,200,2,B\n";
const char* const kPods =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,creation_time,deletion_time,scheduled_time\n"
    "p0,1500,10,1,250,A|B,5,100,20\np1,2000,20,0,0,,7,9,7\np2,8000,30,2,1000,,1,,\n";

}  // namespace

TEST_CASE("a list of nodes becomes kinds, and rows keep their nodes") {
  const File file(kNodes);
  const ListedNodes nodes = read_node_list(file.path());
  REQUIRE(nodes.layout.kinds.size() == 3);
  CHECK(nodes.layout.node_count() == 4);
  CHECK(nodes.layout.gpu_count() == 6);
  CHECK(nodes.node_of_row == std::vector<NodeId>{0, 2, 1, 3});
  CHECK(nodes.layout.node_name(1) == "n2");
  CHECK(nodes.layout.kinds[2].name == "2xB");
  CHECK(nodes.layout.kinds[1].gpu_type == -1);
}

TEST_CASE("pods become jobs that ask for parts of a node") {
  const File nodes_file(kNodes);
  const MachineLayout layout = read_node_list(nodes_file.path()).layout;
  const File file(kPods);
  CHECK(is_pod_list(file.path()));
  const std::vector<Pod> pods = read_pod_list(file.path());
  REQUIRE(pods.size() == 3);
  const Workload recorded = pod_workload(pods, {0, 1, 2}, PodTimes::kRecorded, layout, file.path());
  REQUIRE(recorded.jobs.size() == 2);  // p2 has no end
  CHECK(recorded.notes[0].count == 1);
  CHECK(recorded.notes[0].first_line == 4);
  CHECK(recorded.jobs[0].submit == Time{} + whole_seconds(5));
  CHECK(recorded.jobs[0].runtime == whole_seconds(80));
  const Request& r = recorded.requests[recorded.jobs[0].request];
  CHECK(r.cores == 1500);
  CHECK(r.memory_mib == 10);
  CHECK(r.gpu_share == 250);
  CHECK(r.gpu_types == std::vector<std::int32_t>{0, 1});
  const Workload by_one = pod_workload(pods, {2, 2, 0}, PodTimes::kOneByOne, layout, file.path());
  REQUIRE(by_one.jobs.size() == 3);
  CHECK(by_one.jobs[1].submit == Time{} + whole_seconds(2));
  CHECK(by_one.jobs[1].executable == 3);
  CHECK(by_one.requests.size() == 2);
}

TEST_CASE("what is wrong in lists is told with file and line") {
  const auto nodes = [](const std::string& text) {
    const File file(text);
    return message_of([&] { read_node_list(file.path()); });
  };
  CHECK_THAT(nodes("sn,cpu_milli,memory_mb,gpu,model\n"),
             Contains("csv:1: there is no column 'memory_mib'; did you mean 'memory_mb'?"));
  CHECK_THAT(nodes("sn,cpu_milli,memory_mib,gpu,model\nn,8000,1,2\n"), Contains("csv:2: 4 cells; expected 5"));
  CHECK_THAT(nodes("sn,cpu_milli,memory_mib,gpu,model\nn,8000,1,-1,A\n"),
             Contains("csv:2: gpu is '-1'; expected a whole number"));
  CHECK_THAT(nodes("sn,cpu_milli,memory_mib,gpu,model\nn,8000,1,2,\n"),
             Contains("csv:2: the node has GPUs, but no model"));
  CHECK_THAT(nodes("sn,cpu_milli,memory_mib,gpu,model\n"), Contains("lists no node"));
  CHECK_THAT(nodes(""), Contains("is empty"));
  const auto pods = [](const std::string& row) {
    const File file("name,cpu_milli,memory_mib,num_gpu,gpu_milli\n" + row);
    return message_of([&] { read_pod_list(file.path()); });
  };
  CHECK_THAT(pods("p,1000,1,1,1001\n"), Contains("csv:2: gpu_milli is '1001'"));
  CHECK_THAT(pods("p,1000,1,1,0\n"), Contains("csv:2: gpu_milli is '0'"));
  CHECK_THAT(pods("p,1000,1,2,500\n"), Contains("several GPUs are whole ones"));
  const File nodes_file(kNodes);
  const MachineLayout layout = read_node_list(nodes_file.path()).layout;
  Pod pod;
  pod.line = 7;
  pod.gpu_types = {"C"};
  CHECK_THAT(message_of([&] { pod_workload({pod}, {0}, PodTimes::kOneByOne, layout, "pods.csv"); }),
             Contains("pods.csv:7: no node of the machine has GPUs of type 'C'"));
  const File order("s1\n0\n3\n");
  CHECK_THAT(message_of([&] { read_row_order(order.path(), "s1", 3); }),
             Contains("csv:3: s1 is '3'; expected a whole number from 0 to 2"));
}

TEST_CASE("arrivals are drawn until the machine's GPUs are asked for as often as wanted") {
  const File nodes_file(kNodes);
  const MachineLayout layout = read_node_list(nodes_file.path()).layout;  // 6 GPUs
  std::vector<Pod> pods(20);
  for (std::size_t i = 0; i != pods.size(); ++i) {
    pods[i].request.gpus = i % 4 == 0 ? 0 : 1;
    pods[i].request.gpu_share = 100 * static_cast<GpuShare>(i % 4);
  }
  const auto demand = [&](const std::vector<std::size_t>& rows) {
    std::int64_t sum = 0;
    for (const std::size_t r : rows) sum += pods[r].request.gpus * pods[r].request.gpu_share;
    return sum;
  };
  const std::vector<std::size_t> as_listed = draw_arrivals(pods, layout, 0, 1);
  CHECK(as_listed.size() == 20);
  CHECK(demand(as_listed) == 3000);
  std::vector<std::size_t> sorted = as_listed;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted != as_listed);
  CHECK(sorted[19] == 19);
  const std::vector<std::size_t> more = draw_arrivals(pods, layout, 1.3, 1);  // 7,800
  CHECK(std::equal(as_listed.begin(), as_listed.end(), more.begin()));        // copies come behind the list
  CHECK((demand(more) > 7500 && demand(more) <= 7800));
  const std::vector<std::size_t> fewer = draw_arrivals(pods, layout, 0.25, 1);  // 1,500
  CHECK((demand(fewer) > 1200 && demand(fewer) <= 1500));
  CHECK(draw_arrivals(pods, layout, 1.3, 2) != more);
}

}  // namespace openb_test
