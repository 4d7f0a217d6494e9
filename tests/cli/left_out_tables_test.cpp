// Tables of a scenario that a setting leaves out.
#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

namespace left_out_tables_test {

using namespace coslice_test;
using nlohmann::json;

TEST_CASE("a table of the scenario that is set to false, or to nothing, is left out", "[cli]") {
  const Program coslice;
  const std::string head = "[machine]\nnodes = 4\n[workload]\njobs = [ { submit = 0, nodes = 1, runtime = 10 }, { "
                           "submit = 900, nodes = 2, runtime = 10 } ]\n"
                           "[policy]\nname = \"easy\"\nparams = { depth = 3 }\n";
  coslice.folder.write("s.toml", head + "[power]\nidle = 60\nboot = 30\nwatts = { busy = 300, idle = 100 }\n");
  const auto run = [&](const std::string& flags) { return json::parse(coslice("run s.toml --json " + flags).out); };
  CHECK(run("").contains("power"));
  for (const char* none : {"--set power=false", "--set power={}", "--set 'power={ }'"})
    CHECK(!run(none).contains("power"));
  CHECK(run("--set power.watts=false").contains("power"));
  CHECK(!run("--set power.watts=false").contains("energy"));
  CHECK(run("--set policy.params={}")["policy"]["params"]["depth"] != 3);
  CHECK(run("--set power=false --set power.idle=60 --set power.boot=5").contains("power"));
  const Said wrong = coslice("run s.toml --set power=true");
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find("--set power=true: power is true; expected a table") != std::string::npos);
  const Said whatif = coslice("whatif s.toml --set power=false --runs 1");
  INFO(whatif.err);
  CHECK(whatif.status == 0);
  CHECK(whatif.out.rfind("power=false: wait ", 0) == 0);
  // In a file that extends another one, too.
  coslice.folder.write("t.toml", "extends = \"s.toml\"\npower = false\n");
  CHECK(!json::parse(coslice("run t.toml --json").out).contains("power"));
}

TEST_CASE("an empty table that would switch something on is an error", "[cli]") {
  const std::string head = "[machine]\nnodes = 2\n[workload]\njobs = [{ submit = 0, nodes = 1, runtime = 10 }]\n"
                           "[policy]\nname = \"easy\"\n";
  CHECK(
      complaint("power = {}\n" + head) ==
      error(
          "s.toml:1: power is an empty table, which means nothing; expected some of its keys; power = false leaves out "
          "what another file says"));
  for (const char* table : {"power", "outages", "slowdown", "processes", "workload.keep", "workload.drop"}) {
    INFO(table);
    CHECK(complaint(head + "[" + table + "]\n").find(std::string(table) + " is an empty table") != std::string::npos);
  }
  const Program coslice;
  coslice.folder.write("s.toml", head + "[power]\nidle = 60\nboot = 30\n");
  coslice.folder.write("t.toml", "extends = \"s.toml\"\npower = {}\n");
  CHECK(coslice("run t.toml").err.find("t.toml:2: power is an empty table") != std::string::npos);
  coslice.folder.write("u.toml", "extends = \"s.toml\"\n[metrics]\n[policy.params]\n");  // these switch nothing on
  CHECK(coslice("run u.toml --quiet").status == 0);
}

TEST_CASE("policies of one run have the same jobs as each alone, or are refused", "[cli]") {
  const Program coslice;
  coslice.folder.write(
      "jobs.sacct",
      "JobID|User|Submit|Start|Elapsed|State|NNodes|NCPUS|Timelimit|SubmitLine\n"
      "11|kim|2026-04-01T09:00:00|2026-04-01T09:00:00|00:20:00|COMPLETED|2|6|01:00:00|sbatch -n 6 x.sh\n"
      "12|lee|2026-04-01T09:01:00|2026-04-01T09:01:00|00:20:00|COMPLETED|1|4|01:00:00|sbatch -n 4 x.sh\n");
  coslice.folder.write("s.toml", "[[machine.nodes]]\nname = \"a\"\ncount = 3\ncores = 4\n[workload]\n"
                                 "trace = \"jobs.sacct\"\nexclusive = false\nspread_tasks = true\n");
  CHECK(coslice("run s.toml --policy easy --quiet").status == 0);
  CHECK(coslice("run s.toml --policy easy,fcfs --quiet").status == 0);
  const Said alone = coslice("run s.toml --policy scojo_pect --quiet");
  CHECK(alone.status == 0);
  CHECK(alone.err.find("workload.spread_tasks and whole_processors have no effect") != std::string::npos);
  const Said mixed = coslice("run s.toml --policy easy,scojo_pect --quiet");
  INFO(mixed.err);
  CHECK(mixed.status == 2);
  CHECK(
      mixed.err.find("s.toml:8: workload.spread_tasks says which cores jobs have under 'easy', but means nothing under "
                     "'scojo_pect'") != std::string::npos);
  CHECK(mixed.err.find("workload.spread_tasks = false") != std::string::npos);
  CHECK(coslice("run s.toml --policy easy,scojo_pect --quiet --set workload.spread_tasks=false").status == 0);
}

}  // namespace left_out_tables_test
