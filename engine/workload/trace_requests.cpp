#include "workload/trace_requests.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

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
  r.exclusive = nodes.whole;
  if (partition >= 0) r.partitions = {partition};
  return r;
}

TraceRequestCounts request_by_trace(Workload& workload, const MachineLayout& layout, TraceNodes nodes,
                                    Impossible impossible, bool default_limits) {
  TraceRequestCounts counts;
  const std::map<std::int32_t, std::int32_t> by_number = partitions_by_number(workload.header, layout);
  const auto can_run = [&](Job& job) {
    std::int32_t partition = -1;
    if (const auto found = by_number.find(job.partition); found != by_number.end()) partition = found->second;
    else if (job.partition >= 0 && !layout.partitions.empty() && job.request == kNoRequest) ++counts.unknown_partition;
    const Request request = job.request != kNoRequest
                                ? workload.requests[job.request]
                                : request_of_size(job.size, job.requested_memory_kb, partition, layout, nodes);
    const std::int32_t home = partitions_of(layout, request).front();
    if (default_limits && !job.limit_given && home >= 0) {
      if (const auto& time = layout.partitions[static_cast<std::size_t>(home)].default_time) {
        job.limit = std::max(*time, job.runtime);
        job.limit_given = true;
        ++counts.partition_limits;
      }
    }
    const std::string reason = why_never(layout, request, {job.limit, job.user});
    if (!reason.empty()) {
      if (counts.too_large++ == 0) {
        counts.first_reason = reason;
        counts.first_too_large = job.id;
      }
      if (impossible == Impossible::kLeftOut) return false;
    }
    job.request = workload.requests.intern(request);
    return true;
  };
  std::vector<Job> kept;
  kept.reserve(workload.jobs.size());
  for (Job& job : workload.jobs)
    if (can_run(job)) kept.push_back(job);
  workload.jobs = std::move(kept);
  return counts;
}

}  // namespace coslice
