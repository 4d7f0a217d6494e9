// Jobs that share nodes under slices: groups form, change their speeds, end, and are separated.
#include <algorithm>

#include "core/error.h"
#include "slices/sliced_jobs.h"

namespace coslice {

void SlicedJobs::account_unit(StartedJob& job) {
  if (job.group == nullptr) return account(job);
  for (StartedJob* member : unit_of(job)) account(*member);
}

void SlicedJobs::set_rates(const Group& group) {
  for (const auto& [job, slowdown] : shared_->slowdowns(group)) set_rate(*job, slowdown);
}

void SlicedJobs::launch_group(StartedJob& primary, const std::vector<StartedJob*>& matched, double gain) {
  std::vector<StartedJob*> fresh;
  for (StartedJob* job : matched)
    if (job->nodes.empty()) fresh.push_back(job);
  if (primary.nodes.empty()) fresh.insert(fresh.begin(), &primary);
  shared_->size_members(primary, matched);
  shared_->lay(primary, matched, [&](std::int32_t count) {
    evict_for(count);
    return count == 0 ? NodeRanges{} : choose_for(*primary.view, primary.index, count, startable());
  });
  account(primary);  // what was done before is not the group's
  for (StartedJob* job : matched) account(*job);
  Group& group = shared_->form(primary, matched, gain);
  for (Observer* o : observers_) o->group_formed(now(), group, gain);
  for (StartedJob* job : fresh) begin_job(*job);
  set_rates(group);
  hold_group(group);
  for (StartedJob* job : fresh) set_going(*job);
  primary.view->set_ceiling(startable_count() + evictable_nodes());
}

/// The job has ended. Where the primary is gone, each of the others goes on for itself; where the last of the others is
/// gone, the primary does.
void SlicedJobs::leave_group(StartedJob& job) {
  Group& group = *job.group;
  StartedJob* const stopped = group.apart ? group.matched.front().job : nullptr;
  account_unit(job);
  job.group = nullptr;
  auto& matched = group.matched;
  if (&job != group.primary) {
    matched.erase(std::find_if(matched.begin(), matched.end(), [&](const auto& m) { return m.job == &job; }));
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
  if (stopped != nullptr) resume(*stopped);
}

void SlicedJobs::go_alone(StartedJob& job) {
  job.group = nullptr;
  set_rate(job, shared_->slowdown_alone(job));
  hold_rest(job);
}

/// Until all members of the group have their memory, in slices of their own.
Duration SlicedJobs::loading_left(const Group& group) const {
  Duration most{0};
  for (const StartedJob* member : unit_of(*group.primary))
    if (member->phase == Phase::kLoading && in_own_slice(*member))
      most = std::max(most, memory_.missing(*member) - (now() - member->since));
  return most;
}

/// Each node is held once, until the last job on it is expected to end.
void SlicedJobs::hold_group(const Group& group) {
  account_unit(*group.primary);
  const Duration loading = loading_left(group);
  std::vector<Duration> ends = shared_->planned_ends(group);
  for (Duration& end : ends) end += loading;
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

/// Of a pair whose estimate proved wrong, one stops, and goes on when the other has ended. (Sodan & Lan 2005,
/// Section 5.1.)
void SlicedJobs::separate(Group& group) {
  StartedJob& primary = *group.primary;
  const bool over_it =
      group.matched.size() == 1 && group.matched.front().overlap == group.matched.front().job->node_count;
  if (group.apart || !over_it || classes_.size() != 1)
    throw SimulationError(
        "only a pair can be taken apart, of which one job lies wholly over the nodes of the other, and "
        "not under time slices");
  account(primary);
  stop(*group.matched.front().job);
  group.apart = true;
  set_rate(primary, shared_->slowdown_alone(primary));
  hold_group(group);
}

}  // namespace coslice
