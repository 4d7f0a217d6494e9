// What comes into a run from outside while it goes on: jobs that were not known when it began; and of a machine that is
// not simulated here, all that happens there.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "jobs/job.h"
#include "machine/node_set.h"

namespace coslice {

/// Jobs that come into a run that has begun. They ask for whole nodes, have one size, and wait for nothing. In a queue
/// they are behind the jobs with the same key that the run was given.
class JobInlet {
 public:
  /// Lets the job come when the pass is over in which this is called, or at its submit time, if that is later.
  void add(const Job& job) { coming_.push_back(job); }
  /// Says whether the run goes on, as long as there are passes to come, when all jobs are over.
  void stay_open(bool open) { open_ = open; }
  bool is_open() const { return open_; }
  /// Returns those that were added since this was asked last.
  std::vector<Job> take() { return std::exchange(coming_, {}); }

 private:
  std::vector<Job> coming_;
  bool open_ = false;
};

/// A machine on which jobs really run, or are simulated by another program: a run beside it decides, and is told what
/// happens. Jobs have no ends and limits there but those that it tells.
class OutsideMachine {
 public:
  /// What has happened at an instant.
  struct Happened {
    struct End {
      JobIndex job;
      bool killed;  ///< not by itself
    };
    Time now{};
    std::vector<End> ended;
    struct NodeChange {
      NodeId node;
      bool gone;  ///< no job may come to it; those that are there go on. Else it is back
    };
    std::vector<NodeChange> nodes;
    std::vector<Job> jobs;  ///< that come
  };

  virtual ~OutsideMachine() = default;
  /// Returns what happens next, after all that was decided meanwhile; nothing: the run is over. `next` is when the run
  /// wants to decide again even if nothing happens; kNever: it does not.
  virtual std::optional<Happened> wait(Time next) = 0;
  /// Kills the running job; its end is told as others are.
  virtual void kill(JobIndex j) = 0;
};

}  // namespace coslice
