// C++ functions that Lua calls and that change a run. Where the engine fails in the middle of that, what it did is half
// done, and a script that caught the error would go on with a run that is in no order: so no script catches it.
#pragma once

#include "host/bind.h"

namespace coslice {
class LuaState;
}

namespace coslice::luahost {

/// A script's call in which it decides: the next one that C++ makes. What a function that acts throws ends it.
class Decision {
 public:
  explicit Decision(LuaState& state);
  ~Decision();
  Decision(const Decision&) = delete;
  Decision& operator=(const Decision&) = delete;

 private:
  LuaState& state_;
  int before_;
};

/// Raises a Lua error that carries `e`. Scripts can catch it if nothing was done (NotDoneError, RefusedError); else it
/// goes on as the error of a limit does, until the call in which the script decides has ended with `e`.
[[noreturn]] void raise_half_done(lua_State* L, const std::exception_ptr& e);

template <auto F>
int act(lua_State* L) {
  std::exception_ptr carried;
  try {
    return Bound<F>::call(L);
  } catch (const std::exception&) {
    carried = std::current_exception();
  }
  raise_half_done(L, carried);
}

/// A function by its signature as what Lua can call (see bound), where it changes a run. Errors that it raises itself
/// (raise) are refusals, which scripts can catch.
template <auto F>
constexpr lua_CFunction acting = act<F>;

}  // namespace coslice::luahost
