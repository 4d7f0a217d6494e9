// The field `coscheduling` of a policy (lua/meta/coscheduling.lua): processes that share processors.
#pragma once

#include <string>

#include "api/policy/hook.h"
#include "process/admission.h"
#include "process/coscheduler.h"

namespace coslice {

class FieldReader;

/// As the policy says it.
struct CoschedulingSettings {
  CoschedulingRules rules;
  Packing packing = Packing::kLowest;
  Hook slot, classify;  ///< `slot` is there if there are several modes
};

/// Reads the table on the top of the stack. Throws InputError. Inside a protected call.
CoschedulingSettings read_coscheduling(const FieldReader& policy, const std::string& policy_name);

}  // namespace coslice
