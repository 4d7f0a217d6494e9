#include "drive/present.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/policy/lua_scheduler.h"
#include "core/error.h"
#include "drive/present_jobs.h"
#include "drive/present_scheduler.h"
#include "formats/trace_requests.h"
#include "jobs/workload.h"
#include "run/simulation.h"

namespace coslice::drive {
namespace {

/// For so long nodes are believed to be away that are away now.
constexpr Duration kAway = whole_seconds(365 * 86400LL);

std::unique_ptr<Policy> load(const Decider& decider) {
  PolicyContext context = decider.context;
  context.roots = decider.policy.roots;
  return std::make_unique<Policy>(decider.policy.script, decider.params, context);
}

std::optional<OutageOptions> outages_of(const NodeSet& closed, Time now) {
  if (closed.empty()) return std::nullopt;
  OutageOptions options;
  options.plan.listed.push_back({now, now + kAway, closed.ranges(), OutageKind::kDrain});
  return options;
}

}  // namespace

void check_policy(const Decider& decider) {
  const std::unique_ptr<Policy> policy = load(decider);
  const char* what = policy->slices()         ? "has time slices"
                     : policy->sharing()      ? "lays jobs over one another in groups"
                     : policy->coscheduling() ? "coschedules processes"
                                              : nullptr;
  if (what == nullptr) return;
  throw InputError({decider.policy.script.name, 0,
                    fmt::format("policy '{}' {}, for which Slurm has no orders", policy->description().name, what),
                    "a policy that only says which jobs start"});
}

Decision decide(Decider& decider, const Situation& now) {
  Decision decision;
  const std::shared_ptr<const MachineLayout> layout =
      make_layout(decider.layout.kinds.empty() ? layout_of(*now.machine) : decider.layout);
  MachineSpec machine{0, 1, 1, 0};
  set_layout(machine, layout);
  PresentJobs present = present_jobs(decider, now, machine, decision);
  const auto waits = [](const QueuedJob* j) { return j->waits(); };
  if (std::none_of(present.jobs.begin(), present.jobs.end(), waits)) return decision;

  const std::unique_ptr<Policy> policy = load(decider);
  LuaScheduler scheduler(*policy, nullptr, machine);
  TraceClock clock;
  clock.unix_at_0 = present.origin;
  scheduler.use_calendar(clock);
  KnownNodes placement(present.nodes,
                       scheduler.placement(*layout, typical_of(present.workload, *layout), decider.context.seed));
  PresentScheduler asked(scheduler, present.nodes, present.now);
  const std::optional<OutageOptions> outages = outages_of(closed_nodes(now, *layout), present.now);
  Simulation simulation(machine, present.workload.jobs, asked, {}, {&present.workload.requests, &placement}, nullptr,
                        outages ? &*outages : nullptr);
  try {
    simulation.run();
  } catch (const PresentScheduler::Reached&) {}
  for (const JobIndex j : asked.starts()) decision.starts.push_back(present.jobs[j]);
  for (const JobIndex j : asked.without_room())
    decision.problems.push_back(fmt::format(
        "job {} runs, but not all that it has on its nodes is free there by the others", present.jobs[j]->id));
  return decision;
}

}  // namespace coslice::drive
