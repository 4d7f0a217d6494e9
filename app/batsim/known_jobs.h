// The jobs of a run as a scheduler outside knows them: by the names of the protocol.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "batsim/messages.h"
#include "jobs/job.h"

namespace coslice::batsim {

/// Of the log of a run.
inline constexpr const char* kWorkload = "w0";

/// Jobs as the scheduler knows them, and which of them has which node.
class KnownJobs {
 public:
  enum class State { kComes, kWaits, kRuns, kOver };
  struct Known {
    std::string id;  ///< "w0!7"; of one that came again "w0!7#1"
    State state = State::kComes;
    std::int32_t times = 0;  ///< that it came
    Time start{};
    NodeRanges nodes{};
  };

  KnownJobs(std::size_t jobs, std::int32_t nodes) : jobs_(jobs), has_(static_cast<std::size_t>(nodes), kNoJob) {}

  /// Notes what the job is called that is the next to be added to those of the run, and its profile; those of the log
  /// have their numbers.
  void will_add(const std::string& name, const std::string& profile) { added_.push_back({name, profile}); }

  const Known& operator[](JobIndex j) const { return jobs_[j]; }
  bool is_of_log(JobIndex j) const { return j < of_log_; }
  /// Returns the name of its profile. Precondition: it is not of the log.
  const std::string& profile(JobIndex j) const { return added_[j - of_log_].profile; }
  std::int32_t nodes() const { return static_cast<std::int32_t>(has_.size()); }
  /// The job waits, for the first time or again.
  void comes(JobIndex j, std::int64_t number) {
    if (j >= jobs_.size()) jobs_.resize(j + std::size_t{1});
    Known& job = jobs_[j];
    const std::string name = is_of_log(j) ? fmt::format("{}!{}", kWorkload, number) : added_[j - of_log_].name;
    job.id = job.times == 0 ? name : fmt::format("{}#{}", name, job.times);
    while (job.times > 0 && by_id_.contains(job.id))  // a scheduler has called one so that it registered again
      job.id = fmt::format("{}#{}", name, ++job.times);
    ++job.times;
    job.state = State::kWaits;
    by_id_.insert_or_assign(job.id, j);
  }
  void starts(JobIndex j, Time now, const NodeRanges& nodes) {
    jobs_[j].state = State::kRuns;
    jobs_[j].start = now;
    jobs_[j].nodes = nodes;
    for_each_node(nodes, [&](NodeId n) { at(n) = j; });
  }
  void stops(JobIndex j) {
    for_each_node(jobs_[j].nodes, [&](NodeId n) { at(n) = kNoJob; });
    jobs_[j].state = State::kOver;
  }
  void leaves(JobIndex j) { jobs_[j].state = State::kOver; }
  void set_down(NodeId n, bool down) {
    if (down) down_.insert(n);
    else down_.erase(n);
  }
  bool knows(const std::string& id) const { return by_id_.contains(id); }
  /// The job of that id; throws BadMessage where there is none.
  JobIndex find(const std::string& id) const {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) throw BadMessage("there is no such job; expected one that was submitted");
    return found->second;
  }
  /// The job of that id, which waits.
  JobIndex waiting(const std::string& id) const {
    const JobIndex j = find(id);
    const State state = id == jobs_[j].id ? jobs_[j].state : State::kOver;
    if (state == State::kRuns) throw BadMessage("the job runs already; expected one that waits");
    if (state != State::kWaits) throw BadMessage("the job is over; expected one that waits");
    return j;
  }
  /// Throws BadMessage where one of the nodes cannot be had now.
  void check_free(const NodeRanges& nodes) const {
    for_each_node(nodes, [&](NodeId n) {
      if (down_.contains(n)) throw BadMessage(fmt::format("node {} is down; expected nodes that are there", n));
      const JobIndex j = has_[static_cast<std::size_t>(n)];
      if (j != kNoJob) throw BadMessage(fmt::format("node {} has job {}; expected nodes without jobs", n, jobs_[j].id));
    });
  }

 private:
  JobIndex& at(NodeId n) { return has_[static_cast<std::size_t>(n)]; }

  struct Added {
    std::string name, profile;
  };
  std::vector<Known> jobs_;
  std::size_t of_log_ = jobs_.size();  ///< how many of them are; the others have been
  std::vector<Added> added_;
  std::vector<JobIndex> has_;  ///< by node
  std::set<NodeId> down_;
  std::unordered_map<std::string, JobIndex> by_id_;
};

}  // namespace coslice::batsim
