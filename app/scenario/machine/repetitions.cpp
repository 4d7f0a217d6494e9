#include "scenario/machine/repetitions.h"

#include <fmt/format.h>

#include "report/markup.h"

namespace coslice {
namespace {

/// Something that repeats.
struct Repeated {
  std::string what;
  Time from;
  Duration length, every;
};

std::vector<Repeated> repeated(const Scenario& scenario) {
  std::vector<Repeated> all;
  for (const ReservationSpec& r : scenario.reservations)
    if (r.from && r.length && r.every)
      all.push_back({fmt::format("the reservation '{}'", r.name), *r.from, *r.length, *r.every});
  for (const PlannedOutage& o : scenario.outages.planned) {
    if (o.every == Duration{0}) continue;
    const std::string& file = o.place.source ? o.place.source->name : scenario.file;
    const char* kind = kOutageNames[static_cast<std::size_t>(o.kind)];
    all.push_back({fmt::format("the {} of {}:{}", kind, file, o.place.line), o.from, o.length, o.every});
  }
  return all;
}

/// The end of its last repetition.
Time last_end(const Repeated& r, Time until) {
  const std::int64_t times = until < r.from ? 0 : (until - r.from) / r.every;
  return later(later(r.from, r.every * times), r.length);
}

}  // namespace

std::vector<std::string> repetition_warnings(const Scenario& scenario, const RunResult& result) {
  const std::vector<Job>& jobs = result.workload->jobs;
  if (jobs.empty()) return {};
  const Time until = end_of_repetitions(jobs.front().submit, jobs.back().submit);
  std::vector<std::string> warnings;
  for (const Repeated& r : repeated(scenario)) {
    const Time over = last_end(r, until);
    std::int64_t count = 0;
    std::size_t first = 0;
    for (std::size_t j = 0; j != result.outcomes.size(); ++j) {
      const Time start = result.outcomes[j].start;
      if (start == kNever || start < over) continue;
      if (count++ == 0 || start < result.outcomes[first].start) first = j;
    }
    if (count == 0) continue;
    warnings.push_back(fmt::format(
        "{} repeats until {} s only, a year behind the last jobs, and {} started later; job {}, the first of "
        "them, may fit between no two repetitions",
        r.what, grouped(to_seconds(over), 0), counted(count, "job"), jobs[first].id));
  }
  return warnings;
}

}  // namespace coslice
