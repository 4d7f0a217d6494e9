#include "metrics/resource_summary.h"

#include <algorithm>

#include "metrics/last_run.h"
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
      : result_(result), layout_(*result.machine.layout), held_(layout_.kinds.size()),
        jobs_(layout_.kinds.size()), seen_(layout_.kinds.size()) {}

  /// All runs of all jobs: those that were interrupted, and the last ones.
  void add_all() {
    for (const InterruptedRun& run : result_.interrupted)
      add(run.job, run.request, run.nodes, run.to - run.from - run.away);
    for (JobIndex j = 0; j < result_.outcomes.size(); ++j) {
      const Outcome& o = result_.outcomes[j];
      if (!has_last_run(o)) continue;
      add(j, result_.workload->jobs[j].request, o.nodes, o.end - o.start - (result_.sliced.empty() ? Duration{0} : result_.sliced[j].away));
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
  const Request& request_of(JobIndex j) const { return request(result_.workload->jobs[j].request); }
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

  void add(JobIndex j, RequestId asked, ArchivedNodes nodes, Duration time) {
    const Request& request = this->request(asked);
    each_kind(nodes, [&](std::size_t kind, NodeId count) {
      const double memory = static_cast<double>(request.exclusive ? layout_.kinds[kind].memory_mib : request.memory_mib);
      use(kind, request, to_seconds(time) * count);
      held_[kind].memory += to_seconds(time) * count * memory;
      count_job(kind, j);
    });
  }

  /// A job that ran several times is one.
  void count_job(std::size_t kind, JobIndex j) {
    std::vector<bool>& seen = seen_[kind];
    if (seen.empty()) seen.resize(result_.outcomes.size());
    jobs_[kind] += !seen[j];
    seen[j] = true;
  }

  /// A suspended job keeps its memory; others have its cores and GPUs.
  void leave(const SuspendedSpan& span) {
    const auto run = std::find_if(result_.interrupted.begin(), result_.interrupted.end(), [&](const InterruptedRun& r) {
      return r.job == span.job && r.from <= span.from && span.to <= r.to;
    });
    const ArchivedNodes nodes = run != result_.interrupted.end() ? run->nodes : result_.outcomes[span.job].nodes;
    const Request& request = request_of(span.job);
    each_kind(nodes, [&](std::size_t kind, NodeId n) { use(kind, request, -to_seconds(span.to - span.from) * n); });
  }

  void use(std::size_t kind, const Request& r, double node_seconds) {
    held_[kind].cores += node_seconds * (r.exclusive ? layout_.kinds[kind].core_share() : r.cores);
    held_[kind].gpus += node_seconds * r.gpus * r.gpu_share;
  }

  const RunResult& result_;
  const MachineLayout& layout_;
  std::vector<Held> held_;
  std::vector<std::int64_t> jobs_;        ///< by kind: that had nodes of it
  std::vector<std::vector<bool>> seen_;  ///< by kind, by JobIndex; empty: none
};

}  // namespace

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

}  // namespace coslice
