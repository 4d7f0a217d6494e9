#include "api/start_rule.h"

#include <lua.hpp>

#include "host/call.h"

namespace coslice {

StartRule::StartRule(Policy& policy, const JobTables& jobs)
    : policy_(policy), jobs_(jobs), rule_(policy.state(), policy.hooks().may_start.function, policy.params_table(),
                                          CompiledFunction::Result::kBoolean),
      fields_(policy.state(), jobs) {}

bool StartRule::may_start(const View& view, JobIndex j) {
  const double now = to_seconds(view.now());
  bool may = false;
  return compute(now, j, may) ? may : ask(now, j);
}

/// False if Lua must be asked.
bool StartRule::compute(double now, JobIndex j, bool& may) {
  if (!fresh_) {
    fresh_ = true;
    usable_ = rule_.ready();
    if (usable_) policy_.state().note_computed(policy_.hooks().may_start.label);
    if (usable_) fields_.want(rule_.formula(), rule_.version());
  }
  if (!usable_) return false;
  if (!fields_.known(j)) {
    bool read = false;
    policy_.state().protect([&](lua_State*) { read = fields_.read(j); });
    if (!read) {
      rule_.give_up();
      return usable_ = false;
    }
  }
  double result = 0;
  if (!rule_.columns().compute_one(now, rule_.outside(), fields_.of(j), result)) return false;
  may = result != 0;
  return true;
}

bool StartRule::ask(double now, JobIndex j) {
  const Hook& hook = policy_.hooks().may_start;
  Call call(policy_.state(), hook.function, hook.label);
  jobs_.push(call.raw(), j);
  call.pushed();
  call.push(now).push(policy_.params_table()).invoke(1);
  fresh_ = false;
  return call.boolean(1);
}

}  // namespace coslice
