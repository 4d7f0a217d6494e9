#include "drive/present.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "jobs/literal_jobs.h"
#include "machine/eligibility.h"
#include "machine/memory_amount.h"
#include "machine/request_spec.h"
#include "slurm/values.h"

namespace coslice::drive {
namespace {

constexpr std::int64_t kDay = 86400, kYear = 365 * kDay;
/// A job that is over its limit, or is being cleaned up, is believed to need so much longer, s.
constexpr std::int64_t kOverdue = 30;

std::int64_t parts(std::int64_t whole, std::int64_t of) { return (whole + of - 1) / of; }

class JobMaker {
 public:
  JobMaker(Decider& decider, const Situation& now, const MachineLayout& layout)
      : decider_(decider), controller_(now.machine->controller), layout_(layout) {
    for (NodeId n = 0; n != layout.node_count(); ++n) by_name_.emplace(layout.node_name(n), n);
    std::int64_t first = controller_.now;
    for (const auto* jobs : {&now.running, &now.waiting})
      for (const QueuedJob* j : *jobs) first = std::min(first, j->submitted);
    origin_ = first / kDay * kDay;
  }

  std::int64_t origin() const { return origin_; }
  std::int64_t now() const { return controller_.now - origin_; }

  /// The nodes that it has; empty if one of them is not known.
  NodeRanges nodes_of(const QueuedJob& job) const {
    NodeSet set(layout_.node_count());
    for (const std::string& name : job.nodes) {
      const auto found = by_name_.find(name);
      if (found == by_name_.end()) return {};
      set.insert(found->second);
    }
    return set.ranges();
  }

  /// Throws InputError where it asks for what the machine does not have.
  JobSpec spec_of(const QueuedJob& job) {
    JobSpec spec;
    spec.nodes = static_cast<std::int32_t>(job.tres.nodes);
    Job& j = spec.job;
    j.id = job.number;
    const std::int64_t came = std::min(job.submitted, controller_.now) - origin_;
    j.submit = Time{whole_seconds(came)};
    const std::int64_t enters = job.waits() ? now() : std::clamp(job.started - origin_, came, now());
    spec.extras.begin = whole_seconds(enters);
    std::int64_t limit = job.limit_s > 0 ? std::min(job.limit_s, kYear) : kYear;
    if (job.state == "COMPLETING") limit = 1;
    if (!job.waits()) limit = std::max(limit, now() - enters + kOverdue);
    j.limit = j.runtime = whole_seconds(limit);
    j.limit_given = true;
    j.user = number(decider_.users, lower_case(job.user));
    j.group = number(decider_.accounts, lower_case(job.account));
    if (!job.partitions.empty()) j.partition = number(decider_.partitions, job.partitions.front());
    if (!job.qos.empty()) spec.texts.emplace_back(find_attribute("qos"), job.qos);
    spec.request = request_of(job);
    return spec;
  }

  /// Why it can never run here; "": it can.
  std::string problem_of(const JobSpec& spec) const {
    const Request r = make_request(*spec.request, spec.nodes, 1, layout_);
    return why_never(layout_, r, {spec.job.limit, spec.job.user});
  }

 private:
  static std::int32_t number(slurm::NumbersOfNames& names, const std::string& name) {
    return name.empty() ? -1 : static_cast<std::int32_t>(names.number(name));
  }

  RequestSpec request_of(const QueuedJob& job) const {
    const std::int64_t nodes = job.tres.nodes;
    RequestSpec r;
    r.nodes = static_cast<std::int32_t>(nodes);
    r.exclusive = job.exclusive || controller_.whole_nodes || (job.all_memory && controller_.memory_counts);
    r.cores = static_cast<double>(parts(job.tres.cpus, nodes));
    // Of nodes of its own nothing else is left; what is recorded may be of the largest of them.
    if (r.exclusive && !job.waits()) r.cores = 1;
    if (controller_.memory_counts && !r.exclusive) r.memory_mib = mib_on_each_node(job.tres.memory_kb, nodes);
    for (const slurm::Gres& g : job.gpus) {
      r.gpus += static_cast<std::int32_t>(std::min<std::int64_t>(g.count, 64));
      if (!g.type.empty()) r.gpu_types.push_back(g.type);
    }
    if (job.gpus.empty() && job.tres.gpus > 0) {
      r.gpus = static_cast<std::int32_t>(std::min<std::int64_t>(parts(job.tres.gpus, nodes), 64));
      r.gpu_types = job.tres.gpu_types;
    }
    if (job.waits()) r.features = job.features;
    for (const std::string& p : job.partitions)
      if (std::ranges::any_of(layout_.partitions, [&](const Partition& q) { return q.name == p; }))
        r.partitions.push_back(p);
    if (r.partitions.empty() && !job.partitions.empty() && job.waits())
      throw InputError({"", 0, fmt::format("its partition '{}' has no nodes", job.partitions.front())});
    return r;
  }

  Decider& decider_;
  const Controller& controller_;
  const MachineLayout& layout_;
  std::unordered_map<std::string, NodeId> by_name_;
  std::int64_t origin_ = 0;
};

/// Adds the jobs as the simulation has them. Those that cannot be told to it are left out, and named.
void add_jobs(Decider& decider, const Situation& now, Present& out) {
  JobMaker maker(decider, now, *out.layout);
  std::vector<JobSpec> specs;
  std::unordered_map<std::int64_t, const QueuedJob*> by_number;
  const auto add = [&](const QueuedJob& job) {
    if (!job.waits() && maker.nodes_of(job).empty()) throw InputError({"", 0, "it has nodes that are not listed"});
    JobSpec spec = maker.spec_of(job);
    if (const std::string problem = maker.problem_of(spec); !problem.empty())
      throw InputError({"", 0, "it " + problem});
    if (by_number.emplace(job.number, &job).second) specs.push_back(std::move(spec));
  };
  for (const QueuedJob* job : now.running) {
    try {
      add(*job);
    } catch (const InputError& e) {
      out.problems.push_back(fmt::format("job {} runs, but {}", job->id, e.diagnostic().problem));
    }
  }
  for (const QueuedJob* job : now.waiting) {
    try {
      add(*job);
    } catch (const InputError& e) {
      out.impossible.emplace_back(job, e.diagnostic().problem);
    }
  }
  out.workload = literal_workload(specs, 1, out.machine);
  out.origin = maker.origin();
  out.now = Time{whole_seconds(maker.now())};
  for (const Job& j : out.workload.jobs) {
    out.jobs.push_back(by_number.at(j.id));
    out.nodes.push_back(out.jobs.back()->waits() ? NodeRanges{} : maker.nodes_of(*out.jobs.back()));
  }
}

/// Returns the nodes on which nothing can be started, whatever the simulation has on them: not available, or used by
/// jobs that are not listed.
NodeSet closed_nodes(const Situation& now, const MachineLayout& layout) {
  std::set<std::string> listed;
  for (const QueuedJob* job : now.running) listed.insert(job->nodes.begin(), job->nodes.end());
  std::set<std::string> open;
  for (const LiveNode& n : now.machine->nodes)
    if (n.available && (!n.used || listed.count(n.name) != 0)) open.insert(n.name);
  NodeSet closed(layout.node_count());
  for (NodeId n = 0; n != layout.node_count(); ++n)
    if (open.count(layout.node_name(n)) == 0) closed.insert(n);
  return closed;
}

/// For so long nodes are believed to be away that are away now.
constexpr Duration kAway = whole_seconds(365 * 86400LL);

std::optional<OutageOptions> outages_of(const NodeSet& closed, Time now) {
  if (closed.empty()) return std::nullopt;
  OutageOptions options;
  options.plan.listed.push_back({now, now + kAway, closed.ranges(), OutageKind::kDrain});
  return options;
}

}  // namespace

std::vector<JobIndex> Present::waiting() const {
  std::vector<JobIndex> out;
  for (JobIndex j = 0; j != jobs.size(); ++j)
    if (jobs[j]->waits()) out.push_back(j);
  return out;
}

Present present_of(Decider& decider, const Situation& now) {
  Present out;
  out.layout = make_layout(decider.layout.kinds.empty() ? layout_of(*now.machine) : decider.layout);
  out.machine = MachineSpec{0, 1, 1, 0};
  set_layout(out.machine, out.layout);
  add_jobs(decider, now, out);
  out.outages = outages_of(closed_nodes(now, *out.layout), out.now);
  out.typical = typical_of(out.workload, *out.layout);
  return out;
}

}  // namespace coslice::drive
