// Sharing groups as units: what runs and stops only together.
#pragma once

#include <vector>

#include "sharing/sharing.h"

namespace coslice {

/// The job's group, its primary first, or the job alone.
std::vector<StartedJob*> unit_of(StartedJob& job);
/// Nodes of the unit, each counted once.
std::int32_t unit_nodes(const StartedJob& job);
/// Whether the job stands for its unit: one job of each unit does.
inline bool leads(const StartedJob& job) { return job.group == nullptr || job.group->primary == &job; }
/// Separated from the job over whose nodes it lies, which has not ended.
inline bool waits_for_primary(const StartedJob& job) {
  return job.group != nullptr && job.group->apart && job.group->primary != &job;
}

}  // namespace coslice
