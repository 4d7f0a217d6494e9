// When jobs enter the queue: at their submit times or, for jobs that wait for something before that, when their gates
// open. And when those leave it that are withdrawn.
#pragma once

#include <deque>

#include "events/job_gates.h"
#include "events/withdrawals.h"
#include "schedule/observer.h"

namespace coslice {

class SubmissionFeed {
 public:
  /// Makes the feed, which honours what jobs say they wait for, and with options.dependencies SWF fields 17 and 18: a
  /// job enters no earlier than the end of the job before it plus the think time. A predecessor that is not in the
  /// workload, or not before the job in it, is ignored. Throws InputError as JobGates::make.
  SubmissionFeed(const std::vector<Job>& jobs, const EngineOptions& options);

  /// Returns when the next job enters; kNever if none is known yet.
  Time next_time() const { return added_.empty() ? next_known() : std::min(next_known(), next_added()); }
  /// Lets the job, which has been added to those of the run since, enter at its submit time, behind those of that
  /// instant. Jobs are added in order of their submit times.
  void add(JobIndex j) {
    added_.push_back(j);
    withdrawals_.grow(jobs_.size());
    if (!gates_) return;
    gates_->grow();
    entered_.resize(jobs_.size(), kNever);
  }
  /// Takes the next job out. Precondition: next_time() != kNever. Jobs of one instant come in order of their index.
  JobIndex pop();
  /// Returns when the next job is withdrawn that has not started; kNever if none is.
  Time next_withdrawal() const { return withdrawals_.next_time(); }
  /// Removes the job of next_withdrawal() and returns it, whether it has entered or not. Precondition:
  /// next_withdrawal() != kNever, and all jobs that enter by then have.
  JobIndex pop_withdrawal() { return withdrawals_.take(); }
  /// Returns whether the job is in the queue or has been. Precondition: the time at which it may enter at the earliest
  /// has come.
  bool has_entered(JobIndex j) const { return entered_.empty() || entered_[j] != kNever; }
  /// Notes that the job started at t.
  void began(JobIndex job, Time t) {
    withdrawals_.forget(job);
    if (gates_) gates_->began(job, t);
  }
  /// Notes that the job ended at t, by itself or stopped (killed, lost, rejected, withdrawn), and releases the jobs
  /// that depend on it; of those that never come now the observers are told. Returns how many jobs are over by that.
  std::size_t leave(JobIndex job, Time t, bool stopped, const std::vector<Observer*>& observers);
  /// Returns what let a job that entered do so later than it was submitted; null where nothing did.
  const Release* release_of(JobIndex j) const { return gates_ ? gates_->release_of(j) : nullptr; }
  /// Returns when the job entered the queue; kNever if it has not yet.
  Time submitted_at(JobIndex j) const { return entered_.empty() ? jobs_[j].submit : entered_[j]; }
  /// Returns the entries of all jobs, of those that did not enter their submit times; empty if all may come at these.
  std::vector<Time> take_submission_times() {
    for (JobIndex j = 0; j != entered_.size(); ++j)
      if (entered_[j] == kNever) entered_[j] = jobs_[j].submit;
    return std::move(entered_);
  }

 private:
  /// Of the jobs that the feed was made with.
  Time next_known() const {
    if (kept_first()) return gates_->next_time();
    return cursor_ == known_ ? kNever : jobs_[cursor_].submit;
  }
  Time next_added() const { return added_.empty() ? kNever : jobs_[added_.front()].submit; }
  void skip_kept() {
    while (cursor_ != known_ && gates_->keeps(cursor_)) ++cursor_;
  }
  bool kept_first() const { return gates_ != nullptr && kept_before_cursor(); }
  bool kept_before_cursor() const;

  const std::vector<Job>& jobs_;
  JobIndex known_;                   ///< how many jobs the feed was made with
  JobIndex cursor_ = 0;              ///< next of them that no gate keeps
  std::deque<JobIndex> added_;       ///< since, and not entered yet
  std::unique_ptr<JobGates> gates_;  ///< null where no job waits for anything
  std::vector<Time> entered_;        ///< by JobIndex; empty without gates
  Withdrawals withdrawals_;
};

}  // namespace coslice
