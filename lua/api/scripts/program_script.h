// A Lua file that says what the processes of each job do (lua/meta/coscheduling.lua).
#pragma once

#include <cstdint>

#include "api/scripts/loaded_script.h"
#include "core/value.h"
#include "jobs/job.h"
#include "process/program.h"

namespace coslice {

class ProgramScript {
 public:
  /// Loads and checks it. Throws InputError.
  ProgramScript(const Script& script, const Value& params, const ScriptContext& context);

  /// Asks the script. Its random stream depends on the seed and the job's number. Throws InputError for an answer that
  /// is no program and for an error that it raises.
  Program program_of(const Job& job);

 private:
  LoadedScript script_;
  std::uint64_t seed_;
  Hook function_;
  LuaRef params_;
};

}  // namespace coslice
