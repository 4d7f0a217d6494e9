// The other commands: what they print, and that they agree with one another.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "catch.h"
#include "run_program.h"

namespace commands_test {

using namespace coslice_test;
using nlohmann::json;

namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Lines that begin with a digit: the jobs of a trace.
int count_jobs(const std::string& swf) {
  int jobs = 0;
  bool begins = true;
  for (const char c : swf) {
    jobs += begins && c >= '0' && c <= '9';
    begins = c == '\n';
  }
  return jobs;
}

const std::vector<std::string> kCommands = {"run", "validate", "generate",   "info",   "policies",
                                            "new", "test",     "completion", "manual", "help"};

}  // namespace

TEST_CASE("help begins with examples", "[cli]") {
  const Program coslice;
  const Said all = coslice("--help");
  CHECK(all.status == 0);
  CHECK(coslice("").out == all.out);
  CHECK(coslice("help").out == all.out);
  CHECK(holds(all.out, "\nExamples:\n  coslice run "));
  for (const std::string& name : kCommands) {
    INFO(name);
    CHECK(holds(all.out, "\n  " + name + " "));
    const Said one = coslice(name + " --help");
    CHECK(one.out.find("Examples:\n") == 0);
    CHECK(holds(one.out, "\nUsage:\n  coslice " + name));
    CHECK(coslice("help " + name).out == one.out);
    CHECK(coslice(name + " nonsense too much -h").out == one.out);
  }
}

TEST_CASE("help fits the terminal and has no loose ends", "[cli]") {
  const Program coslice;
  for (const std::string& name : kCommands) {
    const std::string text = coslice(name + " --help").out;
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t to = text.find('\n', from);
      const std::string line = text.substr(from, to - from);
      INFO(name << ": " << line);
      CHECK(line.size() <= 80);
      CHECK((line.empty() || line.back() != ' '));
      from = to + 1;
    }
  }
}

TEST_CASE("the version names the libraries", "[cli]") {
  const Program coslice;
  const Said said = coslice("--version");
  CHECK(said.status == 0);
  CHECK(holds(said.out, "\nLua            5.4."));
  CHECK(holds(said.out, ", compiled as C"));
  for (const char* part :
       {"coslice ", "Lua ", "Boost ", "fmt ", "toml++ ", "CLI11 ", "nlohmann-json ", "zlib ", "OpenSSL "}) {
    INFO(said.out);
    CHECK(holds(said.out, part));
  }
}

TEST_CASE("the program, the citation, the changelog and the embedding example have the same version", "[cli]") {
  const Program coslice;
  const std::string said = coslice("--version").out;
  const std::string version = said.substr(8, said.find(' ', 8) - 8);
  INFO(said);
  const std::string source = COSLICE_SOURCE;
  const std::string citation = read_file(source + "/CITATION.cff");
  CHECK(holds(citation, "\nversion: " + version + "\n"));
  const std::string changes = read_file(source + "/CHANGELOG.md");
  const std::size_t released = changes.find("\n## ", changes.find("\n## Unreleased\n") + 1);
  REQUIRE(released < changes.size());
  const std::string date = citation.substr(citation.find("\ndate-released: ") + 16, 10);
  CHECK(changes.substr(released, changes.find('\n', released + 1) - released) == "\n## " + version + " (" + date + ")");
  const std::string asked = version.substr(0, version.rfind('.'));
  CHECK(holds(read_file(source + "/examples/embed/CMakeLists.txt"), "find_package(coslice " + asked + " CONFIG"));
}

TEST_CASE("validate says one line a file", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  coslice.folder.write("s.toml", "[workload]\ntrace = \"t.swf\"\n");
  coslice.folder.write(
      "w.lua", "return { api = 1, name = \"w\", jobs = function() coroutine.yield { nodes = 1, runtime = 5 } end }\n");
  REQUIRE(coslice("new policy mine").status == 0);
  const Said good = coslice("validate t.swf s.toml mine.lua mine_test.lua w.lua");
  CHECK(good.out == "t.swf: ok (trace: 4 jobs)\n"
                    "s.toml: ok (scenario: 4 jobs on 4 nodes under easy)\n"
                    "mine.lua: ok (policy: mine version 1, 1 parameter)\n"
                    "mine_test.lua: ok (test suite: compiles; `coslice test` runs it)\n"
                    "w.lua: ok (workload script: 0 parameters)\n");
  CHECK(good.status == 0);
  coslice.folder.write("bad.toml", "[workload]\ntrace = \"tt.swf\"\n");
  coslice.folder.write("bad.lua", "return { api = 1 }\n");
  coslice.folder.write("bad_test.lua", "describe(\n");
  const Said bad = coslice("validate bad.toml t.swf bad.lua bad_test.lua none.swf");
  CHECK(bad.status == 2);
  CHECK(bad.err == "");
  CHECK(holds(bad.out, "tt.swf"));
  CHECK(holds(bad.out, "\nt.swf: ok (trace: 4 jobs)\nbad.lua:1: "));
  CHECK(holds(bad.out, "\nbad_test.lua:"));
  CHECK(holds(bad.out, "\nnone.swf: there is no such file\n"));
}

TEST_CASE("generate writes traces", "[cli]") {
  const Program coslice;
  const Said said = coslice("generate lublin --jobs 50 --nodes 64 --seed 3 -o w.swf.gz");
  CHECK(said.status == 0);
  CHECK(said.out == "");
  CHECK(holds(said.err, "wrote w.swf.gz: 50 jobs over "));
  CHECK(coslice("generate lublin --jobs 50 --nodes 64 --seed 3").out == coslice.shell("gzip -dc w.swf.gz").out);
  CHECK(coslice("generate lublin --jobs 50 --nodes 64 --seed 4").out !=
        coslice("generate lublin --jobs 50 --nodes 64").out);
  CHECK(count_jobs(coslice("generate lublin --jobs 50 --nodes 64 --types").out) == 50);
  CHECK(json::parse(coslice("info w.swf.gz --json").out)["nodes"] == 64);
  CHECK(coslice("generate lublin --jobs 50 --load 0.5 --alpha 9").err ==
        error("--load and --alpha are both given; expected one of them: each sets the gaps between arrivals"));
  CHECK(coslice("generate lubin").err ==
        error("there is no generator 'lubin'; expected lublin, or a workload script (.lua); did you mean 'lublin'?"));
  CHECK(coslice("generate lublin --jobs 0").err ==
        error("--jobs 0: workload.lublin.jobs is 0; expected a whole number from 1 to 100000000"));
  CHECK(
      coslice("generate lublin -o w.txt").err ==
      error(
          "--out: 'w.txt' does not end in .swf or .swf.gz; expected a name that says what is in it; try 'w.txt.swf'"));
  CHECK(coslice("generate lublin -o none/w.swf").err ==
        error("none/w.swf: cannot be created: No such file or directory"));
}

TEST_CASE("generate asks a script that has a parameter 'jobs' for that many", "[cli]") {
  const Program coslice;
  coslice.folder.write(
      "w.lua",
      "return { api = 1, name = 'w', params = { jobs = { default = 5, max = 50, integer = true, doc = 'n' } },\n"
      "  jobs = function(p) for i = 1, p.jobs do coroutine.yield { nodes = 1, runtime = i } end end }\n");
  CHECK(count_jobs(coslice("generate w.lua --nodes 4").out) == 5);
  CHECK(count_jobs(coslice("generate w.lua --nodes 4 --jobs 9").out) == 9);
  CHECK(count_jobs(coslice("generate w.lua --nodes 4 --jobs 3 --set jobs=7").out) == 3);
  CHECK(coslice("generate w.lua --nodes 4 --jobs 51").status == 2);
}

TEST_CASE("generate runs workload scripts", "[cli]") {
  const Program coslice;
  coslice.folder.write(
      "w.lua", "return { api = 1, name = \"w\", params = { n = { default = 5, integer = true, doc = \"Jobs.\" } },\n"
               "  jobs = function(params, machine)\n    for i = 1, params.n do\n"
               "      coroutine.yield { submit = 10 * i, nodes = machine.nodes, runtime = 10 }\n    end\n  end }\n");
  CHECK(count_jobs(coslice("generate w.lua --nodes 4").out) == 5);
  CHECK(count_jobs(coslice("generate w.lua --nodes 4 --set n=9").out) == 9);
  CHECK(count_jobs(coslice("generate w.lua --nodes 4 --jobs 3").out) == 3);
  CHECK(coslice("generate w.lua --nodes 4 --jobs 3").out.find("; MaxProcs: 4\n") != std::string::npos);
  REQUIRE(coslice("generate w.lua --nodes 4 --set n=101 --load 0.5 -o w.swf").status == 0);
  CHECK(json::parse(coslice("info w.swf --json --nodes 4").out)["offered_load"].get<double>() ==
        Approx(0.5).epsilon(0.02));
  CHECK(coslice("generate w.lua --nodes 4 --types").err ==
        error("--types: is for lublin only; give the script its own parameters by --set NAME=VALUE"));
  CHECK(coslice("generate w.lua --nodes 4 --set m=1").status == 2);
  CHECK(coslice("generate none.lua --nodes 4").err == error("none.lua: there is no such file"));
}

TEST_CASE("a workload script may give users and accounts by name", "[cli]") {
  const Program coslice;
  const auto write = [&](const std::string& jobs) {
    coslice.folder.write("w.lua",
                         "return { api = 1, name = \"w\", jobs = function()\n  local yield = coroutine.yield\n" + jobs +
                             "end }\n");
  };
  coslice.folder.write("w.toml", "[workload]\nscript = \"w.lua\"\n[machine]\nnodes = 4\n[policy]\nname = \"fcfs\"\n");
  write("  local job = { nodes = 1, runtime = 10, user = \"anna\", account = \"ocean\" }\n  yield(job)\n"
        "  yield { nodes = 1, runtime = 10, user = \"ben\", group = \"ice\", queue = 4 }\n  yield(job)\n"
        "  yield { nodes = 1, runtime = 10, user = \"user7\", group = \"ocean\" }\n");
  const Said said = coslice("run w.toml --out out");
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK(coslice
            .shell("awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } "
                   "{ print $at[\"user\"], $at[\"group\"], $at[\"queue\"] }' out/jobs.csv")
            .out == "1 1 \n2 2 4\n1 1 \n7 1 \n");
  CHECK(said.out.find("ocean") != std::string::npos);
  write("  yield { nodes = 1, runtime = 10, user = \"anna\" }\n  yield { nodes = 1, runtime = 10, user = 1 }\n");
  CHECK(coslice("run w.toml").err.find("w.lua: job 2 gives its user by number, and job 1 gives it by name") !=
        std::string::npos);
  write("  yield { nodes = 1, runtime = 10, group = \"a\", account = \"b\" }\n");
  CHECK(coslice("run w.toml").err.find("w.lua: job 1 has both group and account") != std::string::npos);
}

TEST_CASE("info describes a trace", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  const Said said = coslice("info t.swf");
  CHECK(said.status == 0);
  for (const char* part :
       {"jobs          4 of 4 records", "machine       4 processors, from MaxProcs in its header", "offered load",
        "Sizes", "Run times", "Arrivals by hour", "Estimates", "Dropped and altered\nnothing\n"}) {
    INFO(part);
    CHECK(holds(said.out, part));
  }
  const json small = json::parse(coslice("info t.swf --json --nodes 2").out);
  CHECK(small["jobs"] == 2);
  CHECK(small["records"] == 4);
  REQUIRE(small["notes"].size() == 1);
  CHECK(small["notes"][0]["count"] == 2);
  CHECK(small["notes"][0]["dropped"] == true);
}

TEST_CASE("policies are listed and shown", "[cli]") {
  const Program coslice;
  const Said list = coslice("policies");
  CHECK(list.status == 0);
  for (const char* name : {"\n  easy ", "  conservative ", "\n  fcfs ", "\n  sjf ", "\n  wfp3 ", "\n  unicef "})
    CHECK(holds(list.out, name));
  CHECK(holds(list.out, "\n  wfp3                WFP3 (Tang et al. "));
  const Said easy = coslice("policies easy");
  for (const char* part : {"Lifka", "depth", "reservations", "a whole number", "backfill = easy", "built in"})
    CHECK(holds(easy.out, part));
  CHECK(coslice("policies eazy").status == 2);
  CHECK(holds(coslice("policies eazy").err, "did you mean 'easy'?"));
  coslice.folder.write("policies/broken.lua", "return 5\n");
  const json all = json::parse(coslice("policies --json").out);
  for (const json& policy : all) {
    INFO(policy["name"]);
    CHECK(policy.contains("error") == (policy["name"] == "broken"));
  }
  CHECK(holds(coslice("complete policies").out, "\nbroken\n"));
}

TEST_CASE("a new policy runs and passes its test at once", "[cli]") {
  const Program coslice;
  coslice.folder.write("t.swf", kTrace);
  CHECK(coslice("new policy my-own").status == 0);
  CHECK(json::parse(coslice("run t.swf --policy my-own --json").out)["policy"]["name"] == "my-own");
  const Said tested = coslice("test my-own_test.lua");
  INFO(tested.out);
  CHECK(tested.status == 0);
  CHECK(holds(tested.out, "4 passed, 0 failed"));
  CHECK(coslice("new policy my-own").err ==
        error("my-own.lua: already exists; choose another name, or take the file away first"));
  CHECK(coslice("new policy 'a,b'").err ==
        error("'a,b' cannot be a policy's name; expected a letter or a digit, then letters, digits, '_' and '-'"));
  CHECK(coslice("new polcy x").err ==
        error("'polcy' is not a kind of file that `coslice new` writes; expected policy; did you mean 'policy'?"));
}

TEST_CASE("an editor completes inside a new policy", "[cli]") {
  const Program coslice;
  const Said said = coslice("new policy mine");
  CHECK(said.out.find("wrote mine.lua, mine_test.lua and .luarc.json\n") == 0);
  CHECK(holds(coslice.folder.read("mine.lua"), "\n---@type coslice.Policy\nreturn {\n"));
  const json settings = json::parse(coslice.folder.read(".luarc.json"));
  const std::string definitions = settings["workspace.library"][0];
  CHECK(std::filesystem::path(definitions).is_absolute());
  CHECK(holds(read_file(definitions + "/policy.lua"), "---@class coslice.Policy\n"));
  CHECK(settings["runtime.version"] == "Lua 5.4");

  // Settings that are there stay as they are, here and in folders above.
  CHECK(coslice("new policy two").out.find("wrote two.lua and two_test.lua\n") == 0);
  coslice.folder.write(".luarc.json", "{}");
  std::filesystem::create_directory(coslice.folder / "sub");
  const Said below = coslice("new policy sub/three");
  CHECK(holds(below.out, "add \"" + definitions + "\" to \"workspace.library\" in "));
  CHECK(coslice.folder.read(".luarc.json") == "{}");
  CHECK(!std::filesystem::exists(coslice.folder / "sub/.luarc.json"));
}

TEST_CASE("the definitions know every field of a policy", "[cli]") {
  const Program coslice;
  coslice.folder.write("x.lua", "return { api = 1, name = 'x', version = '1', zzzz = 1 }");
  const std::string known = coslice("validate x.lua").out;
  const std::string start = "expected one of ";
  REQUIRE(holds(known, start));
  std::istringstream list(known.substr(known.find(start) + start.size()));
  std::set<std::string> fields;
  for (std::string name; std::getline(list >> std::ws, name, ',');) fields.insert(name.substr(0, name.find('\n')));

  std::set<std::string> defined;
  std::istringstream definitions(read_file(COSLICE_SOURCE "/lua/meta/policy.lua"));
  bool inside = false;
  const std::string field = "---@field ";
  for (std::string line; std::getline(definitions, line);) {
    if (line.rfind("---", 0) != 0) inside = false;
    if (line == "---@class coslice.Policy") inside = true;
    if (!inside || line.rfind(field, 0) != 0) continue;
    defined.insert(line.substr(field.size(), line.find_first_of("? ", field.size()) - field.size()));
  }
  CHECK(fields.size() == 36);
  CHECK(defined == fields);
}

TEST_CASE("a new policy and its test come both or not at all", "[cli]") {
  const Program coslice;
  const std::string name(250, 'x');  // with .lua as long as a name can be, with _test.lua too long
  const Said said = coslice("new policy " + name);
  CHECK(said.status == 2);
  CHECK(said.err.find(error(name + "_test.lua: cannot be written: ", "")) == 0);
  CHECK(coslice.shell("ls -A").out == "");
}

TEST_CASE("test fails with status 1, and 2 for what cannot be loaded", "[cli]") {
  const Program coslice;
  coslice.folder.write("wrong_test.lua", "it(\"is wrong\", function() expect(1).equals(2) end)\n");
  coslice.folder.write("right_test.lua", "it(\"is right\", function() expect(1).equals(1) end)\n");
  CHECK(coslice("test right_test.lua").status == 0);
  CHECK(coslice("test").status == 1);
  CHECK(coslice("test --filter right").status == 0);
  CHECK(coslice("test --filter nothing-like-it").status == 2);
  coslice.folder.write("broken_test.lua", "it(\n");
  CHECK(coslice("test").status == 2);
  CHECK(coslice("test --junit report.xml right_test.lua").status == 0);
  CHECK(holds(coslice.folder.read("report.xml"), "<testsuite"));
}

TEST_CASE("completion scripts are good scripts", "[cli]") {
  const Program coslice;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    INFO(shell);
    const Said said = coslice("completion " + shell);
    CHECK(said.status == 0);
    CHECK(holds(said.out, "conservative") == false);  // names of policies are asked for when they are needed
    coslice.folder.write("script", said.out);
    if (coslice.shell("command -v " + shell).status == 0) CHECK(coslice.shell(shell + " -n script").err == "");
  }
  CHECK(coslice("completion tcsh").err == error("there is no completion for 'tcsh'; expected bash, zsh or fish"));
}

TEST_CASE("bash completes commands, flags, policies and keys", "[cli]") {
  const Program coslice;
  coslice.folder.write("c.bash", coslice("completion bash").out);
  coslice.folder.write("ask.bash",
                       "source ./c.bash\ncompopt() { :; }\nCOMP_WORDS=(\"$@\")\nCOMP_CWORD=$(($# - 1))\n_coslice\n"
                       "echo \"${COMPREPLY[@]}\"\n");
  const auto ask = [&](const std::string& words) { return coslice.shell("bash ask.bash " + words).out; };
  CHECK(ask("coslice ru") == "run\n");
  CHECK(ask("coslice run --pol") == "--policy\n");
  CHECK(ask("coslice run --policy eas") == "easy easy_elastic easy_nodes easy_sjbf\n");
  CHECK(ask("coslice run --policy easy,fcf") == "easy,fcfs\n");
  CHECK(ask("coslice run --set machine.no") == "machine.nodes=\n");
  CHECK(ask("coslice help val") == "validate\n");
  CHECK(ask("coslice run --set engine.at_limit = ''") == "kill extend\n");  // as bash takes it apart
  CHECK(ask("coslice run --set engine.at_limit =") == "kill extend\n");
  CHECK(ask("coslice run -s engine.at_limit = e") == "extend\n");
  CHECK(ask("coslice run -s engine.at_limit=e") == "engine.at_limit=extend\n");
  CHECK(ask("coslice run --set engine.trusted = t") == "true\n");
  CHECK(ask("coslice run --set machine.nodes = ''") == "\n");
  CHECK(ask("coslice run --set policy.name = fcf") == "fcfs\n");
  CHECK(ask("coslice run --set policy.params.") ==
        "policy.params.depth= policy.params.queues= policy.params.reservations=\n");
  CHECK(ask("coslice run --policy wfp3,relaxed --set policy.params.b") == "policy.params.backfill=\n");
  CHECK(ask("coslice run --policy = wfp3 --set policy.params.backfill = ''") == "none easy conservative\n");
  CHECK(ask("coslice run --policy = eas") == "easy easy_elastic easy_nodes easy_sjbf\n");
  CHECK(ask("coslice generate lu") == "lublin\n");
}

TEST_CASE("the manual knows every command", "[cli]") {
  const Program coslice;
  const std::string roff = coslice("manual").out, page = coslice("manual --markdown").out;
  for (const std::string& name : kCommands) {
    CHECK(holds(roff, "\n.SS coslice " + name));
    CHECK(holds(page, "\n## " + name + "\n"));
  }
  CHECK(page == read_file(std::string(COSLICE_SOURCE) + "/docs/commands.md"));  // ./dev docs writes it anew
}

}  // namespace commands_test
