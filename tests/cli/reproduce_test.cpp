// coslice reproduce.
#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

namespace reproduce_test {

using namespace coslice_test;
using Json = nlohmann::json;

namespace {

/// Waits of EASY against FCFS, and a log that is not there.
void write_paper(const Program& coslice) {
  coslice.folder.write("scenarios/papers/mine/model.toml",
                       "[machine]\nnodes = 16\n[workload]\ngenerator = \"lublin\"\nlublin = { jobs = 100 }\n"
                       "[policy]\nname = \"fcfs\"\n");
  coslice.folder.write("scenarios/papers/mine/paper.lua", R"(
local function shorter(new, old) return 100 * (1 - new.all.wait.mean / old.all.wait.mean) end
return { api = 1, title = "Mine", seeds = 4, quick_seeds = 2, experiments = {
  { label = "T1", run = function(lab)
    local fcfs, easy = lab.runs("model.toml"), lab.runs("model.toml", { policy = { name = "easy" } })
    lab.row { quantity = "wait", unit = "%", published = 30, values = lab.compare(easy, fcfs, shorter), band = { 1, 100 } }
    lab.row { quantity = "wait.hopes", unit = "%", published = -99, values = lab.compare(easy, fcfs, shorter),
              band = { -100, -50 }, finding = "backfilling is slow" }
  end },
  { label = "T2", run = function(lab)
    lab.row { quantity = "log", published = 1, skipped = not lab.trace { "their.swf" } and "their.swf is not there" or nil, obtained = 1 }
  end },
} }
)");
}

}  // namespace

TEST_CASE("reproduce prints published beside obtained", "[cli]") {
  const Program coslice;
  write_paper(coslice);
  const Said said = coslice("reproduce mine");
  CHECK(said.status == 0);
  CHECK(said.err == "");
  for (const char* part : {"T1", "wait.hopes", "-100 to -50", "refuted", "skipped",
                           "T1 wait.hopes: published: backfilling is slow; here the 95 % interval over 4 seeds",
                           "T2 log: their.swf is not there", "1 holds, 1 refuted, 1 skipped (8 runs)"}) {
    INFO(said.out);
    CHECK(said.out.find(part) != std::string::npos);
  }
  CHECK(coslice("reproduce --list").out.find("mine") != std::string::npos);
}

TEST_CASE("a bare reproduce lists the papers and runs nothing", "[cli]") {
  const Program coslice;
  write_paper(coslice);
  const Said bare = coslice("reproduce");
  CHECK(bare.status == 0);
  CHECK(bare.out == coslice("reproduce --list").out);
  CHECK(bare.out.find("wait.hopes") == std::string::npos);
  CHECK(bare.err.find("nothing is run: name a paper, or say --all") != std::string::npos);
  CHECK(coslice("reproduce mine --all").status == 2);
}

TEST_CASE("the rows are the same for any number of jobs at once", "[cli]") {
  const Program coslice;
  write_paper(coslice);
  const Said one = coslice("reproduce mine --json --jobs 1");
  CHECK(coslice("reproduce mine --json --jobs 5").out == one.out);
  CHECK(coslice("reproduce scenarios/papers/mine --json").out == one.out);
  const Json rows = Json::parse(one.out);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["experiment"] == "T1");
  CHECK(rows[0]["seeds"] == 4);
  CHECK(rows[0]["verdict"] == "met");
  CHECK(rows[0]["agrees"] == true);
  CHECK(rows[0]["basis"].is_null());
  CHECK(rows[0]["low"] < rows[0]["obtained"]);
  CHECK(rows[1]["verdict"] == "refuted");
  CHECK(rows[2]["obtained"].is_null());

  const Json quick = Json::parse(coslice("reproduce mine --json --quick --experiment T1").out);
  REQUIRE(quick.size() == 2);
  CHECK(quick[1]["verdict"] == "indicative");
  CHECK(quick[1]["seeds"] == 2);
  CHECK(Json::parse(coslice("reproduce mine --json --seeds 3").out)[0]["seeds"] == 3);
}

TEST_CASE("logs are looked for where one says", "[cli]") {
  const Program coslice;
  write_paper(coslice);
  coslice.folder.write("logs/their.swf", kTrace);
  const auto verdict = [](const Said& said) { return Json::parse(said.out)[0]["verdict"].get<std::string>(); };
  CHECK(verdict(coslice("reproduce mine -e T2 --json")) == "skipped");
  CHECK(verdict(coslice("reproduce mine -e T2 --json --traces logs")) == "met");
  CHECK(verdict(coslice("reproduce mine -e T2 --json", "COSLICE_TRACES=none:logs")) == "met");

  // Nowhere else: a folder beside the one where one stands is not asked for.
  coslice.folder.write("shared/traces/their.swf", kTrace);
  coslice.folder.write("here/empty", "");
  CHECK(verdict(coslice.shell("cd here && coslice reproduce ../scenarios/papers/mine -e T2 --json")) == "skipped");
  coslice.folder.write("here/traces/their.swf", kTrace);
  CHECK(verdict(coslice.shell("cd here && coslice reproduce ../scenarios/papers/mine -e T2 --json")) == "met");
}

TEST_CASE("a paper's data are looked for where one says", "[cli]") {
  const Program coslice;
  coslice.folder.write("mine/paper.lua", R"(
return { api = 1, title = "Mine", seeds = 1, quick_seeds = 1, data = "gpu/mine", experiments = {
  { label = "T1", run = function(lab)
    lab.row { quantity = "there", published = 1, obtained = 1, skipped = not lab.data "table.csv" and "no table" or nil }
  end },
} }
)");
  const auto verdict = [](const Said& said) { return Json::parse(said.out)[0]["verdict"].get<std::string>(); };
  for (const char* there : {"shared/gpu/mine/table.csv", "given/table.csv", "variable/gpu/mine/table.csv"})
    coslice.folder.write(there, "");
  coslice.folder.write("here/empty", "");
  CHECK(verdict(coslice.shell("cd here && coslice reproduce ../mine --json")) == "skipped");
  CHECK(verdict(coslice("reproduce ./mine --json --data given")) == "met");
  CHECK(verdict(coslice("reproduce ./mine --json", "COSLICE_DATA=none:variable")) == "met");
}

TEST_CASE("data that cannot be read end one experiment with a row, and no other", "[cli]") {
  const Program coslice;
  coslice.folder.write("p/paper.lua", R"(return { api = 1, title = "A paper", seeds = 1, quick_seeds = 1, data = "d",
    experiments = {
      { label = "table", run = function(lab) lab.csv(lab.data "cut.csv") lab.row { quantity = "a", obtained = 1 } end },
      { label = "tree", run = function(lab) lab.json(lab.data "cut.csv") end },
      { label = "caught", run = function(lab)
        local fine, why = pcall(lab.csv, lab.data "cut.csv")
        lab.row { quantity = "b", obtained = fine and 1 or 2, note = tostring(why) } end },
    } })");
  coslice.folder.write("d/cut.csv", "a,b\n1,2\n3");
  const Said said = coslice("reproduce ./p --data d --json");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const Json rows = Json::parse(said.out);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["quantity"] == "data");
  CHECK(rows[0]["verdict"] == "skipped");
  CHECK(rows[0]["note"].get<std::string>().find("cut.csv:3: 1 cells; expected 2") != std::string::npos);
  CHECK(rows[1]["note"].get<std::string>().find("cut.csv:1: this is not JSON") != std::string::npos);
  CHECK(rows[2]["obtained"] == 2.0);
  CHECK(rows[2]["note"].get<std::string>().find("cut.csv:3: 1 cells") != std::string::npos);
}

TEST_CASE("mistakes in calling reproduce", "[cli]") {
  const Program coslice;
  write_paper(coslice);
  const auto complaint = [&](const std::string& arguments) {
    const Said said = coslice("reproduce " + arguments);
    CHECK(said.status == 2);
    CHECK(said.out == "");
    return said.err;
  };
  CHECK(complaint("mime").find("there is no paper 'mime'") != std::string::npos);
  CHECK(complaint("mime").find("did you mean 'mine'?") != std::string::npos);
  CHECK(complaint("mine -e T3").find("one of T1, T2") != std::string::npos);
  CHECK(complaint("mine --seeds 0").find("--seeds") != std::string::npos);
}

TEST_CASE("an interrupt ends reproduce at once", "[cli]") {
  const Program coslice;
  write_paper(coslice);
  const std::string model = "scenarios/papers/mine/model.toml";
  std::string text = coslice.folder.read(model);
  text.replace(text.find("100"), 3, "300000");
  coslice.folder.write(model, text);
  const Said said =
      coslice.shell("coslice reproduce mine --json & until_ready $!; sleep 0.3; kill -INT $!; wait $!; echo $?");
  CHECK(said.out == "130\n");
}

// The figures themselves are for `coslice reproduce scojo-pect`; here only that the paper runs to its end.
TEST_CASE("the shipped papers can be repeated", "[cli]") {
  const Program coslice;
  const Said said = coslice(std::string("reproduce '") + COSLICE_SOURCE +
                            "/scenarios/papers/scojo-pect' --quick --json --seeds 1 -e T4");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const Json rows = Json::parse(said.out);
  REQUIRE(rows.size() == 51);
  CHECK(rows[0]["quantity"] == "TS-vs-FF.overhead.MM1");
  CHECK(rows[0]["published"] == 6.04);
  for (const Json& row : rows) {
    CHECK(row["verdict"] == "indicative");
    CHECK(row["obtained"].is_number());
  }
}

TEST_CASE("the papers' headlines are skipped where the logs are absent, and made where they are there", "[cli]") {
  const Program coslice;
  const std::string today = std::string("reproduce '") + COSLICE_SOURCE + "/scenarios/papers/today' --json --quick";
  const Json absent = Json::parse(coslice(today, "COSLICE_TRACES=none").out);
  REQUIRE(absent.size() == 36);
  for (const Json& row : absent) {
    CHECK(row["verdict"] == "skipped");
    CHECK(row["note"].get<std::string>().find("get the log from the Parallel Workloads Archive") != std::string::npos);
  }

  // A log of a year, a job each hour.
  std::string log = "; MaxProcs: 100\n";
  for (int i = 0; i < 24 * 340; ++i) {
    log += std::to_string(i + 1) + " " + std::to_string(3600 * i) + " -1 " + std::to_string(600 + i * 7919 % 9000) +
           " " + std::to_string(1 + i * 31 % 60) + " -1 -1 " + std::to_string(1 + i * 31 % 60) +
           " 20000 -1 1 1 1 -1 -1 -1 -1 -1\n";
  }
  coslice.folder.write("logs/KTH-SP2-1996-2.swf", log);
  const Json there = Json::parse(coslice(today + " --traces logs -e Scojo-PECT -e FCS").out);
  REQUIRE(there.size() == 20);
  CHECK(there[0]["quantity"] == "KTH-SP2.TS-vs-FF.overhead");
  for (const Json& row : there) {
    const bool kth = row["quantity"].get<std::string>().rfind("KTH-SP2", 0) == 0;
    CHECK(row["obtained"].is_number() == kth);
    CHECK(row["verdict"] == (kth ? row["published"].is_number() || row["quantity"] == "KTH-SP2.FCS/GS.accepted-load"
                                       ? "indicative"
                                       : "unpublished"
                                 : "skipped"));
  }
}

TEST_CASE("a parameter is set for the policies that have it", "[cli]") {
  const Program coslice;
  write_paper(coslice);
  const auto obtained = [&](const std::string& set) {
    const Said said = coslice("reproduce mine -e T1 --json" + set);
    INFO(said.err);
    REQUIRE(said.status == 0);
    return Json::parse(said.out)[0]["obtained"].get<double>();
  };
  // FCFS has no depth: it runs as before, and EASY backfills little.
  CHECK(obtained(" --set policy.params.depth=1") < obtained(""));
  const Said wrong = coslice("reproduce mine -e T1 --set policy.params.dept=1");
  CHECK(wrong.status == 2);
  CHECK(
      wrong.err.find("--set policy.params.dept=1: no policy of the experiments has a parameter 'dept'; expected one of "
                     "depth, queues, reservations; did you mean 'depth'?") != std::string::npos);
}

}  // namespace reproduce_test
