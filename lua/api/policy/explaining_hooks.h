// The hooks of a policy that only explanations ask: why a job waits, and what its priority is made of. They decide
// nothing, and stand apart from the others: beside the policy's parameters in its state, hidden from scripts.
#pragma once

#include <string>
#include <vector>

#include "api/policy/hook.h"

namespace coslice {

class FieldReader;
class Policy;

struct ExplainingHooks {
  Hook reason, factors;
};

/// Returns their names, in the order of the interface.
std::vector<std::string> explaining_hook_names();

/// Keeps those that the table has, with the policy's parameters; returns their names. Throws InputError if a field is
/// no function. Inside a protected call.
std::vector<std::string> keep_explaining_hooks(const FieldReader& policy, const LuaRef& params);

/// Returns those that the policy has.
ExplainingHooks explaining_hooks(Policy& policy);

}  // namespace coslice
