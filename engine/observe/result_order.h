// The order of the jobs of a result.
#pragma once

#include "observe/result.h"

namespace coslice {

/// Puts the jobs of a run into which jobs came while it went on in order of submission, as those of other runs are;
/// those of one instant stay as they are. `workload` has the jobs of the result. Precondition: there are no time
/// slices, groups and processes.
void order_by_submission(RunResult& result, Workload& workload);

}  // namespace coslice
