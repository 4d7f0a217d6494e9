// The field `claims` of a policy.
#pragma once

#include <string>

#include "observers/claims.h"
#include "sched/queue_scheduler.h"

namespace coslice {

class FieldReader;

/// What the ready-made scheduler keeps by itself, if no function vetoes starts. `first_come`: its queue is in order of
/// submission; `predicted`: estimates may be too short.
Claims claims_of(const QueueSchedulerOptions& options, bool first_come, bool predicted);

/// Reads { "never-idle", ["no-starvation"] = 3600, ... } into `claims`. `with` is what the policy has that knows
/// reservations only ("time slices"), or "". Inside a protected call; throws InputError.
void read_claims(const FieldReader& policy, const std::string& with, Claims& claims);

}  // namespace coslice
