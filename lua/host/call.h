// The engine calls Lua. A Call is one protected call with its arguments and results; no Lua header is needed.
//
//   Call call(state, hook, label);               // label: "hook 'key' of policy 'sjf'"
//   call.push(1.0).push(std::int64_t{4});
//   call.invoke(1);                              // throws ScriptError, LimitError, or what the engine threw inside
//   double key = call.number(1);                 // the first result
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/state.h"

namespace coslice {

/// One protected call. Push the arguments, invoke once, read the results; the stack is restored when it goes.
/// Calls nest like the C++ scopes that hold them. The first of them arms the limits, inner ones share its budget.
class Call {
 public:
  /// `label` says in errors what is called; it must outlive the call. Precondition: `function` is not empty.
  Call(LuaState& state, const LuaRef& function, const std::string& label);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Call& push(double x);
  Call& push(std::int64_t i);
  Call& push(bool b);
  Call& push(std::string_view s);
  Call& push(const char* s) { return push(std::string_view(s)); }
  Call& push(const LuaRef& value);
  Call& push_nil();
  /// Returns the thread to push anything else onto with the Lua API; count each value with `pushed()`.
  lua_State* raw() const { return L_; }
  void pushed() { ++arguments_; }

  /// Calls the function for that many results (missing ones are nil).
  /// Throws ScriptError, LimitError, or the exception that an engine function below it threw.
  void invoke(int results);

  /// Returns the i-th result (1-based). A wrong type throws a ScriptError that names the function, its line and the
  /// label.
  double number(int i);
  std::int64_t integer(int i);  ///< whole numbers only
  bool boolean(int i);          ///< true or false, nothing else
  std::string string(int i);
  bool is_nil(int i) const;
  LuaRef value(int i);
  /// Returns the stack index of the i-th result, for the Lua API.
  int index(int i) const { return base_ + i; }

  /// Throws a ScriptError at the function: "<label> must return <expected>, got <the i-th result>".
  [[noreturn]] void fail(int i, const std::string& expected);

 private:
  luahost::Core& core_;
  lua_State* L_;
  const LuaRef& function_;
  const std::string& label_;
  int top_;          ///< height of the stack before
  int base_;         ///< slot below the first result
  int handler_ = 1;  ///< stack index of the traceback handler
  int arguments_ = 0;
};

}  // namespace coslice
