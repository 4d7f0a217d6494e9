// What the program says to mistakes, word for word, and its exit status.
#include "catch.h"
#include "run_program.h"

namespace errors_test {

using namespace coslice_test;

namespace {

/// Fails unless the program says just this on stderr, nothing on stdout, and ends with status 2.
void check_error(const Program& coslice, const std::string& arguments, const std::string& message) {
  INFO("coslice " << arguments);
  const Said said = coslice(arguments);
  CHECK(said.err == error(message));
  CHECK(said.out == "");
  CHECK(said.status == 2);
}

}  // namespace

TEST_CASE("commands that do not exist", "[cli]") {
  const Program coslice;
  const Said said = coslice("rnu t.swf");
  CHECK(said.status == 2);
  CHECK(said.err.find("coslice: error: there is no command 'rnu'; expected one of run, compare, ") == 0);
  CHECK(said.err.find("; did you mean 'run'?\n") != std::string::npos);
  CHECK(coslice("t.swf").err.find("; did you mean `coslice run t.swf`?\n") != std::string::npos);
  check_error(coslice, "help rnu", "there is no command 'rnu'; did you mean 'run'?");
}

TEST_CASE("flags that do not exist or lack a value", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  check_error(coslice, "--vrsion", "`coslice` has no flag '--vrsion'; did you mean '--version'?");
  check_error(coslice, "run t.swf --polcy=easy", "`coslice run` has no flag '--polcy'; did you mean '--policy'?");
  check_error(coslice, "run --seeed 1 t.swf", "`coslice run` has no flag '--seeed'; did you mean '--seed'?");
  check_error(coslice, "info t.swf --qwertz",
              "`coslice info` has no flag '--qwertz'; `coslice info --help` lists them");
  check_error(coslice, "run t.swf --policy", "--policy: no value; expected FILE|NAME[,NAME...]");
  check_error(coslice, "run t.swf --policy --json", "--policy: no value; expected FILE|NAME[,NAME...]");
  check_error(coslice, "run t.swf --json=yes", "--json: takes no value");
}

TEST_CASE("arguments that are missing or too many", "[cli]") {
  const Program coslice;
  const std::string usage = "coslice run SCENARIO.toml|TRACE.swf[.gz] [options]";
  check_error(coslice, "run",
              "`coslice run` needs SCENARIO.toml|TRACE.swf[.gz]; expected " + usage +
                  "; `coslice run --help` has examples");
  check_error(coslice, "run a b", "'b' is one argument too many; expected " + usage);
}

TEST_CASE("values of flags that do not fit", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  check_error(coslice, "run t.swf --seed abc", "--seed abc: seed is \"abc\"; expected a whole number from 0 on");
  check_error(coslice, "run t.swf --nodes 0.5",
              "--nodes 0.5: machine.nodes is 0.5; expected a whole number from 0 to 100000");
  check_error(coslice, "info t.swf --nodes 0", "--nodes: '0' does not fit; expected a whole number from 1 to 100000");
  check_error(coslice, "run t.swf --set machine.nods=3",
              "--set machine.nods=3: unknown key 'machine.nods'; did you mean 'nodes'?");
  check_error(coslice, "run t.swf --set x",
              "--set x: is not an assignment; expected table.key=value, e.g. machine.nodes=64");
  check_error(coslice, "run t.swf --set policy.params.depht=3",
              "--set policy.params.depht=3: policy 'easy' has no parameter 'depht'; expected one of depth, queues, "
              "reservations; "
              "did you mean 'depth'?");
  check_error(coslice, "run t.swf --policy easy,easy", "--policy easy,easy: 'easy' appears twice in policy.name");
}

TEST_CASE("files that are not there", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  coslice("run t.swf --out results --quiet");
  check_error(coslice, "run tt.swf", "tt.swf: there is no such file; did you mean 't.swf'?");
  check_error(
      coslice, "run results",
      "results: is a folder of results; expected a scenario (.toml), a trace (.swf, .swf.gz) or a site; did you mean "
      "'results/scenario.toml'?");
  coslice.folder.write("empty/notes", "");
  check_error(coslice, "run empty",
              "empty: is a folder; expected a scenario (.toml), a trace (.swf, .swf.gz) or a site");
  check_error(coslice, "run t.swf --policy ./mine.lua",
              "./mine.lua: there is no such policy file; `coslice policies` lists those that are found by name");
}

TEST_CASE("scripts where traces are expected", "[cli]") {
  const Program coslice;
  coslice.folder.write("mine.lua", "return {}\n");
  check_error(coslice, "run mine.lua",
              "mine.lua: is a Lua script; expected a scenario (.toml) or a trace (.swf, .swf.gz); "
              "a policy runs with `coslice run TRACE.swf --policy mine.lua`");
  check_error(coslice, "info mine.lua",
              "mine.lua: is a Lua script; expected a trace (.swf, .swf.gz) or a scenario (.toml); "
              "`coslice validate` looks at scripts");
}

TEST_CASE("pipes that may never be written to", "[cli]") {
  const Program coslice;
  coslice.shell("mkfifo pipe.swf pipe.toml pipe.lua");
  coslice.folder.write("trace.toml", "workload.trace = \"pipe.swf\"\n");
  coslice.folder.write("script.toml", "machine.nodes = 1\nworkload.script = \"pipe.lua\"\n");
  coslice.folder.write("base.toml", "extends = \"pipe.toml\"\n");
  const std::string end = " is a pipe or a device; expected a";
  for (const char* name : {"pipe.swf", "pipe.toml"}) {
    const std::string file = name;
    check_error(coslice, "run " + file, file + ":" + end + " file");
  }
  check_error(coslice, "info pipe.swf", "pipe.swf:" + end + " file");
  check_error(coslice, "generate ./pipe.lua", "./pipe.lua:" + end + " file");
  check_error(coslice, "run trace.toml", "trace.toml:1: pipe.swf" + end + " file");
  check_error(coslice, "run script.toml", "script.toml:2: pipe.lua" + end + " file");
  check_error(coslice, "run base.toml", "base.toml:1: scenario file 'pipe.toml'" + end + " TOML file");
  coslice.folder.write("t.swf", kTrace);
  CHECK(coslice.shell("cat t.swf | coslice info /dev/stdin").out.find("4 of 4 records") != std::string::npos);
}

TEST_CASE("mistakes in a trace", "[cli]") {
  const Program coslice;
  coslice.folder.write("words.swf", "; MaxProcs: 4\n1 0 -1 ten 3\n");
  coslice.folder.write("twice.swf", std::string(kTrace) + "4 9 -1 10 1 -1 -1 1 20 -1 1 2 1 1 1 -1 -1 -1\n");
  coslice.folder.write("empty.swf", "; MaxProcs: 4\n");
  const std::string format = "the Standard Workload Format: 18 numbers a line, ';' before comments";
  check_error(coslice, "run words.swf", "words.swf:2: field 4 (run time) is 'ten', not a number; expected " + format);
  check_error(coslice, "run twice.swf",
              "twice.swf:6: job number 4 is used twice, first in line 5; expected a number of its own for each job");
  check_error(coslice, "run empty.swf", "empty.swf: the trace has no records; expected " + format);
}

TEST_CASE("mistakes in a scenario", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  coslice.folder.write("key.toml", "[workload]\ntrace = \"t.swf\"\n\n[machine]\nnods = 4\n");
  coslice.folder.write("syntax.toml", "[machine\nnodes = 4\n");
  coslice.folder.write("none.toml", "[machine]\nnodes = 4\n");
  check_error(coslice, "run key.toml", "key.toml:5: unknown key 'machine.nods'; did you mean 'nodes'?");
  const Said syntax = coslice("run syntax.toml");
  CHECK(syntax.err.find("coslice: error: syntax.toml:1: ") == 0);
  CHECK(syntax.status == 2);
  const Said none = coslice("run none.toml");
  CHECK(none.err.find("one of workload.trace, workload.generator, workload.script, workload.jobs") !=
        std::string::npos);
  CHECK(none.status == 2);
}

TEST_CASE("mistakes in a policy", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  coslice.folder.write("typo.lua",
                       "return {\n  api = 1,\n  name = \"typo\",\n  version = \"1\",\n  backfil = \"easy\",\n}\n");
  coslice.folder.write("syntax.lua", "return {\n  api = = 1,\n}\n");
  coslice.folder.write("raises.lua", "return {\n  api = 1,\n  name = \"raises\",\n  version = \"1\",\n"
                                     "  key = function(job)\n    return job.nosuch + 1\n  end,\n}\n");
  const Said typo = coslice("run t.swf --policy typo.lua");
  CHECK(typo.err.find(error("typo.lua:5: policy has an unknown field 'backfil'; expected one of api, ", "")) == 0);
  CHECK(typo.err.find(", schedule, reason, factors; did you mean 'backfill'?\n") != std::string::npos);
  CHECK(typo.status == 2);
  check_error(coslice, "run t.swf --policy syntax.lua", "syntax.lua:2: unexpected symbol near '='");
  const Said raised = coslice("run t.swf --policy raises.lua");
  CHECK(raised.err.find("coslice: error: raises.lua:6: ") == 0);
  CHECK(raised.err.find("hook 'key' of policy 'raises'") != std::string::npos);
  CHECK(raised.err.find("traceback") != std::string::npos);
  CHECK(raised.out == "");
  CHECK(raised.status == 1);
}

TEST_CASE("what a policy says is shown and not obeyed", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  const auto run = [&](const std::string& statement) {
    coslice.folder.write("loud.lua",
                         "return { api = 1, name = \"loud\", version = \"1\",\n  key = function(job)\n    " +
                             statement + "\n    return 1\n  end }\n");
    return coslice("run t.swf --quiet --policy loud.lua").err;
  };
  CHECK(run("error('\\27[2Jgone\\7')").find(error("loud.lua:3: \\x1b[2Jgone\\x07")) == 0);
  CHECK(run("print('\\27[2Jgone')").find("\\x1b[2Jgone\n") == 0);
  const std::string flood = run("error(('x'):rep(1000000))");
  CHECK(flood.find("xxx... (1000000 bytes)\nstack traceback:\n") != std::string::npos);
  CHECK(flood.size() < 5000);
  coslice.folder.write("loud_test.lua", "it('case \\27[31m', function() print('\\27[32m') error('\\27[33m') end)\n");
  const std::string said = coslice("test loud_test.lua").out;
  for (const char* code : {"\\x1b[31m", "\\x1b[32m", "\\x1b[33m"}) CHECK(said.find(code) != std::string::npos);
  CHECK(said.find('\x1b') == std::string::npos);
}

TEST_CASE("fields that a workload script misspells", "[cli]") {
  const Program coslice;
  const auto ask = [&](const std::string& field) {
    coslice.folder.write("w.lua", "return { api = 1, name = \"w\", params = { load = { default = 1, doc = \"\" } },\n"
                                  "  jobs = function(params, machine)\n    return " +
                                      field + "\n  end }\n");
    coslice.folder.write("w.toml", "[workload]\nscript = \"w.lua\"\n[machine]\nnodes = 4\n");
    return coslice("run w.toml").err;
  };
  CHECK(ask("params.laod").find(error("w.lua:3: the script's 'params' have no field 'laod'; did you mean 'load'?")) ==
        0);
  CHECK(ask("machine.node").find(error("w.lua:3: the machine has no field 'node'; did you mean 'nodes'?")) == 0);
}

TEST_CASE("parameters that a scenario sets for other policies than --policy's", "[cli]") {
  const Program coslice;
  coslice.folder.write("s.toml", "machine.nodes = 4\nworkload.jobs = [ { nodes = 1, runtime = 10 } ]\n"
                                 "policy.name = \"easy\"\npolicy.params.depth = 5\n");
  const Said said = coslice("run s.toml --policy fcfs");
  CHECK(said.status == 0);
  CHECK(said.err == "coslice: warning: s.toml: parameter 'depth' is left out: policy 'fcfs' has none of that name\n");
  CHECK(coslice("run s.toml --policy fcfs,easy").err == "");
  check_error(coslice, "run s.toml --policy easy_sjbf -s policy.params.deep=1",
              "--set policy.params.deep=1: policy 'easy_sjbf' has no parameter 'deep'; expected none: it has no "
              "parameters");
}

TEST_CASE("what is there and cannot be read is named", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  REQUIRE(coslice("run t.swf --out kept -q").status == 0);
  // A folder in the place of the file is the one that can be opened and not be read, also by root.
  REQUIRE(coslice.shell("rm kept/summary.json && mkdir kept/summary.json").status == 0);
  const std::string reason = "kept/summary.json: cannot be read: Is a directory";
  for (const char* arguments :
       {"report kept", "compare kept kept", "gantt kept -o g.svg", "export kept --format perfetto -o e.json"}) {
    INFO(arguments);
    const Said said = coslice(arguments);
    CHECK(said.err.find(reason) != std::string::npos);
    CHECK(said.status == 2);
  }
  const Said again = coslice("run t.swf --out kept -q");
  CHECK(again.err.find(reason) != std::string::npos);
  CHECK(again.status == 2);
}

TEST_CASE("a message quotes a line of what it complains about", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  const Said said = coslice.shell("coslice run t.swf --policy $(printf %060000d 7)");
  CHECK(said.status == 2);
  CHECK(said.err.size() < 2500);
}

TEST_CASE("SIGTERM ends a script in the middle of an instruction", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  coslice.folder.write(
      "endless.lua",
      "local meta = {}\n"
      "local t = setmetatable({}, meta)\n"
      "meta.__call = t\n"
      "return { api = 1, name = 'endless', version = '1', schedule = function() while true do pcall(t) end end }\n");
  const Said said = coslice.shell("coslice run t.swf --policy endless.lua --set engine.trusted=true & "
                                  "until_ready $!; sleep 0.3; kill -TERM $!; wait $!");
  CHECK(said.status == 130);
}

TEST_CASE("the memory of a workload script", "[cli]") {
  const Program coslice;
  coslice.folder.write("w.lua", "return { api = 1, name = 'w', jobs = function()\n"
                                "  local kept = {}\n"
                                "  for i = 1, 40000 do kept[i] = { submit = i, nodes = 1, runtime = 10 } end\n"
                                "  for _, job in ipairs(kept) do coroutine.yield(job) end\n"
                                "end }\n");
  const Said said = coslice("generate w.lua --nodes 4 --memory 4MiB -o w.swf");
  CHECK(said.err.find("out of memory: the script may use 4194304 bytes") != std::string::npos);
  CHECK(said.err.find("raise engine.memory of the scenario (generate: --memory)") != std::string::npos);
  CHECK(said.status == 2);
  CHECK(coslice("generate w.lua --nodes 4 --memory 64MiB -o w.swf").status == 0);
  check_error(coslice, "generate lublin --memory 4MiB -o l.swf", "--memory: is for scripts only; lublin needs no Lua");
}

TEST_CASE("what scripts do not have gets a hint", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  coslice.folder.write("io.lua", "io.open('x')\nreturn {}\n");
  CHECK(coslice("run t.swf --policy io.lua").err.find("global 'io'); scripts read no files") != std::string::npos);
  coslice.folder.write("pint.lua", "pint('x')\nreturn {}\n");
  CHECK(coslice("run t.swf --policy pint.lua").err.find("global 'pint'); did you mean 'print'?") != std::string::npos);
  coslice.folder.write("formt.lua", "local t = string.formt('%d', 1)\nreturn {}\n");
  CHECK(coslice("run t.swf --policy formt.lua").err.find("(field 'formt'); did you mean 'string.format'?") !=
        std::string::npos);
  coslice.folder.write("own.lua", "local t = {}\nt.launch()\nreturn {}\n");
  CHECK(coslice("run t.swf --policy own.lua").err.find("did you mean") == std::string::npos);
}

TEST_CASE("a policy that is told to suspend jobs that have parts of nodes is refused before the run", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  const std::string policy = "[policy]\nname = 'preemptive'\nparams = { urgent_queue = 1, how = 'suspend' }\n";
  const std::string machine = "[machine]\nnodes = [{ name = 'a', count = 2, cores = 4 }]\n[workload]\njobs = [\n  ";
  coslice.folder.write("s.toml", machine + "{ runtime = 100, nodes = 1, request = { cores = 2 } },\n" +
                                     "  { submit = 10, queue = 1, runtime = 50, nodes = 2 },\n]\n" + policy);
  for (const std::string command : {"validate", "run"}) {
    const Said said = coslice(command + " s.toml");
    CHECK(said.status == 2);
    CHECK_THAT(said.out + said.err,
               Contains("s.toml:1: policy 'preemptive': jobs that have parts of nodes, or wait for licences "
                        "and jobs suspended in place cannot be combined") &&
                   Contains("expected another `how` of view:preempt()"));
  }
  coslice.folder.write("w.toml", machine + "{ runtime = 100, nodes = 2 },\n" +
                                     "  { submit = 10, queue = 1, runtime = 50, nodes = 2 },\n]\n" + policy);
  CHECK(coslice("validate w.toml").status == 0);
  CHECK(coslice("run w.toml").status == 0);
}

TEST_CASE("validate refuses what a run refuses when it begins", "[errors]") {
  const std::string jobs = "[workload]\njobs = [{ runtime = 5, nodes = 1 }, { runtime = 5, nodes = 1 }]\n";
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"[[reservations]]\nname = 'r'\nnodes = '0-1'\nfrom = 0\nlength = 9\nusers = [1]\n"
       "[machine]\nnodes = 4\npartitions = [{ name = 'p' }]\n" +
           jobs,
       "neither a kind nor a node"},
      {"[machine]\nnodes = 4\n[policy]\nname = 'gang'\n" + jobs, "nothing says what the processes of job 1 do"},
      {"[machine]\nnodes = 4\n[policy]\nname = 'lomarc'\n" + jobs,
       "s.toml:3: policy 'lomarc' looks for pairs by what jobs use"},
      {"[machine]\nnodes = 4\n[slowdown]\nmodel = 'drawn'\n[policy]\nname = ['easy', 'lomarc_r']\n" + jobs,
       "s.toml:3: policy 'lomarc_r' looks for pairs by what jobs use"},
  };
  for (const auto& [scenario, words] : bad) {
    const Program coslice;
    coslice.folder.write("s.toml", scenario);
    for (const char* command : {"validate s.toml", "run s.toml"}) {
      const Said said = coslice(command);
      INFO(command << " " << said.out << said.err);
      CHECK(said.status == 2);
      CHECK_THAT(said.out + said.err, Catch::Contains(words));
    }
  }
  for (const char* policy : {"lomarc'\n[slowdown]\nmodel = 'resources'", "lomarc_pss'"}) {
    const Program coslice;
    coslice.folder.write("s.toml", "[machine]\nnodes = 4\n" + jobs + "[policy]\nname = '" + policy + "\n");
    for (const char* command : {"validate s.toml", "run s.toml"}) CHECK(coslice(command).status == 0);
  }
}

}  // namespace errors_test
