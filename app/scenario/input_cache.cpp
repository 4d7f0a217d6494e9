#include "scenario/input_cache.h"

#include "output/output.h"

namespace coslice {

std::shared_ptr<const RecordedWorkload> InputCache::workload(const std::string& path, SkippedLines* skipped) {
  constexpr std::size_t kMostJobs = 4'000'000;  // about 0.5 GB
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::pair key(path, skipped != nullptr);
  auto known = workloads_.find(key);
  if (known == workloads_.end()) {
    Log fresh;
    fresh.jobs =
        std::make_shared<const RecordedWorkload>(read_trace(path, skipped != nullptr ? &fresh.skipped : nullptr));
    const std::size_t jobs = fresh.jobs->workload.jobs.size();
    if (jobs_ + jobs > kMostJobs) {
      workloads_.clear();
      jobs_ = 0;
    }
    jobs_ += jobs;
    known = workloads_.emplace(key, std::move(fresh)).first;
  }
  if (skipped != nullptr) *skipped = known->second.skipped;
  return known->second.jobs;
}

std::shared_ptr<const RecordedWorkload> InputCache::recorded(const std::string& path, SkippedLines* skipped) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Log& known = recorded_[{path, skipped != nullptr}];
  if (!known.jobs)
    known.jobs = std::make_shared<const RecordedWorkload>(
        read_trace_with_waits(path, skipped != nullptr ? &known.skipped : nullptr));
  if (skipped != nullptr) *skipped = known.skipped;
  return known.jobs;
}

void InputCache::keep(const std::string& path, std::shared_ptr<const RecordedWorkload> jobs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const bool skips : {false, true}) {
    recorded_[{path, skips}].jobs = jobs;
    workloads_[{path, skips}] = recorded_[{path, skips}];
  }
}

// One run makes them, and those that ask meanwhile wait for that; runs with other jobs do not.
std::shared_ptr<const ScriptedJobs> InputCache::scripted(const std::string& key,
                                                         const std::function<ScriptedJobs()>& make) {
  constexpr std::size_t kMostJobs = 1'000'000;
  std::promise<std::shared_ptr<const ScriptedJobs>> made;
  std::shared_future<std::shared_ptr<const ScriptedJobs>> known;
  bool first = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [at, is_new] = scripted_.try_emplace(key);
    first = is_new;
    if (first) at->second = made.get_future().share();
    known = at->second;
  }
  if (!first) return known.get();
  try {
    made.set_value(std::make_shared<const ScriptedJobs>(make()));
  } catch (...) {
    made.set_exception(std::current_exception());
  }
  std::shared_ptr<const ScriptedJobs> jobs = known.get();
  const std::lock_guard<std::mutex> lock(mutex_);
  scripted_jobs_ += jobs->workload.jobs.size();
  if (scripted_jobs_ > kMostJobs) {
    scripted_.clear();
    scripted_jobs_ = 0;
  }
  return jobs;
}

std::shared_ptr<const ListedNodes> InputCache::nodes(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<const ListedNodes>& known = nodes_[path];
  if (!known) known = std::make_shared<const ListedNodes>(read_node_list(path));
  return known;
}

std::shared_ptr<const std::vector<Pod>> InputCache::pods(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<const std::vector<Pod>>& known = pods_[path];
  if (!known) known = std::make_shared<const std::vector<Pod>>(read_pod_list(path));
  return known;
}

std::string InputCache::digest(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = digests_.find(path);
  return known != digests_.end() ? known->second : digests_.emplace(path, sha256_of_file(path)).first->second;
}

}  // namespace coslice
