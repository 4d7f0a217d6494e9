// When jobs enter the queue: at their submit times or, for jobs that wait for something before that, when their gates open.
// And when those leave it that are withdrawn.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/time.h"
#include "sched/job_gates.h"
#include "sched/withdrawals.h"
#include "workload/job.h"

namespace coslice {

class SubmissionFeed {
 public:
  /// Honours what jobs say they wait for, and with options.dependencies SWF fields 17 and 18: a job enters no earlier than
  /// the end of the job before it plus the think time. A predecessor that is not in the workload, or not before the job in
  /// it, is ignored. Throws InputError as JobGates::make.
  SubmissionFeed(const std::vector<Job>& jobs, const EngineOptions& options);

  /// Whether it must be told of starts.
  bool hears_starts() const { return gates_ != nullptr || next_withdrawal() != kNever; }
  /// When the next job enters; kNever if none is known yet.
  Time next_time() const {
    if (kept_first()) return gates_->next_time();
    return cursor_ == jobs_.size() ? kNever : jobs_[cursor_].submit;
  }
  /// Takes the next job out. Precondition: next_time() != kNever. Jobs of one instant come in order of their index.
  JobIndex pop();
  /// When the next job is withdrawn that has not started; kNever if none is.
  Time next_withdrawal() const { return withdrawals_.next_time(); }
  /// Takes that job out, whether it has entered or not. Precondition: next_withdrawal() != kNever, and all jobs that enter by
  /// then have.
  JobIndex pop_withdrawal() { return withdrawals_.take(); }
  /// Precondition: the time at which it may enter at the earliest has come.
  bool has_entered(JobIndex j) const { return entered_.empty() || entered_[j] != kNever; }
  /// The job started at t.
  void began(JobIndex job, Time t) {
    withdrawals_.forget(job);
    if (gates_) gates_->began(job, t);
  }
  /// The job ended at t, by itself or stopped (killed, lost, rejected, withdrawn): releases the jobs that depend on it.
  void ended(JobIndex job, Time t, bool stopped);
  /// A job that was found never to come, once each; nothing if there is no further one.
  std::optional<UnfulfilledJob> take_unfulfilled();
  /// What let a job that entered do so later than it was submitted; null where nothing did.
  const Release* release_of(JobIndex j) const { return gates_ ? gates_->release_of(j) : nullptr; }
  /// When the job entered the queue; kNever if it has not yet.
  Time submitted_at(JobIndex j) const { return entered_.empty() ? jobs_[j].submit : entered_[j]; }
  /// The entries of all jobs, of those that did not enter their submit times; empty if all may come at these.
  std::vector<Time> take_submission_times();

 private:
  void skip_kept();
  bool kept_first() const { return gates_ != nullptr && kept_before_cursor(); }
  bool kept_before_cursor() const;

  const std::vector<Job>& jobs_;
  JobIndex cursor_ = 0;              ///< next job that no gate keeps
  std::unique_ptr<JobGates> gates_;  ///< null where no job waits for anything
  std::vector<Time> entered_;        ///< by JobIndex; empty without gates
  Withdrawals withdrawals_;
};

}  // namespace coslice
