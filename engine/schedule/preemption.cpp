#include "schedule/preemption.h"

namespace coslice {
namespace {

/// Nodes that the ledger holds now for these jobs, each of which has its own.
std::int64_t held_by(const View& view, const std::vector<StartedJob*>& jobs) {
  std::int64_t held = 0;
  for (const StartedJob* job : jobs)
    if (job->expected_end > view.now()) held += job->held;
  return held;
}

}  // namespace

std::vector<StartedJob*> fewest_that_fit(const std::vector<StartedJob*>& candidates,
                                         const std::function<bool(const std::vector<StartedJob*>&)>& fits) {
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

std::vector<StartedJob*> choose_victims(const View& view, View::Position p,
                                        const std::vector<StartedJob*>& candidates) {
  const std::unique_ptr<Availability> alone = view.without_reservations();
  const SlicedHost* const slices = sliced_host(view);
  return fewest_that_fit(candidates, [&](const std::vector<StartedJob*>& jobs) {
    if (slices != nullptr) {  // there jobs of other classes may have nodes, too
      const SlicedHost::Freed freed = slices->freed_by(jobs);
      return alone->fits_without(view.ask(p), jobs, freed.held, view.ceiling() + freed.nodes);
    }
    return alone->fits_without(view.ask(p), jobs, held_by(view, jobs), view.ceiling());
  });
}

std::vector<StartedJob*> choose_lenders(const View& view, View::Position p,
                                        const std::vector<StartedJob*>& candidates) {
  const std::unique_ptr<Availability> alone = view.without_reservations();
  if (sliced_host(view) != nullptr) alone->set_ceiling(view.ceiling());  // jobs of other classes may have nodes, too
  return fewest_that_fit(candidates, [&](const std::vector<StartedJob*>& jobs) {
    NodeRanges lent;
    for (const StartedJob* job : jobs) lent = together(lent, view.host().lendable(*job));
    return alone->fits_over(view.ask(p), lent);
  });
}

Duration SuspendedJobs::Lender::time(Time now) const { return std::max(now - since, Duration{0}); }

Duration SuspendedJobs::time_suspended(JobIndex j, Time now) const {
  const auto before = before_.find(j);
  const auto at = lenders_.find(j);
  return (before == before_.end() ? Duration{0} : before->second.time) +
         (at == lenders_.end() ? Duration{0} : at->second.time(now));
}

Time SuspendedJobs::went_on(JobIndex j) const {
  const auto before = before_.find(j);
  return before == before_.end() ? Time{} : before->second.went_on;
}

Time SuspendedJobs::told(JobIndex j, Time now) const {
  const auto before = before_.find(j);
  if (before == before_.end()) return kNever;
  const auto at = lenders_.find(j);
  return at == lenders_.end() ? before->second.told : later(before->second.told, at->second.time(now));
}

Duration SuspendedJobs::resume(JobIndex j, Time now) {
  const auto at = lenders_.find(j);
  const Lender lender = at->second;
  Before& before = before_[j];
  before.told = told(j, now);
  before.time += lender.time(now);
  before.went_on = now;
  lenders_.erase(at);
  return lender.planned;
}

NodeRanges SuspendedJobs::lent_by(JobIndex j) const {
  NodeRanges lent;
  for (const auto& [borrower, loans] : loans_)
    for (const Loan& loan : loans)
      if (loan.lender == j) lent = together(lent, loan.nodes);
  return lent;
}

NodeRanges SuspendedJobs::lent_to(JobIndex borrower) const {
  NodeRanges lent;
  const auto at = loans_.find(borrower);
  if (at == loans_.end()) return lent;
  for (const Loan& loan : at->second) lent = together(lent, loan.nodes);
  return lent;
}

std::vector<StartedJob*> SuspendedJobs::lenders_of(JobIndex borrower) const {
  std::vector<StartedJob*> jobs;
  const auto at = loans_.find(borrower);
  if (at == loans_.end()) return jobs;
  for (const Loan& loan : at->second) jobs.push_back(lenders_.at(loan.lender).job);
  return jobs;
}

std::vector<StartedJob*> SuspendedJobs::take_back(JobIndex borrower) {
  std::vector<StartedJob*> jobs = lenders_of(borrower);
  loans_.erase(borrower);
  std::erase_if(jobs, [&](const StartedJob* job) { return is_kept(job->index) || !lent_by(job->index).empty(); });
  std::ranges::sort(jobs, {}, [&](const StartedJob* a) { return lenders_.at(a->index).sequence; });
  return jobs;
}

std::vector<std::pair<StartedJob*, NodeRanges>> SuspendedJobs::leave(JobIndex lender) {
  std::multimap<std::pair<Time, JobIndex>, std::pair<StartedJob*, NodeRanges>> by_start;
  for (auto at = loans_.begin(); at != loans_.end();) {
    std::erase_if(at->second, [&](const Loan& loan) {
      if (loan.lender != lender) return false;
      by_start.emplace(std::pair(loan.borrower->start, loan.borrower->index), std::pair(loan.borrower, loan.nodes));
      return true;
    });
    at = at->second.empty() ? loans_.erase(at) : std::next(at);
  }
  std::vector<std::pair<StartedJob*, NodeRanges>> kept;
  for (auto& [start, loan] : by_start) kept.push_back(std::move(loan));
  return kept;
}

Time SuspendedJobs::expected_end(JobIndex j, Time now) const {
  Time end = std::max(now, lenders_.at(j).earliest);
  for (const auto& [borrower, loans] : loans_)
    for (const Loan& loan : loans)
      if (loan.lender == j) end = std::max(end, loan.borrower->expected_end);
  return later(end, lenders_.at(j).planned);
}

}  // namespace coslice
