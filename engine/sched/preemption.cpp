#include "sched/preemption.h"

#include <algorithm>
#include <memory>

#include "sched/view.h"
#include "sched/suspended_jobs.h"

namespace coslice {

namespace {

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
  const std::unique_ptr<Availability> alone = view.without_reservations();
  const SlicedHost* const slices = sliced_host(view);
  return fewest(candidates, [&](const std::vector<StartedJob*>& jobs) {
    std::int64_t allowed = view.ceiling();  // under slices jobs of other classes may have nodes, too
    if (slices != nullptr)
      for (StartedJob* job : jobs) allowed += slices->freed_by(*job);
    return alone->fits_without(view.ask(p), jobs, allowed);
  });
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
