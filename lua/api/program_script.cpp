#include "api/program_script.h"

#include <lua.hpp>
#include <stdexcept>

#include <fmt/format.h>

#include "api/known_fields.h"
#include "api/params.h"
#include "api/random_library.h"
#include "api/script_text.h"
#include "core/error.h"
#include "host/call.h"
#include "host/guard.h"
#include "host/state.h"

namespace coslice {

namespace {

constexpr long long kProgramApi = 1;
constexpr double kLongestLoad = 1e5;  // seconds per iteration

Value job_value(const Job& job) {
  Value v = Value::table();
  v.set("id", Value(job.id));
  v.set("submit", Value(to_seconds(job.submit)));
  v.set("runtime", Value(to_seconds(job.runtime)));
  v.set("limit", Value(to_seconds(job.limit)));
  v.set("processes", Value(static_cast<std::int64_t>(job.size)));
  v.set("user", Value(static_cast<std::int64_t>(job.user)));
  v.set("group", Value(static_cast<std::int64_t>(job.group)));
  v.set("queue", Value(static_cast<std::int64_t>(job.queue)));
  v.set("executable", Value(static_cast<std::int64_t>(job.executable)));
  return v;
}

/// Reads a program: the same fields as in a scenario.
class ProgramReader {
 public:
  explicit ProgramReader(const FieldReader& fields) : f_(fields) {}

  Program read() const {
    f_.only({"name", "pattern", "compute", "polling", "each", "send", "receive", "latency", "jitter", "slot_refill",
             "dispatch_refill", "monitoring", "memory"});
    Program p;
    p.name = f_.text("name", "program");
    if (f_.has("pattern")) {
      const std::string pattern = f_.choice("pattern", {"none", "ring", "barrier"});
      p.pattern = pattern == "none" ? Pattern::kNone : pattern == "ring" ? Pattern::kRing : Pattern::kBarrier;
    }
    const long long each = f_.has("each") ? f_.integer("each", 1) : 1;
    if (each > 100'000) f_.fail("each", fmt::format("program: field 'each' is {}", each), "at most 100,000");
    if (f_.has("compute")) p.compute = loads("compute", each);
    if (f_.has("polling")) p.polling = loads("polling", each);
    const auto cost = [&](const char* name, Duration& field) {
      if (f_.has(name)) field = seconds(f_.number(name), name);
    };
    cost("send", p.communication.send);
    cost("receive", p.communication.receive);
    cost("latency", p.communication.latency);
    cost("slot_refill", p.slot_refill);
    cost("dispatch_refill", p.dispatch_refill);
    cost("monitoring", p.monitoring);
    if (f_.has("jitter")) p.jitter = f_.number("jitter");
    if (f_.has("memory")) p.memory_kb = f_.integer("memory", 0);
    try {
      check_program(p);
    } catch (const std::invalid_argument& e) {
      f_.fail("", fmt::format("the program '{}' cannot be: {}", p.name, e.what()));
    }
    return p;
  }

 private:
  Duration seconds(double s, const char* name) const {
    if (!(s >= 0 && s <= kLongestLoad))
      f_.fail(name, fmt::format("program: field '{}' is {}", name, s),
              fmt::format("seconds from 0 to {}", kLongestLoad));
    return from_seconds(s);
  }

  std::vector<Duration> loads(const char* name, long long each) const {
    lua_State* L = f_.state();
    const luahost::StackGuard guard(L);
    f_.push(name);
    std::vector<Duration> out;
    const auto add = [&](int index) {
      if (lua_type(L, index) != LUA_TNUMBER)
        f_.fail(name, fmt::format("program: '{}' has a {}", name, luaL_typename(L, index)), "seconds by rank");
      out.insert(out.end(), static_cast<std::size_t>(each), seconds(lua_tonumber(L, index), name));
    };
    if (!lua_istable(L, -1)) return add(-1), out;
    const auto n = static_cast<lua_Integer>(lua_rawlen(L, -1));
    if (n < 1 || n * each > 1'000'000)
      f_.fail(name, fmt::format("program: '{}' lists {} loads", name, n), "1 to 1,000,000 ranks");
    for (lua_Integer i = 1; i <= n; ++i) {
      lua_rawgeti(L, -1, i);
      add(-1);
      lua_pop(L, 1);
    }
    return out;
  }

  const FieldReader& f_;
};

}  // namespace

class ProgramScript::Loaded {
 public:
  Loaded(const Script& script, const Value& given, const ProgramScriptContext& context)
      : script_(script), seed_(context.seed), state_(context.limits), random_(state_, context.seed, "program script") {
    set_module_roots(state_, context.roots);
    const LuaRef environment = new_environment(state_);
    random_.install(state_, environment);
    const LuaRef table = run_script(state_, script_, environment);
    state_.protect([&](lua_State* L) { read(L, table, given); });
  }

  Program program_of(const Job& job) {
    static const std::string label = "function 'program' of the program script";
    random_.reseed(derive_seed(seed_, "program script") ^
                       RandomKey(seed_, "program script").bits(static_cast<std::uint64_t>(job.id)),
                   "program");
    LuaRef argument;
    state_.protect([&](lua_State* L) {
      push_value(L, job_value(job));
      refuse_unknown_fields(L, "a job has");
      argument = LuaRef::pop(L);
    });
    Program program;
    try {
      Call call(state_, function_, label);
      call.push(argument).push(params_).invoke(1);
      const LuaRef answer = call.value(1);
      state_.protect([&](lua_State* L) {
        answer.push(L);
        if (!lua_istable(L, -1)) call.fail(1, "a program such as { pattern = \"ring\", compute = 0.001 }");
        program = ProgramReader(FieldReader(L, -1, script_.name, script_.text, "program")).read();
      });
    } catch (const ScriptError& e) {
      throw InputError(e.diagnostic());
    }
    return program;
  }

 private:
  void read(lua_State* L, const LuaRef& table, const Value& given) {
    table.push(L);
    if (!lua_istable(L, -1)) {
      throw InputError({script_.name, 0, "the program script returns no table",
                        "return { api = 1, name = ..., program = function(job, params) ... end }", "", ""});
    }
    const FieldReader f(L, -1, script_.name, script_.text, "program script");
    f.only({"api", "name", "version", "description", "params", "program"});
    if (!f.has("api") || f.integer("api", 1) != kProgramApi)
      f.fail("api", "the program script is written for another interface", "api = 1");
    const std::string name = f.text("name");
    std::vector<ParamSpec> specs;
    if (f.has("params")) {
      f.push("params");
      if (!lua_istable(L, -1))
        f.fail("params", "program script: field 'params' is not a table", "name = { default = ..., doc = ... }");
      specs = read_param_specs(L, -1, script_.name, script_.text);
      lua_pop(L, 1);
    }
    push_value(L, resolve_params(specs, given, fmt::format("program script '{}'", name), true));
    refuse_unknown_fields(L, "the script's 'params' have");
    params_ = LuaRef::pop(L);
    f.require_function("program");
    f.push("program");
    function_ = LuaRef::pop(L);
  }

  Script script_;
  std::uint64_t seed_;
  LuaState state_;
  RandomLibrary random_;
  LuaRef params_, function_;
};

ProgramScript::ProgramScript(const Script& script, const Value& params, const ProgramScriptContext& context)
    : loaded_(std::make_unique<Loaded>(script, params, context)) {}
ProgramScript::ProgramScript(ProgramScript&&) noexcept = default;
ProgramScript::~ProgramScript() = default;

Program ProgramScript::program_of(const Job& job) { return loaded_->program_of(job); }

}  // namespace coslice
