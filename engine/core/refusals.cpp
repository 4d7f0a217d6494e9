#include "core/refusals.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice {
namespace {

using F = Feature;

/// In the order of Feature.
constexpr FeatureWords kWords[] = {
    {"time slices", "A policy's `slices`.", "slices"},
    {"slices in the scheduler of a slice", "A policy whose `slices.scheduler` has `slices` itself."},
    {"groups on shared nodes", "A policy's `sharing`, or that of the scheduler of its slices.", "sharing"},
    {"coscheduled processes", "A policy's `coscheduling`.", "coscheduling"},
    {"a placement", "A policy's `placement`.", "placement"},
    {"slices that choose nodes", "A policy's `slices.node_rank`, or `nodes = \"memory-fit\"` there."},
    {"memory that slices model", "A policy's `slices.memory`."},
    {"memory that is swapped by whole jobs", "A policy's `slices.memory` with `swapping = \"whole-jobs\"`."},
    {"jobs suspended in place", "A policy's `suspends`, and its `view:preempt()` with `how = \"suspend\"`."},
    {"jobs that a policy lets stand still", "`view:suspend()`."},
    {"GPUs or nodes that a policy counts by kind", "A policy's `units`, and `view:units()`.", "units"},
    {"engine.event_order = \"submissions-first\"", "The key `engine.event_order`."},
    {"jobs that distinguish nodes",
     "A machine with kinds of nodes, partitions or licences, on which some job may not have any node, has parts of "
     "nodes, or holds licences."},
    {"time slices of jobs that distinguish nodes", "A policy's `slices`, where some job may not have any node."},
    {"jobs that have parts of nodes, or wait for licences",
     "On a machine with kinds of nodes, a job that leaves something of its nodes to others, or licences of which there "
     "are too few."},
    {"jobs that have parts of cores, or wait for licences",
     "On a machine with kinds of nodes, a job that asks for a part of a core, or licences of which there are too few."},
    {"jobs that share cores", "Jobs that may have cores of others, by `oversubscribe` or `over` of a partition on a "
                              "machine with kinds of nodes, "
                              "and those beside them; or whose cores are not the same number on each node."},
    {"jobs of several components", "`components` of a job, or a heterogeneous job of Slurm on nodes of several kinds."},
    {"nodes with other numbers of cores", "Kinds of nodes of which some have more cores than others."},
    {"jobs that interfere on parts of nodes", "`[slowdown]` on a machine with kinds of nodes."},
    {"[slowdown]", "The table `[slowdown]` with a `model`."},
    {"[outages]", "The table `[outages]`."},
    {"[[reservations]]", "Tables `[[reservations]]`."},
    {"workload.recorded_until", "The key `workload.recorded_until`."},
    {"jobs other than on record",
     "No trace, or `workload.load_factor`, `size_factor`, `time_factor` or `target_load`."},
    {"moldable jobs", "Jobs with `sizes`."},
    {"changes of running jobs' nodes", "`view:resize()` of jobs with `elastic`; without it they keep their nodes."},
    {"GPUs that can be divided", "`slices` in `[[machine.nodes]]`."},
    {"workload.sizes = \"adjusted\"", "The key `workload.sizes`."},
};

}  // namespace

const FeatureWords& words_for(Feature feature) {
  static_assert(std::size(kWords) == static_cast<std::size_t>(F::kAdjustedSizes) + 1);
  return kWords[static_cast<std::size_t>(feature)];
}

const std::vector<Refusal>& refusals() {
  static const std::vector<Refusal> all = {
      {{F::kSlices},
       {F::kSlicesInside, F::kProcesses},
       "both say which jobs run when",
       "another scheduler of the slices, or none"},
      {{F::kGroups, F::kProcesses, F::kNodesOfSlices},
       {F::kPlacement},
       "both choose the nodes of a job",
       "one of the two"},
      {{F::kComponents},
       {F::kSlices, F::kGroups, F::kProcesses, F::kUnits},
       "what a job has of each of its nodes decides there, and components have different things of theirs",
       "a policy without these, or jobs of one request"},
      {{F::kComponents},
       {F::kSlowdowns, F::kDividedGpus, F::kAdjustedSizes},
       "these follow from what a job asks of each of its nodes, and components ask for different things",
       "a scenario without these, or jobs of one request"},
      {{F::kProcesses},
       {F::kSlowdowns},
       "processes are simulated message by message, so slowdown factors have no effect",
       "a scenario without [slowdown], or a policy that shares nodes"},
      {{F::kProcesses},
       {F::kParts, F::kUnevenCores, F::kDividedGpus},
       "each process needs a processor, and all nodes must have the same number",
       "a machine without the latter, or another policy"},
      {{F::kAdjustedSizes}, {F::kMoldable}, "both say how many processes a job has", "only one of the two"},
      {{F::kHeterogeneous, F::kContention, F::kGroups},
       {F::kWholeMemory},
       "jobs on the same node displace one another in parts",
       "swapping = \"parts\""},
      {{F::kProcesses, F::kChangedJobs},
       {F::kRecorded},
       "a record has unmodified jobs, which shared nothing",
       "a trace as it is, and a policy that does not coschedule processes"},
      {{F::kSubmissionsFirst},
       {F::kSlices, F::kGroups, F::kProcesses, F::kPlacement, F::kComponents, F::kHeterogeneous, F::kContention,
        F::kDividedGpus, F::kOutages, F::kReservations, F::kSuspension, F::kStandingStill},
       "it is the order of the published simulators, which know equal nodes that are always there",
       "engine.event_order = \"ends-first\""},
      {{F::kElastic},
       {F::kGroups, F::kSliceMemory, F::kSlicedNodes, F::kContention, F::kSharedCores, F::kComponents,
        F::kSubmissionsFirst},
       "what a job has of a node is decided there when it starts, and depends on more than that node",
       "a policy without these, and jobs that have the same of each of their nodes for themselves"},
      {{F::kPlacement, F::kContention, F::kComponents, F::kNodeParts},
       {F::kSuspension},
       "a job that is suspended lends whole nodes, which no other job chooses",
       "another `how` of view:preempt()"},
      {{F::kSlices, F::kGroups},
       {F::kStandingStill},
       "which jobs run when, the slices or the groups say",
       "view:preempt(), or a policy without these"},
  };
  return all;
}

const Refusal* refusal_of(Feature a, Feature b) {
  const auto has = [](const std::vector<Feature>& all, Feature f) { return std::ranges::find(all, f) != all.end(); };
  for (const Refusal& r : refusals())
    if ((has(r.ones, a) && has(r.others, b)) || (has(r.ones, b) && has(r.others, a))) return &r;
  return nullptr;
}

std::string refusal_text(Feature a, Feature b) {
  return fmt::format("{} and {} cannot be combined: {}", words_for(a).name, words_for(b).name, refusal_of(a, b)->why);
}

void fail_together(Feature a, Feature b) { throw RefusedError(refusal_text(a, b)); }

std::string refusals_markdown() {
  std::string out =
      "# What cannot be combined\n\n"
      "All features of policies, scenarios and jobs can be combined, but for the pairs below: a feature on the left is "
      "refused\nbeside each on the right, with a message that names the line, and says why and what to do instead. "
      "This page is made of\nthe same table as these messages.\n\n"
      "| | not beside | because | instead |\n| --- | --- | --- | --- |\n";
  const auto names = [](const std::vector<Feature>& features) {
    std::string all;
    for (const Feature f : features) all += (all.empty() ? "" : "; ") + std::string(words_for(f).name);
    return all;
  };
  for (const Refusal& r : refusals())
    out += fmt::format("| {} | {} | {} | {} |\n", names(r.ones), names(r.others), r.why, r.instead);
  out += "\n## The features\n\n| | what it is |\n| --- | --- |\n";
  for (const FeatureWords& f : kWords) out += fmt::format("| {} | {} |\n", f.name, f.doc);
  return out;
}

}  // namespace coslice
