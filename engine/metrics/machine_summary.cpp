#include "metrics/machine_summary.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>

#include "machine/components.h"
#include "machine/eligibility.h"
#include "machine/layout.h"
#include "metrics/event_summary.h"
#include "metrics/offered_loads.h"

namespace coslice {

namespace {

using Kinds = std::vector<std::int32_t>;

/// Amounts, or amounts times the seconds for which they are held.
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

/// The value of one unit of demand, computed once.
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
  if (r.spread.cores != 0 && !r.exclusive) unit.held.cores = static_cast<double>(r.spread.cores) / kWholeCore;
  return unit;
}

void count(RequestCounts& counts, const Request& r) {
  const auto any = [&](auto&& is) { return any_component(r, is) ? 1 : 0; };
  counts.whole_nodes += any([](const Request& c) { return c.exclusive; });
  counts.several_nodes += r.nodes > 1;
  counts.memory += any([](const Request& c) { return c.memory_mib > 0; });
  counts.gpus += any([](const Request& c) { return c.gpus > 0; });
  counts.gpu_parts += any([](const Request& c) { return c.gpus > 0 && c.gpu_share < kWholeGpu; });
  counts.gpu_types += any([](const Request& c) { return !c.gpu_types.empty(); });
  counts.features += any([](const Request& c) { return !c.features.empty(); });
  counts.licences += !r.licences.empty();
}

/// Of several components, what each holds of the nodes that could serve it.
UnitDemand demand_of_components(const MachineLayout& layout, const Request& r, const Applicant& who) {
  UnitDemand unit;
  for (const Request& c : r.components) {
    const UnitDemand its = unit_demand(layout, c, options_of(layout, c, who).front().nodes);
    unit.kinds.insert(unit.kinds.end(), its.kinds.begin(), its.kinds.end());
    unit.held.add(its.held, 1);
  }
  return unit;
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
  std::ranges::stable_sort(list, [](const auto& a, const auto& b) { return a.jobs > b.jobs; });
}

/// Sets of nodes that are all that some jobs can have, each with the sums over these jobs.
class NodeSets {
 public:
  explicit NodeSets(const MachineLayout& layout) : layout_(layout) {}

  /// `request` and the partitions of the options say which nodes these are.
  void add(RequestId request, const std::vector<Option>& options, const Amounts& held, double seconds) {
    Kinds key = {request};
    for (const Option& o : options) key.push_back(o.partition);
    const auto [at, fresh] = known_.try_emplace(std::move(key), sets_.size());
    if (fresh) at->second = number_of(options);
    sets_[at->second].sum.add(held, seconds);
  }

  std::vector<PartDemand> demands(double span) const {
    std::vector<PartDemand> out;
    if (sets_.size() > kMostSets) return out;
    for (const Set& s : sets_) {
      if (s.nodes.count() == layout_.node_count()) continue;
      Sum sum;
      for (const Set& o : sets_) {
        NodeSet beyond = o.nodes;
        beyond -= s.nodes;
        if (!beyond.empty()) continue;
        sum.jobs += o.sum.jobs;
        sum.held.add(o.sum.held, 1);
      }
      const auto there = capacity(layout_, [&](const NodeKind& k) { return nodes_in(k, s.nodes); });
      out.push_back({name_of(s.nodes), sum.jobs, load_of(sum.held, there, span)});
    }
    put_most_jobs_first(out);
    return out;
  }

 private:
  struct Set {
    NodeSet nodes;
    Sum sum;
  };
  static constexpr std::size_t kMostSets = 200;  // each is compared with all

  std::size_t number_of(const std::vector<Option>& options) {
    NodeSet nodes = options.front().nodes;
    for (const Option& o : options) nodes |= o.nodes;
    const auto found = std::ranges::find(sets_, nodes, &Set::nodes);
    if (found != sets_.end()) return static_cast<std::size_t>(found - sets_.begin());
    sets_.push_back({std::move(nodes), {}});
    return sets_.size() - 1;
  }

  /// "" unless they are all nodes of some kinds.
  std::string kinds_of(const NodeSet& nodes) const {
    std::vector<std::string> names;
    for (const NodeKind& k : layout_.kinds) {
      const std::int32_t n = nodes_in(k, nodes);
      if (n != 0 && n != k.count) return "";
      if (n != 0) names.push_back(k.name);
    }
    if (names.size() == 1) return "kind " + names.front();
    std::string out;
    for (std::size_t i = 0; i != names.size(); ++i)
      out += (i == 0 ? "kinds " : i + 1 == names.size() ? " and " : ", ") + names[i];
    return out;
  }

  std::string name_of(const NodeSet& nodes) const {
    for (const Partition& p : layout_.partitions)
      if (p.nodes == nodes) return "partition " + p.name;
    if (std::string kinds = kinds_of(nodes); !kinds.empty()) return kinds;
    const std::string first = layout_.node_name(nodes.lowest(1).ranges().front().first);
    if (nodes.count() == 1) return "node " + first;
    return fmt::format("{} and {} more {}", first, nodes.count() - 1, nodes.count() == 2 ? "node" : "nodes");
  }

  const MachineLayout& layout_;
  std::vector<Set> sets_;
  std::map<Kinds, std::size_t> known_;
};

// A span of 1e18 ns times half a million nodes does not fit 64 bits.
__extension__ using Wide = __int128;

struct Sums {
  Wide time = 0, nodes = 0, cores = 0;  // ns

  void add(const TimelinePoint& p, Wide ns) {
    time += ns;
    nodes += ns * p.used_nodes;
    cores += ns * p.used_cores;
  }
  Fullness of(const MachineSpec& machine) const {
    if (time == 0) return {};
    const auto span = static_cast<double>(time);
    return {span / 1e9, static_cast<double>(nodes) / (span * machine.nodes),
            static_cast<double>(cores) / (span * static_cast<double>(machine.total_cores()))};
  }
};

/// What jobs held of a kind of nodes: seconds times cores, MiB and GPUs (of each thousandths where the units are).
struct Held {
  double cores = 0, memory = 0, gpus = 0;
  std::int64_t jobs = 0;   ///< that had nodes of it
  std::vector<bool> seen;  ///< which ones, by JobIndex; empty: none
};

class Uses {
 public:
  explicit Uses(const RunResult& result)
      : result_(result), layout_(*result.machine.layout), held_(layout_.kinds.size()) {}

  /// All runs of all jobs: those that were interrupted, and the last ones.
  void add_all() {
    for (const InterruptedRun& run : result_.interrupted)
      add(run.job, run.request, run.nodes, run.to - run.from - run.preempted, run.parts);
    for (JobIndex j = 0; j < result_.outcomes.size(); ++j) {
      const Outcome& o = result_.outcomes[j];
      const RequestId asked = result_.workload->jobs[j].request;
      if (!o.ran_to_end()) continue;
      if (result_.resized.count(j) == 0) add(j, asked, o.nodes, result_.last_run_time(j), parts_of(j));
      else
        result_.each_size(j, o.start, o.end, o.nodes, [&](const SizeSpan& s) { add(j, asked, s.nodes, s.time(), {}); });
    }
    for (const SuspendedSpan& span : result_.suspended)
      if (span.to != kNever) leave(span);
  }

  ResourceSummary summary(double seconds) const {
    ResourceSummary out;
    double memory = 0, gpus = 0, all_memory = 0, all_gpus = 0;
    for (std::size_t i = 0; i < layout_.kinds.size(); ++i) {
      const NodeKind& k = layout_.kinds[i];
      const double nodes = seconds * k.count;
      const auto part = [](double of, double all) { return all > 0 ? of / all : 0; };
      const double has_memory = nodes * static_cast<double>(k.memory_mib), has_gpus = nodes * k.gpus * kWholeGpu;
      out.by_kind.push_back({k.name, k.count, held_[i].jobs, part(held_[i].cores, nodes * k.core_share()),
                             part(held_[i].memory, has_memory), part(held_[i].gpus, has_gpus)});
      if (k.memory_mib > 0) memory += held_[i].memory;
      gpus += held_[i].gpus;
      all_memory += has_memory;
      all_gpus += has_gpus;
    }
    out.memory = all_memory > 0 ? memory / all_memory : 0;
    out.gpus = all_gpus > 0 ? gpus / all_gpus : 0;
    return out;
  }

 private:
  const Request& request(RequestId id) const {
    static const Request whole = whole_nodes(1, 0);
    return id == kNoRequest ? whole : result_.workload->requests[id];
  }

  /// Calls f(kind, how many nodes of it).
  template <class F>
  void each_kind(ArchivedNodes where, F&& f) const {
    if (layout_.kinds.size() == 1 && where.count != 0) return f(0, result_.archive.count(where));
    const NodeRanges nodes = result_.archive.get(where);
    for (const NodeRange& r : nodes.ranges()) {
      for (NodeId n = r.first; n <= r.last;) {
        const auto kind = static_cast<std::size_t>(layout_.kind_index(n));
        const NodeKind& k = layout_.kinds[kind];
        const NodeId last = std::min(r.last, k.first + k.count - 1);
        f(kind, last - n + 1);
        n = last + 1;
      }
    }
  }

  const Parts& parts_of(JobIndex j) const {
    static const Parts none;
    return result_.parts.empty() ? none : result_.parts[j];
  }

  /// What a job of several components has of each kind is that of the components that are there.
  void add_components(JobIndex j, const Request& request, Duration time, const Parts& parts) {
    for (const NodePart& part : parts) {
      const auto kind = static_cast<std::size_t>(layout_.kind_index(part.node));
      const Request& r = component_of(request, part);
      use(kind, r, to_seconds(time));
      held_[kind].memory +=
          to_seconds(time) * static_cast<double>(r.exclusive ? layout_.kinds[kind].memory_mib : r.memory_mib);
      count_job(held_[kind], j);
    }
  }

  void add(JobIndex j, RequestId asked, ArchivedNodes nodes, Duration time, const Parts& parts) {
    if (has_components(this->request(asked))) return add_components(j, this->request(asked), time, parts);
    Request request = this->request(asked);
    if (request.spread.cores != 0)  // on the average
      request.cores = request.spread.cores / std::max(result_.archive.count(nodes), 1);
    each_kind(nodes, [&](std::size_t kind, NodeId count) {
      const double memory =
          static_cast<double>(request.exclusive ? layout_.kinds[kind].memory_mib : request.memory_mib);
      use(kind, request, to_seconds(time) * count);
      held_[kind].memory += to_seconds(time) * count * memory;
      count_job(held_[kind], j);
    });
  }

  /// A job that ran several times is one.
  void count_job(Held& held, JobIndex j) const {
    if (held.seen.empty()) held.seen.resize(result_.outcomes.size());
    held.jobs += !held.seen[j];
    held.seen[j] = true;
  }

  /// A suspended job keeps its memory; others have its cores and GPUs.
  void leave(const SuspendedSpan& span) {
    const auto run = std::ranges::find_if(result_.interrupted, [&](const InterruptedRun& r) {
      return r.job == span.job && r.from <= span.from && span.to <= r.to;
    });
    const ArchivedNodes nodes = run != result_.interrupted.end() ? run->nodes : result_.outcomes[span.job].nodes;
    const Request& request = this->request(result_.workload->jobs[span.job].request);
    if (has_components(request)) {
      for (const NodePart& part : run != result_.interrupted.end() ? run->parts : parts_of(span.job))
        use(static_cast<std::size_t>(layout_.kind_index(part.node)), component_of(request, part),
            -to_seconds(span.to - span.from));
      return;
    }
    each_kind(nodes, [&](std::size_t kind, NodeId n) { use(kind, request, -to_seconds(span.to - span.from) * n); });
  }

  void use(std::size_t kind, const Request& r, double node_seconds) {
    held_[kind].cores += node_seconds * (r.exclusive ? layout_.kinds[kind].core_share() : r.cores);
    held_[kind].gpus += node_seconds * r.gpus * r.gpu_share;
  }

  const RunResult& result_;
  const MachineLayout& layout_;
  std::vector<Held> held_;  ///< by kind
};

constexpr double kWattSecondsInKwh = 3.6e6;
constexpr double kSecondsInHour = 3600;

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
      if (added)
        it->second = has_components(r) ? demand_of_components(layout, r, {job.limit, job.user})
                                       : unit_demand(layout, r, option.nodes);
      return it->second;
    };
    const UnitDemand& first = unit_of(options.front());
    Kinds kinds;
    for (const Option& option : options) {
      const Kinds& more = unit_of(option).kinds;
      kinds.insert(kinds.end(), more.begin(), more.end());
    }
    std::ranges::sort(kinds);
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
      return std::ranges::binary_search(own, kind) ? k.count : 0;
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

std::vector<PartDemand> demand_of_parts(const MachineSpec& machine, const Workload& workload) {
  const MachineLayout& layout = *machine.layout;
  std::map<std::pair<RequestId, std::int32_t>, Amounts> held;  // by request and partition
  NodeSets sets(layout);
  for (const Job& job : workload.jobs) {
    const Request& r = workload.requests[job.request];
    const std::vector<Option> options = options_of(layout, r, {job.limit, job.user});
    if (options.empty()) continue;
    const auto [it, added] = held.try_emplace({job.request, options.front().partition});
    if (added)
      it->second = (has_components(r) ? demand_of_components(layout, r, {job.limit, job.user})
                                      : unit_demand(layout, r, options.front().nodes))
                       .held;
    sets.add(job.request, options, it->second, to_seconds(job.runtime));
  }
  return sets.demands(workload.jobs.empty() ? 0
                                            : to_seconds(workload.jobs.back().submit - workload.jobs.front().submit));
}

HighLoad high_load(const RunResult& result, Time from, Time to, std::int64_t waiting) {
  HighLoad out;
  Sums in, outside;
  bool was_high = false;
  each_span(result.timeline, from, to, [&](std::size_t i, Duration span) {
    const TimelinePoint& p = result.timeline[i];
    const bool high = p.queue >= waiting;
    out.phases += high && !was_high;
    was_high = high;
    (high ? in : outside).add(p, span.count());
  });
  out.in = in.of(result.machine);
  out.outside = outside.of(result.machine);
  return out;
}

ResourceSummary summarize_resources(const RunResult& result, Time from, Time to) {
  Uses uses(result);
  uses.add_all();
  ResourceSummary out = uses.summary(to_seconds(to - from));
  double with_jobs = 0;
  each_span(result.timeline, from, to,
            [&](std::size_t i, Duration span) { with_jobs += to_seconds(span) * result.extras_at(i).gpus_with_jobs; });
  const auto gpus = static_cast<double>(result.machine.layout->gpu_count());
  out.gpus_with_jobs = gpus > 0 ? with_jobs / (to_seconds(to - from) * gpus) : 0;
  return out;
}

std::int32_t switches_of(const std::vector<std::int32_t>& switch_of, const NodeRanges& nodes) {
  std::set<std::int32_t> seen;
  for_each_node(nodes, [&](NodeId n) { seen.insert(switch_of[static_cast<std::size_t>(n)]); });
  return static_cast<std::int32_t>(seen.size());
}

SwitchSummary summarize_switches(const RunResult& result) {
  const std::vector<std::int32_t> switch_of = result.machine.layout->switch_of_nodes();
  SwitchSummary s;
  double jobs = 0, wide = 0;
  for (const Outcome& o : result.outcomes) {
    if (o.nodes.count == 0) continue;
    const NodeRanges nodes = result.archive.get(o.nodes);
    const std::int32_t switches = switches_of(switch_of, nodes);
    ++jobs;
    s.per_job += switches;
    if (nodes.count() == 1) continue;
    ++wide;
    s.one_share += switches == 1;
  }
  if (jobs > 0) s.per_job /= jobs;
  if (wide > 0) s.one_share /= wide;
  return s;
}

double NodeTimes::idle() const { return std::max(0.0, there - off - booting - busy); }

std::vector<NodeTimes> node_times(const RunResult& result, Time from, Time to) {
  const auto layout = kinds_of(result.machine);
  std::vector<NodeTimes> kinds(layout->kinds.size());
  const auto of = [&](NodeId n) -> NodeTimes& { return kinds[static_cast<std::size_t>(layout->kind_index(n))]; };
  for (std::size_t k = 0; k != kinds.size(); ++k) {
    kinds[k].there = to_seconds(to - from) * layout->kinds[k].count;
    if (!result.power && !result.busy.empty()) kinds[k].busy = result.busy[k];
  }
  if (result.outages)
    for (const NodeDown& down : result.outages->down)
      of(down.node).there -= seconds_within(from, to, down.from, down.to);
  if (!result.power) return kinds;
  for (const NodeOff& o : result.power->off) {
    of(o.node).off += seconds_within(from, to, o.from, o.to);
    if (o.to != kNever) of(o.node).booting += seconds_within(from, to, o.to, o.up);
  }
  for (std::size_t n = 0; n != result.power->busy.size(); ++n) of(static_cast<NodeId>(n)).busy += result.power->busy[n];
  return kinds;
}

PowerSummary summarize_power(const RunResult& result, Time from, Time to) {
  const PowerRecord& record = *result.power;
  PowerSummary s;
  double waited = 0;
  for (const JobBoot& boot : record.boots) {
    const double seconds = to_seconds(boot.wait);
    s.boots += boot.off;
    s.delayed += boot.wait > Duration{0};
    waited += seconds;
    s.lost += seconds * boot.nodes;
  }
  const auto ran = std::ranges::count_if(result.outcomes, [](const Outcome& o) { return o.start != kNever; });
  if (ran > 0) s.boot_wait = waited / static_cast<double>(ran);
  double there = 0, off = 0;
  for (const NodeTimes& t : node_times(result, from, to)) {
    there += t.there;
    off += t.off;
  }
  if (there > 0) s.off_share = off / there;
  return s;
}

std::optional<EnergySummary> summarize_energy(const RunResult& result, Time from, Time to) {
  if (!result.costs || !result.costs->kinds.front().watts) return std::nullopt;
  EnergySummary s;
  const std::vector<NodeTimes> times = node_times(result, from, to);
  for (std::size_t k = 0; k != times.size(); ++k) {
    const NodeTimes& t = times[k];
    const NodeWatts& w = *result.costs->kinds[k].watts;
    const double idle = t.idle() * w.idle;
    const double busy = t.busy * w.busy + (result.busy_gpus.empty() ? 0 : result.busy_gpus[k] * w.gpu);
    s.used += busy + idle + t.booting * w.booting + t.off * w.off;
    s.idle += idle;
    s.always_on += busy + (t.there - t.busy) * w.idle;
  }
  std::int64_t started = 0;
  for (JobIndex j = 0; j != result.joules.size(); ++j) {
    s.jobs += result.joules[j];
    started += result.outcomes[j].start != kNever || result.joules[j] > 0;
  }
  if (started > 0) s.per_job = s.jobs / static_cast<double>(started);
  for (double* kwh : {&s.used, &s.idle, &s.jobs, &s.per_job, &s.always_on}) *kwh /= kWattSecondsInKwh;
  return s;
}

std::optional<CostSummary> summarize_cost(const RunResult& result, const std::optional<EnergySummary>& energy,
                                          Time from, Time to) {
  if (!result.costs) return std::nullopt;
  const MachineCosts& costs = *result.costs;
  if (costs.kwh_price == 0 && std::ranges::all_of(costs.kinds, [](const NodeCosts& k) { return k.price == 0; }))
    return std::nullopt;
  CostSummary s;
  const std::vector<NodeTimes> times = node_times(result, from, to);
  for (std::size_t k = 0; k != times.size(); ++k) {
    s.nodes += times[k].on() / kSecondsInHour * costs.kinds[k].price;
    s.idle += times[k].idle() / kSecondsInHour * costs.kinds[k].price;
  }
  if (energy) s.energy = energy->used * costs.kwh_price;
  s.total = s.nodes + s.energy;
  return s;
}

}  // namespace coslice
