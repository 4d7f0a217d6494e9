// Strategies for malleable jobs as the paper runs them: figures worked out by hand, and published ones where the tables
// are there.
#include "catch.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "run_program.h"
#include "shared_files.h"

namespace posner_test {

using namespace coslice_test;
using Json = nlohmann::json;

namespace {

const char* const kFigures[] = {"average_wait_time",
                                "average_turnaround_time",
                                "average_makespan",
                                "total_runtime",
                                "average_node_utilization",
                                "end_of_max",
                                "shrink_event",
                                "expand_event"};

std::string paper() { return std::string("reproduce '") + COSLICE_SOURCE + "/scenarios/papers/posner-2023' --json"; }

/// The rows of all experiments, by experiment and quantity.
std::map<std::string, Json> rows_of(const Program& coslice) {
  const Said said = coslice(paper() + " --data data");
  INFO(said.err);
  REQUIRE(said.status == 0);
  std::map<std::string, Json> rows;
  for (const Json& row : Json::parse(said.out))
    rows[row["experiment"].get<std::string>() + " " + row["quantity"].get<std::string>()] = row;
  return rows;
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Of a published table the rows of the first set without malleable jobs and with nothing else, and the columns of
/// these strategies: the others get names that are none.
std::string part_of_table(const std::string& table, const std::vector<std::string>& strategies) {
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);
  for (std::size_t at = 0; (at = line.find(".py", at)) != std::string::npos;) {
    const std::size_t begin = line.rfind(',', at) + 1;
    const bool wanted =
        std::find(strategies.begin(), strategies.end(), line.substr(begin, at - begin)) != strategies.end();
    if (wanted) at += 3;
    else line.erase(at, 3);
  }
  std::string part = line + "\n";
  while (std::getline(lines, line))
    if (line.find("#S0{") != std::string::npos &&
        (line.find("[100|0|0]") != std::string::npos || line.find("[0|0|100]") != std::string::npos))
      part += line + "\n";
  return part;
}

}  // namespace

TEST_CASE("without the published tables each experiment says what is absent", "[cli]") {
  const Program coslice;
  const Json absent = Json::parse(coslice(paper() + " --data .").out);
  REQUIRE(absent.size() == 9);
  for (const Json& row : absent) {
    CHECK(row["verdict"] == "skipped");
    CHECK(row["note"].get<std::string>().find("--data DIR") != std::string::npos);
  }
}

// The second job comes at 5, and the first one is told to give up 64 of its 128 nodes, which it does at 20, between two
// of its four steps. The timer starts the second one on them at 60, which ends at 90. The first has 64 nodes in two
// steps of 40 s each, and all of them again at 100, for another 20 s.
TEST_CASE("the eight figures of two jobs are those worked out by hand", "[cli]") {
  const Program coslice;
  coslice.folder.write(
      "data/jobs_S0.csv",
      "id,submit,nodes_min,nodes_pref,nodes_max,parallel,flops,divide_malleable,malleable_in_0,malleable_in_100\n"
      "0,0,32,128,128,1,1.024e+16,4,0,1\n"
      "1,5,32,64,64,1,1.92e+15,1,0,0\n");
  const char* const figures[] = {"27.5000", "102.5000", "75.0000",          "120",
                                 "0.7917",  "120",      "\"1, 64.0, 1.0\"", "\"1, 64.0, 1.0\""};
  for (int i = 0; i != 8; ++i)
    coslice.folder.write(
        std::string("data/published/") + kFigures[i] + ".csv",
        std::string("input_data,pref_agreement.py,min_common_pool.py\n\"30D[0|0|100]#S0{1,128|5E12,4E17}\",") +
            figures[i] + ",0\n");
  const auto rows = rows_of(coslice);
  CHECK(rows.at("equal all-figures")["obtained"] == 50.0);
  CHECK(rows.count("equal S0.100.pref_agreement") == 0);
  CHECK(rows.at("equal S0.100.min_common_pool")["published"] == 0.0);
  CHECK(rows.at("average_wait_time pref_agreement.100")["obtained"] == 27.5);
  CHECK(rows.at("end_of_max pref_agreement.100")["verdict"] == "met");
  CHECK(rows.at("average_turnaround_time min_common_pool.100")["verdict"] == "missed");
}

TEST_CASE("published runs come out in every printed digit", "[cli]") {
  const std::string jobs = shared_file("elastic/jobs_S0.csv.gz");
  if (jobs.empty()) {
    WARN("skipped: elastic/jobs_S0.csv.gz and its published tables are not there");
    return;
  }
  const Program coslice;
  coslice.folder.write("data/jobs_S0.csv.gz", text_of(jobs));
  for (const std::string figure : kFigures) {
    const std::string name = "published/" + figure + ".csv";
    coslice.folder.write("data/" + name, part_of_table(text_of(shared_file("elastic/" + name)),
                                                       {"rigid_backfill", "min_agreement", "pref_steal_agreement"}));
  }
  const auto rows = rows_of(coslice);
  for (const std::string figure : kFigures) {
    INFO(figure);
    CHECK(rows.at("equal " + figure)["obtained"] == 100.0);
  }
  CHECK(rows.at("equal all-figures")["note"] == "6 of 6 runs in every printed digit");
}

}  // namespace posner_test
