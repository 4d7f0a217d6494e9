// Options that a script gives to a method: a table of names and values. For .cpp files; sees Lua's headers.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <lua.hpp>
#include <string>

#include "core/time.h"

namespace coslice::options {

/// One option, its value on the top of the stack. The readers raise a Lua error that names it if the value is wrong.
class Option {
 public:
  Option(lua_State* L, const char* of, const char* name) : L_(L), of_(of), name_(name) {}

  /// Returns whether the option has that name.
  bool is(const char* name) const;
  /// Returns the option as a number; raises a Lua error for NaN and for what is not a number.
  double number() const;
  /// Returns the option as a span of time; raises a Lua error if it is not one in seconds.
  Duration span() const;
  /// Returns the option as a boolean; raises a Lua error if it is not one.
  bool flag() const;
  /// Returns the option as a whole number of at least 0; raises a Lua error if it is not one.
  std::size_t count() const;
  /// Returns the index, from 0, of the option's value in `names`; raises a Lua error for any other value.
  int choice(std::initializer_list<const char*> names) const;
  /// Raises a Lua error that names the option and says what was expected.
  [[noreturn]] void fail(const std::string& expected) const;

 private:
  lua_State* L_;
  const char* of_;
  const char* name_;
};

/// Raises the Lua error of an unknown option; its key is on the top of the stack, `names` are those that exist.
[[noreturn]] void refuse(lua_State* L, const char* of, std::initializer_list<const char*> names);
/// Returns whether the value at that index is a table, false for none or nil; raises a Lua error for any other value.
bool given(lua_State* L, int table, const char* of);
/// Returns the value at that index if it is one of `names`, else null.
const char* known(lua_State* L, int index, std::initializer_list<const char*> names);

/// Calls `take` with each option in the table at that index; an option that `names` lacks is a Lua error. Without a
/// table there are no options. `of` names the method in messages: "view:easy".
template <class F>
void read(lua_State* L, int table, const char* of, std::initializer_list<const char*> names, F&& take) {
  if (!given(L, table, of)) return;
  lua_pushnil(L);
  while (lua_next(L, table) != 0) {
    const char* name = known(L, -2, names);
    if (name == nullptr) {
      lua_pop(L, 1);
      refuse(L, of, names);
    }
    take(Option(L, of, name));
    lua_pop(L, 1);
  }
}

}  // namespace coslice::options
