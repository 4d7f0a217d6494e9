// Slowdowns from what jobs do: how much of its time a job computes, communicates and reads or writes. Two jobs on the
// same nodes slow each other down where they want the same. (Sodan & Lan 2005, Sections 4.1 and 6.1.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.h"
#include "workload/resource_profile.h"
#include "workload/slowdown.h"

namespace coslice {

/// Shares of CPU-bound, network-bound and disk-bound jobs; they add up to 1.
using ResourceMix = std::array<double, kResources>;

/// A job bound by one resource, uniform in the ranges of Sodan & Lan (2005, Section 6.1) under the condition that the
/// fractions add up to 1; its memory by the same section.
ResourceProfile draw_profile(RandomStream& random, Resource kind);
/// Profiles for that many jobs; each depends on the seed and the job's index only.
std::vector<ResourceProfile> draw_profiles(std::uint64_t seed, const ResourceMix& mix, std::size_t jobs);

/// What happens where two jobs want the same.
struct ResourceConflicts {
  /// How the overlaps of the fractions make a slowdown. `printed`: the weighted overlaps alone, but 1 at least, as the
  /// formula is printed. `complete`: what does not overlap counts, too, as in the authors' own table of estimates.
  enum class Overlap : std::uint8_t { kPrinted, kComplete } overlap = Overlap::kPrinted;
  double competing = 2;            ///< factor on the time in which both want the same
  double compatible = 1.4;         ///< the same for the CPU, of pairs that go well together
  double compatible_share = 0.33;  ///< of all pairs
  double memory_conflict = 2.5;    ///< slowdown by paging, where both do not fit into the memory together
  /// Whether the slowdown is at least that, or grows by it.
  enum class Paging : std::uint8_t { kAtLeast, kAdded } paging = Paging::kAtLeast;
  double misjudged_share = 0;  ///< of all pairs: their slowdown turns out to be another one than the estimate
  double misjudged = 2;        ///< how many times the estimate, 1 at least
};

/// Symmetric: each job of a pair is slowed down as much as the other. More than one process of a job on a node does not
/// slow it down.
class ResourceSlowdowns : public SlowdownModel {
 public:
  ResourceSlowdowns(std::uint64_t seed, std::vector<ResourceProfile> profiles, const ResourceConflicts& conflicts = {});

  double over_processors(JobIndex) const override { return 1; }
  double over_cores(JobIndex) const override { return 1; }
  double beside(JobIndex j, JobIndex other) const override;
  double misjudged(JobIndex j, JobIndex other) const override;
  const ResourceSlowdowns* resources() const override { return this; }

  const ResourceProfile& profile(JobIndex j) const { return profiles_[j]; }
  /// k: the factor on the time in which both want that resource. For the CPU it is drawn for each pair.
  double competition(Resource r, JobIndex i, JobIndex j) const;
  /// Whether both fit into the memory of a node.
  bool memory_fits(JobIndex i, JobIndex j) const { return profiles_[i].memory + profiles_[j].memory <= 1; }

  /// The slowdown of two jobs whose CPU parts compete with that factor, memory aside.
  static double of(const ResourceProfile& a, const ResourceProfile& b, double cpu, const ResourceConflicts& conflicts);

 private:
  RandomKey pairs_, misjudged_;
  std::vector<ResourceProfile> profiles_;
  ResourceConflicts conflicts_;
};

}  // namespace coslice
