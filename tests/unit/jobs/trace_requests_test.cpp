#include "formats/trace_requests.h"

#include "catch.h"
#include "machine/machine_spec.h"

namespace trace_requests_test {

using namespace coslice;
using Catch::Contains;

namespace {

/// 10 nodes of 16 cores in partition "standard", 2 of 128 in "large"; together in "all".
std::shared_ptr<const MachineLayout> layout() {
  LayoutSpec spec;
  NodeKindSpec thin, fat;
  thin.name = "thin", thin.count = 10, thin.cores = 16, thin.memory_mib = 1024;
  fat.name = "fat", fat.count = 2, fat.cores = 128;
  spec.kinds = {thin, fat};
  PartitionSpec standard, large, all;
  standard.name = "standard", standard.nodes = {"thin"}, standard.default_time = whole_seconds(60);
  large.name = "large", large.nodes = {"fat"}, large.numbers = {7};
  all.name = "all";
  spec.partitions = {standard, large, all};
  return make_layout(spec);
}

Job job(std::int32_t size, std::int32_t partition) {
  Job j;
  j.size = size, j.partition = partition, j.runtime = j.limit = whole_seconds(30);
  return j;
}

}  // namespace

TEST_CASE("jobs of a trace ask for nodes of their partition", "[resources]") {
  const auto machine = layout();
  Workload w;
  w.header.lines = {"; MaxNodes: 12", "; Partition: 3  standard", "; Partition:  5 - all"};
  w.jobs = {job(33, 3), job(33, 7), job(33, 5), job(1, 99)};
  w.jobs[0].requested_memory_kb = 1000;
  const TraceRequestCounts counts = request_by_trace(w, *machine, {});
  CHECK(counts.unknown_partition == 1);
  CHECK(counts.too_large == 0);
  const auto request = [&](std::size_t i) { return w.requests[w.jobs[i].request]; };
  CHECK(request(0).nodes == 3);
  CHECK(request(0).cores == 11 * kWholeCore);
  CHECK(request(0).memory_mib == 11);  // 11 processes with 1000 KB each, rounded up
  CHECK(request(0).partitions == std::vector<std::int32_t>{0});
  CHECK(request(0).exclusive);
  CHECK(request(1).nodes == 1);
  CHECK(request(1).partitions == std::vector<std::int32_t>{1});
  CHECK(request(2).nodes == 3);  // the smallest nodes of "all" have 16 cores
  CHECK(request(3).partitions.empty());
}

TEST_CASE("jobs of a trace have as many processes on a node as the run says", "[resources]") {
  const auto machine = layout();
  Workload w;
  w.header.lines = {"; Partition: 3  standard"};
  w.jobs = {job(13, 3), job(3, 3)};
  request_by_trace(w, *machine, {Exclusive::kNo, 2});
  CHECK(w.requests[w.jobs[0].request].nodes == 7);
  CHECK(w.requests[w.jobs[0].request].cores == 2 * kWholeCore);
  CHECK(w.requests[w.jobs[1].request].nodes == 2);
  Workload wide;  // no more than a node has cores
  wide.header.lines = w.header.lines;
  wide.jobs = {job(17, 3)};
  request_by_trace(wide, *machine, {Exclusive::kNo, 100});
  CHECK(wide.requests[wide.jobs[0].request].nodes == 2);
}

TEST_CASE("jobs of a trace that can never run are left out, and limits come from partitions", "[resources]") {
  const auto machine = layout();
  Workload w;
  w.header.lines = {"; Partition: 3  standard"};
  w.jobs = {job(161, 3), job(160, 3), job(1, 3), job(1, 7)};
  w.jobs[2].limit_given = w.jobs[3].limit_given = false;
  const TraceRequestCounts counts = request_by_trace(w, *machine, {Exclusive::kNo});
  CHECK(counts.too_large == 1);
  CHECK_THAT(counts.first_reason, Contains("11 nodes"));
  REQUIRE(w.jobs.size() == 3);
  CHECK(counts.partition_limits == 1);
  CHECK(w.jobs[1].limit == whole_seconds(60));
  CHECK(w.jobs[2].limit == whole_seconds(30));
  CHECK_FALSE(w.requests[w.jobs[0].request].exclusive);
}

}  // namespace trace_requests_test
