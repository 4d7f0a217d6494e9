// When jobs enter the queue: at their submit times or, for jobs that wait for something before that, when their gates
// open. And when those leave it that are withdrawn.
#pragma once

#include <unordered_map>

#include "events/event_queues.h"
#include "jobs/workflow.h"
#include "schedule/observer.h"

namespace coslice {

// What keeps jobs out of the queue after their submission: other jobs, a time before which they are not to come, a
// hold, the limit of an array. Exists only where some job has such a thing.

/// A job whose dependency can never be fulfilled, and the job because of which.
struct UnfulfilledJob {
  JobIndex job = kNoJob, by = kNoJob;
};

class JobGates {
 public:
  /// Makes the gates of a workload; null where every job may come when it is submitted. Throws InputError for jobs that
  /// wait for one another and for texts that cannot be read.
  static std::unique_ptr<JobGates> make(const std::vector<Job>& jobs, const EngineOptions& options);

  bool keeps(JobIndex j) const { return gate_of_[j] != kNone; }
  /// Returns the next of the kept jobs that may come, and when; kNever if none is known yet.
  Time next_time() const { return coming_.next_time(); }
  JobIndex next_job() const { return coming_.first().job; }
  /// Lets the job of next_time() come. Returns it. Precondition: next_time() != kNever.
  JobIndex pop();
  /// Returns what let a job that came do so later than it was submitted; null where nothing did.
  const Release* release_of(JobIndex j) const {
    return keeps(j) && gates_[gate_of_[j]].earliest > jobs_[j].submit ? &gates_[gate_of_[j]].why : nullptr;
  }
  /// Notes that the job started.
  void began(JobIndex j, Time t);
  /// Notes that the job ended, or will never start (`failed`).
  void ended(JobIndex j, Time t, bool failed);
  /// Notes that the job is withdrawn before it came: for jobs that depend on it, it has ended and failed.
  void give_up(JobIndex j, Time t) {
    gate(j).over = true;
    happens(j, Event::kFailed, t);
    tidy();
  }
  /// Returns the jobs that were found never to come since this was asked last.
  std::vector<UnfulfilledJob> take_unfulfilled() {
    told_ = 0;
    return std::exchange(never_, {});
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  enum class Event : std::uint8_t { kBegan, kCompleted, kFailed, kNothing };  ///< kNothing: none of these will be
  struct Coming {
    Time time;
    JobIndex job;
    bool operator>(const Coming& o) const { return time != o.time ? time > o.time : job > o.job; }
    bool operator<(const Coming& o) const { return o > *this; }
  };
  struct Gate {
    Time earliest{};                  ///< as far as times say
    Release why;                      ///< what made it that
    std::vector<std::uint32_t> open;  ///< needs that are not fulfilled yet, by group; kNone: the group never will be
    /// By group: when its fulfilled needs let the job come, and the last job.
    std::vector<std::pair<Time, JobIndex>> ready;
    std::uint32_t array = kNone;
    bool over = false;    ///< the job came, or never will
    bool called = false;  ///< a place in its array is for it
  };
  struct Array {
    std::int64_t limit = 0, in = 0;
    std::set<Coming> parked;  ///< elements that may come but for the limit
  };
  struct Dependent {
    JobIndex job;
    Need need;
  };

  JobGates(const std::vector<Job>& jobs, const EngineOptions& options);
  Gate& gate(JobIndex j) { return gates_[gate_of_[j]]; }
  void add_gates(const std::vector<JobNeeds>& needs);
  void add_arrays();
  void happens(JobIndex j, Event event, Time t);
  void tell_dependents(JobIndex j, Event event, Time t);
  void fulfil(const Dependent& d, JobIndex by, Time t);
  void rule_out(const Dependent& d, JobIndex by);
  void call_next(std::uint32_t array, Time t, JobIndex by);
  void tidy();

  const std::vector<Job>& jobs_;
  Unfulfilled unfulfilled_;
  std::vector<std::uint32_t> gate_of_;  ///< by JobIndex
  std::vector<Gate> gates_;
  std::vector<std::vector<Dependent>> dependents_;  ///< by the job that is needed; empty where none is
  std::vector<std::uint8_t> begun_;                 ///< by JobIndex, where `dependents_` is
  std::vector<Array> arrays_;
  EventHeap<Coming> coming_;           ///< the first one may come
  std::vector<UnfulfilledJob> never_;  ///< in the order in which that was found
  std::size_t told_ = 0;               ///< of them, to those that depend on them
};

// Jobs that their users cancel while they wait: each leaves the queue at an instant of its own unless it has started.

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

class SubmissionFeed {
 public:
  /// Makes the feed, which honours what jobs say they wait for, and with options.dependencies SWF fields 17 and 18: a
  /// job enters no earlier than the end of the job before it plus the think time. A predecessor that is not in the
  /// workload, or not before the job in it, is ignored. Throws InputError as JobGates::make.
  SubmissionFeed(const std::vector<Job>& jobs, const EngineOptions& options);

  /// Returns when the next job enters; kNever if none is known yet.
  Time next_time() const {
    if (kept_first()) return gates_->next_time();
    return cursor_ == jobs_.size() ? kNever : jobs_[cursor_].submit;
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
  void skip_kept() {
    while (cursor_ != jobs_.size() && gates_->keeps(cursor_)) ++cursor_;
  }
  bool kept_first() const { return gates_ != nullptr && kept_before_cursor(); }
  bool kept_before_cursor() const;

  const std::vector<Job>& jobs_;
  JobIndex cursor_ = 0;              ///< next job that no gate keeps
  std::unique_ptr<JobGates> gates_;  ///< null where no job waits for anything
  std::vector<Time> entered_;        ///< by JobIndex; empty without gates
  Withdrawals withdrawals_;
};

}  // namespace coslice
