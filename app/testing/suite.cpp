#include "testing/suite.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <lua.hpp>

#include "host/call.h"
#include "host/embedded.h"
#include "host/guard.h"
#include "testing/run_object.h"

namespace coslice {
namespace {

const ModuleRoot kPolicies{"", "policies/", "the built-in policies"};
const ModuleRoot kLibrary{"", "lib/", "the built-in library"};

/// A traceback without the calls of the test library.
std::string without_library(const std::string& detail) {
  std::string out;
  for (std::size_t from = 0; from < detail.size();) {
    const std::size_t end = std::min(detail.find('\n', from), detail.size());
    const std::string line = detail.substr(from, end - from);
    from = end + 1;
    if (line.compare(0, 10, "  lib/test") == 0) continue;
    const std::size_t name = line.find(": in upvalue 'body'");  // how Lua finds the case that the library calls
    out += (out.empty() ? "" : "\n") + line.substr(0, name) + (name == std::string::npos ? "" : ": in the case");
  }
  return out;
}

/// What an exception says, whatever threw it.
Diagnostic diagnostic_of(const std::exception& e) {
  if (const auto* failure = dynamic_cast<const TestFailure*>(&e)) return failure->diagnostic();
  Diagnostic d;
  if (const auto* script = dynamic_cast<const ScriptError*>(&e)) d = script->diagnostic();
  else if (const auto* input = dynamic_cast<const InputError*>(&e)) d = input->diagnostic();
  else {
    const std::string text = e.what();
    const std::size_t end = text.find('\n');
    d.problem = text.substr(0, end);
    if (end != std::string::npos) d.detail = text.substr(end + 1);
  }
  d.detail = without_library(d.detail);
  return d;
}

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::string text_field(lua_State* L, const char* name) {
  const luahost::StackGuard guard(L);
  lua_getfield(L, -1, name);
  const char* text = lua_tostring(L, -1);
  return text != nullptr ? text : "";
}

LuaRef field(lua_State* L, const char* name) {
  lua_getfield(L, -1, name);
  return LuaRef::pop(L);
}

std::vector<LuaRef> functions_in(lua_State* L, const char* name) {
  const luahost::StackGuard guard(L);
  std::vector<LuaRef> functions;
  lua_getfield(L, -1, name);
  for (lua_Integer i = 1, n = luaL_len(L, -1); i <= n; ++i) {
    lua_geti(L, -1, i);
    functions.push_back(LuaRef::pop(L));
  }
  return functions;
}

/// A property may do as many times more as it has times more workloads.
Limits limits_of(const SuiteOptions& options) {
  Limits limits = options.limits;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::int64_t times = std::max<std::int64_t>(options.times, 1);
  limits.instructions = limits.instructions > kMost / times ? kMost : limits.instructions * times;
  return limits;
}

}  // namespace

Suite::Suite(const std::string& path, const SuiteOptions& options)
    : state_(std::make_unique<LuaState>(limits_of(options))),
      random_(std::make_unique<RandomLibrary>(*state_, options.seed.value_or(1), "suite")) {
  context_.path = path;
  context_.folder = std::filesystem::path(path).parent_path().string();
  context_.update = options.update;
  context_.seed = options.seed;
  context_.times = options.times;
  context_.state = state_.get();
  context_.random = random_.get();
  state_->set_print([this](std::string_view line) { context_.output.emplace_back(line); });
  const Script script = read_script(path);
  try {
    const LuaRef library = load_library();
    collect(load(script, library));
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& e) {  // a failed expectation, a simulation outside of any case
    throw InputError(diagnostic_of(e));
  }
}

Suite::~Suite() = default;

/// The table that lib/test.lua makes of the engine's functions.
LuaRef Suite::load_library() {
  set_module_roots(*state_, {kLibrary});
  const EmbeddedFile* file = find_embedded("lib/test.lua");
  const LuaRef make = run_script(*state_, {std::string(file->name), std::string(file->text)});
  const LuaRef natives = state_->make([&](lua_State* L) { push_natives(L, context_); });
  static const std::string label = "the test library";
  Call call(*state_, make, label);
  call.push(natives).invoke(1);
  return call.value(1);
}

/// Runs the suite, which declares its cases; gives the library's function that lists them.
LuaRef Suite::load(const Script& script, const LuaRef& library) {
  const LuaRef environment = new_environment(*state_);
  LuaRef collected;
  state_->protect([&](lua_State* L) {
    library.push(L);
    collected = field(L, "collected");
    environment.push(L);
    lua_getfield(L, -2, "globals");
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_settable(L, -5);
    }
  });
  random_->install(*state_, environment);
  const std::string folder = context_.folder.empty() ? "." : context_.folder;
  set_module_roots(*state_, {{folder, "", folder}, kPolicies, kLibrary});
  run_script(*state_, script, environment);
  return collected;
}

void Suite::collect(const LuaRef& collected) {
  static const std::string label = "the test library";
  Call call(*state_, collected, label);
  call.invoke(1);
  const LuaRef list = call.value(1);
  state_->protect([&](lua_State* L) {
    list.push(L);
    for (lua_Integer i = 1, n = luaL_len(L, -1); i <= n; ++i) {
      lua_geti(L, -1, i);
      cases_.push_back(read_case(L));
      lua_pop(L, 1);
    }
  });
}

Suite::Case Suite::read_case(lua_State* L) const {
  Case c;
  c.name = text_field(L, "name");
  c.mode = text_field(L, "mode");
  c.reason = text_field(L, "reason");
  lua_getfield(L, -1, "line");
  c.line = static_cast<int>(lua_tointeger(L, -1));
  lua_pop(L, 1);
  c.body = field(L, "body");
  c.before = functions_in(L, "before");
  c.after = functions_in(L, "after");
  return c;
}

CaseResult Suite::run(std::size_t i) {
  const Case& c = cases_[i];
  CaseResult result;
  result.name = c.name;
  result.line = c.line;
  result.reason = c.reason;
  if (c.mode == "run") run_body(c, result);
  else
    result.status = c.mode == "skip"      ? CaseStatus::kSkipped
                    : c.mode == "pending" ? CaseStatus::kPending
                                          : CaseStatus::kLeftOut;
  return result;
}

void Suite::run_body(const Case& c, CaseResult& result) {
  static const std::string before = "before_each", body, after = "after_each";
  const Stopwatch watch;
  context_.skipping = false;
  context_.remark.clear();
  context_.notes.clear();
  context_.output.clear();
  bool fine = true;
  for (const LuaRef& hook : c.before) fine = fine && attempt(hook, before, result);
  if (fine) attempt(c.body, body, result);
  for (const LuaRef& hook : c.after) attempt(hook, after, result);
  result.remark = context_.remark;
  result.notes = context_.notes;
  result.output = context_.output;
  result.seconds = watch.seconds();
}

/// Calls the function; false if it did not come to its end, for which the result then has the reason.
bool Suite::attempt(const LuaRef& function, const std::string& label, CaseResult& result) {
  try {
    Call call(*state_, function, label);
    call.invoke(0);
    return true;
  } catch (const TestSkipped& e) {
    if (result.status == CaseStatus::kPassed) result.status = CaseStatus::kSkipped;
    result.reason = e.what();
  } catch (const std::exception& e) {
    result.status = CaseStatus::kFailed;
    result.failures.push_back(diagnostic_of(e));
  }
  return false;
}

}  // namespace coslice
