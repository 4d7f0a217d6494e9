// The view's methods for the order of the queue, and what a policy notes down.
#include <algorithm>
#include <cmath>
#include <limits>
#include <lua.hpp>
#include <unordered_map>

#include "api/view/view_methods.h"
#include "api/view/view_object.h"
#include "host/guard.h"
#include "schedule/observer.h"

namespace coslice {
namespace {

/// view:age(step, least?)
int age(lua_State* L) {
  ViewObject& object = view_object(L);
  object.check_decides(L);
  const double step = luaL_checknumber(L, 2);
  if (!(step >= 1e-9)) return luaL_argerror(L, 2, "a time above 0 is needed");
  const double least = luaL_optnumber(L, 3, -std::numeric_limits<double>::infinity());
  if (std::isnan(least)) return luaL_argerror(L, 3, "not a number");
  View& view = object.view(L);
  luahost::charge(L, static_cast<std::int64_t>(view.queue().size()));
  object.ageing().apply(view, from_seconds(std::min(step, kMaxSeconds)), least);
  object.hint(view.queue().first());
  return 0;
}

/// view:rekey({ [id] = number }). Nothing of the script runs, so that positions stay.
int rekey_from_table(lua_State* L, ViewObject& object) {
  View& view = object.view(L);
  const WaitingQueue& queue = view.queue();
  luahost::charge(L, static_cast<std::int64_t>(queue.size()) / 8);
  auto* const keys = static_cast<double*>(lua_newuserdatauv(L, (queue.size() + 1) * sizeof(double), 0));
  std::size_t count = 0;
  for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) {
    const std::int64_t id = view.job(queue.job(p)).id;
    lua_rawgeti(L, 2, id);
    keys[count] = lua_tonumber(L, -1);
    if (lua_type(L, -1) != LUA_TNUMBER || std::isnan(keys[count]))
      luaL_error(L, "the table of view:rekey has no number for job %I", static_cast<LUAI_UACINT>(id));
    lua_pop(L, 1);
    ++count;
  }
  const double* next = keys;
  view.resort([&next](JobIndex) { return *next++; });
  object.hint(view.queue().first());
  return 0;
}

/// view:rekey(function(job) return number end). All keys are known before any changes.
int rekey(lua_State* L) {
  ViewObject& object = view_object(L);
  object.check_decides(L);
  if (lua_istable(L, 2)) return rekey_from_table(L, object);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  const WaitingQueue& queue = object.view(L).queue();
  luahost::charge(L, static_cast<std::int64_t>(queue.size()));
  std::unordered_map<JobIndex, double> keys;
  for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) {
    lua_pushvalue(L, 2);
    object.jobs().push(L, queue.job(p));
    lua_call(L, 1, 1);
    if (lua_type(L, -1) != LUA_TNUMBER || std::isnan(lua_tonumber(L, -1)))
      luaL_error(L, "the function of view:rekey must return a number");
    keys[queue.job(p)] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  View& view = object.view(L);
  view.resort([&](JobIndex j) {
    const auto key = keys.find(j);
    return key == keys.end() ? 0.0 : key->second;
  });
  object.hint(view.queue().first());
  return 0;
}

/// view:note(name, value)
int note(lua_State* L) {
  ViewObject& object = view_object(L);
  const char* name = luaL_checkstring(L, 2);
  const double x = luaL_checknumber(L, 3);
  if (!std::isfinite(x)) return luaL_argerror(L, 3, "not a finite number");
  if (!object.notes().add(name, x))
    return luaL_error(L, "a policy may note %d different names at most", PolicyNotes::kMost);
  return 0;
}

/// view:because(job, text): only observers that explain hear it.
int because(lua_State* L) {
  const ViewObject& object = view_object(L);
  const View& view = object.view(L);
  const JobIndex job = object.jobs().index_of(L, 2);
  std::size_t length = 0;
  const char* text = luaL_checklstring(L, 3, &length);
  view.explain([&](DecisionObserver& o) { o.reasoned(view, job, {text, length}); });
  return 0;
}

}  // namespace

void add_queue_methods(lua_State* L) {
  using luahost::guarded;
  const luaL_Reg methods[] = {{"age", guarded<age>},
                              {"rekey", guarded<rekey>},
                              {"note", guarded<note>},
                              {"because", guarded<because>},
                              {nullptr, nullptr}};
  luaL_setfuncs(L, methods, 0);
}

}  // namespace coslice
