// How long jobs run and may run: as the workload says, and of a job that was interrupted what is left of it. With
// checkpoints an interrupted job goes on from its last one; without, it begins again.
//
// A checkpoint is written after each `interval` of work but the last one; that takes `cost`, and going on from one
// takes `restart`. Both come on top of a job's run time and of its limit: the limit is one of work where there are
// checkpoints.
#pragma once

#include <string>
#include <vector>

#include "core/time.h"
#include "jobs/engine_options.h"

namespace coslice {

/// Longer than any run is simulated.
inline constexpr Duration kEndlessRun = Work::kEndless;

struct CheckpointOptions {
  Duration interval{0};  ///< work between two checkpoints; 0: none are written, unless a job's own interval is set
  Duration cost{0};
  Duration restart{0};
};

/// How one job writes checkpoints, instead of as CheckpointOptions say.
struct OwnCheckpoints {
  Duration interval{0};          ///< work between two; 0: none are written
  std::optional<Duration> cost;  ///< absent: that of the options
};

enum class InterruptedBy : std::uint8_t {
  kFailure,  ///< of a node
  kPolicy,   ///< the job was preempted, requeued or killed by its policy
};

/// What an interruption took from a job.
struct Interruption {
  Duration lost{0};     ///< work that has to be done again, or never will be
  Duration started{0};  ///< for how long it had run
  bool requeued = false;
  InterruptedBy by = InterruptedBy::kFailure;
  JobIndex for_job = kNoJob;  ///< the job that this one makes way for; kNoJob: none
  bool saved = false;         ///< a checkpoint was written at last
};

/// What a checkpoint that is written when a job has to stop costs.
struct FinalCheckpoint {
  Duration cost{0};     ///< the last so much of its run
  Duration restart{0};  ///< going on from it
};

class JobTimes {
 public:
  /// Keeps what is left of each job. The first two arguments outlive it.
  JobTimes(const std::vector<Job>& jobs, const EngineOptions& options, const CheckpointOptions& checkpoints = {});

  /// Returns the time that the job takes at rate 1 from its next start to its end, if no limit ends it.
  Duration runtime(JobIndex j) const { return plain_ ? jobs_[j].runtime : with_checkpoints(j, jobs_[j].runtime); }
  /// Returns the time that its limit leaves the job from its next start.
  Duration limit(JobIndex j) const { return plain_ ? jobs_[j].limit : with_checkpoints(j, jobs_[j].limit); }
  /// Returns what the job has done beyond its limit, up to its last checkpoint.
  Duration beyond_limit(JobIndex j) const {
    return plain_ ? Duration{0} : std::max(left_[j].saved - jobs_[j].limit, Duration{0});
  }
  /// Returns for how long the job may hold its nodes, as far as a scheduler can know.
  Duration planned(JobIndex j) const {
    return options_.at_limit == AtLimit::kKill ? limit(j) : std::max(limit(j), runtime(j));
  }
  /// Returns for how long the job runs at rate 1.
  Duration actual(JobIndex j) const {
    return options_.at_limit == AtLimit::kKill ? std::min(limit(j), runtime(j)) : runtime(j);
  }
  bool kills(JobIndex j) const { return options_.kills(jobs_[j]); }

  /// Keeps what is left of jobs that have been added to those of the run since.
  void grow() {
    if (!plain_) left_.resize(jobs_.size(), untouched());
  }
  /// Sets how the job writes checkpoints, before it starts.
  void set_checkpoints(JobIndex j, const OwnCheckpoints& own);
  /// Notes that the job was interrupted when it had progressed by `done` since its last start (work, the time for
  /// checkpoints included). Returns the work that is lost: none where a checkpoint was written at last (null: it was
  /// not).
  Duration interrupt(JobIndex j, Duration done, const FinalCheckpoint* last);
  std::int32_t interruptions(JobIndex j) const { return plain_ ? 0 : left_[j].interruptions; }
  /// Returns the job that was interrupted most often, and how often, in words. One was.
  std::string most_interrupted() const;
  /// Returns whether the job goes on from a checkpoint when it starts.
  bool goes_on(JobIndex j) const { return !plain_ && left_[j].saved > Duration{0}; }
  /// Notes that the job ended: counts what its last run spent on checkpoints.
  void end(JobIndex j) {
    if (plain_) return;
    const Duration work = std::min(jobs_[j].runtime, options_.kills(jobs_[j]) ? jobs_[j].limit : jobs_[j].runtime);
    left_[j].overhead += std::max(with_checkpoints(j, work) - (work - left_[j].saved), Duration{0});
  }
  /// Returns the work at rate 1 that went into checkpoints and into going on from them, by JobIndex; empty if there
  /// were none.
  std::vector<Duration> checkpointing() const {
    std::vector<Duration> all;
    for (const Left& left : left_) all.push_back(left.overhead);
    return all;
  }

 private:
  struct Left {
    Duration saved{0};     ///< work up to the last checkpoint
    Duration interval{0};  ///< 0: none
    Duration cost{0};      ///< of a checkpoint
    Duration overhead{0};  ///< spent on checkpoints
    Duration restart{0};   ///< to go on from the last one
    std::int32_t interruptions = 0;
  };
  void leave_plain();
  Left untouched() const {
    return {Duration{0}, checkpoints_.interval, checkpoints_.cost, Duration{0}, checkpoints_.restart, 0};
  }
  Duration with_checkpoints(JobIndex j, Duration work) const;

  const std::vector<Job>& jobs_;
  const EngineOptions& options_;
  CheckpointOptions checkpoints_;
  bool plain_ = true;       ///< nothing was interrupted, no checkpoints are written
  std::vector<Left> left_;  ///< by JobIndex; empty while it is plain
};

}  // namespace coslice
