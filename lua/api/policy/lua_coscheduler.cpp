#include "api/policy/lua_coscheduler.h"

#include <iterator>
#include <lua.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/jobs/known_fields.h"
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

/// Those of a process, in the order in which they are set.
constexpr const char* kProcessFields[] = {"class",  "job",   "rank",   "processor", "tslots",
                                          "cslots", "t_cpu", "t_comm", "c_comm"};

const std::string& mode_name(const SlotMode& m) { return m.name; }
const std::string& class_name(const std::string& c) { return c; }

}  // namespace

LuaCoscheduler::LuaCoscheduler(LuaState& state, const CoschedulingSettings& settings, const LuaRef& params,
                               const std::vector<std::int64_t>& ids)
    : state_(state), settings_(settings), params_(params), ids_(ids) {
  process_ = state_.make([](lua_State* L) {
    lua_createtable(L, 0, 9);
    refuse_unknown_fields(L, "a process has");
  });
}

/// Pushes the names of a process's fields, which a call would have to look up for each field of each process. Returns
/// where the first of them stands.
int LuaCoscheduler::push_names(lua_State* L) const {
  luaL_checkstack(L, static_cast<int>(std::size(kProcessFields)) + LUA_MINSTACK, "the fields of a process");
  for (const char* name : kProcessFields) lua_pushstring(L, name);
  return lua_gettop(L) - static_cast<int>(std::size(kProcessFields)) + 1;
}

void LuaCoscheduler::push_process(lua_State* L, int names, const ProcessFacts& f) const {
  process_.push(L);
  const int process = lua_gettop(L);
  int name = names;
  const auto next_is = [&](auto push, auto value) {
    lua_pushvalue(L, name++);
    push(L, value);
    lua_rawset(L, process);
  };
  const std::string& cls = settings_.rules.classes[f.cls];
  lua_pushvalue(L, name++);
  lua_pushlstring(L, cls.data(), cls.size());
  lua_rawset(L, process);
  for (const std::int64_t value :
       {ids_[f.job], std::int64_t{f.rank}, std::int64_t{f.processor}, f.slots, f.slots_in_class})
    next_is(lua_pushinteger, value);
  for (const Duration value : {f.cpu, f.comm}) next_is(lua_pushnumber, to_seconds(value));
  next_is(lua_pushinteger, f.communications);
}

ModeId LuaCoscheduler::slot(const ProcessFacts* next) { return slots({next}).front(); }

std::vector<ModeId> LuaCoscheduler::slots(const std::vector<const ProcessFacts*>& next) {
  const Hook& hook = settings_.slot;
  std::vector<ModeId> modes(next.size(), 0);
  if (!hook || next.empty()) return modes;
  CallSeries series(state_, hook.function, hook.label);
  series.run([&](lua_State* L) {
    const int names = push_names(L);
    for (std::size_t i = 0; i < next.size(); ++i) {
      series.begin();
      if (next[i]) push_process(L, names, *next[i]);
      else lua_pushnil(L);
      params_.push(L);
      series.call(2, 1);
      const int mode = number_of(L, -1, settings_.rules.modes, mode_name);
      if (mode < 0)
        throw luahost::wrong_result(L, -1, hook.function, hook.label, quoted(settings_.rules.modes, mode_name));
      lua_pop(L, 1);
      modes[i] = static_cast<ModeId>(mode);
    }
  });
  return modes;
}

Classification LuaCoscheduler::classify(const ProcessFacts& process) { return classify_all({process}).front(); }

std::vector<Classification> LuaCoscheduler::classify_all(const std::vector<ProcessFacts>& processes) {
  const Hook& hook = settings_.classify;
  std::vector<Classification> verdicts(processes.size());
  if (processes.empty()) return verdicts;
  CallSeries series(state_, hook.function, hook.label);
  series.run([&](lua_State* L) {
    const int names = push_names(L);
    for (std::size_t i = 0; i < processes.size(); ++i) {
      series.begin();
      push_process(L, names, processes[i]);
      params_.push(L);
      series.call(2, 2);
      const int cls = number_of(L, -2, settings_.rules.classes, class_name);
      if (cls < 0)
        throw luahost::wrong_result(L, -2, hook.function, hook.label, quoted(settings_.rules.classes, class_name));
      verdicts[i] = {static_cast<ClassId>(cls), lua_toboolean(L, -1) != 0};
      lua_pop(L, 2);
    }
  });
  return verdicts;
}

}  // namespace coslice
