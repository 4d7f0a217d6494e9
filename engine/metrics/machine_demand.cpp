#include "metrics/machine_demand.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "resources/eligibility.h"

namespace coslice {
namespace {

using Kinds = std::vector<std::int32_t>;

/// Amounts, or amounts held for so many seconds.
struct Amounts {
  double cores = 0, memory = 0, gpus = 0;
  void add(const Amounts& a, double times) {
    cores += a.cores * times;
    memory += a.memory * times;
    gpus += a.gpus * times;
  }
};

Amounts of_node(const NodeKind& k) {
  return {static_cast<double>(k.core_share()) / kWholeCore, static_cast<double>(k.memory_mib),
          static_cast<double>(k.gpus)};
}

double part(double asked, double there, double seconds) {
  return there > 0 && seconds > 0 ? asked / (there * seconds) : 0;
}

ResourceLoad load_of(const Amounts& asked, const Amounts& there, double seconds) {
  return {part(asked.cores, there.cores, seconds), part(asked.memory, there.memory, seconds),
          part(asked.gpus, there.gpus, seconds)};
}

std::int32_t nodes_in(const NodeKind& kind, const NodeSet& set) {
  std::int32_t n = 0;
  for (NodeId i = kind.first; i < kind.first + kind.count; ++i) n += set.contains(i) ? 1 : 0;
  return n;
}

/// What nodes have, n_of(kind) of each kind, weighted with their speed.
template <class NodesOf>
Amounts capacity(const MachineLayout& layout, const NodesOf& n_of) {
  Amounts all;
  for (const NodeKind& k : layout.kinds) all.add(of_node(k), n_of(k) * k.speed);
  return all;
}

/// What one unit of demand comes to, found out once.
struct UnitDemand {
  Kinds kinds;
  Amounts held;  ///< by a job, on all of its nodes
};

UnitDemand unit_demand(const MachineLayout& layout, const Request& r, const NodeSet& nodes) {
  UnitDemand unit;
  Amounts average;
  for (std::size_t k = 0; k != layout.kinds.size(); ++k) {
    const std::int32_t n = nodes_in(layout.kinds[k], nodes);
    if (n == 0) continue;
    unit.kinds.push_back(static_cast<std::int32_t>(k));
    average.add(of_node(layout.kinds[k]), static_cast<double>(n) / nodes.count());
  }
  Amounts node{static_cast<double>(r.cores) / kWholeCore, static_cast<double>(r.memory_mib),
               static_cast<double>(r.gpus) * r.gpu_share / kWholeGpu};
  if (r.exclusive) {
    node.cores = average.cores;
    node.memory = average.memory;
  }
  unit.held.add(node, r.nodes);
  return unit;
}

void count(RequestCounts& counts, const Request& r) {
  counts.whole_nodes += r.exclusive;
  counts.several_nodes += r.nodes > 1;
  counts.memory += r.memory_mib > 0;
  counts.gpus += r.gpus > 0;
  counts.gpu_parts += r.gpus > 0 && r.gpu_share < kWholeGpu;
  counts.gpu_types += !r.gpu_types.empty();
  counts.features += !r.features.empty();
  counts.licences += !r.licences.empty();
}

std::string without_numbers(const std::string& text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out),
               [](unsigned char c) { return std::isdigit(c) == 0 && c != ','; });
  return out;
}

/// Sums over jobs, of one set of nodes.
struct Sum {
  std::int64_t jobs = 0;
  Amounts held;
  void add(const Amounts& a, double seconds) {
    ++jobs;
    held.add(a, seconds);
  }
};

template <class List>
void put_most_jobs_first(List& list) {
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.jobs > b.jobs; });
}

}  // namespace

MachineDemand describe_demand(const MachineSpec& machine, const Workload& workload) {
  const MachineLayout& layout = *machine.layout;
  std::map<std::pair<RequestId, std::int32_t>, UnitDemand> units;  // by request and partition
  std::map<std::string, NeverRuns> never;                          // by their reasons without numbers
  MachineDemand out;
  Sum all;
  std::map<Kinds, Sum> by_kinds;
  std::vector<Sum> by_partition(layout.partitions.size());
  for (const Job& job : workload.jobs) {
    const Request& r = workload.requests[job.request];
    const std::vector<Option> options = options_of(layout, r, {job.limit, job.user});
    if (options.empty()) {
      const std::string why = why_never(layout, r, {job.limit, job.user});
      ++never.try_emplace(without_numbers(why), NeverRuns{why, 0, job.id}).first->second.jobs;
      continue;
    }
    const auto unit_of = [&](const Option& option) -> const UnitDemand& {
      const auto [it, added] = units.try_emplace({job.request, option.partition});
      if (added) it->second = unit_demand(layout, r, option.nodes);
      return it->second;
    };
    const UnitDemand& first = unit_of(options.front());
    Kinds kinds;
    for (const Option& option : options) {
      const Kinds& more = unit_of(option).kinds;
      kinds.insert(kinds.end(), more.begin(), more.end());
    }
    std::sort(kinds.begin(), kinds.end());
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    const double seconds = to_seconds(job.runtime);
    all.add(first.held, seconds);
    by_kinds[kinds].add(first.held, seconds);
    const std::int32_t partition = options.front().partition;
    if (partition >= 0) by_partition[static_cast<std::size_t>(partition)].add(first.held, seconds);
    count(out.requests, r);
  }

  const double span =
      workload.jobs.empty() ? 0 : to_seconds(workload.jobs.back().submit - workload.jobs.front().submit);
  out.jobs = all.jobs;
  out.load = load_of(all.held, capacity(layout, [](const NodeKind& k) { return k.count; }), span);
  for (const auto& [kinds, sum] : by_kinds) {
    const auto nodes = [&, &own = kinds](const NodeKind& k) {
      const auto kind = static_cast<std::int32_t>(&k - layout.kinds.data());
      return std::binary_search(own.begin(), own.end(), kind) ? k.count : 0;
    };
    out.by_kinds.push_back({kinds, sum.jobs, load_of(sum.held, capacity(layout, nodes), span)});
  }
  put_most_jobs_first(out.by_kinds);
  for (std::size_t p = 0; p != by_partition.size(); ++p) {
    const auto nodes = [&](const NodeKind& k) { return nodes_in(k, layout.partitions[p].nodes); };
    out.by_partition.push_back({by_partition[p].jobs, load_of(by_partition[p].held, capacity(layout, nodes), span)});
  }
  for (const auto& [words, jobs] : never) out.never.push_back(jobs);
  put_most_jobs_first(out.never);
  return out;
}

}  // namespace coslice
