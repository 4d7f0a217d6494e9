#include "drive/present_simulation.h"

#include <algorithm>

#include <fmt/format.h>

#include "drive/present_scheduler.h"

namespace coslice::drive {

Decision decide(Decider& decider, const Situation& now) {
  Present present = present_of(decider, now);
  Decision decision{{}, std::move(present.impossible), std::move(present.problems)};
  if (std::ranges::none_of(present.jobs, [](const QueuedJob* j) { return j->waits(); })) return decision;
  PresentScheduler asked(present);
  simulate_present(decider, present, present.workload.jobs, asked);
  for (const JobIndex j : asked.starts()) decision.starts.push_back(present.jobs[j]);
  for (const JobIndex j : asked.without_room())
    decision.problems.push_back(fmt::format("job {} runs on resources that other jobs also hold", present.jobs[j]->id));
  return decision;
}

}  // namespace coslice::drive
