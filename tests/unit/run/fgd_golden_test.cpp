// The placements of the fragmentation study (Weng et al. 2023), pod for pod, where its data is there.
#include "catch.h"

#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "formats/openb.h"
#include "formats/trace_file.h"
#include "runner/runner.h"
#include "scenario/load.h"

namespace fgd_golden_test {

using namespace coslice;

namespace {

const std::string kData = COSLICE_SHARED "/gpu/fgd/";

class Places : public Observer {
 public:
  void placed(Time, JobIndex j, const Parts& parts, std::int32_t) override { of[j] = parts.front(); }
  std::map<JobIndex, NodePart> of;
};

std::string gpus_text(std::uint64_t gpus) {
  std::string text;
  for (int g = 0; g != 64; ++g)
    if ((gpus >> g & 1) != 0) text += fmt::format("{}{}", text.empty() ? "" : "-", g);
  return text;
}

/// The published name of a copy is that of its pod with a number behind it.
std::string pod_name(std::string_view name) { return std::string(name.substr(0, name.find("-tuned-"))); }

}  // namespace

TEST_CASE("pods go where the fragmentation study put them") {
  if (!std::filesystem::exists(kData + "golden")) {
    WARN("skipped: the data of the study is not there");
    return;
  }
  const std::map<std::string, std::string> policies = {{"fgd", "FGD"},
                                                       {"best_fit", "BestFit"},
                                                       {"dotprod", "DotProd"},
                                                       {"gpu_packing", "GpuPacking"},
                                                       {"gpu_clustering", "GpuClustering"}};
  const std::vector<Pod> pods = read_pod_list(kData + "pods/openb_pod_list_default.csv.gz");
  for (const auto& [policy, published] : policies) {
    INFO(policy);
    const Scenario scenario = load_scenario(
        COSLICE_SOURCE "/scenarios/papers/fgd/study.toml",
        {"machine.list=\"" + kData + "nodes.csv\"", "machine.order=\"" + kData + "order/node_rank_default.csv.gz\"",
         "machine.order_column=\"s42\"", "workload.trace=\"" + kData + "pods/openb_pod_list_default.csv.gz\"",
         "workload.pods.order=\"" + kData + "order/pod_order_default.csv.gz\"", "workload.pods.order_column=\"s42\"",
         "policy.name=\"" + policy + "\""});
    const Runner runner(scenario);
    Places places;
    RunCallbacks callbacks;
    callbacks.observers = {&places};
    runner.run(0, callbacks);
    const CsvTable golden(kData + "golden/placements_default_s42_" + published + ".csv.gz", "placements");
    const std::size_t pod = golden.column("pod"), node = golden.column("node"), gpus = golden.column("gpus");
    REQUIRE(golden.rows() == runner.workload().jobs.size());
    std::size_t different = 0;
    for (std::size_t row = 0; row != golden.rows(); ++row) {
      const auto j = static_cast<JobIndex>(row);
      REQUIRE(pod_name(golden.cell(row, pod)) ==
              pods[static_cast<std::size_t>(runner.workload().jobs[j].executable) - 1].name);
      const auto at = places.of.find(j);
      const bool placed = at != places.of.end();
      different += golden.cell(row, node) != (placed ? runner.machine().layout->node_name(at->second.node) : "") ||
                   golden.cell(row, gpus) != (placed ? gpus_text(at->second.gpus) : "");
    }
    CHECK(different == 0);
  }
}

}  // namespace fgd_golden_test
