// Jobs of other classes use what a slice leaves over: safe non-type slice backfilling (Esbaugh 2010, Section 3.3).
// Preempted jobs come first, then waiting ones, shortest class first, where they delay no job of the slice's class.
// On a heterogeneous machine, ledgers say by node what is left over: that of the slice's class, and that of the job's
// own class if the job does not surely finish.
#pragma once

#include <optional>
#include <vector>

#include "availability/shared_node_availability.h"
#include "run/running_jobs.h"
#include "schedule/observer.h"

namespace coslice {

class ForeignStarts {
 public:
  /// Makes the starts of foreign jobs. All references outlive it.
  ForeignStarts(const SliceOptions& options, const SliceClock& clock, Lanes& classes, RunningJobs& started,
                const std::vector<Observer*>& observers)
      : options_(options), clock_(clock), classes_(classes), started_(started), observers_(observers) {}

  /// Lets jobs of other classes go on or start. Precondition: a slice is productive, and the scheduler of its class has
  /// made its pass.
  void run() { started_.by_node() ? run_by_node() : run_by_count(); }

 private:
  template <class F>
  void each_other_class(F&& f) const;
  std::vector<StartedJob*> preempted(std::size_t c) const;
  bool on_demand() const { return options_.classes[clock_.slice().job_class].on_demand; }
  void go_on(StartedJob& job);
  StartedJob& admit(HostedView& own, View::Position p);
  void count_start(StartedJob& job, bool finishes);

  // Where nodes are equal:
  HostedView& view() const { return classes_[clock_.slice().job_class].view; }
  std::int32_t idle_count() const { return started_.startable_count(); }
  void run_by_count();
  Profile profile() const;
  bool fits(const Profile& profile, std::int32_t n, Duration d) const;
  void take(Profile& profile, const StartedJob& job, std::int32_t n, Duration d);
  void resume(std::size_t c, Profile& profile);
  void start(std::size_t c, Profile& profile);
  /// What waiting jobs of a class find in the slice until one of them starts.
  struct RestOfSlice {
    Profile& profile;  ///< of the slice's class, with what goes on beside it
    bool known = false;
    std::int32_t now = 0, throughout = 0;  ///< nodes free now, and until the slice ends
    std::optional<NodeSet> off_own{};      ///< idle, and no allocation of the job's own class
    std::optional<Profile> own{};          ///< of its own class, with a reservation for its first waiting job
  };
  void look(RestOfSlice& rest) const;
  bool fits(const RestOfSlice& rest, std::int32_t n, Duration d) const;
  void start_job(std::size_t c, View::Position p, RestOfSlice& rest);
  bool delays_own_class(HostedView& own, View::Position p, Duration d, std::optional<Profile>& beside) const;

  // On a heterogeneous machine:
  /// A waiting job that may start now.
  struct Candidate {
    JobIndex job;
    Time slice_end;  ///< until when it would be there, in the time of the slice's class
    Time own_end;    ///< until when its own class would hold its nodes
    bool finishes;   ///< in the slice, whatever comes: its own class need not hold any
    bool first;      ///< of the waiting jobs of its class
  };
  /// The first waiting job of a class, which others must not delay though it has no reservation.
  class KeptAllocation;
  using Refusal = std::optional<ForeignRefusal>;

  static SharedNodeAvailability& ledger_of(const Lane& lane) {
    return static_cast<SharedNodeAvailability&>(*lane.ledger);
  }
  SharedNodeAvailability& slice_ledger() const { return ledger_of(classes_[clock_.slice().job_class]); }
  void run_by_node();
  Duration there_for(JobIndex j, Duration d, bool stays) const;
  Duration there_by_count(JobIndex j, Duration d, bool stays) const;
  bool is_estimated(JobIndex j) const;
  void resume(std::size_t c);
  void start(std::size_t c);
  void start_job(std::size_t c, View::Position p, std::optional<KeptAllocation>& head);
  Refusal place(std::size_t c, const Candidate& x, std::int32_t unit, std::optional<KeptAllocation>& head,
                Parts& parts);
  Refusal choose(std::size_t c, const Candidate& x, std::int32_t unit, const NodeSet& nodes, Parts& parts);

  const SliceOptions& options_;
  const SliceClock& clock_;
  Lanes& classes_;
  RunningJobs& started_;
  const std::vector<Observer*>& observers_;
  std::optional<NodePool> offered_;  ///< what a placement is shown
};

}  // namespace coslice
