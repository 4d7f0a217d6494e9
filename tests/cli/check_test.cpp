// coslice check.
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

namespace check_test {

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
  CHECK(said.out ==
        "fcfs: 50 random workloads with 344 jobs run to their end, and no violation was found in what they reached\n"
        "claims: never-idle, in-order, head-never-delayed, no-starvation; all kept (its\n"
        "  own, and those of its backfilling)\n"
        "reached: a job that waits, several jobs that wait, a job that starts before an\n"
        "  earlier one, a job that ends before its limit, a job killed at its limit, a\n"
        "  job that runs on beyond its limit, a job larger than the machine, a machine\n"
        "  that is empty between jobs, a machine whose nodes differ, a job that asks for\n"
        "  a part of a node, a job that asks for GPUs, a moldable job that gets another\n"
        "  size than its own\n"
        "not reached: nothing that is looked for\n");
  const json report = json::parse(coslice("check fcfs -n 50 --seed 3 --json").out);
  CHECK(report["policy"] == "fcfs");
  CHECK(report["workloads"] == 50);
  CHECK(report["seed"] == 3);
  CHECK(report["counterexample"].is_null());
}

TEST_CASE("check says what it did not reach", "[cli][check]") {
  const Program coslice;
  coslice.folder.write("shy.lua", "return { api = 1, name = \"shy\", version = \"1\",\n"
                                  "  may_start = function() return true end,\n"
                                  "  ended = function() end }\n");
  const json report = json::parse(coslice("check shy.lua -n 1 --most-jobs 1 --json").out);
  CHECK(report["not_reached"].dump().find("a job that waits") != std::string::npos);
  CHECK(report["not_reached"].dump().find("hook 'ended'") == std::string::npos);
  const json waiting = json::parse(coslice("check shy.lua -n 100 --json").out);
  CHECK(waiting["not_reached"].dump().find("a job that waits") == std::string::npos);
  // A key that the engine computes by itself counts as called.
  CHECK(json::parse(coslice("check wfp3 -n 20 --json").out)["not_reached"].dump().find("hook") == std::string::npos);
  // The hook of a policy whose slices another one schedules.
  coslice.folder.write("slices.lua",
                       "return { api = 1, name = \"sliced\", version = \"1\", submitted = function() end,\n"
                       "  slices = { scheduler = \"fcfs\", classes = { { name = \"all\" } } } }\n");
  const json never = json::parse(coslice("check slices.lua -n 20 --json").out);
  CHECK(never["not_reached"].dump().find("a call of the hook 'submitted'") != std::string::npos);
}

TEST_CASE("check draws days and weeks for a policy that looks at the clock", "[cli][check]") {
  const Program coslice;
  const auto weeks = [&](const std::string& fields) {
    coslice.folder.write("timed.lua", "return { api = 1, name = \"timed\", version = \"1\", " + fields + " }\n");
    const json report = json::parse(coslice("check timed.lua -n 40 --json").out);
    return report["reached"].dump().find("weeks") != std::string::npos;
  };
  CHECK_FALSE(weeks("key = function(job) return job.estimate end"));
  CHECK_FALSE(weeks("may_start = function() return true end"));
  CHECK(weeks("may_start = function(job, now) return true end"));
  CHECK(weeks("dynamic_key = function(job, now) return -now end"));
  CHECK(weeks("schedule = function(view) if view.now >= 0 then view:easy() end end"));
  // A mistake that shows only at the week-end, on the third day or later.
  coslice.folder.write("tired.lua", "return { api = 1, name = \"tired\", version = \"1\", schedule = function(view)\n"
                                    "  if view.now > 500000 and view.waiting_count > 1 then error(\"tired\") end\n"
                                    "  view:start_in_order() end }\n");
  const Said said = coslice("check tired.lua");
  CHECK(said.status == 1);
  CHECK(said.out.find("tired: it fails") == 0);
}

TEST_CASE("check finds GPUs that a placement leaves idle beside a job that waits for them", "[cli][check]") {
  const Program coslice;
  coslice.folder.write("two.lua", "return { api = 1, name = \"two\", version = \"1\", backfill = \"easy\",\n"
                                  "  placement = function(node) return node.jobs < 2 and 1 end }\n");
  const Said said = coslice("check two.lua");
  CHECK(said.status == 1);
  CHECK(said.out.find("two: the claim no-idle-gpus does not hold\n  at ") == 0);
  CHECK(coslice("check colocate -n 60").status == 0);
  CHECK(coslice("check colocate -n 60 --set policy.params.max_jobs=1").status == 0);
}

TEST_CASE("check finds nothing where jobs stand still, go on and lend their nodes at random", "[cli][check]") {
  const Program coslice;
  const std::string restless = std::string("check '") + COSLICE_SOURCE + "/tests/policies/restless.lua' -n 150";
  CHECK(coslice(restless).status == 0);
  CHECK(coslice(restless + " --set policy.params.acts=turns").status == 0);
  CHECK(coslice(restless + " --set policy.params.base=conservative").status == 0);
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

}  // namespace check_test
