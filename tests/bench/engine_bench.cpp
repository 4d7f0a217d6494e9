// The stations of a run, one by one: reading, simulating, summing up, writing. Times are for 5,000 jobs; the column
// "jobs" says how many jobs a second that makes.
#include <string>

#include <benchmark/benchmark.h>

#include "core/random.h"
#include "formats/swf.h"
#include "jobs/lublin.h"
#include "jobs/transform.h"
#include "machine/node_set.h"
#include "metrics/summary.h"
#include "observe/recorder.h"
#include "output/jobs_csv.h"
#include "output/run_folder.h"
#include "run/simulation.h"
#include "schedule/queue_scheduler.h"

using namespace coslice;

namespace {

constexpr int kNodes = 128;
constexpr int kJobs = 5'000;

/// A busy machine, with estimates as users give them.
const Workload& busy() {
  static const Workload workload = [] {
    LublinOptions options;
    options.jobs = kJobs;
    options.nodes = kNodes;
    options.load = 0.85;
    Workload w = generate_lublin(options);
    TransformOptions change;
    change.estimates = Estimates::kModel;
    transform(w, change);
    return w;
  }();
  return workload;
}

RunResult simulated(Backfill backfill, QueueOrder order = QueueOrder::kSubmit) {
  QueueSchedulerOptions options;
  options.backfill = backfill;
  options.order = order;
  QueueScheduler scheduler(options);
  MachineSpec machine;
  machine.nodes = kNodes;
  Recorder recorder(busy(), machine);
  Simulation simulation(machine, busy().jobs, scheduler, {});
  simulation.add(recorder);
  simulation.run();
  return recorder.take();
}

void count_jobs(benchmark::State& state) {
  state.counters["jobs"] = benchmark::Counter(kJobs, benchmark::Counter::kIsIterationInvariantRate);
}

void simulate(benchmark::State& state, Backfill backfill, QueueOrder order) {
  for (auto _ : state) benchmark::DoNotOptimize(simulated(backfill, order).fingerprint);
  count_jobs(state);
}
BENCHMARK_CAPTURE(simulate, fcfs, Backfill::kNone, QueueOrder::kSubmit);
BENCHMARK_CAPTURE(simulate, easy, Backfill::kEasy, QueueOrder::kSubmit);
BENCHMARK_CAPTURE(simulate, easy_shortest_first, Backfill::kEasy, QueueOrder::kDuration);
BENCHMARK_CAPTURE(simulate, conservative, Backfill::kConservative, QueueOrder::kSubmit);

void read_trace(benchmark::State& state) {
  std::string text;
  for (const Job& job : busy().jobs) append_swf_record(text, job);
  for (auto _ : state) benchmark::DoNotOptimize(parse_swf(text, "bench.swf").jobs.data());
  count_jobs(state);
}
BENCHMARK(read_trace);

void generate(benchmark::State& state) {
  LublinOptions options;
  options.jobs = kJobs;
  for (auto _ : state) benchmark::DoNotOptimize(generate_lublin(options).jobs.data());
  count_jobs(state);
}
BENCHMARK(generate);

const RunResult& easy_result() {
  static const RunResult result = simulated(Backfill::kEasy);
  return result;
}

void sum_up(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(summarize(easy_result(), {}).makespan);
  count_jobs(state);
}
BENCHMARK(sum_up);

void write_jobs(benchmark::State& state) {
  std::size_t bytes = 0;
  for (auto _ : state) write_jobs_csv(easy_result(), {}, [&](std::string_view text) { bytes += text.size(); });
  benchmark::DoNotOptimize(bytes);
  count_jobs(state);
}
BENCHMARK(write_jobs);

void write_timeline(benchmark::State& state) {
  std::size_t bytes = 0;
  for (auto _ : state) write_timeline_csv(easy_result(), [&](std::string_view text) { bytes += text.size(); });
  benchmark::DoNotOptimize(bytes);
  count_jobs(state);
}
BENCHMARK(write_timeline);

/// A queue in which one job in `rare` fits, scanned from one end to the other; time per scan.
void scan_queue(benchmark::State& state) {
  WaitingQueue queue;
  const auto rare = static_cast<JobIndex>(state.range(1));
  for (JobIndex j = 0; j != static_cast<JobIndex>(state.range(0)); ++j)
    queue.insert(j, j % rare == rare - 1 ? 1 : 100, whole_seconds(60), 0.0);
  for (auto _ : state) {
    std::size_t found = 0;
    for (auto p = queue.next_fitting(0, 10); p < queue.end(); p = queue.next_fitting(p + 1, 10)) ++found;
    benchmark::DoNotOptimize(found);
  }
}
BENCHMARK(scan_queue)->ArgNames({"jobs", "rare"})->Args({100, 10})->Args({20'000, 10})->Args({20'000, 1'000});

/// One word into the fingerprint.
void hash_word(benchmark::State& state) {
  std::uint64_t h = 0;
  for (auto _ : state) h = hash_mix(h, 42);
  benchmark::DoNotOptimize(h);
}
BENCHMARK(hash_word);

}  // namespace
