// Under slices: whether a job that was to stop with a checkpoint had the time to write it. It is written in the last part of
// its run, which the end of a slice may cut off.
#pragma once

#include <map>

#include "sched/observer.h"
#include "sched/view.h"

namespace coslice {

class LastCheckpoints : public Observer {
 public:
  /// The started job was asked to write one.
  void asked(Time now, const StartedJob& job) {
    since_.emplace(job.index, job.phase == Phase::kRunning ? now : kNever);
  }
  /// Whether it has run for as long as that takes without a break, since it was asked.
  bool written(Time now, JobIndex j, Duration cost) const {
    const auto since = since_.find(j);
    return since != since_.end() && since->second != kNever && now - since->second >= cost;
  }

  void ended(Time, JobIndex j, const NodeRanges&, bool) override { since_.erase(j); }
  void interrupted(Time, JobIndex j, const NodeRanges&, const Interruption&) override { since_.erase(j); }
  void preempted(Time, JobIndex j) override { set(j, kNever); }
  void resumed(Time now, JobIndex j, const NodeRanges&) override { set(j, now); }
  void loading(Time, JobIndex j, Duration) override { set(j, kNever); }
  void loaded(Time now, JobIndex j) override { set(j, now); }

 private:
  void set(JobIndex j, Time t) {
    if (const auto since = since_.find(j); since != since_.end()) since->second = t;
  }

  std::map<JobIndex, Time> since_;  ///< since when jobs that were asked run without a break; kNever: they do not run
};

}  // namespace coslice
