#include "machine/machine_spec.h"

#include "catch.h"
#include "core/error.h"
#include "machine/request_spec.h"

namespace machine_spec_test {

using namespace coslice;
using Catch::Contains;

namespace {

Place at(int line) { return {std::make_shared<Source>(Source{"m.toml", ""}), line}; }

/// Kinds "thin" (8 nodes of 2 x 4 cores, 32 GiB) and "gpu" (2 nodes of 16 cores, 4 GPUs of type A100, feature ib).
LayoutSpec two_kinds() {
  LayoutSpec spec;
  NodeKindSpec thin;
  thin.name = "thin", thin.names = "n[01-08]", thin.processors = 2, thin.cores = 4, thin.memory_mib = 32768;
  thin.place = at(3);
  NodeKindSpec gpu;
  gpu.name = "gpu", gpu.count = 2, gpu.cores = 16, gpu.memory_mib = 65536, gpu.gpus = 4, gpu.gpu_type = "A100";
  gpu.features = {"ib"}, gpu.place = at(9);
  spec.kinds = {thin, gpu};
  return spec;
}

PartitionSpec partition(const std::string& name, std::vector<std::string> nodes) {
  PartitionSpec p;
  p.name = name, p.nodes = std::move(nodes), p.place = at(20);
  return p;
}

Request request(const RequestSpec& spec, const LayoutSpec& machine = two_kinds()) {
  return make_request(spec, 1, 2, *make_layout(machine));
}

}  // namespace

TEST_CASE("switches have nodes by name or by number", "[resources]") {
  LayoutSpec spec = two_kinds();
  spec.switches = {{"g", {"gpu", "n08"}, 0, at(40)}, {"s[1-2]", {}, 3, at(43)}};
  const auto layout = make_layout(spec);
  REQUIRE(layout->switches.size() == 3);
  CHECK(layout->switches[2].name == "s2");
  CHECK(layout->switch_of_nodes() == std::vector<std::int32_t>{1, 1, 1, 2, 2, 2, 3, 0, 0, 0});
  CHECK(make_layout(two_kinds())->switch_of_nodes().empty());
  const auto fails = [&](const std::vector<SwitchSpec>& switches, const std::string& words) {
    spec.switches = switches;
    CHECK_THROWS_WITH(make_layout(spec), Contains(words));
  };
  fails({{"a", {"n01"}, 0, at(40)}, {"b", {"n[01-02]"}, 0, at(43)}}, "node 'n01' is at two switches");
  fails({{"a", {"n01"}, 0, at(40)}, {"a", {"n02"}, 0, at(43)}}, "two switches are called 'a'");
  fails({{"s[1-2]", {"n01"}, 0, at(40)}}, "the switches 's[1-2]' have the same nodes");
  fails({{"s[1-3]", {}, 4, at(40)}}, "switch 's3' is to have 4 nodes, and 2 are left");
  fails({{"a", {}, 0, at(40)}}, "switch 'a' has no nodes");
  fails({{"a", {"n01"}, 2, at(40)}}, "switch 'a' has both nodes and a count");
  fails({{"a", {"m1"}, 0, at(40)}}, "switch 'a' names 'm1'");
}

TEST_CASE("kinds and partitions make a layout", "[resources]") {
  LayoutSpec spec = two_kinds();
  spec.partitions = {partition("all", {}), partition("mixed", {"n[07-08]", "gpu"})};
  spec.licences = {{"matlab", 5, at(30)}};
  const auto layout = make_layout(spec);
  CHECK(layout->node_count() == 10);
  CHECK(layout->gpu_count() == 8);
  CHECK(layout->node_name(0) == "n01");
  CHECK(layout->node_name(9) == "gpu2");
  CHECK(layout->kind_of(7).name == "thin");
  CHECK(layout->kind_of(8).name == "gpu");
  CHECK(layout->partitions[0].nodes.count() == 10);
  CHECK(layout->partitions[1].nodes.ranges().str() == "6-9");
  CHECK(layout->partitions[0].by_default);
  CHECK_FALSE(layout->partitions[1].by_default);
  CHECK(layout->licences[0].count == 5);
}

TEST_CASE("what is wrong with a machine is said with its place", "[resources]") {
  LayoutSpec spec = two_kinds();
  const auto complaint = [&](const char* text) {
    CHECK_THROWS_WITH(make_layout(spec), Contains(text));
    spec = two_kinds();
  };
  spec.kinds[1].name = "thin";
  complaint("m.toml:9: two kinds are called 'thin'");
  spec.kinds[0].count = 9;
  complaint("m.toml:3: the kind 'thin' has 9 nodes and 8 names");
  spec.kinds[1].count = 0;
  complaint("the kind 'gpu' has no nodes");
  spec.kinds[1].names = "n[08-09]";
  complaint("two nodes are called 'n08'");
  spec.kinds[0].gpu_type = "T4";
  complaint("has a type of GPUs, but no GPUs");
  spec.kinds[1].count = 99'993;
  complaint("more than 100000 nodes");
  spec.partitions = {partition("p", {"n[08-09]"})};
  complaint("m.toml:20: partition 'p' names 'n09', which is neither a kind nor a node");
  spec.partitions = {partition("p", {}), partition("p", {})};
  complaint("two partitions are called 'p'");
  spec.licences = {{"a", 1, at(1)}, {"a", 2, at(2)}};
  complaint("two licences are called 'a'");
}

TEST_CASE("requests take names and amounts of the machine", "[resources]") {
  RequestSpec spec;
  spec.place = at(40);
  CHECK(request(spec).cores == 2 * kWholeCore);
  spec.cores = 0.5, spec.gpu_share = 0.25, spec.memory_per_gpu_mib = 1000, spec.gpu_types = {"A100"};
  spec.features = "ib";
  const Request r = request(spec);
  CHECK(r.cores == 500);
  CHECK(r.gpus == 1);
  CHECK(r.gpu_share == 250);
  CHECK(r.memory_mib == 1000);
  CHECK(r.gpu_types == std::vector<std::int32_t>{0});
  CHECK(r.features.size() == 1);
}

TEST_CASE("what is wrong with a request is said with its place", "[resources]") {
  RequestSpec spec;
  const auto complaint = [&](const char* text) {
    spec.place = at(40);
    CHECK_THROWS_WITH(request(spec), Contains("m.toml:40: ") && Contains(text));
    spec = RequestSpec{};
  };
  spec.gpu_share = 0.0005;
  complaint("request.gpu_share is 0.0005");
  spec.gpu_types = {"A100"};
  complaint("no GPU");
  spec.gpus = 1, spec.gpu_types = {"A10"};
  complaint("no GPUs of type 'A10'; expected one of A100; did you mean 'A100'?");
  spec.memory_mib = 1, spec.memory_per_core_mib = 1;
  complaint("in two ways");
  spec.memory_per_gpu_mib = 4;
  complaint("but no GPU");
  spec.partitions = {"night"};
  complaint("no partition 'night'");
  spec.licences = {{"matlab", 1}};
  complaint("no licence 'matlab'");
  spec.cores = 0.0001;
  complaint("request.cores is 0.0001");
}

}  // namespace machine_spec_test
