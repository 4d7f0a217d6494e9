#include "scenario/machine/repetitions.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/markup.h"

namespace coslice {
namespace {

constexpr Duration kYear = whole_seconds(365 * 24 * 3600);
constexpr std::int64_t kLeastRepetitions = 1000, kTimesTheNeed = 4;

Duration sum(Duration a, Duration b) { return a > Duration::max() - b ? Duration::max() : a + b; }
Duration times(std::int64_t n, Duration d) { return n != 0 && d > Duration::max() / n ? Duration::max() : n * d; }

/// Something that repeats.
struct Repeated {
  std::string what;
  Time from;
  Duration length, every;
  Time until;
};

std::vector<Repeated> repeated(const Scenario& scenario, const RepetitionEnds& ends) {
  std::vector<Repeated> all;
  for (const ReservationSpec& r : scenario.reservations)
    if (r.from && r.length && r.every)
      all.push_back({fmt::format("the reservation '{}'", r.name), *r.from, *r.length, *r.every, ends.of(r)});
  for (const PlannedOutage& o : scenario.outages.planned) {
    if (o.every == Duration{0}) continue;
    const std::string& file = o.place.source ? o.place.source->name : scenario.file;
    const char* kind = kOutageNames[static_cast<std::size_t>(o.kind)];
    all.push_back({fmt::format("the {} of {}:{}", kind, file, o.place.line), o.from, o.length, o.every, ends.of(o)});
  }
  return all;
}

/// The end of its last repetition.
Time last_end(const Repeated& r) {
  const std::int64_t times = r.until < r.from ? 0 : (r.until - r.from) / r.every;
  return later(later(r.from, r.every * times), r.length);
}

}  // namespace

RepetitionEnds::RepetitionEnds(const std::vector<Job>& jobs) {
  if (!jobs.empty()) first_ = jobs.front().submit, last_ = jobs.back().submit;
  known_ = last_;
  needs_.reserve(jobs.size());
  for (const Job& job : jobs) {
    needs_.push_back(std::max(job.limit, job.runtime));
    if (!job.has_extras()) continue;
    apart_ = sum(apart_, std::max(job.extras->think_time, Duration{0}));
    for (const auto instant : kInstantsOfJobs) known_ = std::max(known_, Time{job.extras->*instant});
  }
  std::ranges::sort(needs_);
  for (const Duration need : needs_) sums_.push_back(sum(sums_.empty() ? Duration{0} : sums_.back(), need));
}

Time RepetitionEnds::of(const PlannedOutage& spec) const {
  const bool whole = spec.kind == OutageKind::kMaintenance && spec.nodes.empty() && spec.numbers.empty();
  return until(spec.every, whole ? spec.every - spec.length : Duration::max());
}

/// Jobs inside may be as long as it is.
Time RepetitionEnds::of(const ReservationSpec& spec) const {
  const bool whole = spec.nodes.empty() && spec.count == 0;
  const Duration between = *spec.every - *spec.length;  // below 0: its times meet
  return until(*spec.every, whole && between > Duration{0} ? std::max(between, *spec.length) : Duration::max());
}

/// Jobs that are longer than `longest` can start at none of its times.
Time RepetitionEnds::until(Duration every, Duration longest) const {
  const Time year = later(later(last_, last_ - first_), kYear);
  const auto jobs = std::ranges::upper_bound(needs_, longest) - needs_.begin();
  const Duration alone = jobs == 0 ? Duration{0} : sums_[static_cast<std::size_t>(jobs - 1)];
  const Duration need = times(kTimesTheNeed, sum(sum(alone, times(jobs, every)), apart_));
  return std::min(year, later(later(known_, last_ - first_), std::max(need, times(kLeastRepetitions, every))));
}

std::vector<std::string> repetition_warnings(const Scenario& scenario, const RunResult& result) {
  const std::vector<Job>& jobs = result.workload->jobs;
  if (jobs.empty()) return {};
  std::vector<std::string> warnings;
  for (const Repeated& r : repeated(scenario, RepetitionEnds(jobs))) {
    const Time over = last_end(r);
    std::int64_t count = 0;
    std::size_t first = 0;
    for (std::size_t j = 0; j != result.outcomes.size(); ++j) {
      const Time start = result.outcomes[j].start;
      if (start == kNever || start < over) continue;
      if (count++ == 0 || start < result.outcomes[first].start) first = j;
    }
    if (count == 0) continue;
    warnings.push_back(
        fmt::format("{} repeats until {} s only, long behind the last jobs, and {} started later; job {}, the first of "
                    "them, may fit between no two repetitions",
                    r.what, grouped(to_seconds(over), 0), counted(count, "job"), jobs[first].id));
  }
  return warnings;
}

}  // namespace coslice
