// When jobs enter the queue: at their submit times or, for jobs that depend on others, when the job before them has
// ended and its user has thought.
#pragma once

#include <vector>

#include "core/time.h"
#include "workload/job.h"

namespace coslice {

class SubmissionFeed {
 public:
  /// With `dependencies`, SWF fields 17 and 18 are honoured: a job enters no earlier than the end of the job before it
  /// plus the think time. A predecessor that is not in the workload, or not before the job in it, is ignored.
  SubmissionFeed(const std::vector<Job>& jobs, bool dependencies);

  /// When the next job enters; kNever if none is known yet.
  Time next_time() const;
  /// Takes the next job out. Precondition: next_time() != kNever. Jobs of one instant come in order of their index.
  JobIndex pop();
  /// The job ended (or was rejected) at t: lets those go that waited for it.
  void ended(JobIndex job, Time t);
  /// When the job entered the queue; kNever if it has not yet.
  Time submitted_at(JobIndex j) const { return entered_.empty() ? jobs_[j].submit : entered_[j]; }
  /// The entries of all jobs, empty if dependencies are not honoured.
  std::vector<Time> take_submission_times() { return std::move(entered_); }

 private:
  struct Delayed {
    Time time;
    JobIndex job;
    bool operator>(const Delayed& o) const { return time != o.time ? time > o.time : job > o.job; }
  };
  void find_predecessors();
  void skip_dependents();
  bool delayed_first() const;

  const std::vector<Job>& jobs_;
  JobIndex cursor_ = 0;                            ///< next job that does not depend on another
  std::vector<Delayed> delayed_;                   ///< heap of dependent jobs whose moment is known
  std::vector<JobIndex> predecessor_;              ///< empty if dependencies are not honoured
  std::vector<std::vector<JobIndex>> dependents_;  ///< by predecessor
  std::vector<Time> entered_;
};

}  // namespace coslice
