// Runs a policy: the scheduler that asks Lua.
#pragma once

#include <memory>

#include "api/jobs/job_tables.h"
#include "api/policy/explaining_hooks.h"
#include "api/policy/policy.h"
#include "jobs/workload.h"
#include "machine/fragmentation.h"
#include "machine/placement.h"
#include "observe/result.h"
#include "schedule/queue_scheduler.h"
#include "schedule/scheduler.h"

namespace coslice {

class EntryKey;
class QueueKeys;
class StartRule;
class SlowdownModel;
class ViewObject;

class LuaScheduler : public Scheduler {
 public:
  /// `policy` outlives the scheduler. One run per policy object: what a policy keeps in its own variables is part of
  /// it. Under time slices several schedulers, one for each class, share a policy.
  /// `slowdowns`, which outlives the scheduler, says how fast jobs run beside others; null: no job is slowed down.
  explicit LuaScheduler(Policy& policy, const SlowdownModel* slowdowns = nullptr, const MachineSpec& machine = {});
  ~LuaScheduler() override;

  /// Sets the date at second 0, for view:clock(). Precondition: the run has not begun.
  void use_calendar(const std::optional<TraceClock>& calendar);

  void begin(View& view) override;
  std::optional<OwnCheckpoints> checkpoints(View& view, JobIndex j) override;
  std::optional<Duration> estimate(View& view, JobIndex j) override;
  void corrected(View& view, JobIndex j) override;
  double key(View& view, JobIndex j) override;
  void submitted(View& view, JobIndex j) override;
  void started(View& view, JobIndex j) override;
  void resized(View& view, JobIndex j, std::int32_t before) override;
  void asks(View& view, JobIndex j, std::int32_t nodes) override;
  void ended(View& view, JobIndex j, Time started) override;
  void dropped(View& view, JobIndex j) override;
  void withdrawn(View& view, JobIndex j) override;
  void schedule(View& view, const Pass& pass) override;
  /// Returns what chooses nodes on a machine whose nodes differ; null: the policy does not say. All outlive the
  /// scheduler, which outlives it; `mix` is what jobs typically ask for, `seed` that of random choices.
  Placement* placement(const MachineLayout& layout, const std::vector<TypicalRequest>& mix, std::uint64_t seed);
  /// Returns what the policy noted down in the run.
  const PolicyNotes& notes() const;
  /// Returns whether the policy asked the view for the time.
  bool read_clock() const;

 private:
  void bind_functions();
  double ask_key(JobIndex j);
  void enter(const View& view, JobIndex j);
  void rekey(View& view);
  bool set_keys(View& view);
  void forget(View& view, JobIndex j);
  bool begin_keys(View& view, std::vector<double>& least, std::vector<std::uint8_t>& known);
  void tell(const Hook& hook, View& view, JobIndex j, std::optional<std::int32_t> nodes = {});
  void decide(View& view, const Pass& pass);
  void tell_reasons(View& view);
  void tell_reason(View& view, JobIndex j);
  void tell_factors(View& view, JobIndex j);
  bool passes_over(const View& view) const;

  Policy& policy_;
  ExplainingHooks explaining_;
  JobTables jobs_;
  std::unique_ptr<ViewObject> object_;
  std::unique_ptr<QueueScheduler> ready_;
  JobIndex entered_ = kNoJob;            ///< the last one that entered the queue
  std::unique_ptr<EntryKey> entry_key_;  ///< absent without a key, or where no hook sees jobs later
  std::unique_ptr<QueueKeys> keys_;      ///< absent without a dynamic key
  std::unique_ptr<Placement> placement_;
  std::unique_ptr<StartRule> rule_;  ///< absent without a veto
  Pass passed_over_;                 ///< what passes told in which the policy was not asked
  double sign_ = 1;                  ///< -1: highest keys first
  std::vector<JobIndex> resized_;    ///< waiting jobs whose tables are not up to date
  bool keeps_tables_;                ///< hooks see jobs after their submission
  View* view_ = nullptr;
};

}  // namespace coslice
