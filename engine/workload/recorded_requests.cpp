#include "workload/recorded_requests.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "core/error.h"
#include "core/value.h"
#include "resources/feature_expression.h"
#include "workload/trace_requests.h"
#include "workload/workload.h"

namespace coslice {

namespace {

std::int64_t parts_of(std::int64_t whole, std::int64_t parts) { return whole / parts + (whole % parts != 0 ? 1 : 0); }

bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

/// A recorded request on that machine.
class Resolved {
 public:
  Resolved(const RecordedRequest& recorded, const MachineLayout& layout, const TraceNodes& nodes)
      : layout_(layout), recorded_(recorded) {
    find_partitions();
    add_nodes(nodes);
    add_gpus();
    add_features();
    add_licences();
  }

  Request request;
  bool unknown_partition = false;
  std::string unknown;  ///< what is left out first; "": nothing

 private:
  void miss(std::string what) {
    if (unknown.empty()) unknown = std::move(what);
  }

  /// One, or several between commas: the job may have nodes of any of them, of the first one first.
  void find_partitions() {
    const auto& all = layout_.partitions;
    for (std::size_t from = 0; from <= recorded_.partition.size();) {
      const std::size_t end = std::min(recorded_.partition.find(',', from), recorded_.partition.size());
      const std::string name = recorded_.partition.substr(from, end - from);
      const auto found = std::find_if(all.begin(), all.end(), [&](const Partition& p) { return p.name == name; });
      if (found != all.end()) partitions_.push_back(static_cast<std::int32_t>(found - all.begin()));
      from = end + 1;
    }
    unknown_partition = partitions_.empty() && !recorded_.partition.empty() && !all.empty();
  }

  void add_nodes(const TraceNodes& nodes) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / kWholeCore;
    const std::int64_t cpus = std::max<std::int64_t>(1, recorded_.cpus);
    request = request_of_size(static_cast<std::int32_t>(std::min<std::int64_t>(cpus, kMost)), -1,
                              partitions_.empty() ? -1 : partitions_.front(), layout_, nodes);
    if (partitions_.size() > 1) request.partitions = partitions_;
    if (recorded_.nodes > 0) {
      request.nodes = recorded_.nodes;
      request.cores = static_cast<CoreShare>(std::min(kMost, parts_of(cpus, recorded_.nodes)) * kWholeCore);
    }
    request.memory_mib = parts_of(parts_of(recorded_.memory_kb, request.nodes), 1024);
    if (nodes.exclusive == Exclusive::kAlways) request.exclusive = true;
    else if (recorded_.exclusive) request.exclusive = *recorded_.exclusive;
    else if (recorded_.allocated) request.exclusive = false;
  }

  void add_gpus() {
    request.gpus =
        static_cast<std::int32_t>(std::min<std::int64_t>(INT32_MAX, parts_of(recorded_.gpus, request.nodes)));
    if (request.gpus == 0) return;
    for (const std::string& type : recorded_.gpu_types) {
      const auto& known = layout_.gpu_types;
      const auto found =
          std::find_if(known.begin(), known.end(), [&](const std::string& k) { return same_letters(k, type); });
      if (found != known.end()) request.gpu_types.push_back(static_cast<std::int32_t>(found - known.begin()));
      else miss(fmt::format("no kind of node has GPUs of type '{}'", type));
    }
  }

  void add_features() {
    if (recorded_.features.empty()) return;
    try {
      request.features = parse_features(recorded_.features, layout_.features, {});
    } catch (const InputError& e) {
      miss(e.diagnostic().problem);
    }
  }

  void add_licences() {
    for (const auto& asked : recorded_.licences) {
      const auto& known = layout_.licences;
      const auto found =
          std::find_if(known.begin(), known.end(), [&](const Licence& l) { return l.name == asked.first; });
      if (found != known.end())
        request.licences.push_back({static_cast<std::int32_t>(found - known.begin()), asked.second});
      else
        miss(fmt::format("the machine has no licence '{}'", asked.first));
    }
  }

  const MachineLayout& layout_;
  const RecordedRequest& recorded_;
  std::vector<std::int32_t> partitions_;  ///< in the job's order
};

}  // namespace

RecordedRequestCounts resolve_recorded_requests(const std::vector<RecordedRequest>& recorded, Workload& workload,
                                                const MachineSpec& machine, const TraceNodes& nodes) {
  RecordedRequestCounts counts;
  std::vector<std::optional<Resolved>> resolved(recorded.size());
  for (Job& job : workload.jobs) {
    if (job.request == kNoRequest) continue;
    const auto i = static_cast<std::size_t>(job.request);
    job.request = kNoRequest;
    if (!names_kinds(machine)) {
      counts.gpus_lost += recorded[i].gpus > 0 ? 1 : 0;
      continue;
    }
    if (!resolved[i]) resolved[i].emplace(recorded[i], *machine.layout, nodes);
    counts.unknown_partition += resolved[i]->unknown_partition ? 1 : 0;
    if (!resolved[i]->unknown.empty() && counts.unknown++ == 0) {
      counts.first_unknown = job.id;
      counts.what = resolved[i]->unknown;
    }
    job.request = workload.requests.intern(resolved[i]->request);
  }
  return counts;
}

}  // namespace coslice
