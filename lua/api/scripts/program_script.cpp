#include "api/scripts/program_script.h"

#include <lua.hpp>
#include <stdexcept>

#include <fmt/format.h>

#include "api/jobs/job_values.h"
#include "api/jobs/known_fields.h"
#include "api/scripts/table_value.h"
#include "core/error.h"
#include "host/call.h"

namespace coslice {
namespace {

const ScriptKind kProgramScript = {"program script",
                                   "program script",
                                   "return { api = 1, name = ..., program = function(job, params) ... end }",
                                   {"program"}};

/// Those of a scenario, but a program needs no name, and is not drawn.
const std::vector<Key<ProgramSpec>>& answer_keys() {
  static const std::vector<Key<ProgramSpec>> keys = [] {
    std::vector<Key<ProgramSpec>> all = program_keys();
    all.front().required = false;
    all.pop_back();
    return all;
  }();
  return keys;
}

/// The program in the table on the top of the stack.
Program read_program(lua_State* L, const Script& script) {
  ProgramSpec spec;
  spec.name = "program";
  read_lua_record(answer_keys(), spec, L, -1, script.name, script.text, "program");
  try {
    return spec.program();
  } catch (const std::invalid_argument& e) {
    throw InputError({script.name, 0, fmt::format("the program '{}' cannot run: {}", spec.name, e.what())});
  }
}

}  // namespace

ProgramScript::ProgramScript(const Script& script, const Value& params, const ScriptContext& context)
    : script_(script, context, kProgramScript), seed_(context.seed), function_(script_.function("program")),
      params_(script_.params_table(params)) {}

Program ProgramScript::program_of(const Job& job) {
  script_.random().reseed(derive_seed(seed_, "program script") ^
                              RandomKey(seed_, "program script").bits(static_cast<std::uint64_t>(job.id)),
                          "program");
  const LuaRef argument = script_.state().make([&](lua_State* L) {
    push_whole_job(L, job, Unknown::kMinusOne);
    refuse_unknown_fields(L, "a job has");
  });
  try {
    Call call(script_.state(), function_.function, function_.label);
    call.push(argument).push(params_).invoke(1);
    const LuaRef answer = call.value(1);
    Program program;
    script_.state().protect([&](lua_State* L) {
      answer.push(L);
      if (!lua_istable(L, -1)) call.fail(1, "a program such as { pattern = \"ring\", compute = 0.001 }");
      program = read_program(L, script_.script());
    });
    return program;
  } catch (const ScriptError& e) {
    throw InputError(e.diagnostic());
  }
}

}  // namespace coslice
