#include "metrics/cost_summary.h"

#include <algorithm>

#include "metrics/node_times.h"

namespace coslice {

namespace {
constexpr double kWattSecondsInKwh = 3.6e6;
constexpr double kSecondsInHour = 3600;
}  // namespace

std::optional<EnergySummary> summarize_energy(const RunResult& result, Time from, Time to) {
  if (!result.costs || !result.costs->kinds.front().watts) return std::nullopt;
  EnergySummary s;
  const std::vector<NodeTimes> times = node_times(result, from, to);
  for (std::size_t k = 0; k != times.size(); ++k) {
    const NodeTimes& t = times[k];
    const NodeWatts& w = *result.costs->kinds[k].watts;
    const double idle = t.idle() * w.idle;
    s.used += t.busy * w.busy + idle + t.booting * w.booting + t.off * w.off;
    s.idle += idle;
    s.always_on += t.busy * w.busy + (t.there - t.busy) * w.idle;
  }
  for (double* kwh : {&s.used, &s.idle, &s.always_on}) *kwh /= kWattSecondsInKwh;
  return s;
}

std::optional<CostSummary> summarize_cost(const RunResult& result, const std::optional<EnergySummary>& energy, Time from,
                                          Time to) {
  if (!result.costs) return std::nullopt;
  const MachineCosts& costs = *result.costs;
  if (costs.kwh_price == 0 &&
      std::all_of(costs.kinds.begin(), costs.kinds.end(), [](const NodeCosts& k) { return k.price == 0; }))
    return std::nullopt;
  CostSummary s;
  const std::vector<NodeTimes> times = node_times(result, from, to);
  for (std::size_t k = 0; k != times.size(); ++k) {
    s.nodes += times[k].on() / kSecondsInHour * costs.kinds[k].price;
    s.idle += times[k].idle() / kSecondsInHour * costs.kinds[k].price;
  }
  if (energy) s.energy = energy->used * costs.kwh_price;
  s.total = s.nodes + s.energy;
  return s;
}

}  // namespace coslice
