// The search for one job that goes well beside another: which jobs may share its nodes, and what that gains. Plain
// values; nothing here starts anything. (Sodan & Lan 2005, Section 5.2.)
#pragma once

#include <array>
#include <cstddef>

#include "sharing/group_search.h"
#include "workload/resource_slowdowns.h"

namespace coslice {

/// The jobs with which a job may share its nodes.
struct PairRules {
  double over = 0;        ///< both have estimates above this, s
  bool narrower = true;   ///< the job that comes last has no more nodes than the one that is there
  bool memory = true;     ///< both fit into the memory of a node
  bool matchable = true;  ///< see `kinds`
  /// Which kinds go together, by Resource in both orders. Two of the same kind must, besides, compete for their resource
  /// with a factor below 2, as then alone both together are done sooner than one after the other.
  std::array<std::array<bool, kResources>, kResources> kinds{
      {{true, true, true}, {true, true, true}, {true, true, true}}};
  double max_slowdown = 1.6;
};

/// How many candidates a rule and those before it left, in the order of Sodan & Lan (2005, Table 5).
struct PairCounts {
  std::size_t long_enough = 0, narrow_enough = 0, memory_fits = 0, matchable = 0, slow_enough = 0;
};

/// Whether `other` may share nodes with `job`; counts the rules that it passes. `wider` is the one of them whose nodes
/// are shared.
bool may_pair(const ResourceSlowdowns& model, const PairRules& rules, const Candidate& job, const Candidate& other,
              const Candidate& wider, PairCounts& counts);

/// What two jobs on the same nodes gain in use, over one after the other, while they are together: U_gain,2. `size` is in
/// nodes. At most 1; negative if it were better to run them apart.
double overlap_gain(double size_a, double size_b, double slowdown);
/// The same, less the more different their times are: U_gain,1.
double weighted_overlap_gain(double size_a, double size_b, double time_a, double time_b, double slowdown);

}  // namespace coslice
