// What a policy computes once for each owner of jobs, in place of once for each job: how much a user has had of late.
#pragma once

#include <optional>
#include <string>

#include "api/policy/hook.h"

namespace coslice {

class FieldReader;

struct ShareSetting {
  std::string by;                   ///< the field of a job that names its owner
  Hook of;                          ///< may be empty where usage is kept: then that is the share
  std::optional<double> half_life;  ///< s; given: the engine keeps what owners have used, and `of` is a function of it
};

/// Reads the table on the top of the stack, the field `share` of a policy. Throws InputError.
ShareSetting read_share(const FieldReader& policy, const std::string& name);

}  // namespace coslice
