// The jobs of a view as members of sharing groups to be.
#pragma once

#include <string_view>

#include "sched/decisions.h"
#include "sched/view.h"
#include "sharing/group_search.h"

namespace coslice {

/// A job that waits in the view.
Candidate waiting_candidate(const View& view, JobIndex j);
/// A started job, with the work that is left as the scheduler believes.
Candidate running_candidate(const View& view, const StartedJob& s);
/// Whether the job still waits, or runs for itself, as it did when it became a candidate.
bool is_current(const View& view, const Candidate& c);
/// Tells the observers of decisions that the plan was refused.
void refuse_plan(const View& view, const GroupPlan& plan, GroupRefusal why, JobIndex hurt = kNoJob,
                 std::string_view words = {});

}  // namespace coslice
