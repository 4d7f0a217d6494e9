// Processes that share processors: events a second under each way to go, on Table 6 of Frachtenberg et al. 2005 with 32
// processors, shortened. The column "simulated" says how many seconds of the machine one second makes.
#include <memory>

#include <benchmark/benchmark.h>

#include "../unit/fcs_policies.h"

using namespace coslice;
using namespace coslice::fcs;

namespace {

constexpr std::int32_t kProcessors = 32;

Program alternating(double even, double odd) {
  Program p;
  p.compute.assign(4, us(even));
  p.compute.insert(p.compute.end(), 4, us(odd));
  return p;
}

enum Which { kGang, kSpinBlock, kFcs };

void processes(benchmark::State& state, Which which, ProcessPath path) {
  const std::vector<Program> programs = {alternating(1000, 2060), alternating(2060, 1000), alternating(1000, 1000)};
  std::vector<ProcessJob> jobs;
  for (std::int32_t p = 0; p < 3; ++p) jobs.push_back({Time{}, kProcessors, p, 20'000, whole_seconds(60)});
  double seconds = 0, events = 0;
  for (auto _ : state) {
    std::unique_ptr<Coscheduler> policy;
    if (which == kGang) policy = std::make_unique<Gang>(3, Costs{});
    if (which == kSpinBlock) policy = std::make_unique<SpinBlock>(3, Costs{});
    if (which == kFcs) policy = std::make_unique<Fcs>(3, Costs{});
    ProcessSimulationOptions options;
    options.path = path;
    ProcessSimulation simulation(kProcessors, programs, jobs, *policy, options);
    simulation.run();
    for (const Time end : simulation.ends()) seconds = std::max(seconds, to_seconds(end - Time{}));
    events = static_cast<double>(simulation.record().account.events);
  }
  state.counters["simulated"] = benchmark::Counter(seconds, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["events"] = benchmark::Counter(events, benchmark::Counter::kIsIterationInvariantRate);
}

void processes_gang_exact(benchmark::State& state) { processes(state, kGang, ProcessPath::kExact); }
void processes_gang_closed(benchmark::State& state) { processes(state, kGang, ProcessPath::kClosed); }
void processes_spin_block_exact(benchmark::State& state) { processes(state, kSpinBlock, ProcessPath::kExact); }
void processes_spin_block_fast(benchmark::State& state) { processes(state, kSpinBlock, ProcessPath::kFast); }
void processes_fcs_closed(benchmark::State& state) { processes(state, kFcs, ProcessPath::kClosed); }
void processes_fcs_fast(benchmark::State& state) { processes(state, kFcs, ProcessPath::kFast); }

BENCHMARK(processes_gang_exact)->Unit(benchmark::kMillisecond);
BENCHMARK(processes_gang_closed)->Unit(benchmark::kMillisecond);
BENCHMARK(processes_spin_block_exact)->Unit(benchmark::kMillisecond);
BENCHMARK(processes_spin_block_fast)->Unit(benchmark::kMillisecond);
BENCHMARK(processes_fcs_closed)->Unit(benchmark::kMillisecond);
BENCHMARK(processes_fcs_fast)->Unit(benchmark::kMillisecond);

}  // namespace
