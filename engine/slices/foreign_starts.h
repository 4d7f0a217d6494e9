// Jobs of other classes use what a slice leaves over: safe non-type slice backfilling (Esbaugh 2010, Section 3.3).
// Preempted jobs come first, then waiting ones, shortest class first, where they delay no job of the slice's class.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/decisions.h"
#include "slices/sliced_jobs.h"

namespace coslice {

class ForeignStarts {
 public:
  /// All references outlive it.
  ForeignStarts(const SliceOptions& options, const SliceClock& clock, ClassViews& classes, SlicedJobs& started,
                const std::vector<Observer*>& observers)
      : options_(options), clock_(clock), classes_(classes), started_(started), observers_(observers) {}

  /// Precondition: a slice is productive, and the scheduler of its class has made its pass.
  void run();

 private:
  View& view() const { return classes_[clock_.slice().job_class].view; }
  std::int32_t idle_count() const { return started_.startable_count(); }
  Profile profile() const;
  bool fits(const Profile& profile, std::int32_t n, Duration d) const;
  void take(Profile& profile, const StartedJob& job, std::int32_t n, Duration d);
  void resume(std::size_t c, Profile& profile);
  void start(std::size_t c, Profile& profile);
  void start_job(std::size_t c, View::Position p, Profile& profile);
  bool delays_own_class(View& own, View::Position p, Duration d) const;

  const SliceOptions& options_;
  const SliceClock& clock_;
  ClassViews& classes_;
  SlicedJobs& started_;
  const std::vector<Observer*>& observers_;
};

}  // namespace coslice
