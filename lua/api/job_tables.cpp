#include "api/job_tables.h"

#include <lua.hpp>

#include "host/state.h"

namespace coslice {

namespace {

/// Key of the hidden field that says which job a table is. Its address, which no script can name.
const char kIndexKey = 0;

void set_integer(lua_State* L, const char* name, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

void set_number(lua_State* L, const char* name, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

}  // namespace

JobTables::JobTables(LuaState& state, const std::vector<JobClass>& classes) : classes_(classes) {
  state.protect([&](lua_State* L) {
    lua_newtable(L);
    kept_ = LuaRef::pop(L);
  });
}

void JobTables::push_new(lua_State* L, const Job& job, JobIndex index, double submit, std::int32_t nodes) const {
  lua_createtable(L, 0, 16);
  lua_pushinteger(L, index);
  lua_rawsetp(L, -2, &kIndexKey);
  set_integer(L, "id", job.id);
  set_number(L, "submit", submit);
  set_integer(L, "nodes", nodes);
  set_integer(L, "processes", job.size);
  set_number(L, "estimate", to_seconds(job.limit));
  set_integer(L, "user", job.user);
  set_integer(L, "group", job.group);
  set_integer(L, "queue", job.queue);
  set_integer(L, "partition", job.partition);
  set_integer(L, "executable", job.executable);
  set_number(L, "memory", job.requested_memory_kb);
  for (const JobClass& c : classes_) {
    if (job.limit > c.upper) continue;
    lua_pushlstring(L, c.name.data(), c.name.size());
    lua_setfield(L, -2, "class");
    break;
  }
}

void JobTables::keep(lua_State* L, JobIndex index) const {
  kept_.push(L);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, static_cast<lua_Integer>(index) + 1);
  lua_pop(L, 1);
}

void JobTables::push(lua_State* L, JobIndex index) const {
  kept_.push(L);
  lua_rawgeti(L, -1, static_cast<lua_Integer>(index) + 1);
  lua_remove(L, -2);
}

void JobTables::drop(lua_State* L, JobIndex index) const {
  kept_.push(L);
  lua_pushnil(L);
  lua_rawseti(L, -2, static_cast<lua_Integer>(index) + 1);
  lua_pop(L, 1);
}

void JobTables::set_start(lua_State* L, double start) { set_number(L, "start", start); }

void JobTables::set_run(lua_State* L, JobIndex index, double start, std::optional<double> finish) const {
  push(L, index);
  set_start(L, start);
  if (finish) set_number(L, "finish", *finish);
  lua_pop(L, 1);
}

JobIndex JobTables::index_of(lua_State* L, int index) {
  if (!lua_istable(L, index)) luaL_typeerror(L, index, "job");
  if (lua_rawgetp(L, index, &kIndexKey) != LUA_TNUMBER) luaL_argerror(L, index, "this table is not a job");
  const auto j = static_cast<JobIndex>(lua_tointeger(L, -1));
  lua_pop(L, 1);
  return j;
}

}  // namespace coslice
