// What a run took of electricity and money.
#pragma once

#include <optional>

#include "observers/result.h"

namespace coslice {

/// kWh of the nodes while they were there.
struct EnergySummary {
  double used = 0;
  double idle = 0;       ///< of it, while they were up and had no job
  double always_on = 0;  ///< of the same schedule if no node were powered down or came up
};

/// In the currency of the prices.
struct CostSummary {
  double total = 0;
  double nodes = 0;   ///< for hours of nodes that were there and not powered down
  double idle = 0;    ///< of it, while they were up and had no job
  double energy = 0;  ///< for what they drew
};

/// Nothing where it is not known what nodes draw. `from` to `to` is the makespan, longer than 0.
std::optional<EnergySummary> summarize_energy(const RunResult& result, Time from, Time to);
/// Nothing where nothing has a price.
std::optional<CostSummary> summarize_cost(const RunResult& result, const std::optional<EnergySummary>& energy, Time from,
                                          Time to);

}  // namespace coslice
