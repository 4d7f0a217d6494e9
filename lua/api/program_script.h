// A Lua file that says what the processes of each job do (lua/meta/coscheduling.lua).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/value.h"
#include "host/limits.h"
#include "host/script.h"
#include "process/program.h"
#include "workload/job.h"

namespace coslice {

struct ProgramScriptContext {
  Limits limits;
  std::uint64_t seed = 1;
  std::vector<ModuleRoot> roots;  ///< where `require` looks
};

class ProgramScript {
 public:
  /// Loads and checks it. Throws InputError.
  ProgramScript(const Script& script, const Value& params, const ProgramScriptContext& context);
  ProgramScript(ProgramScript&&) noexcept;
  ~ProgramScript();

  /// Asks the script. Its random stream depends on the seed and the job's number. Throws InputError for an answer that
  /// is no program and for an error that it raises.
  Program program_of(const Job& job);

 private:
  class Loaded;
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace coslice
