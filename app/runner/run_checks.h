// What a run finds wrong with a scenario when it begins, without running it.
#pragma once

#include "runner/runner.h"

namespace coslice {

/// Throws InputError for what `runner.run()` refuses before its first event: reservations that name no nodes, and jobs
/// of which nothing says what their processes do, where a policy coschedules these.
void check_before_run(const Runner& runner);

}  // namespace coslice
