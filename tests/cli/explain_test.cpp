// coslice explain and coslice diff, on cases that can be checked by hand.
#include <set>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

namespace explain_test {

using namespace coslice_test;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Without line breaks and runs of blanks, so that a change of the layout is none of the words.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\n') out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

/// What is said of a job; `jobs` are lines of a scenario's list.
std::string told(const std::string& jobs, int nodes, const std::string& policy, int job, const std::string& more = "",
                 const std::string& flags = "") {
  const Program coslice;
  coslice.folder.write("s.toml", "name = \"tiny\"\n[machine]\nnodes = " + std::to_string(nodes) + "\n" +
                                     "[policy]\nname = \"" + policy + "\"\n" + more + "\n[workload]\njobs = [\n" +
                                     jobs + "]\n");
  const Said said = coslice("explain s.toml " + std::to_string(job) + " " + flags);
  INFO(said.err);
  REQUIRE(said.status == 0);
  return flags.empty() ? plain(said.out) : said.out;
}

// Five jobs on four nodes, see scenarios/by_hand.toml.
const char* const kByHand = "{ submit = 0, nodes = 3, runtime = 100 },\n"
                            "{ submit = 5, nodes = 3, runtime = 50 },\n"
                            "{ submit = 10, nodes = 4, runtime = 20 },\n"
                            "{ submit = 15, nodes = 1, runtime = 200 },\n"
                            "{ submit = 20, nodes = 1, runtime = 30 },\n";

#define SAYS(text, part)                                                                                               \
  do {                                                                                                                 \
    const std::string t = text;                                                                                        \
    INFO(t);                                                                                                           \
    CHECK(has(t, part));                                                                                               \
  } while (false)

}  // namespace

TEST_CASE("a job that never waited", "[explain]") {
  CHECK(told(kByHand, 4, "easy", 1) == "job 1 of tiny, easy: 3 nodes for 1 min 40 s submitted at 0 s, started at once, "
                                       "ended at 100 s started 0 s in order, "
                                       "as the first in the queue ");
}

TEST_CASE("waiting, runs that were interrupted and the last run are told apart, and add up", "[explain]") {
  const std::string jobs = "{ submit = 0, nodes = 4, runtime = 100 },\n{ submit = 0, nodes = 4, runtime = 100 },\n";
  const std::string away = "[[outages.planned]]\nkind = 'failure'\nfrom = 150\nlength = 100\nnodes = ['0']\n";
  const std::string text = told(jobs, 4, "easy", 2, away);
  SAYS(text, "started at 250 s after 3 min 20 s of waiting and 50 s in a run that was interrupted, ended at 350 s");
  SAYS(text, "0 s for 1 min 40 s: needed 4 nodes, none was free; job 1 held the others "
             "100 s ran for 50 s, until it was interrupted 150 s for 1 min 40 s: needed 4 nodes, 3 were free; 1 node "
             "had failed");
  SAYS(text, "in its earlier runs 150 s a node of it failed: 50 s of work are lost, and it waits again");
  SAYS(text, "in all 5 min 50 s from its submission to its end: 3 min 20 s waited "
             "50 s ran in 1 run that was interrupted; 50 s of work were lost 1 min 40 s ran in its last run ");
  CHECK(!has(text, " then "));
  CHECK(!has(text, "job 1 had just ended"));  // that was what let it start the first time
  const auto json = nlohmann::json::parse(told(jobs, 4, "easy", 2, away, "--json"));
  CHECK(json["waited"] == 200);
  CHECK(json["earlier_runs"] == nlohmann::json::parse(R"([{"from":100,"to":150,"stood_still":0,"lost_work":50}])"));
  CHECK(json["phases"].size() == 2);
}

TEST_CASE("an earlier run in which a job stood still says for how long, and tells nothing that took no effect",
          "[explain]") {
  const Program coslice;
  coslice.folder.write("s.toml", "extends = '" COSLICE_SOURCE
                                 "/scenarios/suspended.toml'\n[[outages.planned]]\nkind = 'failure'\n"
                                 "nodes = ['n1', 'n2', 'n3', 'n4']\nfrom = 2100\nlength = 300\n");
  const std::string second = plain(coslice("explain s.toml 2").out), third = plain(coslice("explain s.toml 3").out);
  SAYS(second, "started at 3,600 s after 25 min 00 s of waiting and 30 min 00 s in a run that was interrupted and "
               "stood still for "
               "5 min 00 s, ended at 7,200 s");
  SAYS(second, "0 s ran for 30 min 00 s and stood still for 5 min 00 s, until it was interrupted 2,100 s for");
  SAYS(second, "30 min 00 s ran in 1 run that was interrupted; 30 min 00 s of work were lost 5 min 00 s stood still");
  SAYS(second, "1,800 s suspended on its nodes, on which job 5 runs 2,100 s a node of it failed: 30 min");
  // Its nodes are given back before its own one fails, at the same instant.
  SAYS(third, "1,800 s suspended on its nodes, on which job 5 runs 2,100 s a node of it failed: 20 min");
}

TEST_CASE("a job that its policy lets stand still says so in its story", "[explain]") {
  const Program coslice;
  coslice.folder.write("own.lua",
                       "return { api = 1, name = 'own', version = '1', schedule = function(view)\n"
                       "  view:easy()\n"
                       "  for job in view:running() do\n"
                       "    if view.now < 30 then view:suspend(job); view:wake(30) else view:resume(job) end\n"
                       "  end\n"
                       "end }\n");
  coslice.folder.write("s.toml", "[machine]\nnodes = 1\n[workload]\njobs = [{ nodes = 1, runtime = 60 }]\n");
  const std::string story = plain(coslice("explain s.toml 1 --policy own.lua").out);
  SAYS(story, "0 s suspended on its nodes by its policy 30 s went on where it had stopped");
  SAYS(story, "30 s stood still");
}

TEST_CASE("a job that was cancelled while it waited has no run time in its story", "[explain]") {
  const Program coslice;
  coslice.folder.write("j.sacct",
                       "JobID|User|Submit|Start|End|ElapsedRaw|State|NCPUS|NNodes|TimelimitRaw\n"
                       "1|a|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T01:00:00|3600|COMPLETED|4|4|120\n"
                       "2|a|2024-01-01T00:01:00|None|2024-01-01T00:30:00|0|CANCELLED by 1|4|4|120\n"
                       "3|b|2024-01-01T00:03:00|None|2024-01-01T05:00:00|0|CANCELLED by 1|2|2|20\n");
  coslice.folder.write("w.toml", "[machine]\nnodes = 4\n[workload]\ntrace = 'j.sacct'\n");
  const std::string record =
      "Its record says that it was cancelled while it waited, and not how long it would have run";
  const std::string second = plain(coslice("explain w.toml 2").out), third = plain(coslice("explain w.toml 3").out);
  SAYS(second, "job 2 of w, easy: 4 processors, at most 2 h 00 min " + record);
  SAYS(second, "withdrawn at 2024-01-01 00:30:00 after 29 min 00 s of waiting");
  SAYS(third, "job 3 of w, easy: 2 nodes, at most 20 min 00 s " + record);
}

TEST_CASE("a policy says when it decides next, and what it does then", "[explain]") {
  const Program coslice;
  coslice.folder.write("slow.lua", "return { api = 1, name = 'slow', version = '1', schedule = function(view)\n"
                                   "  if view.now % 30 == 0 then view:start_in_order() end\n"
                                   "  if view.waiting_count > 0 then\n"
                                   "    view:wake(view.now + 1)\n"
                                   "    view:wake((view.now // 30 + 1) * 30, 'it looks at the queue again')\n"
                                   "  end\nend }\n");
  coslice.folder.write("s.toml",
                       "[machine]\nnodes = 2\n[policy]\nname = 'slow.lua'\n[workload]\njobs = [\n"
                       "{ submit = 0, nodes = 1, runtime = 100 }, { submit = 40, nodes = 1, runtime = 10 } ]\n");
  const Said said = coslice("explain s.toml 2");
  INFO(said.err);
  REQUIRE(said.status == 0);
  SAYS(plain(said.out), "needed 1 node, 1 was free; it looks at the queue again at 60 s");
  const auto json = nlohmann::json::parse(coslice("explain s.toml 2 --json").out);
  CHECK(json["phases"][0]["next"] == 60);
  CHECK(json["phases"][0]["next_what"] == "it looks at the queue again");
}

TEST_CASE("EASY: the first that waits is passed on nodes that it leaves over, and in time", "[explain]") {
  const std::string second = told(kByHand, 4, "easy", 2);
  SAYS(second, "submitted at 5 s, started at 100 s after 1 min 35 s of waiting, ended at 150 s");
  SAYS(second, "5 s came; no job before it in the queue, 1 node was free");
  SAYS(second, "5 s for 1 min 35 s: needed 3 nodes, 0 to 1 were free; job 1 held the others");
  SAYS(second,
       "was to start 10 s expected: 100 s passed by 15 s job 4 (1 node), backfilled: takes 1 of the 1 node that "
       "this job leaves over when it starts at 100 s");
  SAYS(second, "started 100 s in order, as the first in the queue; job 1 had just ended");
  const std::string third = told(kByHand, 4, "easy", 3);
  SAYS(third,
       "15 s job 4 (1 node), backfilled: takes 1 of the 1 node that job 2 leaves over when it starts at 100 s; only "
       "that one is protected");
  SAYS(third,
       "150 s job 5 (1 node), backfilled: believed to end by 180 s, no later than this job is due to start (215 s)");
  SAYS(told(kByHand, 4, "easy", 4), "15 s backfilled past jobs 2 and 3: takes 1 of the 1 node that job 2 leaves over");
  SAYS(told(kByHand, 4, "easy", 5),
       "150 s backfilled past job 3: believed to end by 180 s, no later than job 3 is due to "
       "start (215 s); job 2 had just ended");
}

TEST_CASE("EASY: a job that would delay the first one", "[explain]") {
  const std::string text = told("{ submit = 0, nodes = 2, runtime = 100 },\n{ submit = 5, nodes = 3, runtime = 50 },\n"
                                "{ submit = 10, nodes = 2, runtime = 200 },\n",
                                4, "easy", 3);
  SAYS(text,
       "10 s for 1 min 30 s: could have had its 2 nodes, but would have delayed job 2, due to start at 100 s with 1 "
       "node to spare: it is believed to run for 3 min 20 s 100 s for 50 s: needed 2 nodes, 1 was free; job 2 held "
       "the others");
  SAYS(text, "started 150 s in order, as the first in the queue; job 2 had just ended");
}

TEST_CASE("first come, first served", "[explain]") {
  SAYS(told(kByHand, 4, "fcfs", 4),
       "15 s for 1 min 25 s: job 2 was first in the queue and could not start; no job may pass "
       "it 100 s for 50 s: job 3 was first in the queue and could not start; no job may pass it "
       "150 s for 20 s: needed 1 node, none was free; job 3 held the others started 170 s");
}

TEST_CASE("conservative backfilling: reservations made, moved, and standing", "[explain]") {
  const std::string third = told(kByHand, 4, "conservative", 3);
  SAYS(third,
       "was to start 10 s reserved: 150 s passed by 20 s job 5 (1 node), at its reservation: the start reserved for "
       "this job, 150 s, stood started 150 s at its reservation");
  const std::string fourth = told(kByHand, 4, "conservative", 4);
  SAYS(fourth,
       "15 s for 5 s: could have had its 1 node, but would have delayed job 3, due to start at 150 s 20 s for 30 s: "
       "needed 1 node, none was free; jobs 1 and 5 held the others");
  SAYS(told(kByHand, 4, "conservative", 5),
       "20 s at its reservation, past jobs 2, 3 and 4, whose reservations are later");
  const std::string early =
      told("{ submit = 0, nodes = 4, runtime = 50, limit = 100 },\n{ submit = 5, nodes = 4, runtime = "
           "10 },\n",
           4, "conservative", 2);
  SAYS(early, "5 s reserved: 100 s 50 s reserved: 50 s, as job 1 had ended");
}

TEST_CASE("several reservations, a bounded depth", "[explain]") {
  SAYS(told(kByHand, 4, "easy", 4, "[policy.params]\nreservations = 2"),
       "15 s for 5 s: could have had its 1 node, but would have delayed job 3, due to start at 150 s");
  SAYS(told(kByHand, 4, "easy", 3, "[policy.params]\nreservations = 2"),
       "20 s job 5 (1 node), backfilled: fits beside the starts that are kept free");
  SAYS(told(kByHand, 4, "easy", 5, "[policy.params]\ndepth = 1"),
       "20 s for 1 min 20 s: stood too far behind job 2 in the queue to be looked at 100 s for 50 s: stood too far "
       "behind "
       "job 3 in the queue to be looked at");
}

TEST_CASE("an order of priorities, and a rule about which jobs may start", "[explain]") {
  const std::string later =
      "stood at places 1 to 2 of the queue: by its order up to 1 job that came later was before it 5 s for";
  SAYS(told(kByHand, 4, "sjf", 2), later);
  SAYS(told(kByHand, 4, "lxf", 2), later);  // a key that changes with time
  CHECK(!has(told(kByHand, 4, "easy", 2), "of the queue:"));
  const auto json = nlohmann::json::parse(told(kByHand, 4, "lxf", 2, "", "--json"));
  CHECK(json["place"] == nlohmann::json({{"best", 1}, {"worst", 2}, {"later_ahead", 1}}));
  std::string crowd = "{ submit = 0, nodes = 4, runtime = 10 },\n{ submit = 1, nodes = 4, runtime = 1000 },\n";
  for (int i = 0; i != 12; ++i) crowd += "{ submit = 2, nodes = 4, runtime = 5 },\n";
  const std::string passed = told(crowd, 4, "sjf", 2);
  SAYS(passed, "stood at places 1 to 13 of the queue: by its order up to 12 jobs that came later were before it");
  SAYS(passed, "and 2 more of all 12, 12 stood before it by the order of the queue when they started");
  SAYS(told(kByHand, 4, "sjf", 2),
       "20 s job 5 (1 node): came later, but stood before it in the order of the queue 100 s job "
       "3 (4 nodes): came later, but stood before it");
  const std::string limited =
      told("{ submit = 0, nodes = 2, runtime = 50, user = 1 },\n{ submit = 5, nodes = 1, runtime = "
           "10, user = 1 },\n{ submit = 6, nodes = 1, runtime = 10, user = 2 },\n",
           4, "user_limits", 2, "[policy.params]\nmax_nodes = 2");
  SAYS(limited,
       "5 s for 45 s: limit of user 1: 2 nodes at a time, its jobs have 2, and this one asks for 1 passed by 6 s "
       "job 3 (1 node), in order started 50 s");
}

TEST_CASE("a policy's own pass, with its own words", "[explain]") {
  const Program coslice;
  coslice.folder.write("picky.lua", "return { api = 1, name = 'picky', version = '1',\n  schedule = function(view)\n"
                                    "    for job in view:waiting() do\n"
                                    "      if job.nodes == 2 and view.now < 40 then\n"
                                    "        view:because(job, 'pairs wait until 40 s')\n        view:wake(40)\n"
                                    "      elseif view:fits(job) then\n"
                                    "        view:because(job, 'it is its turn')\n        view:start(job)\n      end\n"
                                    "    end\n  end }\n");
  coslice.folder.write("s.toml", std::string("name = \"tiny\"\n[machine]\nnodes = 4\n[policy]\nname = \"picky.lua\"\n"
                                             "[workload]\njobs = [\n{ submit = 5, nodes = 2, runtime = 10 },\n"
                                             "{ submit = 6, nodes = 1, runtime = 10 } ]\n"));
  const std::string text = plain(coslice("explain s.toml 1").out);
  SAYS(text, "5 s for 35 s: pairs wait until 40 s");
  SAYS(text, "passed by 6 s job 2 (1 node), by the policy: it is its turn");
  SAYS(text, "started 40 s by the policy, as the first in the queue: it is its turn");
}

TEST_CASE("gang scheduling: admission to the matrix", "[explain]") {
  const char* const programs = "[policy.params]\nmultiprogramming = 2\n[[processes.programs]]\nname = \"p\"\npattern = "
                               "\"barrier\"\ncompute = 0.1\n";
  const char* const jobs = "{ submit = 0, nodes = 4, runtime = 5, program = \"p\" },\n"
                           "{ submit = 1, nodes = 3, runtime = 9, program = \"p\" },\n"
                           "{ submit = 2, nodes = 2, runtime = 5, program = \"p\" },\n"
                           "{ submit = 2.5, nodes = 1, runtime = 1, program = \"p\" },\n";
  const std::string third = told(jobs, 4, "gang", 3, programs);
  SAYS(third, "2 s came; no job before it in the queue, 1 processor was free");
  SAYS(third, "needed 2 processors in one row of the matrix, 1 was free");
  SAYS(third, "passed by 2.5 s job 4, backfilled");
  SAYS(told(jobs, 4, "gang", 4, programs), "started 2.5 s backfilled");
}

TEST_CASE("jobs that cannot be explained", "[explain]") {
  const Program coslice;
  coslice.folder.write("tiny.swf", kTrace);
  CHECK(coslice("explain tiny.swf 9").err == error("job 9: there is none in tiny.swf; expected the number of one of "
                                                   "its 4 jobs, from 1 to 4; the nearest is 4; a "
                                                   "job that was left out of the workload has none"));
  CHECK(coslice("explain tiny.swf 9").status == 2);
  CHECK(coslice("explain tiny.swf x").err ==
        error("JOB: 'x' is not a job; expected its number in the trace; jobs in a scenario count from 1"));
  CHECK(coslice("explain tiny.swf").status == 2);
  CHECK(coslice("explain nowhere 1").status == 2);
  SAYS(told("{ submit = 0, nodes = 2, runtime = 50 },\n{ submit = 5, nodes = 9, runtime = 50 },\n", 4, "easy", 2),
       "submitted at 5 s and rejected: it needs more than the machine has, 4 nodes");
  REQUIRE(coslice("run tiny.swf --quiet --out r").status == 0);
  CHECK(coslice("explain r 3").out == coslice("explain tiny.swf 3").out);
  coslice.folder.write("tiny.swf", std::string(kTrace) + "5 9 -1 10 1 -1 -1 1 20 -1 1 2 1 1 1 -1 -1 -1\n");
  CHECK(has(coslice("explain r 3").err, "tiny.swf' has changed since this was written"));
}

TEST_CASE("the story as JSON", "[explain]") {
  const auto json = nlohmann::json::parse(told(kByHand, 4, "conservative", 4, "", "--json"));
  CHECK(json["job"] == 4);
  CHECK(json["waited"] == 155);
  CHECK(json["ahead"]["jobs"] == nlohmann::json({2, 3}));
  REQUIRE(json["phases"].size() == 4);
  CHECK(json["phases"][0] == nlohmann::json::parse(R"({"from": 15, "to": 20, "why": "reservation", "job": 3,
    "job_start": 150, "needed": 1, "free": [1, 1], "holders": [], "words": null, "next": null, "next_what": null, "text":
    "could have had its 1 node, but would have delayed job 3, due to start at 150 s"})"));
  CHECK(json["promises"] ==
        nlohmann::json::parse(R"([{"at": 15, "start": 170, "reserved": true, "after_end_of": null}])"));
  CHECK(json["start"]["how"] == "reservation");
  CHECK(json["start"]["after_end_of"] == nlohmann::json({3}));
  CHECK(json["passed_by"][0]["job"] == 5);
  CHECK(json["passed_by"][0]["moved_to"].is_null());
}

TEST_CASE("instants are dates where the workload has one, and seconds if they are asked for", "[explain]") {
  const Program coslice;
  coslice.folder.write("s.toml", std::string("name = \"tiny\"\n[machine]\nnodes = 4\n[workload]\n") +
                                     "date = \"2026-03-01 23:59\"\njobs = [\n" + kByHand + "]\n");
  const std::string dated = plain(coslice("explain s.toml 2 -p fcfs").out);
  INFO(dated);
  CHECK(has(dated, "submitted at 2026-03-01 23:59:05, started at 2026-03-02 00:00:40 after 1 min 35 s of waiting"));
  CHECK(has(dated, "Times are UTC; second 0 is 2026-03-01 23:59:00."));
  CHECK(has(dated, "waited 2026-03-01 23:59:05 came;"));
  const std::string seconds = plain(coslice("explain s.toml 2 -p fcfs --seconds").out);
  CHECK(has(seconds, "submitted at 5 s, started at 100 s"));
  CHECK_FALSE(has(seconds, "2026"));
  CHECK(has(coslice("explain s.toml 2 -p fcfs --json").out, "\"started\": 100"));
  CHECK_FALSE(has(coslice("explain s.toml 2 -p fcfs --json").out, "2026"));

  const std::string parts = plain(coslice("diff s.toml --policy fcfs,easy").out);
  INFO(parts);
  CHECK(has(parts, "second 0 is 2026-03-01 23:59:00. They do the same until 2026-03-01 23:59:"));
  CHECK_FALSE(has(coslice("diff s.toml --policy fcfs,easy --json").out, "2026"));
  CHECK_FALSE(has(coslice("diff s.toml --policy fcfs,easy --seconds").out, "2026"));
}

TEST_CASE("where two runs part", "[explain]") {
  const Program coslice;
  coslice.folder.write("s.toml",
                       std::string("name = \"tiny\"\n[machine]\nnodes = 4\n[policy]\nname = \"easy\"\n[workload]\n"
                                   "jobs = [\n") +
                           kByHand + "]\n");
  const std::string text = plain(coslice("diff s.toml --policy easy,conservative").out);
  SAYS(text,
       "They do the same until 15 s, where they part: job 4 starts in a only a starts, backfilled past jobs 2 and 3: "
       "takes 1 of the 1 node that job 2 leaves over when it starts at 100 s (on node 3) b waits: could have had its 1 "
       "node, but would have delayed job 3, due to start at 150 s; its reservation is for 170 s; it starts at 170 s");
  SAYS(text, "In the end, of 5 jobs 1 starts earlier in a, 2 in b.");
  REQUIRE(coslice("run s.toml --quiet --out one").status == 0);
  REQUIRE(coslice("run s.toml --set policy.params.reservations=2 --quiet --out two").status == 0);
  const std::string folders = plain(coslice("diff one two").out);
  SAYS(folders, "a tiny, easy, reservations = 1 b tiny, easy, reservations = 2 They do the same until 15 s");
  SAYS(plain(coslice("diff one one").out), "The runs are the same: every start, stop and end of 5 jobs.");
  const auto json = nlohmann::json::parse(coslice("diff one two --json").out);
  CHECK(json["same"] == false);
  CHECK(json["at"] == 15);
  CHECK(json["a"]["acts"] == nlohmann::json::parse(R"([{"job": 4, "what": "starts"}])"));
  CHECK(json["b"]["acts"].empty());
  CHECK(json["b"]["jobs"][0]["started"] == 170);
  CHECK(nlohmann::json::parse(coslice("diff one one --json").out)["same"] == true);
}

TEST_CASE("what both runs warn of is said once", "[explain]") {
  const Program coslice;
  coslice.folder.write(
      "t.swf", "1 0 -1 100 2 -1 -1 2 100 -1 1 1 1 1 -1 -1 -1 -1\n2 5 -1 100 9 -1 -1 9 100 -1 1 1 1 1 -1 -1 -1 -1\n");
  REQUIRE(coslice("run t.swf --nodes 4 --policy easy,fcfs --quiet --out runs").status == 0);
  for (const char* runs : {"runs --policy easy,fcfs", "runs/easy runs/fcfs"}) {
    const Said said = coslice(std::string("diff ") + runs);
    INFO(said.err);
    CHECK(said.status == 0);
    const std::size_t at = said.err.find("are left out");
    CHECK(at != std::string::npos);
    CHECK(said.err.find("are left out", at + 1) == std::string::npos);
  }
}

TEST_CASE("runs that cannot be laid side by side", "[explain]") {
  const Program coslice;
  coslice.folder.write("tiny.swf", kTrace);
  coslice.folder.write("other.swf", std::string(kTrace) + "5 9 -1 10 1 -1 -1 1 20 -1 1 2 1 1 1 -1 -1 -1\n");
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    const Said said = coslice("diff " + arguments);
    CHECK(said.status == 2);
    CHECK(said.err == error(message));
  };
  refused("tiny.swf other.swf",
          "diff: the workloads are not the same: a has 4 jobs, b has 5; expected two runs of the same jobs");
  refused("tiny.swf",
          "tiny.swf: there is nothing to compare it with; expected a second RUN, or --policy with two names");
  refused("tiny.swf --policy easy", "--policy easy: does not name two policies; expected two, as in easy,conservative");
  CHECK(coslice("diff tiny.swf tiny.swf --policy easy,fcfs").status == 2);
  CHECK(coslice("diff tiny.swf --policy easy,fcsf").status == 2);
  CHECK(coslice("diff tiny.swf nowhere").status == 2);
}

namespace {

// Four nodes; intervals of 1000 s; the medium slice is 0 to 300, the long one 300 to 1000.
const char* const kSliced = "[policy.params]\ninterval = 1000\noverhead = 0\nshort = 100\nmedium = 1000\nnodes = "
                            "\"first-free\"\n";

}  // namespace

TEST_CASE("time slices: foreign jobs, eviction, turns", "[explain]") {
  // The long job runs as a foreign job in the medium slice until a medium one needs its nodes.
  const char* const jobs = "{ submit = 0, nodes = 4, runtime = 1200, limit = 9000 },\n"
                           "{ submit = 100, nodes = 2, runtime = 150 },\n"
                           "{ submit = 120, nodes = 3, runtime = 800 },\n";
  const std::string foreign = told(jobs, 4, "scojo_pect", 1, kSliced);
  SAYS(foreign, "4 nodes for 20 min 00 s, at most 2 h 30 min, class long submitted at 0 s, started at once");
  SAYS(foreign, "as a foreign job in a slice of another class, where it delays no job");
  SAYS(foreign, "0 s runs as a foreign job in a slice of class medium 100 s stopped to make way for job 2");
  SAYS(foreign, "300 s went on in a slice of its class 1,000 s stopped: the slice was over");
  const std::string third = told(jobs, 4, "scojo_pect", 3, kSliced);
  SAYS(third, "120 s for 2 min 10 s: needed 3 nodes, 2 were free; job 2 held the others");
  SAYS(third, "started 250 s at its reservation; job 2 had just ended");
  const std::string late =
      told("{ submit = 0, nodes = 4, runtime = 2000, limit = 9000 },\n{ submit = 310, nodes = 4, runtime = "
           "200 },\n",
           4, "scojo_pect", 2, kSliced);
  SAYS(late, "310 s for 11 min 30 s: its class (medium) had no slice");
  SAYS(late, "was to start 310 s reserved: about 1,000 s");
  SAYS(late, "1,000 s at its reservation; a slice began");
}

TEST_CASE("memory: loads, and what is displaced", "[explain]") {
  // Two jobs on one node that do not fit beside each other, see tests/policies/slice_memory_test.lua.
  const Program coslice;
  coslice.folder.write(
      "memory.lua",
      "return { api = 1, name = 'memory', version = '1', backfill = 'conservative', slices = { interval = "
      "1000, overhead = 0, foreign = 'none', nodes = 'first-free',\n memory = { capacity = 400, rate = 4, "
      "of = function(job) return job.user end },\n classes = { { name = 'medium', up_to = 1000, share = 0.3 "
      "}, { name = 'long', share = 0.7 } } } }\n");
  coslice.folder.write("s.toml",
                       "name = \"tiny\"\n[machine]\nnodes = 1\n[policy]\nname = \"memory.lua\"\n[workload]\njobs = [\n"
                       "{ submit = 0, nodes = 1, runtime = 600, user = 240 },\n"
                       "{ submit = 0, nodes = 1, runtime = 2000, limit = 9000, user = 280 } ]\n");
  const std::string text = plain(coslice("explain s.toml 1").out);
  SAYS(text, "0 s its memory was loaded, for 1 min 00 s");
  SAYS(text, "370 s its memory was displaced, which adds 30 s to its work");
  const auto json = nlohmann::json::parse(coslice("explain s.toml 1 --json").out);
  int loads = 0;
  double displaced = 0;
  for (const auto& e : json["events"]) {
    loads += e["what"] == "loading";
    if (e["what"] == "swapped") displaced += e["time"].get<double>();
  }
  CHECK(loads == 3);
  CHECK(displaced == 60);
}

TEST_CASE("groups on shared nodes: formed, not worth it, unfair", "[explain]") {
  const auto text_of = [](int job, const std::string& params, const std::string& policy = "glomarc_ts") {
    const Program coslice;
    coslice.folder.write("slow.lua",
                         "return { api = 1, name = 'slow', version = '1', over_processors = function() return 1.3 "
                         "end, over_cores = function() return 1.3 end, beside = function() return 1.1 end }\n");
    coslice.folder.write(
        "s.toml", "name = \"tiny\"\n[machine]\nnodes = 4\nprocessors = 2\ncores = 2\n[policy]\nname = "
                  "\"" +
                      policy + "\"\n[policy.params]\nsliced = false\n" + params +
                      "[slowdown]\nmodel = \"script\"\nscript = \"slow.lua\"\n[workload]\njobs = [\n"
                      "{ submit = 0, processes = 4, runtime = 2000 },\n{ submit = 10, processes = 4, runtime = 2000 "
                      "},\n{ submit = 20, processes = 4, runtime = 2000 } ]\n");
    const Said said = coslice("explain s.toml " + std::to_string(job));
    INFO(said.err);
    REQUIRE(said.status == 0);
    return plain(said.out);
  };
  SAYS(text_of(1, ""), "10 s shared its nodes with job 2, promised gain 0.818 10 s ran at 0.909 of its speed");
  SAYS(text_of(2, ""),
       "10 s by the policy, as the first in the queue; placed on the nodes of job 1, promised gain 0.818");
  SAYS(text_of(3, ""), "20 s for 36 min 19 s: needed 4 nodes, none was free; jobs 1 and 2 held the others");
  const std::string greedy = text_of(2, "min_gain = 0.9\n");
  SAYS(greedy, "10 s job 2 over job 1, gain 0.818: less than is wanted");
  SAYS(greedy,
       "2,000 s by the policy, as the first in the queue: alone (Case 4): every group with it gains less than is "
       "wanted");
  const std::string unfair = text_of(2, "slack = 0.5\n");
  SAYS(unfair, "10 s job 2 over job 1, gain 0.818: unfair, to job 1");
  SAYS(unfair,
       "by the policy, as the first in the queue: alone (Case 4): every group with it that gains enough would be "
       "unfair");
  SAYS(text_of(2, "max_slowdown = 1.05\n"), "alone (Case 4): no other job and it bear each other");
  SAYS(text_of(2, "", "glomarc_ssp"), "alone (Case 4): no groups are formed");
  SAYS(text_of(2, "min_gain = 0.9\n", "glomarc_exhaustive"), "10 s job 2 over job 1, gain 0.818: less than is wanted");
}

TEST_CASE("pairs on shared nodes: the partner that gains most", "[explain]") {
  const Program coslice;
  coslice.folder.write("s.toml",
                       "name = \"pairs\"\n[machine]\nnodes = 16\nprocessors = 1\ncores = 2\n[workload]\ngenerator = "
                       "\"lublin\"\n[workload.lublin]\njobs = 150\nload = 1.5\n[slowdown]\nmodel = \"resources\"\n"
                       "[engine]\nprocesses_per_node = 1\n[policy]\nname = \"lomarc\"\n");
  int chosen = 0, other = 0;
  std::set<std::string> rules;
  for (int job = 20; job <= 60; ++job) {
    const auto json = nlohmann::json::parse(coslice("explain s.toml " + std::to_string(job) + " --json").out);
    for (const auto& e : json["events"]) chosen += e["what"] == "group";
    for (const auto& g : json["groups_refused"]) {
      other += g["why"] == "less-gain";
      if (g["why"] == "policy") rules.insert(g["words"].get<std::string>());
      CHECK(g["matched"].size() == 1);
      CHECK((g["primary"] == job || g["matched"][0] == job));
    }
  }
  CHECK(chosen > 0);
  CHECK(other > 0);
  // The jobs that the rules left out before any gain was computed.
  CHECK(rules == std::set<std::string>{"a node does not have enough memory for both",
                                       "it needs more nodes than the other one has",
                                       "one of them is too short to share nodes", "one of them would get too slow",
                                       "they want the same parts of a node"});
}

TEST_CASE("where nodes differ, what is lacking is named, and who has it", "[explain]") {
  const Program coslice;
  const std::string scenario = COSLICE_SOURCE "/scenarios/gpus.toml";
  const auto said = [&](int job) {
    std::string text = coslice("explain " + scenario + " " + std::to_string(job) + " --policy easy").out;
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) {  // lines are wrapped
      const std::size_t next = text.find_first_not_of(" \n", at);
      text.replace(at, next == std::string::npos ? 1 : next - at, " ");
      ++at;
    }
    return text;
  };
  SAYS(said(6), "waited for 2 nodes of kind gpu without other jobs; job 2 held it until");
  SAYS(said(9), "waited for 1 licence mesher; job 8 held it until 3,960 s");
  SAYS(said(7), "waited for 1 GPU on a node of kind gpu;");
}

TEST_CASE("a site is explained, drawn and reported as it is run", "[explain]") {
  const Program coslice;
  coslice.folder.write("site/scenario.toml",
                       "machine.nodes = 2\npolicy.name = \"fcfs\"\nworkload.jobs = [{ submit = 0, nodes "
                       "= 2, runtime = 40 }, { submit = 5, nodes = 1, runtime = 10 }]\n");
  const Said said = coslice("explain site 2");
  INFO(said.err);
  CHECK(said.status == 0);
  CHECK(said.out == coslice("explain site/scenario.toml 2").out);
  CHECK(coslice("gantt site -o site.svg").status == 0);
  CHECK(coslice("report site -o site.html").status == 0);
  CHECK(coslice("report site --policy easy,fcfs -o both.html").status == 0);
  CHECK(coslice("validate site").out == coslice("validate site/scenario.toml").out);
  CHECK(coslice("validate site").status == 0);
  CHECK(coslice("info site").out == coslice("info site/scenario.toml").out);
  std::filesystem::create_directory(coslice.folder / "empty");
  CHECK(coslice("validate empty").status == 2);
  CHECK(coslice("explain empty 2").status == 2);
}

TEST_CASE("groups on shared nodes: each of the cases and refusals has its own sentence", "[explain]") {
  // Alone a process on each processor or core costs 5 % more; beside one another jobs lose what the test says.
  const auto text_of = [](int job, const std::string& beside, const std::string& jobs, const std::string& params = "") {
    const Program coslice;
    coslice.folder.write("slow.lua",
                         "return { api = 1, name = 'slow', version = '1', over_processors = function() return "
                         "1.05 end, over_cores = function() return 1.05 end, beside = function() return " +
                             beside + " end }\n");
    coslice.folder.write("s.toml", "name = \"tiny\"\n[machine]\nnodes = 4\nprocessors = 2\ncores = 2\n[policy]\nname = "
                                   "\"glomarc_ts\"\n[policy.params]\nsliced = false\n" +
                                       params +
                                       "[slowdown]\nmodel = \"script\"\nscript = \"slow.lua\"\n[workload]\njobs = [\n" +
                                       jobs + "]\n");
    const Said said = coslice("explain s.toml " + std::to_string(job));
    INFO(said.err);
    REQUIRE(said.status == 0);
    return plain(said.out);
  };
  const std::string three =
      "{ submit = 0, processes = 16, runtime = 2000 },\n{ submit = 10, processes = 16, runtime = 2000 },\n";
  SAYS(text_of(2, "2", three), "alone on all cores of its nodes (Case 5): no other job and it bear each other");
  const std::string narrow =
      "{ submit = 0, processes = 8, runtime = 2000 },\n{ submit = 0, processes = 8, runtime = 2000 },\n";
  SAYS(text_of(1, "1.17", narrow), "alone on all cores of its nodes (Case 5): it gains 2.628, the best group");
  const std::string brief =
      "{ submit = 0, processes = 16, runtime = 500 },\n{ submit = 10, processes = 16, runtime = 500 },\n";
  SAYS(text_of(2, "1.01", brief), "alone on all cores of its nodes (Case 5): short jobs are in no group");
}

}  // namespace explain_test
