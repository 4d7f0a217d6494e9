// A policy's veto, asked no more often than its answer can change, and computed without Lua where it is arithmetic.
#pragma once

#include "api/job_fields.h"
#include "api/policy.h"
#include "formula/compiled.h"
#include "sched/view.h"

namespace coslice {

class StartRule {
 public:
  /// All outlive it. The policy has the hook `may_start`.
  StartRule(Policy& policy, const JobTables& jobs);

  bool may_start(const View& view, JobIndex j);
  /// Lua has run: what the answer is made of may have changed.
  void forget() { fresh_ = false; }

 private:
  bool compute(double now, JobIndex j, bool& may);
  bool ask(double now, JobIndex j);

  Policy& policy_;
  const JobTables& jobs_;
  CompiledFunction rule_;
  JobFields fields_;
  bool fresh_ = false;  ///< the formula's surroundings have been looked at
  bool usable_ = false;
};

}  // namespace coslice
