#include "workload/trace_requests.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/hash.h"
#include "resources/eligibility.h"

namespace coslice {

namespace {

/// "; Partition:  3  batch" -> 3, "batch".
bool read_partition_line(std::string_view line, std::int32_t& number, std::string_view& name) {
  const auto skip = [&](std::string_view what) {
    const std::size_t from = line.find_first_not_of(what);
    line.remove_prefix(std::min(from, line.size()));
  };
  skip("; \t");
  constexpr std::string_view kHead = "Partition:";
  if (line.substr(0, kHead.size()) != kHead) return false;
  line.remove_prefix(kHead.size());
  skip(" \t");
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc{}) return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  skip(" \t-");
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  name = line;
  return !name.empty();
}

/// Partitions of the machine by the numbers that a trace has for them.
std::map<std::int32_t, std::int32_t> partitions_by_number(const TraceHeader& header, const MachineLayout& layout) {
  std::map<std::int32_t, std::int32_t> by_number;
  for (const std::string& line : header.lines) {
    std::int32_t number = 0;
    std::string_view name;
    if (!read_partition_line(line, number, name)) continue;
    for (std::size_t p = 0; p < layout.partitions.size(); ++p)
      if (layout.partitions[p].name == name) by_number[number] = static_cast<std::int32_t>(p);
  }
  for (std::size_t p = 0; p < layout.partitions.size(); ++p)
    for (const std::int32_t number : layout.partitions[p].numbers) by_number[number] = static_cast<std::int32_t>(p);
  return by_number;
}

/// The fewest cores that a node of the partition has.
std::int32_t fewest_cores(const MachineLayout& layout, std::int32_t partition) {
  Request any;
  if (partition >= 0) any.partitions = {partition};
  std::int32_t fewest = INT32_MAX;
  for (const std::int32_t p : partitions_of(layout, any)) {
    for (const NodeKind& kind : layout.kinds) {
      NodeRanges nodes;
      nodes.append(kind.first, kind.first + kind.count - 1);
      if (p < 0 || layout.partitions[static_cast<std::size_t>(p)].nodes.intersects(nodes))
        fewest = std::min(fewest, kind.processors * kind.cores);
    }
  }
  return fewest;
}

}  // namespace

Request request_of_size(std::int32_t processes, std::int64_t kb, std::int32_t partition, const MachineLayout& layout,
                        TraceNodes nodes) {
  const std::int32_t cores = fewest_cores(layout, partition);
  const std::int32_t per_node = nodes.processes_per_node == 0 ? cores : std::min(nodes.processes_per_node, cores);
  Request r;
  r.nodes = processes / per_node + (processes % per_node != 0 ? 1 : 0);
  const std::int32_t on_each = processes / r.nodes + (processes % r.nodes != 0 ? 1 : 0);
  r.cores = on_each * kWholeCore;
  if (kb > 0) r.memory_mib = (kb * on_each + 1023) / 1024;
  r.exclusive = nodes.exclusive != Exclusive::kNo;
  if (partition >= 0) r.partitions = {partition};
  return r;
}

namespace {

/// A request that jobs have, and what follows from it. Many jobs are alike: it is found out once for each kind of them.
struct Asked {
  Request request;
  std::int32_t home = -1;            ///< its first partition
  std::optional<std::string> never;  ///< why it can never run, where that is the same for all jobs
  RequestId id = kNoRequest;         ///< once a job has it
};

/// What a trace says of it.
struct Size {
  std::int32_t processes, kb, partition;
  bool operator==(const Size&) const = default;
};
struct SizeHash {
  std::size_t operator()(const Size& s) const {
    const auto word = [](std::int32_t n) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(n)); };
    return hash_mix(word(s.processes) << 32 | word(s.partition), word(s.kb));
  }
};

class RequestsOfTrace {
 public:
  RequestsOfTrace(const MachineLayout& layout, TraceNodes nodes) : layout_(layout), nodes_(nodes) {}

  Asked& of_size(const Job& job, std::int32_t partition) {
    const auto [at, is_new] = by_size_.try_emplace(Size{job.size, job.requested_memory_kb, partition});
    if (is_new) describe(at->second, request_of_size(job.size, job.requested_memory_kb, partition, layout_, nodes_));
    return at->second;
  }

  Asked& of_request(RequestId id, const RequestTable& requests) {
    const auto [at, is_new] = by_id_.try_emplace(id);
    if (is_new) {
      describe(at->second, requests[id]);
      at->second.id = id;
    }
    return at->second;
  }

  std::string why_never(const Asked& asked, const Job& job) const {
    return asked.never ? *asked.never : coslice::why_never(layout_, asked.request, {job.limit, job.user});
  }

 private:
  void describe(Asked& asked, Request request) const {
    asked.home = partitions_of(layout_, request).front();
    if (!limits_jobs(layout_)) asked.never = coslice::why_never(layout_, request, {});
    asked.request = std::move(request);
  }

  const MachineLayout& layout_;
  TraceNodes nodes_;
  std::unordered_map<Size, Asked, SizeHash> by_size_;
  std::map<RequestId, Asked> by_id_;
};

}  // namespace

TraceRequestCounts request_by_trace(Workload& workload, const MachineLayout& layout, TraceNodes nodes,
                                    Impossible impossible, bool default_limits) {
  TraceRequestCounts counts;
  const std::map<std::int32_t, std::int32_t> by_number = partitions_by_number(workload.header, layout);
  RequestsOfTrace known(layout, nodes);
  const auto can_run = [&](Job& job) {
    std::int32_t partition = -1;
    if (const auto found = by_number.find(job.partition); found != by_number.end()) partition = found->second;
    else if (job.partition >= 0 && !layout.partitions.empty() && job.request == kNoRequest) ++counts.unknown_partition;
    Asked& asked = job.request != kNoRequest ? known.of_request(job.request, workload.requests) : known.of_size(job, partition);
    if (default_limits && !job.limit_given && asked.home >= 0) {
      if (const auto& time = layout.partitions[static_cast<std::size_t>(asked.home)].default_time) {
        job.limit = std::max(*time, job.runtime);
        job.limit_given = true;
        ++counts.partition_limits;
      }
    }
    const std::string reason = known.why_never(asked, job);
    if (!reason.empty()) {
      if (counts.too_large++ == 0) {
        counts.first_reason = reason;
        counts.first_too_large = job.id;
      }
      if (impossible == Impossible::kLeftOut) return false;
    }
    if (asked.id == kNoRequest) asked.id = workload.requests.intern(asked.request);
    job.request = asked.id;
    return true;
  };
  std::vector<Job>& jobs = workload.jobs;
  std::size_t kept = 0;
  for (Job& job : jobs)
    if (can_run(job)) jobs[kept++] = job;
  jobs.resize(kept);
  return counts;
}

std::vector<TypicalRequest> typical_of(const Workload& workload, const MachineLayout& layout) {
  std::vector<CountedRequest> asked;
  for (std::size_t id = 0; id != workload.requests.size(); ++id) asked.emplace_back(&workload.requests[static_cast<RequestId>(id)], 0);
  for (const Job& job : workload.jobs)
    if (job.request != kNoRequest) ++asked[static_cast<std::size_t>(job.request)].second;
  return typical_requests(asked, layout);
}

}  // namespace coslice
