// coslice tune: it finds what matters, and says so of what does not.
#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

namespace tune_test {

using namespace coslice_test;
using Catch::Contains;

namespace {

/// A policy that starts short jobs first, more or less, and has a parameter that means nothing.
const char* const kPolicy = R"(
return {
  api = 1, name = "mine", version = "1",
  params = {
    short = { default = 0.0, min = 0, max = 1, doc = "How much a short estimate counts." },
    nothing = { default = 0.5, min = 0, max = 1, doc = "Means nothing." },
  },
  key = function(job, params) return (1 - params.short) * job.submit + params.short * 1000 * job.estimate end,
  backfill = "easy",
}
)";

const char* const kScenario = R"(
[machine]
nodes = 32
[workload]
generator = "lublin"
target_load = 0.9
[workload.lublin]
jobs = 150
[policy]
name = "mine.lua"
)";

void write(const Program& coslice) {
  coslice.folder.write("mine.lua", kPolicy);
  coslice.folder.write("s.toml", kScenario);
}

/// A scenario whose jobs are the same under all seeds.
void write_jobs_of_its_own(const Program& coslice, const std::string& file, const std::string& policy) {
  std::string jobs;
  for (int i = 0; i != 60; ++i)
    jobs += "  { submit = " + std::to_string(i * 10) + ", runtime = " + std::to_string(1 + (i * 37) % 101) +
            ", nodes = " + std::to_string(1 + (i * 7) % 5) + " },\n";
  coslice.folder.write(file, "[machine]\nnodes = 6\n[policy]\nname = '" + policy + "'\n[workload]\njobs = [\n" + jobs +
                                 "]\n");
}

}  // namespace

TEST_CASE("a parameter that matters is found, judged and written", "[tune]") {
  const Program coslice;
  write(coslice);
  const Said said = coslice("tune s.toml --params short=0:1 --runs 60 --toml best.toml --report page.html");
  INFO(said.err << said.out);
  REQUIRE(said.status == 0);
  CHECK_THAT(on_one_line(said.out), Contains("less") &&
                                        Contains("than today, on 8 seeds that the search has not seen") &&
                                        !Contains("(95 %: +0.0 % to +0.0 %)"));
  CHECK_THAT(coslice.folder.read("best.toml"), Contains("extends = \"s.toml\"\npolicy.params.short = "));
  CHECK(coslice("run best.toml --quiet").status == 0);
  CHECK_THAT(coslice.folder.read("page.html"), Contains("with other values of short"));
  // The same search, however many threads there are; killed and taken up again, too.
  const Said one = coslice("tune s.toml --params short=0:1 --runs 60 --json --jobs 1 --out a.sqlite");
  REQUIRE(one.status == 0);
  CHECK_THAT(one.out, Contains("\"verdict\":\"better\""));
  const Said again = coslice("tune s.toml --params short=0:1 --runs 60 --json --jobs 2 --out a.sqlite --resume");
  INFO(again.err);
  CHECK(again.out == one.out);
}

TEST_CASE("a parameter that means nothing makes no difference", "[tune]") {
  const Program coslice;
  write(coslice);
  const Said said = coslice("tune s.toml --params nothing=0:1 --runs 40 --toml best.toml");
  INFO(said.err << said.out);
  REQUIRE(said.status == 0);
  CHECK_THAT(on_one_line(said.out), Contains("No difference"));
  CHECK_THAT(said.err, Contains("best.toml is not written"));
  CHECK(coslice.shell("ls best.toml").status != 0);
}

TEST_CASE("where all settings are alike the search ends", "[tune]") {
  const Program coslice;
  write(coslice);
  const Said said = coslice("tune s.toml --policy fcfs --json");
  INFO(said.err << said.out);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("\"verdict\":\"same\"") && Contains("\"runs\":6,"));
}

TEST_CASE("guards hold, or the answer is to stay", "[tune]") {
  const Program coslice;
  write(coslice);
  const auto tuned = [&](const std::string& guard) {
    const Said said = coslice("tune s.toml --params short=0:1 --runs 60 --json " + guard);
    INFO(said.err << said.out);
    REQUIRE(said.status == 0);
    return nlohmann::json::parse(said.out);
  };
  const nlohmann::json free = tuned("--guard wait.long.max=+900%"), guarded = tuned("--guard wait.long.max=+0%");
  CHECK(free["recommended"] == true);
  REQUIRE(free["guards"].size() == 1);
  CHECK(free["guards"][0]["worse"] > 0);  // short jobs first: long ones may wait longer
  REQUIRE(guarded["guards"].size() == (guarded["best"] == guarded["today"] ? 0 : 1));
  const Said barred = coslice("tune s.toml --params short=0.5:1 --runs 40 --guard wait.max=+0%,wait.long.max=+0%");
  CHECK_THAT(on_one_line(barred.out),
             Contains("none that keeps the guards is better") && Contains("break one: the least wait"));
  if (guarded["recommended"] == true) CHECK(guarded["guards"][0]["worse"] <= 0);
  CHECK(guarded["best"] != free["best"]);
  CHECK(coslice("tune s.toml --guard wait=5").status == 2);
  CHECK(coslice("tune s.toml --guard wat=5%").status == 2);
}

TEST_CASE("guards are of users and partitions, too", "[tune]") {
  const Program coslice;
  write(coslice);
  std::string jobs;
  for (int i = 0; i != 60; ++i)
    jobs += "  { submit = " + std::to_string(i * 10) + ", runtime = " + std::to_string(1 + (i * 37) % 101) +
            ", user = " + std::to_string(i % 2 + 1) + ", nodes = " + std::to_string(1 + (i * 7) % 5) +
            ", request = { partition = '" + (i % 3 == 0 ? "gpu" : "batch") + "' } },\n";
  coslice.folder.write("p.toml", R"([machine]
nodes = [{ name = "n", count = 6, cores = 1 }]
partitions = [{ name = "batch", nodes = ["n"] }, { name = "gpu", nodes = ["n"] }, { name = "idle", nodes = ["n"] }]
[policy]
name = "mine.lua"
[workload]
jobs = [
)" + jobs + "]\n");
  const auto tuned = [&](const std::string& guards) {
    return coslice("tune p.toml --params short=0:1 --runs 20 --json --guard " + guards);
  };
  const Said said = tuned("wait.partition.gpu.p95=+900%,wait.user=+900%,response.partition=+900%");
  INFO(said.err << said.out);
  REQUIRE(said.status == 0);
  std::vector<std::string> guarded;
  const nlohmann::json answer = nlohmann::json::parse(said.out);
  for (const auto& g : answer["guards"])
    guarded.push_back(g["figure"].get<std::string>() + " of " + g["class"].get<std::string>());
  CHECK(guarded == std::vector<std::string>{"wait p95, s of partition gpu", "wait, s of user 1", "wait, s of user 2",
                                            "response, s of partition batch", "response, s of partition gpu"});
  const Said absent = tuned("wait.partition.idle=+5%");
  CHECK(absent.status == 0);
  CHECK_THAT(absent.err, Contains("no workload has jobs of partition idle"));
  CHECK_THAT(coslice("tune s.toml --params short=0:1 --guard wait.partition=+5%").err,
             Contains("no jobs by partition"));
  const Said goal = coslice("tune p.toml --params short=0:1 --minimize wait.user");
  CHECK(goal.status == 2);
  CHECK_THAT(goal.err, Contains("does not say which user"));
}

TEST_CASE("a search is a job of Slurm", "[tune]") {
  const Program coslice;
  write(coslice);
  const std::string search = "tune s.toml --params short=0:1 --runs 20 --json ";
  CHECK_THAT(coslice(search + "--slurm").err, Contains("name one with -o"));
  CHECK_THAT(coslice(search + "-- --time=5").err, Contains("add --slurm"));
  coslice.folder.write("bin/sbatch",
                       "#!/bin/sh\n[ \"$1\" != --version ] || exit 0\necho \"$@\" >options\ncat >job.sh\necho 17\n");
  const Said said = coslice.shell("chmod +x bin/sbatch; PATH=$PWD/bin:$PATH coslice " + search +
                                  "-o a.sqlite --slurm -- --cpus-per-task=2");
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("job 17: its runs go into a.sqlite"));
  CHECK_THAT(coslice.folder.read("options"), Contains("--requeue") && Contains("--cpus-per-task=2"));
  // What the job says is what the search says, also where it is made once more.
  const Said job = coslice.shell("SLURM_CPUS_PER_TASK=2 sh job.sh"), again = coslice.shell("sh job.sh");
  INFO(job.err << again.err);
  REQUIRE(job.status == 0);
  CHECK(job.out == coslice(search).out);
  CHECK(again.out == job.out);
}

TEST_CASE("one workload says nothing of others", "[tune]") {
  const Program coslice;
  write(coslice);
  write_jobs_of_its_own(coslice, "l.toml", "mine.lua");
  const Said said = coslice("tune l.toml --params short=0:1 --runs 20");
  INFO(said.err << said.out);
  REQUIRE(said.status == 0);
  CHECK_THAT(on_one_line(said.out), Contains("less than today, on the one workload that there is"));
  // Jobs are the same under all seeds, but nodes fail as they are drawn.
  coslice.folder.write("f.toml", coslice.folder.read("l.toml") + "[[outages.failures]]\nmtbf = 3000\nrepair = 60\n");
  const Said drawn = coslice("tune f.toml --params short=0:1 --runs 20");
  INFO(drawn.err << drawn.out);
  REQUIRE(drawn.status == 0);
  CHECK_THAT(drawn.out, Contains("seeds of the search, ") && !Contains("1 seed of the search"));
  const Said many = coslice("tune l.toml --params short=0:1,nothing=0:1,machine.nodes=5:7 --runs 10 --json");
  CHECK(nlohmann::json::parse(many.out)["runs"] <= 10);
  CHECK_THAT(said.out, !Contains("noise"));
}

TEST_CASE("the best setting is judged beside the policy's defaults, and without the guards", "[tune]") {
  const Program coslice;
  write(coslice);
  const std::string tune = "tune s.toml --params short=0:1 --runs 150 ";
  const auto guarded = nlohmann::json::parse(coslice(tune + "--guard wait.long.max=+0% --json").out);
  REQUIRE(guarded.contains("without_guards"));
  CHECK(guarded["without_guards"]["interval"][1] < 0);
  CHECK(!guarded.contains("beside_defaults"));
  REQUIRE(coslice(tune + "--guard wait.long.max=+9000% --report page.html").status == 0);
  CHECK_THAT(coslice.folder.read("page.html"),
             Contains(">Guards<") && Contains(">For whom<") && Contains("with today's value again"));
  const std::string with_set = tune + "-s policy.params.short=0.02 ";
  const auto free = nlohmann::json::parse(coslice(with_set + "--json").out);
  CHECK(!free.contains("without_guards"));
  REQUIRE(free["beside_defaults"]["setting"]["short"] == 0);
  // What `run` gives with either on the seeds that judge.
  double best = 0, defaults = 0;
  for (int seed = 1000001; seed != 1000013; ++seed) {
    const auto wait = [&](const std::string& value) {
      const Said run = coslice("run s.toml --json --seed " + std::to_string(seed) + " -s policy.params.short=" + value);
      return nlohmann::json::parse(run.out)["trimmed"]["all"]["wait"]["mean"].get<double>();
    };
    best += wait(free["best"]["short"].dump()), defaults += wait("0.0");
  }
  CHECK(free["beside_defaults"]["change"].get<double>() == Approx(best / defaults - 1).epsilon(0.001));
  CHECK_THAT(on_one_line(coslice(with_set).out), Contains("Beside the policy's defaults (short = 0), wait: "));
}

TEST_CASE("what a policy draws under some settings only makes several workloads", "[tune]") {
  const Program coslice;
  write_jobs_of_its_own(coslice, "n.toml", "n.lua");
  coslice.folder.write("n.lua",
                       "return { api = 1, name = 'n', version = '1',\n"
                       "  params = { noise = { default = 0.0, min = 0, max = 1, doc = 'x' } },\n"
                       "  key = function(job, p) return p.noise > 0 and random.uniform() or job.submit end }\n");
  const Said said = coslice("tune n.toml --runs 30");
  INFO(said.err << said.out);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, !Contains("the one workload that there is") && Contains("seeds of the search"));
  // What is judged draws nothing: it is one workload, whatever other settings do.
  coslice.folder.write("n.lua", "return { api = 1, name = 'n', version = '1',\n"
                                "  params = { noise = { default = 0, min = 0, max = 2, integer = true, doc = 'x' } },\n"
                                "  key = function(job, p) if p.noise == 1 then return random.uniform() end\n"
                                "    return p.noise == 2 and job.estimate or job.submit end }\n");
  const Said one = coslice("tune n.toml --params 'noise=0|1|2' --runs 40 --json");
  CHECK(nlohmann::json::parse(one.out)["best"]["noise"] == 2);
  CHECK(nlohmann::json::parse(one.out)["verdict"] == "one workload");
}

TEST_CASE("each of several policies has its own parameters and ranges", "[tune]") {
  const Program coslice;
  write(coslice);
  const auto write_policy = [&](const std::string& name, const std::string& params,
                                const std::string& part = "p.short") {
    coslice.folder.write(name + ".lua", "return { api = 1, name = '" + name +
                                            "', version = '1', backfill = 'easy', params = {" + params +
                                            "},\n  key = function(job, p) return " + part +
                                            " * 1000 * job.estimate + job.submit end }\n");
  };
  write_policy("pa", "short = { default = 0.0, min = 0, max = 1, doc = 'x' }, mode = { default = true, doc = 'x' }");
  write_policy("pb",
               "short = { default = 0.25, min = 0, max = 0.5, doc = 'x' }, mode = { default = 'a', choices = { 'a', "
               "'b' }, doc = 'x' }, both = { default = 1, min = 0, max = 3, integer = true, doc = 'x' }");
  write_policy("pc", "both = { default = 1, min = 0, max = 3, integer = true, doc = 'x' }", "0");
  const Said said = coslice("tune s.toml --policy pa.lua,pb.lua,pc.lua --runs 60 --json --toml best.toml");
  INFO(said.err << said.out);
  REQUIRE(said.status == 0);
  const auto answer = nlohmann::json::parse(said.out);
  std::vector<std::string> names;
  for (const auto& p : answer["params"]) names.push_back(p["name"]);
  CHECK(names == std::vector<std::string>{"policy", "mode (pa.lua)", "short (pa.lua)", "both (pb.lua, pc.lua)",
                                          "mode (pb.lua)", "short (pb.lua)"});
  for (const auto& t : answer["tried"]) CHECK(t["setting"].contains("short") == (t["setting"]["policy"] != "pc.lua"));
  REQUIRE(answer["recommended"] == true);
  CHECK(coslice("run best.toml --quiet").status == 0);
  // A range by hand is for those that can have it.
  const auto whole = coslice("tune s.toml --policy pa.lua,pb.lua --params short=0:1 --runs 20 --json");
  CHECK(nlohmann::json::parse(whole.out)["params"][1]["name"] == "short (pa.lua)");
  // What --set says is for those that have it; what nobody has is said.
  CHECK(coslice("tune s.toml --policy easy,pa.lua --set policy.params.mode=false --runs 10").status == 0);
  CHECK_THAT(coslice("tune s.toml --policy easy,pa.lua --set policy.params.mde=false --runs 10").err,
             Contains("'mde'"));
  const Said other = coslice("tune s.toml --policy pc.lua --set policy.params.both=2 --runs 10");
  CHECK(other.status == 0);
  // By hand, too: of those that have it.
  const auto by_hand = coslice("tune s.toml --policy pa.lua,pc.lua --params short=0:1,both=1:2 --runs 40 --json");
  CHECK(nlohmann::json::parse(by_hand.out)["params"].size() == 3);
}

TEST_CASE("the file of the best setting is what was judged", "[tune]") {
  const Program coslice;
  write(coslice);
  std::filesystem::create_directory(coslice.folder / "sub");
  const Said said =
      coslice("tune s.toml --policy easy,mine.lua -s workload.lublin.jobs=120 -s machine.nodes=40 --runs 60 "
              "--params short=0:1,nothing=0:1 --json --toml sub/best.toml --out a.sqlite");
  INFO(said.err << said.out);
  REQUIRE(said.status == 0);
  const auto answer = nlohmann::json::parse(said.out);
  REQUIRE(answer["recommended"] == true);
  const std::string short_set = answer["best"]["short"].dump();
  for (const char* seed : {"1000042", "1000045"}) {
    const std::string at = std::string(" --json --seed ") + seed;
    const Said from_file = coslice.shell("cd sub && coslice run best.toml" + at);
    const Said by_hand = coslice("run s.toml --policy mine.lua -s workload.lublin.jobs=120 -s machine.nodes=40 -s "
                                 "policy.params.nothing=" +
                                 answer["best"]["nothing"].dump() + " -s policy.params.short=" + short_set + at);
    INFO(from_file.err << by_hand.err);
    REQUIRE(from_file.status == 0);
    CHECK(nlohmann::json::parse(from_file.out)["fingerprint"] == nlohmann::json::parse(by_hand.out)["fingerprint"]);
  }
  // A search that goes on, as a job of Slurm that is made again, writes it once more.
  CHECK(coslice("tune s.toml --policy easy,mine.lua -s workload.lublin.jobs=120 -s machine.nodes=40 --runs 60 --params "
                "short=0:1,nothing=0:1 --toml sub/best.toml --out a.sqlite --resume")
            .status == 0);
}

TEST_CASE("a log is cut into windows", "[tune]") {
  const Program coslice;
  write(coslice);
  REQUIRE(coslice("generate lublin --jobs 1500 --nodes 32 -o log.swf").status == 0);
  coslice.folder.write("none.lua", "return { api = 1, name = 'none', version = '1', backfill = 'easy' }\n");
  const Said said = coslice("tune log.swf --policy mine.lua,none.lua --minimize slowdown,wait=2 --front --runs 60 "
                            "--params short=0:1");
  INFO(said.err << said.out);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("windows of the search"));
  CHECK_THAT(said.out, Contains("Settings that no other is better than in all goals"));
  // Windows are cut at the log's own times, whatever its load is to be.
  for (const char* load : {"load_factor=0.5", "load_factor=3", "target_load=1.5"}) {
    const Said at = coslice("tune log.swf --policy mine.lua --params short=0:1 --runs 30 --json --set workload." +
                            std::string(load));
    INFO(load << at.err);
    CHECK(at.status == 0);
    CHECK(at.err == "");
  }
}

TEST_CASE("a search makes no more runs than it may, and takes no more time", "[tune]") {
  const Program coslice;
  write(coslice);
  const auto answer = [&](const std::string& options) {
    const Said said = coslice("tune s.toml --json " + options);
    INFO(options << said.err);
    REQUIRE(said.status == 0);
    return nlohmann::json::parse(said.out);
  };
  for (const int runs : {10, 12, 20, 25, 40})
    for (const char* params : {"short=0:1", "short=0:1,nothing=0:1", "short=0:1,nothing=0:1,machine.nodes=30|31|32|33"})
      CHECK(answer("--params '" + std::string(params) + "' --runs " + std::to_string(runs))["runs"] <= runs);
  CHECK(answer("--params short=0:1 --time 0")["runs"] <= 10);
  // One parameter that is put back is today's setting: what was judged, the other way round.
  const auto one = answer("--params short=0:1 --runs 60");
  REQUIRE(one["verdict"] == "better");
  const double change = one["change"], back = one["params"][0]["put_back"];
  CHECK((1 + change) * (1 + back) == Approx(1));
  CHECK((1 + one["interval"][0].get<double>()) * (1 + one["params"][0]["put_back_interval"][1].get<double>()) ==
        Approx(1));
}

TEST_CASE("several goals are better or worse together", "[tune]") {
  const Program coslice;
  write(coslice);
  const Said said = coslice("tune s.toml --params short=0:1 --minimize wait --maximize utilization --runs 60");
  CHECK_THAT(on_one_line(said.out), Contains("the goals together: ") && Contains(" % better (95 %: -"));
}

TEST_CASE("a search that is interrupted says how it goes on", "[tune]") {
  const Program coslice;
  write(coslice);
  const Said said = coslice.shell(
      "coslice tune s.toml --params short=0:1 --runs 100000 --out a.sqlite & sleep 1; kill -INT $!; wait $!");
  CHECK(said.status == 130);
  CHECK_THAT(said.err, Contains("the runs so far are kept in a.sqlite, --resume goes on with them"));
  CHECK_THAT(coslice("tune s.toml --params short=0:1 --runs 60 --out a.sqlite").err,
             Contains("a.sqlite: already exists; add --resume"));
  CHECK(coslice("tune s.toml --params short=0:1 --runs 60 --out a.sqlite --resume").status == 0);
}

TEST_CASE("settings that fail are named, with the first error", "[tune]") {
  const Program coslice;
  write(coslice);
  coslice.folder.write(
      "some.lua", "return { api = 1, name = 'some', version = '1', backfill = 'easy',\n"
                  "  params = { a = { default = 1, min = 0, max = 10, integer = true, doc = 'x' } },\n"
                  "  key = function(job, params) if params.a > 5 then error('boom') end return job.submit end }\n");
  const std::string tune = "tune s.toml --policy some.lua --params 'a=6|7' --runs 20";
  const std::string out = coslice(tune).out;
  std::string line;
  for (const char c : out) line += c == '\n' ? ' ' : c;
  CHECK_THAT(line, Contains("Stay with it. 2 of 2 settings failed: a = 7 on 2 of 2 ") && Contains("some.lua:3: boom"));
  const auto json = nlohmann::json::parse(coslice(tune + " --json").out);
  CHECK(json["tried"][0]["failed"] == 2);
  CHECK_THAT(json["tried"][0]["error"].get<std::string>(), Contains("boom") && Contains("traceback"));
  // So does one whose scenario cannot be.
  coslice.folder.write("jobs.lua",
                       "return { api = 1, name = 'jobs', version = '1',\n"
                       "  params = { n = { default = 5, min = 1, max = 90, integer = true, doc = 'x' } },\n"
                       "  jobs = function(p) if p.n > 50 then error('too many') end\n"
                       "    for i = 1, p.n do coroutine.yield { submit = i, runtime = 10, nodes = 1 } end end }\n");
  coslice.folder.write("w.toml", "[machine]\nnodes = 2\n[policy]\nname = 'easy'\n[workload]\nscript = 'jobs.lua'\n");
  const Said script = coslice("tune w.toml --params 'workload.params.n=3|60' --runs 20");
  CHECK(script.status == 0);
  CHECK_THAT(on_one_line(script.out), Contains("settings failed: workload.params.n = 60") && Contains("too many"));
  // Where today's is such a one, it is bad input.
  CHECK(coslice("tune w.toml --params 'workload.params.n=3|5' --runs 20 --set workload.params.n=60").status == 2);
  // They are in the file, with their errors, and are not made again.
  const Said kept = coslice(tune + " --json --out f.sqlite");
  CHECK(nlohmann::json::parse(kept.out) == json);
  CHECK(coslice(tune + " --json --out f.sqlite --resume").out == kept.out);
  REQUIRE(coslice("report f.sqlite -o page.html").status == 0);
  CHECK_THAT(coslice.folder.read("page.html"), Contains("Runs that failed") && Contains("some.lua:3: boom"));
  CHECK_THAT(coslice("tune s.toml --policy easy,easy").err, Contains("--policy easy: is named twice"));
}

TEST_CASE("what cannot be tuned is said", "[tune]") {
  const Program coslice;
  write(coslice);
  const auto refused = [&](const std::string& options) {
    const Said said = coslice("tune s.toml " + options);
    INFO(options << said.out);
    CHECK(said.status == 2);
    return said.err;
  };
  CHECK_THAT(refused("--params shrt=0:1"), Contains("has no parameter 'shrt'") && Contains("short"));
  CHECK_THAT(refused("--params short=0:2"), Contains("takes"));
  coslice.folder.write("none.lua", "return { api = 1, name = 'none', version = '1', backfill = 'easy' }\n");
  CHECK_THAT(refused("--policy none.lua"), Contains("has no parameters; expected --params KEY=A|B"));
  CHECK_THAT(refused("s.toml"), Contains("s.toml: is one argument too many: there is a scenario already"));
  CHECK_THAT(refused("--params 'policy.name=easy|fcfs'"), Contains("several policies stand in --policy"));
  CHECK_THAT(refused("--maximize utilisation"), Contains("--maximize utilisation: ") && Contains("'utilization'"));
  CHECK_THAT(refused("--guard wait.p9=+5%"), Contains("--guard wait.p9: ") && Contains("'wait.p95'"));
  CHECK_THAT(refused("--resume"), Contains("--out"));
  CHECK_THAT(refused("--front"), Contains("one goal"));
  CHECK_THAT(refused("--minimize wat"), Contains("--minimize wat: no run has such a figure"));
  CHECK_THAT(refused("--runs 2"), Contains("a whole number from 10"));
  CHECK_THAT(refused("--level nan"), Contains("a number from 0.5 to 0.9999"));
  for (const char* weight : {"nan", "inf", "0", "1e308"})
    CHECK_THAT(refused("--minimize wait=" + std::string(weight)), Contains("has no weight above 0, at most 1e9"));
  for (const char* most : {"nan", "inf", "-1"})
    CHECK_THAT(refused("--guard wait=" + std::string(most) + "%"), Contains("is no guard"));
  CHECK_THAT(refused("--minimize wait --maximize wait"), Contains("--maximize wait: is a goal already"));
  CHECK_THAT(refused("--minimize wait,wait"), Contains("is a goal already"));
  CHECK_THAT(refused("--params short=0:1e300"), Contains("goes beyond 1e15"));
  CHECK_THAT(refused("--params 'x.y=3|3'"), Contains("has the value 3 twice"));
  CHECK_THAT(refused("--out a.x --report ./a.x"), Contains("--report ./a.x: is the file of --out, too"));
  CHECK_THAT(refused("--toml s.toml --out a.x --resume"), Contains("s.toml: already exists"));
  CHECK_THAT(refused("--guard wait.user.=+5%"), Contains("--guard wait.user.: ends with a dot"));
  CHECK_THAT(refused("--report s.toml"), Contains("--report: 's.toml' does not end in .html"));
  CHECK_THAT(refused("--report ."), Contains("--report .: is a folder"));
  CHECK_THAT(refused("--params machine.nodes=-5:5"), Contains("--params machine.nodes=-5: "));
  CHECK_THAT(refused("--params seed=1:5"), Contains("names what the search sets"));
  CHECK_THAT(refused("--params short=0:1,policy.params.short=0:1"), Contains("'short' is given twice"));
  CHECK_THAT(refused("--toml none/a.toml"), Contains("--toml none/a.toml: lies in a folder that there is not"));
  CHECK(!std::filesystem::exists(coslice.folder / "a.x"));
}

}  // namespace tune_test
