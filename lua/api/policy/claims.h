// The field `claims` of a policy.
#pragma once

#include <string>

#include "observe/claim_watch.h"
#include "schedule/queue_scheduler.h"

namespace coslice {

class FieldReader;

/// Returns what the ready-made scheduler keeps by itself, if no function vetoes starts. `first_come`: its queue is in
/// order of submission; `predicted`: estimates may be too short.
Claims claims_of(const QueueSchedulerOptions& options, bool first_come, bool predicted);

/// Returns what the ready-made scheduler keeps where the policy places jobs: it may decline nodes, but should not those
/// with GPUs that nothing uses.
Claims claims_with_placement(const QueueSchedulerOptions& options);

/// Reads { "never-idle", ["no-starvation"] = 3600, ... } into `claims`. `with` is what the policy has that knows
/// reservations only ("time slices"), or "". Inside a protected call; throws InputError.
void read_claims(const FieldReader& policy, const std::string& with, Claims& claims);

}  // namespace coslice
