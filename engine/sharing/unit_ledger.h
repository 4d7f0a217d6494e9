// Units of a machine, its GPUs or its nodes, that jobs have alone or share: who is on them, how fast each job is
// believed to progress there, and when it will have ended. What a scheduler believes, not what happens
// (sharing/contention.h); seconds, as it sees them.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "availability/profile.h"
#include "jobs/job_demands.h"
#include "machine/start_directive.h"
#include "schedule/view.h"
#include "sharing/fairness.h"

namespace coslice {

class UnitLedger {
 public:
  enum class Of : std::uint8_t { kGpus, kNodes };
  struct Tenant;

  /// Units of a kind that a job has in common with another one.
  struct Common {
    Tenant* with;
    std::int32_t kind, units;
  };
  /// Units of a kind that are taken up to an instant.
  struct Holding {
    std::int32_t kind, units;
    Time until;
  };
  /// Running jobs that share units, directly or through others, end when they do until one of them comes or goes.
  struct Ends {
    std::vector<Tenant*> all;
    Time soonest = kNever;
    std::vector<Holding> held;  ///< by all of them
  };
  /// A job that waits or runs.
  struct Tenant {
    JobIndex job = kNoJob;
    std::int64_t id = 0;
    double submit = 0;
    std::int32_t units = 0;        ///< units that it asks for
    std::int32_t application = 0;  ///< what it runs; 0: not known
    CoreShare cores = 0;
    GpuShare gpu_share = 0;
    bool exclusive = false;
    std::vector<double> speed;          ///< alone, by kind; 0 where it cannot run
    bool fits_one = false;              ///< whether it fits on some kind
    std::vector<std::int32_t> prefers;  ///< kinds that have all that it asks for, those on which it is fastest first
    double rank = 0;    ///< where it stands among all jobs, lowest first: its key in the queue, unless another is set
    double served = 0;  ///< seconds of units that it had before it was stopped (UnitLedger::stop)
    bool stopped = false;  ///< it was stopped, and waits where it waited before
    Expectation expected;  ///< when it came (unit_groups.h)
    double left = 0;       ///< seconds of run time that are left at `since`
    bool runs = false;
    const StartedJob* run = nullptr;  ///< while it runs
    double start = 0;                 ///< instant of its last start
    double since = 0, rate = 0;
    std::int32_t kind = -1;        ///< while it runs, of all its units; -1: they are of several, or there are none
    double slowest = 1;            ///< of its speeds there
    std::vector<std::int32_t> at;  ///< units by kind; empty if it does not run
    std::vector<Common> partners;
    std::vector<std::pair<std::int64_t, std::int32_t>> has;  ///< each unit that it has, with its kind
    std::shared_ptr<Ends> ends;                              ///< null: not found yet
    Time end = kNever;                                       ///< instant at which it ends by `ends`

    /// Returns how many units it has for itself.
    std::int32_t single() const;
  };

  /// Makes the ledger of the view's machine, with what runs there now. The view has a ledger of resources, and outlives
  /// this one.
  UnitLedger(View& view, Of of);

  // --- what happens
  /// Notes that the job enters the queue with that key, lowest first.
  void keyed(JobIndex j, double key) { entry(j).rank = key; }
  void submitted(JobIndex j);
  void started(JobIndex j);
  void ended(JobIndex j);
  /// Takes what is left of each running job from the view: where jobs also run in slices of others, whose time is not
  /// the view's.
  void look_again();

  // --- decisions
  /// Starts the waiting job where the directive allows, for that reason (empty: none is told). Returns false if it does
  /// not fit there now.
  bool start(Tenant& t, const StartDirective& directive, const std::string& reason);
  /// Stops the running job. What is known of it is kept: it waits where it waited before, and has been served.
  void stop(Tenant& t, const StopOrder& order);

  // --- questions
  View& view() const { return view_; }
  /// Returns what a running job is to one that starts beside it.
  StartDirective::Host host(const Tenant& t) const {
    return {t.run->parts, view_.demands()->request_of(t.run->unit).gpu_share};
  }
  /// Returns whether a job that ends just now is one that is stopped.
  bool stopping() const { return stopping_; }
  /// Returns the rank of a job that was stopped and comes again; nothing for another one.
  std::optional<double> kept_rank(JobIndex j) const;
  Tenant& tenant(JobIndex j);
  /// Returns the number of units of a kind that no job is on.
  std::int32_t free(std::int32_t kind) const { return free_[static_cast<std::size_t>(kind)]; }
  /// Returns how many kinds there are. Of those that differ by name only (MachineLayout::first_alike) the first stands
  /// for all of them: others have no units, and no job runs there.
  std::int32_t kinds() const { return static_cast<std::int32_t>(free_.size()); }
  /// Restricts a start to the nodes for which the kind stands.
  void direct_to(std::int32_t kind, StartDirective& directive) const;
  /// Returns the number of units of the machine, by kind.
  const std::vector<std::int32_t>& sizes() const { return size_; }
  /// Returns seconds of units that the job has had.
  double served(const Tenant& t) const { return t.runs ? t.served + (now() - t.start) * t.units : t.served; }
  double now() const { return to_seconds(view_.now()); }
  /// Counts units of all kinds that nothing is on.
  std::int32_t all_free() const { return std::accumulate(free_.begin(), free_.end(), 0); }
  /// Returns the running jobs in order of their starts.
  const std::vector<Tenant*>& running() const { return running_; }
  /// Returns what part of its speed on a kind the job keeps beside the other one; 0 where it cannot run.
  double kept(const Tenant& t, const Tenant& other, std::int32_t kind) const;
  /// Returns whether two jobs can have units of a kind in common, as far as what they ask for goes.
  bool may_share(const Tenant& a, const Tenant& b, std::int32_t kind) const;
  /// Returns the kind on which the job is fastest, of those where it could start alone now; -1 if there is none.
  std::int32_t fastest_free(Tenant& t);
  /// Returns what is left of the job now: all of it, if it waits.
  double left(const Tenant& t) const;
  /// Returns the running jobs with which it shares units, directly or through others; Tenant::end says when each ends,
  /// if no other comes.
  const std::vector<Tenant*>& ends(Tenant& t);
  /// Returns how many units of each kind are free from now on, as running jobs end.
  const std::vector<Profile>& free_later();

  // --- what if
  /// A what-if: until forget(), these waiting jobs run on a kind, on free units of it and on such as they have in
  /// common with others.
  struct WhatIf {
    Tenant* primary;
    std::vector<Tenant*> guests;  ///< each shares units with the primary one
    std::vector<Tenant*> coming;  ///< those of all that wait
    std::int32_t kind;
  };
  void suppose(const WhatIf& group);
  void forget(const WhatIf& group);

 private:
  Tenant& entry(JobIndex j) { return tenants_[j]; }
  void vacate(Tenant& t);
  std::int32_t application(JobIndex j);
  template <class F>
  double rate(Tenant& t, F&& is_there);
  void settle(Tenant& t);
  void take_unit(Tenant& t, std::int64_t unit, std::int32_t kind);
  void forget_ends(Tenant& t);
  void find_ends(const std::vector<Tenant*>& all);
  void hold(Ends& found, std::int32_t kind, std::int32_t units, Time until);

  View& view_;
  Of of_;
  std::vector<std::int32_t> first_;  ///< by kind: which one stands for it
  std::vector<NodeSet> elsewhere_;   ///< by kind: nodes for which it does not stand; of size 0: it stands for none
  std::vector<std::int32_t> nodes_;  ///< by kind: for which it stands
  std::vector<std::int32_t> free_, size_;  ///< by kind
  std::unordered_map<std::int64_t, std::vector<Tenant*>> on_;
  std::unordered_map<JobIndex, Tenant> tenants_;  ///< addresses are stable
  std::vector<Tenant*> running_;
  std::unordered_map<std::string, std::int32_t> applications_;
  std::vector<Profile> free_later_;  ///< by kind, beside the jobs of which it is known when they end
  bool stopping_ = false;
};

}  // namespace coslice
