// A policy that decides over Batsim's protocol (`coslice batsim`): beside the run that it decides itself, and asked by
// a simulator in Python that knows nothing of it (program/batsim/simulator.py).
#include <sstream>

#include "run_program.h"

namespace batsim_policy_test {

using namespace coslice_test;

namespace {

/// A schedule without the line that names its policy.
std::string without_notes(const std::string& schedule) { return schedule.substr(schedule.find("\n1 ")); }

/// A timeline without instants at which nothing changed: calls that were asked for come even if they are not wanted any
/// more, and nobody outside is told of the instants at which killed jobs would have ended.
std::string changes_of(const std::string& timeline) {
  std::istringstream lines(timeline);
  std::string out, before;
  for (std::string line; std::getline(lines, line);) {
    const std::string state = line.substr(line.find(','));
    if (state != before) out += line + "\n";
    before = state;
  }
  return out;
}

/// Runs the scenario by the policy and by the policy over the protocol, and compares all that is written of jobs.
void check_over_protocol(const Program& coslice, const std::string& scenario, const std::string& policy) {
  CAPTURE(scenario, policy);
  const std::string run = "coslice run " + scenario + " --quiet";
  const Said own = coslice.shell(run + " --policy " + policy + " --out own");
  CHECK(own.err == "");
  REQUIRE(own.status == 0);
  const Said outside =
      coslice.shell(run + " --out outside --scheduler 'coslice batsim --policy " + policy + " --endpoint {endpoint}'");
  CHECK(outside.err == "");
  REQUIRE(outside.status == 0);
  const auto read = [&](std::string of, const char* file) { return coslice.folder.read(of + "/" + file); };
  CHECK(read("own", "jobs.csv") == read("outside", "jobs.csv"));
  CHECK(changes_of(read("own", "timeline.csv")) == changes_of(read("outside", "timeline.csv")));
  CHECK(without_notes(read("own", "schedule.swf")) == without_notes(read("outside", "schedule.swf")));
}

/// Whether Python has ZeroMQ; says so where it has not.
bool can_ask() {
  static const bool can = std::system("/usr/bin/python3 -c 'import zmq' 2>/dev/null") == 0;
  if (!can) WARN("skipped: there is no python3-zmq");
  return can;
}

/// What `coslice batsim` says to a simulator, whose own words are in the file "asked". `flags` are of the former. A
/// simulator whose scheduler ended would wait for it.
Said asked(const Program& coslice, const std::string& flags, const std::string& simulator) {
  return coslice.shell("/usr/bin/python3 -B '" + std::string(COSLICE_SOURCE) +
                       "/tests/program/batsim/simulator.py' ipc://$PWD/here " + simulator +
                       " >asked 2>&1 & coslice batsim --endpoint ipc://$PWD/here " + flags +
                       "; status=$?; [ $status = 0 ] || kill $!; wait $!; exit $status");
}

}  // namespace

TEST_CASE("a policy decides over the protocol as in a run", "[cli]") {
  const Program coslice;
  for (int seed = 1; seed != 3; ++seed)
    coslice.folder.write("s" + std::to_string(seed) + ".toml",
                         "seed = " + std::to_string(seed) + "\nmachine.nodes = " + std::to_string(24 + 20 * seed) +
                             "\nworkload = { generator = \"lublin\", lublin = { jobs = 150, load = 0.95 } }\n");
  for (const char* policy : {"easy", "conservative", "fcfs", "easy_sjbf", "sjf", "easy_nodes", "conservative_nodes"})
    for (int seed = 1; seed != 3; ++seed) check_over_protocol(coslice, "s" + std::to_string(seed) + ".toml", policy);
  const std::string log = std::string(COSLICE_SOURCE) + "/scenarios/backfilling.toml";
  for (const char* policy : {"easy", "conservative"}) check_over_protocol(coslice, "'" + log + "'", policy);
}

TEST_CASE("a policy with hooks of its own decides over the protocol as in a run", "[cli]") {
  const Program coslice;
  coslice.folder.write("s.toml", "machine.nodes = 48\n"
                                 "workload = { generator = \"lublin\", lublin = { jobs = 200, load = 0.9 } }\n");
  coslice.folder.write("places.lua", R"(-- Conservative backfilling, on nodes in an order of their own.
return { api = 1, name = "places", version = "1", description = "d", order = "submit", backfill = "conservative",
  placement = { rank = function(node) return node.number % 7 end, cached = true } }
)");
  coslice.folder.write("believes.lua", R"(-- Believes half of each limit, and corrects itself where that was too short.
return { api = 1, name = "believes", version = "1", description = "d", order = "submit", backfill = "conservative",
  estimate = function(job) return job.limit / 2 end }
)");
  coslice.folder.write("sleeps.lua", R"(-- Starts jobs at whole minutes only.
return { api = 1, name = "sleeps", version = "1", description = "d",
  schedule = function(view)
    local next = math.ceil(view.now / 60) * 60
    if next > view.now then view:wake(next) return end
    for job in view:fitting() do view:start(job) end
  end }
)");
  coslice.folder.write("refuses.lua",
                       R"(-- Rejects large jobs, kills those that have run for an hour, and starts none then.
local killed = -1
return { api = 1, name = "refuses", version = "1", description = "d",
  schedule = function(view)
    for job in view:running() do
      if view.now - job.start < 3600 then view:wake(job.start + 3600)
      elseif killed ~= view.now then killed = view.now end
      if view.now - job.start >= 3600 then view:kill(job) view:wake(view.now + 1) end
    end
    if killed == view.now then return end
    for job in view:waiting() do
      if job.nodes > 24 then view:refuse(job, "it is large") elseif view:fits(job) then view:start(job) end
    end
  end }
)");
  for (const char* policy : {"./places.lua", "./believes.lua", "./sleeps.lua", "./refuses.lua"})
    check_over_protocol(coslice, "s.toml", policy);
}

TEST_CASE("a policy over the protocol knows of nodes that go and come back", "[cli]") {
  const Program coslice;
  coslice.folder.write("s.toml", "machine.nodes = 48\n"
                                 "workload = { generator = \"lublin\", lublin = { jobs = 200, load = 0.9 } }\n"
                                 "[[outages.planned]]\nnodes = [\"3-9\", \"20\"]\nfrom = 20000\nlength = 70000\n");
  check_over_protocol(coslice, "s.toml", "fcfs");
  const Said fails =
      coslice.shell("coslice run s.toml --quiet --set 'outages.failures=[{mtbf = 400000, repair = 7200}]' --out out "
                    "--scheduler 'coslice batsim --endpoint {endpoint}'");
  CHECK(fails.err == "");
  CHECK(fails.status == 0);
}

TEST_CASE("a simulator that knows only the protocol is answered as it may be", "[cli]") {
  if (!can_ask()) return;
  for (const char* policy : {"easy", "conservative", "fcfs", "easy_sjbf"})
    for (const char* seed : {"1", "2"}) {
      CAPTURE(policy, seed);
      const Program coslice;
      const Said said = asked(coslice, std::string("--policy ") + policy, seed);
      CHECK(said.err == "");
      CHECK(said.status == 0);
      CHECK(coslice.folder.read("asked").starts_with("all 40 jobs are over at "));
    }
}

TEST_CASE("questions that are wrong in any way end with words, or not at all", "[cli]") {
  if (!can_ask()) return;
  for (int seed = 1; seed != 13; ++seed) {
    CAPTURE(seed);
    const Program coslice;
    const Said said = asked(coslice, seed % 2 == 0 ? "" : "--policy conservative", std::to_string(seed) + " 0.1");
    CHECK(said.status <= 2);
    CHECK((said.status == 0) == said.err.empty());
    if (said.status != 0) CHECK(said.err.starts_with("coslice: error: --endpoint ipc://"));
  }
}

TEST_CASE("what a policy over the protocol cannot do is said", "[cli]") {
  const Program coslice;
  const auto says = [&](const std::string& flags) {
    const Said said = coslice("batsim " + flags);
    CHECK(said.status == 2);
    return said.err;
  };
  CHECK(says("--policy easy,fcfs") == error("--policy: names several policies; expected one"));
  CHECK(says("--policy scojo_pect").find("has time slices, which Batsim's protocol cannot say") != std::string::npos);
  CHECK(says("--policy no_such").find("no_such") != std::string::npos);
  CHECK(says("--endpoint udp://x:1").find("is not an endpoint") != std::string::npos);
  CHECK(says("--endpoint ipc:///no/such/folder/s").find("cannot listen at ipc:///no/such/folder/s") !=
        std::string::npos);
  CHECK(says("--set policy.params.dept=3").find("depth") != std::string::npos);
  for (const char* key : {"machine.nodes=4", "engine.kill_wait=5", "metrics.trim=0.2", "power.idle=5"})
    CHECK(says(std::string("--set ") + key)
              .find("has no effect here: machine, jobs and engine are those of the "
                    "simulation that asks; expected policy.params") != std::string::npos);
  coslice.folder.write("stops.lua", "return { api = 1, name = \"stops\", version = \"1\", description = \"d\",\n"
                                    "  schedule = function(view)\n"
                                    "    for job in view:running() do view:requeue(job) end\n"
                                    "    for job in view:fitting() do view:start(job) end\n"
                                    "  end }\n");
  coslice.folder.write("fails.lua", "return { api = 1, name = \"fails\", version = \"1\", description = \"d\",\n"
                                    "  schedule = function() error(\"enough\") end }\n");
  coslice.folder.write("s.toml",
                       "machine.nodes = 4\nworkload.jobs = [{ runtime = 10, nodes = 1 }, { runtime = 10, nodes "
                       "= 1, submit = 5 }]\n");
  const auto run = [&](const std::string& policy) {
    const Said said =
        coslice.shell("coslice run s.toml --scheduler 'coslice batsim --policy " + policy + " --endpoint {endpoint}'");
    CHECK(said.status == 2);
    return said.err;
  };
  CHECK(run("stops.lua").find("cannot be requeued: a machine outside only kills jobs") != std::string::npos);
  const std::string fails = run("fails.lua");
  CHECK(fails.find("the scheduler ended with status 1, at 0 s") != std::string::npos);
  CHECK(fails.find("enough") != std::string::npos);
}

TEST_CASE("Ctrl-C ends a policy that nobody asks", "[cli]") {
  const Program coslice;
  const Said said =
      coslice.shell("coslice batsim --endpoint ipc://$PWD/s & until_ready $!; sleep 0.2; kill -INT $!; wait $!");
  CHECK(said.status == 130);
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "s"));
}

}  // namespace batsim_policy_test
