#include "lab/campaign/point_filter.h"

#include <lua.hpp>

#include "api/policy/params.h"
#include "host/call.h"
#include "host/embedded.h"
#include "host/errors.h"
#include "host/script.h"

namespace coslice {
namespace {

const std::string kWhere = "campaign.where";

LuaRef push_into_lua(LuaState& state, const Value& v) {
  LuaRef out;
  state.protect([&](lua_State* L) {
    push_value(L, v);
    out = LuaRef::pop(L);
  });
  return out;
}

}  // namespace

PointFilter::PointFilter(const std::string& where, Place place, const std::vector<std::string>& axes)
    : place_(std::move(place)) {
  if (where.empty()) return;
  const EmbeddedFile* file = find_embedded("lib/campaign_filter.lua");
  const LuaRef make = run_script(state_, {std::string(file->name), std::string(file->text)});
  Value::List names(axes.begin(), axes.end());
  try {
    Call call(state_, make, kWhere);
    call.push(where).push(push_into_lua(state_, Value(std::move(names)))).invoke(1);
    function_ = call.value(1);
  } catch (const ScriptError& e) {
    blame(e.diagnostic().problem);
  }
}

bool PointFilter::holds(const Value& point) {
  if (!function_) return true;
  try {
    Call call(state_, function_, kWhere);
    call.push(push_into_lua(state_, point)).invoke(1);
    return call.boolean(1);
  } catch (const ScriptError& e) {
    blame(e.diagnostic().problem);
  }
}

void PointFilter::blame(const std::string& problem) const {
  fail_at(place_, kWhere + ": " + problem, "a Lua expression or function, e.g. \"policy ~= 'fcfs' or depth == 1\"");
}

}  // namespace coslice
