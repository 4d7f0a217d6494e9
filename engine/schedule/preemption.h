// Jobs that make way for others: which of them, and those that are suspended in place. Such a job keeps its nodes and
// its memory, and lends nodes to other jobs, or its policy has told it to stand still. It goes on when all that
// borrowed have ended, and its policy lets it. The nodes stay held for it all the time, in profile or ledger: no other
// job of its view can be promised them. Under time slices both are of one class: in slices of others their nodes are
// for those.
#pragma once

#include <functional>
#include <map>

#include "schedule/view.h"

namespace coslice {

/// Returns as few of the candidates, which are given in order of preference, as are enough: the first ones, without
/// those of them that are not needed, the last ones dropped first. `fits` says whether some are enough; more than these
/// are, too. Empty if all together are not.
std::vector<StartedJob*> fewest_that_fit(const std::vector<StartedJob*>& candidates,
                                         const std::function<bool(const std::vector<StartedJob*>&)>& fits);

/// Returns as few of the candidates, which are given in order of preference, as must stop for the waiting job at p to
/// start on nodes that no other started job holds: the first ones that suffice, without those of them that are not
/// needed, the last ones dropped first. Reservations of waiting jobs do not count. Empty if all together do not
/// suffice.
std::vector<StartedJob*> choose_victims(const View& view, View::Position p, const std::vector<StartedJob*>& candidates);

/// Returns as few of the candidates as must be suspended in place for the waiting job at p to start on nodes that they
/// have to lend (ViewHost::lendable). Empty if all together do not suffice.
std::vector<StartedJob*> choose_lenders(const View& view, View::Position p, const std::vector<StartedJob*>& candidates);

class SuspendedJobs {
 public:
  bool is_suspended(JobIndex j) const { return lenders_.count(j) != 0; }
  bool borrows(JobIndex j) const { return loans_.count(j) != 0; }
  /// Returns for how long the job has been suspended since its start, until `now`.
  Duration time_suspended(JobIndex j, Time now) const;
  /// Returns when the job last went on after a suspension; Time{} if it was never suspended.
  Time went_on(JobIndex j) const;
  /// Returns when the job was told to end, later by what it was suspended since; kNever if it was not when it was
  /// suspended.
  Time told(JobIndex j, Time now) const;

  /// Suspends the running job from `since` on; it is believed to take `planned` longer once it goes on. It was told to
  /// end at `told`; kNever: it was not. Instants are on the clock of its view.
  void suspend(StartedJob& job, Duration planned, Time since, Time told) {
    lenders_[job.index] = {&job, planned, since, since, sequence_++};
    if (told != kNever) before_[job.index].told = told;
  }
  /// Sets how much longer the suspended job is believed to take once it goes on.
  void plan(JobIndex j, Duration planned) { lenders_.at(j).planned = planned; }
  /// Lets the suspended job go on at `now` at the earliest, as far as is believed.
  void expect_no_earlier(JobIndex j, Time now) { lenders_.at(j).earliest = now; }
  /// Says whether the policy keeps the suspended job from going on, whatever it has lent.
  void keep(JobIndex j, bool kept) { lenders_.at(j).kept = kept; }
  /// Returns whether the policy keeps the job from going on.
  bool is_kept(JobIndex j) const {
    const auto at = lenders_.find(j);
    return at != lenders_.end() && at->second.kept;
  }
  /// Resumes the suspended job. Returns how much longer it is believed to take. Precondition: it has lent nothing.
  Duration resume(JobIndex j, Time now);
  /// Forgets a suspended job that ended or was interrupted: it is a lender no longer.
  void forget(JobIndex j) {
    lenders_.erase(j);
    before_.erase(j);
  }

  /// Lends nodes of the suspended job to another one.
  void lend(JobIndex lender, StartedJob& borrower, const NodeRanges& nodes) {
    loans_[borrower.index].push_back({lender, &borrower, nodes});
  }
  /// Returns what the suspended job has lent.
  NodeRanges lent_by(JobIndex j) const;
  /// Returns what the job has borrowed.
  NodeRanges lent_to(JobIndex borrower) const;
  /// Takes back all that the job has borrowed. Returns the lenders that have nothing lent any more and may go on, in
  /// the order of their suspensions.
  std::vector<StartedJob*> take_back(JobIndex borrower);
  /// Leaves all that the suspended job has lent to its borrowers for good. Returns what each has of it, in the order of
  /// their starts.
  std::vector<std::pair<StartedJob*, NodeRanges>> leave(JobIndex lender);
  /// Returns the jobs that have lent nodes to that one.
  std::vector<StartedJob*> lenders_of(JobIndex borrower) const;
  /// Returns when the suspended job is believed to end: when all borrowers have ended, and it has done the rest. One
  /// that its policy keeps goes on at once, as nothing says when.
  Time expected_end(JobIndex j, Time now) const;

 private:
  struct Lender {
    StartedJob* job;
    Duration planned;
    Time since;
    Time earliest;  ///< it is believed to go on no earlier
    std::uint64_t sequence;
    bool kept = false;  ///< by its policy

    Duration time(Time now) const;  ///< for which it has been suspended
  };
  struct Loan {
    JobIndex lender;
    StartedJob* borrower;
    NodeRanges nodes;
  };

  /// The suspensions that are over, of a job that still runs.
  struct Before {
    Duration time{0};
    Time went_on{};
    Time told = kNever;
  };

  std::map<JobIndex, Lender> lenders_;
  std::map<JobIndex, std::vector<Loan>> loans_;  ///< by borrower
  std::map<JobIndex, Before> before_;
  std::uint64_t sequence_ = 0;
};

}  // namespace coslice
