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
  std::string policies;  ///< a name, or "groups", "processes", "slices", "placement": those that have them
  std::vector<std::string> settings;
  std::string why;
};

inline const std::vector<Exception>& exceptions() {
  static const std::vector<Exception> all = {};
  return all;
}

inline bool applies_to(const Exception& e, const Bench& bench) {
  return e.policies == bench.policy || (e.policies == "groups" && bench.kind.shared) ||
         (e.policies == "processes" && bench.kind.coscheduled) || (e.policies == "slices" && bench.kind.sliced) ||
         (e.policies == "placement" && bench.kind.placed);
}

inline const Exception* exception_for(const Bench& bench, const std::string& setting) {
  for (const Exception& e : exceptions())
    if (applies_to(e, bench) && std::find(e.settings.begin(), e.settings.end(), setting) != e.settings.end()) return &e;
  return nullptr;
}

}  // namespace coslice::test
