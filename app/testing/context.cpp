#include "testing/context.h"

#include <algorithm>
#include <cstring>
#include <lua.hpp>

#include <fmt/format.h>

namespace coslice {
namespace {

/// Chunk names of the library: "lib/test.lua", "lib/test_expect.lua", ...
bool is_library(const char* source) { return std::strncmp(source, "@lib/test", 9) == 0; }

}  // namespace

void SuiteContext::warn(const std::string& kind, std::string text) {
  if (std::ranges::find(warned_, kind) != warned_.end()) return;
  warned_.push_back(kind);
  warnings.push_back(std::move(text));
}

std::vector<SuiteLine> suite_lines(lua_State* L) {
  constexpr std::size_t kMost = 20;
  std::vector<SuiteLine> lines;
  lua_Debug at{};
  for (int level = 0; lines.size() < kMost && lua_getstack(L, level, &at) != 0; ++level) {
    lua_getinfo(L, "Sl", &at);
    if (at.currentline > 0 && *at.source == '@' && !is_library(at.source))
      lines.push_back({at.source + 1, at.currentline});
  }
  return lines;
}

void fail_test(lua_State* L, const std::string& message) {
  const std::vector<SuiteLine> lines = suite_lines(L);
  std::string calls;
  for (std::size_t i = 1; i < lines.size(); ++i)
    calls += fmt::format("\n  called at {}:{}", lines[i].file, lines[i].line);
  fail_test_at(lines.empty() ? SuiteLine{} : lines[0], message + calls);
}

void fail_test_at(const SuiteLine& where, const std::string& message) {
  Diagnostic d;
  d.file = where.file;
  d.line = where.line;
  const std::size_t end = message.find('\n');
  d.problem = message.substr(0, end);
  if (end != std::string::npos) d.detail = message.substr(end + 1);
  throw TestFailure(std::move(d));
}

}  // namespace coslice
