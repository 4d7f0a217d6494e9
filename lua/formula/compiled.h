// A Lua function of a job that the engine computes by itself, if it is nothing but arithmetic.
#pragma once

#include <memory>

#include "formula/columns.h"
#include "formula/formula.h"
#include "formula/lookups.h"
#include "formula/outside.h"
#include "formula/recognize.h"
#include "host/ref.h"

struct lua_State;

namespace coslice {

class LuaState;

class CompiledFunction {
 public:
  /// What the function returns.
  enum class Result : std::uint8_t { kNumber, kBoolean };

  /// Keeps references to `function` and `params`, which outlive it. The function is recognized at the first ready().
  CompiledFunction(LuaState& state, const LuaRef& function, const LuaRef& params, Result result,
                   formula::Signature signature = formula::Signature::kJob);

  /// Sets what job.view is to the function, which it outlives.
  void see_view(const LuaRef& view) { view_ = &view; }
  /// Looks up what the function reads from outside, if a script has run since that was done; recognizes it anew where
  /// that has changed. False if Lua must compute it: nothing is recognized, or it has changed too often.
  bool ready();
  /// Returns how often the function was recognized: another number means another formula.
  int version() const { return recognized_; }
  const formula::Formula& formula() const { return *formula_; }
  /// Returns the columns of the formula; empty after it has been recognized anew.
  formula::Columns& columns() { return *columns_; }
  formula::Lookups& lookups() { return lookups_; }
  const std::vector<double>& outside() const { return outside_->numbers(); }
  /// Lets Lua compute the function from now on.
  void give_up() { given_up_ = true; }
  /// Returns why the function was not recognized; "" if it was.
  const std::string& refusal() const { return refusal_; }

 private:
  bool recognize(lua_State* L, int base);
  bool look(lua_State* L);

  LuaState& state_;
  const LuaRef& function_;
  const LuaRef& params_;
  LuaRef math_;
  const LuaRef* view_ = nullptr;
  Result result_;
  std::unique_ptr<formula::Formula> formula_;
  std::unique_ptr<formula::Outside> outside_;
  std::unique_ptr<formula::Columns> columns_;
  formula::Lookups lookups_;
  std::string refusal_;
  formula::Signature signature_;
  std::uint64_t calls_ = 0;  ///< of scripts, when it was ready last
  int recognized_ = 0;
  bool given_up_ = false;
};

}  // namespace coslice
