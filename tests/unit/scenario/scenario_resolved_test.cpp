// The resolved scenario: it loads again, means the same, and notices inputs that have changed. And the reference page,
// which comes from the same list of keys.
#include "catch.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include "output/output.h"
#include "scenario/key_tables.h"
#include "scenario/load.h"
#include "scenario/resolved.h"
#include "scenario/toml.h"
#include "scratch_folder.h"

namespace scenario_resolved_test {

using namespace coslice;

namespace {

std::string message_of(const std::string& path, const std::vector<std::string>& overrides = {}) {
  try {
    load_scenario(path, overrides);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

const char* const kFull = R"(
name = "all \"of\" it\n\u0001"
description = '''
several lines, ä
'''
seed = 9223372036854775807
[machine]
nodes = 64
processors = 2
cores = 8
memory = "4 GB"
[workload]
trace = "traces/a.swf"
name = "w"
first = 7
window = [0.1, 999999999.999999999]
load_factor = 1.1
size_factor = 0.30000000000000004
time_factor = 1e-5
estimates = "scaled"
estimate_factor = 2.5
[policy]
name = ["easy", "mine", "policies/deep.lua"]
params = { "odd key" = [1, 1.0, "x", true], weights = { a = 0.5, b = { c = inf } }, neg = -0.0 }
[engine]
event_order = "submissions-first"
at_limit = "extend"
dependencies = true
processes_per_node = 4
instructions = 5000
memory = 1025
trusted = true
[metrics]
classes = [ { name = "short", up_to = 0.000000001 }, { name = "rest" } ]
bound = 60.25
trim = 0.1
[output]
dir = "runs/one"
files = []
)";

/// A folder with that scenario and all that it names.
struct Fixture {
  ScratchFolder folder;
  std::string file = folder.write("s.toml", kFull);
  Fixture() {
    folder.write("traces/a.swf", "; nothing\n");
    folder.write("mine.lua", "return {}\n");
    folder.write("policies/deep.lua", "return {}\n");
  }
};

}  // namespace

TEST_CASE("a resolved scenario loads again as the same", "[scenario]") {
  const Fixture f;
  const Scenario s = load_scenario(f.file);
  const std::string text = resolved_toml(s, f.folder / "out/deep");
  const std::string copy = f.folder.write("out/deep/scenario.toml", text);
  INFO(text);
  const Scenario again = load_scenario(copy);
  CHECK(toml_text(scenario_values(again)) == toml_text(scenario_values(s)));
  CHECK(scenario_values(again) == scenario_values(s));
  CHECK(resolved_toml(again, f.folder / "out/deep") == text);
  CHECK(text.find("\"../../traces/a.swf\" = \"" + sha256_of_text("; nothing\n") + "\"") != std::string::npos);
  CHECK(text.find("name = [\"easy\", \"../../mine.lua\", \"../../policies/deep.lua\"]") != std::string::npos);
  CHECK(text.find("dir = \"../../runs/one\"") != std::string::npos);
  CHECK(again.inputs.size() == 3);
}

TEST_CASE("a resolved scenario takes back what another folder's run wrote", "[scenario]") {
  const Fixture f;
  const std::string a = resolved_toml(load_scenario(f.file, {"output.dir=" + (f.folder / "A")}), f.folder / "A");
  const std::string copy = f.folder.write("A/scenario.toml", a);
  CHECK(a.find("\ndir = \".\"\n") != std::string::npos);
  CHECK(load_scenario(copy).output.dir == f.folder / "A");
  CHECK(resolved_toml(load_scenario(copy, {"output.dir=" + (f.folder / "B")}), f.folder / "B") == a);
}

TEST_CASE("every source of jobs survives the way back", "[scenario]") {
  const ScratchFolder folder;
  for (const char* workload :
       {"generator = 'lublin'", "generator = 'lublin'\nlublin = { alpha = 9.5, arar = true, jobs = 3 }",
        "generator = 'lublin'\nlublin = { load = 0.7, types = true, original = true }", "script = 'w.lua'",
        "script = 'w.lua'\nparams = { n = 3, list = [ { a = 1 }, { a = 2 } ] }", "jobs = []",
        "jobs = []\nestimates = 'model'\nlongest_estimate = 3600", "jobs = []\nestimates = 'exact'",
        "jobs = [ { nodes = 1, runtime = 0.25 }, { processes = 3, runtime = 1, submit = 2, limit = 3, group = 1, "
        "queue = 2, partition = 3, executable = 4, memory = 0, after = 1, think_time = 0, id = 77, user = 0 } ]"}) {
    const std::string file = folder.write("s.toml", "[workload]\n" + std::string(workload));
    const Scenario s = load_scenario(file);
    const std::string text = resolved_toml(s, folder / "");
    INFO(text);
    const Scenario again = load_scenario(folder.write("r.toml", text));
    CHECK(scenario_values(again) == scenario_values(s));
    CHECK(resolved_toml(again, folder / "") == text);
  }
}

TEST_CASE("all defaults are written", "[scenario]") {
  Value tree = parse_scenario_tree("workload.jobs = []", "x.toml");
  CHECK(resolved_toml(check_scenario(tree), "") ==
        R"(# All that this run was made from. `coslice run` takes it back and gives the same results.
name = "x"
seed = 1

[machine]
nodes = 0
processors = 1
cores = 1
memory = 0
random_order = false

[workload]
jobs = []
first = 0
load_factor = 1.0
size_factor = 1.0
time_factor = 1.0
time_added = 0
estimates = "trace"
exclusive = true
skip_bad = false
spread_tasks = false
whole_processors = false
sizes = "given"

[slowdown]
model = "none"

[policy]
name = ["easy"]

[engine]
event_order = "ends-first"
at_limit = "kill"
over_limit = 0
kill_wait = 0
unstarted = "wait"
dependencies = false
unfulfilled = "wait"
molding = "ends-first"
processes_per_node = 0
instructions = 100000000
memory = 262144
trusted = false

[metrics]
classes = [
  { name = "short", up_to = 600 },
  { name = "medium", up_to = 10800 },
  { name = "long" },
]
bound = 10
relative_response_bound = 60
demand_curves = false
high_load = 12
trim = 0.02

[output]
files = ["jobs.csv", "schedule.swf", "timeline.csv"]
)");
}

TEST_CASE("paths from the current folder", "[scenario]") {
  const auto resolved = [](const std::string& trace, const std::string& folder) {
    Value tree = Value::table();
    apply_override(tree, "workload.trace=" + trace);
    const std::string text = resolved_toml(check_scenario(tree), folder);
    const std::size_t at = text.find("trace = \"") + 9;
    return text.substr(at, text.find('"', at) - at);
  };
  CHECK(resolved("x.swf", "") == "x.swf");
  CHECK(resolved("x.swf", ".") == "x.swf");
  CHECK(resolved("x.swf", "out") == "../x.swf");
  CHECK(resolved("out/x.swf", "out") == "x.swf");
  CHECK(resolved("../x.swf", "out/deep") == "../../../x.swf");
  CHECK(resolved("policy:x", "") == "./policy:x");
  const std::string too_long(300, 'x');
  CHECK(resolved(too_long + "/y", "out") == "../" + too_long + "/y");
}

TEST_CASE("a nameless run stays nameless", "[scenario]") {
  const ScratchFolder folder;
  Value tree = Value::table();
  apply_override(tree, "workload.trace=" + folder.write("t.swf", "; x\n"));
  const Scenario s = check_scenario(tree);
  CHECK(s.name.empty());
  const Scenario again = load_scenario(folder.write("scenario.toml", resolved_toml(s, folder / "")));
  CHECK(again.name.empty());
  CHECK(scenario_values(again) == scenario_values(s));
}

TEST_CASE("changed inputs are noticed", "[scenario]") {
  const Fixture f;
  const Scenario s = load_scenario(f.file);
  const std::string sha = sha256_of_text("source");
  const std::string copy =
      f.folder.write("out/scenario.toml", resolved_toml(s, f.folder / "out", {{"policy:easy", sha}}));
  const Scenario again = load_scenario(copy);
  CHECK_NOTHROW(verify_input(again, "policy:easy", sha));
  CHECK_NOTHROW(verify_input(again, "policy:other", sha));
  CHECK_THROWS_WITH(verify_input(again, "policy:easy", std::string(64, '0')),
                    Catch::Contains("input 'policy:easy' has changed since this was written"));

  const std::string trace = f.folder.write("traces/a.swf", "; something\n");
  const std::string text = f.folder.read("out/scenario.toml");
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<long>(text.find("\"../traces/a.swf\" =")), '\n') + 1;
  CHECK(message_of(copy) == copy + ":" + std::to_string(line) + ": input '" + trace +
                                "' has changed since this was written: its SHA-256 is " + sha256_of_file(trace) +
                                "; expected " + sha256_of_text("; nothing\n") +
                                "; take its line out of [inputs] to use it as it is");
  SECTION("one that is no longer used is not looked at") {
    const std::string other = f.folder.write("traces/b.swf", "; other\n");
    CHECK(message_of(copy, {"workload.trace=" + other}) == "no error");
    const Scenario moved = load_scenario(copy, {"workload.trace=" + other});
    CHECK(resolved_toml(moved, f.folder / "out").find("a.swf") == std::string::npos);
  }
  SECTION("digests are digests") {
    const std::string bad = f.folder.write("bad.toml", "workload.jobs = []\n[inputs]\n\"a\" = \"0F\"");
    CHECK(message_of(bad) == bad + ":3: inputs.\"a\" is \"0F\"; expected 64 hexadecimal digits in lower case");
  }
}

TEST_CASE("numbers and texts are written exactly", "[scenario]") {
  std::mt19937_64 random(1);
  const auto source = std::make_shared<Source>();
  for (int i = 0; i < 20000; ++i) {
    const Duration d{static_cast<std::int64_t>(random() % 1'000'000'000'000'000'000) >> (random() % 60)};
    const Value written = codec::seconds_value(d);
    const auto read = parse_toml_value(toml_text(written), source);
    REQUIRE(read);
    // Beyond 2^23 s, 97 days, not every nanosecond has a double; what came from a double goes back to it.
    const double s = read->integer() ? static_cast<double>(*read->integer()) : *read->real();
    REQUIRE(codec::seconds_value(from_seconds(s)) == written);
    if (d < whole_seconds(1 << 23)) REQUIRE(from_seconds(s) == d);
  }
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    double d;
    static_assert(sizeof d == sizeof bits);
    std::memcpy(&d, &bits, sizeof d);
    if (d != d) continue;
    REQUIRE(*parse_toml_value(toml_text(Value(d)), source)->real() == d);
  }
  for (int c = 0; c < 0x80; ++c) {
    const std::string text(3, static_cast<char>(c));
    REQUIRE(*parse_toml_value(toml_text(Value(text)), source)->text() == text);
    REQUIRE(parse_toml(toml_key(text) + " = 1", source).members()->front().key == text);
  }
}

TEST_CASE("the reference names every key and its examples load", "[scenario]") {
  const std::string page = scenario_reference_markdown();
  for (const Key<Scenario>& k : scenario_keys()) {
    CHECK(page.find(k.codec.is_table ? "## [" + k.name + "]" : "| `" + leaf_of(k.name) + "` |") != std::string::npos);
    CHECK_FALSE(k.doc.empty());
  }
  const ScratchFolder folder;
  folder.write("base.toml", "workload.jobs = []");
  int examples = 0;
  const std::string fence = "```toml\n";
  for (std::size_t at = 0; (at = page.find(fence, at)) != std::string::npos; ++examples) {
    at += fence.size();
    const std::string example = page.substr(at, page.find("```", at) - at);
    INFO(example);
    CHECK(message_of(folder.write("example.toml", example)) == "no error");
  }
  CHECK(examples == 3);
}

}  // namespace scenario_resolved_test
