#include "host/call_series.h"

#include <cmath>

#include "host/core.h"

namespace coslice {

using namespace luahost;

namespace {

/// Stack slots inside the protected call: the pointer to the Task, then the function.
constexpr int kTask = 1;
constexpr int kFunction = 2;

struct Task {
  void (*call)(void* body, lua_State* L);
  void* body;
};

int run_task(lua_State* L) {
  const Task& task = *static_cast<const Task*>(lua_touserdata(L, kTask));
  task.call(task.body, L);
  return 0;
}

}  // namespace

void CallSeries::run_erased(ErasedBody invoke, void* body) {
  ++core_.calls;
  lua_State* const outer = core_.current;
  luaL_checkstack(outer, LUA_MINSTACK, "call");
  const StackReset reset(outer);
  int handler = 1;  // at the bottom of the main stack
  if (core_.depth > 0) {
    lua_pushcfunction(outer, note_traceback);
    handler = lua_gettop(outer);
  }
  const Entry entry(core_, &label_);
  Task task{invoke, body};
  lua_pushcfunction(outer, guarded<run_task>);
  lua_pushlightuserdata(outer, &task);
  function_.push(outer);
  L_ = outer;
  const int status = lua_pcall(outer, 2, 0, handler);
  if (status != LUA_OK || core_.exhausted != Exhausted::kNothing) throw_failure(core_, outer, status, label_);
}

void CallSeries::begin() { lua_pushvalue(L_, kFunction); }

double CallSeries::number(int arguments) {
  if (core_.depth == 1) arm(core_);
  lua_call(L_, arguments, 1);
  const double x = lua_tonumber(L_, -1);
  if (lua_type(L_, -1) != LUA_TNUMBER) throw wrong_result(L_, -1, function_, label_, "a number");
  if (std::isnan(x)) throw wrong_result(L_, -1, function_, label_, "a number that is not NaN");
  lua_pop(L_, 1);
  return x;
}

void CallSeries::call(int arguments, int results) {
  if (core_.depth == 1) arm(core_);
  lua_call(L_, arguments, results);
}

void CallSeries::fail(int index, const std::string& expected) {
  throw wrong_result(L_, index, function_, label_, expected);
}

}  // namespace coslice
