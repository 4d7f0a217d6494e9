// The work of jobs whose speed changes as others come to their nodes and go: what is done, when they will have ended,
// and until when their nodes are held. Work is conserved exactly (core/time.h).
#pragma once

#include <cstdint>
#include <vector>

#include "sched/contention.h"
#include "sched/end_queue.h"
#include "sched/job_times.h"
#include "sched/engine_options.h"
#include "sched/observer.h"

namespace coslice {

class SharedSpeeds {
 public:
  /// All references outlive it.
  SharedSpeeds(const JobDemands& demands, const JobTimes& times, const EngineOptions& options,
               const ContentionOptions& contention, const Occupancy& occupancy, EndQueue& ends,
               const std::vector<Observer*>& observers);

  const Contention& contention() const { return contention_; }

  /// The job has its nodes from now on. Ends are set for it and for those that it slows down.
  void start(StartedJob& job, Time now);
  /// The job, whose end it is, has left its nodes: those that were beside it get on faster.
  void end(StartedJob& job, Time now);
  /// Tells the view until when nodes are held for jobs whose speed has changed since the last call, as their scheduler
  /// believes. Whether there was one. Not during a pass: reservations may move.
  bool update_holds(View& view, Time now);

 private:
  /// Why a job's speed may be another one.
  enum class Change : std::uint8_t { kFirst, kByStart, kByEnd };
  void change(StartedJob& job, Time now, Change why);
  void account(StartedJob& job, Time now);
  void set_end(StartedJob& job, Time now, Change why);

  const JobTimes& times_;
  const EngineOptions& options_;
  Contention contention_;
  EndQueue& ends_;
  const std::vector<Observer*>& observers_;
  std::vector<StartedJob*> changed_;
};

}  // namespace coslice
