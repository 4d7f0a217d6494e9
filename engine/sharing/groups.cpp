#include "sharing/groups.h"

namespace coslice {

std::vector<StartedJob*> unit_of(StartedJob& job) {
  if (job.group == nullptr) return {&job};
  std::vector<StartedJob*> unit{job.group->primary};
  for (const Group::Matched& m : job.group->matched) unit.push_back(m.job);
  return unit;
}

std::int32_t unit_nodes(const StartedJob& job) {
  if (job.group == nullptr) return job.node_count;
  std::int32_t n = job.group->primary->node_count;
  for (const Group::Matched& m : job.group->matched) n += m.job->node_count - m.overlap;
  return n;
}

}  // namespace coslice
