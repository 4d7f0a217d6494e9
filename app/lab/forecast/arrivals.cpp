#include "lab/forecast/arrivals.h"

#include <algorithm>

namespace coslice {

namespace {

/// Of a shorter history the blocks are so many parts: one of hours would have too few of them, or none.
constexpr std::int64_t kLeastBlocks = 8;

/// Days, since jobs come by the time of day; hours where few days are known.
Duration block_of(Duration span) {
  if (span >= whole_seconds(2 * 86400)) return whole_seconds(86400);
  return std::min(whole_seconds(3600), span / kLeastBlocks);
}

}  // namespace

std::vector<Arrival> draw_arrivals(const Workload& workload, const MachineState& state, Time until,
                                   RandomStream random) {
  std::vector<JobIndex> known;
  for (JobIndex j = 0; j != state.jobs.size(); ++j)
    if (state.jobs[j].as != KnownAs::kNotYet) known.push_back(j);
  if (known.empty()) return {};
  const auto came = [&](JobIndex j) { return workload.jobs[j].submit; };
  const Duration span = state.now - came(known.front());
  const Duration block = block_of(span);
  if (block < whole_seconds(1)) return {};
  const std::int64_t blocks = span / block;
  std::vector<double> upto;  // weights, summed up
  double all = 0;
  for (std::int64_t back = 1; back <= blocks; ++back) upto.push_back(all += random.exponential(1));
  std::vector<Arrival> out;
  for (std::int64_t k = 0; state.now + k * block < until; ++k) {
    const auto drawn = std::upper_bound(upto.begin(), upto.end() - 1, all * random.uniform());
    const std::int64_t back = drawn - upto.begin() + 1;
    const Time from = state.now - back * block, to = from + block;
    const auto first = std::partition_point(known.begin(), known.end(), [&](JobIndex j) { return came(j) <= from; });
    for (auto at = first; at != known.end() && came(*at) <= to; ++at) {
      const Time submit = came(*at) + (back + k) * block;
      if (submit < until) out.push_back({*at, submit});
    }
  }
  return out;
}

}  // namespace coslice
