#include "api/policy/sharing_settings.h"

#include <lua.hpp>

#include <fmt/format.h>

#include "api/jobs/job_values.h"
#include "api/jobs/known_fields.h"
#include "api/policy/hook.h"
#include "api/policy/params.h"
#include "api/scripts/script_text.h"
#include "api/scripts/table_value.h"
#include "host/call.h"
#include "host/state.h"

namespace coslice {

SharingSettings read_sharing(const FieldReader& policy, const std::string& name) {
  static const std::vector<Key<SharingSettings>> keys = {
      {"layout", codec::choice<SharingSettings>(COSLICE_FIELD(SharingSettings, layout), {"across", "within"}), ""}};
  const FieldReader f = policy.inner(-1, "sharing");
  SharingSettings s;
  read_fields(keys, s, f, {"alone", "shared"});
  for (const char* field : {"alone", "shared"}) f.require_function(field);
  const std::string where = fmt::format("in the sharing of policy '{}'", name);
  s.alone = read_hook(f, "alone", where);
  s.shared = read_hook(f, "shared", where);
  return s;
}

SharingFunctions::SharingFunctions(LuaState& state, const SharingSettings& settings, const LuaRef& params,
                                   const std::vector<JobClass>& classes, const SlowdownModel& slowdowns,
                                   const MachineSpec& machine)
    : state_(state), settings_(settings), params_(params), slowdowns_(slowdowns), exchanged_(slowdowns),
      jobs_(state, classes, &slowdowns) {
  state.protect([&](lua_State* L) {
    push_value(L, machine_value(machine));
    refuse_unknown_fields(L, "the machine has");
    machine_ = LuaRef::pop(L);
  });
}

SharingOptions SharingFunctions::options() {
  SharingOptions o;
  o.layout = settings_.layout;
  o.slowdowns = &slowdowns_;
  if (o.layout == Layout::kWithin) o.slowdowns = &exchanged_;
  o.alone = [this](const View& view, JobIndex j) { return ask(settings_.alone, view, j); };
  o.shared = [this](const View& view, JobIndex j) { return ask(settings_.shared, view, j); };
  return o;
}

std::int32_t SharingFunctions::ask(const Hook& hook, const View& view, JobIndex j) {
  jobs_.show(view);
  LuaRef job;
  state_.protect([&](lua_State* L) {
    jobs_.push_new(L, j);
    job = LuaRef::pop(L);
  });
  Call call(state_, hook.function, hook.label);
  call.push(job).push(machine_).push(params_).invoke(1);
  const double n = call.number(1);
  if (!(n >= 1 && n <= 4096 && n == static_cast<std::int32_t>(n)))
    call.fail(1, "a whole number of processes per node, at least 1");
  return static_cast<std::int32_t>(n);
}

}  // namespace coslice
