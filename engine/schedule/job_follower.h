// An observer of decisions that follows single jobs: it is told what would cost too much to find for all that wait.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedule/view.h"

namespace coslice {

/// Why a plan (plan_in_order.h) did not look at a waiting job.
enum class LeftOut : std::uint8_t {
  kDepth,  ///< it ended before the job
  kLimit,  ///< it has as many jobs as one of its limits lets be alike
};

/// What a job's place in the queue is made of: names and values, which a policy adds up.
using PriorityFactors = std::vector<std::pair<std::string, double>>;

class JobFollower : public DecisionObserver {
 public:
  /// Returns whether it is to be told why this job waits.
  virtual bool follows(JobIndex) const = 0;
  /// Tells the policy's words for why the job did not start in this pass, for where nothing is found that kept it.
  virtual void reasoned_if_none(const View&, JobIndex, std::string_view) {}
  /// Returns whether it is to be told what the places in the queue are made of of jobs that it follows.
  virtual bool wants_factors() const { return false; }
  virtual void weighed(const View&, JobIndex, const PriorityFactors&) {}
  /// Tells that a plan for this instant begins: what was told of the view's last one is over.
  virtual void planning(const View&) {}
  /// Tells, of a job that is followed, that it fits beside what runs, but not beside the places in the plan of jobs
  /// before it, up to that of `by`, which begins at `start`. It is looked at again by the next plan.
  virtual void planned_around(const View&, JobIndex, JobIndex /*by*/, Time /*start*/) {}
  /// Tells, of a job that is followed, that the plan did not look at it.
  virtual void left_out(const View&, JobIndex, LeftOut) {}
};

/// Calls f(JobFollower&) for each of them that observes the view.
template <class F>
void tell_followers(const View& view, F&& f) {
  view.explain([&](DecisionObserver& o) {
    if (auto* const follower = dynamic_cast<JobFollower*>(&o)) f(*follower);
  });
}

/// Returns whether one of them is to be told why the job waits.
inline bool is_followed(const View& view, JobIndex j) {
  bool found = false;
  tell_followers(view, [&](const JobFollower& f) { found = found || f.follows(j); });
  return found;
}

}  // namespace coslice
