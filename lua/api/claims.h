// The field `claims` of a policy.
#pragma once

#include <string>

#include "metrics/claims.h"

namespace coslice {

class FieldReader;

/// Reads { "never-idle", ["no-starvation"] = 3600, ... }. `with` is what the policy has that knows reservations only
/// ("time slices"), or "". Inside a protected call; throws InputError.
Claims read_claims(const FieldReader& policy, const std::string& with);

}  // namespace coslice
