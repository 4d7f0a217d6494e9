// Many calls of one function inside a single protected call: what a key per waiting job takes. A Call each would cost
// as much again as the function itself.
//
//   CallSeries series(state, hook, label);
//   series.run([&](lua_State* L) {        // protected: Lua API errors in here come out as exceptions
//     for (...) {
//       series.begin();
//       lua_pushnumber(L, x);             // the arguments
//       keys.push_back(series.number(1));
//     }
//   });
#pragma once

#include <string>
#include <type_traits>

#include "host/state.h"

namespace coslice {

class CallSeries {
 public:
  /// `label` says in errors what is called; both outlive the series. Precondition: `function` is not empty.
  CallSeries(LuaState& state, const LuaRef& function, const std::string& label)
      : core_(state.core()), function_(function), label_(label) {}

  /// Runs body(L) in one protected call. Throws ScriptError, LimitError, or what `body` threw.
  template <class Body>
  void run(Body&& body) {
    run_erased([](void* b, lua_State* L) { (*static_cast<std::remove_reference_t<Body>*>(b))(L); }, &body);
  }

  // Inside the body:
  /// Pushes the function. Its arguments go on top.
  void begin();
  /// Calls it for one result, takes that off the stack and returns it. Anything but a number that is not NaN throws a
  /// ScriptError at the function. Each outermost call has the instruction budget to itself.
  double number(int arguments);
  /// Calls it for that many results, which stay on the stack; with a budget of its own as number() has.
  void call(int arguments, int results);
  /// Throws a ScriptError at the function: "<label> must return <expected>, got <the value at that stack index>".
  [[noreturn]] void fail(int index, const std::string& expected);

 private:
  using ErasedBody = void (*)(void* body, lua_State* L);
  void run_erased(ErasedBody invoke, void* body);

  luahost::Core& core_;
  const LuaRef& function_;
  const std::string& label_;
  lua_State* L_ = nullptr;
};

}  // namespace coslice
