// The jobs of a view that have started, and what stands for nodes that are down, in entries that are used again.
#pragma once

#include <deque>

#include <boost/intrusive/list.hpp>

#include "jobs/waiting_queue.h"
#include "machine/node_room.h"

namespace coslice {

class HostedView;
struct Group;

/// What a started job does just now. It progresses in the first phase only.
enum class Phase : std::uint8_t {
  kRunning,
  kBooting,    ///< the job waits for nodes that come up
  kLoading,    ///< the job's memory is being loaded
  kPreempted,  ///< the job's class has no slice, or the job has just started
  kSuspended,  ///< in place: it lends its nodes to others
};

/// How far a started job has got.
struct JobProgress {
  Phase phase = Phase::kRunning;
  /// when the phase began, or what is left was counted last; while it waits for its first work: from then on
  Time since{};
  Work work_left;     ///< what was left to do at `since`
  Work planned_left;  ///< what is left by the scheduler's belief
  Rate rate;          ///< at which it progresses while it runs

  /// Begins work that takes `work` at rate 1, and `planned` as the scheduler believes, at `from`.
  void begin(Time from, Duration work, Work planned) {
    phase = Phase::kRunning;
    since = from;
    work_left = Work(work);
    planned_left = planned;
  }
  /// Returns what is done from `since` to `now`.
  Work done_until(Time now) const {
    return phase == Phase::kRunning && now > since ? Work::done(now - since, rate) : Work{};
  }
  /// Counts what is done until `now`, at the rate at which it is done, and returns it.
  Work count(Time now) {
    const Work done = done_until(now);
    work_left -= done;
    planned_left -= done;
    if (phase == Phase::kRunning) since = std::max(since, now);
    return done;
  }
  /// Moves the job to another phase; what it has done until `now` counts.
  void enter(Phase next, Time now) {
    count(now);
    phase = next;
    since = now;
  }
};

/// A job that holds nodes, or whose start has been decided and takes effect at this instant.
struct StartedJob : boost::intrusive::list_base_hook<>, JobProgress {
  JobIndex index = kNoJob;
  std::int32_t node_count = 0;
  Time start{};                ///< decided start
  Time expected_end{};         ///< until when the profile holds nodes for it
  Duration believed{0};        ///< for how long it was believed to need them when it started
  std::int32_t held = 0;       ///< nodes held: all of its own, but in a group each once, by the job that leaves it last
  NodeRanges nodes;            ///< empty until the start takes effect
  HostedView* view = nullptr;  ///< the view that it belongs to

  Time next_event{};          ///< when it will have done what it does now (EndQueue)
  std::uint32_t version = 0;  ///< of the job's next event: older events are void

  std::uint32_t corrected = 0;  ///< how often it has outrun what it was believed to need, since it progressed last

  // Only where jobs are preempted or share nodes:
  std::int32_t ppn = 0;          ///< processes per node; 0: as many as the run's options say
  Group* group = nullptr;        ///< the jobs with which it shares nodes
  Time leaves = kNever;          ///< when it is to stop, if it was asked to
  JobIndex leaves_for = kNoJob;  ///< for which job
  bool foreign = false;          ///< the job runs in a slice of another class
  bool evictable = false;        ///< the job may be stopped for a job of the slice's class

  // Only on a heterogeneous machine:
  Parts parts;             ///< what it has of its nodes; empty where every job has whole ones
  std::int32_t unit = -1;  ///< of its demand (JobDemands)
  HoldId hold = kNoHold;   ///< what the ledger keeps of it
  bool killed = false;     ///< the job will be killed at its limit
};

using StartedList = boost::intrusive::list<StartedJob>;

class StartedJobs {
 public:
  StartedJobs() = default;
  ~StartedJobs() {
    for (StartedList* list : {&running, &down, &spare_}) list->clear();
  }
  StartedJobs(const StartedJobs&) = delete;
  StartedJobs& operator=(const StartedJobs&) = delete;

  /// Returns an entry at the end of `running` or `down`; its fields are those of whatever had it before. Its address is
  /// stable.
  StartedJob& add_to(StartedList& list) {
    if (spare_.empty()) spare_.push_back(entries_.emplace_back());
    StartedJob& job = spare_.front();
    spare_.pop_front();
    list.push_back(job);
    return job;
  }
  void remove_from(StartedList& list, StartedJob& job) {
    list.erase(list.iterator_to(job));
    spare_.push_front(job);
  }

  StartedList running;
  StartedList down;  ///< what stands for nodes that are down

 private:
  /// As many as were alive at once.
  std::deque<StartedJob> entries_;
  StartedList spare_;
};

}  // namespace coslice
