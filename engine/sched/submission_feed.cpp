#include "sched/submission_feed.h"

#include <utility>

namespace coslice {

SubmissionFeed::SubmissionFeed(const std::vector<Job>& jobs, const EngineOptions& options)
    : jobs_(jobs), gates_(JobGates::make(jobs, options)) {
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

std::vector<Time> SubmissionFeed::take_submission_times() {
  for (JobIndex j = 0; j != entered_.size(); ++j)
    if (entered_[j] == kNever) entered_[j] = jobs_[j].submit;
  return std::move(entered_);
}

}  // namespace coslice
