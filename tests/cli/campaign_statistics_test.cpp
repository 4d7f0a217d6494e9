// What campaigns are said to show: seeds are what is independent, failed runs are counted, and a policy has one name.
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

namespace campaign_statistics_test {

using namespace coslice_test;
using Json = nlohmann::json;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Of all jobs and the second variant.
Json wait_row(const Json& comparison, std::size_t variant = 1) {
  const std::string name = comparison["variants"][variant]["name"];
  for (const Json& row : comparison["figures"])
    if (row["figure"] == "wait, s" && row["class"] == "all" && row["variant"] == name) return row;
  FAIL("no row of " << name);
  return {};
}

/// It ends with an error where many wait, which is on busy seeds.
const char* const kBrittle = "local most\nreturn { api = 1, name = \"brittle\", version = \"1\", backfill = \"easy\",\n"
                             "  params = { most = { default = 24, doc = \"Jobs that may wait.\" } },\n"
                             "  begin = function(view, params) most = params.most end,\n"
                             "  submitted = function(view, job)\n"
                             "    if view.waiting_count > most then error(\"more than \" .. most .. \" wait\") end\n"
                             "  end }\n";

std::string campaign(const std::string& seeds, const std::string& axes) {
  return "[campaign]\nseeds = " + seeds +
         "\n[scenario.machine]\nnodes = 24\n[scenario.workload]\ngenerator = \"lublin\"\n"
         "[scenario.workload.lublin]\njobs = 90\nload = 0.8\n[axes]\n" +
         axes;
}

}  // namespace

TEST_CASE("runs of one seed under several conditions are one value", "[statistics_cli]") {
  const Program coslice;
  coslice.folder.write("c.toml", campaign("4", "policy = [\"easy\", \"sjf\"]\n\"workload.lublin.load\" = "
                                               "[0.71, 0.711, 0.712, 0.713, 0.714, 0.715]\n"));
  REQUIRE(coslice("sweep c.toml").status == 0);
  const Json ranked = Json::parse(coslice("compare c.sqlite --ranked --figure wait --format json").out).at(0);
  const Json row = wait_row(ranked);
  CHECK(row["unit"] == "seeds");
  CHECK(row["units"] == 4);
  CHECK(row["runs"] == 24);
  CHECK(ranked["conditions"].size() == 6);
  // The same by hand: differences of the places, averaged in each seed, then Student's t over the seeds.
  std::map<std::int64_t, double> of_seed;
  for (const char* seed : {"1", "2", "3", "4"}) {
    coslice.folder.write("one.toml", campaign("[" + std::string(seed) + "]",
                                              "policy = [\"easy\", \"sjf\"]\n\"workload.lublin.load\" = "
                                              "[0.71, 0.711, 0.712, 0.713, 0.714, 0.715]\n"));
    REQUIRE(coslice("sweep one.toml -o " + std::string(seed) + ".sqlite").status == 0);
    for (const Json& place : Json::parse(coslice("compare " + std::string(seed) + ".sqlite --format json").out)) {
      CHECK(wait_row(place)["difference_low"].is_null());  // a seed alone says nothing of chance
      of_seed[std::stoll(seed)] += wait_row(place)["difference"].get<double>() / 6;
    }
  }
  double mean = 0, squares = 0;
  for (const auto& [seed, x] : of_seed) mean += x / 4;
  for (const auto& [seed, x] : of_seed) squares += (x - mean) * (x - mean);
  const double sign = ranked["variants"][0]["name"] == "easy" ? 1 : -1;
  const double half = 3.1824463 * std::sqrt(squares / 3 / 4);
  CHECK(row["difference"].get<double>() == Approx(sign * mean).epsilon(1e-4));
  CHECK((row["difference_high"].get<double>() - row["difference_low"].get<double>()) / 2 == Approx(half).epsilon(1e-3));
  const std::string table = coslice("compare c.sqlite --figure wait --ranked").out;
  CHECK(has(table, "│ seeds │"));
  CHECK(has(table, "Means over 4 seeds (1 to 4), each the mean of its runs under 6"));
  CHECK(has(coslice("compare c.sqlite --figure wait --format csv").out, ",seeds,4,0,24\n"));
  CHECK(has(coslice("compare c.sqlite --figure wait --format latex").out, " & 4 & $"));
  CHECK(has(coslice("compare 2.sqlite --figure wait --ranked").out, "One seed, each the mean of its runs under 6"));
}

TEST_CASE("what is said of a ranking is said of its points, not of its heading", "[statistics_cli]") {
  const Program coslice;
  coslice.folder.write("c.toml", "[campaign]\nseeds = 3\n[scenario.machine]\nnodes = 24\n[scenario.workload]\n"
                                 "generator = \"lublin\"\n[scenario.workload.lublin]\njobs = 500\n[axes]\n"
                                 "policy = [\"easy\", \"fcfs\"]\n\"workload.lublin.load\" = [0.2, 3]\n");
  REQUIRE(coslice("sweep c.toml").status == 0);
  const std::string heading = "2 points ranked by wait, s, means over 2 conditions", fell = "the machine fell behind";
  for (const std::string flags : {"--ranked", "--ranked --format markdown", "--ranked --format latex", ""}) {
    const std::string out = coslice("compare c.sqlite --figure wait " + flags).out;
    INFO(flags << "\n" << out);
    CHECK(has(out, heading));
    CHECK(!has(out, "differences are to the best: "));
    CHECK(!has(out, "best:\n"));
    std::string words = out;
    std::replace(words.begin(), words.end(), '\n', ' ');
    CHECK(has(words, "of the machine's time, under workload.lublin.load 3)"));
  }
  // Beside single places those of all are told from them; a place is not a heading.
  const Said csv = coslice("compare c.sqlite --figure wait --format csv");
  CHECK(!has(csv.out, "ranked"));
  CHECK(has(csv.out, "\n,\"wait, s\",all,easy,6,"));
  CHECK(has(csv.out, "\nworkload.lublin.load 0.2,\"wait, s\",all,easy,3,"));
  CHECK(has(csv.err, "over all places: " + fell));
  CHECK(has(csv.err, "workload.lublin.load 3: " + fell));
  const std::string latex = coslice("compare c.sqlite --figure wait --format latex").out;
  CHECK(has(latex, "% over all places: Means over 3 seeds (1 to 3), each the mean of its runs under 2 conditions"));
  CHECK(has(latex, "% Means over 3 seeds (1 to 3) with"));
  const Json ranked = Json::parse(coslice("compare c.sqlite --ranked --format json").out).at(0);
  CHECK(ranked["at"] == "");
  CHECK(has(ranked["title"], heading));
}

TEST_CASE("a note of one place names it", "[statistics_cli]") {
  const Program coslice;
  coslice.folder.write("brittle.lua", kBrittle);
  coslice.folder.write("c.toml",
                       campaign("4", "policy = [\"easy\", \"brittle.lua\"]\n\"workload.lublin.load\" = [0.3, 0.9]\n"));
  REQUIRE(coslice("sweep c.toml").status == 1);
  const std::string out = coslice("compare c.sqlite --by policy --figure wait --format markdown").out;
  INFO(out);
  CHECK(has(out, "- workload.lublin.load 0.9: "));
  CHECK(has(out, "- workload.lublin.load 0.3: Means over 4 seeds"));
  CHECK(has(out, "- The first and last 2 %"));
}

TEST_CASE("seeds that change nothing are no evidence", "[statistics_cli]") {
  const Program coslice;
  REQUIRE(coslice("generate lublin --jobs 120 --nodes 16 --load 0.9 -o log.swf").status == 0);
  coslice.folder.write("c.toml",
                       "[campaign]\nscenario = \"log.swf\"\nseeds = 5\n[axes]\npolicy = [\"easy\", \"fcfs\"]\n");
  REQUIRE(coslice("sweep c.toml").status == 0);
  const Said said = coslice("compare c.sqlite --format json");
  INFO(said.out << said.err);
  const Json c = Json::parse(said.out).at(0);
  CHECK(wait_row(c)["units"] == 1);
  CHECK(wait_row(c)["difference_low"].is_null());
  CHECK(has(c["notes"].dump(), "Of 5 seeds, 4 give the same runs as others"));
}

TEST_CASE("a policy that draws makes no seeds of those beside it", "[statistics_cli]") {
  const Program coslice;
  REQUIRE(coslice("generate lublin --jobs 120 --nodes 16 --load 0.9 -o log.swf").status == 0);
  coslice.folder.write("drawn.lua",
                       "return { api = 1, name = 'drawn', version = '1', description = 'Any order.', params = {},\n"
                       "  key = function() return random.uniform() end, backfill = 'easy' }\n");
  const Said said = coslice("compare easy fcfs drawn.lua --scenario log.swf --seeds 7 --format json");
  INFO(said.out << said.err);
  const Json c = Json::parse(said.out).at(0);
  CHECK(wait_row(c)["units"] == 1);
  CHECK(wait_row(c)["difference_low"].is_null());
  CHECK(has(c["notes"].dump(), "easy, fcfs: of 7 seeds, 6 give the same runs as others"));
  CHECK(has(c["notes"].dump(), "All seeds have the same jobs"));
  coslice.folder.write("c.toml", "[campaign]\nscenario = \"log.swf\"\nseeds = 7\n[axes]\n"
                                 "policy = [\"easy\", \"fcfs\", \"drawn.lua\"]\n");
  REQUIRE(coslice("sweep c.toml").status == 0);
  REQUIRE(coslice("report c.sqlite -o c.html").status == 0);
  const std::string page = coslice.folder.read("c.html");
  CHECK(has(page, "\"units\":[1,1,1,1,1,2,"));
}

TEST_CASE("pairs that both ended well are compared, and failures are the first that is said", "[statistics_cli]") {
  const Program coslice;
  coslice.folder.write("brittle.lua", kBrittle);
  coslice.folder.write("c.toml", campaign("8", "policy = [\"easy\", \"brittle.lua\"]\n"));
  REQUIRE(coslice("sweep c.toml").status == 1);
  const Said said = coslice("compare c.sqlite --format json");
  INFO(said.out << said.err);
  REQUIRE(said.status == 1);
  const Json c = Json::parse(said.out).at(0);
  REQUIRE(c["failed"].size() == 1);
  const std::size_t failed = c["failed"][0]["failed"];
  REQUIRE(failed > 0);
  REQUIRE(failed < 7);
  CHECK(c["failed"][0]["variant"] == "brittle");
  CHECK(c["failed"][0]["made"] == 8);
  // Beside easy it schedules as easy does: over the runs that both have they are the same.
  const Json row = wait_row(c), base = wait_row(c, 0);
  CHECK(row["runs"] == 8 - failed);
  CHECK(base["runs"] == 8 - failed);
  CHECK(row["mean"] == base["mean"]);
  CHECK(row["verdict"] == "same");
  const std::string count = std::to_string(failed) + " of 16 runs failed: brittle " + std::to_string(failed) + " of 8";
  for (const char* format : {"table", "markdown", "latex"})
    CHECK(has(first_line(coslice(std::string("compare c.sqlite --format ") + format).out), count));
  const Said csv = coslice("compare c.sqlite --format csv");
  CHECK(has(csv.err, count));
  CHECK(has(csv.out, "," + std::to_string(failed) + ",8\n"));
  REQUIRE(coslice("report c.sqlite -o c.html").status == 0);
  CHECK(has(coslice.folder.read("c.html"),
            std::to_string(failed) + " of 16 runs failed: policy brittle " + std::to_string(failed) + " of 8"));
  // One policy, one name, whether a run ended well or not.
  coslice.shell("python3 -c 'import sqlite3; print(sorted(r[0] for r in sqlite3.connect(\"c.sqlite\").execute("
                "\"SELECT DISTINCT policy FROM runs\")))' > names.txt");
  CHECK(coslice.folder.read("names.txt") == "['brittle', 'easy']\n");
}

TEST_CASE("an average over the view of results is not one of survivors", "[statistics_cli]") {
  const Program coslice;
  coslice.folder.write("brittle.lua", kBrittle);
  coslice.folder.write("never.lua", "return { api = 1, name = \"never\", version = \"1\", backfill = \"easy\",\n"
                                    "  submitted = function() error(\"no\") end }\n");
  coslice.folder.write("c.toml", campaign("8", "policy = [\"easy\", \"brittle.lua\", \"never.lua\"]\n"
                                               "\"workload.lublin.load\" = [0.3, 0.8]\n"));
  REQUIRE(coslice("sweep c.toml").status == 1);
  coslice.folder.write("q.py", "import json, sqlite3\nprint(json.dumps(sqlite3.connect('c.sqlite').execute("
                               "open('q.sql').read()).fetchall()))\n");
  const auto query = [&](const std::string& sql) {
    coslice.folder.write("q.sql", sql);
    REQUIRE(coslice.shell("python3 q.py > q.json").status == 0);
    return Json::parse(coslice.folder.read("q.json"));
  };
  const Json rows = query("SELECT policy, avg(\"all.wait.mean\"), count(\"all.wait.mean\"), count(*), max(failed), "
                          "sum(compared) FROM results GROUP BY policy ORDER BY policy");
  REQUIRE(rows.size() == 3);
  const Json &brittle = rows[0], &easy = rows[1], &never = rows[2];
  const std::int64_t kept = brittle[2];
  REQUIRE(kept < 16);
  // Where it survives, it schedules as easy does.
  CHECK(brittle[1] == easy[1]);
  CHECK(easy[2] == kept);
  CHECK(easy[3] == 16);
  CHECK(easy[4] == 0);
  CHECK(brittle[4].get<std::int64_t>() > 0);
  CHECK(easy[5] == kept);
  CHECK(never == Json::parse(R"(["never", null, 0, 16, 8, 0])"));
  // As compare has it, at each place.
  const Json places = Json::parse(coslice("compare c.sqlite --by policy -f all.wait.mean --format json").out);
  for (const Json& place : places) {
    const std::string load = place["at"].get<std::string>().substr(std::string("workload.lublin.load ").size());
    const Json there = query("SELECT avg(\"all.wait.mean\"), count(\"all.wait.mean\") FROM results WHERE policy = "
                             "'easy' AND \"workload.lublin.load\" = " +
                             load);
    CHECK(there[0][0].get<double>() == Approx(place["figures"][0]["mean"].get<double>()).epsilon(1e-5));
    CHECK(there[0][1] == place["figures"][0]["runs"]);
  }
  // All figures are there for who asks for those of survivors.
  CHECK(query("SELECT count(\"all.wait.mean\"), count(*) FROM ended_well WHERE policy = 'easy'")[0] ==
        Json::parse("[16, 16]"));
  // Where nothing fails all have figures.
  coslice.folder.write("c.toml", campaign("2", "policy = [\"easy\", \"fcfs\"]\n"));
  REQUIRE(coslice("sweep c.toml -o c.sqlite --resume --prune").status == 0);
  CHECK(query("SELECT sum(compared), count(\"all.wait.mean\"), max(failed) FROM results")[0] ==
        Json::parse("[4, 4, 0]"));
}

TEST_CASE("a policy that fails under high load is compared where it does not", "[statistics_cli]") {
  const Program coslice;
  coslice.folder.write("brittle.lua", kBrittle);
  coslice.folder.write("c.toml",
                       campaign("4", "policy = [\"easy\", \"brittle.lua\", \"fcfs\"]\n"
                                     "\"workload.lublin.load\" = [0.3, 1.6]\n\"policy.params.most\" = [25]\n"));
  REQUIRE(coslice("sweep c.toml").status == 1);
  const Said said = coslice("compare c.sqlite --figure wait");
  INFO(said.out << said.err);
  CHECK(has(said.out, "brittle"));
  const Json ranked = Json::parse(coslice("compare c.sqlite --ranked --figure wait --format json").out).at(0);
  const std::size_t cells = wait_row(ranked)["runs"];
  for (std::size_t v = 0; v < ranked["variants"].size(); ++v) CHECK(wait_row(ranked, v)["runs"] == cells);
  CHECK(cells < 8);
}

TEST_CASE("a policy of which all runs fail is named, and refused where nothing else is left", "[statistics_cli]") {
  const Program coslice;
  coslice.folder.write("brittle.lua", kBrittle);
  coslice.folder.write("c.toml", campaign("3", "policy = [\"brittle.lua\", \"easy\", \"fcfs\"]\n") +
                                     "[scenario.policy.params]\nmost = 0\n");
  coslice.folder.write("d.toml", campaign("3", "policy = [\"brittle.lua\", \"easy\"]\n") +
                                     "[scenario.policy.params]\nmost = 0\n");
  REQUIRE(coslice("sweep c.toml").status == 1);
  REQUIRE(coslice("sweep d.toml").status == 1);
  const Said said = coslice("compare c.sqlite --figure wait --format markdown");
  INFO(said.out << said.err);
  CHECK(said.status == 1);
  CHECK(has(first_line(said.out), "3 of 9 runs failed: brittle 3 of 3"));
  CHECK(has(said.out, "brittle is not compared: all 3 of its runs failed"));
  CHECK(has(said.out, "| failed |"));
  const Said refused = coslice("compare d.sqlite --figure wait");
  CHECK(refused.status == 1);
  CHECK(has(refused.err, "no seed has runs of two variants that ended well (brittle 3 of 3 failed)"));
}

TEST_CASE("compare and whatif go on where a run that they make fails, and say so", "[statistics_cli]") {
  const Program coslice;
  coslice.folder.write("bad.lua", "return { api = 1, name = \"bad\", version = \"1\", backfill = \"easy\",\n"
                                  "  submitted = function() error(\"no job today\") end }\n");
  coslice.folder.write("s.toml", "machine.nodes = 4\npolicy.name = 'easy'\n[workload]\njobs = [\n"
                                 "  { nodes = 4, runtime = 9 },\n  { nodes = 4, runtime = 9 },\n]\n");
  const Said said = coslice("compare easy bad.lua fcfs --scenario s.toml --seeds 4 --figure wait");
  INFO(said.out << said.err);
  CHECK(said.status == 1);
  CHECK(has(said.out, "1 of 3 runs failed: bad 1 of 1 (bad.lua:2: no job today)"));
  CHECK(has(said.out, "fcfs"));
  const Said all = coslice("compare easy bad.lua --scenario s.toml --seeds 4 --figure wait");
  CHECK(all.status == 1);
  CHECK(has(all.err, "1 of 2 runs failed: bad 1 of 1 (bad.lua:2: no job today)"));

  const std::string whatif = "whatif s.toml --runs 2 --variant bad:policy.name=bad.lua";
  const Said what = coslice(whatif + " --variant queue:policy.name=fcfs --format markdown");
  INFO(what.out << what.err);
  CHECK(what.status == 1);
  CHECK(has(what.out, "2 of 6 runs failed: bad 2 of 2 (bad.lua:2: no job today)"));
  CHECK(has(what.out, "queue"));
  const Said none = coslice(whatif);
  CHECK(none.status == 1);
  CHECK(has(none.err, "2 of 4 runs failed: bad 2 of 2 (bad.lua:2: no job today)"));
  CHECK(has(none.err, "Nothing is left to compare"));
}

TEST_CASE("policies that are but noise are not told apart", "[statistics_cli]") {
  const Program coslice;
  coslice.folder.write("shuffled.lua",
                       "return { api = 1, name = \"shuffled\", version = \"1\", backfill = \"easy\",\n"
                       "  params = { salt = { default = 1, doc = \"Which order.\" } },\n"
                       "  key = function(job, params) return (job.id * 7919 * (params.salt + 3)) % 1009 end }\n");
  coslice.folder.write("c.toml", campaign("4", "policy = [\"shuffled.lua\"]\n\"policy.params.salt\" = "
                                               "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]\n"
                                               "\"workload.lublin.load\" = [0.8, 0.801, 0.802]\n"));
  REQUIRE(coslice("sweep c.toml").status == 0);
  int wrong = 0;
  for (const char* flags : {"--ranked", "--by policy.params.salt"})
    for (const Json& c : Json::parse(coslice(std::string("compare c.sqlite --figure wait --format json ") + flags).out))
      for (const Json& row : c["figures"])
        wrong += row["class"] == "all" && (row["verdict"] == "better" || row["verdict"] == "worse");
  CHECK(wrong <= 4);  // of 44
}

}  // namespace campaign_statistics_test
