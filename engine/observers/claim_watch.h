// Stands between the event loop and a scheduler, and holds what it does against what it claims. The rules are tested on
// what the view shows, none of them knows how the scheduler decides.
#pragma once

#include <vector>

#include "observers/claims.h"
#include "sched/observer.h"
#include "sched/scheduler.h"

namespace coslice {

class ClaimWatch : public Scheduler, public Observer {
 public:
  /// `jobs` outlives it. `promises_kept` is not its business (observers/invariants.h).
  ClaimWatch(const Claims& claims, const std::vector<Job>& jobs) : claims_(claims), jobs_(jobs) {}
  /// The scheduler that is asked for everything; outlives the run.
  Scheduler& watch(Scheduler& scheduler);

  void begin(View& view) override { scheduler_->begin(view); }
  std::optional<OwnCheckpoints> checkpoints(View& v, JobIndex j) override { return scheduler_->checkpoints(v, j); }
  std::optional<Duration> estimate(View& v, JobIndex j) override { return scheduler_->estimate(v, j); }
  void corrected(View& v, JobIndex j) override { scheduler_->corrected(v, j); }
  double key(View& view, JobIndex j) override { return scheduler_->key(view, j); }
  void submitted(View& view, JobIndex j) override;
  void started(View& view, JobIndex j) override;
  void ended(View& view, JobIndex j, Time started) override;
  void schedule(View& view, const Pass& pass) override;
  // As an observer.
  void rate_changed(Time t, JobIndex j, Rate rate) override;
  void settled(const InstantState& state) override;
  using Observer::ended;
  using Observer::started;
  using Observer::submitted;

  /// What did not hold, in order; at most 20 are kept.
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
  Scheduler* scheduler_ = nullptr;
  const View* view_ = nullptr;       ///< of the last pass
  std::vector<Arrival> at_arrival_;  ///< by JobIndex
  std::vector<Time> arrivals_;       ///< of all jobs so far
  Duration longest_{0};              ///< that any job so far may take for itself
  double slowest_ = 1;               ///< slowdown by shared nodes so far
  JobIndex latest_ = 0;  ///< the last one in the workload of those that came
  JobIndex head_ = kNoJob;
  Time head_start_ = kNever;  ///< the earliest that it was left so far
  std::vector<BrokenClaim> broken_;
};

}  // namespace coslice
