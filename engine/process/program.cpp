#include "process/program.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace coslice {

Duration Program::busy_of(std::int64_t rank) const {
  const Duration work = compute_of(rank) + polling_of(rank);
  return pattern == Pattern::kNone ? work : work + communication.overhead();
}

namespace {

/// The mean of the longest burst under a moving imbalance. Burst i is uniform in a_i +- m_i, so that the longest one is at
/// most x with the probability prod_i F_i(x), and its mean is x_max - integral of that. No function of the C library: a
/// period must be the same everywhere.
double mean_longest_burst(const Program& program, std::int32_t size) {
  struct Load {
    double mean, half;
    std::int32_t ranks;
  };
  std::vector<Load> loads;
  double low = 0, high = 0;
  const auto kinds = static_cast<std::int32_t>(std::max(program.compute.size(), program.polling.size()));
  const bool repeats = program.polling.empty() || program.polling.size() == program.compute.size();
  for (std::int32_t rank = 0; rank < size; ++rank) {
    if (repeats && rank >= kinds) {
      ++loads[static_cast<std::size_t>(rank % kinds)].ranks;
      continue;
    }
    const auto work = static_cast<double>((program.compute_of(rank) + program.polling_of(rank)).count());
    const Load load{static_cast<double>(program.busy_of(rank).count()), program.moving * work, 1};
    low = std::max(low, load.mean - load.half);
    high = std::max(high, load.mean + load.half);
    loads.push_back(load);
  }
  const auto none_longer = [&](double x) {
    double all = 1;
    for (const Load& l : loads) {
      const double one = l.half > 0 ? std::clamp((x - l.mean + l.half) / (2 * l.half), 0.0, 1.0) : 1.0;
      for (std::int32_t i = 0; i < l.ranks && all > 0; ++i) all *= one;
    }
    return all;
  };
  constexpr int kSteps = 512;
  const double step = (high - low) / kSteps;
  double area = 0;  // by the middles of the steps
  for (int i = 0; i < kSteps; ++i) area += none_longer(low + (i + 0.5) * step) * step;
  return high - area;
}

}  // namespace

double isolated_period(const Program& program, std::int32_t size) {
  const double latency = static_cast<double>(program.communication.latency.count());
  if (program.moving > 0) return mean_longest_burst(program, size) + latency;
  const auto busy = [&](std::int32_t rank) { return static_cast<double>(program.busy_of(rank % size).count()); };
  double period = 0;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    period = std::max(period, busy(rank) + (program.pattern == Pattern::kBarrier ? latency : 0));
    if (program.pattern == Pattern::kRing) period = std::max(period, (busy(rank) + busy(rank + 1)) / 2 + latency);
  }
  return period;
}

std::int64_t iterations_for(const Program& program, std::int32_t size, Duration runtime) {
  const double period = isolated_period(program, size);
  if (period <= 0) return 1;
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(runtime.count()) / period));
}

void check_program(const Program& program) {
  const auto negative = [](Duration d) { return d < Duration{0}; };
  const auto fail = [](const char* problem) { throw std::invalid_argument(problem); };
  if (program.compute.empty()) fail("it has no load");
  for (const auto* loads : {&program.compute, &program.polling}) {
    if (std::any_of(loads->begin(), loads->end(), negative)) fail("a load is below 0");
  }
  const CommunicationCost& c = program.communication;
  if (negative(c.send) || negative(c.receive) || c.latency < Duration{1})
    fail("a communication cost is below 0, or there is no latency");
  if (negative(program.slot_refill) || negative(program.dispatch_refill) || negative(program.monitoring))
    fail("a refill or the monitoring is below 0");
  if (!(program.jitter >= 0 && program.jitter <= 0.25)) fail("its jitter is not between 0 and 0.25");
  if (!(program.moving >= 0 && program.moving <= 0.5)) fail("its moving imbalance is not between 0 and 0.5");
  if (program.moving > 0 && program.pattern != Pattern::kBarrier) fail("an imbalance that moves needs a barrier");
  if (program.moving_iterations < 1) fail("its imbalance moves after less than one iteration");
  const auto idle = [](Duration d) { return d == Duration{0}; };
  if (std::all_of(program.compute.begin(), program.compute.end(), idle) &&
      std::all_of(program.polling.begin(), program.polling.end(), idle) && program.pattern == Pattern::kNone) {
    fail("no process has anything to do");
  }
}

}  // namespace coslice
