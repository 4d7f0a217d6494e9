// Whether a sharing group is fair: no job, waiting or running, may end so late because of it that its response time
// exceeds what was expected when the job came, by more than a slack. (Zeng 2009, Section 4.2; Equation 4.)
#pragma once

#include <vector>

#include "sched/view.h"
#include "sharing/group_search.h"
#include "sharing/reserved_steps.h"

namespace coslice {

struct FairnessOptions {
  double slack = 1.5;  ///< F_slack
  /// The fraction of the response time in a simulation of the queue that is expected, as that knows neither coscheduling
  /// nor backfilling into other slices; `predicted`: the same for the time that is still to come in a prediction.
  double expected = 0.75;
  double predicted = 0.75;
  bool members = true;  ///< the jobs of the group are protected, too
};

/// The first job, in order of the queue, whose reservation could not stay where it is if the plan started now; kNoJob if
/// all could. ReservedSteps::fits tells whether there is one much faster.
JobIndex first_displaced(const View& view, const GroupSearch& search, const GroupPlan& plan);

/// Response times expected at submission, and the test of groups against them. One per view.
class Fairness {
 public:
  /// Notes what to expect for the job that has just come: the end that a conservative schedule of all waiting jobs
  /// would give it, none sharing nodes, from its submission on the wall clock. Returns it.
  Duration expect(const View& view, JobIndex j);
  /// The response time that the job is to keep; Duration::max() if nothing was expected. (Zeng 2009, Eq. 4.)
  Duration bound(JobIndex j, const FairnessOptions& o) const;
  /// What was noted; Duration::max() if nothing was.
  Duration expected(JobIndex j) const { return j < noted_.size() ? noted_[j].response : Duration::max(); }
  /// Predicted response time of a started job over the expected one; how much it is late.
  double delay(const View& view, const StartedJob& job, const FairnessOptions& options) const;
  /// Whether every job keeps the bound, or is not made later by the group; if not, `hurt` is the first that does not.
  /// `steps`, of the same view, spares most questions.
  bool fair(const View& view, const GroupSearch& search, const GroupPlan& plan, const FairnessOptions& options,
            JobIndex* hurt = nullptr, ReservedSteps* steps = nullptr) const;

 private:
  struct Noted {
    Duration response = Duration::max();
    Time came{};
  };
  Duration predicted(const View& view, JobIndex j, Time end, const FairnessOptions& o) const;
  bool keeps(const View& view, JobIndex j, Time before, Time after, const FairnessOptions& o) const;

  bool fair_to_members(const View& view, const GroupPlan& plan, const std::vector<double>& ends,
                       const FairnessOptions& o, JobIndex* hurt) const;

  std::vector<Noted> noted_;  ///< by JobIndex
};

}  // namespace coslice
