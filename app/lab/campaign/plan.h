// The plan of a campaign: its runs in order, each with a key that says what it is made from.
#pragma once

#include <string>
#include <vector>

#include "core/value.h"
#include "lab/campaign/campaign.h"
#include "scenario/scenario.h"

namespace coslice {

struct PlannedRun {
  std::string key;                   ///< digest of the resolved scenario and of its inputs
  Value point;                       ///< axis -> value; nil where the axis does not apply
  std::size_t base = 0;              ///< number in Campaign::bases
  std::vector<std::string> dropped;  ///< parameters of other policies
  std::string policy;                ///< the name that its policy gives itself
};

struct Plan {
  std::vector<PlannedRun> runs;  ///< run n of the results is runs[n - 1]
  std::size_t points = 0;        ///< of the whole grid
  std::size_t filtered = 0;      ///< points that `where` refuses
  std::size_t equal = 0;         ///< and those that are equal to an earlier one
  std::string digest;            ///< of all keys
};

/// Makes the plan: each point of the grid is resolved and checked, its policy loaded with its parameters. A parameter
/// that the point's policy does not have is left out there, so that policies x parameters gives each policy its own;
/// one that no policy has is an error. Throws InputError.
Plan make_plan(const Campaign& campaign);

/// Returns the scenario of a run.
Scenario scenario_of(const Campaign& campaign, const PlannedRun& run);

/// Returns the point in words, "policy = easy, seed = 3", in the order of the axes.
std::string point_text(const std::vector<std::string>& axes, const Value& point);

}  // namespace coslice
