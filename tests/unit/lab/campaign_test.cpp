// Campaigns: the file, the plan, the sweep with its results, the parts.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

#include "catch.h"
#include "core/error.h"
#include "lab/campaign/campaign.h"
#include "lab/campaign/database.h"
#include "lab/campaign/merge.h"
#include "lab/campaign/plan.h"
#include "lab/campaign/results.h"
#include "lab/campaign/results_file.h"
#include "lab/campaign/sweep.h"
#include "output/jobs_csv.h"
#include "runner/runner.h"
#include "scenario/load.h"
#include "scenario/toml.h"
#include "scratch_folder.h"

namespace campaign_test {

using namespace coslice;

namespace {

const char* const kBase = "[machine]\nnodes = 16\n[workload]\ngenerator = \"lublin\"\nlublin = { jobs = 40 }\n";

/// A campaign file in a folder with its base scenario.
struct CampaignFolder {
  ScratchFolder folder;
  CampaignFolder() { folder.write("base.toml", kBase); }

  Campaign campaign(const std::string& text) const {
    return read_campaign(folder.write("c.toml", "[campaign]\nscenario = \"base.toml\"\n" + text));
  }
  Plan plan(const std::string& text) const { return make_plan(campaign(text)); }
  std::string refusal(const std::string& text) const {
    try {
      plan(text);
    } catch (const InputError& e) {
      std::string message = e.what();
      const std::size_t at = message.find(folder / "");
      return at == std::string::npos ? message : message.erase(at, (folder / "").size());
    }
    return "";
  }
  SweepOutcome swept(const std::string& text, const std::string& file, SweepOptions o = {}) const {
    const Campaign c = campaign(text);
    o.results = folder / file;
    return sweep(c, make_plan(c), o);
  }
};

SweepOptions resumed() {
  SweepOptions o;
  o.resume = true;
  return o;
}

/// "easy 1, easy 2": values of some axes of each run.
std::string points(const Plan& plan, const std::vector<std::string>& axes) {
  std::string out;
  for (const PlannedRun& run : plan.runs) {
    out += out.empty() ? "" : ", ";
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const Value* v = run.point.find(axes[i]);
      out += (i == 0 ? "" : " ") + (v->is_nil() ? "-" : v->text() ? *v->text() : toml_text(*v));
    }
  }
  return out;
}

std::string values(const std::string& toml) {
  std::string out;
  for (const Value& v : axis_values(*parse_toml_value(toml, std::make_shared<Source>()), "a"))
    out += (out.empty() ? "" : " ") + toml_text(v);
  return out;
}

/// All that the tables hold, but for host and time.
std::string content(const std::string& file) {
  const Database database(file, Database::Mode::kRead);
  std::string out;
  const auto add = [&](const std::string& sql) {
    Statement rows(database, sql);
    while (rows.step()) {
      for (int c = 0; c < rows.columns(); ++c) out += rows.text(c) + "|";
      out += "\n";
    }
  };
  add("SELECT * FROM meta ORDER BY key");
  add("SELECT * FROM axes ORDER BY position");
  add("SELECT run, key, status, error, policy, workload, seed, point, scenario, summary, fingerprint, version FROM "
      "runs ORDER BY run");
  if (CampaignResults(file).has_jobs()) add("SELECT * FROM jobs ORDER BY run, job_id");
  add("SELECT sql FROM sqlite_master ORDER BY name");
  return out;
}

const char* const kGrid =
    "seeds = 2\njobs = true\n[axes]\npolicy = [\"fcfs\", \"easy\"]\n\"machine.nodes\" = [16, 32]\n";

}  // namespace

TEST_CASE("axes are lists and ranges", "[campaign]") {
  CHECK(values("[3, \"a\", true]") == "3 \"a\" true");
  CHECK(values("{ from = 1, to = 10, step = 3 }") == "1 4 7 10");
  CHECK(values("{ from = 0.1, to = 0.5, step = 0.1 }") == "0.1 0.2 0.3 0.4 0.5");
  CHECK(values("{ from = 1, to = 64, factor = 4 }") == "1 4 16 64");
  CHECK(values("{ from = 2, to = 2, step = 1 }") == "2");
  CHECK_THROWS_WITH(values("{ from = 2, to = 1, step = 1 }"), Catch::Contains("ends below its beginning"));
  CHECK_THROWS_WITH(values("{ from = 1, to = 2 }"), Catch::Contains("has no step"));
  CHECK_THROWS_WITH(values("{ from = 0, to = 1e9, step = 1e-9 }"), Catch::Contains("too many"));
  CHECK_THROWS_WITH(values("[]"), Catch::Contains("a is an empty list"));
  CHECK_THROWS_WITH(values("7"), Catch::Contains("a list, or a range"));
}

TEST_CASE("a grid: seeds vary slowest, then the axes of the file", "[campaign]") {
  const CampaignFolder f;
  CHECK(points(f.plan("seeds = 2\n[axes]\n\"machine.nodes\" = [16, 32]\npolicy = [\"fcfs\", \"easy\"]\n"),
               {"seed", "machine.nodes", "policy"}) ==
        "1 16 fcfs, 1 16 easy, 1 32 fcfs, 1 32 easy, 2 16 fcfs, 2 16 easy, 2 32 fcfs, 2 32 easy");
  CHECK(points(f.plan("seeds = [7, 3]\n"), {"seed"}) == "7, 3");
  CHECK(points(f.plan("[[zipped]]\n\"machine.nodes\" = [16, 32]\n\"workload.lublin.jobs\" = [10, 20]\n"),
               {"machine.nodes", "workload.lublin.jobs"}) == "16 10, 32 20");
}

TEST_CASE("a filter sees the axes by their short names", "[campaign]") {
  const CampaignFolder f;
  const std::string axes = "[axes]\npolicy = [\"fcfs\", \"easy\"]\n\"workload.lublin.load\" = [0.5, 0.7]\n";
  const auto left = [&](const std::string& where) {
    return points(f.plan("where = '''" + where + "'''\n" + axes), {"policy", "workload.lublin.load"});
  };
  CHECK(left("policy == 'easy' or load < 0.6") == "fcfs 0.5, easy 0.5, easy 0.7");
  CHECK(left("function(point) return point['workload.lublin.load'] > 0.6 and point.policy ~= 'easy' end") ==
        "fcfs 0.7");
  CHECK(left("local l = load * 10\nreturn math.floor(l) == 5 and policy == \"fcfs\"") == "fcfs 0.5");
  CHECK_THAT(f.refusal("where = \"polciy == 'easy'\"\n" + axes),
             Catch::Contains("c.toml:3: campaign.where") && Catch::Contains("there is no axis 'polciy'"));
  CHECK_THAT(f.refusal("where = \"policy ==\"\n" + axes), Catch::Contains("c.toml:3: campaign.where"));
  CHECK_THAT(f.refusal("where = \"policy\"\n" + axes), Catch::Contains("the answer is '"));
  CHECK_THAT(f.refusal("where = \"42\"\n" + axes), Catch::Contains("the answer is 42, not true or false"));
  CHECK_THAT(f.refusal("where = \"false\"\n" + axes), Catch::Contains("leaves no point"));
}

TEST_CASE("a policy gets its own parameters, and equal points are run once", "[campaign]") {
  const CampaignFolder f;
  f.folder.write("mine.lua",
                 "return { api = 1, name = \"mine\", version = \"1\", params = { weight = { default = 1, min = 0, doc "
                 "= \"w\" } },\n"
                 "key = function(job, params) return job.submit * params.weight end, backfill = \"easy\" }\n");
  const Plan plan = f.plan("[axes]\npolicy = [\"fcfs\", \"mine\"]\n\"policy.params.weight\" = [1, 2, 3]\n");
  CHECK(points(plan, {"policy", "policy.params.weight"}) == "fcfs -, mine 1, mine 2, mine 3");
  CHECK(plan.equal == 2);
  CHECK_THAT(f.refusal("[axes]\npolicy = [\"fcfs\", \"mine\"]\n\"policy.params.weigth\" = [1, 2]\n"),
             Catch::Contains("c.toml:5: no policy of the campaign has a parameter 'weigth'; did you mean 'weight'?"));
  CHECK_THAT(f.refusal("[axes]\npolicy = [\"mine\"]\n\"policy.params.weight\" = [-1]\n"), Catch::Contains("weight"));
}

TEST_CASE("mistakes in a campaign name the line", "[campaign]") {
  const CampaignFolder f;
  CHECK_THAT(f.refusal("[axes]\n\"machine.nodse\" = [1]\n"), Catch::Contains("c.toml:4: unknown key 'machine.nodse'"));
  CHECK_THAT(f.refusal("seed = 3\n"),
             Catch::Contains("c.toml:3: unknown key 'campaign.seed'") && Catch::Contains("did you mean 'seeds'?"));
  CHECK_THAT(f.refusal("[axis]\n"), Catch::Contains("c.toml:3: unknown key 'axis'"));
  CHECK_THAT(f.refusal("[axes]\n\"machine.nodes\" = [8, 8]\n"), Catch::Contains("c.toml:4: 8 appears twice"));
  CHECK_THAT(f.refusal("seeds = 2\n[axes]\nseed = [1]\n"), Catch::Contains("two axes are called 'seed'"));
  CHECK_THAT(f.refusal("[axes]\npolicy = [\"fcfs\"]\n\"policy.name\" = [\"easy\"]\n"), Catch::Contains("two axes"));
  CHECK_THAT(f.refusal("[[zipped]]\n\"machine.nodes\" = [8, 9]\nseed = [1]\n"),
             Catch::Contains("has 1 values and zipped.machine.nodes has 2"));
  CHECK_THAT(f.refusal("[scenario.policy]\nname = [\"fcfs\", \"easy\"]\n"), Catch::Contains("names 2 policies"));
}

TEST_CASE("axes that put one another out of effect, and files that are not there", "[campaign]") {
  const CampaignFolder f;
  f.folder.write("w.swf", "1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n");
  CHECK_THAT(f.refusal("[axes]\n\"workload.lublin.load\" = [0.7, 0.9]\n\"workload.trace\" = [\"w.swf\"]\n"),
             Catch::Contains("c.toml:4: the axis 'workload.lublin.load' has no effect: 'workload.trace' puts it out of "
                             "effect at every point; expected one of the two"));
  CHECK(f.plan("[axes]\n\"workload.trace\" = [\"w.swf\"]\n").runs.size() == 1);
  CHECK_THAT(f.refusal("[axes]\n\"workload.trace\" = [\"w.swf\", \"none.swf\"]\n"),
             Catch::Contains("c.toml:4: ") && Catch::Contains("none.swf cannot be opened: No such file"));
  f.folder.write("folder/a", "");
  CHECK_THAT(f.refusal("[axes]\n\"workload.trace\" = [\"folder\"]\n"), Catch::Contains("folder is a folder"));
  // At some points only: there the axis is empty, as a parameter is of policies without it.
  const Plan plan =
      f.plan("[axes]\n\"workload.longest_estimate\" = [3600, 7200]\n\"workload.estimates\" = [\"model\", \"exact\"]\n");
  CHECK(points(plan, {"workload.estimates", "workload.longest_estimate"}) == "model 3600, exact -, model 7200");
  CHECK(plan.equal == 1);
}

TEST_CASE("a key says what a run is made from, and nothing else", "[campaign]") {
  const CampaignFolder f;
  const auto key = [&](const std::string& text) { return f.plan(text).runs.front().key; };
  const std::string plain = key("");
  CHECK(key("[scenario]\nseed = 1\n") == plain);
  CHECK(key("[scenario]\ndescription = \"words\"\n") == plain);
  CHECK(key("[scenario.output]\nfiles = []\n") == plain);
  CHECK(key("[scenario]\nseed = 2\n") != plain);
  f.folder.write("easy.lua", "return { api = 1, name = \"easy\", version = \"9\", backfill = \"easy\" }\n");
  CHECK(key("[axes]\npolicy = [\"easy\"]\n") != plain);
  const std::string before = key("[axes]\npolicy = [\"easy\"]\n");
  f.folder.write("easy.lua", "return { api = 1, name = \"easy\", version = \"10\", backfill = \"easy\" }\n");
  CHECK(key("[axes]\npolicy = [\"easy\"]\n") != before);
}

TEST_CASE("a key knows the modules behind a policy, a workload and a slice's scheduler", "[campaign]") {
  const CampaignFolder f;
  const auto key = [&](const std::string& text) { return f.plan(text).runs.front().key; };
  const auto changes = [&](const std::string& text, const std::string& file, const std::string& was,
                           const std::string& is) {
    f.folder.write(file, was);
    const std::string before = key(text);
    f.folder.write(file, is);
    const std::string after = key(text);
    f.folder.write(file, was);
    return before != after && key(text) == before;
  };
  const std::string policy = "[axes]\npolicy = [\"mine.lua\"]\n";
  const std::string one = "return { order = 1 }\n", two = "return { order = 2 }\n";
  f.folder.write(
      "mine.lua",
      "local names = { 'made' }\nlocal weights = require(\"weights\")\nrequire(names[1] .. 'up')\n"
      "return { api = 1, name = \"mine\", version = \"1\", key = function() return require 'later'.order end }\n");
  f.folder.write("weights.lua", "return require [[parts.deep]]\n");
  f.folder.write("parts/deep.lua", one);
  f.folder.write("later.lua", one);
  f.folder.write("madeup.lua", one);
  CHECK(changes(policy, "weights.lua", "return require [[parts.deep]]\n", "return {}\n"));
  CHECK(changes(policy, "parts/deep.lua", one, two));  // of a module
  CHECK(changes(policy, "later.lua", one, two));       // not before a hook is called
  CHECK(changes(policy, "madeup.lua", one, two));      // by a name that stands nowhere
  CHECK_FALSE(changes(policy, "other.lua", one, two));

  f.folder.write("jobs.lua",
                 "local sizes = require 'sizes'\nreturn { api = 1, name = 'jobs', jobs = function() return { { "
                 "submit = 0, nodes = sizes[1], runtime = 10 } } end }\n");
  const std::string script = "[scenario]\nworkload = { script = \"jobs.lua\" }\n";
  f.folder.write("base.toml", "[machine]\nnodes = 16\n");
  CHECK(changes(script, "sizes.lua", "return { 1 }\n", "return { 2 }\n"));

  f.folder.write("base.toml", kBase);
  f.folder.write("turns.lua",
                 "return { api = 1, name = \"turns\", version = \"1\", slices = { scheduler = \"inner\", classes = { { "
                 "name = \"all\", share = 1 } }, interval = 3600 } }\n");
  const std::string inner = "return { api = 1, name = \"inner\", version = \"1\", backfill = \"easy\" }\n";
  CHECK(changes("[axes]\npolicy = [\"turns\"]\n", "inner.lua", inner, inner + "-- other\n"));
}

TEST_CASE("a key does not tell from where a campaign was called", "[campaign]") {
  const CampaignFolder f;
  f.folder.write("mine.lua", "return { api = 1, name = \"mine\", version = \"1\", backfill = \"easy\" }\n");
  const std::string text = "[axes]\npolicy = [\"mine\", \"easy\"]\n";
  const Plan whole = f.plan(text);
  struct Inside {
    std::filesystem::path before = std::filesystem::current_path();
    explicit Inside(const std::string& folder) { std::filesystem::current_path(folder); }
    ~Inside() { std::filesystem::current_path(before); }
  };
  const auto digest_inside = [&] {
    const Inside inside(f.folder / "");
    return make_plan(read_campaign("c.toml")).digest;
  };
  CHECK(digest_inside() == whole.digest);
  f.folder.write("mine.lua", "return { api = 1, name = \"mine\", version = \"2\", backfill = \"easy\" }\n");
  CHECK(digest_inside() != whole.digest);
}

TEST_CASE("the results are the same whatever the number of workers", "[campaign]") {
  const CampaignFolder f;
  std::string first;
  for (const int workers : {1, 2, 8}) {
    SweepOptions o;
    o.workers = workers;
    const std::string file = std::to_string(workers) + ".sqlite";
    CHECK(f.swept(kGrid, file, o).made == 8);
    if (first.empty()) first = content(f.folder / file);
    CHECK(content(f.folder / file) == first);
  }
  CHECK(first.find("all.wait.mean") != std::string::npos);
}

TEST_CASE("a row says everything of its run", "[campaign]") {
  const CampaignFolder f;
  f.swept(kGrid, "r.sqlite");
  const CampaignResults results(f.folder / "r.sqlite");
  CHECK(results.name() == "c");
  CHECK(results.axes() == std::vector<std::string>{"policy", "machine.nodes", "seed"});
  CHECK(results.planned() == 8);
  const std::vector<CampaignRun> runs = results.runs();
  REQUIRE(runs.size() == 8);
  const CampaignRun& r = runs[6];
  CHECK(r.run == 7);
  CHECK(r.done);
  CHECK(r.policy == "easy");
  CHECK(r.workload == "lublin");
  CHECK(r.seed == 2);
  CHECK(*r.point.find("machine.nodes")->integer() == 16);
  CHECK(r.wall_seconds > 0);
  f.folder.write("again.toml", r.scenario);
  const Runner runner(load_scenario(f.folder / "again.toml"));
  const PolicyRun again = runner.run(0);
  CHECK(fmt::format("{:016x}", again.result.fingerprint) == r.fingerprint);
  std::string csv;
  write_jobs_csv(again.result, runner.scenario().metrics, sink_to(csv));
  CHECK(results.jobs_csv(7) == csv);
}

TEST_CASE("jobs of runs with time slices and on shared nodes come back byte for byte", "[campaign]") {
  const CampaignFolder f;
  f.swept("jobs = true\n[scenario]\nslowdown.model = \"drawn\"\n[axes]\npolicy = [\"scojo_pect\", \"glomarc_ts\", "
          "\"easy\"]\n",
          "r.sqlite");
  const CampaignResults results(f.folder / "r.sqlite");
  for (const CampaignRun& r : results.runs()) {
    INFO(r.policy << r.error);
    REQUIRE(r.done);
    const Runner runner(load_scenario(f.folder.write("again.toml", r.scenario)));
    std::string csv;
    write_jobs_csv(runner.run(0).result, runner.scenario().metrics, sink_to(csv));
    CHECK(results.jobs_csv(r.run) == csv);
  }
}

TEST_CASE("a run that fails is recorded, and the others go on", "[campaign]") {
  const CampaignFolder f;
  f.folder.write("bad.lua", "return { api = 1, name = \"bad\", version = \"1\", key = function(job) if job.id == 9 "
                            "then error(\"no nines\") end return 1 end }\n");
  f.folder.write("endless.lua",
                 "return { api = 1, name = \"endless\", version = \"1\", key = function() while true do end end }\n");
  f.folder.write("huge.lua", "return { api = 1, name = \"huge\", version = \"1\", key = function() local t = {} for i "
                             "= 1, 1e9 do t[i] = {} end return 1 end }\n");
  SweepOptions o;
  o.workers = 3;
  const std::string text =
      "[scenario.engine]\ninstructions = 1000000\n[axes]\npolicy = [\"bad\", \"endless\", \"easy\", \"huge\"]\n";
  const SweepOutcome outcome = f.swept(text, "r.sqlite", o);
  CHECK(outcome.failed == 3);
  CHECK(outcome.failures.size() == 3);
  const std::vector<CampaignRun> runs = CampaignResults(f.folder / "r.sqlite").runs();
  REQUIRE(runs.size() == 4);
  CHECK_THAT(runs[0].error, Catch::Contains("no nines"));
  CHECK_THAT(runs[1].error, Catch::Contains("instructions"));
  CHECK(runs[2].done);
  CHECK_FALSE(runs[3].done);
  SECTION("and is made again only if asked for") {
    CHECK(f.swept(text, "r.sqlite", resumed()).made == 0);
    SweepOptions retry = resumed();
    retry.retry = true;
    CHECK(f.swept(text, "r.sqlite", retry).made == 3);
  }
}

TEST_CASE("a campaign that has grown makes only the new runs", "[campaign]") {
  const CampaignFolder f;
  const auto text = [](const std::string& seeds, const std::string& policies) {
    return "jobs = true\nseeds = " + seeds + "\n[axes]\npolicy = [" + policies + "]\n";
  };
  f.swept(text("2", "\"easy\""), "r.sqlite");
  CHECK(f.swept(text("3", "\"easy\""), "r.sqlite", resumed()).made == 1);
  const SweepOutcome grown = f.swept(text("3", "\"fcfs\", \"easy\""), "r.sqlite", resumed());
  CHECK(grown.made == 3);
  CHECK(grown.kept == 3);
  f.swept(text("3", "\"fcfs\", \"easy\""), "fresh.sqlite");
  CHECK(content(f.folder / "r.sqlite") == content(f.folder / "fresh.sqlite"));
  SECTION("one that has shrunk says so") {
    CHECK_THROWS_WITH(f.swept(text("2", "\"easy\""), "r.sqlite", resumed()),
                      Catch::Contains("4 of its 6 runs are not in the campaign"));
    CHECK(content(f.folder / "r.sqlite") == content(f.folder / "fresh.sqlite"));
    SweepOptions prune = resumed();
    prune.prune = true;
    CHECK(f.swept(text("2", "\"easy\""), "r.sqlite", prune).made == 0);
    f.swept(text("2", "\"easy\""), "small.sqlite");
    CHECK(content(f.folder / "r.sqlite") == content(f.folder / "small.sqlite"));
  }
}

TEST_CASE("a file of results is not taken for another one", "[campaign]") {
  const CampaignFolder f;
  f.swept("", "r.sqlite");
  CHECK_THROWS_WITH(f.swept("", "r.sqlite"), Catch::Contains("already exists"));
  CHECK_THROWS_WITH(f.swept("name = \"other\"\n", "r.sqlite", resumed()),
                    Catch::Contains("holds the results of the campaign 'c'"));
  CHECK_THROWS_WITH(f.swept("jobs = true\n", "r.sqlite", resumed()), Catch::Contains("without the jobs"));
  f.folder.write("text.sqlite", std::string(5000, 'x'));
  CHECK_THROWS_WITH(f.swept("", "text.sqlite", resumed()), Catch::Contains("is not a results file"));
  CHECK_THROWS_WITH(CampaignResults(f.folder / "base.toml"), Catch::Contains("is not a results file"));
  CHECK_FALSE(is_campaign_results(f.folder / "base.toml"));
  CHECK(is_campaign_results(f.folder / "r.sqlite"));
  f.folder.write("empty.sqlite", "");
  CHECK(f.swept("", "empty.sqlite", resumed()).made == 1);
}

TEST_CASE("two sweeps do not write to one file", "[campaign]") {
  const CampaignFolder f;
  f.swept("", "r.sqlite");
  const FileLock held(f.folder / "r.sqlite");
  CHECK_THROWS_WITH(f.swept("", "r.sqlite", resumed()), Catch::Contains("another process is writing"));
  CHECK(CampaignResults(f.folder / "r.sqlite").runs().size() == 1);
}

TEST_CASE("what was finished is kept when a sweep is interrupted", "[campaign]") {
  const CampaignFolder f;
  struct Stop {};
  SweepOptions o;
  o.tick = [](std::size_t done, std::size_t) {
    if (done > 0) throw Stop{};
  };
  const std::string text = "seeds = 200\n[scenario.workload.lublin]\njobs = 400\n";
  CHECK_THROWS_AS(f.swept(text, "r.sqlite", o), Stop);
  const std::size_t kept = CampaignResults(f.folder / "r.sqlite").runs().size();
  CHECK(kept > 0);
  const SweepOutcome rest = f.swept(text, "r.sqlite", resumed());
  CHECK(rest.kept == kept);
  CHECK(rest.failed == 0);
}

TEST_CASE("parts are merged, if they are all there and only once", "[campaign]") {
  const CampaignFolder f;
  f.swept(kGrid, "whole.sqlite");
  std::vector<std::string> parts;
  for (int i = 1; i <= 3; ++i) {
    SweepOptions o;
    o.shard = {i, 3};
    parts.push_back(f.folder / (std::to_string(i) + ".sqlite"));
    f.swept(kGrid, std::to_string(i) + ".sqlite", o);
  }
  const auto merged = [&](std::vector<std::string> of, bool partial = false) {
    std::filesystem::remove(f.folder / "all.sqlite");
    return merge_results(of, f.folder / "all.sqlite", partial);
  };
  CHECK(merged({parts[2], parts[0], parts[1]}).runs == 8);
  CHECK(content(f.folder / "all.sqlite") == content(f.folder / "whole.sqlite"));
  CHECK_THROWS_WITH(merged({parts[0], parts[2]}),
                    Catch::Contains("2 of 8 runs are missing") && Catch::Contains("shard 2/3 is not given: runs 2, 4"));
  CHECK(merged({parts[0], parts[2]}, true).runs == 6);
  CHECK_THROWS_WITH(merged({parts[0], parts[1], parts[2], parts[1]}), Catch::Contains("run 2 is in"));
  { Database(parts[1], Database::Mode::kWrite).run("DELETE FROM runs WHERE run = 4"); }
  CHECK_THROWS_WITH(merged(parts), Catch::Contains("shard 2/3, " + parts[1] + ", lacks run 4"));
  f.folder.write("base.toml", std::string(kBase) + "[engine]\nat_limit = \"extend\"\n");
  SweepOptions o;
  o.shard = {2, 3};
  f.swept(kGrid, "new.sqlite", o);
  CHECK_THROWS_WITH(merged({parts[0], f.folder / "new.sqlite", parts[2]}),
                    Catch::Contains("was made from another plan"));
}

}  // namespace campaign_test
