// Forecasts that are kept in a file, and answers from it, by the program.
#include "catch.h"

#include <nlohmann/json.hpp>

#include "forecast_site.h"

namespace portal_test {

using namespace coslice_test;
using Catch::Contains;
using nlohmann::json;

namespace {

const std::string kMake =
    "forecast . --queue queue.txt --now 2026-03-12T08:30 --runs 20 --arrivals none --out state.json";
const std::string kAsk = "forecast --from state.json --now 2026-03-12T08:35 ";
constexpr std::int64_t kLooked = 1773304200;  // 2026-03-12T08:30

/// A folder with nothing but the state of the usual queue, beside which an array and a component of a job wait.
struct Kept {
  Kept() {
    make_site(coslice);
    const std::string queue = kQueue;
    coslice.folder.write("queue.txt",
                         queue + "206_[1-3%2]|cleo|batch|PENDING|2026-03-12T08:27:00|N/A|02:00:00|1|1||Priority\n");
    made = coslice(kMake);
    state = coslice.folder.read("state.json");
    for (const char* file : {"queue.txt", "jobs.sacct", "scenario.toml"})
      std::filesystem::remove(coslice.folder / file);
  }

  /// What it says, which must be an answer.
  json answer(const std::string& question) const {
    const Said said = coslice(kAsk + question + " --json");
    INFO(said.err);
    REQUIRE(said.status == 0);
    return json::parse(said.out);
  }

  std::vector<std::string> ids(const std::string& question) const {
    std::vector<std::string> out;
    const json said = answer(question);
    for (const json& job : said["jobs"]) out.push_back(job["id"]);
    return out;
  }

  void refused(const std::string& question, const std::string& why) const {
    const Said said = coslice(kAsk + question);
    CHECK(said.status == 2);
    CHECK(said.out == "");
    CHECK_THAT(said.err, Contains(why));
  }

  /// The state as text with a part replaced.
  void change(const std::string& from, const std::string& to) const {
    coslice.folder.write("state.json", replaced(state, from, to));
  }

  Program coslice;
  Said made;
  std::string state;
};

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("a kept forecast says what the forecast says", "[cli]") {
  const Program coslice;
  make_site(coslice);
  coslice.folder.write("queue.txt", kQueue);
  const Said said = coslice(kMake);
  CHECK(said.err == "wrote state.json: 2 waiting jobs, 1 held, 2 running, queue of 2026-03-12 08:30:00\n");
  CHECK(said.out == "");
  REQUIRE(said.status == 0);
  const std::string text = coslice.folder.read("state.json");
  const json state = json::parse(text);
  CHECK(state["format"] == "coslice forecast 1");
  CHECK(state["queue"] == kLooked);
  CHECK(state["made"].get<std::int64_t>() > kLooked);
  CHECK(state["valid"] == 900);
  CHECK(state["interval"] == 0.8);
  CHECK(state["calibration"]["runs"] == 20);
  CHECK(state["calibration"]["ended"] == 40);
  const json printed = json::parse(coslice(replaced(kMake, "--out state.json", "--json")).out);
  CHECK(state["calibration"]["corrected_by"] == printed["corrected_by"]);
  REQUIRE(state["jobs"].size() == 5);
  for (std::size_t i = 0; i != 2; ++i) {
    const json &kept = state["jobs"][i], &said_of = printed["jobs"][i];
    INFO(kept);
    for (const char* key : {"id", "user", "partition", "nodes", "within_1h", "today"}) CHECK(kept[key] == said_of[key]);
    for (const char* key : {"median", "low", "high"}) CHECK(kept[key] == kLooked + said_of[key].get<std::int64_t>());
    CHECK(kept["state"] == "waiting");
  }
  CHECK(state["jobs"][2]["state"] == "held");
  CHECK(state["jobs"][2]["reason"] == "JobHeldUser");
  CHECK(state["jobs"][3]["state"] == "running");
  CHECK(state["jobs"][3]["started"] == kLooked - 1800);
  // A job a line, so that it can be looked through and compared.
  CHECK(std::count(text.begin(), text.end(), '\n') == 7);
  CHECK(coslice(kMake + " --valid 20min").status == 0);
  CHECK(json::parse(coslice.folder.read("state.json"))["valid"] == 1200);
}

TEST_CASE("accounts are kept where the queue says them", "[cli]") {
  const Program coslice;
  make_site(coslice);
  coslice.folder.write("queue.txt", "JOBID|USER|ACCOUNT|PARTITION|STATE|SUBMIT_TIME|TIME_LIMIT|NODES|CPUS|REASON\n"
                                    "103|ann|ocean|batch|PENDING|2026-03-12T08:20:00|02:00:00|1|1|Resources\n");
  REQUIRE(coslice(kMake).status == 0);
  CHECK(json::parse(coslice.folder.read("state.json"))["jobs"][0]["account"] == "ocean");
}

TEST_CASE("answers about jobs, arrays and users", "[cli]") {
  const Kept kept;
  REQUIRE(kept.made.status == 0);
  CHECK(kept.ids("") == Ids{"103", "104", "206_1", "206_2", "206_3", "105"});
  CHECK(kept.ids("--job 104") == Ids{"104"});
  CHECK(kept.ids("--job 206") == Ids{"206_1", "206_2", "206_3"});
  CHECK(kept.ids("--job 206_2") == Ids{"206_2"});
  CHECK(kept.ids("--job '206_[2-9%2]'") == Ids{"206_2", "206_3"});
  CHECK(kept.ids("--job 104 --job 103 --job 104") == Ids{"103", "104"});
  CHECK(kept.ids("--user bob") == Ids{"104", "105"});
  CHECK(kept.ids("--user ann") == Ids{"103", "101", "102"});
  CHECK(kept.ids("--user ann --user cleo --job 105").size() == 7);
  const json answer = kept.answer("--job 103");
  CHECK(answer["age"] == 300);
  CHECK(answer["asked"] == kLooked + 300);
  CHECK(answer["old"] == false);
  CHECK(answer["jobs"][0]["median"] == kLooked + 1800);
  CHECK(answer["jobs"][0]["starts_in"] == 1500);
  // A start that has passed is now.
  CHECK(json::parse(kept.coslice("forecast --from state.json --now 2026-03-12T09:10 --job 103 --json")
                        .out)["jobs"][0]["starts_in"] == 0);
}

TEST_CASE("an answer as a table", "[cli]") {
  const Kept kept;
  const Said said = kept.coslice(kAsk + "--job 103 --job 105 --job 101");
  CHECK(said.err == "");
  CHECK(said.status == 0);
  INFO(said.out);
  CHECK_THAT(said.out, Contains("queue of 2026-03-12 08:30:00, 5 min 00 s ago; 20 simulations, "));
  CHECK_THAT(said.out, Contains("│ 103 │ ann  │") && Contains("│ waiting (Resources) │") && Contains("00:25") &&
                           Contains("│ 2026-03-12 09:00:00 │"));
  CHECK_THAT(said.out, Contains("│ held (JobHeldUser)  │"));
  CHECK_THAT(said.out, Contains("│ running             │") && Contains("│ 2026-03-12 08:00:00 │"));
  CHECK_THAT(kept.coslice(kAsk + "--lines 2").out, Contains("and 4 more"));
}

TEST_CASE("starts beyond the horizon are kept as such", "[cli]") {
  const Program coslice;
  make_site(coslice);
  std::string queue = kQueue;
  for (int i = 200; i != 230; ++i)
    queue += std::to_string(i) + "|bob|batch|PENDING|2026-03-12T08:27:00|N/A|1-00:00:00|2|2||Priority\n";
  coslice.folder.write("queue.txt", queue);
  REQUIRE(coslice(kMake + " --horizon 1 --runs 5").status == 0);
  const json state = json::parse(coslice.folder.read("state.json"));
  CHECK(state["horizon"] == 86400);
  CHECK(state["jobs"][31]["median"].is_null());
  const std::string last = "--job " + state["jobs"][31]["id"].get<std::string>();
  CHECK_THAT(coslice("forecast --from state.json --now 2026-03-12T09:30 " + last).out, Contains("> 23:00"));
  CHECK(json::parse(coslice("forecast --from state.json --json " + last).out)["jobs"][0]["starts_in"].is_null());
}

TEST_CASE("a job or a user that is not in it", "[cli]") {
  const Kept kept;
  kept.refused(
      "--job 99999",
      "coslice: error: --job 99999: is not in state.json; expected a job that waited, was held or ran when the queue "
      "was "
      "looked at, at 2026-03-12 08:30:00; it has ended, came later, or can never run there: `squeue --jobs 99999` "
      "tells\n");
  kept.refused("--job 1040", "did you mean '104'?");
  kept.refused("--job 206_7", "`squeue --jobs 206` tells; of 206 it has 206_1, 206_2, 206_3\n");
  kept.refused("--job 206-2",
               "--job 206-2: is not the id of a job; expected e.g. 1234, or 1234_7 of an array; did you mean '206_2'?");
  kept.refused("--job '206_[1-'", "is not a range of an array");
  kept.refused("--job 103 --job 99999", "--job 99999: is not in state.json");
  kept.refused(
      "--user anne",
      "--user anne: has no job in state.json; expected a user whose job waited, was held or ran when the queue was "
      "looked at, at 2026-03-12 08:30:00; did you mean 'ann'?");
}

TEST_CASE("an old forecast is said to be so, or refused", "[cli]") {
  const Kept kept;
  const auto asked_at = [&](const std::string& time, const std::string& more = "") {
    return kept.coslice("forecast --from state.json --job 104 --now 2026-03-12T" + time + more);
  };
  CHECK(asked_at("08:45").err == "");
  const Said old = asked_at("08:50:10");
  CHECK(old.status == 0);
  CHECK(old.err ==
        "coslice: warning: state.json is 20 min 10 s old, and was good for 15 min 00 s: the queue was looked at at "
        "2026-03-12 08:30:00; jobs have started and come since\n");
  CHECK(json::parse(asked_at("08:50:10", " --json").out)["old"] == true);
  CHECK(asked_at("08:45", " --max-age 900").status == 0);
  const Said refused = asked_at("08:45:01", " --max-age 900");
  CHECK(refused.status == 2);
  CHECK(refused.out == "");
  CHECK(refused.err == "coslice: error: state.json: is 15 min 01 s old: the queue was looked at at 2026-03-12 "
                       "08:30:00; expected 15 min 00 s "
                       "at most (--max-age); check that the task that renews it still runs\n");
  CHECK_THAT(asked_at("06:30").err,
             Contains("which is 2 h 00 min from now; expected UTC: TZ=UTC for squeue, sacct and --now"));
  // Without --now the clock counts, which is later than any of this.
  CHECK_THAT(kept.coslice("forecast --from state.json --job 104").err, Contains(" old, and was good for 15 min 00 s"));
  CHECK(kept.coslice("forecast --from state.json --job 104 --max-age 1d").status == 2);
}

TEST_CASE("what is no kept forecast is refused with file and line", "[cli]") {
  const Kept kept;
  const std::string anew = "expected what `coslice forecast --out` writes; make it anew with `coslice forecast SITE "
                           "--queue FILE --out FILE`";
  const std::string written = "expected what `coslice forecast --out` writes; ";
  kept.coslice.folder.write("state.json", kept.state.substr(0, kept.state.size() / 2));
  kept.refused("", "is not JSON, or is cut off; " + anew);
  kept.coslice.folder.write("state.json", kept.state.substr(0, kept.state.size() / 2));
  CHECK_THAT(kept.coslice(kAsk).err, Catch::StartsWith("coslice: error: state.json:"));
  kept.coslice.folder.write("state.json", "");
  kept.refused("", "state.json:1: is not JSON, or is cut off; " + anew);
  kept.change("\"ann\",\"wi", "\"ann\";\"wi");
  kept.refused("", "state.json:2: is not JSON");
  kept.change("forecast 1", "forecast 2");
  kept.refused("", "state.json: is of the format 'coslice forecast 2'; expected 'coslice forecast 1', which this "
                   "version of coslice writes; make it");
  kept.change("coslice forecast 1", "coslice papers 1");
  kept.refused("", "state.json: is of the format 'coslice papers 1'; expected what `coslice forecast --out` writes");
  kept.coslice.folder.write("state.json", "[1, 2]\n");
  kept.refused("", "state.json: is not a kept forecast: ");
  kept.change("\"median\"", "\"mediam\"");
  kept.refused("", "state.json: is not a kept forecast: unknown key 'jobs[1].mediam'; " + written +
                       "did you mean 'median'?");
  kept.change("\"waiting\"", "\"wating\"");
  kept.refused("",
               "jobs[1].state is \"wating\"; expected \"waiting\", \"held\" or \"running\"; did you mean 'waiting'?");
  kept.change("\"id\":\"104\"", "\"id\":104");
  kept.refused("", "jobs[2].id is 104; expected a text in quotes; make it anew");
  kept.change("\"nodes\"", "\"nodez\"");
  kept.refused("", "unknown key 'jobs[1].nodez'");
  kept.change("\"valid\":900", "\"valid\":\"long\"");
  kept.refused("",
               "state.json: is not a kept forecast: valid is \"long\"; expected a whole number from 0 to 6000000000");
  for (const char* wrong : {"99999999999", "18446744073709551615", "-99999999999"}) {
    kept.change("\"queue\":1773304200", std::string("\"queue\":") + wrong);
    kept.refused("", "state.json: is not a kept forecast: queue is ");
  }
  kept.change("\"median\":1", "\"median\":1e300,\"nodes\":1");
  kept.refused("", "state.json: is not a kept forecast: jobs[1].median is 1e+300; expected a whole number from");
  kept.change("\"jobs\":[", "\"jobs\":null,\"other\":[");
  kept.refused("", "state.json: is not a kept forecast: jobs is ");
  CHECK_THAT(kept.coslice("forecast --from stat.json").err,
             Contains("stat.json") && Contains("did you mean") && Contains("state.json"));
  CHECK(kept.coslice("forecast --from .").status == 2);
}

TEST_CASE("a forecast that fails leaves the kept one as it was", "[cli]") {
  const Program coslice;
  make_site(coslice);
  coslice.folder.write("queue.txt", kQueue);
  REQUIRE(coslice(kMake).status == 0);
  const std::string before = coslice.folder.read("state.json");
  coslice.folder.write("queue.txt", "slurm_load_jobs error: Unable to contact slurm controller\n");
  CHECK(coslice(kMake).status == 2);
  CHECK(coslice.folder.read("state.json") == before);
  coslice.folder.write("queue.txt", kQueue);
  CHECK(coslice(kMake + " --valid soon").status == 2);
  CHECK(coslice.folder.read("state.json") == before);
  CHECK(coslice(replaced(kMake, "--out state.json", "--out none/state.json")).status == 2);
  // A queue of no jobs is an answer where it is said when that was.
  coslice.folder.write("queue.txt", replaced(kQueue, kQueue + std::string(kQueue).find('\n') + 1, ""));
  CHECK(coslice(kMake).err == "wrote state.json: 0 waiting jobs, 0 held, 0 running, queue of 2026-03-12 08:30:00\n");
  CHECK_THAT(coslice(kAsk).out, Contains("no job waits"));
  CHECK(coslice(replaced(kMake, " --out state.json", "")).status == 2);
}

TEST_CASE("flags of making and of asking do not mix", "[cli]") {
  const Kept kept;
  make_site(kept.coslice);
  kept.coslice.folder.write("queue.txt", kQueue);
  kept.refused(".", "SITE: has no effect here; expected nothing of how a forecast is made beside --from");
  for (const char* flag : {"--queue queue.txt", "--at 3", "--recorded x", "--runs 3", "--seed 3", "--interval 50",
                           "--past 3", "--horizon 3", "--arrivals none", "--policy easy", "--set a=1", "--out x.json",
                           "--valid 3", "--calibrate", "--instants 3"})
    kept.refused(flag, replaced(flag,
                                std::string(flag).find(' ') == std::string::npos
                                    ? ""
                                    : std::string(flag).substr(std::string(flag).find(' ')),
                                "") +
                           ": has no effect here");
  kept.refused(
      "--jobs 104",
      "--jobs: has no effect here; expected nothing of how a forecast is made beside --from; did you mean '--job'?");
  kept.refused("--csv", "--csv: has no effect here; expected a table or --json beside --from");
  kept.refused("--json --lines 3", "--lines: has no effect here");
  const auto refused = [&](const std::string& command, const std::string& why) {
    const Said said = kept.coslice(command);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains(why));
  };
  refused(
      "forecast",
      "`coslice forecast` needs SITE, or a kept forecast; expected coslice forecast SITE [options], or --from FILE");
  refused("forecast . --at 2026-03-05T12:30 --out x.json",
          "--out: has no effect here; expected it beside --queue or --calibrate");
  refused(replaced(kMake, "--out state.json", "--valid 3"), "--valid: has no effect here; expected it beside --out");
  refused(kMake + " --json", "--json: has no effect here");
  refused(kMake + " --csv", "--csv: has no effect here");
  for (const char* flag : {"--job 103", "--user ann", "--max-age 3"})
    refused(kMake + " " + flag, std::string(flag).substr(0, std::string(flag).find(' ')) +
                                    ": has no effect here; expected it beside --from");
}

}  // namespace portal_test
