// Scripts that try to break out, to run for ever or to take all memory: tests/fuzz/hostile/*.lua. The first line of
// each says how it must end. Each runs twice in one state: the second time it meets what the first has left.
#include <algorithm>
#include <filesystem>

#include <lua.hpp>

#include "catch.h"
#include "host/call.h"
#include "host/script.h"
#include "host/stress.h"

namespace luahost_hostile_test {

using namespace coslice;

namespace {

/// Small enough to be fast, large enough for a script that behaves.
Limits tight_limits() {
  Limits limits;
  limits.memory = std::size_t{8} << 20;
  limits.string = std::size_t{1} << 20;
  limits.instructions = 2'000'000;
  return limits;
}

/// "done", "limit", "memory", or the error's message.
std::string outcome(LuaState& state, const Script& script, const LuaRef& environment) {
  try {
    const LuaRef f = compile(state, script, environment);
    const std::string label = "the script";
    Call call(state, f, label);
    call.invoke(0);
    return "done";
  } catch (const LimitError& e) {
    const std::string text = e.what();
    INFO(text);
    const bool memory = text.find("out of memory") != std::string::npos;
    // Newer Lua does not say where it was when there is no memory for a larger stack.
    if (!memory || LUA_VERSION_RELEASE_NUM < 50406) CHECK(e.diagnostic().line > 0);
    CHECK(text.find("in the script") != std::string::npos);
    return memory ? "memory" : "limit";
  } catch (const SimulationError& e) {
    return e.what();
  }
}

#ifdef __GLIBC__
constexpr bool kDividesQuickly = __GLIBC__ > 2 || __GLIBC_MINOR__ >= 38;
#else
constexpr bool kDividesQuickly = false;
#endif

void check_outcome(const std::string& header, const std::string& got) {
  INFO("expected " << header << ", got " << got);
  if (header.rfind("error: ", 0) == 0) {
    CHECK(got.find(header.substr(7)) != std::string::npos);
  } else if (header.rfind("memory or limit", 0) == 0) {
    CHECK((got == "memory" || got == "limit"));
  } else if (header.rfind("limit before glibc 2.38", 0) == 0) {
    CHECK(got == (kDividesQuickly ? "done" : "limit"));
  } else {
    CHECK(got == header.substr(0, header.find_first_of(":,")));
  }
}

std::vector<std::filesystem::path> hostile_scripts() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(COSLICE_SOURCE "/tests/fuzz/hostile")) {
    if (entry.path().extension() == ".lua") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// What a script that behaves does with every library; returns 1.
const char* const kBusy = R"(
local keep = {}
for i = 1, 50 do keep[i] = {name = 'n' .. i, f = function() return i end} end
table.sort(keep, function(a, b) return a.name < b.name end)
local co = coroutine.wrap(function() for k, v in pairs(keep[1]) do coroutine.yield(k) end return 'end' end)
while co() ~= 'end' do end
local ok, e = pcall(function()
  local x <close> = setmetatable({}, {__close = function() keep[51] = string.rep('x', 300) end})
  error({string.format('%s %5.2f', {}, 1.5)})
end)
assert(not ok and keep[51]:gsub('x', '%0%0') and ('a,b'):match('(%a),(%a)') == 'a')
assert(load('return ...', 'n')(5) == 5 and #table.concat({1, 2, 3}, ',') == 5)
assert(xpcall(error, function(m) return m end) == false)
return 1)";

}  // namespace

namespace {

/// Runs each script of the folder, or one of `of`, so often, and then something that behaves.
void check_hostile_scripts(int rounds, std::size_t of = 1) {
  const auto scripts = hostile_scripts();
  REQUIRE(scripts.size() > 60);
  for (std::size_t i = 0; i < scripts.size(); i += of) {
    const auto& path = scripts[i];
    INFO(path.filename().string());
    const Script script = read_script(path.string());
    const std::string header = script.text.substr(3, script.text.find('\n') - 3);
    LuaState state(tight_limits());
    const LuaRef environment = new_environment(state);
    for (int round = 0; round < rounds; ++round) {
      check_outcome(header, outcome(state, script, environment));
      CHECK(state.memory_in_use() <= state.limits().memory);
    }
    const LuaRef other = new_environment(state);
    CHECK(outcome(state, {"busy.lua", kBusy}, other) == "done");
  }
}

struct Stressed {
  Stressed() { stress_new_states(true); }
  ~Stressed() { stress_new_states(false); }
};

}  // namespace

TEST_CASE("hostile scripts end as they must and leave a working state", "[luahost][hostile]") {
  check_hostile_scripts(2);
}

TEST_CASE("hostile scripts find nothing where memory is freed at once and filled", "[luahost][hostile]") {
  const Stressed stressed;
  check_hostile_scripts(1, 3);
}

TEST_CASE("all hostile scripts where memory is freed at once", "[.][at_length][luahost][hostile]") {
  const Stressed stressed;
  check_hostile_scripts(1);
}

TEST_CASE("under any memory limit a script works or fails cleanly", "[luahost][hostile]") {
  Limits limits;
  limits.memory = 1000;
  int failures = 0;
  bool done = false;
  for (; !done; limits.memory += limits.memory < 60000 ? 61 : 193) {
    INFO(limits.memory);
    REQUIRE(limits.memory < 2'000'000);
    try {
      LuaState state(limits);
      const LuaRef environment = new_environment(state);
      const std::string got = outcome(state, {"busy.lua", kBusy}, environment);
      if (got != "done") REQUIRE(got == "memory");
      done = got == "done";
      // What has been hit once must not have broken anything: a small script still runs.
      if (!done && outcome(state, {"small.lua", "return 1"}, environment) != "done") ++failures;
    } catch (const LimitError&) {
      ++failures;  // not even the libraries or the globals had room
    } catch (const InputError& e) {
      REQUIRE(std::string(e.what()).find("out of memory") != std::string::npos);
    }
  }
  CHECK(failures > 100);
}

TEST_CASE("nothing is left when a state is closed", "[luahost][hostile]") {
  // The accounting is exact: the sanitizer builds see leaks, this sees wrong sums.
  LuaState state(tight_limits());
  const std::size_t before = state.memory_in_use();
  for (int i = 0; i < 20; ++i) {
    const LuaRef environment = new_environment(state);
    CHECK(outcome(state, {"busy.lua", kBusy}, environment) == "done");
    CHECK(outcome(state, {"memory.lua", "local t = {} while true do t[#t + 1] = {} end"}, environment) == "memory");
  }
  state.collect_garbage();
  CHECK(state.memory_in_use() < before + 20000);
}

TEST_CASE("the same work is counted each time", "[luahost][hostile]") {
  std::vector<std::int64_t> spent;
  for (int i = 0; i < 3; ++i) {
    LuaState state;
    const LuaRef environment = new_environment(state);
    CHECK(outcome(state, {"busy.lua", kBusy}, environment) == "done");
    spent.push_back(state.instructions_spent());
  }
  CHECK(spent[0] == spent[1]);
  CHECK(spent[0] == spent[2]);
  CHECK(spent[0] > 0);
}

TEST_CASE("a trusted state has no instruction limit", "[luahost][hostile]") {
  Limits limits = tight_limits();
  limits.instructions = 0;
  LuaState state(limits);
  const LuaRef environment = new_environment(state);
  CHECK(outcome(state, {"t.lua", "for i = 1, 5e6 do end"}, environment) == "done");
  CHECK(outcome(state, {"t.lua", "local s = 'x' while true do s = s .. s end"}, environment) == "memory");
  state.set_instruction_limit(1000000);
  CHECK(outcome(state, {"t.lua", "for i = 1, 5e6 do end"}, environment) == "limit");
  state.set_instruction_limit(0);
  CHECK(outcome(state, {"t.lua", "for i = 1, 5e6 do end"}, environment) == "done");
}

}  // namespace luahost_hostile_test
