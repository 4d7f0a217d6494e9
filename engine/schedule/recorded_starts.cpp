#include "schedule/recorded_starts.h"

namespace coslice {

RecordedStarts::RecordedStarts(Scheduler& asked, const RecordedHistory& history,
                               const std::function<bool(JobIndex)>& is_own)
    : WrappedScheduler(&asked), history_(history) {
  for (JobIndex j = 0; j != history.starts.size(); ++j)
    if (history.starts[j].start < history.until && is_own(j)) order_.push_back(j);
  std::ranges::stable_sort(order_, {}, [&](JobIndex a) { return history_.starts[a].start; });
}

void RecordedStarts::schedule(View& view, const Pass& pass) {
  if (over_) return asked_->schedule(view, pass);
  start_due(view);
  if (view.wall_now() < history_.until) return;
  over_ = true;
  drop_what_is_over(view);
  asked_->schedule(view, {true, true, pass.due, pass.corrected});  // its first pass: everything is new
}

/// Those that were late before go first.
void RecordedStarts::start_due(View& view) {
  for (; next_ != order_.size() && history_.starts[order_[next_]].start <= view.wall_now(); ++next_)
    late_.push_back(order_[next_]);
  std::erase_if(late_, [&](JobIndex j) {
    const WaitingQueue& queue = view.queue();
    const View::Position p = queue.find(j);
    if (p == queue.end() || !view.fits_now(p)) return false;  // it may still have to come
    view.start(p, StartReason::kPolicy);
    return true;
  });
}

void RecordedStarts::drop_what_is_over(View& view) {
  for (const JobIndex j : late_) {
    const Job& job = view.job(j);
    if (later(history_.starts[j].start, std::min(job.runtime, job.limit)) > view.wall_now()) continue;
    const View::Position p = view.queue().find(j);
    if (p != view.queue().end()) view.refuse(p, Rejection::kRanBefore);
  }
  late_.clear();
}

bool RecordedPlacement::choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
                               Parts& out) {
  if (job < history_.starts.size() && history_.starts[job].shared) {
    NodeSet its(fitting.size(), history_.starts[job].nodes);
    its &= fitting;
    if (its.count() >= request.nodes) return first_fit_.choose(job, request, pool, its, out);
  }
  const bool spreads = request.spread.cores != 0;
  const std::int32_t most = spreads ? request.spread.nodes : request.nodes;
  const NodeRanges* const nodes = history_.nodes_of(job, request.nodes, most, fitting);
  if (spreads && nodes != nullptr && first_fit_.choose(job, request, pool, NodeSet(fitting.size(), *nodes), out) &&
      std::ssize(out) == nodes->count())
    return true;
  if (nodes == nullptr || spreads)
    return other_ != nullptr ? other_->choose(job, request, pool, fitting, out)
                             : first_fit_.choose(job, request, pool, fitting, out);
  out.clear();
  for_each_node(*nodes, [&](NodeId n) { out.push_back({n, fitting_gpus(request, pool.room(n))}); });
  return true;
}

}  // namespace coslice
