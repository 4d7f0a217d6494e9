#include "formula/compiled.h"

#include <lua.hpp>

#include "host/core.h"
#include "host/guard.h"
#include "host/script.h"
#include "host/state.h"

namespace coslice {
namespace {
/// A function whose surroundings change their nature all the time is not worth it.
constexpr int kMostOften = 5;
constexpr std::uint64_t kNotSince = ~std::uint64_t{0};
}  // namespace

CompiledFunction::CompiledFunction(LuaState& state, const LuaRef& function, const LuaRef& params, Result result,
                                   formula::Signature signature)
    : state_(state), function_(function), params_(params), result_(result), lookups_(state), signature_(signature) {
  const LuaRef environment = new_environment(state);
  math_ = state.make([&](lua_State* L) {
    environment.push(L);
    lua_getfield(L, -1, "math");
  });
}

bool CompiledFunction::recognize(lua_State* L, int base) {
  if (recognized_++ == kMostOften) {
    given_up_ = true;
    return false;
  }
  formula_ = std::make_unique<formula::Formula>();
  outside_ = std::make_unique<formula::Outside>();
  try {
    formula::recognize(L, base, signature_, result_ == Result::kBoolean, *formula_, *outside_);
  } catch (const formula::Refused& r) {
    refusal_ = r.why;
    given_up_ = true;
    return false;
  }
  columns_ = std::make_unique<formula::Columns>(*formula_);
  lookups_.want(*formula_);
  lookups_.look_at(L, *outside_);
  return true;
}

bool CompiledFunction::look(lua_State* L) {
  const luahost::StackGuard guard(L);
  luaL_checkstack(L, 20, "formula");
  const int base = lua_gettop(L) + 1;
  function_.push(L);
  params_.push(L);
  math_.push(L);
  if (view_ != nullptr) view_->push(L);
  else lua_pushnil(L);
  if (outside_ && outside_->refresh(L, base)) {
    lookups_.look_at(L, *outside_);
    return true;
  }
  lua_settop(L, base + 3);
  return recognize(L, base);
}

bool CompiledFunction::ready() {
  if (given_up_) return false;
  // A script that is under way now may change what it likes without another call.
  const bool between_scripts = state_.core().depth == 0;
  if (outside_ && between_scripts && calls_ == state_.calls()) return true;
  bool found = false;
  state_.protect([&](lua_State* L) { found = look(L); });
  calls_ = between_scripts ? state_.calls() : kNotSince;
  return found && !given_up_;
}

}  // namespace coslice
