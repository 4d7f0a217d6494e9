// C++ functions that Lua calls. This header and the .cpp files that include it see the Lua headers.
//
// Invariant between Lua frames: no catch (...) without rethrow and no noexcept, because Lua compiled as C++ unwinds by
// exceptions of its own. Lua, in turn, swallows exceptions that it does not know, so they never reach it: a guarded
// function turns them into a Lua error that carries the original, and the outer protected call throws that again.
#pragma once

#include <cstdint>
#include <exception>
#include <lua.hpp>
#include <string>

namespace coslice::luahost {

/// Raises a Lua error that carries `e`; scripts see its message through tostring. A std::bad_alloc becomes a memory
/// error.
[[noreturn]] void raise_exception(lua_State* L, const std::exception_ptr& e);

/// Raises a Lua error with that text, at the line of the script that runs.
[[noreturn]] void raise_text(lua_State* L, const std::string& text);

/// Turns a C++ function of Lua's signature into one that Lua can call whatever it throws.
template <lua_CFunction F>
int guarded(lua_State* L) {
  std::exception_ptr carried;
  try {
    return F(L);
  } catch (const std::exception&) {
    carried = std::current_exception();
  }
  raise_exception(L, carried);
}

/// Sets the finaliser of the metatable on the top of the stack, which scripts must not get at. By the name `__gc` it
/// cannot (see withhold_metafields in core.h).
void set_finalizer(lua_State* L, lua_CFunction finalizer);

/// Counts `units` of work (about a Lua instruction each) against the limit of the running call; raises when it is
/// used up. Whatever loops in C++ on behalf of a script calls it.
void charge(lua_State* L, std::int64_t units);

/// Restores the height of the stack; not while an exception passes: a Lua error may come from a function further up,
/// whose part of the stack would then be cut, with the error object in it. The protected call below restores the stack
/// anyway.
class StackGuard {
 public:
  explicit StackGuard(lua_State* L) : L_(L), top_(lua_gettop(L)), exceptions_(std::uncaught_exceptions()) {}
  ~StackGuard() {
    if (std::uncaught_exceptions() == exceptions_) lua_settop(L_, top_);
  }
  StackGuard(const StackGuard&) = delete;
  StackGuard& operator=(const StackGuard&) = delete;

 private:
  lua_State* L_;
  int top_;
  int exceptions_;
};

/// Restores the height of the stack whatever happens. For what encloses a protected call, where no Lua error passes.
class StackReset {
 public:
  explicit StackReset(lua_State* L) : L_(L), top_(lua_gettop(L)) {}
  ~StackReset() { lua_settop(L_, top_); }
  StackReset(const StackReset&) = delete;
  StackReset& operator=(const StackReset&) = delete;

 private:
  lua_State* L_;
  int top_;
};

}  // namespace coslice::luahost
