#include "formats/components_apart.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "machine/memory_amount.h"
#include "machine/node_names.h"

namespace coslice {
namespace {

/// The jobs and what is known of them, one by one.
class Parting {
 public:
  explicit Parting(RecordedWorkload& recorded) : from_(recorded) {
    for (const Job& job : recorded.workload.jobs) last_ = std::max(last_, job.id);
    for (const auto& name : recorded.names)
      if (name.kind == "partition") partitions_.emplace(name.name, name.number);
    waits_ = !recorded.waits.empty();
    nodes_ = !recorded.nodes.empty();
    ids_ = !recorded.site_ids.empty();
  }

  std::int64_t run() {
    if (from_.requests.empty()) return 0;
    for (std::size_t i = 0; i != from_.workload.jobs.size(); ++i) {
      const Job& job = from_.workload.jobs[i];
      const bool whole = job.request == kNoRequest || asked(job).components.empty();
      if (whole) add(i, job, at(from_.site_ids, i), at(from_.nodes, i));
      else part(i, job);
    }
    from_.workload.jobs = std::move(jobs_);
    if (waits_) from_.waits = std::move(waits_of_);
    if (nodes_) from_.nodes = std::move(nodes_of_);
    if (ids_) from_.site_ids = std::move(site_ids_);
    from_.requests.insert(from_.requests.end(), fresh_.begin(), fresh_.end());
    from_.workload.records += static_cast<std::int64_t>(from_.workload.jobs.size() - before_);
    return parted_;
  }

 private:
  static std::string at(const std::vector<std::string>& texts, std::size_t i) {
    return i < texts.size() ? texts[i] : std::string();
  }

  const RecordedRequest& asked(const Job& job) const { return from_.requests[static_cast<std::size_t>(job.request)]; }

  void add(std::size_t i, const Job& job, std::string id, std::string nodes) {
    jobs_.push_back(job);
    if (waits_) waits_of_.push_back(from_.wait(i));
    if (ids_) site_ids_.push_back(std::move(id));
    if (nodes_) nodes_of_.push_back(std::move(nodes));
  }

  void part(std::size_t i, const Job& whole) {
    const std::vector<RequestId> requests = requests_of(whole.request);
    const std::vector<RecordedRequest> components = asked(whole).components;
    const std::vector<std::string> nodes = nodes_of(i, asked(whole).nodes);
    const bool by_cpus = asked(whole).cpus == whole.size;
    std::size_t first_node = 0;
    for (std::size_t c = 0; c != components.size(); ++c) {
      const RecordedRequest& asked_here = components[c];
      Job job = whole;
      if (c > 0) job.id = ++last_;
      job.request = requests[c];
      job.size = static_cast<std::int32_t>(std::max<std::int64_t>(1, by_cpus ? asked_here.cpus : asked_here.nodes));
      if (const auto named = partitions_.find(asked_here.partition); named != partitions_.end())
        job.partition = named->second;
      if (asked_here.memory_kb > 0)
        job.requested_memory_kb = static_cast<std::int32_t>(std::min<std::int64_t>(
            kb_of_each_process(asked_here.memory_kb, job.size), std::numeric_limits<std::int32_t>::max()));
      const auto its_nodes = static_cast<std::size_t>(asked_here.nodes);
      const auto begin = nodes.begin() + static_cast<std::ptrdiff_t>(std::min(first_node, nodes.size()));
      const auto end = nodes.begin() + static_cast<std::ptrdiff_t>(std::min(first_node + its_nodes, nodes.size()));
      first_node += its_nodes;
      add(i, job, fmt::format("{}+{}", from_.site_id(i), c), compress_node_names({begin, end}));
    }
    ++parted_;
  }

  /// Jobs that asked alike share the requests of their components.
  const std::vector<RequestId>& requests_of(RequestId whole) {
    const auto [known, is_new] = requests_by_whole_.try_emplace(whole);
    if (is_new)
      for (const RecordedRequest& r : from_.requests[static_cast<std::size_t>(whole)].components) {
        known->second.push_back(static_cast<RequestId>(from_.requests.size() + fresh_.size()));
        fresh_.push_back(r);
      }
    return known->second;
  }

  /// The nodes on record, in the order of the components; none where they are not those of all components.
  std::vector<std::string> nodes_of(std::size_t i, std::int32_t count) const {
    try {
      std::vector<std::string> names = expand_node_names(at(from_.nodes, i), {});
      if (std::ssize(names) == count) return names;
    } catch (const InputError&) {  // "None assigned", or two components on one node
    }
    return {};
  }

  RecordedWorkload& from_;
  std::map<std::string, std::int32_t> partitions_;
  std::vector<Job> jobs_;
  std::vector<Duration> waits_of_;
  std::vector<std::string> nodes_of_, site_ids_;
  std::vector<RecordedRequest> fresh_;
  std::map<RequestId, std::vector<RequestId>> requests_by_whole_;
  std::size_t before_ = from_.workload.jobs.size();
  std::int64_t last_ = 0, parted_ = 0;
  bool waits_ = false, nodes_ = false, ids_ = false;
};

}  // namespace

std::int64_t take_components_apart(RecordedWorkload& recorded) { return Parting(recorded).run(); }

}  // namespace coslice
