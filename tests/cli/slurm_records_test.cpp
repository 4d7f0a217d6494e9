// The twin beside a real Slurm under many settings: records in tests/slurm/records, two runs of each.
#include "catch.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "run_program.h"

namespace slurm_records_test {

using namespace coslice_test;

namespace {

/// Starts of a run by the numbers of its jobs, s after the first submission.
using Starts = std::map<std::string, double>;

/// Of a file with these columns; others are passed over.
Starts starts_in(const std::string& path, const std::string& submit, const std::string& start) {
  std::ifstream lines(path);
  std::string line, cell;
  std::getline(lines, line);
  std::map<std::string, std::size_t> at;
  std::stringstream head(line);
  for (std::size_t i = 0; std::getline(head, cell, ','); ++i) at[cell] = i;
  Starts out;
  double first = INFINITY;
  while (std::getline(lines, line)) {
    std::vector<std::string> cells;  // those in quotes are the last ones
    std::stringstream row(line);
    while (std::getline(row, cell, ',')) cells.push_back(cell);
    first = std::min(first, std::stod(cells.at(at.at(submit))));
    out[cells.at(at.at("job_id"))] = std::stod(cells.at(at.at(start)));
  }
  for (auto& [job, time] : out) time -= first;
  return out;
}

/// How far starts are apart, s a job.
double distance(const Starts& a, const Starts& b) {
  double sum = 0;
  for (const auto& [job, time] : a) sum += std::abs(time - b.at(job));
  return sum / static_cast<double>(a.size());
}

double mean(const Starts& of) {
  double sum = 0;
  for (const auto& [job, time] : of) sum += time;
  return sum / static_cast<double>(of.size());
}

/// The flag that imports a file beside the records, where it is there.
std::string flag(const char* flag, const std::string& file) {
  return std::filesystem::exists(file) ? std::string(" ") + flag + " '" + file + "'" : "";
}

/// How far the twin may be from the machine, s a job, and its mean start, of its own.
struct Bound {
  const char* site;
  double most, mean_start = 0.12;
};

/// Which part of the starts of the first run on record 80 % intervals of forecasts hold, with what was known then: as
/// simulated, and corrected by earlier ones.
struct Held {
  double simulated, corrected;
};

Held held_by_forecasts(const std::string& site) {
  static std::map<std::string, Held> known;  // it takes seconds
  if (const auto at = known.find(site); at != known.end()) return at->second;
  const Program coslice;
  const std::string records = std::string(COSLICE_SOURCE) + "/tests/slurm/records/" + site + "/";
  REQUIRE(
      coslice("import slurm --conf '" + records + "slurm.conf' --jobs '" + records + "jobs.sacct' -o site").status ==
      0);
  const Said said =
      coslice("forecast site --calibrate --recorded '" + records + "run1.csv' --instants 10 --runs 20 --json");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto json = nlohmann::json::parse(said.out);
  for (const auto& at : json["held_at"])
    if (at["interval"] == 0.8) return known[site] = {at["simulated"], at["corrected"]};
  return {0, 0};
}

}  // namespace

TEST_CASE("records: the twin is as far from a real Slurm as its page says", "[import]") {
  const Bound bound =
      GENERATE(Bound{"assoc", 130}, Bound{"builtin", 20}, Bound{"cancel", 55}, Bound{"consent", 50}, Bound{"cores", 16},
               Bound{"deep", 135}, Bound{"depth", 75}, Bound{"exclusive", 85}, Bound{"fifo", 27}, Bound{"forced", 27},
               Bound{"gpus", 88}, Bound{"later", 80}, Bound{"limited", 105}, Bound{"linear", 18}, Bound{"order", 62},
               Bound{"pairs", 42}, Bound{"qos", 118}, Bound{"quota", 60}, Bound{"shares", 70}, Bound{"uneven", 120},
               Bound{"weights", 42}, Bound{"reserved", 55}, Bound{"slow", 140}, Bound{"sockets", 75},
               Bound{"spread", 60}, Bound{"switches", 70}, Bound{"threads", 60}, Bound{"tiers", 85},
               Bound{"campus", 125}, Bound{"groups", 120}, Bound{"leaves", 130}, Bound{"loose", 125},
               Bound{"suspend", 90}, Bound{"turns", 110}, Bound{"usual", 125}, Bound{"whole", 80}, Bound{"aged", 85},
               Bound{"busy", 175}, Bound{"evict", 85}, Bound{"halls", 45}, Bound{"halves", 60}, Bound{"queue", 60},
               Bound{"silent", 75}, Bound{"ranges", 130}, Bound{"typed", 85}, Bound{"owners", 145});
  const Program coslice;
  const std::string records = std::string(COSLICE_SOURCE) + "/tests/slurm/records/" + bound.site + "/";
  const Said import =
      coslice("import slurm --conf '" + records + "slurm.conf' --jobs '" + records + "jobs.sacct' -o site" +
              flag("--topology", records + "topology.conf") + flag("--assoc", records + "accounts.txt") +
              flag("--reservations", records + "reservations.txt"));
  INFO(import.err);
  REQUIRE(import.status == 0);
  const Starts real[] = {starts_in(records + "run1.csv", "submit", "start"),
                         starts_in(records + "run2.csv", "submit", "start")};
  double twin = 0, real_start = (mean(real[0]) + mean(real[1])) / 2, twin_start = 0;
  for (const char* phase : {"0.7", "13.7", "26.7"}) {
    const Said run =
        coslice(std::string("run site --quiet --out twin") + phase + " --set policy.params.slurmctld_start=-" + phase);
    INFO(run.err);
    REQUIRE(run.status == 0);
    const Starts own =
        starts_in(coslice.folder / (std::string("twin") + phase + "/jobs.csv"), "submission_time", "starting_time");
    for (const Starts& one : real) twin += distance(one, own) / 6;
    twin_start += mean(own) / 3;
  }
  CAPTURE(bound.site, distance(real[0], real[1]), twin, real_start, twin_start);
  CHECK(twin < bound.most);
  CHECK(std::abs(twin_start - real_start) < bound.mean_start * real_start);
}

// 150 jobs came within ten minutes, and those to come overtake others: where none were expected, starts were forecast
// too early, and intervals held 18 and 9 %.
TEST_CASE("records: forecasts expect jobs to come although little is known", "[import]") {
  CHECK(held_by_forecasts("depth").simulated > 0.5);
  CHECK(held_by_forecasts("linear").simulated > 0.35);
}

// Where short limits are used up more than long ones, and the long jobs still run, parts of limits made forecasts too
// late: of `linear` intervals held 44 %. Corrections by the first, wrong forecasts of a record made good ones of `fifo`
// worse by a fifth.
TEST_CASE("records: run times follow limits, and what holds is not corrected", "[import]") {
  CHECK(held_by_forecasts("linear").simulated > 0.5);
  const Held fifo = held_by_forecasts("fifo");
  CHECK(fifo.simulated > 0.75);
  CHECK(fifo.corrected > fifo.simulated - 0.05);
}

}  // namespace slurm_records_test
