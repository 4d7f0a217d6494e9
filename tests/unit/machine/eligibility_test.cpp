#include "machine/eligibility.h"

#include "catch.h"
#include "machine/machine_spec.h"

namespace eligibility_test {

using namespace coslice;

namespace {

/// 4 nodes of 8 cores, 1000 MiB and feature "ib"; 2 of 16 cores with 2 GPUs, and feature "old". Partition "short" is
/// the first ones, for up to 60 s, 2 nodes and user 5.
std::shared_ptr<const MachineLayout> layout() {
  LayoutSpec spec;
  NodeKindSpec thin, gpu;
  thin.name = "thin", thin.count = 4, thin.cores = 8, thin.memory_mib = 1000, thin.features = {"ib"};
  gpu.name = "gpu", gpu.count = 2, gpu.cores = 16, gpu.gpus = 2, gpu.gpu_type = "A100", gpu.features = {"old"};
  spec.kinds = {thin, gpu};
  PartitionSpec all, brief;
  all.name = "all";
  brief.name = "short", brief.nodes = {"thin"}, brief.max_time = whole_seconds(60), brief.max_nodes = 2,
  brief.users = {5};
  spec.partitions = {all, brief};
  spec.licences = {{"mesher", 1, {}}};
  return make_layout(spec);
}

Request cores(std::int32_t nodes, std::int32_t n) {
  Request r;
  r.nodes = nodes, r.cores = n * kWholeCore;
  return r;
}

std::string reason(const Request& r, Applicant who = {whole_seconds(10), 5}) { return why_never(*layout(), r, who); }

}  // namespace

TEST_CASE("the first reason why a request can never be satisfied is said", "[resources]") {
  CHECK(reason(cores(2, 16)).empty());
  CHECK(reason(cores(7, 1)) == "asks for 7 nodes, but the machine has 6");
  CHECK(reason(cores(1, 17)) == "asks for 17 cores on a node, but no node has that");
  CHECK(reason(cores(3, 16)) == "asks for 3 nodes with 16 cores on a node, but 2 have that");
  Request r = cores(1, 1);
  r.gpus = 3;
  CHECK(reason(r) == "asks for 3 GPUs on a node, but no node has that");
  r = cores(1, 1);
  r.gpus = 1, r.features = parse_features("ib & !old", layout()->features, {});
  CHECK(reason(r) == "asks for 1 core on a node and 1 GPU on a node and features ib&!old, but no node has that");
  r = cores(1, 1);
  r.licences = {{0, 2}};
  CHECK(reason(r) == "asks for 2 licences \"mesher\", but there are 1");
}

TEST_CASE("partitions admit by time, nodes and user", "[resources]") {
  Request r = cores(2, 8);
  r.partitions = {1};
  CHECK(reason(r).empty());
  CHECK(reason(r, {whole_seconds(61), 5}) == "its limit of 61 s is above the 60 s of partition \"short\"");
  CHECK(reason(r, {whole_seconds(1), 6}) == "partition \"short\" is not for its user");
  CHECK(reason(r, {whole_seconds(1), -1}) == "partition \"short\" is not for its user");
  r.nodes = 3;
  CHECK(reason(r) == "asks for 3 nodes, but a job of partition \"short\" may have 2 nodes");
  r = cores(1, 16);
  r.partitions = {1};
  CHECK(reason(r) == "asks for 1 node, but partition \"short\" has 0 that have what it needs");
  r.partitions = {1, 0};  // the second one has room
  const std::vector<Option> options = options_of(*layout(), r, {whole_seconds(1), 5});
  REQUIRE(options.size() == 1);
  CHECK(options[0].partition == 0);
  CHECK(options[0].nodes.ranges().str() == "4-5");
}

}  // namespace eligibility_test
