#include "observe/job_action_log.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "schedule/view.h"
#include "sharing/sharing.h"

namespace coslice {

void JobActionLog::group_formed(Time t, const Group& group, double) {
  const std::uint64_t primary = group.primary->index;
  add(t, JobAction::kGroup, group.primary->index, primary);
  for (const Group::Matched& m : group.matched) add(t, JobAction::kGroup, m.job->index, primary);
}

namespace {

bool before(const JobAction& a, const JobAction& b) {
  return std::tuple(a.kind, a.job, a.detail) < std::tuple(b.kind, b.job, b.detail);
}

/// What happens at t from `from` on, sorted; `from` moves behind it.
std::vector<JobAction> instant(const std::vector<JobAction>& actions, std::size_t& from, Time t) {
  std::vector<JobAction> now;
  for (; from != actions.size() && actions[from].at == t; ++from) now.push_back(actions[from]);
  std::ranges::sort(now, before);
  return now;
}

Time time_of(const std::vector<JobAction>& actions, std::size_t i) {
  return i == actions.size() ? kNever : actions[i].at;
}

}  // namespace

std::optional<Divergence> find_divergence(const std::vector<JobAction>& a, const std::vector<JobAction>& b) {
  for (std::size_t i = 0, k = 0; i != a.size() || k != b.size();) {
    const Time t = std::min(time_of(a, i), time_of(b, k));
    const std::vector<JobAction> in_a = instant(a, i, t), in_b = instant(b, k, t);
    if (in_a == in_b) continue;
    Divergence divergence{t, {}, {}};
    std::set_difference(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), std::back_inserter(divergence.only_a),
                        before);
    std::set_difference(in_b.begin(), in_b.end(), in_a.begin(), in_a.end(), std::back_inserter(divergence.only_b),
                        before);
    return divergence;
  }
  return std::nullopt;
}

}  // namespace coslice
