#include "scenario/input_cache.h"

#include "output/output.h"

namespace coslice {

std::shared_ptr<const RecordedWorkload> InputCache::workload(const std::string& path) {
  constexpr std::size_t kMostJobs = 4'000'000;  // about 0.5 GB
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const auto known = workloads_.find(path); known != workloads_.end()) return known->second;
  auto fresh = std::make_shared<const RecordedWorkload>(read_trace(path));
  if (jobs_ + fresh->workload.jobs.size() > kMostJobs) {
    workloads_.clear();
    jobs_ = 0;
  }
  jobs_ += fresh->workload.jobs.size();
  return workloads_.emplace(path, std::move(fresh)).first->second;
}

std::shared_ptr<const RecordedWorkload> InputCache::recorded(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<const RecordedWorkload>& known = recorded_[path];
  if (!known) known = std::make_shared<const RecordedWorkload>(read_trace_with_waits(path));
  return known;
}

void InputCache::keep(const std::string& path, std::shared_ptr<const RecordedWorkload> jobs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  workloads_[path] = jobs;
  recorded_[path] = std::move(jobs);
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
