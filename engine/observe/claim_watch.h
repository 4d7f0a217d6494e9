// What a scheduler may claim of all its runs, and what holds runs against it. The rules are tested on what the view
// shows, and do not depend on how the scheduler decides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "schedule/observer.h"
#include "schedule/scheduler.h"

namespace coslice {

/// What a scheduler claims of all its runs.
struct Claims {
  bool never_idle = false;       ///< nodes are in use whenever a job waits
  bool work_conserving = false;  ///< no job waits for which enough nodes are idle
  bool no_idle_gpus = false;  ///< the first of the queue does not wait for GPUs while others would do that no job has
  bool in_order = false;      ///< no job starts before one that is in front of it in the queue
  /// As long as a job is the first of the queue, the earliest start that started jobs leave it never moves later.
  bool head_never_delayed = false;
  bool promises_kept = false;  ///< no reservation moves later, and each is kept
  /// A job that found k jobs waiting starts within (k + 1) times the longest time that any job may take, whatever comes
  /// after it. What comes within this time may go first: then those jobs count among the k, and the bound is twice
  /// that.
  std::optional<Duration> no_starvation;
  /// A response time is at most this many times what a job could expect when it came: the queue in front of it played
  /// forward by the estimates, every job as early as possible. Where jobs end early, conservative backfilling has no
  /// bound.
  std::optional<double> fairness_bound;

  /// Returns the names of the claims that are made, in this order: "never-idle", ...
  std::vector<std::string> names() const;
};

/// Returns the names of all claims there are.
const std::vector<std::string>& claim_names();

/// A claim that did not hold.
struct BrokenClaim {
  std::string claim;
  std::string what;  ///< "at 5 s, job 2: ..."
};

/// Stands between the event loop and a scheduler, and holds what it does against what it claims.
class ClaimWatch : public WrappedScheduler, public Observer {
 public:
  /// Makes the watch of the claims. `jobs` outlives it. `promises_kept` is watched elsewhere (observe/invariants.h).
  ClaimWatch(const Claims& claims, const std::vector<Job>& jobs)
      : WrappedScheduler(nullptr), claims_(claims), jobs_(jobs) {}
  /// Returns the scheduler that is asked for everything; outlives the run.
  Scheduler& watch(Scheduler& scheduler);

  void submitted(View& view, JobIndex j) override;
  void started(View& view, JobIndex j) override;
  void ended(View& view, JobIndex j, Time started) override;
  void schedule(View& view, const Pass& pass) override;
  // As an observer.
  void rate_changed(Time, JobIndex, Rate rate) override { slowest_ = std::max(slowest_, 1 / rate.value()); }
  void settled(const InstantState& state) override;
  using Observer::ended;
  using Observer::started;
  using Observer::submitted;
  using Observer::withdrawn;
  using WrappedScheduler::withdrawn;

  /// Returns what did not hold, in order; at most 20 are kept.
  const std::vector<BrokenClaim>& broken() const { return broken_; }

 private:
  /// What is remembered of a job from its submission on.
  struct Arrival {
    Time at = kNever;
    std::size_t behind = 0;  ///< the number of other jobs that waited
    std::size_t number = 0;  ///< of its submission, from 0
    Duration expected{0};    ///< response time
  };
  void complain(const char* claim, Time t, JobIndex j, const std::string& what);
  void overtake(const View& view, View::Position p);
  void check_order(const View& view, const std::vector<JobIndex>& before);
  void check_idle(const View& view);
  void check_head(const View& view);
  void note_passing(const View& view, JobIndex j);
  Duration longest(const View& view);

  Claims claims_;
  const std::vector<Job>& jobs_;
  const View* view_ = nullptr;       ///< of the last pass
  std::vector<Arrival> at_arrival_;  ///< by JobIndex
  std::vector<Time> arrivals_;       ///< of all jobs so far
  Duration longest_{0};              ///< the longest time that any job so far may take for itself
  double slowest_ = 1;               ///< slowdown by shared nodes so far
  JobIndex latest_ = 0;              ///< the last one in the workload of those that came
  JobIndex head_ = kNoJob;
  std::int32_t head_size_ = 0;  ///< that it had then
  Time head_start_ = kNever;    ///< the earliest that it was left so far
  std::vector<BrokenClaim> broken_;
};

}  // namespace coslice
