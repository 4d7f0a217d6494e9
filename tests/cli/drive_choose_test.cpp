// coslice drive --choose beside a Slurm that is played by two scripts (tests/slurm/drive/fake).
#include "catch.h"

#include <nlohmann/json.hpp>

#include "drive_site.h"

namespace drive_choose_test {

using namespace coslice_test;
using Catch::Contains;

namespace {

const std::string kOnce = " --partition batch --once";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The line of the choice, the last one of them.
std::string choice_line(const std::string& out) {
  std::string found;
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = std::min(out.find('\n', at), out.size());
    const std::string line = out.substr(at, end - at);
    if (line.rfind("stay with ", 0) == 0 || line.rfind("change to ", 0) == 0) found = line;
    at = end + 1;
  }
  return found;
}

std::string refused(const Site& site, const std::string& arguments) {
  const Said said = site.drive(arguments);
  CHECK(said.status == 2);
  CHECK(site.orders().empty());
  return said.err;
}

}  // namespace

TEST_CASE("a drive changes over to a policy that is better beyond chance", "[cli]") {
  const Site site;  // four nodes for 102 come free late; 104 could run before on one that is free
  const Said said = site.drive("--choose fcfs,easy" + kOnce);
  CHECK(said.status == 0);
  CHECK(said.err.empty());
  const std::string line = choice_line(said.out);
  CHECK_THAT(line, Contains("change to easy ") && Contains("mean wait of 3 jobs: ") &&
                       Contains(" s under fcfs; easy ") && Contains(" s less (") &&
                       Contains("), better (40 draws, intervals of 95 %)"));
  CHECK(site.orders() == kHolds + kStarts);
  CHECK_THAT(said.out, Contains("# easy starts it now: 1 node"));  // who decided is told
}

TEST_CASE("a drive stays where another policy is worse, or differs by chance alone", "[cli]") {
  const Site site;
  const Said worse = site.drive("--choose easy,fcfs" + kOnce + " --dry-run");
  CHECK_THAT(choice_line(worse.out),
             Contains("stay with easy") && Contains("; fcfs ") && Contains(" more (") && Contains("), worse ("));
  const Said same = site.drive("--choose easy,conservative" + kOnce + " --dry-run");
  CHECK_THAT(choice_line(same.out), Contains("stay with easy"));
  CHECK_THAT(choice_line(same.out), Contains("conservative the same") || Contains(", may be chance"));
  CHECK(site.orders().empty());
}

TEST_CASE("the same queue and seed give the same choice, on any number of processors", "[cli]") {
  const Site site;
  const std::string drive = "--choose fcfs,easy,sjf,easy_sjbf --dry-run" + kOnce;
  const Said one = site.drive(drive + " -j 1");
  CHECK(one.out == site.drive(drive + " -j 4").out);
  CHECK(one.out == site.drive(drive + " --seed 1").out);
  CHECK(choice_line(one.out) != choice_line(site.drive(drive + " --seed 2").out));
}

TEST_CASE("a policy whose pass takes more than the budget has for it is not compared", "[cli]") {
  const Site site;
  std::string jobs = site.coslice.folder.read("jobs");
  for (int i = 0; i != 150; ++i)
    jobs += std::to_string(1000 + i) + "|PENDING|Priority|ann|batch|2026-03-02T09:20:00|N/A|" +
            std::to_string(1 + i % 7) + ":30:00|300|cpu=8,mem=8000M,node=1|NO||\n";
  site.coslice.folder.write("jobs", jobs);
  site.coslice.folder.write("hook.lua", "return { api = 1, name = 'hook', version = '1',\n"
                                        "  schedule = function(view) view:conservative() end }\n");
  const std::string once = kOnce + " --dry-run --budget ";
  for (const char* other : {"conservative", "hook.lua"}) {
    INFO(other);
    const Said said = site.drive("--choose easy," + std::string(other) + once + "0.0003");
    CHECK(said.status == 0);
    CHECK_THAT(choice_line(said.out), Contains("stay with easy") && Contains(" of 153 jobs: ") &&
                                          Contains(" takes too long to be compared: --budget gives it more time"));
  }
  CHECK_THAT(choice_line(site.drive("--choose conservative,easy" + once + "0.0003").out),
             Contains("stay with conservative") &&
                 Contains("mean wait of 153 jobs: conservative takes too long to be compared: --budget gives"));
  const Said json = site.drive("--choose conservative,easy --json" + once + "0.0003");
  CHECK_THAT(json.out, Contains("{\"policy\":\"conservative\",\"too_long\":true,"));
  CHECK_THAT(choice_line(site.drive("--choose easy,conservative" + once + "0.3").out), !Contains("too long"));
}

TEST_CASE("a policy whose script takes more than the budget has for it is not compared", "[cli]") {
  const Site site;
  const auto write = [&](const std::string& before, const std::string& hook) {
    site.coslice.folder.write("slow.lua", before +
                                              "return { api = 1, name = 'slow', version = '1',\n  schedule = "
                                              "function(view) " +
                                              hook + " view:easy() end }\n");
  };
  const std::string count = "for i = 1, 1e12 do end";
  const std::string drive = "--choose easy,slow.lua --dry-run --budget 0.05" + kOnce + " --set ";
  for (const std::string& hook :
       {count, "pcall(function() " + count + " end)", "pcall(coroutine.wrap(function() " + count + " end)) " + count,
        "for j in view:waiting() do " + count + " end"})
    for (const char* limit : {"engine.instructions=10000000000000", "engine.trusted=true"}) {
      INFO(hook << " " << limit);
      write("", hook);
      const Said said = site.drive(drive + limit);
      CHECK(said.status == 0);
      CHECK_THAT(choice_line(said.out), Contains("slow.lua takes too long to be compared"));
    }
}

TEST_CASE("a drive chooses by the figure that is asked for", "[cli]") {
  const Site site;
  const std::string drive = "--choose fcfs,easy --dry-run" + kOnce + " --minimize ";
  CHECK_THAT(choice_line(site.drive(drive + "slowdown.max").out), Contains("max slowdown of 3 jobs: "));
  CHECK_THAT(choice_line(site.drive(drive + "wait.long.p95").out), Contains("p95 wait (class long): "));
  CHECK_THAT(choice_line(site.drive(drive + "wait.long").out),
             Contains("stay with fcfs") && Contains("(class long): no waiting job is of that class"));
  CHECK_THAT(refused(site, drive + "slowdwn"),
             Contains("--minimize slowdwn: is no figure of waiting jobs; expected wait") &&
                 Contains("did you mean 'slowdown'?"));
  CHECK_THAT(refused(site, drive + "wait.tall"), Contains("is no figure of waiting jobs"));
  CHECK_THAT(refused(site, drive + "utilization"), Contains("is no figure of waiting jobs"));
}

TEST_CASE("a forecast that looks less far than a choice is to hold changes nothing", "[cli]") {
  const Site site;
  const std::string drive = "--choose fcfs,easy --dry-run" + kOnce + " --budget 0.00001 --every ";
  CHECK_THAT(choice_line(site.drive(drive + "10").out), Contains("change to easy") && Contains(" ahead)"));
  CHECK_THAT(choice_line(site.drive(drive + "5d").out),
             Contains("stay with fcfs") && Contains("better (") && Contains("less far than --every: no change"));
}

TEST_CASE("choices are made every so many seconds of Slurm's clock", "[cli]") {
  const Site site;
  const Said said = site.shell(
      "coslice drive --choose fcfs,easy --every 300 --partition batch --interval 0.1 >log 2>err & pid=$!; until_ready "
      "$pid; "
      "ordered() { for i in $(seq 600); do [ -e orders ] && [ $(grep -c . orders) -ge $1 ] && return; sleep 0.05; "
      "done; }; "
      "chosen() { for i in $(seq 600); do [ $(grep -c '^stay\\|^change' log) -ge $1 ] && return; sleep 0.05; done; }; "
      "ordered 5; chosen 1; sed 's/10:00:00/10:04:59/' config >c; mv c config; sleep 1; grep -c '^stay\\|^change' log; "
      "sed 's/10:04:59/10:05:00/' config >c; mv c config; chosen 2; grep -c '^stay\\|^change' log; "
      "kill -TERM $pid; wait $pid");
  CHECK(said.status == 0);
  CHECK(site.coslice.folder.read("err").empty());
  CHECK(said.out == "1\n2\n");
  CHECK_THAT(site.coslice.folder.read("log"), Contains("change to easy") && Contains("stay with easy"));
  CHECK(site.orders() == kHolds + kStarts + "scontrol release 102\nscontrol release 103\nscontrol release 104\n");
  CHECK_FALSE(site.has_state());
}

TEST_CASE("a policy that fails in its forecasts is left out, and the drive goes on", "[cli]") {
  const Site site;
  const std::string head = "return { api = 1, name = 'bad', version = '1', description = 'Fails.',\n";
  SECTION("by an error, later than now") {
    site.coslice.folder.write(
        "bad.lua", head + "  schedule = function(view) view:start_in_order() if view.now > 10 * 3600 + 60 then "
                          "error('no idea') end end }\n");
    const Said said = site.drive("--choose fcfs,bad.lua,easy" + kOnce);
    CHECK(said.status == 0);
    CHECK_THAT(said.err, Contains("policy 'bad.lua' is left out: ") && Contains("bad.lua:2") && Contains("no idea"));
    CHECK_THAT(choice_line(said.out), Contains("change to easy") && Contains("; bad.lua failed; easy "));
    CHECK(site.orders() == kHolds + kStarts);
  }
  SECTION("by a loop without an end") {
    site.coslice.folder.write("bad.lua", head + "  schedule = function(view) while true do end end }\n");
    const Said said = site.drive("--choose bad.lua,fcfs,easy --set engine.instructions=100000" + kOnce);
    CHECK(said.status == 0);
    CHECK_THAT(said.err, Contains("policy 'bad.lua' is left out: ") && Contains("instructions"));
    CHECK_THAT(choice_line(said.out), Contains("change to easy") && Contains("under fcfs; bad.lua failed; easy "));
    CHECK(site.orders() == kHolds + kStarts);
  }
  SECTION("all of them") {
    site.coslice.folder.write("bad.lua", head + "  schedule = function(view) error('no idea') end }\n");
    site.coslice.folder.write("worse.lua", head + "  schedule = function(view) error('nor I') end }\n");
    const Said said = site.drive("--choose bad.lua,worse.lua --partition batch");
    CHECK(said.status == 1);
    CHECK_THAT(said.err, Contains("no policy is left to choose from") && Contains("no idea") && Contains("nor I"));
    CHECK(site.orders() == kHolds + "scontrol release 102\nscontrol release 103\nscontrol release 104\n");
    CHECK_FALSE(site.has_state());
  }
}

TEST_CASE("run times are drawn from what jobs of the same users did", "[cli]") {
  const Site site;
  std::string record = "JobID|User|Account|Partition|QOS|Submit|Start|Elapsed|NNodes|NCPUS|Timelimit\n";
  for (int i = 0; i != 40; ++i)  // ann's jobs use up their limits, others end at once
    record += std::to_string(i + 1) + "|" + (i % 2 == 0 ? "ann" : "bob") + "|all|batch|normal|2026-02-0" +
              std::to_string(1 + i / 5) + "T00:0" + std::to_string(i % 5) + ":00|2026-02-0" +
              std::to_string(1 + i / 5) + "T00:0" + std::to_string(i % 5) + ":00|" +
              (i % 2 == 0 ? "04:00:00" : "00:01:00") + "|1|16|04:00:00\n";
  site.coslice.folder.write("jobs.sacct", record);
  const std::string drive = "--choose easy,sjf --dry-run" + kOnce;
  const Said without = site.drive(drive), with = site.drive(drive + " --history jobs.sacct");
  CHECK(with.status == 0);
  CHECK(choice_line(with.out) != choice_line(without.out));
  CHECK_THAT(refused(site, drive + " --history jobs.sact"), Contains("jobs.sact"));
}

TEST_CASE("a parameter is for those policies that have it", "[cli]") {
  const Site site;
  CHECK(site.drive("--choose easy,sjf --set policy.params.reservations=2 --dry-run" + kOnce).status == 0);
  CHECK_THAT(refused(site, "--choose easy,sjf --set policy.params.reservation=2" + kOnce),
             Contains("policy 'easy' or 'sjf' has no parameter 'reservation'") &&
                 Contains("did you mean 'reservations'?"));
}

TEST_CASE("where no job waits, nothing is compared", "[cli]") {
  const Site site;
  const Said said = site.drive("--choose fcfs,easy --user nobody --dry-run --once");
  CHECK(said.status == 0);
  CHECK(first_line(said.out) == "stay with fcfs                                  # no job waits");
}

TEST_CASE("choices and orders are there for programs", "[cli]") {
  const Site site;
  const Said said = site.drive("--choose fcfs,easy --json --draws 10" + kOnce);
  CHECK(said.status == 0);
  std::vector<nlohmann::json> lines;
  for (std::size_t at = 0; at < said.out.size(); at = said.out.find('\n', at) + 1)
    lines.push_back(nlohmann::json::parse(said.out.substr(at, said.out.find('\n', at) - at)));
  REQUIRE(lines.size() == 6);
  CHECK(lines[0]["order"] == "scontrol hold 102");
  const nlohmann::json& choice = lines[3];
  CHECK(choice["decision"] == "easy");
  CHECK(choice["before"] == "fcfs");
  CHECK(choice["draws"] == 10);
  CHECK(choice["waiting"] == 3);
  CHECK(choice["figure"] == "mean wait");
  CHECK(choice["policies"][1]["verdict"] == "better");
  CHECK(choice["policies"][1]["interval"][1] < 0);
  CHECK(choice["policies"][1]["difference"].get<double>() ==
        Approx(choice["policies"][1]["value"].get<double>() - choice["policies"][0]["value"].get<double>()));
  CHECK(lines[5]["order"] == "scontrol update JobId=104 Priority=2000000000");
}

TEST_CASE("what cannot be chosen from is refused before anything is asked", "[cli]") {
  const Site site;
  CHECK_THAT(refused(site, "--choose easy" + kOnce),
             Contains("--choose easy: names one policy; expected two or more, with commas") &&
                 Contains("--policy easy"));
  CHECK_THAT(refused(site, "--choose ," + kOnce), Contains("--choose: names no policy"));
  CHECK_THAT(refused(site, "--choose easy,fcfs,easy" + kOnce), Contains("'easy' and 'easy' are the same policy"));
  CHECK_THAT(refused(site, "--choose easy,esy_sjbf" + kOnce),
             Contains("there is no policy 'esy_sjbf'") && Contains("did you mean 'easy_sjbf'?"));
  CHECK_THAT(refused(site, "--choose easy,scojo_pect" + kOnce), Contains("has time slices"));
  CHECK_THAT(refused(site, "--choose easy,fcfs --policy easy" + kOnce),
             Contains("--policy easy: stands beside --choose"));
  CHECK_THAT(refused(site, "--choose easy,fcfs"), Contains("is given no jobs"));
  CHECK_THAT(refused(site, "--policy easy --every 300" + kOnce), Contains("--every: there is nothing to choose from"));
  const std::string choose = "--choose easy,fcfs" + kOnce;
  CHECK_THAT(refused(site, choose + " --every 2"), Contains("--every 2: is too often; expected 10 s or more"));
  CHECK_THAT(refused(site, choose + " --every often"), Contains("--every: 'often' is not a time"));
  CHECK_THAT(refused(site, choose + " --draws 2"),
             Contains("--draws: '2' does not fit; expected a whole number from 6 to 10000"));
  CHECK_THAT(refused(site, choose + " --budget 0"), Contains("--budget 0"));
  CHECK_THAT(refused(site, choose + " --level 1"),
             Contains("--level 1: out of range; expected a number from 0.5 to 0.9999"));
  CHECK_THAT(refused(site, choose + " --seed one"), Contains("--seed: 'one' does not fit"));
}

}  // namespace drive_choose_test
