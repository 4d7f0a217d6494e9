// Where a setting that means nothing does change something, and why.
#pragma once

#include <string>
#include <vector>

#include "neutral_cases.h"

namespace coslice::test {

/// Cells of the matrix that are not equal.
struct Exception {
  enum class Lasts : std::uint8_t {
    kForGood,  ///< they cannot be equal; `why` ends with the place in the documents that says so
    kToGo,     ///< they should be
  } lasts;
  /// A name, or "groups", "processes", "slices": those that have them; "queue": others.
  std::string policies;
  std::vector<std::string> settings;
  std::string why;
  std::string worst = "";  ///< as the table has it: nothing worse than that; empty: anything
};

/// Settings by what they bring in.
inline const std::vector<std::string> kPlacements = {"placement = \"first\"", "placement that ranks all nodes equally"};
inline const std::vector<std::string> kBoots = {"nodes powered down after the end"};
inline const std::vector<std::string> kRanked = {"placement that ranks all nodes equally"};
inline const std::vector<std::string> kShifted = {"a week later", "1,234,567 s later",
                                                  "jobs from a trace that was converted and back"};

inline const std::vector<Exception>& exceptions() {
  using Lasts = Exception::Lasts;
  static const std::vector<Exception> all = {
      // Fields that a policy cannot have beside others; docs/policy-api says so of each.
      {Lasts::kForGood, "groups", kPlacements, "docs/policy-api: jobs are placed by the groups"},
      {Lasts::kForGood, "processes", kPlacements, "docs/policy-api: processes are coscheduled by themselves"},
      {Lasts::kForGood, "processes", {"no vetoes"}, "docs/policy-api: processes are coscheduled by themselves"},
      {Lasts::kForGood, "scojo_pect", {"no vetoes"}, "docs/policy-api: reservations are kept"},
      {Lasts::kForGood, "conservative", {"no vetoes"}, "docs/policy-api: reservations are kept"},
      {Lasts::kForGood,
       "processes",
       {"a table of slowdowns of 1", "a script of slowdowns of 1"},
       "processes are played message by message, which leaves no use for [slowdown]"},
      // What time means.
      {Lasts::kForGood, "slices", {"1,234,567 s later"}, "docs/policy-api, interval: intervals begin at its multiples"},
      {Lasts::kForGood,
       "scojo_pect",
       {"jobs from a trace that was converted and back"},
       "docs/policy-api, interval: intervals begin at its multiples; times of a dump begin with its first job"},
      {Lasts::kForGood,
       "slurm",
       {"1,234,567 s later", "jobs from a trace that was converted and back"},
       "docs/slurm.md: its schedulers run at instants of the clock"},
      {Lasts::kForGood, "f1", kShifted, "its formula has the time of submission"},
      {Lasts::kForGood, "f2", kShifted, "its formula has the time of submission"},
      {Lasts::kForGood, "f3", kShifted, "its formula has the time of submission"},
      {Lasts::kForGood, "f4", kShifted, "its formula has the time of submission"},
      // What is decided at a pass may depend on its instant.
      {Lasts::kForGood, "fairshare", {"passes between"}, "docs/policy-api, dynamic_key: the order is that of the pass"},
      {Lasts::kForGood, "unicef", {"passes between"}, "docs/policy-api, dynamic_key: the order is that of the pass"},
      {Lasts::kForGood,
       "user_limits",
       {"passes between"},
       "docs/policy-api, may_start: what a user has may have changed since the pass before"},
      {Lasts::kForGood, "lomarc_ac", {"passes between"}, "docs/lomarc.md: each pass looks for partners anew"},
      {Lasts::kForGood, "lomarc_n", {"passes between"}, "docs/lomarc.md: each pass looks for partners anew"},
      // Availability is kept in several ledgers.
      {Lasts::kForGood, "scojo_pect", kRanked, "docs/design/placement.md: a function may decline nodes"},
      {Lasts::kForGood, "conservative", kRanked, "docs/design/placement.md: a function may decline nodes"},
      {Lasts::kForGood, "conservative_composed", kRanked, "docs/design/placement.md: a function may decline nodes"},
      {Lasts::kForGood, "relaxed", kRanked, "docs/design/placement.md: a function may decline nodes"},
      {Lasts::kForGood, "easy_composed", kRanked, "docs/design/placement.md: a function may decline nodes"},
      {Lasts::kForGood, "queue", kRanked, "docs/design/placement.md: the first job that waits has a set of nodes",
       "nodes"},
      // What schedulers know.
      {Lasts::kForGood, "conservative", kBoots, "docs/power.md, what schedulers know: nodes are held for boots, too"},
      {Lasts::kForGood, "groups", kBoots, "docs/power.md, what schedulers know: nodes are held for boots, too"},
      {Lasts::kForGood, "slices", kBoots, "docs/power.md, what schedulers know: nodes are held for boots, too"},
      {Lasts::kForGood, "conservative_composed", kBoots,
       "docs/power.md, what schedulers know: nodes are held for boots, too"},
      {Lasts::kForGood, "predicted", kBoots, "docs/power.md, what schedulers know: nodes are held for boots, too"},
      {Lasts::kForGood, "slurm", kBoots, "docs/power.md, what schedulers know: nodes are held for boots, too"},
  };
  return all;
}

inline bool applies_to(const Exception& e, const Bench& bench) {
  return e.policies == bench.policy || (e.policies == "groups" && bench.kind.shared) ||
         (e.policies == "processes" && bench.kind.coscheduled) || (e.policies == "slices" && bench.kind.sliced) ||
         (e.policies == "queue" && !bench.kind.shared && !bench.kind.coscheduled && !bench.kind.sliced);
}

inline const Exception* exception_for(const Bench& bench, const std::string& setting) {
  for (const Exception& e : exceptions())
    if (applies_to(e, bench) && std::find(e.settings.begin(), e.settings.end(), setting) != e.settings.end()) return &e;
  return nullptr;
}

}  // namespace coslice::test
