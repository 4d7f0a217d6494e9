#include "sched/moldable_jobs.h"

#include <algorithm>

#include "workload/workflow.h"

namespace coslice {

std::unique_ptr<MoldableJobs> MoldableJobs::make(std::vector<Job>& jobs, Molding rule, std::int32_t nodes,
                                                 std::int32_t ppn) {
  if (std::none_of(jobs.begin(), jobs.end(), is_moldable)) return nullptr;
  std::unique_ptr<MoldableJobs> all(new MoldableJobs(jobs, rule));
  all->sizes_.resize(jobs.size());
  all->fixed_.resize(jobs.size());
  for (JobIndex j = 0; j != jobs.size(); ++j) {
    if (!is_moldable(jobs[j])) continue;
    std::vector<JobSize>& sizes = all->sizes_[j] = job_sizes(jobs[j], ppn);
    std::erase_if(sizes, [=](const JobSize& s) { return s.nodes > nodes; });
    if (!sizes.empty()) all->choose(j, 0);
  }
  return all;
}

void MoldableJobs::choose(JobIndex j, std::size_t i) {
  const JobSize& s = sizes_[j][i];
  jobs_[j].size = s.processes;
  jobs_[j].runtime = s.runtime;
  jobs_[j].limit = s.limit;
}

/// Which of the sizes it is to have now.
std::size_t MoldableJobs::choice(const View& view, View::Position p, const std::vector<JobSize>& sizes) const {
  const Profile& profile = view.profile();
  const Time now = view.now();
  std::size_t best = 0;
  Time first = kNever;
  for (std::size_t i = 0; i != sizes.size(); ++i) {
    const JobSize& s = sizes[i];
    const Time start = profile.earliest(s.nodes, s.limit + more_, now);
    if (rule_ == Molding::kFitsNow) {
      if (start == now && s.nodes <= view.free_now() && (first == kNever || s.nodes > sizes[best].nodes)) {
        best = i;
        first = now;
      }
      continue;
    }
    const Time end = later(start, s.limit);
    if (end < first || (end == first && s.nodes < sizes[best].nodes)) {
      best = i;
      first = end;
    }
  }
  if (first == kNever && rule_ == Molding::kFitsNow) {
    for (std::size_t i = 0; i != sizes.size(); ++i)
      if (sizes[i].processes == jobs_[view.queue().job(p)].size) return i;
  }
  return best;
}

bool MoldableJobs::choose_for_waiting(View& view) {
  if (rule_ == Molding::kAsked) return false;
  bool any = false;
  const WaitingQueue& queue = view.queue();
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
    const JobIndex j = queue.job(p);
    const std::vector<JobSize>* const all = sizes(j);
    if (all == nullptr || queue.reserved(p) != kNever) continue;
    const std::size_t i = choice(view, p, *all);
    if ((*all)[i].processes == jobs_[j].size) continue;
    view.set_size(p, i);
    any = true;
  }
  return any;
}

}  // namespace coslice
