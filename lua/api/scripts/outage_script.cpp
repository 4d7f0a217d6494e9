#include "api/scripts/outage_script.h"

#include <lua.hpp>
#include <memory>

#include <fmt/format.h>

#include "api/jobs/job_values.h"
#include "api/scripts/table_value.h"
#include "core/error.h"
#include "host/call.h"
#include "host/guard.h"

namespace coslice {
namespace {

constexpr std::size_t kMostOutages = 1'000'000;
const ScriptKind kOutageScript = {"outage script",
                                  "outages",
                                  "return { api = 1, name = ..., outages = function(params, machine, span) ... end }",
                                  {"outages"}};

/// Gives back the next outage at each call, nothing when there are no more; and the thread in which it is yielded.
const char* const kNextOutage = R"lua(
local outages, params, machine, span = ...
local thread
local next = coroutine.wrap(function()
  thread = coroutine.running()
  outages(params, machine, span)
end)
return function()
  local outage = next()
  return outage, thread
end
)lua";

/// The line of the script that the thread stands at, which has just yielded; 0 if it does not.
int line_of_yield(lua_State* thread) {
  lua_Debug at;
  for (int level = 0; lua_getstack(thread, level, &at) != 0; ++level) {
    lua_getinfo(thread, "l", &at);
    if (at.currentline > 0) return at.currentline;
  }
  return 0;
}

class OutageScript {
 public:
  OutageScript(const Script& script, const OutageScriptContext& context)
      : script_(script, context, kOutageScript), context_(context), outages_(script_.function("outages")),
        source_(std::make_shared<Source>(Source{script.name, ""})) {}

  std::vector<Value> run(const Value& given);

 private:
  LuaRef iterator(const Value& given) const;
  Value read(Call& call, std::size_t number) const;

  LoadedScript script_;
  const OutageScriptContext& context_;
  Hook outages_;
  std::shared_ptr<Source> source_;
};

LuaRef OutageScript::iterator(const Value& given) const {
  static const std::string label = "outage script";
  Value span = Value::table({{"first", to_seconds(context_.first)}, {"last", to_seconds(context_.last)}});
  const LuaRef params = script_.params_table(given);
  const LuaRef machine = script_.table(machine_value(context_.machine), "the machine has");
  const LuaRef times = script_.table(span, "the span of submissions has");
  const LuaRef iterate = compile(script_.state(), {"outage iterator", kNextOutage}, new_environment(script_.state()));
  Call call(script_.state(), iterate, label);
  call.push(outages_.function).push(params).push(machine).push(times).invoke(1);
  return call.value(1);
}

Value OutageScript::read(Call& call, std::size_t number) const {
  const LuaRef yielded = call.value(1), thread = call.value(2);
  const std::string path = fmt::format("outage {}", number);
  Value outage;
  script_.state().protect([&](lua_State* L) {
    const luahost::StackGuard guard(L);
    thread.push(L);
    const Place place{source_, line_of_yield(lua_tothread(L, -1))};
    yielded.push(L);
    if (!lua_istable(L, -1))
      fail_at(place, fmt::format("{}: the script yields a {}", path, luaL_typename(L, -1)),
              "a table such as { nodes = 3, from = 300, length = 900 }");
    outage = value_from_lua(L, -1, place, path, false);
  });
  return outage;
}

std::vector<Value> OutageScript::run(const Value& given) {
  std::vector<Value> all;
  const LuaRef next = iterator(given);
  while (true) {
    Call call(script_.state(), next, outages_.label);
    call.invoke(2);
    if (call.is_nil(1)) return all;
    if (all.size() == kMostOutages)
      throw InputError({script_.script().name, 0, fmt::format("the script yields more than {} outages", kMostOutages)});
    all.push_back(read(call, all.size() + 1));
  }
}

}  // namespace

std::vector<Value> run_outage_script(const Script& script, const Value& params, const OutageScriptContext& context) {
  try {
    return OutageScript(script, context).run(params);
  } catch (const ScriptError& e) {
    throw InputError(e.diagnostic());
  }
}

std::vector<ParamSpec> outage_script_params(const Script& script, const ScriptContext& context) {
  return declared_params(script, context, kOutageScript);
}

}  // namespace coslice
