// Simulations of some snapshots of a machine: of each as many as are wanted, a part of each in turn, so that early on
// it is known what the rest will take.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "lab/forecast/forecast.h"

namespace coslice {

class SnapshotRuns {
 public:
  /// Keeps references to both, which outlive it.
  SnapshotRuns(const ForecastBase& base, const ForecastPool& pool) : base_(base), pool_(pool) {}

  /// Adds a snapshot, simulated as these options say, whose `runs` is not looked at; with so many runs in all.
  void add(MachineState state, const ForecastOptions& options, std::int64_t runs);
  /// Changes the number of runs of the i-th snapshot, and how those that are not made yet are made. Precondition: not
  /// fewer than were made.
  void want(std::size_t i, const ForecastOptions& options, std::int64_t runs) {
    snapshots_[i].options = options;
    snapshots_[i].wanted = static_cast<std::size_t>(runs);
  }
  /// Makes those that are wanted and not made yet, on several threads; progress is told if `tells`. Throws what runs
  /// throw, and what the pool's tick throws.
  void make(bool tells = true);

  /// Returns how far the runs are. Precondition: no runs are being made.
  ForecastProgress progress() const;
  std::size_t size() const { return snapshots_.size(); }
  const MachineState& state(std::size_t i) const { return snapshots_[i].state; }
  /// Returns the runs of the i-th snapshot, by number of the run.
  const std::vector<ForecastRun>& runs(std::size_t i) const { return snapshots_[i].runs; }

 private:
  struct Snapshot {
    MachineState state;
    ForecastOptions options;
    std::size_t wanted = 0;
    std::vector<ForecastRun> runs{};
    std::size_t done = 0;  ///< of them
    double work = 0;       ///< of these, all together
  };
  struct Task {
    Snapshot* snapshot;
    std::size_t run;
  };
  std::vector<Task> tasks_in_turn();

  const ForecastBase& base_;
  const ForecastPool& pool_;
  std::deque<Snapshot> snapshots_;
};

}  // namespace coslice
