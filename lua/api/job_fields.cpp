#include "api/job_fields.h"

#include <lua.hpp>

#include "host/guard.h"
#include "host/state.h"

namespace coslice {

void JobFields::want(const formula::Formula& formula, int version) {
  formula_ = &formula;
  if (version == version_) return;
  version_ = version;
  width_ = formula.fields().size();
  known_.clear();
  values_.clear();
}

bool JobFields::read(JobIndex j) {
  if (j >= known_.size()) {
    known_.resize(j + std::size_t{1});
    values_.resize(known_.size() * width_);
  }
  if (known_[j] != 0) return true;
  lua_State* const L = state_.raw();
  const luahost::StackGuard guard(L);
  jobs_.push(L, j);
  for (std::size_t i = 0; i != width_; ++i) {
    const bool number = lua_getfield(L, -1, formula_->fields()[i].c_str()) == LUA_TNUMBER;
    const bool whole = lua_isinteger(L, -1) != 0;
    const double x = lua_tonumber(L, -1);
    const bool wants_whole = formula_->field_type(i) == formula::Type::kInt;
    if (!number || whole != wants_whole || (whole && !formula_->in_range(i, x))) return false;
    values_[j * width_ + i] = x;
    lua_pop(L, 1);
  }
  known_[j] = 1;
  return true;
}

}  // namespace coslice
