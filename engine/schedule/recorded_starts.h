// A run that begins in the middle of a machine's history: until an instant jobs start as recorded, on the nodes that
// they had; from then on a scheduler decides.
//
// The scheduler is told of everything meanwhile, so that what it keeps in mind (usage, ages, counts) is as if it had
// decided so itself; only its passes are left out. What runs at that instant has run since its real start: limits,
// estimates and what is left of its run time follow from that without a rule of their own.
//
// Time slices are the policy's, so that there are none before: jobs of all classes run beside one another, and those of
// other classes stop when the first slice begins. Nor are there groups: jobs that run may be joined from then on.
#pragma once

#include <functional>

#include "machine/placement.h"
#include "schedule/scheduler.h"

namespace coslice {

/// When and where a job started by the record.
struct RecordedStart {
  Time start = kNever;  ///< kNever: not before the scheduler decides
  NodeRanges nodes{};   ///< empty: not known, or nodes are equal
  bool shared = false;  ///< among several components of the job, each of which has some of the nodes
};

struct RecordedHistory {
  std::vector<RecordedStart> starts;  ///< by JobIndex
  Time until{};                       ///< from here on the scheduler decides

  bool knows_nodes() const {
    return std::ranges::any_of(starts, [](const RecordedStart& s) { return !s.nodes.empty(); });
  }
  /// Returns the nodes that the job had, if these are `fewest` to `most` and all among the fitting ones; else null.
  const NodeRanges* nodes_of(std::uint32_t job, std::int32_t fewest, std::int32_t most, const NodeSet& fitting) const {
    const NodeRanges* const nodes = job < starts.size() ? &starts[job].nodes : nullptr;
    if (nodes == nullptr || nodes->count() < fewest || nodes->count() > most) return nullptr;
    return fitting.contains_all(*nodes) ? nodes : nullptr;
  }
};

/// Stands between a simulation, which asks at each recorded start and at `until`, and a scheduler. A start for which
/// there is no room at its time is made up for as soon as there is; a job that should have ended before `until` and has
/// not started by then is dropped.
class RecordedStarts : public WrappedScheduler {
 public:
  /// Makes the scheduler of the recorded starts, which asks `asked` about all other jobs. Both outlive it. Starts at or
  /// after history.until do not count.
  RecordedStarts(Scheduler& asked, const RecordedHistory& history, const std::function<bool(JobIndex)>& is_own);
  void schedule(View& view, const Pass& pass) override;

 private:
  void start_due(View& view);
  void drop_what_is_over(View& view);

  const RecordedHistory& history_;
  std::vector<JobIndex> order_;  ///< by recorded start
  std::size_t next_ = 0;         ///< in it
  std::vector<JobIndex> late_;   ///< due, and not started yet
  bool over_ = false;            ///< the scheduler decides
};

/// Gives jobs the nodes that the record says, if they fit there; else those that another placement chooses.
class RecordedPlacement : public Placement {
 public:
  /// Places jobs on their recorded nodes, others by `other`; null: on the first nodes on which they fit. Both outlive
  /// it.
  RecordedPlacement(const RecordedHistory& history, Placement* other) : history_(history), other_(other) {}
  bool choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
              Parts& out) override;

 private:
  const RecordedHistory& history_;
  Placement* other_;
  FirstFit first_fit_;
};

}  // namespace coslice
