// What a policy computes once for each owner of jobs, in place of once for each job: how much a user has had of late.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/hook.h"
#include "api/job_tables.h"
#include "host/ref.h"

namespace coslice {

class FieldReader;
class Policy;

struct ShareSetting {
  std::string by;  ///< the field of a job that names its owner
  Hook of;
};

/// The table on the top of the stack, the field `share` of a policy. Throws InputError.
ShareSetting read_share(const FieldReader& policy, const std::string& name);

/// The shares of the owners whose jobs wait.
class Shares {
 public:
  /// All outlive it; `view` is the Lua value of the view. Without a setting, no owner has a share.
  Shares(Policy& policy, const JobTables& jobs, const LuaRef& view);

  /// Asks for the shares of all owners of jobs that wait. The hook may look at the view.
  void ask(View& view);
  /// The owner of a waiting job: dense numbers from 0. Inside a protected call.
  std::size_t owner(JobIndex j);
  /// By owner; only those that were asked for last mean anything.
  const std::vector<double>& values() const { return values_; }

 private:
  const ShareSetting* setting() const;
  std::size_t number_of(std::int64_t name);

  Policy& policy_;
  const JobTables& jobs_;
  const LuaRef& view_;
  std::vector<std::int64_t> names_;   ///< by owner
  std::vector<std::int32_t> owners_;  ///< by JobIndex; -1: not known yet
  std::vector<double> values_;        ///< by owner
  std::vector<std::uint8_t> asked_;   ///< by owner, during ask()
};

}  // namespace coslice
