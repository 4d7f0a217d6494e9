#include "sched/submission_feed.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace coslice {

SubmissionFeed::SubmissionFeed(const std::vector<Job>& jobs, bool dependencies) : jobs_(jobs) {
  if (!dependencies) return;
  find_predecessors();
  skip_dependents();
}

void SubmissionFeed::find_predecessors() {
  predecessor_.assign(jobs_.size(), kNoJob);
  dependents_.resize(jobs_.size());
  entered_.assign(jobs_.size(), kNever);
  std::unordered_map<std::int64_t, JobIndex> by_id;
  by_id.reserve(jobs_.size());
  for (JobIndex j = 0; j != jobs_.size(); ++j) {
    if (jobs_[j].preceding > 0) {
      const auto found = by_id.find(jobs_[j].preceding);
      if (found != by_id.end()) {
        predecessor_[j] = found->second;
        dependents_[found->second].push_back(j);
      }
    }
    by_id.emplace(jobs_[j].id, j);
  }
}

void SubmissionFeed::skip_dependents() {
  if (predecessor_.empty()) return;
  while (cursor_ != jobs_.size() && predecessor_[cursor_] != kNoJob) ++cursor_;
}

bool SubmissionFeed::delayed_first() const {
  if (delayed_.empty()) return false;
  if (cursor_ == jobs_.size()) return true;
  return Delayed{jobs_[cursor_].submit, cursor_} > delayed_.front();
}

Time SubmissionFeed::next_time() const {
  if (delayed_first()) return delayed_.front().time;
  return cursor_ == jobs_.size() ? kNever : jobs_[cursor_].submit;
}

JobIndex SubmissionFeed::pop() {
  JobIndex job;
  if (delayed_first()) {
    job = delayed_.front().job;
    entered_[job] = delayed_.front().time;
    std::pop_heap(delayed_.begin(), delayed_.end(), std::greater<>{});
    delayed_.pop_back();
  } else {
    job = cursor_++;
    if (!entered_.empty()) entered_[job] = jobs_[job].submit;
    skip_dependents();
  }
  return job;
}

void SubmissionFeed::ended(JobIndex job, Time t) {
  if (dependents_.empty()) return;
  for (const JobIndex d : dependents_[job]) {
    const Duration think = std::max(jobs_[d].think_time, Duration{0});
    delayed_.push_back({std::max(jobs_[d].submit, later(t, think)), d});
    std::push_heap(delayed_.begin(), delayed_.end(), std::greater<>{});
  }
}

}  // namespace coslice
