// Options that a script gives to a method: a table of names and values. For .cpp files; sees Lua's headers.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <lua.hpp>

namespace coslice::options {

/// One option, its value on the top of the stack. The readers raise a Lua error that names it if the value is wrong.
class Option {
 public:
  Option(lua_State* L, const char* of, const char* name) : L_(L), of_(of), name_(name) {}

  bool is(const char* name) const;
  /// Returns the option as a number; raises a Lua error for NaN and for what is not a number.
  double number() const;
  bool flag() const;
  /// Returns the option as a whole number of at least 0; raises a Lua error if it is not one.
  std::size_t count() const;
  /// Returns which of the names the option is, from 0; raises a Lua error if it is none.
  int choice(std::initializer_list<const char*> names) const;
  /// Raises the error that something else was expected.
  [[noreturn]] void fail(const char* expected) const;

 private:
  lua_State* L_;
  const char* of_;
  const char* name_;
};

/// Raises a Lua error about a key of the table of options that is none of the names; the key is on the top of the
/// stack.
[[noreturn]] void refuse(lua_State* L, const char* of, std::initializer_list<const char*> names);
/// Raises a Lua error unless there is a table at that index, or nothing; false if there is nothing.
bool given(lua_State* L, int table, const char* of);
/// Returns the name, or null if the value at that index is none of the names.
const char* known(lua_State* L, int index, std::initializer_list<const char*> names);

/// Calls `take` with each option that stands in the table at that index; any but those named is an error. No table: no
/// options. `of` is what takes them: "view:easy".
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
