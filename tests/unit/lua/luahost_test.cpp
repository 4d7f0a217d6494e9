// The Lua host: calls, errors, references, scripts and modules.
#include <lua.hpp>

#include "catch.h"
#include "host/call.h"
#include "host/guard.h"
#include "host/script.h"
#include "scratch_folder.h"

namespace luahost_test {

using namespace coslice;

namespace {

LuaRef run(LuaState& state, const std::string& text) { return run_script(state, {"test.lua", text}); }

/// The message of the InputError that loading the text throws.
std::string load_error(const std::string& text, const std::string& name = "test.lua") {
  LuaState state;
  try {
    run_script(state, {name, text});
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

int throw_input_error(lua_State*) { throw InputError({"trace.swf", 7, "bad field", "a number", "", ""}); }
LuaRef inner;  ///< what call_inner calls

/// An engine function that calls Lua again.
int call_inner(lua_State* L) {
  const std::string label = "inner";
  Call call(LuaState::of(L), inner, label);
  call.push(lua_tonumber(L, 1));
  call.invoke(1);
  lua_pushnumber(L, call.number(1));
  lua_replace(L, 1);
  lua_settop(L, 1);
  return 1;
}

int throw_logic_error(lua_State*) { throw std::logic_error("broken"); }

void set_function(LuaState& state, const LuaRef& environment, const char* name, lua_CFunction function) {
  LuaRef ref;
  state.protect([&](lua_State* L) {
    lua_pushcfunction(L, function);
    ref = LuaRef::pop(L);
  });
  set_global(state, environment, name, ref);
}

}  // namespace

TEST_CASE("a call passes arguments and reads results", "[luahost]") {
  LuaState state;
  const LuaRef f = run(state, "return function(a, b, c, d, e) return a + b, c .. 'x', d, e end");
  const std::string label = "hook 'f'";
  Call call(state, f, label);
  call.push(1.5).push(std::int64_t{2}).push("s").push(true).push_nil();
  call.invoke(4);
  CHECK(call.number(1) == 3.5);
  CHECK(call.string(2) == "sx");
  CHECK(call.boolean(3));
  CHECK(call.is_nil(4));
}

TEST_CASE("a result of a wrong type names the hook, its line and what came", "[luahost]") {
  LuaState state;
  const LuaRef f = run(state, "\nreturn function() return 'x', 1.5 end");
  const std::string label = "hook 'key' of policy 'p'";
  Call call(state, f, label);
  call.invoke(2);
  CHECK_THROWS_WITH(call.number(1), "test.lua:2: hook 'key' of policy 'p' must return a number, got string \"x\"");
  CHECK_THROWS_WITH(call.integer(2), "test.lua:2: hook 'key' of policy 'p' must return a whole number, got number 1.5");
  CHECK_THROWS_WITH(call.boolean(2), "test.lua:2: hook 'key' of policy 'p' must return true or false, got number 1.5");
}

TEST_CASE("an error of a script has file, line and a traceback", "[luahost]") {
  LuaState state;
  const LuaRef f = run(state, "local function score(job)\n  return job.size\nend\n"
                              "return function(job)\n  local s = score(job)\n  return s\nend");
  const std::string label = "hook 'key' of policy 'p'";
  Call call(state, f, label);
  try {
    call.invoke(1);
    FAIL("no error");
  } catch (const ScriptError& e) {
    CHECK(e.diagnostic().file == "test.lua");
    CHECK(e.diagnostic().line == 2);
    CHECK(std::string(e.what()) == "test.lua:2: attempt to index a nil value (local 'job')\n"
                                   "stack traceback:\n"
                                   "  test.lua:2: in upvalue 'score'\n"
                                   "  test.lua:5: in function <test.lua:4>\n"
                                   "  in hook 'key' of policy 'p'");
  }
}

TEST_CASE("error objects that are no strings become text", "[luahost]") {
  CHECK(first_line(load_error("error({})")) == "test.lua: (error object is a table value)");
  CHECK(first_line(load_error("error(setmetatable({}, {__tostring = function() return 'mine' end}))")) ==
        "test.lua: mine");
  CHECK(first_line(load_error("error()")) == "test.lua: nil");
  CHECK(first_line(load_error("error(12)")) == "test.lua: 12");
  CHECK(first_line(load_error("error(setmetatable({}, {__tostring = function() error('x') end}))")) ==
        "test.lua: (error object is a table value)");
}

TEST_CASE("syntax errors are bad input with a line", "[luahost]") {
  CHECK(load_error("return {\n  a = ,\n}") == "test.lua:2: unexpected symbol near ','");
  CHECK(load_error("\x1bLua") == "test.lua: attempt to load a binary chunk (mode is 't')");
  CHECK_THROWS_WITH(read_script("/nowhere.lua"),
                    "/nowhere.lua: cannot be read: No such file or directory; expected a Lua script");
}

TEST_CASE("long file names are shown in full", "[luahost]") {
  const std::string name = "a/very/long/path/that/lua/would/shorten/because/it/has/over/sixty/letters/policy.lua";
  CHECK(load_error("\nerror('x')", name) == name + ":2: x\nstack traceback:\n  " + name + ":2: in main chunk");
  CHECK(load_error("\n\n=", name) == name + ":3: unexpected symbol near '='");
}

TEST_CASE("exceptions of the engine come out of Lua as they went in", "[luahost]") {
  LuaState state;
  const LuaRef environment = new_environment(state);
  set_function(state, environment, "fail", luahost::guarded<throw_input_error>);
  set_function(state, environment, "crash", luahost::guarded<throw_logic_error>);
  const std::string label = "f";
  for (const char* text :
       {"fail()", "coroutine.wrap(fail)()", "local x <close> = setmetatable({}, {__close = fail})",
        "table.sort({1, 2}, fail)", "error(select(2, pcall(fail)), 0)", "(('x'):gsub('x', fail))()"}) {
    INFO(text);
    try {
      run_script(state, {"t.lua", text}, environment);
      FAIL("no error");
    } catch (const InputError& e) {
      CHECK(e.diagnostic().file == "trace.swf");
      CHECK(e.diagnostic().line == 7);
    }
  }
  CHECK_THROWS_AS(run_script(state, {"t.lua", "crash()"}, environment), std::logic_error);
  CHECK_NOTHROW(run_script(state,
                           {"t.lua", "local ok, e = pcall(fail)\n"
                                     "assert(not ok and tostring(e) == 'trace.swf:7: bad field; expected a number')\n"
                                     "assert('x: ' .. e == 'x: trace.swf:7: bad field; expected a number')"},
                           environment));
}

TEST_CASE("calls nest: engine, Lua, engine, Lua", "[luahost]") {
  LuaState state;
  const LuaRef environment = new_environment(state);
  inner = run(state, "return function(x) if x < 0 then error('negative') end return x + 1 end");
  set_function(state, environment, "down", luahost::guarded<call_inner>);
  const LuaRef f =
      run_script(state, {"t.lua", "return function(x) return coroutine.wrap(down)(x) + down(x) end"}, environment);
  const std::string label = "outer";
  {
    Call call(state, f, label);
    call.push(1.0);
    call.invoke(1);
    CHECK(call.number(1) == 4.0);
  }
  Call call(state, f, label);
  call.push(-1.0);
  CHECK_THROWS_WITH(call.invoke(1), Catch::Contains("test.lua:1: negative") && Catch::Contains("in inner"));
  inner.reset();
}

TEST_CASE("require finds modules in its roots only, once each", "[luahost]") {
  const ScratchFolder folder;
  folder.write("in/one.lua", "count = (count or 0) + 1\nreturn {n = count}");
  folder.write("in/sub/two.lua", "return require('one')");
  folder.write("in/loop.lua", "return require('loop')");
  folder.write("in/bad.lua", "error('bad')");
  std::filesystem::create_symlink(folder.write("out.lua", "return 1"), folder / "in/link.lua");
  LuaState state;
  set_module_roots(state, {{folder / "in", "", "the folder"}, {"", "lib/", "the built-in ones"}});
  run(state, "local one = require('one'); assert(one.n == 1 and require('sub.two') == one and count == nil)");
  CHECK_THROWS_WITH(run(state, "require('prelude')"), Catch::Contains("lib/prelude.lua"));  // found, but it ran already
  for (const char* name : {"../out", "..out", "/etc/passwd", "in/../../out", "a..b", ".one", "one.", "", "one\\0.x"}) {
    INFO(name);
    CHECK_THROWS_WITH(run(state, "require('" + std::string(name) + "')"), Catch::Contains("bad module name"));
  }
  for (const char* name : {"out", "link", "missing"}) {
    CHECK_THROWS_WITH(
        run(state, "require('" + std::string(name) + "')"),
        Catch::Contains("module '" + std::string(name) + "' not found; searched the folder, the built-in ones"));
  }
  CHECK_THROWS_WITH(run(state, "require('loop')"), Catch::Contains("module 'loop' requires itself"));
  for (int i = 0; i < 2; ++i) CHECK_THROWS_WITH(run(state, "require('bad')"), Catch::Contains("bad.lua:1: bad"));
}

TEST_CASE("environments are apart and print goes to the sink", "[luahost]") {
  LuaState state;
  std::string printed;
  state.set_print([&](std::string_view line) { printed += std::string(line) + "|"; });
  run(state, "x = 1; print(x, {}, print, nil, 1.0, 'a\\0b', 0/0)");
  CHECK(printed == std::string("1\ttable\tfunction\tnil\t1.0\ta") + '\0' + "b\tnan|");
  run(state, "assert(x == nil and _G._G == _G)");
}

TEST_CASE("math.random draws from the stream that the embedder gave", "[luahost]") {
  LuaState state;
  CHECK_THROWS_WITH(run(state, "math.random()"), Catch::Contains("random numbers are not available here"));
  std::uint64_t n = 0;
  state.set_random([&] { return ++n * 0x9E3779B97F4A7C15u; });
  run(state, "for _ = 1, 1000 do\n local x = math.random()\n assert(x >= 0 and x < 1)\n"
             " local d = math.random(6)\n assert(d >= 1 and d <= 6 and math.type(d) == 'integer')\n"
             " local e = math.random(-3, 3)\n assert(e >= -3 and e <= 3)\nend");
  CHECK(n >= 3000);
  CHECK_THROWS_WITH(run(state, "math.random(2, 1)"), Catch::Contains("interval is empty"));
}

TEST_CASE("the stack is as before after every failure", "[luahost]") {
  LuaState state;
  lua_State* L = state.raw();
  const int top = lua_gettop(L);
  const LuaRef f = run(state, "return function(x) error(x) end");
  const std::string label = "f";
  for (int i = 0; i < 100; ++i) {
    Call call(state, f, label);
    call.push("x");
    CHECK_THROWS_AS(call.invoke(1), ScriptError);
  }
  CHECK(lua_gettop(L) == top);
}

}  // namespace luahost_test
