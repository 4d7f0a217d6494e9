// Whether a sharing group is fair: no job, waiting or running, may end so late because of it that its response time
// exceeds what was expected when the job came, by more than a slack. (Zeng 2009, Section 4.2; Equation 4.)
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/view.h"
#include "sharing/group_search.h"
#include "sharing/reserved_steps.h"

namespace coslice {

// The change of all jobs' response times if a job further back in the queue comes forward to share the nodes of one at
// its front: those between them wait longer, those behind gain what the pair saves. All jobs are taken to pack
// perfectly, so a job's work is its share of the whole machine's time. (Sodan & Lan 2005, Section 5.2; the pseudo-code
// of Figure 5 has slips, which docs/lomarc.md lists.)

/// Nodes and seconds of a job.
struct NodesTime {
  double nodes, time;
};

/// Jobs that are expected to come while the queue is worked off; one level of prediction.
struct ExpectedArrivals {
  double first = 0;    ///< of those that go before all others (short ones), 1/s
  double others = 0;   ///< of all others, 1/s
  double work = 0;     ///< mean of all jobs, nodes x seconds over the nodes of the machine; 0: no job comes
  bool queued = true;  ///< the others wait for the queue and for each other; else, as printed, for themselves only
};

class ResponseImpact {
 public:
  /// How the job at the front counts itself: by its own slowdown, or, as printed, by the pair's delay over its work.
  enum class Own : std::uint8_t { kSlowdown, kWork };

  /// Sums up the queue behind the first job. `queue`: the jobs behind it, in order. Times may be what is left of them.
  /// O(queue).
  ResponseImpact(NodesTime first, const std::vector<NodesTime>& queue, double machine_nodes,
                 const ExpectedArrivals& arrivals, Own own = Own::kSlowdown);

  /// Returns the mean relative decrease of the response times, from now on, if the queue's j-th job (from 0) shares the
  /// first one's nodes, each slowed down by that factor. Negative: they grow. O(1).
  double of(std::size_t j, double slowdown) const;

 private:
  double work(const NodesTime& x) const { return x.time * x.nodes / machine_nodes_; }

  NodesTime first_;
  const std::vector<NodesTime>& queue_;
  double machine_nodes_;
  ExpectedArrivals arrivals_;
  Own own_;
  std::vector<double> done_;      ///< time at which all jobs up to the j-th are done, one after the other
  std::vector<double> per_done_;  ///< sum of 1 / done_ up to the j-th
  double short_arrivals_ = 0, other_arrivals_ = 0;
  double per_arrival_ = 0;  ///< sum over the other arrivals of 1 / (time at which they are done)
};

struct FairnessOptions {
  double slack = 1.5;  ///< F_slack
  /// The fraction of the response time in a simulation of the queue that is expected, as the simulation has neither
  /// coscheduling nor backfilling into other slices; `predicted`: the same for the time that is still to come in a
  /// prediction.
  double expected = 0.75;
  double predicted = 0.75;
  bool members = true;  ///< the jobs of the group are protected, too
  /// Only this much later than without the group counts as later.
  Duration worse = whole_seconds(1);
};

/// Returns the first job, in order of the queue, whose reservation could not stay where it is if the plan started now;
/// kNoJob if all could. ReservedSteps::fits tells whether there is one much faster.
JobIndex first_displaced(const View& view, const GroupSearch& search, const GroupPlan& plan);

/// What a job could expect when it came, on the machine's clock, and whether that is kept.
struct Expectation {
  Duration response = Duration::max();  ///< max(): nothing was expected
  Time came{};

  /// Notes that the job, which came at `came`, is expected to end at that instant of the view.
  void expect(const View& view, Time end) { response = view.wall_time_after(end - view.now()) - came; }
  /// Returns the response time that is to be kept. (Zeng 2009, Eq. 4.)
  Duration bound(const FairnessOptions& o) const;
  /// Returns the predicted response time if the job ends at that instant of the view.
  Duration predicted(const View& view, Time end, const FairnessOptions& o) const;
  /// Returns whether a job that is to end at `after` instead of at `before`, instants of the view, keeps the bound or
  /// is not later.
  bool keeps(const View& view, Time before, Time after, const FairnessOptions& o) const;
};

/// Response times expected at submission, and the test of groups against them. One per view.
class Fairness {
 public:
  /// Notes what to expect for the job that has just come: the end that a conservative schedule of all waiting jobs
  /// would give it, none sharing nodes, from its submission on the wall clock. Returns it.
  const Expectation& expect(const View& view, JobIndex j);
  /// Returns the predicted response time of a started job over the expected one: how much it is late.
  double delay(const View& view, const StartedJob& job, const FairnessOptions& options) const;
  /// Returns whether every job keeps the bound, or is not made later by the group; if not, `hurt` is the first that
  /// does not. `steps`, of the same view, spares most questions.
  bool fair(const View& view, const GroupSearch& search, const GroupPlan& plan, const FairnessOptions& options,
            JobIndex* hurt, ReservedSteps& steps) const;

 private:
  Expectation of(JobIndex j) const { return j < noted_.size() ? noted_[j] : Expectation(); }
  bool fair_to_members(const View& view, const GroupPlan& plan, const std::vector<double>& ends,
                       const FairnessOptions& o, JobIndex* hurt) const;

  std::vector<Expectation> noted_;  ///< by JobIndex
};

}  // namespace coslice
