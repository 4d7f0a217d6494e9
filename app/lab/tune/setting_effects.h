// What settings cost beside each other, where not all were run on the same workloads.
#pragma once

#include <cstddef>
#include <vector>

#include "lab/tune/trials.h"

namespace coslice {

struct SettingEffect {
  std::size_t setting = 0;
  double value = 0;     ///< logarithm of its costs as parts of those of the workloads; small is good
  double variance = 0;  ///< of the value, by chance
};

/// Returns the effects of these settings, each run on some of the workloads, today's among them. Costs are taken
/// for those of the workload times one of the setting; by turns both are found from what is left. Of settings whose
/// runs failed there is no effect.
std::vector<SettingEffect> setting_effects(const std::vector<std::size_t>& settings, const Trials& trials);

}  // namespace coslice
