#include "drive/present_scheduler.h"

namespace coslice::drive {

bool KnownNodes::choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
                        Parts& out) {
  const NodeRanges& nodes = nodes_[job];
  if (nodes.empty()) return others_.choose(job, request, pool, fitting, out);
  if (!fitting.contains_all(nodes)) return false;
  out.clear();
  for (const NodeRange& r : nodes.ranges())
    for (NodeId n = r.first; n <= r.last; ++n) out.push_back({n, fitting_gpus(request, pool.room(n))});
  return true;
}

void PresentScheduler::started(View& view, JobIndex j) {
  if (!runs_already(j)) starts_.push_back(j);
  policy_.started(view, j);
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
  policy_.schedule(view, pass);
  if (view.now() >= present_) throw Reached{};
}

}  // namespace coslice::drive
