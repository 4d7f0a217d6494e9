#include "events/submission_feed.h"

namespace coslice {

SubmissionFeed::SubmissionFeed(const std::vector<Job>& jobs, const EngineOptions& options)
    : jobs_(jobs), known_(static_cast<JobIndex>(jobs.size())), gates_(JobGates::make(jobs, options)),
      withdrawals_(jobs, withdrawal_of) {
  if (!gates_) return;
  entered_.assign(jobs.size(), kNever);
  skip_kept();
}

bool SubmissionFeed::kept_before_cursor() const {
  if (gates_->next_time() == kNever) return false;
  if (cursor_ == known_) return true;
  const Time submit = jobs_[cursor_].submit, kept = gates_->next_time();
  return submit != kept ? submit > kept : cursor_ > gates_->next_job();
}

JobIndex SubmissionFeed::pop() {
  if (next_added() < next_known()) {
    const JobIndex job = added_.front();
    added_.pop_front();
    if (gates_) entered_[job] = jobs_[job].submit;
    return job;
  }
  if (!gates_) return cursor_++;
  const Time t = next_known();
  const bool kept = kept_first();
  const JobIndex job = kept ? gates_->pop() : cursor_++;
  entered_[job] = t;
  if (!kept) skip_kept();
  return job;
}

std::size_t SubmissionFeed::leave(JobIndex job, Time t, bool stopped, const std::vector<Observer*>& observers) {
  withdrawals_.forget(job);
  if (!gates_) return 1;
  if (has_entered(job)) gates_->ended(job, t, stopped);
  else gates_->give_up(job, t);
  const std::vector<UnfulfilledJob> never = gates_->take_unfulfilled();
  for (const UnfulfilledJob& u : never) {
    withdrawals_.forget(u.job);
    for (Observer* o : observers) o->unfulfilled(t, u.job, u.by);
  }
  return 1 + never.size();
}

}  // namespace coslice
