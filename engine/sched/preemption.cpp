#include "sched/preemption.h"

#include <algorithm>
#include <memory>

#include "sched/resource_book.h"
#include "sched/sliced_host.h"
#include "sched/suspended_jobs.h"

namespace coslice {

namespace {

/// Whether the waiting job could start if some started jobs were not there.
class WhatIf {
 public:
  WhatIf(const View& view, View::Position p) : view_(view), ask_(view.ask(p)) {
    if (view.by_count()) free_ = view.without_reservations()->free_now();
    slices_ = sliced_host(view);
  }

  bool fits_without(const std::vector<StartedJob*>& jobs) const {
    return view_.by_count() ? fits_in_counts(jobs) : fits_in_book(jobs);
  }

 private:
  /// Started jobs only go, so that what is free now stays so. Under slices jobs of other classes may have nodes, too.
  bool fits_in_counts(const std::vector<StartedJob*>& jobs) const {
    std::int64_t free = free_, allowed = view_.ceiling();
    for (StartedJob* job : jobs) {
      if (job->expected_end > view_.now()) free += job->held;
      if (slices_ != nullptr) allowed += slices_->freed_by(*job);
    }
    return std::min(free, allowed) >= ask_.nodes;
  }

  bool fits_in_book(const std::vector<StartedJob*>& jobs) const {
    const std::unique_ptr<Availability> alone = view_.without_reservations();
    for (const StartedJob* job : jobs) {
      StartedJob gone;
      gone.index = job->index;
      gone.node_count = job->node_count;
      gone.start = job->start;
      gone.expected_end = job->expected_end;
      gone.held = job->held;
      gone.nodes = job->nodes;
      gone.parts = job->parts;
      gone.unit = job->unit;
      gone.hold = job->hold;
      alone->finish(gone);
    }
    return alone->fits_now(ask_);
  }

  const View& view_;
  Ask ask_;
  const SlicedHost* slices_ = nullptr;
  std::int64_t free_ = 0;  ///< nodes that are free now, where they are counted
};

/// As few of the candidates as need be; `fits` says whether some are enough.
template <class Fits>
std::vector<StartedJob*> fewest(const std::vector<StartedJob*>& candidates, Fits&& fits) {
  if (!fits(candidates)) return {};
  // Fewer jobs never fit where more do not: the shortest beginning of the list that is enough is found by halving.
  std::size_t too_few = 0, enough = candidates.size();
  while (enough - too_few > 1) {
    const std::size_t half = (too_few + enough) / 2;
    const std::vector<StartedJob*> some(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(half));
    (fits(some) ? enough : too_few) = half;
  }
  std::vector<StartedJob*> victims(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(enough));
  for (std::size_t i = victims.size(); i-- > 0 && victims.size() > 1;) {
    std::vector<StartedJob*> others = victims;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (fits(others)) victims = std::move(others);
  }
  return victims;
}

}  // namespace

std::vector<StartedJob*> choose_victims(const View& view, View::Position p,
                                        const std::vector<StartedJob*>& candidates) {
  const WhatIf what_if(view, p);
  return fewest(candidates, [&](const std::vector<StartedJob*>& jobs) { return what_if.fits_without(jobs); });
}

std::vector<StartedJob*> choose_lenders(const View& view, View::Position p,
                                        const std::vector<StartedJob*>& candidates) {
  const std::unique_ptr<Availability> alone = view.without_reservations();
  return fewest(candidates, [&](const std::vector<StartedJob*>& jobs) {
    NodeRanges lent;
    for (const StartedJob* job : jobs) lent = together(lent, view.host().lendable(*job));
    return alone->fits_over(view.ask(p), lent);
  });
}

}  // namespace coslice
