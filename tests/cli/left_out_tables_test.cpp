// Tables of a scenario that a setting leaves out.
#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

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
