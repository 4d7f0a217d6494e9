#include "workload/size_adjustment.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/random.h"

namespace coslice {

namespace {

constexpr std::int64_t kLargestSize = INT32_MAX;

bool is_power_of_two(std::int64_t n) { return (n & (n - 1)) == 0; }

/// The power of two below x or the one above it, so that x is the mean over all draws in [0, 1).
std::int64_t power_of_two_about(double x, double draw) {
  const auto below = std::bit_floor(static_cast<std::uint64_t>(x));
  const double beyond = x - static_cast<double>(below);
  return static_cast<std::int64_t>(draw * static_cast<double>(below) < beyond ? 2 * below : below);
}

/// Not yet cut to the machine.
std::int64_t new_size(std::int64_t nodes, std::int64_t ppn, double slowdown, SizeAdjustment::Rounding rounding,
                      double draw) {
  using Rounding = SizeAdjustment::Rounding;
  if (ppn == 1) return nodes;
  if (rounding == Rounding::kPowerOfTwo && is_power_of_two(nodes)) return nodes * ppn;
  const double size = std::max(2.0, static_cast<double>(nodes * ppn) / slowdown);
  if (rounding == Rounding::kDrawnPowerOfTwo && is_power_of_two(nodes)) return power_of_two_about(size, draw);
  return static_cast<std::int64_t>(std::floor(size + 0.5));
}

/// Node-seconds of some jobs.
class OfferedLoad {
 public:
  OfferedLoad(const Workload& w, const CoreCounts& machine) {
    if (w.jobs.empty()) return;
    room_ = to_seconds(w.jobs.back().submit - w.jobs.front().submit) * machine.nodes;
  }
  void add(std::int32_t nodes, const Job& job, double slowdown) { work_ += nodes * to_seconds(job.runtime) * slowdown; }
  double value() const { return room_ > 0 ? work_ / room_ : 0; }

 private:
  double work_ = 0, room_ = 0;
};

void count(SizeAdjustmentCounts& counts, std::int32_t size, std::int32_t ppn, const CoreCounts& machine) {
  if (size == 1) ++counts.serial;
  else if (ppn == 1) ++counts.one;
  else if (ppn == machine.cores_per_node()) ++counts.full;
  else ++counts.half;
}

}  // namespace

std::int32_t processes_per_node(const SlowdownModel& slowdowns, JobIndex j, std::int32_t size,
                                const CoreCounts& machine, const SizeAdjustment& limits) {
  if (size == 1) return 1;
  const std::int32_t cores = machine.cores_per_node();
  const bool has_more_cores = machine.cores > 1;
  if (has_more_cores && slowdowns.alone(j, cores, machine.processors) <= limits.max_slowdown) return cores;
  const bool halves = slowdowns.alone(j, machine.processors, machine.processors) <= limits.max_over_processors;
  return halves ? machine.processors : 1;
}

void adjust_sizes(Workload& workload, const SlowdownModel& slowdowns, const CoreCounts& machine,
                  const SizeAdjustment& options) {
  SizeAdjustmentCounts counts;
  OfferedLoad before(workload, machine), after(workload, machine);
  const RandomKey draws(options.seed, "sizes.rounding");
  for (JobIndex j = 0; j != workload.jobs.size(); ++j) {
    Job& job = workload.jobs[j];
    const std::int32_t ppn = processes_per_node(slowdowns, j, job.size, machine, options);
    const double slowdown = slowdowns.alone(j, ppn, machine.processors);
    count(counts, job.size, ppn, machine);
    before.add(job.size, job, 1);
    const std::int64_t most = std::min<std::int64_t>(std::int64_t{machine.nodes} * ppn, kLargestSize);
    const std::int64_t size = new_size(job.size, ppn, slowdown, options.rounding, draws.uniform(j));
    job.size = static_cast<std::int32_t>(std::min(size, most));
    after.add(1 + (job.size - 1) / ppn, job, slowdown);
  }
  counts.load_before = before.value();
  counts.load_after = after.value();
  workload.adjusted = counts;
}

}  // namespace coslice
