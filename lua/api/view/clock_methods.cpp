// What time and date it is, and will be, for policies.
#include <cmath>
#include <lua.hpp>

#include "api/view/view_methods.h"
#include "api/view/view_object.h"
#include "host/guard.h"
#include "sharing/contention.h"

namespace coslice {
namespace {

void set_integer(lua_State* L, const char* name, std::int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

/// view:clock(time?) -> Clock?: the calendar of the trace, on the machine's clock.
int clock(lua_State* L) {
  ViewObject& object = view_object(L);
  const View& view = object.view(L);
  Time t = view.wall_now();
  if (!lua_isnoneornil(L, 2)) {
    const double seconds = luaL_checknumber(L, 2);
    if (!(std::abs(seconds) <= kMaxSeconds)) return luaL_argerror(L, 2, "not a time");
    t = at_seconds(seconds);
  }
  object.read_clock();
  if (!object.calendar()) return 0;
  const CalendarDate d = calendar_date(*object.calendar(), t);
  lua_createtable(L, 0, 8);
  set_integer(L, "year", d.year);
  set_integer(L, "month", d.month);
  set_integer(L, "day", d.day);
  set_integer(L, "weekday", d.weekday);
  set_integer(L, "hour", d.second_of_day / 3600);
  set_integer(L, "minute", d.second_of_day / 60 % 60);
  set_integer(L, "second", d.second_of_day % 60);
  set_integer(L, "second_of_day", d.second_of_day);
  return 1;
}

/// view:machine_time(time) -> number: an instant of the view's clock, on the machine's.
int machine_time(lua_State* L) {
  const View& view = view_object(L).view(L);
  lua_pushnumber(L, on_machine_clock(view, luaL_checknumber(L, 2)));
  return 1;
}

}  // namespace

void add_clock_methods(lua_State* L) {
  lua_pushcfunction(L, luahost::guarded<clock>);
  lua_setfield(L, -2, "clock");
  lua_pushcfunction(L, luahost::guarded<machine_time>);
  lua_setfield(L, -2, "machine_time");
}

}  // namespace coslice
