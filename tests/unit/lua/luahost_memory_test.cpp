// What Lua frees and when: no weak tables and no finalisers for scripts, those of the engine all the same.
#include <lua.hpp>
#include <memory>
#include <stdexcept>

#include "catch.h"
#include "host/call.h"
#include "host/core.h"
#include "host/guard.h"
#include "host/script.h"

namespace luahost_memory_test {

using namespace coslice;

namespace {

std::weak_ptr<int> last_thrown;

struct Held : std::runtime_error {
  Held() : std::runtime_error("held"), what_it_holds(std::make_shared<int>(1)) { last_thrown = what_it_holds; }
  std::shared_ptr<int> what_it_holds;
};

int throw_held(lua_State*) { throw Held(); }

int collect(lua_State* L) {
  lua_gc(L, LUA_GCCOLLECT);
  return 0;
}

/// Runs the text with globals `fail` and `collect`.
void run(LuaState& state, const std::string& text) {
  const LuaRef environment = new_environment(state);
  state.protect([&](lua_State* L) {
    environment.push(L);
    lua_pushcfunction(L, luahost::guarded<throw_held>);
    lua_setfield(L, -2, "fail");
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "collect");
  });
  run_script(state, {"test.lua", text}, environment);
}

}  // namespace

TEST_CASE("what the engine put into a Lua error is freed with it", "[luahost]") {
  LuaState state;
  run(state, "local ok, e = pcall(fail) assert(not ok and tostring(e) == 'held') kept = e");
  CHECK_FALSE(last_thrown.expired());
  state.collect_garbage();
  state.collect_garbage();
  CHECK(last_thrown.expired());
}

TEST_CASE("an ended coroutine's unfinished text is freed", "[luahost]") {
  LuaState state;
  const auto leave_texts = [&] {
    run(state, R"(for i = 1, 40 do
      local co = coroutine.create(function() ('x'):rep(1e4):gsub('x', function() error('stop') end) end)
      coroutine.resume(co)
      co = coroutine.create(function() table.concat({('x'):rep(5e4), ('y'):rep(5e4), {}}) end)
      coroutine.resume(co)
    end)");
    state.collect_garbage();
    state.collect_garbage();
    return state.memory_in_use();
  };
  leave_texts();
  const std::size_t before = leave_texts();
  CHECK(leave_texts() < before + 1000);
}

TEST_CASE("no collection sees a weak table or a finaliser of a script", "[luahost]") {
  LuaState state;
  run(state, R"(
    for _, mode in ipairs{'k', 'v', 'kv'} do
      local m, ran = {}, false
      local t, values = setmetatable({}, m), 0
      for i = 1, 10 do t[i] = {} end
      t.text = {}
      m.__mode, m.__gc = mode, function() ran = true end
      local dead = setmetatable({}, {})
      getmetatable(dead).__gc = m.__gc
      dead = nil
      for i = 1, 3 do collect() end
      for _, v in pairs(t) do values = values + (type(v) == 'table' and 1 or 0) end
      assert(values == 11 and not ran, mode)
      assert(m.__mode == mode and type(m.__gc) == 'function')
    end)");
}

namespace {

struct Stressed {
  Stressed() { stress_new_states(true); }
  ~Stressed() { stress_new_states(false); }
};

}  // namespace

TEST_CASE("under stress Lua collects before allocations and blocks move", "[luahost]") {
  const Stressed stressed;
  LuaState state;
  luahost::StressedHeap& heap = *state.core().stressed;
  const std::size_t before = heap.collections();
  const char* old_text = nullptr;
  state.protect([&](lua_State* L) {
    lua_pushstring(L, "a text that is not held, and too long to be kept by Lua for another use");
    old_text = lua_tostring(L, -1);
    lua_pop(L, 1);
    for (int i = 0; i < 100; ++i) lua_pushfstring(L, "text %d", i), lua_pop(L, 1);
  });
  CHECK(heap.collections() > before + 50);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
  CHECK(static_cast<unsigned char>(*old_text) == 0xDB);
#endif
}

}  // namespace luahost_memory_test
