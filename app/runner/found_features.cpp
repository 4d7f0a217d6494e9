#include "runner/found_features.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "jobs/job_demands.h"
#include "jobs/workflow.h"
#include "machine/components.h"
#include "scenario/scenario_place.h"

namespace coslice {
namespace {

std::size_t number(Feature f) { return static_cast<std::size_t>(f); }

bool has(const FeatureSet& features, Feature f) { return features[number(f)]; }

/// A set is made of what holds.
class Found {
 public:
  Found& with(Feature f, bool holds) {
    set_[number(f)] = holds;
    return *this;
  }
  FeatureSet take() const { return set_; }

 private:
  FeatureSet set_;
};

bool slows_down(const Scenario& s) { return s.slowdown.model != SlowdownSpec::Model::kNone; }

/// The key of a scenario at which it is refused; null: it is a policy's.
const char* key_of(Feature f) {
  switch (f) {
    case Feature::kSubmissionsFirst: return "engine.event_order";
    case Feature::kHeterogeneous:
    case Feature::kNodeParts:
    case Feature::kParts:
    case Feature::kUnevenCores: return "machine";
    case Feature::kContention:
    case Feature::kSlowdowns: return "slowdown";
    case Feature::kOutages: return "outages";
    case Feature::kReservations: return "reservations";
    case Feature::kRecorded: return "workload.recorded_until";
    case Feature::kChangedJobs: return "workload";
    case Feature::kMoldable: return "workload.jobs";
    case Feature::kComponents: return "workload";
    case Feature::kDividedGpus: return "machine";
    case Feature::kAdjustedSizes: return "workload.sizes";
    default: return nullptr;
  }
}

bool has_components(const Job& job, const RequestTable& requests) {
  return job.request != kNoRequest && has_components(requests[job.request]);
}

[[noreturn]] void fail(const Scenario& s, const Workload& workload, Feature f, const std::string& problem,
                       const char* expected) {
  if (f == Feature::kReservations) fail_at(s.reservations.front().place, problem, expected);
  if (f == Feature::kMoldable) {
    const auto job = std::ranges::find_if(workload.jobs, is_moldable);
    fail_at_job(s, job->id, problem, expected);
  }
  if (f == Feature::kComponents) {
    const auto job =
        std::ranges::find_if(workload.jobs, [&](const Job& j) { return has_components(j, workload.requests); });
    fail_at_job(s, job->id, fmt::format("job {}: {}", job->id, problem), expected);
  }
  fail_at_key(s, key_of(f), problem, expected);
}

/// Throws InputError for the first pair.
void look_for_pairs(const Scenario& s, const Workload& workload, const std::string& policy,
                    const std::string& policy_file, const FeatureSet& features) {
  for (const Refusal& r : refusals()) {
    for (const Feature one : r.ones) {
      for (const Feature other : r.others) {
        if (!has(features, one) || !has(features, other)) continue;
        const bool of_scenario[] = {key_of(one) != nullptr, key_of(other) != nullptr};
        const std::string whose = of_scenario[0] && of_scenario[1] ? "" : fmt::format("policy '{}': ", policy);
        const std::string problem = whose + refusal_text(one, other);
        if (of_scenario[1]) fail(s, workload, other, problem, r.instead);
        if (of_scenario[0]) fail(s, workload, one, problem, r.instead);
        throw InputError({policy_file, 0, problem, r.instead});
      }
    }
  }
}

}  // namespace

FeatureSet features_of(const Scenario& s, const Policy& policy, const Policy* scheduler) {
  const Policy& inside = scheduler != nullptr ? *scheduler : policy;
  const auto& slices = policy.slices();
  const bool by_nodes = slices && (slices->node_rank || slices->options.nodes == NodeChoice::kMemoryFit);
  const bool memory = slices && slices->options.memory != Duration{0};
  const TransformOptions& t = s.workload.transform;
  const bool changed = s.workload.trace.empty() || t.load_factor != 1 || t.size_factor != 1 || t.time_factor != 1 ||
                       s.workload.target_load.has_value();
  const bool contention = slows_down(s) && names_kinds(s.machine);
  return Found{}
      .with(Feature::kSlices, slices.has_value())
      .with(Feature::kSlicesInside, scheduler != nullptr && scheduler->slices())
      .with(Feature::kGroups, inside.sharing().has_value())
      .with(Feature::kProcesses, inside.coscheduling().has_value())
      .with(Feature::kPlacement, inside.placement().has_value())
      .with(Feature::kNodesOfSlices, by_nodes)
      .with(Feature::kSliceMemory, memory)
      .with(Feature::kWholeMemory, memory && slices->options.swapping == Swapping::kWholeJobs)
      .with(Feature::kSuspension, inside.suspends())
      .with(Feature::kUnits, inside.counts_units())
      .with(Feature::kSubmissionsFirst, s.engine.event_order == EventOrder::kSubmissionsFirst)
      .with(Feature::kContention, contention)
      .with(Feature::kSlowdowns, slows_down(s))
      .with(Feature::kOutages, s.outages.any())
      .with(Feature::kReservations, !s.reservations.empty())
      .with(Feature::kRecorded, s.workload.recorded_until.has_value())
      .with(Feature::kChangedJobs, changed)
      .with(Feature::kDividedGpus, s.divides_gpus())
      .with(Feature::kAdjustedSizes, s.workload.sizes == WorkloadSpec::Sizes::kAdjusted)
      .take();
}

std::optional<Feature> refused_beside(const FeatureSet& features, Feature feature) {
  for (std::size_t f = 0; f != features.size(); ++f)
    if (features[f] && refusal_of(static_cast<Feature>(f), feature) != nullptr) return static_cast<Feature>(f);
  return {};
}

FeatureSet features_of(const Scenario& s, const Workload& workload, const FeatureSet& beside) {
  const auto asked = [&](Feature feature) { return refused_beside(beside, feature).has_value(); };
  const MachineSpec& m = s.machine;
  Found found;
  found.with(Feature::kUnevenCores, m.total_cores() != std::int64_t{m.nodes} * m.cores_per_node());
  if (names_kinds(s.machine) &&
      (asked(Feature::kHeterogeneous) || asked(Feature::kParts) || asked(Feature::kNodeParts))) {
    const JobDemands demands(s.machine, workload.jobs, &workload.requests, s.engine);
    const auto has_parts = [&](const DemandUnit& u) { return demands.request_of(u).cores % kWholeCore != 0; };
    const std::vector<DemandUnit>& units = demands.units();
    const bool waits = !demands.scarce_licences().empty();
    found.with(Feature::kHeterogeneous, !demands.one_count())
        .with(Feature::kNodeParts, !demands.whole_nodes() || waits)
        .with(Feature::kParts, waits || std::ranges::any_of(units, has_parts));
  }
  const bool components =
      std::ranges::any_of(workload.jobs, [&](const Job& job) { return has_components(job, workload.requests); });
  return found.with(Feature::kMoldable, any_moldable(workload)).with(Feature::kComponents, components).take();
}

void refuse_together(const Scenario& s, const Workload& workload, const std::string& policy,
                     const std::string& policy_file, const FeatureSet& features) {
  try {
    look_for_pairs(s, workload, policy, policy_file, features);
  } catch (const InputError& e) {
    throw RefusedInput(e.diagnostic());
  }
}

}  // namespace coslice
