// How many cores run processes when a job comes and goes: each counts once, however many jobs have it, and of a job
// that has parts of cores no more than these parts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "availability/occupancy.h"
#include "jobs/job_demands.h"
#include "jobs/started_jobs.h"
#include "machine/components.h"

namespace coslice {

/// What a job that comes to its nodes, goes, stands still or goes on changes, in thousandths of cores: it is made
/// before, and asked after.
class CoresInUse {
 public:
  /// `demands` is null where no request distinguishes nodes. All references outlive it.
  CoresInUse(const StartedJob& job, std::int32_t processes, const Occupancy& occupied, const JobDemands* demands)
      : job_(job), processes_(processes), occupied_(occupied), demands_(demands),
        shares_(demands != nullptr && occupied.lists_jobs() && !job.parts.empty() &&
                lets_share(demands->request(job.index))),
        before_(of_its_nodes()) {}

  /// Returns how many more there are.
  std::int64_t come() const { return shares_ ? of_its_nodes() - before_ : own(); }
  /// Returns how many fewer there are.
  std::int64_t gone() const { return shares_ ? before_ - of_its_nodes() : own(); }

 private:
  /// Whether other jobs may have the cores of such a job at the same time.
  static bool lets_share(const Request& r) { return r.rows > 1 || has_rows(r) || !r.under.empty(); }

  /// Of a job that has its own: no more than it holds. It may ask for no core, but for GPUs or memory.
  std::int64_t own() const {
    const std::int64_t of_processes = std::int64_t{kWholeCore} * processes_;
    if (demands_ == nullptr) return of_processes;
    const Request& r = demands_->request(job_.index);
    if (any_component(r, [](const Request& c) { return c.exclusive; })) return of_processes;
    if (has_components(r)) return std::min(of_processes, sum_over_nodes(r, [](const Request& c) { return c.cores; }));
    std::int64_t held = job_.parts.empty() ? std::int64_t{r.cores} * job_.node_count : 0;
    for (const NodePart& part : job_.parts) held += part.cores != 0 ? part.cores : r.cores;
    return std::min(of_processes, held);
  }

  /// Of all jobs that share a node.
  std::int64_t of_node(NodeId n) const {
    const CoreShare there = demands_->layout().kind_of(n).core_share();
    CoreSet numbered;
    std::int64_t others = 0;
    for (const StartedJob* const job : occupied_.jobs(n)) {
      const auto part = std::ranges::find(job->parts, n, &NodePart::node);
      if (job->phase == Phase::kSuspended || part == job->parts.end()) continue;
      const Request& r = demands_->request(job->index);
      if (r.exclusive) return there;
      if (part->held.empty()) others += part->cores != 0 ? part->cores : r.cores;
      else numbered |= part->held;
    }
    return std::min<std::int64_t>(there, std::int64_t{kWholeCore} * numbered.count() + others);
  }

  std::int64_t of_its_nodes() const {
    std::int64_t all = 0;
    if (shares_)
      for (const NodePart& part : job_.parts) all += of_node(part.node);
    return all;
  }

  const StartedJob& job_;
  std::int32_t processes_;
  const Occupancy& occupied_;
  const JobDemands* demands_;
  bool shares_;
  std::int64_t before_;
};

}  // namespace coslice
