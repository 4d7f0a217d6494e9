// Whether a policy does on one case what it must.
#pragma once

#include <optional>
#include <string>

#include "lab/check/case.h"

namespace coslice::check {

class Coverage;

/// What went wrong.
struct Finding {
  enum class Kind {
    kError,       ///< the policy raised an error, used up a limit, or left jobs waiting for ever
    kInvariant,   ///< what must never happen did: a node held twice, a job lost, ...
    kClaim,       ///< the policy claims otherwise
    kRepetition,  ///< the same case again came out differently
    kNeutral,     ///< a setting that means nothing changed something
  } kind = Kind::kError;
  std::string claim;  ///< its name, or for an error where it was raised, or the setting's name
  std::string what;   ///< in words
  bool slow = false;  ///< it takes long to see, because a limit is used up

  /// Returns whether the other one is the same mistake, as far as one can tell.
  bool same_as(const Finding& o) const { return kind == o.kind && claim == o.claim; }
};

/// Returns the kind of a finding for machines: "claim", "error", ...
const char* kind_name(Finding::Kind kind);

/// Runs the case under the base's policy with everything watched. Nothing if all is well. Throws InputError for what
/// is no fault of the case: the policy cannot be loaded, a parameter is wrong. `coverage` learns what happened.
std::optional<Finding> judge(const Scenario& base, const Case& c, Coverage* coverage = nullptr);

}  // namespace coslice::check
