// A Lua value held from C++.
#pragma once

#include <utility>

struct lua_State;

namespace coslice {

/// A value in the registry: it is not collected while the reference lives. Move-only.
/// Precondition: the LuaState outlives its references.
class LuaRef {
 public:
  LuaRef() = default;
  /// Pops the value on top of the stack and holds it; nil gives an empty reference. May raise a Lua memory error,
  /// so call it inside LuaState::protect or a guarded function.
  static LuaRef pop(lua_State* L);
  ~LuaRef() { reset(); }
  LuaRef(LuaRef&& other) noexcept : main_(std::exchange(other.main_, nullptr)), id_(std::exchange(other.id_, 0)) {}
  LuaRef& operator=(LuaRef&& other) noexcept {
    std::swap(main_, other.main_);
    std::swap(id_, other.id_);
    return *this;
  }

  explicit operator bool() const { return main_ != nullptr; }
  /// Pushes the value (nil if empty) onto a stack of the same state.
  void push(lua_State* L) const;
  /// Returns another reference to the value.
  LuaRef copy() const;
  void reset();

 private:
  /// Any thread of the state serves; the main thread lives longest.
  lua_State* main_ = nullptr;
  int id_ = 0;
};

}  // namespace coslice
