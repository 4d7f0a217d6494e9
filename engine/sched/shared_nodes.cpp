// Jobs that share nodes: who lies where, how fast everybody gets on, and until when nodes are held. (Zeng 2009,
// Chapter 4.)
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "cluster/node_ids.h"
#include "core/error.h"
#include "sched/sliced_simulation.h"

namespace coslice {

namespace {

std::vector<NodeId> members(const NodeRanges& nodes) {
  std::vector<NodeId> list;
  for_each_node(nodes, [&](NodeId n) { list.push_back(n); });
  return list;
}

std::vector<NodeId> without(const std::vector<NodeId>& from, const std::vector<NodeId>& others) {
  std::vector<NodeId> rest;
  std::set_difference(from.begin(), from.end(), others.begin(), others.end(), std::back_inserter(rest));
  return rest;
}

}  // namespace

std::int32_t SlicedSimulation::nodes_for(std::int32_t size, std::int32_t ppn) const {
  return size / ppn + (size % ppn != 0 ? 1 : 0);
}

std::int32_t SlicedSimulation::nodes_of(JobIndex j) const {
  const std::int32_t cores = cluster_.spec().cores_per_node();
  if (sharing_) return nodes_for(jobs_[j].size, ppn_[j].alone);
  return nodes_for(jobs_[j].size, options_.processes_per_node > 0 ? options_.processes_per_node : cores);
}

void SlicedSimulation::ask_ppn(const View& view, JobIndex j) {
  ppn_[j].alone = sharing_->alone(view, j);
  ppn_[j].shared = sharing_->shared(view, j);
  const std::int32_t cores = cluster_.spec().cores_per_node();
  if (std::min(ppn_[j].alone, ppn_[j].shared) >= 1 && std::max(ppn_[j].alone, ppn_[j].shared) <= cores) return;
  throw SimulationError(fmt::format("job {} cannot have {} (shared: {}) processes on a node of {} cores", jobs_[j].id,
                                    ppn_[j].alone, ppn_[j].shared, cores));
}

void SlicedSimulation::set_ppn_alone(View& view, View::Position p, std::int32_t ppn) {
  const JobIndex j = view.queue().job(p);
  if (!sharing_)
    throw SimulationError("processes per node are the policy's only where it says how nodes are shared (sharing)");
  const std::int32_t cores = cluster_.spec().cores_per_node();
  if (ppn < 1 || ppn > cores) {
    throw SimulationError(
        fmt::format("job {} cannot have {} processes on a node of {} cores", jobs_[j].id, ppn, cores));
  }
  const std::int32_t nodes = nodes_for(jobs_[j].size, ppn);
  if (nodes > view.capacity()) {
    throw SimulationError(fmt::format("job {} would need {} nodes with {} processes on each, and there are {}",
                                      jobs_[j].id, nodes, ppn, view.capacity()));
  }
  ppn_[j].alone = ppn;
  view.resize(p, nodes, planned_alone(j));
}

double SlicedSimulation::slowdown_alone(JobIndex j, std::int32_t ppn) const {
  return sharing_->slowdowns->alone(j, ppn, node_shape().first());
}

NodeShape SlicedSimulation::node_shape() const {
  return {cluster_.spec().processors, cluster_.spec().cores_per_node(), sharing_->layout};
}

double SlicedSimulation::slowdown_beside(const StartedJob& job, const StartedJob& other) const {
  return slowdown_alone(job.index, job.ppn) * sharing_->slowdowns->really_beside(job.index, other.index);
}

// --- nodes with several jobs count how many of these are on them

void SlicedSimulation::occupy(const StartedJob& job) {
  used_cores_ += jobs_[job.index].size;
  if (!sharing_) {
    cluster_.occupy(job.nodes);
    return;
  }
  NodeRanges taken;
  for_each_node(job.nodes, [&](NodeId n) {
    if (jobs_on_[static_cast<std::size_t>(n)]++ == 0) taken.append(n, n);
  });
  cluster_.occupy(taken);
}

void SlicedSimulation::vacate(const StartedJob& job) {
  used_cores_ -= jobs_[job.index].size;
  if (!sharing_) {
    cluster_.vacate(job.nodes);
    return;
  }
  NodeRanges left;
  for_each_node(job.nodes, [&](NodeId n) {
    if (--jobs_on_[static_cast<std::size_t>(n)] == 0) left.append(n, n);
  });
  cluster_.vacate(left);
}

// --- speeds

/// What has been done so far counts at the speed at which it was done.
void SlicedSimulation::account(StartedJob& job) {
  if (job.phase != Phase::kRunning) return;
  const Work done = Work::done(now_ - job.since, job.rate);
  if (job.group != nullptr) {
    job.group->useful += jobs_[job.index].size * done.seconds();
    if (job.group->primary == &job) job.group->productive += now_ - job.since;
  }
  job.work_left -= done;
  job.planned_left -= done;
  job.since = now_;
}

void SlicedSimulation::set_rate(StartedJob& job, double slowdown) {
  const Rate rate = Rate::of_slowdown(slowdown);
  if (rate == job.rate) return;
  account(job);
  job.rate = rate;
  for (Observer* o : observers_) o->rate_changed(now_, job.index, rate);
  if (job.phase == Phase::kRunning) schedule_end(job);
}

/// The primary is as slow as the worst of its partners makes it (Zeng 2009, Section 4.3).
void SlicedSimulation::set_rates(Group& group) {
  double worst = 0;
  for (const Group::Matched& m : group.matched) {
    worst = std::max(worst, slowdown_beside(*group.primary, *m.job));
    set_rate(*m.job, slowdown_beside(*m.job, *group.primary));
  }
  set_rate(*group.primary, worst);
}

// --- forming

/// The new ones among the members get their processes per node and their number of nodes; nobody has more processes on
/// a node than it has cores.
void SlicedSimulation::size_members(StartedJob& primary, const std::vector<StartedJob*>& matched) {
  const auto size = [&](StartedJob& job) {
    if (!job.nodes.empty()) return;
    job.ppn = ppn_[job.index].shared;
    job.node_count = nodes_for(jobs_[job.index].size, job.ppn);
    ppn_[job.index].had.ppn = job.ppn;
  };
  size(primary);
  for (StartedJob* job : matched) {
    size(*job);
    if (node_shape().room_for(primary.ppn, job->ppn)) continue;
    throw SimulationError(fmt::format("jobs {} and {} cannot share nodes: {} and {} processes on {} cores{}",
                                      jobs_[primary.index].id, jobs_[job->index].id, primary.ppn, job->ppn,
                                      cluster_.spec().cores_per_node(),
                                      sharing_->layout == Layout::kWithin ? ", each on processors of its own" : ""));
  }
}

/// Lays the new members of a group: matched jobs one beside another over the primary's nodes, then beyond.
void SlicedSimulation::lay(StartedJob& primary, const std::vector<StartedJob*>& matched) {
  std::vector<NodeId> running;
  std::int32_t waiting = 0;
  for (const StartedJob* job : matched) {
    const std::vector<NodeId> own = members(job->nodes);
    running.insert(running.end(), own.begin(), own.end());
    if (own.empty()) waiting += job->node_count;
  }
  std::sort(running.begin(), running.end());
  const auto under = static_cast<std::int32_t>(running.size());
  const bool new_primary = primary.nodes.empty();
  const std::int32_t fresh =
      new_primary ? std::max(primary.node_count, under + waiting) - under : std::max(0, waiting - primary.node_count);
  const std::vector<NodeId> idle = members(idle_nodes_for(primary, fresh));
  std::vector<NodeId> base = members(primary.nodes);
  if (new_primary) {
    base = running;
    base.insert(base.end(), idle.begin(), idle.end());
    base.resize(std::min(base.size(), static_cast<std::size_t>(primary.node_count)));
    std::sort(base.begin(), base.end());
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

NodeRanges SlicedSimulation::idle_nodes_for(StartedJob& job, std::int32_t count) {
  if (cluster_.idle_count() < count) evict_for(count);
  if (count == 0) return {};
  return choose_for(job, count, cluster_.idle());
}

void SlicedSimulation::launch_group(StartedJob& primary, const std::vector<StartedJob*>& matched, double gain) {
  if (!sharing_) throw SimulationError("jobs can share nodes only where the policy says how (sharing)");
  std::vector<StartedJob*> fresh;
  for (StartedJob* job : matched)
    if (job->nodes.empty()) fresh.push_back(job);
  if (primary.nodes.empty()) fresh.insert(fresh.begin(), &primary);
  size_members(primary, matched);
  lay(primary, matched);
  account(primary);  // what was done before is not the group's
  for (StartedJob* job : matched) account(*job);
  Group& group = groups_.emplace_back();
  group.id = ++group_number_;
  group.primary = &primary;
  primary.group = &group;
  for (StartedJob* job : matched) {
    group.matched.push_back({job, common_nodes(primary.nodes, job->nodes)});
    job->group = &group;
  }
  count_group(group, gain);
  for (Observer* o : observers_) o->group_formed(now_, group, gain);
  for (StartedJob* job : fresh) begin_job(*job);
  set_rates(group);
  hold_group(group);
  for (StartedJob* job : fresh) set_going(*job);
  View& view = *primary.view;
  view.set_ceiling(cluster_.idle_count() + evictable_nodes());
}

void SlicedSimulation::count_group(Group& group, double gain) {
  group.nodes = unit_nodes(*group.primary);
  ++sharing_counts_.groups;
  sharing_counts_.gain_promised += gain;
  const auto count = [&](const StartedJob& job) {
    ++sharing_counts_.grouped_jobs;
    if (ppn_[job.index].had.groups++ == 0) ++sharing_counts_.jobs_in_groups;
  };
  count(*group.primary);
  for (const Group::Matched& m : group.matched) count(*m.job);
}

void SlicedSimulation::count_attempt(std::size_t candidates) {
  ++sharing_counts_.attempts;
  sharing_counts_.attempts_vain += candidates == 0;
  sharing_counts_.attempts_few += candidates < SharingCounts::kFewCandidates;
}

/// The gain of a group that ends now, on the scale of what was promised. (Zeng 2009, Equation 6.)
void SlicedSimulation::count_gain(Group& group) {
  const double used = to_seconds(group.productive) * group.nodes;
  if (used > 0) sharing_counts_.gain_had += group.useful / used - 1;
}

std::vector<SharedJob> SlicedSimulation::shared_jobs() const {
  std::vector<SharedJob> jobs;
  jobs.reserve(ppn_.size());
  for (const Ppn& p : ppn_) jobs.push_back(p.had);
  return jobs;
}

// --- ending

/// The job has ended. Where the primary is gone, each of the others goes on for itself; where the last of the others is
/// gone, the primary does.
void SlicedSimulation::leave_group(StartedJob& job) {
  Group& group = *job.group;
  StartedJob* const stopped = group.apart ? group.matched.front().job : nullptr;
  for (StartedJob* member : unit_of(job)) account(*member);
  job.group = nullptr;
  const auto alone = [this](StartedJob& left) {
    left.group = nullptr;
    set_rate(left, slowdown_alone(left.index, left.ppn));
    hold_rest(left);
  };
  auto& matched = group.matched;
  if (&job != group.primary) {
    matched.erase(std::find_if(matched.begin(), matched.end(), [&](const auto& m) { return m.job == &job; }));
    if (!matched.empty()) {
      set_rates(group);
      hold_group(group);
      return;
    }
    alone(*group.primary);
  } else {
    for (const Group::Matched& m : matched) alone(*m.job);
  }
  count_gain(group);
  for (Observer* o : observers_) o->group_ended(now_, group);
  groups_.remove_if([&](const Group& g) { return &g == &group; });
  if (stopped != nullptr) go_on(*stopped);
}

// --- holding nodes

/// When the members will have ended, by their estimates, in productive time from now: the primary, then the matched.
std::vector<Duration> SlicedSimulation::planned_ends(const Group& group) {
  struct Player {
    StartedJob* job;
    Work left;
    Rate rate;
    bool ended = false;
  };
  if (group.apart) return ends_apart(group);
  std::vector<Player> players{{group.primary, {}, {}}};
  for (const Group::Matched& m : group.matched) players.push_back({m.job, {}, {}});
  for (Player& p : players) {
    account(*p.job);
    p.left = p.job->planned_left;
    p.rate = p.job->rate;
  }
  std::vector<Duration> ends(players.size());
  Duration t{0};
  for (std::size_t living = players.size(); living > 0;) {
    Duration step = Duration::max();
    for (const Player& p : players)
      if (!p.ended) step = std::min(step, p.left.time_at(p.rate));
    t = std::min(t + step, Work::kEndless);
    if (t == Work::kEndless) {
      for (std::size_t i = 0; i != players.size(); ++i)
        if (!players[i].ended) ends[i] = t;
      break;
    }
    for (std::size_t i = 0; i != players.size(); ++i) {
      Player& p = players[i];
      if (p.ended) continue;
      p.left -= Work::done(step, p.rate);
      if (p.left.time_at(p.rate) > Duration{0}) continue;
      p.ended = true;
      ends[i] = t;
      --living;
    }
    double worst = 0;
    for (std::size_t i = 1; i != players.size(); ++i) {
      StartedJob& job = *players[i].job;
      if (players[0].ended) players[i].rate = Rate::of_slowdown(slowdown_alone(job.index, job.ppn));
      if (!players[i].ended) worst = std::max(worst, slowdown_beside(*group.primary, job));
    }
    if (worst == 0) worst = slowdown_alone(group.primary->index, group.primary->ppn);
    players[0].rate = Rate::of_slowdown(worst);
  }
  return ends;
}

/// Each node is held once, until the last job on it is expected to end.
void SlicedSimulation::hold_group(const Group& group) {
  const std::vector<Duration> ends = planned_ends(group);
  View& view = *group.primary->view;
  const auto end = [&](std::size_t i) { return later(view.now(), ends[i]); };
  std::int32_t others = 0;
  // First what becomes less, so that never more nodes are held than there are.
  for (std::size_t i = 0; i != group.matched.size(); ++i) {
    const auto& [job, overlap] = group.matched[i];
    if (ends[i + 1] > ends[0]) others += overlap;
    else view.hold(*job, job->node_count - overlap, end(i + 1));
  }
  if (group.primary->held > 0) view.hold(*group.primary, 0, view.now());
  for (std::size_t i = 0; i != group.matched.size(); ++i)
    if (ends[i + 1] > ends[0]) view.hold(*group.matched[i].job, group.matched[i].job->node_count, end(i + 1));
  view.hold(*group.primary, group.primary->node_count - others, end(0));
}

// --- groups as units

std::vector<StartedJob*> SlicedSimulation::unit_of(StartedJob& job) const {
  if (job.group == nullptr) return {&job};
  std::vector<StartedJob*> unit{job.group->primary};
  for (const Group::Matched& m : job.group->matched) unit.push_back(m.job);
  return unit;
}

std::int32_t SlicedSimulation::unit_nodes(const StartedJob& job) const {
  std::int32_t n = job.node_count;
  if (job.group == nullptr) return n;
  n = job.group->primary->node_count;
  for (const Group::Matched& m : job.group->matched) n += m.job->node_count - m.overlap;
  return n;
}

Duration SlicedSimulation::unit_time(StartedJob& job) {
  if (job.group != nullptr) {
    const std::vector<Duration> ends = planned_ends(*job.group);
    return *std::max_element(ends.begin(), ends.end());
  }
  account(job);
  Duration d = job.planned_left.time_at(job.rate) + missing(job);
  if (job.phase == Phase::kLoading) d -= now_ - job.since;
  return d;
}

}  // namespace coslice
