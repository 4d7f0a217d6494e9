#include "drive/present_scheduler.h"

#include "api/policy/lua_scheduler.h"
#include "machine/placement.h"
#include "run/simulation.h"

namespace coslice::drive {
namespace {

/// Thrown out of the simulation when it is over.
struct IsOver {};

/// Gives jobs the nodes that they have, and others what the policy's placement says.
class KnownNodes : public Placement {
 public:
  /// Places jobs on `nodes`, by JobIndex; by `others` (null: FirstFit) where these are empty. Both outlive the object.
  KnownNodes(const std::vector<NodeRanges>& nodes, Placement* others)
      : nodes_(nodes), others_(others != nullptr ? *others : first_fit_) {}
  bool choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
              Parts& out) override;

 private:
  const std::vector<NodeRanges>& nodes_;
  FirstFit first_fit_;
  Placement& others_;
};

bool KnownNodes::choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
                        Parts& out) {
  const NodeRanges& nodes = nodes_[job];
  if (nodes.empty()) return others_.choose(job, request, pool, fitting, out);
  if (!fitting.contains_all(nodes)) return false;
  if (request.spread.cores != 0) {
    std::vector<NodeId> all;
    for_each_node(nodes, [&](NodeId n) { all.push_back(n); });
    return spread_in_order(request, pool, std::move(all), out);
  }
  out.clear();
  for (const NodeRange& r : nodes.ranges())
    for (NodeId n = r.first; n <= r.last; ++n) out.push_back({n, fitting_gpus(request, pool.room(n))});
  return true;
}

}  // namespace

PresentScheduler::PresentScheduler(const Present& present)
    : WrappedScheduler(nullptr), present_(present), left_(present.jobs.size() - present.waiting().size()) {}

void PresentScheduler::started(View& view, JobIndex j) {
  if (!runs_already(j)) starts_.push_back(j);
  asked_->started(view, j);
}

/// Before the present there are no others in the queue, then they come first. Later there are none.
void PresentScheduler::start_what_runs(View& view) {
  if (left_ == 0) return;
  std::vector<JobIndex> jobs;
  for (auto p = view.queue().first(); p != view.queue().end(); p = view.queue().next(p))
    if (runs_already(view.queue().job(p))) jobs.push_back(view.queue().job(p));
  left_ -= jobs.size();
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
  asked_->schedule(view, pass);
  if (view.now() >= present_.now && is_over(view)) throw IsOver{};
}

void simulate_present(const Decider& decider, const Present& present, const std::vector<Job>& jobs,
                      PresentScheduler& scheduler) {
  const std::unique_ptr<Policy> policy = load_policy(decider);
  LuaScheduler asked(*policy, nullptr, present.machine);
  TraceClock clock;
  clock.unix_at_0 = present.origin;
  asked.use_calendar(clock);
  KnownNodes placement(present.nodes, asked.placement(*present.layout, present.typical, decider.context.seed));
  scheduler.asked_ = &asked;
  Simulation simulation(present.machine, jobs, scheduler, {}, {&present.workload.requests, {&placement}},
                        present.outages ? &*present.outages : nullptr);
  try {
    simulation.run();
  } catch (const IsOver&) {}
}

}  // namespace coslice::drive
