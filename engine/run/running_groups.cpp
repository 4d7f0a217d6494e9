// Groups among the jobs that hold nodes: they start, hold nodes together, lose members, and are taken apart.
#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/not_done.h"
#include "run/running_jobs.h"

namespace coslice {

/// Gives the new ones among them nodes, where these are counted.
void RunningJobs::lay_group(StartedJob& primary, const std::vector<StartedJob*>& matched) {
  shared_->lay(primary, matched, [&](std::int32_t count) {
    evict_for(count);
    return count == 0 ? NodeRanges{} : choose_for(*primary.view, primary.index, count, startable());
  });
}

/// The same where nodes are distinguished.
void RunningJobs::place_group(const std::vector<StartedJob*>& members, const std::vector<StartedJob*>& fresh,
                              Duration time) {
  GroupAsk ask{{}, std::numeric_limits<std::int32_t>::max(), time};
  NodeSet held(machine_.nodes);  // by those that run
  for (const StartedJob* job : members) {
    ask.members.push_back({job->index, demands_->demand_number(job->index), job->nodes.empty() ? nullptr : job});
    held.insert(job->nodes);
  }
  HostedView& view = *members.front()->view;
  std::vector<JobAllocation> allocations;
  if (!view.available().place_group(ask, allocations))
    throw SimulationError(
        fmt::format("job {} and the others of its group find no nodes", jobs_[members.front()->index].id));
  for (std::size_t i = 0; i != members.size(); ++i) {
    StartedJob& job = *members[i];
    if (!job.nodes.empty()) continue;
    job.unit = allocations[i].unit;
    job.parts = std::move(allocations[i].parts);
    job.nodes = nodes_in(job.parts);
    job.held = job.node_count;
  }
  for (StartedJob* job : fresh) {
    Parts parts;
    for (const NodePart& part : job->parts)
      if (!held.contains(part.node)) parts.push_back(part);
    make_way(*job, parts);
    job->expected_end = later(view.now(), time);
    view.available().take_in(*job, job->node_count, job->expected_end);
  }
}

void RunningJobs::launch_group(StartedJob& primary, const std::vector<StartedJob*>& matched, double gain,
                               Duration time) {
  std::vector<StartedJob*> members{&primary}, fresh;
  members.insert(members.end(), matched.begin(), matched.end());
  for (StartedJob* job : members)
    if (job->nodes.empty()) fresh.push_back(job);
  shared_->size_members(primary, matched);
  if (by_node_) place_group(members, fresh, time);
  else lay_group(primary, matched);
  account(primary);  // what was done before is not the group's
  for (StartedJob* job : matched) account(*job);
  Group& group = shared_->form(primary, matched, gain);
  for (Observer* o : observers_) o->group_formed(now(), group, gain);
  for (StartedJob* job : fresh) begin_job(*job);
  set_rates(group);
  hold_group(group);
  for (StartedJob* job : fresh) set_going(*job);
  primary.view->set_ceiling(std::max(startable_count() + evictable_nodes(), by_node_ ? 1 : 0));
}

/// The job has ended or was interrupted. Where the primary is gone, each of the others goes on for itself; where the
/// last of the others is gone, the primary does.
void RunningJobs::leave_group(StartedJob& job) {
  Group& group = *job.group;
  StartedJob* const stopped = group.apart && group.primary == &job ? group.matched.front().job : nullptr;
  account_unit(job);
  job.group = nullptr;
  auto& matched = group.matched;
  if (&job != group.primary) {
    matched.erase(std::ranges::find_if(matched, [&](const auto& m) { return m.job == &job; }));
    if (!matched.empty()) {
      set_rates(group);
      hold_group(group);
      return;
    }
    go_alone(*group.primary);
  } else {
    for (const Group::Matched& m : matched) go_alone(*m.job);
  }
  for (Observer* o : observers_) o->group_ended(now(), group);
  shared_->end(group);
  if (stopped != nullptr && in_own_slice(*stopped)) resume(*stopped);  // else the next slice does
}

void RunningJobs::go_alone(StartedJob& job) {
  job.group = nullptr;
  set_rate(job, shared_->slowdown_alone(job));
  hold_rest(job);
}

/// Until the job's nodes are up, at most, and in slices of its own until it has its memory.
Duration RunningJobs::loading_left(const StartedJob& job) const {
  const Duration boot = boot_left(job);
  if (!in_own_slice(job)) return boot;
  if (job.phase == Phase::kLoading) return memory_.missing(job) - (now() - job.since);
  return boot > Duration{0} ? boot + memory_.missing(job) : boot;
}

Duration RunningJobs::loading_left(const Group& group) const {
  Duration most{0};
  for (const StartedJob* member : unit_of(*group.primary)) most = std::max(most, loading_left(*member));
  return most;
}

/// Each node is held once, until the last job on it is expected to end; where nodes are distinguished, by each job on
/// it.
void RunningJobs::hold_group(const Group& group) {
  account_unit(*group.primary);
  const std::vector<StartedJob*> members = unit_of(*group.primary);
  for (StartedJob* member : members) {
    if (has_outrun(*member, member->rate)) believe_more(*member);
    if (member->phase == Phase::kRunning) correct_later(*member);
  }
  const Duration loading = loading_left(group);
  std::vector<Duration> ends = shared_->planned_ends(group);
  HostedView& view = *group.primary->view;
  for (std::size_t i = 0; i != ends.size(); ++i) {
    ends[i] += loading;
    if (const Time leaves = leaves_in_slice(*members[i]); leaves != kNever)
      ends[i] = std::min(ends[i], std::max(leaves - view.now(), Duration{0}));
  }
  const auto end = [&](std::size_t i) { return later(view.now(), ends[i]); };
  if (by_node_) {
    for (std::size_t i = 0; i != ends.size(); ++i) view.hold(*members[i], members[i]->node_count, end(i));
    return;
  }
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

/// Of a pair whose estimate proved wrong, one stops, and goes on when the other has ended. (Sodan & Lan 2005,
/// Section 5.1.)
void RunningJobs::separate(Group& group) {
  StartedJob& primary = *group.primary;
  const bool over_it =
      group.matched.size() == 1 && group.matched.front().overlap == group.matched.front().job->node_count;
  if (group.apart || !over_it || classes_.size() != 1)
    throw NotDoneError(
        "only a pair in which one job runs entirely on the nodes of the other can be taken apart, outside time slices");
  account(primary);
  stop(*group.matched.front().job);
  group.apart = true;
  set_rate(primary, shared_->slowdown_alone(primary));
  hold_group(group);
}

}  // namespace coslice
