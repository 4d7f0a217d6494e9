// From Lua errors to exceptions: where, what, and by which calls.
#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "core/error.h"
#include "core/text.h"
#include "core/work_count.h"
#include "host/core.h"
#include "host/sandbox.h"
#include "host/value_text.h"

namespace coslice::luahost {
namespace {

constexpr int kFirstCalls = 12;                ///< of a long traceback, the number of calls shown from its top
constexpr int kLastCalls = 8;                  ///< and from its bottom
constexpr int kTracebackCost = 1000;           ///< units of work: each error of a __close makes one
constexpr std::size_t kLongestProblem = 4096;  ///< bytes of what a script raised

bool is_raiser(const char* name) { return std::strcmp(name, "error") == 0 || std::strcmp(name, "assert") == 0; }

/// One line of a traceback; "" for calls that tell nothing.
std::string describe_call(const lua_Debug& at) {
  const bool is_c = std::strcmp(at.what, "C") == 0;
  if (is_c && (at.name == nullptr || is_raiser(at.name))) return "";
  std::string out = is_c ? "[engine]: " : fmt::format("{}:{}: ", at.short_src, at.currentline);
  if (at.name != nullptr && *at.namewhat != '\0') {
    out += fmt::format("in {} '{}'", at.namewhat, at.name);
  } else if (std::strcmp(at.what, "main") == 0) {
    out += "in main chunk";
  } else {
    out += fmt::format("in function <{}:{}>", at.short_src, at.linedefined);
  }
  return out;
}

int count_levels(lua_State* L) {
  lua_Debug at{};
  int known = 0, beyond = 1;
  while (lua_getstack(L, beyond, &at)) known = beyond, beyond *= 2;
  while (known + 1 < beyond) {
    const int middle = (known + beyond) / 2;
    (lua_getstack(L, middle, &at) ? known : beyond) = middle;
  }
  return known + 1;
}

/// A global of standard Lua that is missing here, and what there is instead.
struct Missing {
  std::string_view name, instead;
};
constexpr Missing kMissing[] = {
    {"io", "scripts read no files; parameters of workload scripts may be tables, NAME = { csv = PATH }"},
    {"os", "scripts have no clock and no environment; the time is what the engine hands over, e.g. view.now"},
    {"next", "table.is_empty(t) says whether a table has no field, pairs(t) goes through it"},
    {"debug", "there is no debug library; errors come with a traceback"},
    {"package", "require looks beside the script"},
    {"dofile", "require looks beside the script"},
    {"loadfile", "require looks beside the script"},
    {"collectgarbage", "the memory limit does this"},
    {"warn", "print writes a line"},
    {"unpack", "it is table.unpack"},
    {"loadstring", "it is load"},
};

/// What stands in quotes behind `words` in Lua's own message; "" where they are not in it.
std::string named_in(const std::string& problem, std::string_view words) {
  const std::size_t at = problem.find(words);
  if (at == std::string::npos || problem.compare(0, 11, "attempt to ") != 0) return "";
  const std::size_t begin = at + words.size();
  return problem.substr(begin, problem.find('\'', begin) - begin);
}

/// What to try where a script uses a global that is not there, or calls a function that a library does not have.
std::string hint_for_missing(lua_State* L, const std::string& problem) {
  if (const std::string name = named_in(problem, "a nil value (global '"); !name.empty()) {
    for (const Missing& missing : kMissing)
      if (missing.name == name) return std::string(missing.instead);
    return did_you_mean(name, global_names(L));
  }
  for (const std::string_view words : {"call a nil value (field '", "call a nil value (method '"})
    if (const std::string name = named_in(problem, words); !name.empty()) return near_library_function(L, name);
  return "";
}

/// "file:line: text" -> its parts; leaves `d.problem` alone if it does not begin so.
void split_position(Diagnostic& d) {
  const std::string& text = d.problem;
  for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
    std::size_t end = colon + 1;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end == colon + 1 || end - colon > 9 || text.compare(end, 2, ": ") != 0) continue;
    d.file = text.substr(0, colon);
    d.line = std::stoi(text.substr(colon + 1, end - colon - 1));
    d.problem = text.substr(end + 2);
    return;
  }
}

/// The file and line of the innermost call in a traceback.
void take_position(Diagnostic& d, const std::string& traceback) {
  std::size_t begin = 0;
  while (begin < traceback.size()) {
    const std::size_t end = std::min(traceback.find('\n', begin), traceback.size());
    Diagnostic line;
    line.problem = traceback.substr(begin, end - begin);
    split_position(line);
    if (line.line > 0) {
      d.file = line.file.substr(line.file.find_first_not_of(' '));
      d.line = line.line;
      return;
    }
    begin = end + 1;
  }
}

/// Replaces the error object at 1 by text. A __tostring of a script may run.
int error_object_text(lua_State* L) {
  const int type = lua_type(L, 1);
  const bool plain = type == LUA_TNIL || type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING;
  if (plain || luaL_getmetafield(L, 1, "__tostring") != LUA_TNIL) {
    push_text(L, 1);
  } else {
    lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
  }
  return 1;
}

/// The error object on the top of the stack as text, made under what is left of the budget.
std::string error_text(lua_State* L) {
  const std::string kind = luaL_typename(L, -1);
  lua_pushcfunction(L, error_object_text);
  lua_insert(L, -2);
  if (lua_pcall(L, 1, 1, 0) != LUA_OK) return "(error object is a " + kind + " value)";
  std::size_t size = 0;
  const char* text = lua_tolstring(L, -1, &size);
  return {text, size};
}

std::string traceback_text(const Core& core, const std::string& calls, const std::string& label) {
  std::string out;
  if (!calls.empty()) out = "stack traceback:\n" + calls;
  if (!label.empty()) out += std::string(out.empty() ? "" : "\n") + "  in " + label;
  return printable(with_long_names(core, out));
}

/// What the engine threw goes on to where C++ let the script decide, and from there as any other exception.
[[noreturn]] void throw_half_done(Core& core) {
  const std::exception_ptr what = core.half_done;
  if (core.depth <= core.decision) {
    core.exhausted = Exhausted::kNothing;
    core.half_done = nullptr;
  }
  std::rethrow_exception(what);
}

[[noreturn]] void throw_limit(Core& core, const std::string& label) {
  if (core.exhausted == Exhausted::kHalfDone) throw_half_done(core);
  if (core.exhausted == Exhausted::kGivenUp) throw TooMuchWork{};
  Diagnostic d;
  if (core.exhausted == Exhausted::kInterrupted) {
    d.problem = "interrupted";
  } else if (core.exhausted == Exhausted::kMemory) {
    d.problem = fmt::format("out of memory: the script may use {} bytes, one string {} bytes", core.limits.memory,
                            core.limits.string);
    d.suggestion = "does a table only grow? Otherwise raise engine.memory of the scenario (generate: --memory)";
  } else {
    d.problem = fmt::format("the limit of {} instructions per call is used up", core.limits.instructions);
    d.suggestion = "is there an endless loop? Otherwise raise engine.instructions of the scenario";
  }
  take_position(d, core.limit_traceback);
  d.file = with_long_names(core, d.file);
  d.detail = traceback_text(core, core.limit_traceback, label);
  throw LimitError(std::move(d));
}

}  // namespace

int note_traceback(lua_State* L) {
  Core& core = core_of(L);
  spend(core, kTracebackCost);
  core.traceback = describe_stack(L, 1);
  return 1;
}

std::string describe_stack(lua_State* L, int level) {
  const int levels = count_levels(L);
  std::string out;
  lua_Debug at{};
  for (int i = level; lua_getstack(L, i, &at); ++i) {
    if (i == level + kFirstCalls && levels - i > kLastCalls + 1) {
      const int skipped = levels - i - kLastCalls;
      out += fmt::format("\n  ... ({} calls)", skipped);
      i += skipped;
      if (!lua_getstack(L, i, &at)) break;
    }
    lua_getinfo(L, "Sln", &at);
    const std::string line = describe_call(at);
    if (!line.empty()) out += (out.empty() ? "  " : "\n  ") + line;
  }
  return out;
}

std::string with_long_names(const Core& core, std::string text) {
  for (const auto& [shortened, full] : core.long_names) {
    for (std::size_t at = 0; (at = text.find(shortened, at)) != std::string::npos; at += full.size()) {
      text.replace(at, shortened.size(), full);
    }
  }
  return text;
}

void throw_failure(Core& core, lua_State* L, int status, const std::string& label) {
  if (status == LUA_ERRMEM && core.exhausted == Exhausted::kNothing) core.exhausted = Exhausted::kMemory;
  if (core.exhausted != Exhausted::kNothing) throw_limit(core, label);
  if (const std::exception_ptr* carried = carried_exception(L, -1)) {
    const std::exception_ptr original = *carried;
    lua_pop(L, 1);
    std::rethrow_exception(original);
  }
  Diagnostic d;
  d.problem = error_text(L);
  if (core.exhausted != Exhausted::kNothing) throw_limit(core, label);
  lua_pop(L, 1);
  split_position(d);
  d.suggestion = hint_for_missing(L, d.problem);
  d.file = with_long_names(core, d.file);
  d.problem = printable(shortened(d.problem, kLongestProblem));
  d.detail = traceback_text(core, core.traceback, label);
  throw ScriptError(std::move(d));
}

ScriptError wrong_result(lua_State* L, int index, const LuaRef& function, const std::string& label,
                         const std::string& expected) {
  Diagnostic d;
  d.problem = label + " must return " + expected + ", got " + describe_value(L, index);
  function.push(L);
  lua_Debug at{};
  lua_getinfo(L, ">S", &at);
  d.file = with_long_names(core_of(L), at.short_src);
  d.line = at.linedefined > 0 ? at.linedefined : 0;
  return ScriptError(std::move(d));
}

}  // namespace coslice::luahost
