// Layouts of a divided GPU against all ways to place measured mixes of jobs.
#include "catch.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "formats/trace_file.h"
#include "runner/runner.h"
#include "scenario/load.h"
#include "shared_files.h"

namespace mig_test {

using namespace coslice;

namespace {

using Speeds = std::map<int, double>;  // by size of the slice

std::map<std::string, Speeds> measured_speeds(const std::string& path) {
  const CsvTable t(path, "speeds on slices");
  std::map<std::string, Speeds> all;
  for (std::size_t row = 0; row != t.rows(); ++row) {
    if (t.cell(row, t.column("measured")) != "1") continue;
    const std::string job = fmt::format("{}/{}", t.cell(row, t.column("model")), t.cell(row, t.column("batch")));
    const int size = t.cell(row, t.column("slice"))[0] - '0';
    all[job][size] = std::stod(std::string(t.cell(row, t.column("rel_throughput_mean"))));
  }
  return all;
}

std::vector<std::vector<int>> published_layouts(const std::string& path) {
  const CsvTable t(path, "layouts");
  std::vector<std::vector<int>> all;
  for (std::size_t row = 0; row != t.rows(); ++row) {
    all.emplace_back();
    for (const char c : t.cell(row, t.column("slices")))
      if (c != '+') all.back().push_back(c - '0');
  }
  return all;
}

/// Each job on each slice that is left; below 0 where they do not fit.
double best_way(const std::vector<Speeds>& jobs, std::size_t i, std::vector<int>& left) {
  if (i == jobs.size()) return 0;
  double best = -1e9;
  for (int& slice : left) {
    const auto speed = jobs[i].find(slice);
    if (slice == 0 || speed == jobs[i].end()) continue;
    const int size = std::exchange(slice, 0);
    best = std::max(best, speed->second + best_way(jobs, i + 1, left));
    slice = size;
  }
  return best;
}

std::string lua_table(const Speeds& speeds) {
  std::string text = "{";
  for (const auto& [size, speed] : speeds) text += fmt::format(" [{}] = {:.17g},", size, speed);
  return text + " }";
}

/// What a policy prints when its only job comes.
std::vector<std::string> printed(const std::string& body) {
  Scenario s = check_scenario(parse_scenario_tree(
      "engine.trusted = true\nmachine.nodes = 1\nworkload.jobs = [ { nodes = 1, runtime = 1 } ]\n", "t.toml"));
  s.policy.names = {"p"};
  const Runner runner(
      s, {GivenPolicy(Script{"p", "local mig = require 'mig'\nreturn { api = 1, name = 'p', version = '1', "
                                  "submitted = function(view, job)\n" +
                                      body + "end }"})});
  std::vector<std::string> lines;
  RunCallbacks callbacks;
  callbacks.print = [&](std::string_view line) { lines.emplace_back(line); };
  runner.run(0, callbacks);
  return lines;
}

}  // namespace

TEST_CASE("the layout of every mix of published jobs is the best one", "[mig]") {
  const std::string folder = coslice_test::shared_file("gpu/sharing/miso");
  if (folder.empty()) {
    WARN("skipped: the measured slices are not there");
    return;
  }
  const auto speeds = measured_speeds(folder + "/mig_slices.csv");
  const auto layouts = published_layouts(folder + "/mig_partitions.csv");
  const CsvTable trace(folder + "/jobs_100.csv", "jobs");
  std::vector<Speeds> jobs;
  std::string body = "local jobs = {\n";
  for (std::size_t row = 0; row != trace.rows(); ++row) {
    jobs.push_back(speeds.at(
        fmt::format("{}/{}", trace.cell(row, trace.column("model")), trace.cell(row, trace.column("batch")))));
    body += lua_table(jobs.back()) + ",\n";
  }
  body += "}\nfor n = 1, 7 do for i = 1, #jobs - n + 1 do\n"
          "  local mix = {}\n  for k = 0, n - 1 do mix[#mix + 1] = jobs[i + k] end\n"
          "  local best = mig.best(mix)\n  local sum = 0\n"
          "  for k, slice in ipairs(best and best.slices or {}) do sum = sum + mix[k][slice] end\n"
          "  print(string.format('%.17g %.17g', best and best.sum or -1, best and sum or -1))\nend end\n";
  const std::vector<std::string> lines = printed(body);
  std::size_t line = 0, placed = 0;
  for (std::size_t n = 1; n <= 7; ++n) {
    for (std::size_t i = 0; i + n <= jobs.size(); ++i, ++line) {
      const std::vector<Speeds> mix(jobs.begin() + static_cast<std::ptrdiff_t>(i),
                                    jobs.begin() + static_cast<std::ptrdiff_t>(i + n));
      double best = -1;
      for (std::vector<int> left : layouts)
        if (left.size() >= n) best = std::max(best, best_way(mix, 0, left));
      REQUIRE(line < lines.size());
      const double found = std::stod(lines[line]), sum = std::stod(lines[line].substr(lines[line].find(' ')));
      CHECK(found == Approx(best).margin(1e-12));
      CHECK(sum == Approx(found).margin(1e-12));
      placed += best >= 0;
    }
  }
  CHECK(line == lines.size());
  CHECK(placed > 300);
}

}  // namespace mig_test
