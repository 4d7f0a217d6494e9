// Records of real runs of OAR: as fidelity reads them, and as the paper on Batsim holds the policy against them.
#include "catch.h"

#include <filesystem>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "run_program.h"
#include "shared_files.h"

namespace oar_test {

using namespace coslice_test;
using Json = nlohmann::json;

namespace {

const std::string kHead = "oar_id,workload_id,submit,start,end,nodes,walltime_s,state,exit_code,program,resources\n";

/// Two jobs that start after `wait` s, numbered from `oar` and from `workload` on.
std::string record(int oar, int workload, int wait = 1) {
  const auto job = [&](int k, int submit, int nodes, const char* on) {
    return std::to_string(oar + k) + "," + std::to_string(workload + k) + "," + std::to_string(1461703332 + submit) +
           "," + std::to_string(1461703332 + submit + wait) + "," + std::to_string(1461703332 + submit + wait + 50) +
           "," + std::to_string(nodes) + ",100,Terminated,0,ft.B.1," + on + "\n";
  };
  return kHead + job(0, 0, 1, "1") + job(1, 20, 2, "2 3");
}

std::string paper() { return std::string("reproduce '") + COSLICE_SOURCE + "/scenarios/papers/batsim-2016' --json"; }

}  // namespace

TEST_CASE("lists of OAR's runs are read as they are, by the number that the run's jobs go by", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  coslice.folder.write(
      "s.toml", "[machine]\nnodes = 3\n[workload]\njobs = [\n  { id = 7, submit = 0, nodes = 1, runtime = 50 },\n"
                "  { id = 8, submit = 20, nodes = 2, runtime = 50 },\n]\n");
  REQUIRE(coslice("run s.toml --quiet --out out").status == 0);
  const auto distance = [&](const std::string& file) {
    const Said said = coslice("fidelity out --json --recorded " + file);
    INFO(said.err);
    REQUIRE(said.status == 0);
    return Json::parse(said.out)["distances"][0];
  };
  coslice.folder.write("oar.csv", record(7, 0, 3));
  CHECK(distance("oar.csv")["jobs"] == 2);
  CHECK(distance("oar.csv")["recorded_mean_wait"] == 3.0);
  coslice.folder.write("both.csv", record(8, 7, 4));  // under OAR's numbers one job is found, and of another size
  CHECK(distance("both.csv")["jobs"] == 2);
  CHECK(distance("both.csv")["recorded_mean_wait"] == 4.0);
  REQUIRE(coslice.shell("gzip both.csv").status == 0);
  CHECK(distance("both.csv.gz")["recorded_mean_wait"] == 4.0);

  coslice.folder.write("other.csv", record(6, 107));
  const Said other = coslice("fidelity out --recorded other.csv");
  CHECK(other.status == 2);
  CHECK_THAT(other.err,
             Contains("other.csv: has jobs of other sizes than out under the same numbers; expected a run of its jobs, "
                      "numbered as in its column oar_id or workload_id"));
}

TEST_CASE("the policy is held against records of OAR, and these against each other", "[cli]") {
  const Program coslice;
  const Json absent = Json::parse(coslice(paper() + " --data .").out);
  REQUIRE(absent.size() == 4);
  for (const Json& row : absent) CHECK(row["verdict"] == "skipped");

  coslice.folder.write("data/results_first_2016-05-04--16-50-02__seed1.csv", record(7, 0, 1));
  coslice.folder.write("data/results_second__seed1.csv", record(1, 0, 3));
  coslice.folder.write("data/results_second__seed2.csv",
                       record(3, 1, 2));  // another workload: its jobs have other numbers
  const Said said = coslice(paper() + " --data data -e runs -e spread");
  INFO(said.err);
  REQUIRE(said.status == 0);
  std::map<std::string, Json> rows;
  for (const Json& row : Json::parse(said.out))
    rows[row["experiment"].get<std::string>() + " " + row["quantity"].get<std::string>()] = row;
  CHECK(rows.at("runs seed1.first.starts")["obtained"] == 0.0);
  CHECK(rows.at("runs seed1.first.starts")["published"] == 2.0);  // how far the two real runs are apart
  CHECK(rows.at("runs seed1.second.starts")["obtained"] == 2.0);
  CHECK(rows.at("runs seed1.second.wait")["obtained"] == 1.0);
  CHECK(rows.at("runs seed1.second.wait")["published"] == 3.0);
  CHECK(rows.at("runs seed1.second.order")["obtained"] == 1.0);
  CHECK(rows.at("runs seed2.second.starts")["published"].is_null());
  CHECK(rows.at("spread seed1.starts")["obtained"] == 1.0);
  CHECK(rows.at("spread all.starts")["verdict"] == "met");
  CHECK(rows.at("spread all.mean-wait")["published"] == 6.4);
  CHECK(rows.at("spread all.mean-wait")["obtained"] == 1.0);
  CHECK(rows.count("spread seed2.starts") == 0);
}

// Real runs of the seeds 0 to 5 are 10.5 s a job from each other in the mean.
TEST_CASE("the policy is as near to OAR as real runs are to each other", "[cli]") {
  const std::string folder = shared_file("oar");
  if (folder.empty()) {
    WARN("oar is not there: the policy was not held against real runs of OAR");
    return;
  }
  const Program coslice;
  const Said said = coslice(paper() + " -e spread --data '" + std::filesystem::absolute(folder).string() + "'");
  INFO(said.err);
  REQUIRE(said.status == 0);
  double ours = 0, real = 0;
  int workloads = 0;
  for (const Json& row : Json::parse(said.out)) {
    const auto quantity = row["quantity"].get<std::string>();
    if (quantity == "all.mean-wait") CHECK(row["obtained"].get<double>() < 1.5);
    if (!row["published"].is_number() || quantity.rfind("all.", 0) == 0) continue;
    INFO(quantity);
    for (const char* near : {"seed0.starts", "seed1.starts", "seed3.starts", "seed4.starts"})
      if (quantity == near) CHECK(row["verdict"] == "met");
    ours += row["obtained"].get<double>();
    real += row["published"].get<double>();
    ++workloads;
  }
  REQUIRE(workloads >= 6);
  CHECK(ours < real);
}

}  // namespace oar_test
