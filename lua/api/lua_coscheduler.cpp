#include "api/lua_coscheduler.h"

#include <algorithm>
#include <cstring>
#include <lua.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/known_fields.h"
#include "host/core.h"

namespace coslice {

namespace {

template <class List, class Name>
std::string quoted(const List& list, Name name) {
  std::vector<std::string> words;
  for (const auto& item : list) words.push_back("'" + name(item) + "'");
  return fmt::format("one of {}", fmt::join(words, ", "));
}

/// The number of the name at the stack index, or -1.
template <class List, class Name>
int number_of(lua_State* L, int index, const List& list, Name name) {
  const char* text = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : nullptr;
  for (std::size_t i = 0; text && i < list.size(); ++i) {
    if (name(list[i]) == text) return static_cast<int>(i);
  }
  return -1;
}

const std::string& mode_name(const SlotMode& m) { return m.name; }
const std::string& class_name(const std::string& c) { return c; }

}  // namespace

LuaCoscheduler::LuaCoscheduler(LuaState& state, const CoschedulingSettings& settings, const LuaRef& params,
                               const std::vector<std::int64_t>& ids)
    : state_(state), settings_(settings), params_(params), ids_(ids) {
  state_.protect([&](lua_State* L) {
    lua_createtable(L, 0, 9);
    refuse_unknown_fields(L, "a process has");
    process_ = LuaRef::pop(L);
  });
}

void LuaCoscheduler::push_process(lua_State* L, const ProcessFacts& f) const {
  process_.push(L);
  const auto set_integer = [&](const char* name, std::int64_t value) {
    lua_pushinteger(L, value);
    lua_setfield(L, -2, name);
  };
  const auto set_seconds = [&](const char* name, Duration value) {
    lua_pushnumber(L, to_seconds(value));
    lua_setfield(L, -2, name);
  };
  const std::string& cls = settings_.rules.classes[f.cls];
  lua_pushlstring(L, cls.data(), cls.size());
  lua_setfield(L, -2, "class");
  set_integer("job", ids_[f.job]);
  set_integer("rank", f.rank);
  set_integer("processor", f.processor);
  set_integer("tslots", f.slots);
  set_integer("cslots", f.slots_in_class);
  set_seconds("t_cpu", f.cpu);
  set_seconds("t_comm", f.comm);
  set_integer("c_comm", f.communications);
}

ModeId LuaCoscheduler::slot(const ProcessFacts* next) {
  const Hook& hook = settings_.slot;
  if (!hook) return 0;
  int mode = -1;
  CallSeries series(state_, hook.function, hook.label);
  series.run([&](lua_State* L) {
    series.begin();
    if (next) push_process(L, *next);
    else lua_pushnil(L);
    params_.push(L);
    lua_call(L, 2, 1);
    mode = number_of(L, -1, settings_.rules.modes, mode_name);
    if (mode < 0)
      throw luahost::wrong_result(L, -1, hook.function, hook.label, quoted(settings_.rules.modes, mode_name));
    lua_pop(L, 1);
  });
  return static_cast<ModeId>(mode);
}

Classification LuaCoscheduler::classify(const ProcessFacts& process) {
  const Hook& hook = settings_.classify;
  int cls = -1;
  bool reset = false;
  CallSeries series(state_, hook.function, hook.label);
  series.run([&](lua_State* L) {
    series.begin();
    push_process(L, process);
    params_.push(L);
    lua_call(L, 2, 2);
    cls = number_of(L, -2, settings_.rules.classes, class_name);
    if (cls < 0)
      throw luahost::wrong_result(L, -2, hook.function, hook.label, quoted(settings_.rules.classes, class_name));
    reset = lua_toboolean(L, -1) != 0;
    lua_pop(L, 2);
  });
  return {static_cast<ClassId>(cls), reset};
}

}  // namespace coslice
