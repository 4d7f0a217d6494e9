// The view's methods for the order of the queue, and what a policy notes down.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "api/view/view_call.h"
#include "schedule/observer.h"

namespace coslice {
namespace {

using luahost::bound;
using luahost::raise;

/// view:age(step, least?)
void age(const DecidingCall& call, double step, std::optional<double> given_least) {
  if (!(step >= 1e-9)) luaL_argerror(call.L, 2, "a time above 0 is needed");
  const double least = given_least.value_or(-std::numeric_limits<double>::infinity());
  if (std::isnan(least)) luaL_argerror(call.L, 3, "not a number");
  call.charge(std::ssize(call.queue()));
  call.object.ageing().apply(call.view, from_seconds(std::min(step, kMaxSeconds)), least);
  call.object.hint(call.queue().first());
}

/// view:rekey({ [id] = number }). Nothing of the script runs, so that positions stay.
void rekey_from_table(const ViewCall& call) {
  lua_State* const L = call.L;
  const WaitingQueue& queue = call.queue();
  call.charge(std::ssize(queue) / 8);
  auto* const keys = static_cast<double*>(lua_newuserdatauv(L, (queue.size() + 1) * sizeof(double), 0));
  std::size_t count = 0;
  for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) {
    const std::int64_t id = call.id(queue.job(p));
    lua_rawgeti(L, 2, id);
    keys[count] = lua_tonumber(L, -1);
    if (lua_type(L, -1) != LUA_TNUMBER || std::isnan(keys[count]))
      raise(L, "the table of view:rekey has no number for job {}", id);
    lua_pop(L, 1);
    ++count;
  }
  const double* next = keys;
  call.view.resort([&next](JobIndex) { return *next++; });
  call.object.hint(call.queue().first());
}

/// view:rekey(function(job) return number end). All keys are known before any changes.
void rekey(const DecidingCall& call) {
  lua_State* const L = call.L;
  if (lua_istable(L, 2)) return rekey_from_table(call);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  const WaitingQueue& queue = call.queue();
  call.charge(std::ssize(queue));
  std::unordered_map<JobIndex, double> keys;
  for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) {
    const AskingOnly asking(call.object, call.view);
    lua_pushvalue(L, 2);
    call.object.jobs().push(L, queue.job(p));
    lua_call(L, 1, 1);
    if (lua_type(L, -1) != LUA_TNUMBER || std::isnan(lua_tonumber(L, -1)))
      raise(L, "the function of view:rekey must return a number");
    keys[queue.job(p)] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  call.view.resort([&](JobIndex j) {
    const auto key = keys.find(j);
    return key == keys.end() ? 0.0 : key->second;
  });
  call.object.hint(call.queue().first());
}

/// view:note(name, value)
int note(lua_State* L) {
  view_object(L).check_may_act(L);
  PolicyNotes& notes = view_object(L).notes();
  const char* const name = luaL_checkstring(L, 2);
  const double x = luaL_checknumber(L, 3);
  if (!std::isfinite(x)) return luaL_argerror(L, 3, "not a finite number");
  if (!notes.add(name, x)) raise(L, "a policy may note {} different names at most", int{PolicyNotes::kMost});
  return 0;
}

/// view:because(job, text): only observers that explain hear it.
void because(const ViewCall& call, AnyJob job, std::string_view text) {
  call.view.explain([&](DecisionObserver& o) { o.reasoned(call.view, job, text); });
}

/// view:blocked(job, reason)
void blocked(const DecidingCall& call, WaitingJob p, std::string_view reason) {
  const JobIndex j = call.queue().job(p);
  if (call.view.blocked().count(j) == 0)
    call.view.explain([&](DecisionObserver& o) { o.reasoned(call.view, j, reason); });
  call.view.block(p, std::string(reason));
}

}  // namespace

void add_queue_methods(lua_State* L) {
  luahost::set_functions(L, {{"age", bound<age>},
                             {"rekey", bound<rekey>},
                             {"note", luahost::guarded<note>},
                             {"because", bound<because>},
                             {"blocked", bound<blocked>}});
}

}  // namespace coslice
