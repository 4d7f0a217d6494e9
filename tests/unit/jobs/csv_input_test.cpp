// Files of comma-separated values as inputs: quotes, names made of several cells, and their digests in a run's folder.
#include "catch.h"

#include <filesystem>

#include "formats/measured_pairs.h"
#include "formats/trace_file.h"
#include "message_of.h"
#include "output/output.h"
#include "runner/runner.h"
#include "scenario/load.h"
#include "scenario/resolved.h"
#include "scenario/script_rows.h"
#include "scratch_folder.h"

namespace csv_input_test {

using namespace coslice;

TEST_CASE("a quote that does not end is an error with its line", "[csv]") {
  const auto complaint = [](const std::string& text) {
    return message_of([&] { CsvTable table(text, "t.csv", "a table"); });
  };
  using Catch::Contains;
  CHECK_THAT(complaint("a,b\n1,2\n\"3,4\n"), Contains("t.csv:3: unterminated quote: \"3,4"));
  CHECK_THAT(complaint("a,b\n1,\"2\n"), Contains("t.csv:2: unterminated quote"));
  CHECK_THAT(complaint("\"a,b\n1,2\n"), Contains("t.csv:1: unterminated quote"));
  CHECK_THAT(complaint("a,b\n1,2\"\n"), Contains("t.csv:2: missing opening quote: 2\""));
  CHECK_THAT(complaint("a,b\n\"1\"x,2\n"), Contains("t.csv:2: behind a quote that ends is x"));
  CHECK_THAT(complaint("a,b\n\"1,2\",3,4\n"), Contains("t.csv:2: 3 cells"));
}

TEST_CASE("a cell in quotes may hold commas", "[csv]") {
  const CsvTable table("a, \"b\" ,\"c\"\n\"1, 2\",, \"\" \n\" x \",y, z \n", "t.csv", "a table");
  CHECK(table.names() == std::vector<std::string_view>{"a", "b", "c"});
  REQUIRE(table.rows() == 2);
  CHECK(table.cell(0, 0) == "1, 2");
  CHECK(table.cell(0, 1).empty());
  CHECK(table.cell(0, 2).empty());
  CHECK(table.cell(1, 0) == "x");
  CHECK(table.cell(1, 2) == "z");
}

TEST_CASE("names of several cells do not collapse where cells have slashes", "[csv][pairs]") {
  const ScratchFolder folder;
  const std::string file = folder.write("pairs.csv", "model_a,batch_a,model_b,batch_b,speed_a,speed_b\n"
                                                     "a/1,2,b,1,0.9,0.8\n"
                                                     "a,1/2,b,1,0.5,0.4\n"
                                                     "a\\,1,b,1,0.3,0.2\n");
  const MeasuredPairs m(file, "", {});
  CHECK(m.configurations() == std::vector<std::string>{"a\\/1/2", "b/1", "a/1\\/2", "a\\\\/1"});
  REQUIRE(m.gpus().size() == 1);
  const KnownPairs known(m.gpus()[0].pairs);
  CHECK(known.find(m.number("a\\/1/2"), m.number("b/1"))->speed_a == 0.9);
  CHECK(known.find(m.number("a/1\\/2"), m.number("b/1"))->speed_a == 0.5);
  // One cell is the name, as it stands there.
  const std::string plain = folder.write("plain.csv", "job_a,job_b,speed_a,speed_b\nnet/64,lm/8,0.9,0.8\n");
  CHECK(MeasuredPairs(plain, "", {}).configurations() == std::vector<std::string>{"net/64", "lm/8"});
}

TEST_CASE("the rows of a script's parameter are an input with a digest, and are found again", "[csv][scenario]") {
  const ScratchFolder folder;
  const std::string rows = folder.write("tables/rows.csv", "n\n1\n");
  const std::string file = folder.write(
      "s.toml",
      "[workload]\nscript = \"w.lua\"\nparams = { rows = { csv = \"tables/rows.csv\" }, n = 3 }\n[machine]\nnodes = 4\n"
      "[slowdown]\nmodel = \"script\"\nscript = \"s.lua\"\nparams = { speeds = { csv = \"tables/rows.csv\" } }\n");
  folder.write("w.lua", "return {}\n");
  folder.write("s.lua", "return {}\n");
  const Scenario scenario = load_scenario(file);
  REQUIRE(script_row_files(scenario).size() == 1);
  for (const std::string& f : script_row_files(scenario)) CHECK(std::filesystem::equivalent(f, rows));
  std::filesystem::create_directories(folder / "out/deep");
  const std::string again = folder.write("out/deep/scenario.toml", resolved_toml(scenario, folder / "out/deep"));
  const std::string text = folder.read("out/deep/scenario.toml");
  CHECK_THAT(text, Catch::Contains("csv = \"../../tables/rows.csv\""));
  CHECK_THAT(text, Catch::Contains("\"../../tables/rows.csv\" = \"" + sha256_of_file(rows)));
  for (const std::string& f : script_row_files(load_scenario(again))) CHECK(std::filesystem::equivalent(f, rows));
  folder.write("tables/rows.csv", "n\n2\n");
  CHECK_THAT(message_of([&] { load_scenario(again); }), Catch::Contains("has changed since this was written"));
}

TEST_CASE("a script's parameter may be what a JSON file says", "[csv][scenario]") {
  const ScratchFolder folder;
  const std::string listed =
      folder.write("given/jobs.json",
                   R"({"jobs": [{"at": 2, "more": {"name": "a", "none": null}}, {"at": 5.5, "more": {"yes": true}}]})");
  folder.write("w.lua", R"(
return {
  api = 1, name = "listed", params = { tree = { default = "", doc = "Jobs." } },
  jobs = function(params)
    for _, one in ipairs(params.tree.jobs) do
      assert(one.more.name == "a" and one.more.none == false or one.more.yes == true)
      coroutine.yield { submit = one.at, nodes = 1, runtime = 10 }
    end
  end,
}
)");
  const std::string text =
      "[workload]\nscript = \"w.lua\"\nparams = { tree = { json = \"given/jobs.json\" } }\n[machine]\nnodes = 4\n";
  const Scenario scenario = load_scenario(folder.write("s.toml", text));
  REQUIRE(script_row_files(scenario).size() == 1);
  CHECK(std::filesystem::equivalent(script_row_files(scenario)[0], listed));
  const Workload workload = Runner(scenario).workload();
  REQUIRE(workload.jobs.size() == 2);
  CHECK(to_seconds(workload.jobs[1].submit - workload.jobs[0].submit) == 3.5);
  const auto complaint = [&](const std::string& json) {
    folder.write("given/jobs.json", json);
    return message_of([&] { Runner(load_scenario(folder / "s.toml")); });
  };
  CHECK_THAT(complaint("{\n\"jobs\": [}"), Catch::Contains("jobs.json:2: this is not JSON"));
  CHECK_THAT(complaint(std::string(40, '[') + std::string(40, ']')), Catch::Contains("nested too deep"));
}

}  // namespace csv_input_test
