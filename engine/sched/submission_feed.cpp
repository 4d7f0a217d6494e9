#include "sched/submission_feed.h"

#include <utility>

namespace coslice {

SubmissionFeed::SubmissionFeed(const std::vector<Job>& jobs, const EngineOptions& options)
    : jobs_(jobs), gates_(JobGates::make(jobs, options)), withdrawals_(jobs, withdrawal_of) {
  if (!gates_) return;
  entered_.assign(jobs.size(), kNever);
  skip_kept();
}

void SubmissionFeed::skip_kept() {
  while (cursor_ != jobs_.size() && gates_->keeps(cursor_)) ++cursor_;
}

bool SubmissionFeed::kept_before_cursor() const {
  if (gates_->next_time() == kNever) return false;
  if (cursor_ == jobs_.size()) return true;
  const Time submit = jobs_[cursor_].submit, kept = gates_->next_time();
  return submit != kept ? submit > kept : cursor_ > gates_->next_job();
}

JobIndex SubmissionFeed::pop() {
  if (!gates_) return cursor_++;
  const Time t = next_time();
  const bool kept = kept_first();
  const JobIndex job = kept ? gates_->pop() : cursor_++;
  entered_[job] = t;
  if (!kept) skip_kept();
  return job;
}

void SubmissionFeed::ended(JobIndex job, Time t, bool stopped) {
  withdrawals_.forget(job);
  if (!gates_) return;
  if (has_entered(job)) gates_->ended(job, t, stopped);
  else gates_->give_up(job, t);
}

std::optional<UnfulfilledJob> SubmissionFeed::take_unfulfilled() {
  if (!gates_) return std::nullopt;
  const std::optional<UnfulfilledJob> never = gates_->take_unfulfilled();
  if (never) withdrawals_.forget(never->job);
  return never;
}

std::vector<Time> SubmissionFeed::take_submission_times() {
  for (JobIndex j = 0; j != entered_.size(); ++j)
    if (entered_[j] == kNever) entered_[j] = jobs_[j].submit;
  return std::move(entered_);
}

}  // namespace coslice
