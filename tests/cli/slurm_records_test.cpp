// The twin beside a real Slurm under other settings than the ones it was made by: records in tests/slurm/records.
#include "catch.h"

#include <nlohmann/json.hpp>

#include "program.h"

using namespace coslice_test;

namespace {

struct Held {
  double among;  ///< the two runs on record from one another, s a job
  double twin;   ///< the twin from them, the mean of three of its runs
  double recorded_wait, wait;
};

/// Three phases of the daemon's start beside the two runs on record.
Held held(const std::string& site) {
  const Program coslice;
  const std::string records = std::string(COSLICE_SOURCE) + "/tests/slurm/records/" + site + "/";
  const Said import =
      coslice("import slurm --conf '" + records + "slurm.conf' --jobs '" + records + "jobs.sacct' -o site");
  INFO(import.err);
  REQUIRE(import.status == 0);
  std::string runs;
  for (const char* phase : {"0", "13", "26"}) {
    const Said run =
        coslice(std::string("run site --quiet --out twin") + phase + " --set policy.params.slurmctld_start=-" + phase);
    INFO(run.err);
    REQUIRE(run.status == 0);
    runs += std::string(" twin") + phase;
  }
  const Said said =
      coslice("fidelity" + runs + " --recorded '" + records + "run1.csv' --recorded '" + records + "run2.csv' --json");
  REQUIRE(said.status == 0);
  const auto json = nlohmann::json::parse(said.out);
  Held h{json["among_records"]["mean_error"], 0, 0, 0};
  const auto& all = json["distances"];
  for (const auto& d : all) {
    const auto n = static_cast<double>(all.size());
    h.twin += d["mean_error"].get<double>() / n;
    h.recorded_wait += d["recorded_mean_wait"].get<double>() / n;
    h.wait += d["mean_wait"].get<double>() / n;
  }
  CAPTURE(site, h.among, h.twin, h.recorded_wait, h.wait);
  CHECK(h.wait > 0.9 * h.recorded_wait);
  CHECK(h.wait < 1.1 * h.recorded_wait);
  return h;
}

/// Which part of the starts of the first run on record 80 % intervals of forecasts hold, uncorrected, with what was known then.
double held_by_forecasts(const std::string& site) {
  const Program coslice;
  const std::string records = std::string(COSLICE_SOURCE) + "/tests/slurm/records/" + site + "/";
  REQUIRE(
      coslice("import slurm --conf '" + records + "slurm.conf' --jobs '" + records + "jobs.sacct' -o site").status ==
      0);
  const Said said =
      coslice("forecast site --calibrate --recorded '" + records + "run1.csv' --instants 10 --runs 20 --past 0 --json");
  INFO(said.err);
  REQUIRE(said.status == 0);
  return nlohmann::json::parse(said.out)["held"];
}

}  // namespace

TEST_CASE("records: jobs in order, partitions that share nodes, least loaded nodes first", "[import]") {
  CHECK(held("fifo").twin < 15);  // daemons under a clock that runs six times as fast are seconds late
}

TEST_CASE("records: priorities, and schedulers that look at a part of the queue", "[import]") {
  const Held h = held("depth");
  CHECK(h.twin < 2 * h.among);
}

TEST_CASE("records: whole nodes, small jobs first", "[import]") {
  const Held h = held("linear");
  CHECK(h.twin < 2 * h.among + 5);
}

TEST_CASE("records: jobs of a higher tier have others requeued", "[import]") {
  const Held h = held("tiers");
  CHECK(h.twin < 1.4 * h.among);
}

// 150 jobs came within ten minutes, and those to come overtake others: where none were expected, starts were forecast too early, and
// intervals held 18 and 9 %.
TEST_CASE("records: forecasts expect jobs to come although little is known", "[import]") {
  CHECK(held_by_forecasts("depth") > 0.5);
  CHECK(held_by_forecasts("linear") > 0.5);
}
