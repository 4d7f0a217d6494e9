#include "lab/forecast/snapshot_runs.h"

#include <algorithm>
#include <mutex>

namespace coslice {

void SnapshotRuns::add(MachineState state, const ForecastOptions& options, std::int64_t runs) {
  snapshots_.push_back({std::move(state), options, static_cast<std::size_t>(runs)});
}

/// Of a snapshot with half as many runs, each second time one.
std::vector<SnapshotRuns::Task> SnapshotRuns::tasks_in_turn() {
  std::vector<std::pair<double, Task>> order;
  for (Snapshot& s : snapshots_) {
    for (std::size_t r = s.runs.size(); r != s.wanted; ++r)
      order.push_back({(static_cast<double>(r) + 0.5) / static_cast<double>(s.wanted), {&s, r}});
    s.runs.resize(s.wanted);
  }
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Task> tasks;
  for (const auto& [part, task] : order) tasks.push_back(task);
  return tasks;
}

/// A snapshot of which no run is done is taken for one like the others.
ForecastProgress SnapshotRuns::progress() const {
  ForecastProgress p;
  double work = 0, left = 0;
  for (const Snapshot& s : snapshots_) {
    p.done += s.done;
    p.total += s.wanted;
    work += s.work;
  }
  const double usual = p.done == 0 ? 0 : work / static_cast<double>(p.done);
  for (const Snapshot& s : snapshots_)
    left += static_cast<double>(s.wanted - s.done) * (s.done == 0 ? usual : s.work / static_cast<double>(s.done));
  p.share = work > 0 ? work / (work + left) : 0;
  return p;
}

void SnapshotRuns::make(bool tells) {
  const std::vector<Task> tasks = tasks_in_turn();
  std::mutex mutex;
  const auto work = [&](std::size_t i, const Cancel& cancel) {
    const auto [snapshot, r] = tasks[i];
    ForecastRun made =
        forecast_run(base_, snapshot->state, snapshot->options, static_cast<std::int64_t>(r), [&, i = i] {
          if (cancel.requested(i)) throw Cancelled{};
        });
    const std::lock_guard<std::mutex> lock(mutex);
    snapshot->work += made.work;
    ++snapshot->done;
    snapshot->runs[r] = std::move(made);
  };
  PoolOptions options{pool_.workers, {}};
  if (pool_.tick)
    options.tick = [&](std::size_t) {
      ForecastProgress now;
      if (tells) {
        const std::lock_guard<std::mutex> lock(mutex);
        now = progress();
      }
      pool_.tick(now);
    };
  run_tasks(tasks.size(), work, options);
}

}  // namespace coslice
