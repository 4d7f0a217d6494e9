// A policy's veto, asked no more often than its answer can change, and computed without Lua where it is arithmetic:
// jobs that are alike in all that it reads have one answer, which holds until something that it reads has changed.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "api/jobs/job_fields.h"
#include "api/policy/policy.h"
#include "formula/compiled.h"
#include "schedule/refused_kinds.h"
#include "schedule/view.h"

namespace coslice {

class StartRule {
 public:
  /// Keeps references to its arguments, which outlive it; `view` is the Lua value of the view. The policy has the hook
  /// `may_start`.
  StartRule(Policy& policy, const JobTables& jobs, const LuaRef& view);

  bool may_start(const View& view, JobIndex j) {
    if (fresh_ && j < kind_of_.size() && known(kind_of_[j])) return answers_[kind_of_[j]] % 2 != 0;
    return look(view, j);
  }
  /// Notes that the job enters the queue, perhaps not for the first time: it may be of another kind.
  void entered(JobIndex j) {
    fields_.forget(j);
    if (j < kind_of_.size()) kind_of_[j] = kNoKind;
  }
  /// VetoKinds of the rule.
  std::uint64_t kinds_version(const View& view);
  std::uint32_t kind(JobIndex j) { return know(j) ? kind_of_[j] : VetoKinds::kNone; }
  bool may_be_started(const View& view, std::uint32_t kind) {
    if (fresh_ && known(kind)) return answers_[kind] % 2 != 0;
    return look_at_kind(view, kind);
  }
  /// Forgets kept answers where a script may have run, or time has passed, since they were made.
  void forget() { fresh_ = fresh_ && policy_.state().calls() == calls_ && !reads_time_; }
  /// Returns another number whenever answers may be others than before; 0: they may always be.
  std::uint64_t answers(const View& view);

 private:
  static constexpr std::uint32_t kNoKind = ~std::uint32_t{0};
  /// Jobs with the same fields, as far as the function reads them.
  struct Kind {
    std::vector<double> fields;
    std::vector<formula::Lookups::SlotId> slots;  ///< by lookup
    std::uint64_t computed = 0;                   ///< the turn in which it was computed; 0: never
    std::uint64_t looked = 0;                     ///< the turn of the lookups then
    bool may = false;
  };

  /// Returns whether the answer for the kind is one of this turn.
  bool known(std::uint32_t kind) const { return kind < answers_.size() && answers_[kind] / 2 == turn_; }
  bool look(const View& view, JobIndex j);
  bool look_at_kind(const View& view, std::uint32_t kind);
  void forget_kinds();
  void refresh(double now);
  bool know(JobIndex j);
  std::uint32_t kind_with(const double* fields);
  bool compute(double now, std::uint32_t kind);
  bool ask(double now, JobIndex j);

  Policy& policy_;
  const JobTables& jobs_;
  CompiledFunction rule_;
  JobFields fields_;
  bool fresh_ = false;  ///< the formula's surroundings have been looked at
  bool usable_ = false;
  bool reads_time_ = true;
  std::uint64_t calls_ = 0;      ///< of scripts, when they were looked at
  int version_ = 0;              ///< of the formula that the kinds are of
  std::uint64_t turn_ = 0;       ///< counts when they were looked at
  std::uint64_t changed_ = 0;    ///< the turn in which a number, or the time, was another one
  double now_ = 0;               ///< of the last turn
  std::vector<double> outside_;  ///< of the last turn
  std::vector<Kind> kinds_;
  std::vector<std::uint64_t> answers_;  ///< by kind: twice the turn that it is for, and 1 if jobs may start
  std::uint64_t kinds_version_ = 1;     ///< counts how often the kinds were forgotten
  std::map<std::vector<double>, std::uint32_t> kind_by_fields_;
  std::vector<std::uint32_t> kind_of_;          ///< by JobIndex
  std::vector<std::pair<double, bool>> found_;  ///< by lookup, while a kind is computed
};

}  // namespace coslice
