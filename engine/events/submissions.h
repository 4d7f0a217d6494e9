// Jobs from their submissions until they start or leave the queue without a start: they come, wait in the queue of
// their lane or aside, are withdrawn by their users, or rejected.
#pragma once

#include <map>

#include "events/submission_feed.h"
#include "jobs/job_times.h"
#include "schedule/lane.h"

namespace coslice {

/// What a run says of the jobs that come to it.
class SubmissionHost {
 public:
  virtual ~SubmissionHost() = default;
  /// Returns the lane in which the job waits and runs.
  virtual Lane& lane_of(JobIndex j) = 0;
  /// Is called when the job comes for the first time, before anything else is asked.
  virtual void comes(Lane&, JobIndex) {}
  /// Returns whether the machine has nothing that the job asks for.
  virtual bool can_never_run(JobIndex j) const = 0;
  /// Returns whether the job runs in a reservation of nodes only that is over for good.
  virtual bool too_late(JobIndex j) const = 0;
  /// Is called when the job, which can run, is about to enter the queue for the first time.
  virtual void enters(Lane&, JobIndex) {}
  /// Is called when the job is about to enter the queue, also again.
  virtual void waits(JobIndex) {}
  /// Returns for how long the job may hold its nodes, as far as a scheduler can know, and at the most the time that
  /// these take to come up.
  virtual Duration planned(JobIndex j) const = 0;
  virtual Duration longest_boot() const { return Duration{0}; }
  /// Returns the most that the scheduler may believe the job to need.
  virtual Duration most_believed(JobIndex j) const { return planned(j); }
  /// Returns planned() for a job that is believed to need that much, at most most_believed().
  virtual Duration time_for(JobIndex, Duration believed) const { return believed; }
  /// Is called when the job has left a queue: nodes that were kept for it may let others start.
  virtual void gave_way(Lane& lane) { lane.ended = true; }
};

class Submissions {
 public:
  /// Makes the submissions of a run. All references outlive it. `checkpoint_interval` as OutageOptions::interval_of;
  /// null: none.
  Submissions(const std::vector<Job>& jobs, const EngineOptions& options, JobTimes& times, ViewHost& view_host,
              SubmissionHost& host, const std::vector<Observer*>& observers)
      : feed_(jobs, options), times_(times), view_host_(view_host), host_(host), observers_(observers) {}

  /// Sets how jobs write checkpoints, by their nodes. The function outlives it.
  void set_checkpoints(const std::function<Duration(std::int32_t nodes)>& interval_of) {
    if (interval_of) interval_of_ = &interval_of;
  }

  /// Lets the job come at its submit time, which has been added to those of the run since.
  void add(JobIndex j) { feed_.add(j); }
  /// Returns when the next job comes or is withdrawn; kNever if none is known yet.
  Time next_time() const { return std::min(feed_.next_time(), feed_.next_withdrawal()); }
  bool some_come(Time now) const { return feed_.next_time() <= now && feed_.next_time() != kNever; }
  /// Lets all jobs come that are due, and then those leave that are withdrawn, which may let others come.
  void come_and_go(Time now);
  /// Lets the next job come that is due. Returns whether it may run at all, and waits.
  bool come_next(Time now) { return enter(feed_.pop(), now); }
  /// Lets the jobs leave that are withdrawn by now. Returns whether there were any.
  bool withdraw_due(Time now);
  /// Lets a job wait that was interrupted.
  void submit(JobIndex j, Time now);
  /// Rejects the waiting job, which has left its queue: it will never run.
  void reject(JobIndex j, Rejection why, Time now);
  /// Rejects the waiting jobs for which which(j) holds. Returns whether there were any.
  template <class F>
  bool reject_waiting(Lane& lane, Rejection why, F&& which) {
    bool any = false;
    const WaitingQueue& queue = lane.view.queue();
    for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
      if (!which(queue.job(p))) continue;
      lane.view.refuse(p, why);
      any = true;
    }
    return any;
  }
  template <class F>
  bool reject_waiting(Lanes& lanes, Rejection why, F&& which) {
    bool any = false;
    for (Lane& lane : lanes) any |= reject_waiting(lane, why, which);
    return any;
  }
  /// Notes that the job started.
  void began(JobIndex j, Time now) { feed_.began(j, now); }
  /// Notes that the job is over: jobs that wait for it may come, or never will.
  void leave(JobIndex j, bool stopped, Time now) { done_ += feed_.leave(j, now, stopped, observers_); }

  /// Lets the job, which has just left its queue, wait outside of it until release().
  void set_aside(JobIndex j, Duration planned, Time now);
  void release(JobIndex j) {
    if (std::ranges::find(released_, j) == released_.end()) released_.push_back(j);
  }
  bool is_aside(JobIndex j) const { return !aside_.empty() && aside_.count(j) != 0; }
  /// Returns the jobs that wait aside, and for how long each is believed to run.
  const std::map<JobIndex, Duration>& aside() const { return aside_; }
  bool some_released() const { return !released_.empty(); }
  /// Lets the released jobs wait in their queues again.
  void take_released(Time now);

  /// Returns how many jobs are over, or never came.
  std::size_t done() const { return done_; }
  /// Returns a number that changes whenever a job comes, leaves a queue, or is set aside or released.
  std::uint64_t changes() const { return changes_; }
  Time submitted_at(JobIndex j) const { return feed_.submitted_at(j); }
  std::vector<Time> take_submission_times() { return feed_.take_submission_times(); }

 private:
  bool enter(JobIndex j, Time now);
  void withdraw(JobIndex j, Time now);
  Duration believed(Lane& lane, JobIndex j);

  SubmissionFeed feed_;
  JobTimes& times_;
  ViewHost& view_host_;
  SubmissionHost& host_;
  const std::vector<Observer*>& observers_;
  const std::function<Duration(std::int32_t)>* interval_of_ = nullptr;
  std::map<JobIndex, Duration> aside_;
  std::vector<JobIndex> released_;
  std::size_t done_ = 0;
  std::uint64_t changes_ = 0;
};

}  // namespace coslice
