// The file of a campaign's results, without a sweep around it.
#include <set>

#include "catch.h"
#include "lab/campaign/database.h"
#include "lab/campaign/results_file.h"
#include "scratch_folder.h"

namespace campaign_results_test {

using namespace coslice;

TEST_CASE("a sweep that is killed leaves a view with all figures of what was finished", "[campaign]") {
  const ScratchFolder folder;
  const std::string path = folder / "r.sqlite";
  const auto columns = [&] {
    const Database database(path, Database::Mode::kRead);
    Statement names(database, "SELECT name FROM pragma_table_info('results')");
    std::set<std::string> out;
    while (names.step()) out.insert(names.text(0));
    return out;
  };
  const auto run = [](std::int64_t number, const std::string& summary) {
    FinishedRun r;
    r.row.run = number;
    r.row.key = std::to_string(number);
    r.row.done = true;
    r.summary_json = summary;
    return r;
  };
  ResultsHead head;
  head.name = "killed";
  head.runs = 3;
  {
    ResultsFile file(path, head, ResultsFile::Open::kNew);
    file.add({run(1, R"({"all":{"wait":{"mean":1}}})")});
    CHECK(columns().count("all.wait.mean") == 1);
    file.add({run(2, R"({"all":{"wait":{"mean":2}},"slices":{"swaps":3}})")});
    CHECK(columns().count("slices.swaps") == 1);
  }  // without finish()
  {
    ResultsFile file(path, head, ResultsFile::Open::kResume);
    file.add({run(3, R"({"sharing":{"groups":1}})")});
  }
  for (const char* name : {"all.wait.mean", "slices.swaps", "sharing.groups"}) CHECK(columns().count(name) == 1);
}

}  // namespace campaign_results_test
