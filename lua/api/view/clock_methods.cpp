// What time and date it is, and will be, for policies.
#include <cmath>

#include "api/view/view_call.h"
#include "sharing/contention.h"

namespace coslice {
namespace {

/// view:clock(time?) -> Clock?: the calendar of the trace, on the machine's clock.
int clock(lua_State* L) {
  const ViewCall call(L);
  Time t = call.view.wall_now();
  if (!lua_isnoneornil(L, 2)) {
    const double seconds = luaL_checknumber(L, 2);
    if (!(std::abs(seconds) <= kMaxSeconds)) return luaL_argerror(L, 2, "not a time");
    t = at_seconds(seconds);
  }
  call.object.read_clock();
  if (!call.object.calendar()) return 0;
  const CalendarDate d = calendar_date(*call.object.calendar(), t);
  luahost::push_fields(L, "year", d.year, "month", d.month, "day", d.day, "weekday", d.weekday, "hour",
                       d.second_of_day / 3600, "minute", d.second_of_day / 60 % 60, "second", d.second_of_day % 60,
                       "second_of_day", d.second_of_day);
  return 1;
}

/// view:machine_time(time) -> number: an instant of the view's clock, on the machine's.
double machine_time(const ViewCall& call, double time) { return on_machine_clock(call.view, time); }

}  // namespace

void add_clock_methods(lua_State* L) {
  luahost::set_functions(L, {{"clock", luahost::guarded<clock>}, {"machine_time", luahost::bound<machine_time>}});
}

}  // namespace coslice
