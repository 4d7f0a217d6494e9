// The keys of waiting jobs where they are arithmetic: computed without asking Lua, when a job comes or for the whole
// queue.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "api/jobs/job_fields.h"
#include "api/policy/policy.h"
#include "api/policy/shares.h"
#include "formula/compiled.h"
#include "schedule/view.h"

namespace coslice {

class QueueKeys {
 public:
  /// Keeps references to its arguments, which outlive it; `view` is the Lua value of the view. The policy has a dynamic
  /// key.
  QueueKeys(Policy& policy, const JobTables& jobs, const LuaRef& view);

  /// Sets the keys of the view's queue, sorted or not, lowest first, to those of now. False if Lua must be asked.
  bool set(View& view);
  /// Begins a pass that needs few keys: computes only the blocks that BlockKeys asks for.
  bool begin(View& view, std::vector<double>& least, std::vector<std::uint8_t>& known);
  void compute(WaitingQueue::Position from, WaitingQueue::Position to, double* keys) {
    key_.columns().compute_rows(from, to, keys);
  }
  /// Notes that the job enters the queue.
  void entered(JobIndex j) { fields_.forget(j); }
  void taken(WaitingQueue::Position p) { key_.columns().drop(p); }
  /// Returns what the fourth argument of the key is for a job, when set() has just been called; only with a setting
  /// `share`.
  double share(const View& view, JobIndex j) { return shares_.values()[shares_.owner(view, j)]; }
  Shares& shares() { return shares_; }

 private:
  bool ready(View& view);
  bool follow(const View& view, const WaitingQueue& queue);

  Policy& policy_;
  CompiledFunction key_;
  JobFields fields_;
  Shares shares_;
  double sign_;
  std::uint64_t order_version_ = 0;  ///< of the queue, when its rows were made
};

/// The hook `key` of a policy.
class EntryKey {
 public:
  /// Keeps references to both, which outlive it.
  EntryKey(Policy& policy, const JobTables& jobs);

  /// Returns the key of a job that has entered (JobTables::enter). Nothing if Lua must be asked.
  std::optional<double> compute(JobIndex j);

 private:
  Policy& policy_;
  CompiledFunction key_;
  JobFields fields_;
};

}  // namespace coslice
