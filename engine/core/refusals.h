// What cannot be had together: features that have no meaning beside one another, or that are not supported together,
// each pair with why. The messages of all refusals and docs/refusals.md are made of this one table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"

namespace coslice {

/// What a policy, a scenario or its jobs may have.
enum class Feature : std::uint8_t {
  // Of a policy.
  kSlices,
  kSlicesInside,
  kGroups,
  kProcesses,
  kPlacement,
  kNodesOfSlices,
  kSliceMemory,
  kWholeMemory,
  kSuspension,
  kStandingStill,
  kUnits,
  // Of a scenario and its jobs.
  kSubmissionsFirst,
  kHeterogeneous,
  kSlicedNodes,
  kNodeParts,
  kParts,
  kSharedCores,
  kComponents,
  kUnevenCores,
  kContention,
  kSlowdowns,
  kOutages,
  kReservations,
  kRecorded,
  kChangedJobs,
  kMoldable,
  kElastic,
  kDividedGpus,
  kAdjustedSizes,
};

/// What documents and messages call a feature.
struct FeatureWords {
  const char* name;  ///< "time slices": fits before "cannot be combined"
  const char* doc;   ///< what it is and how it is asked for, for the page; as Markdown
  /// For a feature of a policy: the field of its table that brings it, and the value of that field; null: none, or any.
  const char* field = nullptr;
  const char* value = nullptr;
};

/// Gives the words for the feature.
const FeatureWords& words_for(Feature feature);

/// Each of `ones` is refused beside each of `others`.
struct Refusal {
  std::vector<Feature> ones, others;
  const char* why;      ///< a clause without a full stop
  const char* instead;  ///< what is expected, after "expected"
};

/// Lists all refusals, in the order in which they are looked for.
const std::vector<Refusal>& refusals();

/// Finds the refusal of the two, in either order; null: they can be combined.
const Refusal* refusal_of(Feature a, Feature b);

/// Says that the two cannot be combined, and why: "time slices and ... cannot be combined: ...". Precondition: there is
/// such a refusal.
std::string refusal_text(Feature a, Feature b);

/// A run is refused because it has two features that cannot be combined.
class RefusedError : public SimulationError {
 public:
  using SimulationError::SimulationError;
};

/// The same, seen in the input before the run.
class RefusedInput : public InputError {
 public:
  using InputError::InputError;
};

/// Throws refusal_text() as a RefusedError: for users of the library, whose runs no scenario was looked at for.
[[noreturn]] void fail_together(Feature a, Feature b);

/// Makes the page of all refusals as Markdown: docs/refusals.md is its output.
std::string refusals_markdown();

}  // namespace coslice
