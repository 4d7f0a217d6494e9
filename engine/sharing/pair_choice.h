// The choice of a partner with which a waiting job shares nodes: which jobs may be it, and which of them is the best.
// Nothing here starts anything; observers of decisions are told of each that is refused. (Sodan & Lan 2005, Section
// 5.2.)
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>

#include "jobs/slowdown.h"
#include "schedule/observer.h"
#include "schedule/view.h"
#include "sharing/fairness.h"
#include "sharing/group_search.h"

namespace coslice {

/// The jobs with which a job may share its nodes.
struct PairRules {
  double over = 0;        ///< both have estimates above this, s
  bool narrower = true;   ///< the job that comes last has no more nodes than the one that is there
  bool memory = true;     ///< both fit into the memory of a node
  bool matchable = true;  ///< see `kinds`
  /// Which kinds go together, by Resource in both orders. Two of the same kind must, besides, compete for their
  /// resource with a factor below 2, as then alone both together are done sooner than one after the other.
  std::array<std::array<bool, kResources>, kResources> kinds{
      {{true, true, true}, {true, true, true}, {true, true, true}}};
  double max_slowdown = 1.6;
};

/// How many candidates a rule and those before it left, in the order of Sodan & Lan (2005, Table 5).
struct PairCounts {
  std::size_t long_enough = 0, narrow_enough = 0, memory_fits = 0, matchable = 0, slow_enough = 0;
};

/// Returns whether `other` may share nodes with `job`; counts the rules that it passes. `wider` is the one of them
/// whose nodes are shared.
bool may_pair(const ResourceSlowdowns& model, const PairRules& rules, const Candidate& job, const Candidate& other,
              const Candidate& wider, PairCounts& counts);

/// Returns what two jobs on the same nodes gain in use, over one after the other, while they are together: U_gain,2.
/// `size` is in nodes. At most 1; negative if it were better to run them apart.
double overlap_gain(double size_a, double size_b, double slowdown);
/// Returns overlap_gain(), less the more different the times of the two are: U_gain,1.
double weighted_overlap_gain(double size_a, double size_b, double time_a, double time_b, double slowdown);

/// The partners of a job, and how many candidates each rule left.
struct Partners {
  Candidates found;
  PairCounts counts;
  std::size_t seen = 0;  ///< jobs looked at
};

/// What the best partner is.
struct PairChoice {
  enum class By { kFirst, kGain, kWeightedGain, kResponse, kFirstGain };  ///< kFirstGain: the first that gains use
  By by = By::kFirst;
  ResponseImpact::Own own = ResponseImpact::Own::kSlowdown;  ///< kResponse only
  ExpectedArrivals arrivals;                                 ///< kResponse only
  /// A waiting job that the pair must not delay.
  std::optional<View::Position> head;
};

struct ChosenPair {
  GroupPlan plan;
  std::size_t place = 0;  ///< of the partner in the list, from 0
  double profit = 0;      ///< by which it is the best; above 0
};

class PairChooser {
 public:
  /// Makes the choice for the waiting job at `at`. All references outlive it; the view does not change.
  PairChooser(const View& view, const GroupSearch& search, const ResourceSlowdowns& model, View::Position at);

  /// Returns the jobs that wait behind it, or, if given, behind that one, of which `depth` are looked at; in order of
  /// the queue.
  Partners waiting(const PairRules& rules, std::size_t depth = std::numeric_limits<std::size_t>::max(),
                   std::optional<View::Position> behind = std::nullopt) const;
  /// Returns the jobs that run for themselves, on whose nodes it could be placed; in order of their starts.
  Partners running(const PairRules& rules) const;
  /// Returns the best of these; the first of equals. Precondition: stranger() finds none.
  std::optional<ChosenPair> best(const Candidates& partners, const PairChoice& choice) const;
  /// Returns the first that neither runs for itself nor waits behind the ones before it; null if all do.
  const Candidate* stranger(const Candidates& partners) const;

 private:
  bool may_pair_told(const PairRules& rules, const Candidate& other, const Candidate& over, PairCounts& counts) const;
  GroupPlan plan(const Candidate& other) const;
  bool leaves_in_time(const GroupPlan& plan, View::Position head) const;
  void refuse(const Candidate& other, double profit, GroupRefusal why, JobIndex hurt = kNoJob) const;

  const View& view_;
  const GroupSearch& search_;
  const ResourceSlowdowns& model_;
  View::Position at_;
  Candidate job_;
};

}  // namespace coslice
