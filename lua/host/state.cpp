#include "host/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "host/core.h"
#include "host/sandbox.h"

namespace coslice {

using namespace luahost;

namespace {

void reset_main_stack(lua_State* L) {
  lua_settop(L, 0);
  lua_pushcfunction(L, note_traceback);
}

/// An error outside of any protected call; only a lack of memory can bring us here. Lua has emptied the stack.
/// Throwing is allowed here since Lua is compiled as C++; without this, Lua would abort the program.
int on_panic(lua_State* L) {
  Core& core = core_of(L);
  reset_main_stack(core.main);
  core.current = core.main;
  core.depth = 0;
  core.exhausted = Exhausted::kMemory;
  throw_failure(core, core.main, LUA_ERRMEM, "");
}

void print_to_stderr(std::string_view line) { fmt::print(stderr, "{}\n", line); }

int run_body(lua_State* L) {
  const auto& body = *static_cast<const std::function<void(lua_State*)>*>(lua_touserdata(L, 1));
  lua_settop(L, 0);
  body(L);
  return 0;
}

}  // namespace

LuaState::LuaState(const Limits& limits) : core_(std::make_unique<Core>(*this, limits)) {
  core_->print = print_to_stderr;
  if (stresses_new_states()) core_->stressed = std::make_unique<StressedHeap>();
  core_->main = core_->current = lua_newstate(core_->stressed ? allocate_under_stress : allocate, core_.get());
  if (core_->main == nullptr) {
    core_->exhausted = Exhausted::kMemory;
    throw_failure(*core_, nullptr, LUA_ERRMEM, "");
  }
  *static_cast<Core**>(lua_getextraspace(core_->main)) = core_.get();
  lua_atpanic(core_->main, on_panic);
  reset_main_stack(core_->main);
  try {
    protect([](lua_State* L) { install_sandbox(L); });
  } catch (const std::exception&) {
    lua_close(core_->main);
    throw;
  }
  install_hook(core_->main);
}

LuaState::~LuaState() { lua_close(core_->main); }

LuaState& LuaState::of(lua_State* L) { return *core_of(L).owner; }

lua_State* LuaState::raw() const { return core_->current; }

const Limits& LuaState::limits() const { return core_->limits; }

void LuaState::set_instruction_limit(std::int64_t units) {
  core_->limits.instructions = units;
  install_hook(core_->main);
}

std::uint64_t LuaState::calls() const { return core_->calls; }

std::size_t LuaState::memory_in_use() const { return core_->memory_used; }

void LuaState::collect_garbage() { lua_gc(core_->current, LUA_GCCOLLECT); }

std::int64_t LuaState::instructions_spent() const {
  return core_->limits.instructions > 0 ? core_->limits.instructions - core_->remaining : 0;
}

void LuaState::time_calls() { core_->timed = true; }

double LuaState::seconds_in_calls() const { return std::chrono::duration<double>(core_->inside).count(); }

std::vector<std::pair<std::string, double>> LuaState::seconds_by_call() const {
  std::vector<std::pair<std::string, double>> out;
  for (const auto& [label, time] : core_->inside_by)
    out.emplace_back(label, std::chrono::duration<double>(time).count());
  std::ranges::stable_sort(out, [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

void LuaState::note_computed(const std::string& label) {
  if (core_->timed) core_->inside_by.try_emplace(label);
}

void LuaState::set_print(PrintSink sink) { core_->print = sink ? std::move(sink) : print_to_stderr; }

void LuaState::set_random(RandomBits bits) { core_->random = std::move(bits); }

void LuaState::protect(const std::function<void(lua_State*)>& body) {
  lua_State* L = core_->current;
  luaL_checkstack(L, LUA_MINSTACK, "call");
  const StackReset reset(L);
  Entry entry(*core_);
  lua_pushcfunction(L, note_traceback);
  const int handler = lua_gettop(L);
  lua_pushcfunction(L, guarded<run_body>);
  lua_pushlightuserdata(L, const_cast<std::function<void(lua_State*)>*>(&body));
  const int status = lua_pcall(L, 1, 0, handler);
  if (status != LUA_OK || core_->exhausted != Exhausted::kNothing) throw_failure(*core_, L, status, "");
}

LuaRef LuaState::make(const std::function<void(lua_State*)>& push) {
  LuaRef made;
  protect([&](lua_State* L) {
    push(L);
    made = LuaRef::pop(L);
  });
  return made;
}

LuaRef LuaRef::pop(lua_State* L) {
  LuaRef ref;
  const int id = luaL_ref(L, LUA_REGISTRYINDEX);
  if (id == LUA_REFNIL) return ref;
  ref.main_ = core_of(L).main;
  ref.id_ = id;
  return ref;
}

void LuaRef::push(lua_State* L) const {
  if (main_ != nullptr) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, id_);
  } else {
    lua_pushnil(L);
  }
}

LuaRef LuaRef::copy() const {
  LuaRef other;
  if (main_ == nullptr) return other;
  core_of(main_).owner->protect([&](lua_State* L) {
    push(L);
    other = pop(L);
  });
  return other;
}

void LuaRef::reset() {
  if (main_ != nullptr) luaL_unref(main_, LUA_REGISTRYINDEX, id_);
  main_ = nullptr;
}

}  // namespace coslice
