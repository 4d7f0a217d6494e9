// The two decisions of a coscheduling policy in Lua.
#pragma once

#include <cstdint>
#include <vector>

#include "api/policy/coscheduling_settings.h"
#include "host/call_series.h"
#include "process/coscheduler.h"

namespace coslice {

class LuaCoscheduler : public Coscheduler {
 public:
  /// Keeps references to its arguments, which outlive it. `ids` are the jobs' numbers in the trace, by index.
  LuaCoscheduler(LuaState& state, const CoschedulingSettings& settings, const LuaRef& params,
                 const std::vector<std::int64_t>& ids);

  const CoschedulingRules& rules() const override { return settings_.rules; }
  /// Throws ScriptError if the function fails or names no mode.
  ModeId slot(const ProcessFacts* next) override;
  /// Throws ScriptError if the function fails or names no class.
  Classification classify(const ProcessFacts& process) override;
  /// In one protected call.
  std::vector<ModeId> slots(const std::vector<const ProcessFacts*>& next) override;
  std::vector<Classification> classify_all(const std::vector<ProcessFacts>& processes) override;

 private:
  int push_names(lua_State* L) const;
  void push_process(lua_State* L, int names, const ProcessFacts& f) const;

  LuaState& state_;
  const CoschedulingSettings& settings_;
  const LuaRef& params_;
  const std::vector<std::int64_t>& ids_;
  LuaRef process_;  ///< one table for all: it is filled anew for each call
};

}  // namespace coslice
