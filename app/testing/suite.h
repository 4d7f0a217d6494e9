// A regression suite: a Lua file with describe, it and expect (lua/meta/test.lua).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/scripts/random_library.h"
#include "host/script.h"
#include "host/state.h"
#include "testing/context.h"
#include "testing/test_result.h"

namespace coslice {

struct SuiteOptions {
  bool update = false;                ///< write golden snapshots instead of comparing
  std::optional<std::uint64_t> seed;  ///< for all properties, instead of their own
  std::int64_t times = 1;             ///< each property holds on so many times as many workloads
  Limits limits;  ///< each case, and each hook, has its own budget of instructions, so many times with `times`
};

/// One suite in a Lua state of its own. Not thread-safe; different suites may run on different threads.
class Suite {
 public:
  /// Loads the file and collects its cases; runs none. Throws InputError for whatever goes wrong.
  Suite(const std::string& path, const SuiteOptions& options);
  ~Suite();
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;

  std::size_t size() const { return cases_.size(); }
  const std::string& name(std::size_t i) const { return cases_[i].name; }
  /// Runs a case with the hooks around it. Whatever goes wrong is in the result.
  CaseResult run(std::size_t i);
  int goldens_written() const { return context_.goldens_written; }
  const std::vector<std::string>& warnings() const { return context_.warnings; }

 private:
  struct Case {
    std::string name, mode, reason;
    int line = 0;
    LuaRef body;
    std::vector<LuaRef> before, after;
  };

  LuaRef load_library();
  LuaRef load(const Script& script, const LuaRef& library);
  void collect(const LuaRef& library);
  Case read_case(lua_State* L) const;
  void run_body(const Case& c, CaseResult& result);
  bool attempt(const LuaRef& function, const std::string& label, CaseResult& result);

  SuiteContext context_;
  std::unique_ptr<LuaState> state_;
  std::unique_ptr<RandomLibrary> random_;
  std::vector<Case> cases_;
};

}  // namespace coslice
