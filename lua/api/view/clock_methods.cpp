// What time and date it is, and will be, for policies.
#include <cmath>

#include "api/view/view_call.h"
#include "sharing/contention.h"

namespace coslice {
namespace {

/// view:clock(time?) -> Clock?: the calendar of the trace, on the machine's clock.
luahost::Pushed clock(const ViewCall& call, std::optional<double> time) {
  if (time && !(std::abs(*time) <= kMaxSeconds)) luaL_argerror(call.L, 2, "not a time");
  const Time t = time ? at_seconds(*time) : call.view.wall_now();
  call.object.read_clock();
  if (!call.object.calendar()) return {0};
  const CalendarDate d = calendar_date(*call.object.calendar(), t);
  luahost::push_fields(call.L, "year", d.year, "month", d.month, "day", d.day, "weekday", d.weekday, "hour",
                       d.second_of_day / 3600, "minute", d.second_of_day / 60 % 60, "second", d.second_of_day % 60,
                       "second_of_day", d.second_of_day);
  return {};
}

/// view:machine_time(time) -> number: an instant of the view's clock, on the machine's.
double machine_time(const ViewCall& call, double time) { return on_machine_clock(call.view, time); }

}  // namespace

void add_clock_methods(lua_State* L) {
  luahost::set_functions(L, {{"clock", luahost::bound<clock>}, {"machine_time", luahost::bound<machine_time>}});
}

}  // namespace coslice
