// C++ values as Lua has them, and C++ functions as what Lua calls, by their signatures. For .cpp files; sees Lua's
// headers.
//
//   std::optional<Instant> earlier(const ViewCall& call, WaitingJob job) { ... }
//   set_functions(L, {{"earlier", bound<earlier>}});
//
// The first parameter is what the function works on: it is made of the state, ViewCall(L). The others are Lua's
// arguments from index 2 on, or from ViewCall::kFirstArgument on. What is no number, text or flag says how it is read
// and pushed: T(L, subject, index), and x.push(L, subject).
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "host/guard.h"

namespace coslice::luahost {

/// Raises a Lua error with that text (see fmt), at the line of the script that runs.
template <class... Args>
[[noreturn]] void raise(lua_State* L, fmt::format_string<Args...> text, Args&&... args) {
  raise_text(L, fmt::format(text, std::forward<Args>(args)...));
}

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;
template <class T>
constexpr bool is_tuple = false;
template <class... T>
constexpr bool is_tuple<std::tuple<T...>> = true;
template <class T>
constexpr bool is_optional_tuple = false;
template <class... T>
constexpr bool is_optional_tuple<std::optional<std::tuple<T...>>> = true;

/// Pushes a list of what `push_one` pushes for each of the items.
template <class Items, class F>
void push_list(lua_State* L, const Items& items, F&& push_one) {
  lua_createtable(L, static_cast<int>(std::size(items)), 0);
  lua_Integer i = 0;
  for (const auto& item : items) {
    push_one(item);
    lua_rawseti(L, -2, ++i);
  }
}

/// Pushes a flag, number, text, what may be missing (nil), a list of such, or what knows itself how.
template <class T, class... Subject>
void push(lua_State* L, T&& x, Subject&... subject) {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (requires { std::forward<T>(x).push(L, subject...); }) std::forward<T>(x).push(L, subject...);
  else if constexpr (is_optional<Plain>) x ? push(L, *std::forward<T>(x), subject...) : lua_pushnil(L);
  else if constexpr (std::is_same_v<Plain, bool>) lua_pushboolean(L, x ? 1 : 0);
  else if constexpr (std::is_floating_point_v<Plain>) lua_pushnumber(L, x);
  else if constexpr (std::is_integral_v<Plain>) lua_pushinteger(L, static_cast<lua_Integer>(x));
  else if constexpr (std::is_convertible_v<const Plain&, std::string_view>) {
    const std::string_view text = x;
    lua_pushlstring(L, text.data(), text.size());
  } else {
    push_list(L, x, [&](const auto& item) { push(L, item, subject...); });
  }
}

/// Pushes the only result of a function that Lua calls, and returns how many there are.
template <class T>
int answer(lua_State* L, const T& result) {
  push(L, result);
  return 1;
}

/// Sets a field of the table on the top of the stack.
template <class T, class... Subject>
void set_field(lua_State* L, const char* name, const T& x, Subject&... subject) {
  push(L, x, subject...);
  lua_setfield(L, -2, name);
}

/// Sets fields of the table on the top of the stack: a name and a value each.
inline void set_fields(lua_State*) {}
template <class T, class... More>
void set_fields(lua_State* L, const char* name, const T& x, const More&... more) {
  set_field(L, name, x);
  set_fields(L, more...);
}

/// Pushes a table with these fields: a name and a value each.
template <class... NamesAndValues>
void push_fields(lua_State* L, const NamesAndValues&... fields) {
  static_assert(sizeof...(fields) % 2 == 0);
  lua_createtable(L, 0, sizeof...(fields) / 2);
  set_fields(L, fields...);
}

/// Pushes what the registry has under the address of the key; the first time, what `make` pushes.
template <class F>
void push_kept(lua_State* L, const void* key, F&& make) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, key) != LUA_TNIL) return;
  lua_pop(L, 1);
  make();
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

/// Adds functions to the table on the top of the stack. Each gets the `upvalues` values above it, which are popped.
inline void set_functions(lua_State* L, std::initializer_list<luaL_Reg> functions, int upvalues = 0) {
  for (const luaL_Reg& f : functions) {
    for (int i = 0; i != upvalues; ++i) lua_pushvalue(L, -upvalues);
    lua_pushcclosure(L, f.func, upvalues);
    lua_setfield(L, -(upvalues + 2), f.name);
  }
  lua_pop(L, upvalues);
}

/// Returns the text at a stack index; raises Lua's error if there is none.
inline std::string_view text_argument(lua_State* L, int index) {
  std::size_t length = 0;
  const char* const text = luaL_checklstring(L, index, &length);
  return {text, length};
}

/// Returns the argument at a stack index, which may be nil where it is optional; raises Lua's error for arguments of
/// another type.
template <class T, class Subject>
T argument(lua_State* L, [[maybe_unused]] Subject& subject, int index) {
  if constexpr (is_optional<T>) {
    if (lua_isnoneornil(L, index)) return {};
    return argument<typename T::value_type>(L, subject, index);
  } else if constexpr (std::is_constructible_v<T, lua_State*, Subject&, int>) {
    return T(L, subject, index);
  } else if constexpr (std::is_same_v<T, bool>) {
    return lua_toboolean(L, index) != 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    return luaL_checknumber(L, index);
  } else if constexpr (std::is_integral_v<T>) {
    return luaL_checkinteger(L, index);
  } else {
    return T(text_argument(L, index));
  }
}

/// The results of a function that pushes them itself.
struct Pushed {
  int count = 1;
};

/// Pushes what a function returned, a tuple as several results; returns how many there are. A tuple that is missing is
/// none.
template <class Subject, class T>
int push_results(lua_State* L, Subject& subject, T&& x) {
  if constexpr (is_tuple<T>) {
    std::apply([&](auto&&... each) { (push(L, std::move(each), subject), ...); }, std::move(x));
    return static_cast<int>(std::tuple_size_v<T>);
  } else if constexpr (std::is_same_v<T, Pushed>) {
    return x.count;
  } else if constexpr (is_optional_tuple<T>) {
    return x ? push_results(L, subject, std::move(*x)) : 0;
  } else {
    push(L, std::forward<T>(x), subject);
    return 1;
  }
}

template <class Subject>
constexpr int first_argument = 2;
template <class Subject>
requires(std::remove_cvref_t<Subject>::kFirstArgument >
         0) constexpr int first_argument<Subject> = std::remove_cvref_t<Subject>::kFirstArgument;

template <auto F>
struct Bound;

template <class Result, class Subject, class... Args, Result (*F)(Subject, Args...)>
struct Bound<F> {
  static int call(lua_State* L) {
    std::remove_cvref_t<Subject> subject(L);
    return run(L, subject, std::index_sequence_for<Args...>());
  }
  template <std::size_t... I>
  static int run(lua_State* L, std::remove_cvref_t<Subject>& subject, std::index_sequence<I...>) {
    // Braces: arguments are read from the first to the last.
    std::tuple<std::remove_cvref_t<Args>...> args{
        argument<std::remove_cvref_t<Args>>(L, subject, static_cast<int>(I) + first_argument<decltype(subject)>)...};
    if constexpr (std::is_void_v<Result>) return F(subject, std::get<I>(args)...), 0;
    else return push_results(L, subject, F(subject, std::get<I>(args)...));
  }
};

/// A function by its signature as what Lua can call.
template <auto F>
constexpr lua_CFunction bound = guarded<Bound<F>::call>;

}  // namespace coslice::luahost
