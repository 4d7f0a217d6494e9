// What keeps jobs out of the queue after their submission: other jobs, a time before which they are not to come, a
// hold, the limit of an array. Exists only where some job has such a thing.
#pragma once

#include <unordered_map>

#include "events/event_queues.h"
#include "jobs/workflow.h"

namespace coslice {

/// A job whose dependency can never be fulfilled, and the job because of which.
struct UnfulfilledJob {
  JobIndex job = kNoJob, by = kNoJob;
};

class JobGates {
 public:
  /// Makes the gates of a workload; null where every job may come when it is submitted. Throws InputError for jobs that
  /// wait for one another and for texts that cannot be read.
  static std::unique_ptr<JobGates> make(const std::vector<Job>& jobs, const EngineOptions& options);

  /// Makes room for jobs that have been added to those of the run, which wait for nothing.
  void grow() {
    gate_of_.resize(jobs_.size(), kNone);
    if (!dependents_.empty()) dependents_.resize(jobs_.size());
    if (!begun_.empty()) begun_.resize(jobs_.size());
  }
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

}  // namespace coslice
