#include "sharing/candidates.h"

#include <algorithm>

namespace coslice {

Candidate waiting_candidate(const View& view, JobIndex j) {
  Candidate c;
  c.job = j;
  c.ppn = view.shared_ppn(j);
  const Job& job = view.job(j);
  c.processes = job.size;
  c.nodes = (job.size + c.ppn - 1) / c.ppn;
  c.runtime = c.work = to_seconds(job.limit);
  return c;
}

Candidate running_candidate(const View& view, const StartedJob& s) {
  Candidate c;
  c.job = s.index;
  c.running = true;
  c.ppn = s.ppn;
  const Job& job = view.job(s.index);
  c.processes = job.size;
  c.nodes = s.node_count;
  c.runtime = to_seconds(job.limit);
  Work left = s.planned_left;
  if (s.phase == Phase::kRunning) left -= Work::done(view.wall_now() - s.since, s.rate);
  c.work = left.seconds();
  return c;
}

bool is_current(const View& view, const Candidate& c) {
  if (!c.running) return view.waits(c.job);
  const auto same = [&](const StartedJob& s) { return s.index == c.job; };
  const auto found = std::find_if(view.started().begin(), view.started().end(), same);
  return found != view.started().end() && found->group == nullptr;
}

void refuse_plan(const View& view, const GroupPlan& plan, GroupRefusal why, JobIndex hurt, std::string_view words) {
  view.explain([&](DecisionObserver& o) { o.group_refused(view, plan, why, hurt, words); });
}

}  // namespace coslice
