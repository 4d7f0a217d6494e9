// Files that many runs read, and scripts that make their jobs: each is read, and run, once for all of them.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "formats/openb.h"
#include "formats/recorded.h"
#include "jobs/slowdown.h"
#include "jobs/workload.h"

namespace coslice {

/// Jobs that a script made, what they use, and the names that it gave.
struct ScriptedJobs {
  Workload workload;
  ResourceProfiles profiles;
  std::vector<RecordedWorkload::Name> names;
};

/// Any number of threads may ask. What was read stays as it was, whatever becomes of the file: the runs of a campaign
/// are of the same inputs.
class InputCache {
 public:
  /// Returns the jobs of a log. Throws InputError as read_trace does. With `skipped`, lines that cannot be read are
  /// left out and counted there.
  std::shared_ptr<const RecordedWorkload> workload(const std::string& path, SkippedLines* skipped = nullptr);
  /// Returns the jobs of a log with the waits that are recorded, also of an SWF trace.
  std::shared_ptr<const RecordedWorkload> recorded(const std::string& path, SkippedLines* skipped = nullptr);
  /// Makes these the jobs of that log from now on, whether there is such a file or not.
  void keep(const std::string& path, std::shared_ptr<const RecordedWorkload> jobs);
  /// Returns what `make` returns, which is called once for each key. The key says all that the script may see. Throws
  /// what `make` throws.
  std::shared_ptr<const ScriptedJobs> scripted(const std::string& key, const std::function<ScriptedJobs()>& make);
  /// Returns the nodes of a list. Throws InputError as read_node_list does.
  std::shared_ptr<const ListedNodes> nodes(const std::string& path);
  /// Returns the pods of a list. Throws InputError as read_pod_list does.
  std::shared_ptr<const std::vector<Pod>> pods(const std::string& path);
  /// Returns the SHA-256 of a file. Throws InputError if it cannot be read.
  std::string digest(const std::string& path);

 private:
  std::mutex mutex_;
  /// A log, and what was left out of it.
  struct Log {
    std::shared_ptr<const RecordedWorkload> jobs;
    SkippedLines skipped;
  };
  /// By path, and whether lines that cannot be read are left out.
  using Logs = std::map<std::pair<std::string, bool>, Log>;
  Logs workloads_, recorded_;
  std::size_t jobs_ = 0;  ///< in them
  std::map<std::string, std::shared_future<std::shared_ptr<const ScriptedJobs>>> scripted_;
  std::size_t scripted_jobs_ = 0;
  std::map<std::string, std::shared_ptr<const ListedNodes>> nodes_;
  std::map<std::string, std::shared_ptr<const std::vector<Pod>>> pods_;
  std::map<std::string, std::string> digests_;
};

}  // namespace coslice
