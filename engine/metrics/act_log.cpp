#include "metrics/act_log.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "sched/view.h"
#include "sharing/sharing.h"

namespace coslice {

void ActLog::group_formed(Time t, const Group& group, double) {
  const std::uint64_t primary = group.primary->index;
  add(t, Act::kGroup, group.primary->index, primary);
  for (const Group::Matched& m : group.matched) add(t, Act::kGroup, m.job->index, primary);
}

namespace {

bool before(const Act& a, const Act& b) {
  return std::tuple(a.kind, a.job, a.detail) < std::tuple(b.kind, b.job, b.detail);
}

/// What happens at t from `from` on, sorted; `from` moves behind it.
std::vector<Act> instant(const std::vector<Act>& acts, std::size_t& from, Time t) {
  std::vector<Act> now;
  for (; from != acts.size() && acts[from].at == t; ++from) now.push_back(acts[from]);
  std::sort(now.begin(), now.end(), before);
  return now;
}

Time time_of(const std::vector<Act>& acts, std::size_t i) { return i == acts.size() ? kNever : acts[i].at; }

}  // namespace

std::optional<Parting> find_parting(const std::vector<Act>& a, const std::vector<Act>& b) {
  for (std::size_t i = 0, k = 0; i != a.size() || k != b.size();) {
    const Time t = std::min(time_of(a, i), time_of(b, k));
    const std::vector<Act> in_a = instant(a, i, t), in_b = instant(b, k, t);
    if (in_a == in_b) continue;
    Parting parting{t, {}, {}};
    std::set_difference(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), std::back_inserter(parting.only_a), before);
    std::set_difference(in_b.begin(), in_b.end(), in_a.begin(), in_a.end(), std::back_inserter(parting.only_b), before);
    return parting;
  }
  return std::nullopt;
}

}  // namespace coslice
