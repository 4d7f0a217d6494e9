// Jobs that their users cancel while they wait: each leaves the queue at an instant of its own unless it has started.
#pragma once

#include <algorithm>
#include <vector>

#include "jobs/job.h"

namespace coslice {

class Withdrawals {
 public:
  /// Makes the withdrawals: when each job is withdrawn; kNever: it is not. Costs nothing where no job is.
  template <class Jobs, class At>
  Withdrawals(const Jobs& jobs, const At& at) {
    for (JobIndex j = 0; j != jobs.size(); ++j)
      if (const Time t = at(jobs[j]); t != kNever) due_.emplace_back(t, j);
    if (!due_.empty()) stays_.resize(jobs.size());
    std::ranges::sort(due_);
  }

  /// Makes room for jobs that have been added to those of the run, of which none is withdrawn.
  void grow(std::size_t jobs) {
    if (!stays_.empty()) stays_.resize(jobs);
  }
  /// Returns the next withdrawal; kNever if there is none.
  Time next_time() const { return next_ == due_.size() ? kNever : due_[next_].first; }
  /// Removes the job of next_time() and returns it. Precondition: next_time() != kNever. Jobs of one instant come in
  /// order of their index.
  JobIndex take() {
    const JobIndex j = due_[next_++].second;
    skip();
    return j;
  }
  /// Forgets the job, which has started or is over: it is withdrawn no more.
  void forget(JobIndex j) {
    if (stays_.empty()) return;
    stays_[j] = 1;
    skip();
  }

 private:
  void skip() {
    while (next_ != due_.size() && stays_[due_[next_].second] != 0) ++next_;
  }

  std::vector<std::pair<Time, JobIndex>> due_;  ///< earliest first
  std::size_t next_ = 0;                        ///< in it
  std::vector<std::uint8_t> stays_;             ///< by JobIndex; empty where no job is withdrawn
};

}  // namespace coslice
