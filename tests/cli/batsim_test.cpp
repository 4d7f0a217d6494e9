// Schedulers outside of the program that speak Batsim's protocol: a small one in Python (program/batsim/scheduler.py),
// what it may do, and what it may not.
#include <nlohmann/json.hpp>
#include <sstream>

#include "run_program.h"
#include "shared_files.h"

namespace batsim_test {

using namespace coslice_test;

namespace {

const std::string kPython = "/usr/bin/python3 -B " + std::string(COSLICE_SOURCE) + "/tests/program/batsim/scheduler.py";

/// Whether Python has ZeroMQ; says so where it has not.
bool can_speak() {
  static const bool can = std::system("/usr/bin/python3 -c 'import zmq' 2>/dev/null") == 0;
  if (!can) WARN("skipped: there is no python3-zmq");
  return can;
}

/// Jobs of 2, 1 and 4 nodes on a machine of 4, which all come at 0.
const char* const kThree = "; MaxProcs: 4\n"
                           "1 0 -1 100 2 -1 -1 2 120 -1 1 1 1 1 1 -1 -1 -1\n"
                           "2 0 -1 50 1 -1 -1 1 60 -1 1 1 1 1 1 -1 -1 -1\n"
                           "3 0 -1 90 4 -1 -1 4 40 -1 1 2 1 1 1 -1 -1 -1\n";

/// The flags for the scheduler that goes this way; the folder behind it is for none_left().
std::string by(const std::string& way) { return "--scheduler \"" + kPython + " {endpoint} " + way + " $PWD\""; }

/// Whether no scheduler of that folder is left.
bool none_left(const Program& of) {
  const std::string folder = of.folder / "";
  return std::system(("! pgrep -f '[/]" + folder.substr(1, folder.size() - 2) + "' >/dev/null").c_str()) == 0;
}

/// The column of jobs.csv, a value a line.
std::vector<std::string> column(const std::string& csv, const std::string& name) {
  std::istringstream lines(csv);
  std::vector<std::string> names, out;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::vector<std::string> row;
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
    if (names.empty()) {
      names = row;
      continue;
    }
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    out.push_back(at < row.size() ? row[at] : "");
  }
  return out;
}

/// What the run says that is decided this way; nothing may be written, and no process left.
Said refused(const std::string& way, const std::string& more = "") {
  const Program coslice;
  coslice.folder.write("t.swf", kThree);
  const Said said = coslice("run t.swf --out out " + by(way) + " " + more);
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "out"));
  CHECK(none_left(coslice));
  return said;
}

/// What an answer is refused with, behind the words that all such messages begin with.
std::string refusal(const std::string& way) {
  const Said said = refused(way);
  CHECK(said.status == 2);
  const std::string begin = "the scheduler's answer at 0 s: ";
  const std::size_t at = said.err.find(begin);
  return at == std::string::npos ? said.err : said.err.substr(at + begin.size());
}

}  // namespace

TEST_CASE("a scheduler outside gives the bytes of the policy that decides alike", "[cli]") {
  if (!can_speak()) return;
  const Program coslice;
  coslice.folder.write("s.toml",
                       "machine.nodes = 32\nworkload = { generator = \"lublin\", lublin = { jobs = 300, load = "
                       "0.9 } }\n");
  REQUIRE(coslice("run s.toml --quiet --policy fcfs --out own").status == 0);
  const Said said = coslice("run s.toml --quiet --out outside " + by("fcfs"));
  CHECK(said.err == "");
  REQUIRE(said.status == 0);
  for (const char* file : {"jobs.csv", "timeline.csv"})
    CHECK(coslice.folder.read(std::string("own/") + file) == coslice.folder.read(std::string("outside/") + file));
  const auto summary = nlohmann::json::parse(coslice.folder.read("outside/summary.json"));
  const auto own = nlohmann::json::parse(coslice.folder.read("own/summary.json"));
  CHECK(summary["fingerprint"] == own["fingerprint"]);
  CHECK(summary["policy"]["name"] == "scheduler");
  CHECK(summary["policy"]["version"] ==
        kPython + " {endpoint} fcfs " + (coslice.folder / "").substr(0, (coslice.folder / "").size() - 1));
  REQUIRE(coslice("run outside/scenario.toml --quiet --out again " + by("fcfs")).status == 0);
  CHECK(coslice.folder.read("again/jobs.csv") == coslice.folder.read("own/jobs.csv"));
}

TEST_CASE("a scheduler outside stands beside policies, and waits at an endpoint", "[cli]") {
  if (!can_speak()) return;
  const Program coslice;
  coslice.folder.write("t.swf", kThree);
  const Said both = coslice("run t.swf --policy fcfs,easy --out out " + by("filler"));
  CHECK(both.status == 0);
  CHECK(both.out.find("scheduler") != std::string::npos);
  CHECK(std::filesystem::exists(coslice.folder / "out/scheduler/jobs.csv"));
  CHECK(std::filesystem::exists(coslice.folder / "out/fcfs/jobs.csv"));
  const Said waits =
      coslice.shell(kPython + " ipc://$PWD/here fcfs & coslice run t.swf --quiet --out there --scheduler "
                              "ipc://$PWD/here; s=$?; wait; exit $s");
  CHECK(waits.err == "");
  CHECK(waits.status == 0);
  CHECK(column(coslice.folder.read("there/jobs.csv"), "starting_time") == std::vector<std::string>{"0", "0", "100"});
}

TEST_CASE("a scheduler outside kills, is called, and learns how jobs end", "[cli]") {
  if (!can_speak()) return;
  const Program coslice;
  coslice.folder.write("t.swf", kThree);
  CHECK(coslice("run t.swf --quiet --out out " + by("killer")).err == "");
  CHECK(coslice.folder.read("told") == "called at 10\ncalled at 10\n"
                                       "w0!1 COMPLETED_KILLED at 10\nw0!2 COMPLETED_KILLED at 10\n"
                                       "killed ['w0!1', 'w0!2'] ['w0!1', 'w0!2']\n"
                                       "called at 20\nw0!3 COMPLETED_KILLED at 20\nkilled ['w0!3'] ['w0!3']\n");
  const std::string jobs = coslice.folder.read("out/jobs.csv");
  CHECK(column(jobs, "final_state") == std::vector<std::string>(3, "COMPLETED_KILLED"));
  CHECK(column(jobs, "starting_time") == std::vector<std::string>{"0", "0", "10"});
}

TEST_CASE("a scheduler outside is told of limits, nodes that fail, and the last submission", "[cli]") {
  if (!can_speak()) return;
  const Program coslice;
  coslice.folder.write("s.toml", "machine.nodes = 4\nworkload.trace = \"t.swf\"\n"
                                 "[[outages.planned]]\nkind = \"failure\"\nnodes = [\"0\"]\nfrom = 20\nlength = 10\n");
  coslice.folder.write("t.swf", kThree);
  const Said said = coslice("run s.toml --quiet --out out --scheduler-config hello " + by("listener"));
  CHECK(said.err == "");
  REQUIRE(said.status == 0);
  const std::string told = coslice.folder.read("told");
  for (const char* line :
       {"\n0 NOTIFY {\"type\": \"no_more_static_job_to_submit\"}\n",
        "\n20 JOB_COMPLETED {\"alloc\": \"0-1\", \"job_id\": \"w0!1\", \"job_state\": \"COMPLETED_FAILED\", "
        "\"return_code\": 1}\n20 JOB_SUBMITTED {\"job\": {\"id\": \"w0!1#1\"",
        "\n20 NOTIFY {\"resources\": \"0\", \"type\": \"event_machine_unavailable\"}\n",
        "\n30 NOTIFY {\"resources\": \"0\", \"type\": \"event_machine_available\"}\n",
        "\"job_id\": \"w0!3\", \"job_state\": \"COMPLETED_WALLTIME_REACHED\"", "\"sched-config\": \"hello\""})
    CHECK(told.find(line) != std::string::npos);
  CHECK(told.find(" SIMULATION_ENDS {}\n") != std::string::npos);
}

TEST_CASE("a scheduler outside rejects jobs, takes its time, and asks for the energy", "[cli]") {
  if (!can_speak()) return;
  const Program coslice;
  coslice.folder.write("t.swf", kThree);
  CHECK(coslice("run t.swf --quiet --out rejects " + by("rejecter")).err == "");
  CHECK(column(coslice.folder.read("rejects/jobs.csv"), "final_state") ==
        std::vector<std::string>{"REJECTED", "COMPLETED_SUCCESSFULLY", "REJECTED"});
  CHECK(coslice("run t.swf --quiet --out late " + by("late")).err == "");
  CHECK(column(coslice.folder.read("late/jobs.csv"), "starting_time") == std::vector<std::string>{"10", "10", "115"});
  CHECK(coslice("run t.swf --quiet --set power.watts.busy=100 --set power.watts.idle=10 " + by("asker")).err == "");
  CHECK(coslice.folder.read("told") == "15500 J at 50\n26500 J at 100\n42500 J at 140\n");
}

TEST_CASE("a scheduler outside powers nodes, and their energy is that of the run", "[cli]") {
  if (!can_speak()) return;
  const Program coslice;
  coslice.folder.write("t.swf", "; MaxProcs: 4\n"
                                "1 0 -1 100 4 -1 -1 4 120 -1 1 1 1 1 1 -1 -1 -1\n"
                                "2 200 -1 50 1 -1 -1 1 60 -1 1 1 1 1 1 -1 -1 -1\n"
                                "3 400 -1 100 2 -1 -1 2 140 -1 1 2 1 1 1 -1 -1 -1\n");
  const std::string power =
      "--set power.idle=1e9 --set power.boot=30 --set power.shutdown=10 --set power.watts.busy=100 "
      "--set power.watts.idle=50 --set power.watts.booting=80 --set power.watts.off=5 ";
  const Said said = coslice("run t.swf --quiet --out out " + power + by("sleeper"));
  CHECK(said.err == "");
  REQUIRE(said.status == 0);
  CHECK(coslice.folder.read("told") ==
        "0-3 in 13 at 10\n0-3 in 0 at 40\n0-3 in 13 at 150\n0 in 0 at 230\n0 in 13 at 290\n0-1 in 0 at 430\n");
  CHECK(column(coslice.folder.read("out/jobs.csv"), "starting_time") == std::vector<std::string>{"40", "230", "430"});
  const auto energy = nlohmann::json::parse(coslice.folder.read("out/summary.json"))["energy"];
  // Busy 400 + 50 + 200 s, coming up 7 times 30 s, off all the rest of 4 times 530 s.
  CHECK(std::abs(energy["used"].get<double>() * 3.6e6 - (650 * 100 + 210 * 80 + (4 * 530 - 650 - 210) * 5)) < 1e-3);
  const Said alone = coslice("run t.swf --set power.idle=60 --set power.boot=30 " + by("sleeper"));
  CHECK(alone.status == 2);
  CHECK(on_one_line(alone.err).find("powered down by themselves; expected power.idle = 1e9") != std::string::npos);
}

TEST_CASE("what a scheduler outside may not do is refused by the name of its message", "[cli]") {
  if (!can_speak()) return;
  CHECK(refusal("garbage") == "it is not JSON: \"this is no JSON\"\n");
  CHECK(refusal("nested") == "it is nested more than 32 deep\n");
  CHECK(refusal("bytes").starts_with("it is not JSON: \"\\xff\\xfe"));
  CHECK(refusal("list") == "it is []; expected an object\n");
  CHECK(refusal("no_events") == "the answer has no 'events'\n");
  CHECK(refusal("events_text") == "'events' is \"none\"; expected a list\n");
  CHECK(refusal("event_number") == "event 1, which has no type: is 7; expected an object\n");
  CHECK(refusal("past") == "'now', -5 s lies in the past\n");
  CHECK(refusal("no_type") == "event 1, which has no type: the event has no 'type'\n");
  CHECK(refusal("unknown") == "event 1, DO_WHAT_I_MEAN: is no event that is understood\n");
  CHECK(refusal("no_data") == "event 1, EXECUTE_JOB: the event has no 'data'\n");
  CHECK(refusal("future_event") == "event 1, EXECUTE_JOB of job w0!1, is later than 'now'\n");
  CHECK(refusal("no_alloc") == "event 1, EXECUTE_JOB of job w0!1: data has no 'alloc'\n");
  CHECK(refusal("no_job") ==
        "event 1, EXECUTE_JOB of job w0!99: there is no such job; expected one that was submitted\n");
  CHECK(refusal("too_few") == "event 1, EXECUTE_JOB of job w0!1: the job needs 2 nodes, and gets 1\n");
  CHECK(refusal("no_node") == "event 1, EXECUTE_JOB of job w0!1: there is no node 4; expected numbers from 0 to 3\n");
  CHECK(refusal("twice") == "event 1, EXECUTE_JOB of job w0!1: the nodes \"1 1\" have one twice\n");
  CHECK(refusal("backwards") == "event 1, EXECUTE_JOB of job w0!1: the nodes \"1-0\" are no list such as \"0-3 5\"\n");
  CHECK(refusal("huge").find("are no list such as") != std::string::npos);
  CHECK(refusal("taken") == "event 2, EXECUTE_JOB of job w0!2: node 1 has job w0!1; expected nodes without jobs\n");
  CHECK(refusal("again") == "event 3, EXECUTE_JOB of job w0!1: the job runs already; expected one that waits\n");
  CHECK(refusal("reject_running") ==
        "event 3, REJECT_JOB of job w0!1: the job runs already; expected one that waits\n");
  CHECK(refusal("kill_waiting") ==
        "event 1, KILL_JOB of job w0!1: job w0!1 waits; expected jobs that run, or REJECT_JOB\n");
  CHECK(refusal("kill_none") == "event 1, KILL_JOB: 'job_ids' is empty\n");
  CHECK(refusal("call_past") == "event 1, CALL_ME_LATER: the call at -1 s lies in the past\n");
  CHECK(refusal("query").find("only \"consumed_energy\" is answered") != std::string::npos);
  CHECK(refusal("energy").find("what nodes draw is not known; expected power.watts") != std::string::npos);
  CHECK(refusal("power") == "event 1, SET_RESOURCE_STATE of nodes 0: nodes are never powered down; expected "
                            "power.idle = 1e9, with power.boot and power.shutdown\n");
  CHECK(refusal("notify") == "event 1, NOTIFY hello: expected registration_finished or continue_registration\n");
}

TEST_CASE("a scheduler outside registers jobs, which are those of the run as others are", "[cli]") {
  if (!can_speak()) return;
  const Program coslice;
  coslice.folder.write("t.swf", kThree);
  const Said said = coslice("run t.swf --quiet --out out " + by("registrar"));
  CHECK(said.err == "");
  REQUIRE(said.status == 0);
  const std::string csv = coslice.folder.read("out/jobs.csv");
  CHECK(column(csv, "job_id") == std::vector<std::string>{"1", "2", "3", "4", "5", "6"});
  CHECK(column(csv, "submission_time") == std::vector<std::string>{"0", "0", "0", "5", "5", "240"});
  CHECK(column(csv, "starting_time") == std::vector<std::string>{"0", "0", "100", "65", "5", "240"});
  CHECK(column(csv, "execution_time") == std::vector<std::string>{"100", "50", "40", "30", "60", "320"});
  CHECK(column(csv, "final_state")[4] == "COMPLETED_WALLTIME_REACHED");
  CHECK(column(csv, "final_state")[5] == "COMPLETED_SUCCESSFULLY");
  const std::string told = coslice.folder.read("told");
  for (const char* line :
       {"\n5 JOB_SUBMITTED {\"job\": {\"id\": \"dyn!1\", \"profile\": \"p30\", \"res\": 2, \"subtime\": 5.0, "
        "\"user\": 7, \"walltime\": 40.0}, \"job_id\": \"dyn!1\"}\n",
        "\n240 JOB_SUBMITTED {\"job\": {\"id\": \"dyn!3\", \"profile\": \"parts\", \"res\": 4, \"subtime\": 240.0, "
        "\"user\": 7}, \"job_id\": \"dyn!3\"}\n",
        "\"job_id\": \"dyn!2\", \"job_state\": \"COMPLETED_WALLTIME_REACHED\""})
    CHECK(told.find(line) != std::string::npos);
  const auto summary = nlohmann::json::parse(coslice.folder.read("out/summary.json"));
  CHECK(summary["nb_jobs"] == 6);
  CHECK(coslice("run t.swf --quiet --out at-once " + by("impatient")).err == "");
  const std::string at_once = coslice.folder.read("at-once/jobs.csv");
  CHECK(column(at_once, "job_id") == std::vector<std::string>{"1", "2", "3", "4"});
  CHECK(column(at_once, "starting_time") == std::vector<std::string>{"20", "20", "120", "0"});
}

TEST_CASE("jobs that a scheduler registers run as those of a log that has them", "[cli]") {
  if (!can_speak()) return;
  const Program coslice;
  coslice.folder.write("t.swf", "; MaxProcs: 4\n"
                                "1 0 -1 100 2 -1 -1 2 120 -1 1 1 1 1 1 -1 -1 -1\n"
                                "2 400 -1 50 1 -1 -1 1 60 -1 1 1 1 1 1 -1 -1 -1\n");
  coslice.folder.write("all.swf", "; MaxProcs: 4\n"
                                  "1 0 -1 100 2 -1 -1 2 120 -1 1 1 1 1 1 -1 -1 -1\n"
                                  "3 5 -1 30 2 -1 -1 2 40 -1 1 7 -1 -1 -1 -1 -1 -1\n"
                                  "4 5 -1 100 1 -1 -1 1 60 -1 1 7 -1 -1 -1 -1 -1 -1\n"
                                  "5 200 -1 320 4 -1 -1 4 320 -1 1 7 -1 -1 -1 -1 -1 -1\n"
                                  "2 400 -1 50 1 -1 -1 1 60 -1 1 1 1 1 1 -1 -1 -1\n");
  REQUIRE(coslice("run t.swf --quiet --out registered " + by("registrar")).err == "");
  REQUIRE(coslice("run all.swf --quiet --out listed " + by("filler")).err == "");
  for (const char* name : {"job_id", "submission_time", "starting_time", "finish_time", "allocated_resources",
                           "final_state", "waiting_time", "turnaround_time", "requested_time"})
    CHECK(column(coslice.folder.read("registered/jobs.csv"), name) ==
          column(coslice.folder.read("listed/jobs.csv"), name));
}

TEST_CASE("a job is registered again with the profile of the log's, and one of parts that come behind it", "[cli]") {
  if (!can_speak()) return;
  const Program coslice;
  coslice.folder.write("t.swf", kThree);
  CHECK(coslice("run t.swf --quiet --out out --scheduler-profiles " + by("restarter")).err == "");
  const std::string csv = coslice.folder.read("out/jobs.csv");
  CHECK(column(csv, "job_id") == std::vector<std::string>{"1", "2", "3", "4", "5"});
  CHECK(column(csv, "starting_time") == std::vector<std::string>{"0", "0", "110", "0", "10"});
  CHECK(column(csv, "execution_time") == std::vector<std::string>{"10", "50", "40", "15", "100"});
  CHECK(coslice.folder.read("told") ==
        "True\nw0!1 {\"delay\": 120.0, \"type\": \"delay\"}\nw0!2 {\"delay\": 60.0, \"type\": \"delay\"}\n"
        "w0!3 {\"delay\": 40.0, \"type\": \"delay\"}\n"
        "dyn!1 {\"seq\": [\"a\", \"a\", \"b\"], \"type\": \"composed\"}\n"
        "w0!1#1 {\"delay\": 200.0, \"type\": \"delay\"}\n");
  CHECK(coslice("run t.swf --quiet " + by("restarter")).err == "");
  CHECK(coslice.folder.read("told") == "False\nw0!1 null\nw0!2 null\nw0!3 null\ndyn!1 null\nw0!1#1 null\n");
}

TEST_CASE("many jobs are registered in one answer, with profiles behind them, and told of in one message", "[cli]") {
  if (!can_speak()) return;
  const Program coslice;
  coslice.folder.write("t.swf", kThree);
  CHECK(coslice("run t.swf --quiet --out out " + by("crowd")).err == "");
  const std::string csv = coslice.folder.read("out/jobs.csv");
  REQUIRE(column(csv, "job_id").size() == 603);
  CHECK(column(csv, "execution_time")[3] == "2");
  CHECK(column(csv, "starting_time")[3] == "0");
  CHECK(column(csv, "allocated_resources")[3] == "3");
  CHECK(column(csv, "execution_time")[602] == "6");
  CHECK(coslice.folder.read("told") == "603\n");
}

TEST_CASE("jobs are registered as they can run", "[cli]") {
  if (!can_speak()) return;
  CHECK(refusal("register") == "event 1, REGISTER_JOB of job dyn!1: data has no 'job'\n");
  CHECK(refusal("register_no_profile") ==
        "event 1, REGISTER_JOB of job dyn!1: there is no profile \"p\" of workload \"dyn\"; expected one of "
        "REGISTER_PROFILE, or 'profile' in the data\n");
  CHECK(
      refusal("register_parallel") ==
      "event 1, REGISTER_JOB of job dyn!1: the profile is of type \"parallel\"; expected \"delay\", or \"composed\" of "
      "such\n");
  CHECK(refusal("register_again") == "event 1, REGISTER_JOB of job w0!2: there is a job of that name already\n");
  CHECK(refusal("register_other") ==
        "event 1, REGISTER_JOB of job dyn!1: 'id' of 'job' is \"5\"; expected that of 'job_id'\n");
  CHECK(refusal("register_large") ==
        "event 1, REGISTER_JOB of job dyn!1: 'res' of 'job' is 5; expected from 1 to 4 nodes\n");
  CHECK(refusal("register_part") ==
        "event 1, REGISTER_JOB of job dyn!1: 'res' of 'job' is 1.5; expected a whole number\n");
  CHECK(refusal("register_negative") ==
        "event 1, REGISTER_PROFILE p: 'delay' of the profile is -1; expected seconds from 0 to 1e9\n");
  CHECK(refusal("register_parts") ==
        "event 1, REGISTER_PROFILE p: 'seq' of the profile has 1; expected names of profiles\n");
  CHECK(refusal("register_missing").find("there is no profile \"q\" of workload \"dyn\"") != std::string::npos);
  CHECK(refusal("register_circle") == "event 1, REGISTER_JOB of job dyn!1: the profile is nested more than 32 deep\n");
  CHECK(refusal("register_other_log").find("there is no profile \"9\" of workload \"w0\"") != std::string::npos);
  CHECK(refusal("register_unlimited") ==
        "event 1, REGISTER_JOB of job dyn!1: 'walltime' of 'job' is 0; expected more than 0 s, or -1 for none\n");
  CHECK(refusal("register_late") ==
        "event 2, REGISTER_JOB of job dyn!1: the scheduler has said registration_finished; expected "
        "continue_registration before it\n");
  CHECK(refusal("answers") == "event 1, ANSWER: nothing was asked\n");
}

TEST_CASE("a scheduler outside that dies, hangs or is not there ends the run, and leaves no process", "[cli]") {
  if (!can_speak()) return;
  const Said dies = refused("dies");
  CHECK(dies.status == 2);
  CHECK(dies.err.find("the scheduler ended with status 3, at 0 s\nthis is why\n") != std::string::npos);
  const Said hangs = refused("hangs", "--scheduler-timeout 4");
  CHECK(hangs.status == 2);
  CHECK(hangs.err.find("the scheduler does not answer in time, at 0 s; --scheduler-timeout gives it more than 4 s\n"
                       "thinking\n") != std::string::npos);
  const Said chatters = refused("chatters", "--scheduler-timeout 4");
  CHECK(chatters.status == 2);
  CHECK(chatters.err.size() < 8000);
  CHECK(refused("deaf", "--scheduler-timeout 0.3").err.find("the scheduler does not listen at ipc://") !=
        std::string::npos);
  for (const auto& [way, words] :
       {std::pair("idler", "it asked for 10000 calls in which nothing ran and none of the 3 waiting jobs was started"),
        std::pair("asks_at_once", "it has answered 10000 messages at this instant, and goes on")}) {
    const Said said = refused(way);
    CHECK(said.status == 2);
    CHECK(said.err.find(words) != std::string::npos);
  }
  const Program forgets;
  forgets.folder.write("t.swf", kThree);
  CHECK(forgets("run t.swf --quiet " + by("metadata")).status == 0);
  const Said nothing = refused("nothing");
  CHECK(nothing.status == 1);
  CHECK(nothing.err.find("left 3 jobs waiting for ever") != std::string::npos);
  const Program coslice;
  coslice.folder.write("t.swf", kThree);
  CHECK(coslice("run t.swf --quiet " + by("leaves_child")).status == 0);
  CHECK(none_left(coslice));
}

TEST_CASE("answers that are wrong in any way end the run with words, or not at all", "[cli]") {
  if (!can_speak()) return;
  for (int seed = 1; seed != 25; ++seed) {
    CAPTURE(seed);
    const Program coslice;
    coslice.folder.write("t.swf", kThree);
    const Said said = coslice("run t.swf --quiet --scheduler-timeout 30 --scheduler-config x "
                              "--set power.watts.busy=100 --set power.watts.idle=10 " +
                              by("mutated:" + std::to_string(seed)));
    CHECK(said.status <= 2);
    CHECK((said.status == 0) == said.err.empty());
    if (said.status != 0) CHECK(said.err.starts_with("coslice: error: "));
    CHECK(none_left(coslice));
  }
}

TEST_CASE("a scheduler in C, with a socket of its own, gives the bytes of that in Python", "[cli]") {
  const Program coslice;
  const Said built = coslice.shell("cc -O1 '" + std::string(COSLICE_SOURCE) + "/examples/c/scheduler.c' -o scheduler");
  if (built.status != 0) {
    WARN("skipped: there is no C compiler");
    return;
  }
  coslice.folder.write("s.toml",
                       "machine.nodes = 32\nworkload = { generator = \"lublin\", lublin = { jobs = 300, load = "
                       "0.9 } }\noutages.failures = [{ mtbf = 2000000, repair = 7200 }]\n");
  const Said said = coslice("run s.toml --quiet --out c --scheduler './scheduler {endpoint}'");
  CHECK(said.err == "");
  REQUIRE(said.status == 0);
  if (!can_speak()) return;
  REQUIRE(coslice("run s.toml --quiet --out python " + by("filler")).status == 0);
  for (const char* file : {"jobs.csv", "timeline.csv"})
    CHECK(coslice.folder.read(std::string("c/") + file) == coslice.folder.read(std::string("python/") + file));
}

TEST_CASE("a scheduler outside is named by a command or an endpoint", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kThree);
  const auto says = [&](const std::string& flags) {
    const Said said = coslice("run t.swf " + flags);
    CHECK(said.status == 2);
    return said.err;
  };
  CHECK(says("--scheduler 'no-such-program -s {endpoint}'").find("cannot be started (status 127)") !=
        std::string::npos);
  CHECK(says("--scheduler 'exit 4 #{endpoint}'").find("the scheduler ended with status 4") != std::string::npos);
  CHECK(says("--scheduler tcp://localhost --scheduler-timeout 1").find("is not an endpoint") != std::string::npos);
  CHECK(says("--scheduler tcp://somewhere:1").find("an address in numbers") != std::string::npos);
  CHECK(says("--scheduler ipc://nobody --scheduler-timeout 0.2").find("does not listen at ipc://nobody") !=
        std::string::npos);
  CHECK(says("--scheduler ''") == error("--scheduler: names no scheduler; expected a command"));
  CHECK(says("--scheduler-profiles") == error("--scheduler-profiles: has no effect without --scheduler"));
  CHECK(says("--scheduler-timeout 3") == error("--scheduler-timeout: has no effect without --scheduler"));
  CHECK(says("--scheduler 'x/easy.py {endpoint}' --policy easy") ==
        error("--scheduler: the scheduler is called 'easy', as a policy of --policy"));
  CHECK(
      says("--scheduler 'sleep 9 {endpoint}' --set engine.event_order=submissions-first").find("cannot be combined") !=
      std::string::npos);
}

TEST_CASE("Ctrl-C ends a run that waits for its scheduler, and the scheduler", "[cli]") {
  if (!can_speak()) return;
  const Program coslice;
  coslice.folder.write("t.swf", kThree);
  const Said said =
      coslice.shell("coslice run t.swf " + by("hangs") + " & until_ready $!; sleep 1; kill -INT $!; wait $!");
  CHECK(said.status == 130);
  CHECK(none_left(coslice));
}

TEST_CASE("a scheduler goes with the program that is killed, with all that it has started", "[cli]") {
  if (!can_speak()) return;
  const Program coslice;
  coslice.folder.write("t.swf", kThree);
  const Said said =
      coslice.shell("coslice run t.swf --scheduler '" + kPython +
                    " {endpoint} hangs '$PWD'; exit 0' & until_ready $!; sleep 1; kill -KILL $!; wait $!; "
                    "sleep 0.5");
  CHECK(none_left(coslice));
}

TEST_CASE("the scheduler on the page runs", "[cli]") {
  if (!can_speak()) return;
  const Program coslice;
  std::ifstream page(std::string(COSLICE_SOURCE) + "/docs/batsim.md");
  std::string code;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) inside = line == "```python file=first_fit.py";
    else if (inside) code += line + "\n";
  }
  REQUIRE(code.find("zmq.REP") != std::string::npos);
  coslice.folder.write("first_fit.py", code);
  const Said said = coslice("run '" + std::string(COSLICE_SOURCE) +
                            "/scenarios/backfilling.toml' --scheduler '/usr/bin/python3 first_fit.py {endpoint}'");
  CHECK(said.err == "");
  CHECK(said.status == 0);
  CHECK(said.out.find("policy      first_fit") != std::string::npos);
}

TEST_CASE("EASY that names nodes gives the starts and nodes of a published run of batsched", "[cli]") {
  const std::string workload = shared_file("batsim/evalys/medium_late.json");
  const std::string published = shared_file("batsim/evalys/easy.out_jobs.csv.gz");
  if (workload.empty()) {
    WARN("batsim is not there: no published starts of Batsim were repeated");
    return;
  }
  const Program coslice;
  std::ifstream file(workload);
  const auto batsim = nlohmann::json::parse(file);
  std::string scenario = "machine.nodes = 32\n";
  for (const auto& job : batsim["jobs"]) {
    std::ostringstream text;
    text.precision(15);
    text << "[[workload.jobs]]\nid = " << job["id"].get<std::int64_t>() << "\nsubmit = " << job["subtime"].get<double>()
         << "\nnodes = " << job["res"].get<int>()
         << "\nruntime = " << batsim["profiles"][job["profile"].get<std::string>()]["delay"].get<double>()
         << "\nlimit = " << job["walltime"].get<double>() << "\n";
    scenario += text.str();
  }
  coslice.folder.write("s.toml", scenario);
  const Said said = coslice.shell("coslice run s.toml --quiet --policy easy_nodes --out own && zcat '" + published +
                                  "' >published.csv");
  CHECK(said.err == "");
  REQUIRE(said.status == 0);
  const auto by_job = [&](const std::string& path) {
    const std::string csv = coslice.folder.read(path);
    const auto ids = column(csv, "job_id"), starts = column(csv, "starting_time"),
               nodes = column(csv, "allocated_resources");
    std::map<std::string, std::pair<double, std::string>> out;
    for (std::size_t i = 0; i != ids.size(); ++i) out[ids[i]] = {std::stod(starts[i]), nodes[i]};
    return out;
  };
  const auto own = by_job("own/jobs.csv"), theirs = by_job("published.csv");
  REQUIRE(theirs.size() == 801);
  std::size_t starts = 0, nodes = 0;
  for (const auto& [id, at] : theirs) {
    starts += std::abs(own.at(id).first - at.first) < 2e-6;
    nodes += own.at(id).second == at.second;
  }
  CHECK(starts == 801);
  CHECK(nodes == 801);
}

}  // namespace batsim_test
