// coslice run: what it prints and writes, and that it leaves nothing half-written.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

namespace run_test {

using namespace coslice_test;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

/// Names in a folder, sorted, hidden ones included.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

using Names = std::vector<std::string>;

std::string without_environment(const std::string& text) {
  json document = json::parse(text);
  document.erase("environment");
  return document.dump();
}

}  // namespace

TEST_CASE("a bare trace runs on its own machine", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  const Said said = coslice("run t.swf");
  CHECK(said.status == 0);
  CHECK(said.err == "");
  // 600 node-seconds come within 3 s to 4 nodes.
  CHECK(said.out.rfind("load        50.000 offered\npolicy      easy\njobs        4\nmakespan    2 min 32 s (152 s)\n",
                       0) == 0);
  CHECK(said.out.find("bounded slowdown") != std::string::npos);
  CHECK(said.out.find('\x1b') == std::string::npos);        // no colours in a pipe
  CHECK(said.out.find("used nodes") == std::string::npos);  // nor the picture for terminals
  CHECK(coslice("run t.swf", "CLICOLOR_FORCE=1").out.find('\x1b') != std::string::npos);
  CHECK(names_in(coslice.folder / "") == Names{"t.swf"});
}

TEST_CASE("one Ctrl-C ends a script that is not counted", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  const char* const loops[] = {"while true do end", "while true do pcall(function() while true do end end) end",
                               "coroutine.wrap(function() while true do end end)()"};
  for (const char* loop : loops) {
    INFO(loop);
    coslice.folder.write("endless.lua", "return { api = 1, name = \"endless\", version = \"1\", schedule = function()\n"
                                        "  print(\"in\")\n  " +
                                            std::string(loop) + "\nend }\n");
    const Said said = coslice.shell(
        "ulimit -t 30; >said; "  // what the loop before said is not a sign
        "coslice run t.swf --policy endless.lua --set engine.trusted=true --out results 2>>said & pid=$!; "
        "for i in $(seq 3000); do grep -q in said && break; sleep 0.02; done; "
        "kill -INT $pid; wait $pid; echo $?");
    CHECK(said.out == "130\n");
    CHECK(coslice.folder.read("said") == "in\n");
    CHECK(names_in(coslice.folder / "") == Names{"endless.lua", "said", "t.swf"});
  }
}

TEST_CASE("--quiet prints nothing", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  const Said said = coslice("run t.swf --quiet");
  CHECK(said.status == 0);
  CHECK(said.out + said.err == "");
}

TEST_CASE("--json prints the summary and nothing else", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  const json one = json::parse(coslice("run t.swf --json").out);
  CHECK(one["makespan"] == 152);
  CHECK(one["nb_jobs"] == 4);
  CHECK(one["policy"]["name"] == "easy");
  CHECK(one["seed"] == 1);
  CHECK(one["machine"]["nodes"] == 4);
  const json several = json::parse(coslice("run t.swf --json --policy fcfs,easy").out);
  REQUIRE(several.size() == 2);
  CHECK(several[0]["policy"]["name"] == "fcfs");
  CHECK(several[1]["policy"]["name"] == "easy");
  CHECK(several[0]["fingerprint"] != several[1]["fingerprint"]);
}

TEST_CASE("flags reach the scenario", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  const json run =
      json::parse(coslice("run t.swf --json --nodes 8 --seed 5 --set metrics.bound=60 --set policy.params.depth=7 "
                          "--set engine.at_limit=extend")
                      .out);
  CHECK(run["machine"]["nodes"] == 8);
  CHECK(run["seed"] == 5);
  CHECK(run["metrics"]["bound"] == 60);
  CHECK(run["policy"]["params"]["depth"] == 7);
  CHECK(run["engine"]["at_limit"] == "extend");
}

TEST_CASE("a flag goes before --set and the file", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  coslice.folder.write("s.toml",
                       "seed = 2\n[machine]\nnodes = 5\n[workload]\ntrace = \"t.swf\"\n[policy]\nname = \"fcfs\"\n");
  const json run = json::parse(coslice("run s.toml --json --nodes 6 --set machine.nodes=7 --set seed=3").out);
  CHECK(run["machine"]["nodes"] == 6);
  CHECK(run["seed"] == 3);
  CHECK(run["policy"]["name"] == "fcfs");
  CHECK(run["scenario"] == "s");
}

TEST_CASE("several policies stand side by side", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  const Said said = coslice("run t.swf -p fcfs,easy -p conservative");
  const std::size_t fcfs = said.out.find("fcfs"), easy = said.out.find("easy"), cons = said.out.find("conservative");
  CHECK(fcfs < easy);
  CHECK(easy < cons);
  CHECK(cons < said.out.find('\n', fcfs));  // in one line
}

TEST_CASE("--out writes a run folder that gives itself again", "[cli]") {
  const Program coslice;
  coslice.folder.write("in/t.swf", kTrace);
  CHECK(coslice("run in/t.swf --out a/b --quiet").status == 0);
  CHECK(names_in(coslice.folder / "a") == Names{"b"});
  CHECK(names_in(coslice.folder / "a/b") ==
        Names{"jobs.csv", "scenario.toml", "schedule.swf", "summary.json", "timeline.csv"});
  CHECK(coslice("run a/b/scenario.toml --out a/c --quiet").status == 0);
  for (const char* file : {"jobs.csv", "scenario.toml", "schedule.swf", "timeline.csv"}) {
    INFO(file);
    CHECK(coslice.folder.read(std::string("a/b/") + file) == coslice.folder.read(std::string("a/c/") + file));
  }
  CHECK(without_environment(coslice.folder.read("a/b/summary.json")) ==
        without_environment(coslice.folder.read("a/c/summary.json")));
}

TEST_CASE("a policy beside one goes with the run folder", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  REQUIRE(coslice("new policy mine").status == 0);
  REQUIRE(coslice("run t.swf --policy mine --out r --set policy.params.patience=60 --quiet").status == 0);
  CHECK(coslice.folder.read("r/scenario.toml").find("name = [\"../mine.lua\"]") != std::string::npos);
  CHECK(coslice.shell("cd / && coslice run '" + (coslice.folder / "r/scenario.toml") + "' --quiet").status == 0);
  coslice.folder.write("mine.lua", coslice.folder.read("mine.lua") + "\n");
  const Said changed = coslice("run r/scenario.toml");
  CHECK(changed.status == 2);
  CHECK(changed.err.find("has changed since this was written") != std::string::npos);
}

TEST_CASE("several policies write a folder each", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  REQUIRE(coslice("run t.swf --policy fcfs,easy --out r --quiet").status == 0);
  CHECK(names_in(coslice.folder / "r") == Names{"easy", "fcfs", "summary.json"});
  CHECK(names_in(coslice.folder / "r/easy").size() == 5);
  const json all = json::parse(coslice.folder.read("r/summary.json"));
  REQUIRE(all["runs"].size() == 2);
  CHECK(all["runs"][0] == json::parse(coslice.folder.read("r/fcfs/summary.json")));
  CHECK(coslice("run t.swf --policy fcfs,sjf --out r --quiet").status == 0);  // as a whole it is one run folder
  CHECK(names_in(coslice.folder / "r") == Names{"fcfs", "sjf", "summary.json"});
  CHECK(coslice("run r/sjf/scenario.toml --quiet").status == 0);
}

TEST_CASE("--out refuses folders of others", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  coslice.folder.write("full/letter.txt", "Dear all");
  const Said said = coslice("run t.swf --out full");
  CHECK(said.status == 2);
  CHECK(said.err ==
        error("full: is not empty and holds no results of coslice; expected a new or empty folder, or one of "
              "an earlier run; choose another folder or clear this one"));
  CHECK(said.out == "");
  CHECK(names_in(coslice.folder / "") == Names{"full", "t.swf"});
}

TEST_CASE("what fails leaves nothing behind, and what was there before", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  coslice.folder.write("late.lua", "return { api = 1, name = \"late\", version = \"1\",\n"
                                   "  ended = function(view, job) if job.id == 3 then error(\"no more\") end end }\n");
  const Said failed = coslice("run t.swf --policy easy,late.lua --out new/r");
  CHECK(failed.status == 1);
  CHECK(failed.out == "");
  CHECK(failed.err.find("coslice: error: late.lua:2: no more\n") == 0);
  CHECK(names_in(coslice.folder / "") == Names{"late.lua", "t.swf"});
  REQUIRE(coslice("run t.swf --out r --quiet").status == 0);
  const std::string before = coslice.folder.read("r/jobs.csv");
  CHECK(coslice("run t.swf --policy late.lua --out r").status == 1);
  CHECK(coslice("run t.swf --nodes 0x --out r").status == 2);
  CHECK(coslice.folder.read("r/jobs.csv") == before);
  CHECK(names_in(coslice.folder / "") == Names{"late.lua", "r", "t.swf"});
}

TEST_CASE("an interrupt takes the unfinished folder away", "[cli]") {
  const Program coslice;
  coslice.folder.write(
      "s.toml", "[machine]\nnodes = 1024\n[workload]\ngenerator = \"lublin\"\nlublin = { jobs = 300000, load = 0.95 }\n"
                "[policy]\nname = \"wfp3\"\n");
  const Said said = coslice.shell("coslice run s.toml --out r --quiet & for i in $(seq 3000); do ls -d .r.new-* "
                                  ">/dev/null 2>&1 && break; sleep 0.02; "
                                  "done; ls -d .r.new-* | wc -l; kill -TERM $!; wait $!; echo $?");
  CHECK(said.out == "1\n130\n");
  CHECK(names_in(coslice.folder / "") == Names{"s.toml"});
}

TEST_CASE("what a killed process left goes with the next run beside it", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  const std::string gone = coslice.shell("sh -c 'echo $$'").out;
  const std::string number = gone.substr(0, gone.size() - 1);
  const auto leave = [&](const std::string& name, const std::string& file) {
    coslice.folder.write(name + "/" + file, "x");
  };
  leave(".r.new-" + number, "jobs.csv");
  leave(".several.new-" + number, "easy/jobs.csv");
  leave(".r.old-" + number, "summary.json");
  leave(".r.new-1", "jobs.csv");                      // process 1 is always there
  leave(".r.new-" + number + "0000000", "jobs.csv");  // no process number
  leave(".r.new-x" + number, "jobs.csv");
  leave(".rr.new-" + number, "jobs.csv");
  leave(".mine.new-" + number, "thesis.tex");
  coslice.folder.write(".new-" + number + "-p.svg", "x");
  coslice.folder.write(".new-1-p.svg", "x");
  coslice.folder.write(".new-" + number + "-m.sqlite-journal", "x");
  CHECK(coslice("run t.swf --quiet --out r").status == 0);
  Names left = {".mine.new-" + number, ".new-1-p.svg",     ".r.new-1", ".r.new-" + number + "0000000",
                ".r.new-x" + number,   ".r.old-" + number, "r",        "t.swf"};
  std::sort(left.begin(), left.end());
  CHECK(names_in(coslice.folder / "") == left);  // what was replaced stays until the target is there
  CHECK(coslice("run t.swf --quiet --out r").status == 0);
  CHECK(!fs::exists(coslice.folder / (".r.old-" + number)));
  CHECK(fs::exists(coslice.folder / (".mine.new-" + number + "/thesis.tex")));
}

TEST_CASE("a run that was about to be replaced comes back", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  REQUIRE(coslice("run t.swf --quiet --out r").status == 0);
  const std::string before = coslice.folder.read("r/jobs.csv");
  REQUIRE(coslice.shell("mv r .r.old-$(sh -c 'echo $$')").status == 0);
  CHECK(coslice("gantt t.swf -o p.svg").status == 0);
  CHECK(names_in(coslice.folder / "") == Names{"p.svg", "r", "t.swf"});
  CHECK(coslice.folder.read("r/jobs.csv") == before);
}

TEST_CASE("files are written through links and into devices, and keep their permissions", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  coslice.folder.write("real/p.svg", "old");
  REQUIRE(coslice.shell("ln -s real/p.svg link.svg; chmod 600 real/p.svg; mkfifo pipe").status == 0);
  CHECK(coslice("gantt t.swf -o link.svg").status == 0);
  CHECK(fs::is_symlink(coslice.folder / "link.svg"));
  CHECK(coslice.folder.read("real/p.svg").find("<svg") != std::string::npos);
  CHECK(coslice.shell("stat -c %a real/p.svg").out == "600\n");
  CHECK(coslice("convert t.swf --to swf -o /dev/null").status == 0);
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(coslice.shell("cat pipe & coslice convert t.swf --to swf -o pipe 2>/dev/null; wait").out.find("MaxProcs") !=
        std::string::npos);
}

TEST_CASE("a folder with all files of a run is replaced", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  const std::string command =
      "run t.swf --quiet --out r --set 'output.files=[\"jobs.csv\",\"schedule.swf\",\"timeline.csv\",\"classes.csv\"]'";
  CHECK(coslice(command).status == 0);
  CHECK(coslice(command).err == "");
}

TEST_CASE("what cannot be written to is known before anything runs", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  coslice.folder.write("late.lua", "print(\"loaded\") return { api = 1, name = \"summary.json\", version = \"1\",\n"
                                   "  begin = function() print(\"runs\") end }\n");
  coslice.shell("ln -s nowhere link");
  CHECK(coslice("run t.swf --policy late.lua --out link").err.find("runs") == std::string::npos);
  CHECK(coslice("run t.swf --out link").err ==
        error("link: is a link to something that is not there; expected a folder for the results"));
  CHECK(coslice("run t.swf --quiet --policy late.lua,easy --out r").status == 0);
  CHECK(names_in(coslice.folder / "r") == Names{"easy", "summary.json", "summary.json-2"});
}

TEST_CASE("digests of inputs that a run does not use are told", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  REQUIRE(coslice("run t.swf --quiet --policy fcfs --out r").status == 0);
  CHECK(coslice("run r/scenario.toml --quiet").err == "");
  CHECK(coslice("run r/scenario.toml --quiet --policy easy").err ==
        "coslice: warning: [inputs] has a digest of 'policy:fcfs', which this run does not use\n");
  coslice.folder.write("r/more.toml",
                       coslice.folder.read("r/scenario.toml") + "\"tt.swf\" = \"" + std::string(64, '0') + "\"\n");
  CHECK(coslice("run r/more.toml --quiet").err ==
        "coslice: warning: [inputs] has a digest of 'r/tt.swf', which this run does not use\n");
}

TEST_CASE("parameters that a policy cannot work with are wrong where they are set", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  const std::string set = "--set policy.params.";
  const auto run = [&](const std::string& params) {
    return coslice("run t.swf --quiet --policy scojo_pect " + params).err;
  };
  CHECK(run(set + "short=20000")
            .find(error("--set policy.params.short=20000: policy 'scojo_pect' cannot work with "
                        "short = 20000: slices: class 2 does not reach further than the one before "
                        "it; expected classes from short to long\n  noticed at built-in policies/"
                        "scojo_pect.lua:",
                        "")) == 0);
  CHECK(run(set + "medium_share=7") == error("--set policy.params.medium_share=7: parameter 'medium_share' of policy "
                                             "'scojo_pect' is 7; expected a number from 0 to 1"));
  coslice.folder.write("long.swf", "; MaxProcs: 4\n1 0 -1 9 1 -1 -1 1 20000 -1 1 1 1 1 1 -1 -1 -1\n");
  CHECK(coslice("run long.swf --policy scojo_pect " + set + "medium_share=1 " + set + "foreign=none").err ==
        error(set +
              "foreign=none: under policy 'scojo_pect' 1 job of class 'long' could never run: the class has no "
              "share, and no job runs in the slices of other classes; expected a share above 0, or foreign jobs"));
  CHECK(coslice("run long.swf --quiet --policy scojo_pect " + set + "medium_share=1").status == 0);
}

TEST_CASE("a full disk is an error and leaves nothing", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  const Said said = coslice.shell("coslice run t.swf >/dev/full");
  if (!fs::exists("/dev/full")) return;
  CHECK(said.status == 1);
  CHECK(said.err == error("standard output: cannot be written: No space left on device"));
}

TEST_CASE("--profile speaks on standard error", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  const Said said = coslice("run t.swf --profile --quiet --policy wfp3");
  CHECK(said.out == "");
  for (const char* part : {"load ", "simulate ", "wfp3: ", " % of it in Lua", " events, ", " passes, ", "write ",
                           "memory ", " bytes a job"}) {
    INFO(said.err);
    CHECK(said.err.find(part) != std::string::npos);
  }
}

TEST_CASE("an interrupted --profile says what it has", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  coslice.folder.write("endless.lua", "return { api = 1, name = \"endless\", version = \"1\", schedule = function()\n"
                                      "  print(\"in\")\n  while true do end\nend }\n");
  const Said said = coslice.shell(
      "ulimit -t 30; coslice run t.swf --policy easy,endless.lua --profile --set engine.trusted=true 2>said & pid=$!; "
      "for i in $(seq 3000); do grep -q in said && break; sleep 0.02; done; sleep 0.1; kill -INT $pid; wait $pid");
  CHECK(said.status == 130);
  const std::string text = coslice.folder.read("said");
  INFO(text);
  for (const char* part :
       {"load ", "  easy: ", " events, ", "  endless: ", " % in hook 'schedule' of policy 'endless'\n",
        "ended early, after 0 of 4 jobs\n", "memory "})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("no nodes at all are an error, not the trace's own", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  CHECK(coslice("run t.swf --nodes 0").err == error("--nodes 0: is out of range; expected a whole number from 1 on"));
  CHECK(coslice("run t.swf --nodes 0.0").status == 2);
  CHECK(coslice("generate lublin --nodes 0 --jobs 5").err ==
        error("--nodes 0: is out of range; expected a whole number from 1 on"));
  CHECK(coslice("run t.swf --quiet --set machine.nodes=0").status == 0);  // a scenario's way to leave it to the trace
}

TEST_CASE("--profile says which hook took the time", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  coslice.folder.write("busy.lua", "return { api = 1, name = \"busy\", version = \"1\", dynamic_key = function(job)\n"
                                   "local x = 0 for i = 1, 1e6 do x = x + i end return x + job.submit end }\n");
  const Said said = coslice("run t.swf --profile --quiet --policy busy.lua");
  INFO(said.err);
  CHECK(said.err.find(" % in hook 'dynamic_key' of policy 'busy'\n") != std::string::npos);
}

TEST_CASE("a machine of unknown size is guessed with a warning", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", "1 0 -1 100 3 -1 -1 3 120 -1 1 1 1 1 1 -1 -1 -1\n");
  const Said said = coslice("run t.swf --json");
  CHECK(said.err ==
        "coslice: warning: t.swf does not say how large its machine was: taking the size of its largest job, "
        "3 nodes\n");
  CHECK(json::parse(said.out)["machine"]["nodes"] == 3);
}

TEST_CASE("what a policy prints goes to standard error", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  coslice.folder.write("loud.lua", "return { api = 1, name = \"loud\", version = \"1\",\n"
                                   "  key = function(job) print(\"job\", job.id) return job.submit end }\n");
  const Said said = coslice("run t.swf --policy loud.lua --quiet");
  CHECK(said.out == "");
  CHECK(said.err == "job\t1\njob\t2\njob\t3\njob\t4\n");
}

TEST_CASE("run: the load is that of the scarcest resource, and a machine that falls behind is said", "[run]") {
  const Program coslice;
  std::string jobs;
  for (int i = 0; i != 200; ++i)
    jobs +=
        "{ submit = " + std::to_string(10 * i) + ", nodes = 1, runtime = 60, request = { cores = 1, gpus = 1 } },\n";
  const std::string head = "[[machine.nodes]]\nname = 'p'\ncount = 2\ncores = 32\ngpus = ";
  const auto run = [&](int gpus, const std::string& flags) {
    coslice.folder.write("s.toml", head + std::to_string(gpus) + "\n[policy]\nname = 'easy'\n[workload]\njobs = [\n" +
                                       jobs + "]\n");
    const Said said = coslice("run s.toml " + flags);
    INFO(said.err);
    REQUIRE(said.status == 0);
    return said;
  };
  // 200 jobs of 60 s in 1,990 s: 6.03 of 4 GPUs and of 64 cores.
  const Said behind = run(2, "");
  CHECK(behind.out.find("load        1.508 offered, of GPUs (cores 0.094)\n") == 0);
  CHECK(behind.err.find("the machine fell behind by ") != std::string::npos);
  const auto document = json::parse(run(2, "--json").out);
  const auto loads = [&](const char* of) { return document["workload"]["offered_load"][of].get<double>(); };
  CHECK(loads("GPUs") == Approx(12000.0 / 1990 / 4));
  CHECK(loads("cores") == Approx(12000.0 / 1990 / 64));
  const Said enough = run(8, "");
  CHECK(enough.out.find("load        0.377 offered, of GPUs (cores 0.094)\n") == 0);
  CHECK(enough.err.empty());
  CHECK(run(8, "--load 0.8").out.find("load        0.800 offered, of GPUs (cores 0.200)\n") == 0);
}

TEST_CASE("run: the offered load and the dates of a log stand above the results", "[run]") {
  const Program coslice;
  coslice.folder.write("log.swf", "; UnixStartTime: 843480031\n; TimeZone: 3600\n; MaxProcs: 2\n"
                                  "1 0 -1 100 1 -1 -1 1 200 -1 1 1 1 1 1 1 -1 -1\n"
                                  "2 100 -1 100 1 -1 -1 1 -1 -1 1 2 1 1 1 1 -1 -1\n");
  const Said plain = coslice("run log.swf");
  CHECK(plain.out.find("load        1.000 offered\n"
                       "submitted   1996-09-23 13:00:31 to 1996-09-23 13:02:11, UTC+01:00\n"
                       "policy      easy\n") == 0);
  CHECK(plain.err.find("warning: log.swf: 1 of 2 jobs have no limit; their run time stands in") != std::string::npos);
  const Said half = coslice("run log.swf --load 0.5 --set workload.missing_limit=300");
  CHECK(half.out.find("load        0.500 offered\nsubmitted   1996-09-23 13:00:31 to 1996-09-23 13:02:11") == 0);
  CHECK(half.err.empty());
  CHECK(coslice("run log.swf -s workload.drop.users=2").out.find("load        all jobs at once\n") == 0);
  CHECK(coslice("run log.swf --load 0").err.find("--load 0: workload.target_load is 0") != std::string::npos);
  CHECK(coslice("info log.swf").out.find("submitted     1996-09-23 13:00:31 to") != std::string::npos);
  CHECK(coslice("info log.swf").out.find("1 job has no limit: the run time stands in") != std::string::npos);
  coslice.folder.write("jobs.lua",
                       "return { api = 1, name = 'x', job = function(job) return job.user == 1 and job end }");
  CHECK(coslice("validate jobs.lua").out == "jobs.lua: ok (job script: 0 parameters)\n");
  CHECK(coslice("run log.swf -s workload.job_script=jobs.lua --json").out.find("\"left out by the job script\"") !=
        std::string::npos);
}

TEST_CASE("the load says which capacity it is of", "[run]") {
  const Program coslice;
  coslice.folder.write("s.toml",
                       "name = \"s\"\n[machine]\nnodes = 4\nprocessors = 1\ncores = 2\n[policy]\nname = \"fcfs\"\n"
                       "[workload]\njobs = [\n{ submit = 0, processes = 4, runtime = 60 },\n{ submit = 100, "
                       "processes = 4, runtime = 60 } ]\n");
  CHECK(coslice("run s.toml").out.find("load        0.600 offered, of 8 cores\n") != std::string::npos);
  CHECK(coslice("run s.toml --set engine.processes_per_node=1")
            .out.find("load        0.600 offered, of 8 cores; 1.200 of 4 nodes with a process on each\n") !=
        std::string::npos);
}

}  // namespace run_test
