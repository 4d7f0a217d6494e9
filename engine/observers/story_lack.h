// What a waiting job lacks on a machine whose nodes differ, and which jobs have it.
#pragma once

#include <cstddef>

#include "observers/job_story.h"
#include "sched/view.h"

namespace coslice {

/// Fills in WaitPhase::reserved, reservation and by_start where it fits beside what runs, but reservations of nodes keep it
/// off. Else WaitPhase::lack, lack_of, holders (at most so many, first to end first), holder_ends, holder_count: what of its
/// request most nodes that could serve it have too little of, beside the jobs that run. Of several partitions, that where
/// it fits on most nodes counts. Where it fits beside what runs and reservations of nodes, nothing is filled in.
/// Precondition: nodes differ; WaitPhase::planned is known.
/// Maintenance that begins too soon for it makes WaitPhase::why kMaintenance, and by_start its beginning.
void note_lack(WaitPhase& phase, const View& view, JobIndex j, std::size_t most, const std::vector<Outage>& maintenance);

}  // namespace coslice
