// What policies and machines do not know of one another yet.
#include <fmt/format.h>

#include "core/error.h"
#include "scenario/runner.h"

namespace coslice {

/// Where jobs are placed, one rule says which nodes they get.
void Runner::check_placement_in_slices(const SliceSettings& slices, const std::string& name) const {
  if (!slices.node_rank && slices.options.nodes != NodeChoice::kMemoryFit) return;
  throw InputError({scenario_.file, 0,
                    fmt::format("policy '{}' has a field 'placement', and its slices choose nodes themselves", name),
                    "one of the two: placement, or nodes, fit and node_rank of the slices", "", ""});
}

/// Sharing by groups and coscheduling know equal nodes only.
void Runner::refuse_where_nodes_differ(const Policy& policy) const {
  if (policy.placement() && policy.slices()) check_placement_in_slices(*policy.slices(), policy.description().name);
  if (!scenario_.machine.layout && scenario_.layout.kinds.empty() && scenario_.lists.nodes.empty()) return;
  const char* what = policy.sharing()        ? "lays jobs over one another in groups"
                     : policy.coscheduling() ? "coschedules processes"
                     : scenario_.engine.event_order != EventOrder::kEndsFirst
                         ? "runs under engine.event_order = \"submissions-first\""
                         : nullptr;
  if (what == nullptr) return;
  throw InputError({scenario_.file, 0,
                    fmt::format("policy '{}' {}, which a machine with kinds of nodes, partitions or licences does not "
                                "know yet",
                                policy.description().name, what),
                    "a machine of equal nodes, or another policy", "", ""});
}

/// Time slices, groups and processes count on their nodes.
void Runner::refuse_outages(const Policy& policy) const {
  const char* kind = policy.slices()         ? "time slices"
                     : policy.sharing()      ? "groups on shared nodes"
                     : policy.coscheduling() ? "coscheduled processes"
                                             : nullptr;
  if (scenario_.outages.any() && kind != nullptr)
    throw InputError({scenario_.file, 0,
                      fmt::format("policy '{}' has {}, which do not know yet that nodes may be away",
                                  policy.description().name, kind),
                      "a scenario without [outages], or another policy", "", ""});
}

}  // namespace coslice
