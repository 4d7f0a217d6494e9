// The shares of a policy's setting `share`, and the usage that is kept for them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "api/policy/decayed_usage.h"
#include "api/policy/share_setting.h"
#include "formula/compiled.h"
#include "host/ref.h"
#include "jobs/attributes.h"
#include "schedule/view.h"

namespace coslice {

class Policy;

/// The shares of the owners whose jobs wait.
class Shares {
 public:
  /// Keeps references to its arguments, which outlive it; `view` is the Lua value of the view. Without a setting, no
  /// owner has a share.
  Shares(Policy& policy, const LuaRef& view);

  /// Asks for the shares of all owners of jobs that wait. The hook may look at the view.
  void ask(View& view);
  /// Returns the owner of a job: dense numbers from 0.
  std::size_t owner(const View& view, JobIndex j) {
    return j < owners_.size() && owners_[j] >= 0 ? static_cast<std::size_t>(owners_[j]) : find_owner(view, j);
  }
  /// Counts a submitted job into the usage of its owner. Does nothing where none is kept.
  void submitted(const View& view, JobIndex j);
  void started(const View& view, JobIndex j);
  void ended(const View& view, JobIndex j);
  /// Returns the shares by owner; only those that were asked for last mean anything.
  const std::vector<double>& values() const { return values_; }

 private:
  /// What the engine keeps where the setting has a half-life.
  struct Kept {
    explicit Kept(double half_life) : usage(half_life) {}
    DecayedUsage usage;
    std::unique_ptr<CompiledFunction> of;  ///< absent: usage is the share
    std::vector<std::uint8_t> come;        ///< by owner: jobs of the owner have been submitted
    std::int64_t owners = 0;               ///< of which that holds
    std::vector<double> computed_at;       ///< by owner: the instant that its share is for
    std::vector<std::int32_t> nodes;       ///< by JobIndex, while they are held
    std::vector<std::size_t> due;          ///< owners whose shares are to be computed, during compute()
    std::vector<double> used, results;     ///< of those
  };

  const ShareSetting* setting() const;
  std::size_t find_owner(const View& view, JobIndex j);
  std::size_t number_of(std::int64_t name);
  const std::vector<std::size_t>& find_waiting(View& view);
  void ask_script(double now);
  void compute(double now);
  bool compute_of_usage(double total);
  double ask_of_usage(double used, double total);

  Policy& policy_;
  const LuaRef& view_;
  const Attribute* by_ = nullptr;
  std::unique_ptr<Kept> kept_;        ///< absent: the script keeps accounts of its own
  std::vector<std::int64_t> names_;   ///< by owner
  std::vector<std::int32_t> owners_;  ///< by JobIndex; -1: not known yet
  std::vector<double> values_;        ///< by owner
  std::vector<std::uint8_t> asked_;   ///< by owner, during ask()
  std::vector<std::size_t> waiting_;  ///< owners of jobs that wait, in the order of their first jobs
};

}  // namespace coslice
