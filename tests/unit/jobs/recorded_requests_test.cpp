#include "formats/trace_requests.h"

#include "catch.h"
#include "formats/slurm_fields.h"
#include "jobs/attributes.h"
#include "jobs/job_sizes.h"
#include "jobs/workload.h"
#include "machine/block_placement.h"
#include "machine/machine_spec.h"

namespace recorded_requests_test {

using namespace coslice;

namespace {

/// 8 nodes of 8 cores with feature ib, 2 of 16 cores with 4 GPUs of type A100; partitions cpu and gpu; licence mesher.
std::shared_ptr<const MachineLayout> layout() {
  LayoutSpec spec;
  NodeKindSpec thin, fast;
  thin.name = "thin", thin.count = 8, thin.cores = 8, thin.features = {"ib", "old"};
  fast.name = "fast", fast.count = 2, fast.cores = 16, fast.gpus = 4, fast.gpu_type = "A100";
  spec.kinds = {thin, fast};
  PartitionSpec cpu, gpu;
  cpu.name = "cpu", cpu.nodes = {"thin"};
  gpu.name = "gpu", gpu.nodes = {"fast"};
  spec.partitions = {cpu, gpu};
  spec.licences = {{"mesher", 2, {}}};
  return make_layout(spec);
}

/// What a job with that record asks for.
Request resolved(const RecordedRequest& recorded, RecordedRequestCounts* counts = nullptr, TraceNodes nodes = {}) {
  Workload w;
  w.jobs.resize(1);
  w.jobs[0].id = 5;
  w.jobs[0].request = 0;
  const auto machine = layout();
  MachineSpec named;
  set_layout(named, machine);
  const RecordedRequestCounts found = resolve_recorded_requests({recorded}, w, named, nodes);
  if (counts != nullptr) *counts = found;
  return w.requests[w.jobs[0].request];
}

}  // namespace

TEST_CASE("Slurm: what a list of resources says", "[convert]") {
  const auto tres =
      slurm_tres("billing=4,cpu=4,energy=1234,gres/gpu:a100=2,gres/gpu=2,license/mesh@x=1,mem=16G,node=1");
  REQUIRE(tres);
  CHECK(tres->cpus == 4);
  CHECK(tres->nodes == 1);
  CHECK(tres->gpus == 2);
  CHECK(tres->gpu_types == std::vector<std::string>{"a100"});
  CHECK(tres->memory_kb == 16 << 20);
  CHECK(tres->licences == std::vector<std::pair<std::string, std::int64_t>>{{"mesh@x", 1}});
  CHECK(slurm_tres("gres/gpu:a=1,gres/gpu:b=2")->gpus == 3);
  CHECK(slurm_tres("")->cpus == 0);
  for (const char* wrong : {"cpu", "=4", "cpu=many", "node=-1", "gres/gpu=99999999999", "cpu="}) {
    INFO(wrong);
    CHECK_FALSE(slurm_tres(wrong));
  }
}

TEST_CASE("amounts on record are spread over nodes, and names are the machine's", "[resources]") {
  RecordedRequest had;
  had.nodes = 2, had.cpus = 9, had.memory_kb = 3 * 1024 + 1, had.gpus = 3, had.gpu_types = {"a100"},
  had.partition = "gpu";
  had.licences = {{"mesher", 2}}, had.allocated = true;
  const Request r = resolved(had);
  CHECK(r.nodes == 2);
  CHECK(r.cores == 5 * kWholeCore);
  CHECK(r.memory_mib == 2);
  CHECK(r.gpus == 2);
  CHECK(r.gpu_types == std::vector<std::int32_t>{0});
  CHECK(r.partitions == std::vector<std::int32_t>{1});
  CHECK(r.licences == std::vector<LicenceUse>{{0, 2}});
  CHECK_FALSE(r.exclusive);  // what it did not have of its nodes, others could have
}

TEST_CASE("jobs have what their commands say of nodes: a range, as sizes, and segments", "[resources]") {
  RecordedRequest three;
  three.nodes = 3, three.cpus = 12, three.allocated = true;
  std::vector<RecordedRequest> recorded{three, three, three, three};
  recorded[1].wish = {2, 4, 0};
  recorded[2].wish = {0, 0, 3};
  recorded[3].spread = RecordedSpread{1, 0, 3, 3};
  recorded[3].wish = {2, 4, 0};
  MachineSpec named;
  set_layout(named, layout());
  for (const bool spreads : {true, false}) {
    Workload w;
    w.jobs.resize(4);
    for (RequestId i = 0; i != 4; ++i) {
      Job& job = w.jobs[static_cast<std::size_t>(i)];
      job.id = i + 1, job.size = 12, job.request = i, job.runtime = job.limit = whole_seconds(60);
    }
    TraceNodes nodes;
    nodes.spread_tasks = spreads;
    resolve_recorded_requests(recorded, w, named, nodes);
    const auto asked = [&](std::size_t j) -> const Request& { return w.requests[w.jobs[j].request]; };
    CHECK(attributes::kSizes.text(w.jobs[0]).empty());
    CHECK(attributes::kSizes.text(w.jobs[1]) == (spreads ? "2-4" : ""));
    CHECK(asked(0).segment == 0);
    CHECK(asked(2).segment == 3);
    for (std::size_t j = 0; j != 4; ++j) CHECK(asked(j).nodes == 3);
    if (!spreads) continue;
    const std::vector<JobSize> sizes = sizes_of(w.jobs[1], 8, &asked(1));
    REQUIRE(sizes.size() == 3);  // its own first
    CHECK((sizes[0].nodes == 3 && sizes[1].nodes == 2 && sizes[2].nodes == 4));
    CHECK((sizes[0].processes == 12 && sizes[1].processes == 8 && sizes[2].processes == 16));
    CHECK(sizes[2].runtime == whole_seconds(60));
    // Tasks that are spread stay as many, and may have more nodes of the range where so many do not hold them.
    for (const JobSize& size : sizes_of(w.jobs[3], 8, &asked(3))) {
      CHECK(size.processes == 12);
      const Request r = request_of_size(size, 8, &asked(3));
      CHECK((r.nodes == size.nodes && r.spread.nodes == 4 && r.range_least == 2));
      CHECK(r.spread.cores == 12 * kWholeCore);
    }
  }
  CHECK(scaled_sizes("2-4", 2, 3) == "4-8");
}

TEST_CASE("what is not on record of nodes follows from the machine", "[resources]") {
  RecordedRequest asked;
  asked.cpus = 20, asked.features = "ib&!old|ib";
  const Request whole = resolved(asked);
  CHECK(whole.nodes == 3);
  CHECK(whole.cores == 7 * kWholeCore);
  CHECK(whole.exclusive);
  CHECK(whole.features.size() == 2);
  CHECK_FALSE(resolved(asked, nullptr, TraceNodes{Exclusive::kNo}).exclusive);
  asked.exclusive = false, asked.allocated = true;
  CHECK_FALSE(resolved(asked).exclusive);
  CHECK(resolved(asked, nullptr, TraceNodes{Exclusive::kAlways}).exclusive);
}

TEST_CASE("names that the machine does not have are left out and counted", "[resources]") {
  RecordedRequestCounts counts;
  RecordedRequest asked;
  asked.cpus = asked.nodes = 1, asked.features = "[rack1|rack2]";
  CHECK(resolved(asked, &counts).features.empty());
  CHECK(counts.unknown == 1);
  CHECK(counts.first_unknown == 5);
  CHECK(counts.what == "no kind of node has the feature 'rack1'");
  asked.features = "[ib|old]";
  CHECK(resolved(asked, &counts).features.size() == 2);
  CHECK(counts.unknown == 0);
  asked.cpus = asked.nodes = 2;
  CHECK(resolved(asked, &counts).features.size() == 2);
  CHECK_THAT(counts.what, Catch::Contains("'[ib|old]' asks for nodes that have the same feature"));
  asked.features = "(null)";
  CHECK(resolved(asked, &counts).features.empty());
  CHECK(counts.unknown == 0);
  asked.cpus = asked.nodes = 1;
  asked.features = "", asked.gpus = 1, asked.gpu_types = {"h100"}, asked.partition = "night";
  CHECK(resolved(asked, &counts).gpu_types.empty());
  CHECK(counts.what == "no kind of node has GPUs of type 'h100'");
  CHECK(counts.unknown_partition == 1);
  asked.gpus = 0, asked.licences = {{"matlab", 1}};
  CHECK(resolved(asked, &counts).licences.empty());
  CHECK(counts.what == "the machine has no licence 'matlab'");
}

TEST_CASE("on equal nodes jobs ask for their processes", "[resources]") {
  Workload w;
  w.jobs.resize(2);
  w.jobs[0].request = 0, w.jobs[1].request = 1;
  std::vector<RecordedRequest> recorded(2);
  recorded[1].gpus = 1;
  CHECK(resolve_recorded_requests(recorded, w, MachineSpec{}, TraceNodes{}).gpus_lost == 1);
  CHECK(w.jobs[0].request == kNoRequest);
  CHECK(w.jobs[1].request == kNoRequest);
}

}  // namespace recorded_requests_test
