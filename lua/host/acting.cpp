#include "host/acting.h"

#include <utility>

#include "core/not_done.h"
#include "core/refusals.h"
#include "host/core.h"

namespace coslice::luahost {
namespace {

bool is_half_done(const std::exception_ptr& e) {
  try {
    std::rethrow_exception(e);
  } catch (const NotDoneError&) {
    return false;
  } catch (const RefusedError&) {
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

}  // namespace

Decision::Decision(LuaState& state)
    : state_(state), before_(std::exchange(state.core().decision, state.core().depth + 1)) {}

Decision::~Decision() { state_.core().decision = before_; }

void raise_half_done(lua_State* L, const std::exception_ptr& e) {
  Core& core = core_of(L);
  if (core.decision == 0 || core.exhausted != Exhausted::kNothing || !is_half_done(e)) raise_exception(L, e);
  lua_settop(L, 0);  // the function may have filled its part of the stack
  core.half_done = e;
  raise_limit(L, Exhausted::kHalfDone);
}

}  // namespace coslice::luahost
