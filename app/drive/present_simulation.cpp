#include "drive/present_simulation.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "api/policy/lua_scheduler.h"
#include "core/error.h"
#include "core/text.h"
#include "formats/recorded.h"
#include "formats/trace_requests.h"
#include "jobs/workload.h"
#include "machine/eligibility.h"
#include "machine/memory_amount.h"
#include "machine/placement.h"
#include "machine/request_spec.h"
#include "run/simulation.h"
#include "scenario/jobs/literal_jobs.h"
#include "scenario/load.h"
#include "schedule/scheduler.h"
#include "slurm/values.h"

namespace coslice::drive {
namespace {

struct PresentJobs {
  Workload workload;
  std::vector<const QueuedJob*> jobs;  ///< by JobIndex
  std::vector<NodeRanges> nodes;       ///< by JobIndex: what it has; empty: it waits
  std::int64_t origin = 0;             ///< the simulation's second 0, seconds since 1970
  Time now;
};

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

/// Returns the jobs as the simulation has them. Those that cannot be told to it are left out, and named in `decision`.
PresentJobs present_jobs(Decider& decider, const Situation& now, const MachineSpec& machine, Decision& decision) {
  JobMaker maker(decider, now, *machine.layout);
  std::vector<JobSpec> specs;
  std::unordered_map<std::int64_t, const QueuedJob*> by_number;
  for (const QueuedJob* job : now.running) {
    try {
      if (maker.nodes_of(*job).empty()) throw InputError({"", 0, "it has nodes that are not listed"});
      JobSpec spec = maker.spec_of(*job);
      if (const std::string problem = maker.problem_of(spec); !problem.empty())
        throw InputError({"", 0, "it " + problem});
      if (by_number.emplace(job->number, job).second) specs.push_back(std::move(spec));
    } catch (const InputError& e) {
      decision.problems.push_back(fmt::format("job {} runs, but {}", job->id, e.diagnostic().problem));
    }
  }
  for (const QueuedJob* job : now.waiting) {
    try {
      JobSpec spec = maker.spec_of(*job);
      if (const std::string problem = maker.problem_of(spec); !problem.empty())
        throw InputError({"", 0, "it " + problem});
      if (by_number.emplace(job->number, job).second) specs.push_back(std::move(spec));
    } catch (const InputError& e) {
      decision.impossible.emplace_back(job, e.diagnostic().problem);
    }
  }
  PresentJobs out;
  out.workload = literal_workload(specs, 1, machine);
  out.origin = maker.origin();
  out.now = Time{whole_seconds(maker.now())};
  for (const Job& j : out.workload.jobs) {
    out.jobs.push_back(by_number.at(j.id));
    out.nodes.push_back(out.jobs.back()->waits() ? NodeRanges{} : maker.nodes_of(*out.jobs.back()));
  }
  return out;
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

/// Gives jobs the nodes that they have, and others what the policy's placement says.
class KnownNodes : public Placement {
 public:
  /// Places jobs on `nodes`, by JobIndex; by `others` (null: FirstFit) where these are empty. Both outlive the object.
  KnownNodes(const std::vector<NodeRanges>& nodes, Placement* others)
      : nodes_(nodes), others_(others != nullptr ? *others : first_fit_) {}
  bool choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
              Parts& out) override;

 private:
  const std::vector<NodeRanges>& nodes_;
  FirstFit first_fit_;
  Placement& others_;
};

/// A scheduler between the simulation of the present and a policy: it starts what runs already, and the policy decides
/// once.
class PresentScheduler : public WrappedScheduler {
 public:
  /// Thrown out of the simulation when the policy has decided.
  struct Reached {};

  /// Wraps `policy`; `nodes`, by JobIndex, are those of jobs that run already. Both outlive the scheduler.
  PresentScheduler(Scheduler& policy, const std::vector<NodeRanges>& nodes, Time present)
      : WrappedScheduler(&policy), nodes_(nodes), present_(present) {}

  /// Returns what the policy started at the present instant, in its order.
  const std::vector<JobIndex>& starts() const { return starts_; }
  /// Returns jobs that run already, and for which there was no room on their nodes.
  const std::vector<JobIndex>& without_room() const { return without_room_; }

  void started(View& view, JobIndex j) override;
  void schedule(View& view, const Pass& pass) override;

 private:
  bool runs_already(JobIndex j) const { return !nodes_[j].empty(); }
  void start_what_runs(View& view);

  const std::vector<NodeRanges>& nodes_;
  Time present_;
  std::vector<JobIndex> starts_, without_room_;
};

bool KnownNodes::choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
                        Parts& out) {
  const NodeRanges& nodes = nodes_[job];
  if (nodes.empty()) return others_.choose(job, request, pool, fitting, out);
  if (!fitting.contains_all(nodes)) return false;
  if (request.spread.cores != 0) {
    std::vector<NodeId> all;
    for_each_node(nodes, [&](NodeId n) { all.push_back(n); });
    return spread_in_order(request, pool, std::move(all), out);
  }
  out.clear();
  for (const NodeRange& r : nodes.ranges())
    for (NodeId n = r.first; n <= r.last; ++n) out.push_back({n, fitting_gpus(request, pool.room(n))});
  return true;
}

void PresentScheduler::started(View& view, JobIndex j) {
  if (!runs_already(j)) starts_.push_back(j);
  asked_->started(view, j);
}

/// Before the present there are no others in the queue, then they come first.
void PresentScheduler::start_what_runs(View& view) {
  std::vector<JobIndex> jobs;
  for (auto p = view.queue().first(); p != view.queue().end(); p = view.queue().next(p))
    if (runs_already(view.queue().job(p))) jobs.push_back(view.queue().job(p));
  for (const JobIndex j : jobs) {
    const auto p = view.queue().find(j);
    if (view.fits_now(p)) {
      view.start(p, StartReason::kPolicy);
    } else {
      without_room_.push_back(j);
      view.refuse(p);
    }
  }
}

void PresentScheduler::schedule(View& view, const Pass& pass) {
  start_what_runs(view);
  asked_->schedule(view, pass);
  if (view.now() >= present_) throw Reached{};
}

/// For so long nodes are believed to be away that are away now.
constexpr Duration kAway = whole_seconds(365 * 86400LL);

std::unique_ptr<Policy> load(const Decider& decider) {
  PolicyContext context = decider.context;
  context.roots = decider.policy.roots;
  return std::make_unique<Policy>(decider.policy.script, decider.params, context);
}

std::optional<OutageOptions> outages_of(const NodeSet& closed, Time now) {
  if (closed.empty()) return std::nullopt;
  OutageOptions options;
  options.plan.listed.push_back({now, now + kAway, closed.ranges(), OutageKind::kDrain});
  return options;
}

/// What is not said by a site: a scenario as short as one can be. Its machine and its job are never looked at.
constexpr const char* kNoSite = "[machine]\nnodes = 1\n[workload]\njobs = [{ runtime = 1, nodes = 1 }]\n";

Scenario scenario_of(const std::optional<std::string>& policy, const std::optional<std::string>& site,
                     const std::vector<std::string>& overrides) {
  Value tree = site ? read_scenario_tree((std::filesystem::path(*site) / "scenario.toml").string())
                    : parse_scenario_tree(kNoSite, "coslice drive");
  if (policy) {  // the site's parameters are for its own
    if (Value* own = tree.find("policy")) own->erase("params");
    tree.set("policy", Value::table()).set("name", Value(*policy));
  }
  for (const std::string& setting : overrides) apply_override(tree, setting);
  return check_scenario(tree);
}

}  // namespace

void check_policy(const Decider& decider) {
  const std::unique_ptr<Policy> policy = load(decider);
  const char* what = policy->slices()         ? "has time slices"
                     : policy->sharing()      ? "lets jobs share nodes in groups"
                     : policy->coscheduling() ? "coschedules processes"
                                              : nullptr;
  if (what == nullptr) return;
  throw InputError({decider.policy.script.name, 0,
                    fmt::format("policy '{}' {}, for which Slurm has no orders", policy->description().name, what),
                    "a policy that only says which jobs start"});
}

Decision decide(Decider& decider, const Situation& now) {
  Decision decision;
  const std::shared_ptr<const MachineLayout> layout =
      make_layout(decider.layout.kinds.empty() ? layout_of(*now.machine) : decider.layout);
  MachineSpec machine{0, 1, 1, 0};
  set_layout(machine, layout);
  PresentJobs present = present_jobs(decider, now, machine, decision);
  const auto waits = [](const QueuedJob* j) { return j->waits(); };
  if (std::ranges::none_of(present.jobs, waits)) return decision;

  const std::unique_ptr<Policy> policy = load(decider);
  LuaScheduler scheduler(*policy, nullptr, machine);
  TraceClock clock;
  clock.unix_at_0 = present.origin;
  scheduler.use_calendar(clock);
  KnownNodes placement(present.nodes,
                       scheduler.placement(*layout, typical_of(present.workload, *layout), decider.context.seed));
  PresentScheduler asked(scheduler, present.nodes, present.now);
  const std::optional<OutageOptions> outages = outages_of(closed_nodes(now, *layout), present.now);
  Simulation simulation(machine, present.workload.jobs, asked, {}, {&present.workload.requests, {&placement}},
                        outages ? &*outages : nullptr);
  try {
    simulation.run();
  } catch (const PresentScheduler::Reached&) {}
  for (const JobIndex j : asked.starts()) decision.starts.push_back(present.jobs[j]);
  for (const JobIndex j : asked.without_room())
    decision.problems.push_back(fmt::format("job {} runs on resources that other jobs also hold", present.jobs[j]->id));
  return decision;
}

Decider make_decider(const std::optional<std::string>& policy, const std::optional<std::string>& site,
                     const std::vector<std::string>& overrides) {
  const Scenario scenario = scenario_of(policy, site, overrides);
  if (scenario.policy.names.size() != 1) throw InputError({"--policy", 0, "names several policies", "one"});
  Decider decider;
  decider.name = policy ? *policy : std::filesystem::path(scenario.policy.names.front()).stem().string();
  decider.policy = find_policy(scenario.policy.names.front(), scenario.folder);
  decider.params = scenario.policy.params;
  decider.context.limits = scenario.limits.for_host();
  decider.context.seed = static_cast<std::uint64_t>(scenario.seed);
  decider.context.classes = scenario.metrics.classes;
  if (!site) return decider;
  decider.layout = scenario.layout;
  for (PartitionSpec& p : decider.layout.partitions) {  // Slurm has looked at these when the job was submitted
    p.max_time = std::nullopt;
    p.max_nodes = std::nullopt;
    p.users.clear();
  }
  if (scenario.workload.trace.empty()) return decider;
  SkippedLines skipped;
  const RecordedWorkload recorded =
      read_trace(scenario.workload.trace, scenario.workload.skip_bad ? &skipped : nullptr);
  decider.users = slurm::NumbersOfNames(recorded, "user", true);
  decider.accounts = slurm::NumbersOfNames(recorded, "group", true);
  decider.partitions = slurm::NumbersOfNames(recorded, "partition", false);
  return decider;
}

}  // namespace coslice::drive
