// The search for jobs that gain most from sharing nodes: which tolerate each other, which sets of them fit well on a
// primary job's nodes. Plain values; nothing here starts anything. (Zeng 2009, Section 4.6; the steps are numbered as
// there.)
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "jobs/job.h"
#include "jobs/job_demands.h"
#include "jobs/slowdown.h"
#include "schedule/observer.h"
#include "schedule/view.h"
#include "sharing/sharing.h"

namespace coslice {

// What a sharing group gains: the node time that its jobs would have needed one process a node, beyond the node time
// that they use together. (Zeng 2009, Equations 5 and 6.)

/// A job beside a primary one. Slowdowns are total: of processes over the node's cores, and beside the other.
struct GainMember {
  double processes = 1;
  double work = 0;        ///< left to do, s with one process a node on nodes of its own
  double slowdown = 1;    ///< of the job, by the primary
  double on_primary = 1;  ///< of the primary, by the job
};

/// Between two ends in the group.
struct GainPeriod {
  double time = 0;                   ///< s
  double slowdown = 1;               ///< of the primary
  std::vector<std::size_t> members;  ///< those still there, beside the primary
};

/// All that happens until the group is over: until the primary ends or no job is left beside it.
struct GainTimeline {
  double time = 0;           ///< s
  double primary_left = 0;   ///< work
  std::vector<double> left;  ///< work, by member
  std::vector<GainPeriod> periods;
};

/// Returns the gain alone. `nodes` is what the group occupies: the larger of the primary's and of all the others'
/// together. 0 if there are no members or nothing to do.
double utilization_gain(double processes, double work, const std::vector<GainMember>& members, double nodes);
/// Returns the same of a primary that has all nodes and one other job, of `share` of the primary's size: whatever is
/// left of either, they gain as much until the first ends. `primary` and `other`: what they keep of their speeds.
inline double gain_of_pair(double primary, double other, double share) { return primary + other * share - 1; }
/// Says what happens to a primary with that work left and those beside it until the group is over.
GainTimeline gain_timeline(double work, const std::vector<GainMember>& members);

// How much two jobs interfere, remembered: a search around a primary job goes over the whole queue, at each
// pass again, and what a model says of a pair never changes.

class PairSlowdowns {
 public:
  /// Of the primary by the other job, and the other way round.
  struct Pair {
    double primary = 1, other = 1;
  };

  /// Returns what the two jobs do to each other. `gpu_type`: of the GPUs that both have, always the same one for a
  /// pair; -1 if they have none.
  const Pair& of(const SlowdownModel& model, JobIndex primary, JobIndex other, std::int32_t gpu_type) {
    Row& row = rows_[primary % kRows];
    if (row.primary != primary) {
      row.primary = primary;
      row.known.assign(row.known.size(), 0);
    }
    const std::size_t word = other / 64;
    if (word >= row.known.size()) {
      row.known.resize(2 * word + 1, 0);
      row.pairs.resize(64 * row.known.size());
    }
    const std::uint64_t bit = std::uint64_t{1} << other % 64;
    Pair& pair = row.pairs[other];
    if ((row.known[word] & bit) == 0) {
      row.known[word] |= bit;
      pair = gpu_type < 0 ? Pair{model.beside(primary, other), model.beside(other, primary)}
                          : Pair{model.beside_on(primary, other, gpu_type), model.beside_on(other, primary, gpu_type)};
    }
    return pair;
  }

 private:
  static constexpr std::size_t kRows = 32;

  struct Row {
    JobIndex primary = kNoJob;
    std::vector<std::uint64_t> known;  ///< a bit for each other job
    std::vector<Pair> pairs;           ///< by other job
  };

  std::array<Row, kRows> rows_;  ///< the primary jobs of late
};

/// A job that may become part of a sharing group.
struct Candidate {
  JobIndex job = kNoJob;
  bool running = false;      ///< for itself; else it waits
  std::int32_t ppn = 1;      ///< processes per node, in the group
  std::int32_t nodes = 1;    ///< in the group
  std::int32_t demand = -1;  ///< what it asks for there (JobDemands::demands()); -1 where nodes are counted
  double processes = 1;
  double runtime = 0;  ///< estimate, s
  double work = 0;     ///< left to do by the estimate, s
  GainMember beside;   ///< beside the primary that it was tested with last
};

/// What the two sides of a pair put up with.
struct Tolerance {
  double max_slowdown = 1.25;  ///< MAX_SL, of each by the other
  bool total = true;           ///< slowdowns over the node's cores count too, not only those by the other
  double exceed = 0.125;       ///< MATCHED_EXCEED_PRIM: at most this part more nodes than the primary's
  double longer = 3000;        ///< MAX_MATCHED_LONGER_PRIM: at most this much longer than the primary, s
  bool operator==(const Tolerance&) const = default;
};

/// A set of jobs over a primary one.
struct GroupPlan {
  Candidate primary;
  std::vector<Candidate> matched;
  double gain = 0;         ///< utilization gain
  std::int32_t nodes = 0;  ///< nodes that the group occupies
  std::int32_t fresh = 0;  ///< nodes of these not yet held by members

  /// Says whether the job is of the set.
  bool has(JobIndex j) const {
    const auto same = [j](const Candidate& c) { return c.job == j; };
    return primary.job == j || std::ranges::any_of(matched, same);
  }
};

using Candidates = std::vector<Candidate>;

/// Converts seconds to a time of at most a century: factors come from users, and may be large.
inline Duration at_most_a_century(double seconds) { return from_seconds(std::min(seconds, 4e9)); }
/// Says which instant of the view that is, a century ahead at most.
inline Time from_now(const View& view, double seconds) { return later(view.now(), at_most_a_century(seconds)); }

class GroupSearch {
 public:
  /// Makes the search. `slowdowns` outlives it, and is as the layout of the shape has them.
  GroupSearch(const SlowdownModel& slowdowns, const NodeShape& shape) : slowdowns_(slowdowns), shape_(shape) {}

  const NodeShape& shape() const { return shape_; }
  /// Lets jobs tolerate each other only if a node has room for both: nodes are distinguished. `demands` outlives the
  /// search.
  void use(const JobDemands& demands) { demands_ = &demands; }
  /// Step 1: returns those that the primary tolerates and that tolerate it, in the same order. Cores for both must
  /// exist.
  Candidates tolerating(const Candidate& primary, const Candidates& from, const Tolerance& t) const;
  /// Returns what the job is beside the primary, if both tolerate each other so that it would be among these; else
  /// nothing.
  std::optional<GainMember> tolerated(const Candidate& primary, const Candidate& other, const Tolerance& t) const;
  /// Returns for how long at least, s from now, a primary job with that work left has its nodes, whatever is laid over
  /// it.
  double least_end(const Candidate& primary) const;
  /// Step 3: cuts the jobs into blocks of that size; inside each the longest first, if `sorted` (stable).
  static std::vector<Candidates> blocks(const Candidates& from, std::size_t size, bool sorted);
  /// Step 4: returns for each job of the block the set that begins there and goes on until a job does not fit over the
  /// primary.
  std::vector<GroupPlan> windows(const Candidate& primary, const Candidates& block, double exceed) const;
  /// Step 5: adds the others that fit and let the gain rise, one after the other. Each improvement is a plan.
  std::vector<GroupPlan> extended(const GroupPlan& plan, const Candidates& others, double exceed) const;
  /// Step 6: removes the jobs that contribute nothing, worst for the primary first. One is left at least.
  GroupPlan purified(GroupPlan plan) const;
  /// Returns all sets of up to `most` jobs that fit over the primary, the best first; beyond the paper. Among equal
  /// gains the earlier jobs first. Sets are tried in full, so their number is bounded: throws SimulationError beyond a
  /// million.
  GroupPlan best_of_all(const Candidate& primary, const Candidates& from, double exceed, std::size_t most) const;
  /// Returns when the members of the plan would end, s from now: the primary, then the matched jobs.
  std::vector<double> ends(const GroupPlan& plan) const;
  /// Returns the time until the last of them would have ended.
  Duration time(const GroupPlan& plan) const;
  /// Until when how many nodes are held for the plan, from now on: each until the last job on it ends.
  struct Holding {
    std::int32_t nodes;
    double until;  ///< s from now
  };
  static std::vector<Holding> holdings(const GroupPlan& plan, const std::vector<double>& ends);
  /// Returns the plan for these; candidates must have been tested with the primary (tolerating).
  GroupPlan plan(const Candidate& primary, Candidates matched) const;

 private:
  static bool fits_over(const Candidate& primary, std::int32_t nodes, double exceed) {
    return static_cast<double>(nodes) <= (1 + exceed) * static_cast<double>(primary.nodes);
  }
  GainMember beside(const Candidate& primary, const Candidate& other) const;
  bool distinguished(const Candidate& a, const Candidate& b) const {
    return demands_ != nullptr && a.demand >= 0 && b.demand >= 0;
  }

  const SlowdownModel& slowdowns_;
  const JobDemands* demands_ = nullptr;  ///< null: nodes are counted
  mutable PairSlowdowns pairs_;
  double alone(const Candidate& c) const { return slowdowns_.alone(c.job, c.ppn, shape_.first()); }

  NodeShape shape_;
};

// The jobs of a view as members of sharing groups to be.

/// Returns a job that waits in the view.
Candidate waiting_candidate(const View& view, JobIndex j);
/// Returns a started job, with the work that is left as the scheduler believes.
Candidate running_candidate(const View& view, const StartedJob& s);
/// Returns what the plan asks of the ledger.
GroupAsk ask_of(const View& view, const GroupSearch& search, const GroupPlan& plan);
/// Returns whether there are nodes for the plan now, whatever is reserved.
bool can_be_placed(const View& view, const GroupSearch& search, const GroupPlan& plan);
/// Returns the ledger without reservations, with the group of the plan from now on: for a what-if. Precondition:
/// can_be_placed().
std::unique_ptr<Availability> ledger_with(const View& view, const GroupSearch& search, const GroupPlan& plan);
/// Returns whether the job still waits, or runs for itself and keeps its nodes, as it did when it became a candidate.
bool is_current(const View& view, const Candidate& c);
/// Tells the observers of decisions that the plan was refused.
inline void refuse_plan(const View& view, const GroupPlan& plan, GroupRefusal why, JobIndex hurt = kNoJob,
                        std::string_view words = {}) {
  view.explain([&](DecisionObserver& o) { o.group_refused(view, plan, why, hurt, words); });
}

}  // namespace coslice
