// coslice check.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "program.h"

using namespace coslice_test;
using nlohmann::json;

namespace {

const char* const kStarves =
    "return { api = 1, name = \"starves\", version = \"1\", claims = { \"no-starvation\" },\n"
    "  params = { backfill = { default = \"easy\", choices = { \"easy\", \"none\" }, doc = \"\" } },\n"
    "  order = \"duration\", backfill = function(params) return params.backfill end }\n";

}  // namespace

TEST_CASE("check says what it looked at", "[cli][check]") {
  const Program coslice;
  const Said said = coslice("check fcfs --runs 50");
  CHECK(said.status == 0);
  CHECK(said.err == "");
  CHECK(said.out == "fcfs: 50 random workloads run to their end, and no rule is broken\n"
                    "claims: never-idle, in-order, head-never-delayed, no-starvation; all kept\n");
  const json report = json::parse(coslice("check fcfs -n 50 --seed 3 --json").out);
  CHECK(report["policy"] == "fcfs");
  CHECK(report["workloads"] == 50);
  CHECK(report["seed"] == 3);
  CHECK(report["counterexample"].is_null());
}

TEST_CASE("check prints a counterexample as a suite, or writes it", "[cli][check]") {
  const Program coslice;
  std::filesystem::create_directory(coslice.folder / "mine");
  coslice.folder.write("mine/starves.lua", kStarves);
  const Said said = coslice("check mine/starves.lua");
  CHECK(said.status == 1);
  CHECK(said.err == "");
  CHECK(said.out.find("starves: the claim no-starvation does not hold\n  at ") == 0);
  CHECK(said.out.find("policy = \"mine/starves.lua\"") != std::string::npos);
  CHECK(coslice("check mine/starves.lua --jobs 1").out == said.out);

  const Said written = coslice("check mine/starves.lua --out mine/found_test.lua --set policy.params.backfill=none");
  CHECK(written.status == 1);
  CHECK(written.err ==
        "wrote mine/found_test.lua: `coslice test mine/found_test.lua` fails until the mistake is gone\n");
  const std::string suite = coslice.folder.read("mine/found_test.lua");
  CHECK(suite.find("policy = \"starves.lua\"") != std::string::npos);
  CHECK(suite.find("params = { backfill = \"none\" }") != std::string::npos);
  const Said tested = coslice("test mine");
  CHECK(tested.status == 1);
  CHECK(tested.out.find("no-starvation") != std::string::npos);

  const json report = json::parse(coslice("check mine/starves.lua --json").out);
  CHECK(report["counterexample"]["claim"] == "no-starvation");
  CHECK(report["counterexample"]["kind"] == "claim");
  CHECK(report["counterexample"]["jobs"] <= 5);
  CHECK(said.out.find(report["counterexample"]["test"].get<std::string>()) != std::string::npos);
}

TEST_CASE("mistakes in calling check", "[cli][check]") {
  const Program coslice;
  coslice.folder.write("mine.lua", kStarves);
  const auto problem = [&](const std::string& arguments) {
    const Said said = coslice("check " + arguments);
    CHECK(said.status == 2);
    CHECK(said.out == "");
    return said.err;
  };
  CHECK(problem("").find("POLICY") != std::string::npos);
  CHECK(problem("no_such.lua").find("no_such.lua") != std::string::npos);
  CHECK(problem("fcfs --runs 0").find("--runs") != std::string::npos);
  CHECK(problem("fcfs --most-jobs x").find("--most-jobs") != std::string::npos);
  CHECK(problem("fcfs --set machine.nodes=3").find("only parameters of the policy") != std::string::npos);
  CHECK(problem("mine.lua --set policy.params.backfil=none").find("backfill") != std::string::npos);
  CHECK(problem("mine.lua --out mine.lua").find("mine.lua") != std::string::npos);
}

TEST_CASE("an interrupt ends check at once", "[cli][check]") {
  const Program coslice;
  const Said said = coslice.shell("coslice check conservative --runs 100000000 --out f.lua & until_ready $!; sleep "
                                  "0.3; kill -INT $!; wait $!; echo $?");
  CHECK(said.out == "130\n");
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "f.lua"));
}
