// What a run finds wrong with a scenario when it begins, without running it.
#pragma once

#include "runner/runner.h"

namespace coslice {

/// Throws InputError for what `runner.run()` refuses before its first event: reservations that name no nodes, what jobs
/// use that a policy pairs by it, and what their processes do where one coschedules these.
void check_before_run(const Runner& runner);

}  // namespace coslice
