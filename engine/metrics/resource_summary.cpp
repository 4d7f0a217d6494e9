#include "metrics/resource_summary.h"

#include <algorithm>

#include "resources/eligibility.h"
#include "resources/layout.h"

namespace coslice {

namespace {

/// Seconds times cores, MiB and GPUs (of each thousandths where the units are).
struct Held {
  double cores = 0, memory = 0, gpus = 0;
};

class Uses {
 public:
  explicit Uses(const RunResult& result)
      : result_(result), layout_(*result.machine.layout), held_(layout_.kinds.size()), jobs_(layout_.kinds.size()) {}

  void add(JobIndex j) {
    const Outcome& outcome = result_.outcomes[j];
    const RequestId id = result_.workload->jobs[j].request;
    const Request request = id == kNoRequest ? whole_nodes(1, 0) : result_.workload->requests[id];
    const Duration away = result_.sliced.empty() ? Duration{0} : result_.sliced[j].away;
    const double seconds = to_seconds(outcome.end - outcome.start - away);
    const NodeRanges nodes = result_.archive.get(outcome.nodes);
    std::vector<bool> seen(layout_.kinds.size());
    for (const NodeRange& r : nodes.ranges()) {
      for (NodeId n = r.first; n <= r.last;) {
        const auto kind = static_cast<std::size_t>(layout_.kind_index(n));
        const NodeKind& k = layout_.kinds[kind];
        const NodeId last = std::min(r.last, k.first + k.count - 1);
        hold(kind, request, seconds * (last - n + 1));
        seen[kind] = true;
        n = last + 1;
      }
    }
    for (std::size_t k = 0; k < seen.size(); ++k) jobs_[k] += seen[k] ? 1 : 0;
  }

  ResourceSummary summary(double seconds) const {
    ResourceSummary out;
    double memory = 0, gpus = 0, all_memory = 0, all_gpus = 0;
    for (std::size_t i = 0; i < layout_.kinds.size(); ++i) {
      const NodeKind& k = layout_.kinds[i];
      const double nodes = seconds * k.count;
      const auto part = [](double of, double all) { return all > 0 ? of / all : 0; };
      const double has_memory = nodes * static_cast<double>(k.memory_mib), has_gpus = nodes * k.gpus * kWholeGpu;
      out.by_kind.push_back({k.name, k.count, jobs_[i], part(held_[i].cores, nodes * k.core_share()),
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
  void hold(std::size_t kind, const Request& r, double node_seconds) {
    const NodeKind& k = layout_.kinds[kind];
    Held& held = held_[kind];
    held.cores += node_seconds * (r.exclusive ? k.core_share() : r.cores);
    held.memory += node_seconds * static_cast<double>(r.exclusive ? k.memory_mib : r.memory_mib);
    held.gpus += node_seconds * r.gpus * r.gpu_share;
  }

  const RunResult& result_;
  const MachineLayout& layout_;
  std::vector<Held> held_;
  std::vector<std::int64_t> jobs_;
};

}  // namespace

ResourceSummary summarize_resources(const RunResult& result, Time from, Time to) {
  Uses uses(result);
  for (JobIndex j = 0; j < result.outcomes.size(); ++j)
    if (result.outcomes[j].end != kNever) uses.add(j);
  return uses.summary(to_seconds(to - from));
}

}  // namespace coslice
