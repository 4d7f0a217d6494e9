// coslice check: what it finds, and that it makes it small.
#include "lab/check/check.h"

#include "case_range.h"
#include "catch.h"
#include "core/error.h"
#include "lab/check/shrink.h"
#include "scratch_folder.h"
#include "testing/suite.h"

namespace check_test {

using namespace coslice;
using namespace coslice::check;

namespace {

/// EASY that forgets the first job of the queue.
const char* const kDelays = R"(return { api = 1, name = "delays", version = "1", claims = { "head-never-delayed" },
  schedule = function(view)
    local head = view:start_in_order()
    if not head then return end
    for job in view:waiting(head) do
      if view:fits(job) then view:start(job) end
    end
  end }
)";

/// Conservative backfilling, but that the first job shares its nodes with the one that comes next.
const char* const kUnfair = R"(return { api = 1, name = "unfair", version = "1", claims = { ["fairness-bound"] = 4 },
  params = { pairs = { default = true, doc = "" } },
  sharing = { alone = function() return 1 end, shared = function() return 1 end },
  schedule = function(view, params)
    local head = view:head()
    if params.pairs and head and view:fits(head) and not view:reservation(head) then
      local rules = { memory = false, matchable = false, max_slowdown = math.huge }
      local pair = view:best_pair(head, (view:partners(head, rules)), { by = "first" })
      if pair and view:can_start_group(pair) then view:start_group(pair) end
    end
    view:conservative()
  end }
)";

const char* const kStarves = R"(return { api = 1, name = "starves", version = "1", claims = { "no-starvation" },
  order = "duration", backfill = "easy" }
)";

const char* const kRaises = R"(local started = 0
return { api = 1, name = "raises", version = "1",
  started = function(_, job)
    started = started + 1
    if started == 2 and job.nodes > 2 then error("too wide") end
  end }
)";

const char* const kLoops = R"(return { api = 1, name = "loops", version = "1",
  schedule = function(view)
    while view.waiting_count > 2 do end
    view:start_in_order()
  end }
)";

const char* const kForgets = R"(return { api = 1, name = "forgets", version = "1",
  may_start = function(job) return job.user ~= 3 end }
)";

CheckReport checked(const std::string& policy, std::int64_t cases = 2000, int workers = 2, std::uint64_t seed = 1) {
  CheckOptions options;
  options.policy = policy;
  options.cases = cases;
  options.workers = workers;
  options.seed = seed;
  return check::check(options);
}

/// The counterexample's suite: its one case.
CaseResult outcome_of(const ScratchFolder& folder, const CheckReport& report, const std::string& policy) {
  CheckOptions options;
  options.policy = policy;
  const std::string path = folder.write("found_test.lua", regression_test(report, options, policy));
  Suite suite(path, {});
  REQUIRE(suite.size() == 1);
  return suite.run(0);
}

}  // namespace

TEST_CASE("planted mistakes are found, with five jobs at most, and the suite shows them", "[check]") {
  struct Planted {
    const char* name;
    const char* text;
    Finding::Kind kind;
    const char* claim;
  };
  const Planted all[] = {{"delays.lua", kDelays, Finding::Kind::kClaim, "head-never-delayed"},
                         {"unfair.lua", kUnfair, Finding::Kind::kClaim, "fairness-bound"},
                         {"starves.lua", kStarves, Finding::Kind::kClaim, "no-starvation"},
                         {"raises.lua", kRaises, Finding::Kind::kError, ""},
                         {"loops.lua", kLoops, Finding::Kind::kError, ""},
                         {"forgets.lua", kForgets, Finding::Kind::kError, ""}};
  const ScratchFolder folder;
  for (const Planted& p : all) {
    INFO(p.name);
    const std::string path = folder.write(p.name, p.text);
    const CheckReport report = checked(path);
    REQUIRE(report.counterexample);
    const Counterexample& c = *report.counterexample;
    INFO(c.finding.what);
    CHECK(c.finding.kind == p.kind);
    if (p.claim[0] != '\0') CHECK(c.finding.claim == p.claim);
    CHECK(c.smallest.jobs.size() <= 5);
    CHECK(outcome_of(folder, report, p.name).status == CaseStatus::kFailed);
  }
}

TEST_CASE("the same policy without its mistake is left in peace", "[check]") {
  const ScratchFolder folder;
  CheckOptions options;
  options.policy = folder.write("fair.lua", kUnfair);
  Value pairs(false);
  options.params.set("pairs", pairs);
  options.cases = 400;
  CHECK_FALSE(check::check(options).counterexample);
  options.params = Value::table();
  CHECK(check::check(options).counterexample);
}

TEST_CASE("a hook that is only called inside of another one counts as reached", "[check]") {
  const ScratchFolder folder;
  const std::string policy = folder.write("inner.lua", R"(return { api = 1, name = "inner", version = "1",
  schedule = function(view) view:start_in_order() end,
  started = function() end, ended = function() end }
)");
  for (const std::string& missed : checked(policy, test::rounds(std::int64_t{24})).missed)
    CHECK(missed.find("a call of the hook") == std::string::npos);
}

TEST_CASE("what is found does not depend on the number of threads", "[check]") {
  const ScratchFolder folder;
  const std::string path = folder.write("delays.lua", kDelays);
  const CheckReport one = checked(path, 500, 1), many = checked(path, 500, 7);
  REQUIRE((one.counterexample && many.counterexample));
  CheckOptions options;
  CHECK(one.cases == many.cases);
  CHECK(one.counterexample->tries == many.counterexample->tries);
  CHECK(regression_test(one, options, "p") == regression_test(many, options, "p"));
  CHECK(checked(path, 500, 2, 2).counterexample->smallest.seed >= 1);
}

TEST_CASE("policies of every kind that come with coslice hold what they claim", "[check][times]") {
  for (const char* policy :
       {"fcfs", "easy", "conservative", "easy_sjbf", "predicted", "sjf", "wfp3", "multifactor", "relaxed",
        "user_limits", "scojo_pect", "glomarc_ts", "glomarc_ssp", "lomarc", "lomarc_r", "lomarc_ac", "gang", "fcs"}) {
    INFO(policy);
    const CheckReport report = checked(policy, 64);
    INFO((report.counterexample ? report.counterexample->finding.what : ""));
    CHECK_FALSE(report.counterexample);
  }
}

TEST_CASE("machines whose nodes differ are drawn, with jobs that can run there", "[check]") {
  std::size_t differing = 0, partitions = 0, licences = 0, gpus = 0, shares = 0, whole = 0;
  for (std::uint64_t i = 0; i != 600; ++i) {
    const Case c = draw_case(1, i, {}, {12, 8});
    REQUIRE(can_run(c));
    if (c.kinds.empty()) continue;
    ++differing;
    partitions += c.partitions.size();
    licences += c.licences > 0 ? 1 : 0;
    for (const SmallJob& job : c.jobs) {
      whole += job.asks.empty() ? 1 : 0;
      for (const auto& [name, value] : job.asks) gpus += name == "gpus" ? 1 : 0, shares += name == "gpu_share" ? 1 : 0;
    }
  }
  CHECK(differing == 200);
  for (const std::size_t n : {partitions, licences, gpus, shares, whole}) CHECK(n > 20);
  Kind equal;
  equal.equal = true;
  for (std::uint64_t i = 0; i != 60; ++i) CHECK(draw_case(1, i, equal, {12, 8}).kinds.empty());
}

TEST_CASE("moldable jobs are drawn where a policy can have them, and a mistake with them is found", "[check]") {
  const auto moldable = [](const Kind& kind) {
    std::size_t jobs = 0;
    for (std::uint64_t i = 0; i != 600; ++i) {
      const Case c = draw_case(1, i, kind, {12, 8});
      REQUIRE(can_run(c));
      for (const SmallJob& job : c.jobs)
        for (const auto& said : job.said) jobs += said.first == "sizes" ? 1 : 0;
    }
    return jobs;
  };
  Kind sliced, placed;
  sliced.sliced = true;
  placed.placed = true;
  CHECK(moldable({}) > 100);
  CHECK(moldable(sliced) > 100);
  CHECK(moldable(placed) > 100);

  const ScratchFolder folder;
  const std::string path = folder.write("molds.lua", R"(return { api = 1, name = "molds", version = "1",
  schedule = function(view)
    for job in view:waiting() do
      local sizes = view:sizes(job)
      if sizes and #sizes > 2 then error("too many") end
    end
    view:start_in_order()
  end }
)");
  const CheckReport report = checked(path);
  REQUIRE(report.counterexample);
  CHECK(report.counterexample->smallest.jobs.size() == 1);
  CHECK(regression_test(report, CheckOptions{}, path).find("sizes=\"") != std::string::npos);
}

TEST_CASE("a mistake that shows only where nodes differ is found, made small, and shown by the suite", "[check]") {
  const ScratchFolder folder;
  const std::string path = folder.write("gpus.lua", R"(return { api = 1, name = "gpus", version = "1",
  placement = function(node, job)
    if job.request.gpus > 0 and node.gpus > 1 then error("too many") end
    return 0
  end, backfill = "easy" }
)");
  const CheckReport report = checked(path);
  REQUIRE(report.counterexample);
  const Case& c = report.counterexample->smallest;
  CHECK(report.counterexample->finding.kind == Finding::Kind::kError);
  CHECK(c.jobs.size() == 1);
  REQUIRE(c.kinds.size() == 1);
  CHECK(c.kinds[0].gpus == 2);
  CHECK(c.kinds[0].cores == 1);
  CHECK(c.partitions.empty());
  CHECK(c.licences == 0);
  CHECK(c.jobs[0].asks.size() == 1);
  CHECK(outcome_of(folder, report, "gpus.lua").status == CaseStatus::kFailed);
  CheckOptions options;
  options.policy = path;
  options.equal_nodes = true;
  options.cases = 400;
  CHECK_FALSE(check::check(options).counterexample);
}

TEST_CASE("shrinking keeps what fails, and stops", "[check]") {
  const Case large = draw_case(3, 5, {}, {12, 8});
  Case one = large;
  const auto has_wide_job = [](const Case& c) {
    for (const SmallJob& job : c.jobs)
      if (job.nodes >= 2 && job.runtime >= 3) return true;
    return false;
  };
  one.jobs.push_back(one.jobs.back());
  one.jobs.back().nodes = 7;
  one.jobs.back().runtime = 9000;
  const Shrunk s = shrink(one, has_wide_job, 2000);
  REQUIRE(s.smallest.jobs.size() == 1);
  CHECK(s.smallest.jobs[0].nodes == 2);
  CHECK(s.smallest.jobs[0].runtime == 3);
  CHECK(s.smallest.nodes == 1);
  CHECK(s.tries < 2000);
  CHECK(shrink(one, has_wide_job, 5).tries == 5);
}

TEST_CASE("a policy that cannot be loaded is bad input", "[check]") {
  const ScratchFolder folder;
  CHECK_THROWS_AS(checked("no_such_policy"), InputError);
  const auto problem = [&](const std::string& claims) -> std::string {
    const std::string path =
        folder.write("claims.lua", "return { api = 1, name = \"c\", version = \"1\", claims = " + claims + " }\n");
    try {
      checked(path, 1);
    } catch (const InputError& e) {
      return e.what();
    }
    return "nothing";
  };
  CHECK(problem("{ \"never-idel\" }").find("did you mean 'never-idle'?") != std::string::npos);
  CHECK(problem("\"never-idle\"").find("field 'claims' is") != std::string::npos);
  CHECK(problem("{ 3 }").find("policy: a claim is ") != std::string::npos);
  CHECK(problem("{ [\"never-idle\"] = 1 }").find("has no number") != std::string::npos);
  CHECK(problem("{ [\"fairness-bound\"] = 0.5 }").find("at least 1") != std::string::npos);
  CHECK(problem("{ [\"no-starvation\"] = -1 }").find("at least 0") != std::string::npos);
  CHECK(problem("{ [\"no-starvation\"] = 0/0 }").find("at least 0") != std::string::npos);
  CHECK(problem("{}") == "nothing");
}

}  // namespace check_test
