#include "api/jobs/job_fields.h"

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

std::optional<JobNumber> JobFields::ask_table(JobIndex j, const std::string& field) const {
  lua_State* const L = state_.raw();
  const luahost::StackGuard guard(L);
  jobs_.push(L, j);
  if (lua_getfield(L, -1, field.c_str()) != LUA_TNUMBER) return std::nullopt;
  return JobNumber{lua_tonumber(L, -1), lua_isinteger(L, -1) != 0};
}

bool JobFields::read(JobIndex j) {
  if (j >= known_.size()) {
    known_.resize(j + std::size_t{1});
    values_.resize(known_.size() * width_);
  }
  if (known_[j] != 0) return true;
  for (std::size_t i = 0; i != width_; ++i) {
    std::optional<JobNumber> x = jobs_.number(j, formula_->fields()[i]);
    if (!x) state_.protect([&](lua_State*) { x = ask_table(j, formula_->fields()[i]); });
    const bool wants_whole = formula_->field_type(i) == formula::Type::kInt;
    if (!x || x->whole != wants_whole || (x->whole && !formula_->in_range(i, x->value))) return false;
    values_[j * width_ + i] = x->value;
  }
  known_[j] = 1;
  return true;
}

}  // namespace coslice
