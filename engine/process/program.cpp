#include "process/program.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace coslice {

Duration Program::busy_of(std::int64_t rank) const {
  const Duration work = compute_of(rank) + polling_of(rank);
  return pattern == Pattern::kNone ? work : work + communication.overhead();
}

double isolated_period(const Program& program, std::int32_t size) {
  const double latency = static_cast<double>(program.communication.latency.count());
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
  const auto idle = [](Duration d) { return d == Duration{0}; };
  if (std::all_of(program.compute.begin(), program.compute.end(), idle) &&
      std::all_of(program.polling.begin(), program.polling.end(), idle) && program.pattern == Pattern::kNone) {
    fail("no process has anything to do");
  }
}

}  // namespace coslice
