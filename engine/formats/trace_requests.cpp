#include "formats/trace_requests.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "core/error.h"
#include "core/portable_math.h"
#include "core/random.h"
#include "core/text.h"
#include "jobs/attributes.h"
#include "machine/block_placement.h"
#include "machine/components.h"
#include "machine/eligibility.h"
#include "machine/memory_amount.h"

namespace coslice {
namespace {

/// "; Partition:  3  batch" -> 3, "batch".
bool read_partition_line(std::string_view line, std::int32_t& number, std::string_view& name) {
  std::string_view entry = header_entry(line, "Partition").value_or("");
  const auto said = take_number<std::int32_t>(entry);
  entry.remove_prefix(std::min(entry.find_first_not_of(" \t-"), entry.size()));
  number = said.value_or(0);
  name = trimmed(entry, " \t");
  return said && !name.empty();
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
    for (const NodeKind& kind : layout.kinds)
      if (p < 0 || layout.partitions[static_cast<std::size_t>(p)].nodes.intersects(kind.nodes()))
        fewest = std::min(fewest, kind.processors * kind.cores);
  }
  return fewest;
}

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
    if (is_new) {
      Request request = request_of_size(job.size, job.requested_memory_kb, partition, layout_, nodes_);
      share_cores(request, layout_, false);
      describe(at->second, std::move(request));
    }
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

/// A recorded request on that machine.
class Resolved {
 public:
  Resolved(const RecordedRequest& recorded, const MachineLayout& layout, const TraceNodes& nodes)
      : layout_(layout), recorded_(recorded) {
    find_partitions();
    add_nodes(nodes);
    request.segment = recorded_.wish.segment;
    add_gpus();
    add_features();
    add_licences();
  }

  Request request;
  bool unknown_partition = false;
  std::string unknown;  ///< what is left out first; "": nothing

 private:
  /// The number of the first that is meant; -1 if none is.
  template <class All, class Is>
  static std::int32_t number_in(const All& all, Is&& is) {
    const auto found = std::ranges::find_if(all, is);
    return found == all.end() ? -1 : static_cast<std::int32_t>(found - all.begin());
  }
  void miss(std::string what) {
    if (unknown.empty()) unknown = std::move(what);
  }

  /// One, or several between commas: the job may have nodes of any of them, of the first one first.
  void find_partitions() {
    const auto& all = layout_.partitions;
    for (std::string_view rest = recorded_.partition; !rest.empty();) {
      const std::string_view name = take_before(rest, ',');
      const std::int32_t p = number_in(all, [&](const Partition& known) { return known.name == name; });
      if (p >= 0) partitions_.push_back(p);
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
      request.cores =
          static_cast<CoreShare>(std::min(kMost, divided_up<std::int64_t>(cpus, recorded_.nodes)) * kWholeCore);
    }
    request.memory_mib = mib_on_each_node(recorded_.memory_kb, request.nodes);
    if (nodes.exclusive == Exclusive::kAlways) request.exclusive = true;
    else if (recorded_.exclusive) request.exclusive = *recorded_.exclusive;
    else if (recorded_.allocated) request.exclusive = false;
    if (nodes.exclusive == Exclusive::kAlways || !recorded_.exclusive.value_or(false))
      share_cores(request, layout_, recorded_.oversubscribe);
    if (request.exclusive || request.rows > 1) return;
    if (nodes.spread_tasks && recorded_.spread) spread_cores(*recorded_.spread);
    else if (nodes.whole_processors && recorded_.asked_cpus > 0 && recorded_.nodes > 0) take_processors();
  }

  /// The fewest cores that a processor of its first partition's nodes has, and the most processors of a node.
  std::pair<std::int32_t, std::int32_t> processors_there() const {
    const std::int32_t home = partitions_of(layout_, request).front();
    std::pair<std::int32_t, std::int32_t> found{INT32_MAX, 0};
    for (const NodeKind& kind : layout_.kinds) {
      if (home >= 0 && !layout_.partitions[static_cast<std::size_t>(home)].nodes.intersects(kind.nodes())) continue;
      found = {std::min(found.first, kind.cores), std::max(found.second, kind.processors)};
    }
    return found;
  }

  /// A node with fewer processors than it may have gives all of its own.
  void take_processors() {
    const auto [cores, processors] = processors_there();
    const auto asked = static_cast<std::int32_t>(
        std::min<std::int64_t>(divided_up<std::int64_t>(recorded_.asked_cpus, request.nodes), cores * processors));
    const std::int32_t fewest = divided_up(asked, cores), most = std::min(asked, processors);
    request.cores = fewest * cores * kWholeCore;
    if (most > fewest) request.spread = {most * cores * kWholeCore, cores * kWholeCore, 0, 0};
  }

  /// Of the memory each node has as much as if its nodes had its cores alike.
  void spread_cores(const RecordedSpread& spread) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / kWholeCore;
    const auto cores = [&](std::int64_t cpus) { return static_cast<CoreShare>(std::min(cpus, kMost) * kWholeCore); };
    request.nodes = spread.fewest_nodes;
    request.cores = cores(spread.task_cpus);
    request.spread.unit = request.cores;
    request.spread.cores = cores(recorded_.cpus);
    request.spread.most = spread.most_cpus > 0 ? cores(spread.most_cpus) : request.spread.cores;
    request.spread.nodes = spread.most_nodes;
    const std::int32_t home = partitions_.empty() ? -1 : partitions_.front();
    if (home < 0) return;
    if (const auto& most = layout_.partitions[static_cast<std::size_t>(home)].max_nodes)
      request.spread.nodes = std::max(request.nodes, std::min(request.spread.nodes, *most));
  }

  void add_gpus() {
    request.gpus = static_cast<std::int32_t>(
        std::min<std::int64_t>(INT32_MAX, divided_up<std::int64_t>(recorded_.gpus, request.nodes)));
    if (request.gpus == 0) return;
    for (const std::string& type : recorded_.gpu_types) {
      const std::int32_t t =
          number_in(layout_.gpu_types, [&](const std::string& known) { return lower_case(known) == lower_case(type); });
      if (t >= 0) request.gpu_types.push_back(t);
      else miss(fmt::format("no kind of node has GPUs of type '{}'", type));
    }
  }

  /// Slurm's "[a|b]" asks for nodes that all have the same of these.
  void add_features() {
    if (recorded_.features.empty() || recorded_.features == "(null)") return;
    std::string text = recorded_.features;
    std::ranges::replace(text, '[', '(');
    std::ranges::replace(text, ']', ')');
    try {
      request.features = parse_features(text, layout_.features, {});
    } catch (const InputError& e) {
      return miss(e.diagnostic().problem);
    }
    if (text != recorded_.features && request.nodes > 1 && request.features.size() > 1)
      miss(fmt::format("'{}' asks for nodes that have the same feature, and here one may have another than the next",
                       recorded_.features));
  }

  void add_licences() {
    for (const auto& asked : recorded_.licences) {
      const std::int32_t l =
          number_in(layout_.licences, [&](const Licence& known) { return known.name == asked.first; });
      if (l >= 0) request.licences.push_back({l, asked.second});
      else miss(fmt::format("the machine has no licence '{}'", asked.first));
    }
  }

  const MachineLayout& layout_;
  const RecordedRequest& recorded_;
  std::vector<std::int32_t> partitions_;  ///< in the job's order
};

}  // namespace

Request request_of_size(std::int32_t processes, std::int64_t kb, std::int32_t partition, const MachineLayout& layout,
                        TraceNodes nodes) {
  const std::int32_t cores = fewest_cores(layout, partition);
  const std::int32_t per_node = nodes.processes_per_node == 0 ? cores : std::min(nodes.processes_per_node, cores);
  Request r;
  r.nodes = divided_up(processes, per_node);
  const std::int32_t on_each = divided_up(processes, r.nodes);
  r.cores = on_each * kWholeCore;
  if (kb > 0) r.memory_mib = mib_of_processes(kb, on_each);
  r.exclusive = nodes.exclusive != Exclusive::kNo;
  if (partition >= 0) r.partitions = {partition};
  return r;
}

TraceRequestCounts request_by_trace(Workload& workload, const MachineLayout& layout, TraceNodes nodes,
                                    Impossible impossible, bool default_limits) {
  TraceRequestCounts counts;
  const std::map<std::int32_t, std::int32_t> by_number = partitions_by_number(workload.header, layout);
  RequestsOfTrace known(layout, nodes);
  const auto can_run = [&](Job& job) {
    std::int32_t partition = -1;
    if (const auto found = by_number.find(job.partition); found != by_number.end()) partition = found->second;
    else if (job.partition >= 0 && !layout.partitions.empty() && job.request == kNoRequest) ++counts.unknown_partition;
    Asked& asked =
        job.request != kNoRequest ? known.of_request(job.request, workload.requests) : known.of_size(job, partition);
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
  if (workload.requests.size() == 0) return typical_requests({}, layout);
  std::vector<CountedRequest> asked;
  std::vector<std::int64_t> jobs(workload.requests.size(), 0);
  for (const Job& job : workload.jobs)
    if (job.request != kNoRequest) ++jobs[static_cast<std::size_t>(job.request)];
  for (std::size_t id = 0; id != jobs.size(); ++id)
    each_component(workload.requests[static_cast<RequestId>(id)],
                   [&](const Request& r) { asked.emplace_back(&r, jobs[id]); });
  return typical_requests(asked, layout);
}

namespace {

/// What of a recorded request a machine knows.
struct Known {
  Request request;
  bool unknown_partition = false;
  std::string unknown;
};

/// Of many ways to choose partitions for the components, each component keeps its first.
void limit_ways(std::vector<Request>& components, const MachineLayout& layout) {
  std::size_t ways = 1;
  for (const Request& c : components)
    ways = std::min(ways * partitions_of(layout, c).size(), kMostWaysOfComponents + 1);
  if (ways <= kMostWaysOfComponents) return;
  for (Request& c : components)
    if (!c.partitions.empty()) c.partitions.resize(1);
}

Known resolved_on(const MachineLayout& layout, const RecordedRequest& recorded, const TraceNodes& nodes) {
  if (recorded.components.empty()) {
    Resolved one(recorded, layout, nodes);
    return {std::move(one.request), one.unknown_partition, std::move(one.unknown)};
  }
  Known known;
  std::vector<Request> components;
  for (const RecordedRequest& component : recorded.components) {
    Resolved one(component, layout, nodes);
    known.unknown_partition = known.unknown_partition || one.unknown_partition;
    if (known.unknown.empty()) known.unknown = std::move(one.unknown);
    components.push_back(std::move(one.request));
  }
  limit_ways(components, layout);
  known.request = of_components(std::move(components));
  return known;
}

/// Where nodes are equal, a job that has so many for itself has as many processes as run on these.
void fill_nodes(Job& job, std::int32_t count, const MachineSpec& machine, const TraceNodes& nodes) {
  const std::int64_t per_node = nodes.processes_per_node > 0 ? nodes.processes_per_node : machine.cores_per_node();
  job.size =
      static_cast<std::int32_t>(std::min<std::int64_t>(std::max<std::int64_t>(job.size, per_node * count), INT32_MAX));
}

}  // namespace

RecordedRequestCounts resolve_recorded_requests(const std::vector<RecordedRequest>& recorded, Workload& workload,
                                                const MachineSpec& machine, const TraceNodes& nodes) {
  RecordedRequestCounts counts;
  std::vector<std::optional<Known>> resolved(recorded.size());
  for (Job& job : workload.jobs) {
    if (job.request == kNoRequest) continue;
    const auto i = static_cast<std::size_t>(job.request);
    job.request = kNoRequest;
    if (!names_kinds(machine)) {
      counts.gpus_lost += recorded[i].gpus > 0 ? 1 : 0;
      if (recorded[i].exclusive.value_or(false)) fill_nodes(job, recorded[i].nodes, machine, nodes);
      continue;
    }
    if (!resolved[i]) resolved[i] = resolved_on(*machine.layout, recorded[i], nodes);
    counts.unknown_partition += resolved[i]->unknown_partition ? 1 : 0;
    if (!resolved[i]->unknown.empty() && counts.unknown++ == 0) {
      counts.first_unknown = job.id;
      counts.what = resolved[i]->unknown;
    }
    job.request = workload.requests.intern(resolved[i]->request);
    if (const NodeWish& wish = recorded[i].wish; nodes.spread_tasks && wish.fewest > 0)
      workload.extras.set(job, attributes::kSizes, fmt::format("{}-{}", wish.fewest, wish.most));
    // What it got in whole processors was what was free then: it is not known before it starts.
    if (nodes.whole_processors && recorded[i].asked_cpus > 0)
      job.size = static_cast<std::int32_t>(std::min<std::int64_t>(recorded[i].asked_cpus, INT32_MAX));
  }
  return counts;
}

}  // namespace coslice
