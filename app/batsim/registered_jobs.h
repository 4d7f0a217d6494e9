// Jobs that a scheduler registers while the simulation runs, and their profiles, which say how long they run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "batsim/events.h"
#include "jobs/workload.h"

namespace coslice::batsim {

class RegisteredJobs {
 public:
  /// Jobs are numbered behind those of the log, which outlives the object; `cores` of each node are theirs, and there
  /// are `nodes`.
  RegisteredJobs(const Workload& log, std::int32_t nodes, std::int32_t cores);

  void add_profile(const RegisterProfile& profile);
  /// Returns the job, which is submitted at `now`. Throws BadMessage, also for one that there is already.
  Job job_of(const RegisterJob& registered, Time now);
  /// Returns the profile of that name, as the scheduler described it; null where it is one of the log.
  const Json* described(const std::string& workload, const std::string& name) const;
  /// Returns whether the run waits for jobs that are still to be registered.
  bool expected() const { return began_ && !finished_; }
  void finish() { finished_ = true; }
  void go_on() {
    began_ = true;
    finished_ = false;
  }

 private:
  struct Profile {
    Json described;
    std::optional<double> runtime{};  ///< s; absent until it is asked for
  };
  void keep(const std::string& workload, const std::string& name, const Json& profile);
  double runtime_of(const std::string& workload, const std::string& name, int depth);
  double runtime_of_parts(const std::string& workload, const Json& profile, int depth);
  const Job* in_log(const std::string& workload, std::string_view name);

  const Workload& log_;
  std::int32_t nodes_, cores_;
  std::int64_t last_number_ = 0;
  std::map<std::pair<std::string, std::string>, Profile> profiles_;  ///< by workload and name
  std::unordered_set<std::string> ids_;
  std::unordered_map<std::int64_t, JobIndex> numbers_;  ///< of the log; empty until one is asked for
  bool began_ = false, finished_ = false;
};

/// "dyn" of "dyn!my_job".
std::string workload_of(const std::string& id);

}  // namespace coslice::batsim
