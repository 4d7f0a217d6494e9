// Figures of runs with shared nodes, computed anew from the job list.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.h"
#include "run_program.h"

namespace sharing_test {

using namespace coslice_test;
using nlohmann::json;

namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) out.push_back(field);
  return out;
}

std::vector<Row> rows(const std::string& csv) {
  std::istringstream in(csv);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = fields(line);
  std::vector<Row> out;
  while (std::getline(in, line)) {
    const std::vector<std::string> values = fields(line);
    Row& row = out.emplace_back();
    for (std::size_t i = 0; i < values.size(); ++i) row[names[i]] = values[i];
  }
  return out;
}

bool close(double x, double y) { return std::fabs(x - y) <= 1e-12 * std::max(std::fabs(x), std::fabs(y)); }

constexpr const char* kScenario = R"(
machine = { nodes = 32, processors = 1, cores = 2 }
engine = { processes_per_node = 1 }
slowdown = { model = "resources" }
policy = { name = ["lomarc_pss", "lomarc", "lomarc_ac"] }

[workload]
generator = "lublin"
estimates = "scaled"
estimate_factor = ESTIMATES
lublin = { jobs = 400, load = 1.2 }
)";

}  // namespace

TEST_CASE("utilization efficiency is that of the job list, and rises as the makespan falls", "[cli][lomarc]") {
  const Program coslice;
  for (const std::string factor : {"1.5", "0.9"}) {  // the latter kills jobs
    std::string text = kScenario;
    text.replace(text.find("ESTIMATES"), 9, factor);
    coslice.folder.write("s.toml", text);
    const Said said = coslice("run s.toml --quiet --out out" + factor);
    REQUIRE(said.err == "");
    REQUIRE(said.status == 0);
    std::map<std::string, double> efficiency, makespan;
    for (const std::string policy : {"lomarc_pss", "lomarc", "lomarc_ac"}) {
      const std::string folder = "out" + factor + "/" + policy + "/";
      double work = 0, first = INFINITY, last = 0;
      for (const Row& row : rows(coslice.folder.read(folder + "jobs.csv"))) {
        const double ran = std::min(std::stod(row.at("run_time")), std::stod(row.at("requested_time")));
        work += ran * std::stod(row.at("requested_number_of_resources"));
        first = std::min(first, std::stod(row.at("submission_time")));
        last = std::max(last, std::stod(row.at("finish_time")));
      }
      const json summary = json::parse(coslice.folder.read(folder + "summary.json"));
      efficiency[policy] = summary["sharing"]["efficiency"];
      makespan[policy] = summary["makespan"];
      INFO(policy << " " << factor);
      CHECK(close(efficiency[policy], work / (32 * (last - first))));
    }
    // The work is the same: E x makespan is constant.
    CHECK(close(efficiency["lomarc"] / efficiency["lomarc_pss"], makespan["lomarc_pss"] / makespan["lomarc"]));
    CHECK(close(efficiency["lomarc_ac"] / efficiency["lomarc_pss"], makespan["lomarc_pss"] / makespan["lomarc_ac"]));
    CHECK(efficiency["lomarc"] > efficiency["lomarc_pss"]);
  }
}

TEST_CASE("scenarios that pairs cannot work with are bad input", "[cli][lomarc]") {
  const Program coslice;
  const auto problem = [&](const std::string& text) {
    coslice.folder.write("s.toml", "policy = { name = \"lomarc\" }\nmachine = { nodes = 2, cores = 2 }\n" + text);
    const Said said = coslice("run s.toml");
    CHECK(said.status == 2);
    CHECK(said.out == "");
    return said.err;
  };
  const std::string jobs = "workload = { jobs = [ { nodes = 2, runtime = 90 }, { nodes = 2, runtime = 90 } ] }\n";
  const std::string resources = "slowdown = { model = \"resources\" }\n";
  CHECK(problem(jobs + "engine = { processes_per_node = 1 }\n")
            .find("looks for pairs by what jobs use, which the scenario does not say") != std::string::npos);
  CHECK(problem(resources + jobs + "engine = { event_order = \"submissions-first\" }\n")
            .find("policy 'lomarc': engine.event_order = \"submissions-first\" and groups on shared nodes "
                  "cannot be combined") != std::string::npos);
  CHECK(problem(resources + "workload = { jobs = [ { nodes = 2, runtime = 90, memory_fraction = 0.5 } ] }\n")
            .find("has memory_fraction alone") != std::string::npos);
}

}  // namespace sharing_test
