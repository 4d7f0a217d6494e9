// pcall, xpcall and coroutines that do not let a script get away with a limit: each protected call looks at whether one
// was hit while it ran, and raises that again.
#include <algorithm>
#include <string_view>
#include <utility>

#include "host/core.h"
#include "host/sandbox.h"

namespace coslice::luahost {
namespace {

constexpr int kMaxCloseDepth = 50;  ///< Lua 5.4.4 does not count nested coroutine.close against the C stack

/// A stack that overflowed had grown to a million slots, with as many calls, and shrinks again: a tenth of a second.
constexpr int kOverflowCost = 500'000;

constexpr std::size_t kOverflowWithin = 256;  ///< bytes of a message: Lua says so right behind the position

/// Whether the error at `index` says so. A script may raise megabytes: only their beginning is looked at.
bool is_overflow(lua_State* L, int index) {
  std::size_t size = 0;
  const char* text = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &size) : "";
  const std::string_view beginning(text, std::min(size, kOverflowWithin));
  return beginning.find("stack overflow") != beginning.npos;
}

/// Counts what raising the error on the top of the stack has cost.
void charge_error(lua_State* L) {
  const bool overflow = std::exchange(core_of(L).overflow_handled, false) || is_overflow(L, -1);
  charge(L, overflow ? kOverflowCost : kUnwindCost);
}

// ---- pcall and xpcall ----

int finish_protected(lua_State* L, int status, lua_KContext extra) {
  rethrow_limit(L, status);
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - static_cast<int>(extra);
  charge_error(L);
  lua_pushboolean(L, 0);
  lua_pushvalue(L, -2);
  return 2;
}

int pcall(lua_State* L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  return finish_protected(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_protected), 0);
}

/// Runs the script's handler (upvalue), except for limits: Lua calls handlers with the hook off. It may hand on
/// something else than that the stack overflowed, and raise errors itself, which it gets again, 200 deep.
int run_handler(lua_State* L) {
  if (core_of(L).exhausted != Exhausted::kNothing) return 1;
  lua_settop(L, 1);
  spend(core_of(L), kUnwindCost);
  if (is_overflow(L, 1)) core_of(L).overflow_handled = true;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

int xpcall(lua_State* L) {
  const int n = lua_gettop(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, run_handler, 1);
  lua_replace(L, 2);
  lua_pushboolean(L, 1);
  lua_pushvalue(L, 1);
  lua_rotate(L, 3, 2);
  return finish_protected(L, lua_pcallk(L, n - 2, LUA_MULTRET, 2, 2, finish_protected), 2);
}

// ---- coroutines ----

class RunningThread {
 public:
  RunningThread(Core& core, lua_State* co) : core_(core), before_(core.current) { core.current = co; }
  ~RunningThread() { core_.current = before_; }
  RunningThread(const RunningThread&) = delete;
  RunningThread& operator=(const RunningThread&) = delete;

 private:
  Core& core_;
  lua_State* before_;
};

lua_State* thread_argument(lua_State* L) {
  lua_State* co = lua_tothread(L, 1);
  luaL_argexpected(L, co != nullptr, 1, "coroutine");
  return co;
}

/// A limit or the memory ended the thread: it never runs again, and the error goes on.
void pass_limit_on(lua_State* L, lua_State* co, int status) {
  if (core_of(L).exhausted == Exhausted::kNothing && status != LUA_ERRMEM) return;
  mark_stopped(co);
  rethrow_limit(L, status);
}

/// Moves the arguments over and runs the thread. Leaves on L the results and gives their number, or leaves the error
/// object and gives -1.
int resume_thread(lua_State* L, lua_State* co, int arguments) {
  charge(L, kUnwindCost);
  if (is_stopped(co) || (lua_status(co) == LUA_OK && lua_gettop(co) == 0)) {
    lua_pushliteral(L, "cannot resume dead coroutine");
    return -1;
  }
  if (!lua_checkstack(co, arguments)) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  lua_xmove(L, co, arguments);
  int results = 0, status = LUA_OK;
  {
    RunningThread running(core_of(L), co);
    if (core_of(L).interrupted != 0) install_hook(co);  // it came when only the other thread could be told
    status = lua_resume(co, L, arguments, &results);
  }
  pass_limit_on(L, co, status);
  charge(L, 0);  // ends L as well, if an interrupt could tell only the other thread
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_xmove(co, L, 1);
    charge_error(L);
    return -1;
  }
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(co, results);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(co, L, results);
  return results;
}

/// Closes the pending variables of a thread; its status afterwards, with the error object on top of its stack.
int close_thread(lua_State* L, lua_State* co) {
  Core& core = core_of(L);
  if (is_stopped(co)) luaL_error(L, "cannot close a coroutine that a limit stopped");
  if (core.close_depth >= kMaxCloseDepth) luaL_error(L, "too many nested calls of coroutine.close");
  struct Depth {
    int& value;
    explicit Depth(int& v) : value(++v) {}
    ~Depth() { --value; }
  } depth(core.close_depth);
  int status = LUA_OK;
  {
    RunningThread running(core, co);
    status = lua_resetthread(co);
  }
  pass_limit_on(L, co, status);
  return status;
}

int create(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  charge(L, 100);  // the count of the new thread starts anew: what it may do before the hook looks is paid here
  lua_State* co = lua_newthread(L);
  install_hook(co);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  return 1;
}

int resume(lua_State* L) {
  lua_State* co = thread_argument(L);
  const int results = resume_thread(L, co, lua_gettop(L) - 1);
  lua_pushboolean(L, results >= 0);
  const int count = results >= 0 ? results : 1;
  lua_insert(L, -(count + 1));
  return count + 1;
}

int wrapped(lua_State* L) {
  lua_State* co = lua_tothread(L, lua_upvalueindex(1));
  const int results = resume_thread(L, co, lua_gettop(L));
  if (results >= 0) return results;
  const int status = is_stopped(co) ? LUA_OK : lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) {  // it failed while it ran: close its variables
    lua_xmove(L, co, 1);
    close_thread(L, co);
    lua_xmove(co, L, 1);
  }
  if (lua_type(L, -1) == LUA_TSTRING) {  // say where it was resumed, as Lua does
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

int wrap(lua_State* L) {
  create(L);
  lua_pushcclosure(L, wrapped, 1);
  return 1;
}

bool may_close(lua_State* L, lua_State* co) {
  if (co == L) return false;
  if (lua_status(co) == LUA_YIELD) return true;
  lua_Debug at;
  return lua_status(co) != LUA_OK || lua_getstack(co, 0, &at) == 0;  // else it resumed us
}

int close(lua_State* L) {
  lua_State* co = thread_argument(L);
  if (!may_close(L, co)) return luaL_error(L, "cannot close a running coroutine");
  const int status = close_thread(L, co);
  lua_pushboolean(L, status == LUA_OK);
  if (status == LUA_OK) return 1;
  lua_xmove(co, L, 1);
  return 2;
}

}  // namespace

void install_protected_calls(lua_State* L) {
  const luaL_Reg functions[] = {{"pcall", pcall}, {"xpcall", xpcall}, {nullptr, nullptr}};
  luaL_setfuncs(L, functions, 0);
}

void install_coroutines(lua_State* L) {
  const luaL_Reg functions[] = {
      {"create", create}, {"resume", resume}, {"wrap", wrap}, {"close", close}, {nullptr, nullptr}};
  luaL_setfuncs(L, functions, 0);
}

}  // namespace coslice::luahost
