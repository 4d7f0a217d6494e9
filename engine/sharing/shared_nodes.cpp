#include "sharing/shared_nodes.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/error.h"
#include "core/portable_math.h"
#include "machine/node_set.h"

namespace coslice {

std::vector<StartedJob*> unit_of(StartedJob& job) {
  if (job.group == nullptr) return {&job};
  std::vector<StartedJob*> unit{job.group->primary};
  for (const Group::Matched& m : job.group->matched) unit.push_back(m.job);
  return unit;
}

std::int32_t unit_nodes(const StartedJob& job) {
  if (job.group == nullptr) return job.node_count;
  std::int32_t n = job.group->primary->node_count;
  for (const Group::Matched& m : job.group->matched) n += m.job->node_count - m.overlap;
  return n;
}

namespace {

std::vector<NodeId> without(const std::vector<NodeId>& from, const std::vector<NodeId>& others) {
  std::vector<NodeId> rest;
  std::set_difference(from.begin(), from.end(), others.begin(), others.end(), std::back_inserter(rest));
  return rest;
}

/// A member on its way to its planned end.
struct RunningMember {
  const StartedJob* job;
  Work left;
  Rate rate;
  Duration end = Work::kEndless;
  bool ended = false;
};

}  // namespace

SharedNodes::SharedNodes(SharingOptions options, const MachineSpec& machine, const std::vector<Job>& jobs)
    : options_(std::move(options)), machine_(machine), jobs_(jobs), ppn_(jobs.size()), had_(jobs.size()) {}

void SharedNodes::ask_ppn(const View& view, JobIndex j) {
  Ppn& ppn = ppn_[j];
  const Job& job = jobs_[j];
  if (demands_ != nullptr && demands_->lays_out(j)) {
    const Request& r = demands_->request(j);
    ppn.alone = ppn.shared = divided_up(job.size, r.nodes);
    ppn.own_nodes = r.nodes;
    ppn.asked_alone = ppn.asked_shared = demands_->asked(j);
    return;
  }
  ppn.alone = options_.alone(view, j);
  ppn.shared = options_.shared(view, j);
  const std::int32_t cores = machine_.cores_per_node();
  if (std::min(ppn.alone, ppn.shared) < 1 || std::max(ppn.alone, ppn.shared) > cores)
    throw SimulationError(fmt::format("job {} cannot have {} (shared: {}) processes on a node of {} cores", job.id,
                                      ppn.alone, ppn.shared, cores));
  if (demands_ == nullptr) return;
  ppn.asked_shared = demands_->with_ppn(j, job, ppn.shared);
  ask_alone(j);
}

/// With more processes on a node than it is to have, if too few of the machine's nodes are for it: fewer may be enough.
void SharedNodes::ask_alone(JobIndex j) {
  Ppn& ppn = ppn_[j];
  const std::int32_t wanted = ppn.alone, most = std::min(machine_.cores_per_node(), jobs_[j].size);
  ppn.asked_alone = demands_->with_ppn(j, jobs_[j], wanted);
  const bool wide = nodes_for(jobs_[j].size, wanted) > demands_->layout().node_count();
  while (!wide && demands_->demand_of(ppn.asked_alone).empty() && ppn.alone < most)
    ppn.asked_alone = demands_->with_ppn(j, jobs_[j], ++ppn.alone);
  if (demands_->demand_of(ppn.asked_alone).empty()) ppn.alone = wanted;
  demands_->choose(j, ppn.asked_alone);
}

void SharedNodes::set_ppn_alone(const View& view, JobIndex j, std::int32_t ppn) {
  const std::int32_t cores = machine_.cores_per_node();
  if (ppn < 1 || ppn > cores)
    throw SimulationError(
        fmt::format("job {} cannot have {} processes on a node of {} cores", jobs_[j].id, ppn, cores));
  if (demands_ != nullptr) {
    if (demands_->lays_out(j)) return;
    const JobDemands::Asked asked = demands_->with_ppn(j, jobs_[j], ppn);
    if (demands_->demand_of(asked).empty()) return;  // no nodes that it may have are enough
    ppn_[j].alone = ppn;
    ppn_[j].asked_alone = asked;
    demands_->choose(j, asked);
    return;
  }
  const std::int32_t nodes = nodes_for(jobs_[j].size, ppn);
  if (nodes > view.capacity())
    throw SimulationError(fmt::format("job {} would need {} nodes with {} processes on each, and there are {}",
                                      jobs_[j].id, nodes, ppn, view.capacity()));
  ppn_[j].alone = ppn;
}

/// What nodes of the kind make of the job, beside what its processes do to one another.
double SharedNodes::on_kind(JobIndex j, const Request& request, const NodeKind& kind) const {
  return options_.slowdowns->on_gpus(j, request.gpus > 0 ? kind.gpu_type : -1) / kind.speed;
}

double SharedNodes::slowdown_alone(JobIndex j) const {
  const double own = options_.slowdowns->alone(j, ppn_[j].alone, shape().first());
  if (demands_ == nullptr) return own;
  double most = 0;
  for (const std::int32_t u : demands_->demand(j))
    for (const NodeKind& kind : demands_->layout().kinds)
      if (demands_->may_have(demands_->unit(u), kind)) most = std::max(most, on_kind(j, demands_->request_of(u), kind));
  return most == 0 ? own : own * most;
}

double SharedNodes::slowdown_alone(const StartedJob& job) const {
  const double own = options_.slowdowns->alone(job.index, job.ppn, shape().first());
  if (demands_ == nullptr) return own;
  double most = 0;
  for (const NodePart& part : job.parts)
    most = std::max(most, on_kind(job.index, demands_->request_of(job.unit), demands_->layout().kind_of(part.node)));
  return own * most;
}

/// Where both have GPUs of a node, that of jobs on such GPUs.
double SharedNodes::slowdown_beside(const StartedJob& job, const StartedJob& other) const {
  const double alone = slowdown_alone(job);
  if (demands_ != nullptr)
    for (const NodePart& part : job.parts)
      for (const NodePart& there : other.parts)
        if (part.node == there.node && part.gpus != 0 && there.gpus != 0)
          return alone * options_.slowdowns->really_beside_on(job.index, other.index,
                                                              demands_->layout().kind_of(part.node).gpu_type);
  return alone * options_.slowdowns->really_beside(job.index, other.index);
}

std::vector<std::pair<StartedJob*, double>> SharedNodes::slowdowns(const Group& group) const {
  std::vector<std::pair<StartedJob*, double>> all;
  double worst = 0;
  for (const Group::Matched& m : group.matched) {
    worst = std::max(worst, slowdown_beside(*group.primary, *m.job));
    all.emplace_back(m.job, slowdown_beside(*m.job, *group.primary));
  }
  all.emplace_back(group.primary, worst);
  return all;
}

std::vector<Duration> SharedNodes::planned_ends(const Group& group) const {
  if (group.apart) {  // the primary runs alone, then the other one does
    const StartedJob& job = *group.matched.front().job;
    const Duration first = group.primary->planned_left.time_at(group.primary->rate);
    return {first, first + job.planned_left.time_at(Rate::of_slowdown(slowdown_alone(job)))};
  }
  std::vector<RunningMember> members_left;
  for (const StartedJob* job : unit_of(*group.primary)) members_left.push_back({job, job->planned_left, job->rate});
  Duration t{0};
  for (std::size_t running = members_left.size(); running > 0;) {
    Duration step = Duration::max();
    for (const RunningMember& p : members_left)
      if (!p.ended) step = std::min(step, p.left.time_at(p.rate));
    t = std::min(t + step, Work::kEndless);
    if (t == Work::kEndless) break;
    for (RunningMember& p : members_left) {
      if (p.ended) continue;
      p.left -= Work::done(step, p.rate);
      if (p.left.time_at(p.rate) > Duration{0}) continue;
      p.ended = true;
      p.end = t;
      --running;
    }
    double worst = 0;
    for (std::size_t i = 1; i != members_left.size(); ++i) {
      const StartedJob& job = *members_left[i].job;
      if (members_left[0].ended) members_left[i].rate = Rate::of_slowdown(slowdown_alone(job));
      if (!members_left[i].ended) worst = std::max(worst, slowdown_beside(*group.primary, job));
    }
    if (worst == 0) worst = slowdown_alone(*group.primary);
    members_left[0].rate = Rate::of_slowdown(worst);
  }
  std::vector<Duration> ends;
  for (const RunningMember& p : members_left) ends.push_back(p.end);
  return ends;
}

void SharedNodes::size_members(StartedJob& primary, const std::vector<StartedJob*>& matched) {
  const auto size = [&](StartedJob& job) {
    if (!job.nodes.empty()) return;
    Ppn& ppn = ppn_[job.index];
    job.ppn = had_[job.index].ppn = ppn.shared;
    job.node_count = nodes_shared(job.index);
    if (demands_ != nullptr) demands_->choose(job.index, ppn.asked_shared);
  };
  size(primary);
  for (StartedJob* job : matched) {
    size(*job);
    if (shape().room_for(primary.ppn, job->ppn)) continue;
    throw SimulationError(fmt::format("jobs {} and {} cannot share nodes: {} and {} processes on {} cores{}",
                                      jobs_[primary.index].id, jobs_[job->index].id, primary.ppn, job->ppn,
                                      machine_.cores_per_node(),
                                      options_.layout == Layout::kWithin ? ", each on processors of its own" : ""));
  }
}

void SharedNodes::lay(StartedJob& primary, const std::vector<StartedJob*>& matched,
                      const std::function<NodeRanges(std::int32_t)>& idle_nodes) const {
  std::vector<NodeId> running;
  std::int32_t waiting = 0;
  for (const StartedJob* job : matched) {
    const std::vector<NodeId> own = listed(job->nodes);
    running.insert(running.end(), own.begin(), own.end());
    if (own.empty()) waiting += job->node_count;
  }
  std::ranges::sort(running);
  const auto under = static_cast<std::int32_t>(running.size());
  const bool new_primary = primary.nodes.empty();
  const std::int32_t fresh =
      new_primary ? std::max(primary.node_count, under + waiting) - under : std::max(0, waiting - primary.node_count);
  const std::vector<NodeId> idle = listed(idle_nodes(fresh));
  std::vector<NodeId> base = listed(primary.nodes);
  if (new_primary) {
    base = running;
    base.insert(base.end(), idle.begin(), idle.end());
    base.resize(std::min(base.size(), static_cast<std::size_t>(primary.node_count)));
    std::ranges::sort(base);
    primary.nodes = as_ranges(base);
  }
  std::vector<NodeId> room = without(base, running);
  const std::vector<NodeId> beyond = without(idle, base);
  room.insert(room.end(), beyond.begin(), beyond.end());
  auto next = room.begin();
  for (StartedJob* job : matched) {
    if (!job->nodes.empty()) continue;
    job->nodes = as_ranges({next, next + job->node_count});
    next += job->node_count;
  }
}

Group& SharedNodes::form(StartedJob& primary, const std::vector<StartedJob*>& matched, double gain) {
  Group& group = groups_.emplace_back();
  group.id = ++group_number_;
  group.primary = &primary;
  primary.group = &group;
  for (StartedJob* job : matched) {
    group.matched.push_back({job, common_nodes(primary.nodes, job->nodes)});
    job->group = &group;
  }
  group.nodes = unit_nodes(primary);
  ++counts_.groups;
  counts_.gain_promised += gain;
  for (const StartedJob* job : unit_of(primary)) {
    ++counts_.grouped_jobs;
    if (had_[job->index].groups++ == 0) ++counts_.jobs_in_groups;
  }
  return group;
}

/// The gain is counted on the scale of what was expected. (Zeng 2009, Equation 6.)
void SharedNodes::end(Group& group) {
  const double used = to_seconds(group.productive) * group.nodes;
  if (used > 0) counts_.gain_had += group.useful / used - 1;
  groups_.remove_if([&](const Group& g) { return &g == &group; });
}

}  // namespace coslice
