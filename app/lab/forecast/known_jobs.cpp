#include "lab/forecast/known_jobs.h"

#include <algorithm>
#include <unordered_map>

#include "core/error.h"

namespace coslice {
namespace {

/// Places in the trace by a job's number.
std::unordered_map<std::int64_t, std::size_t> places_of(const RecordedWorkload& trace) {
  std::unordered_map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i != trace.workload.jobs.size(); ++i) places.emplace(trace.workload.jobs[i].id, i);
  return places;
}

}  // namespace

std::size_t MachineState::count(KnownAs as) const {
  return static_cast<std::size_t>(std::ranges::count(jobs, as, &KnownJob::as));
}

std::optional<std::vector<JobOnRecord>> schedule_on_record(const Workload& workload, const RecordedWorkload& trace) {
  const auto places = places_of(trace);
  std::vector<JobOnRecord> out(workload.jobs.size());
  bool any = false;
  for (std::size_t j = 0; j != out.size(); ++j) {
    const Job& job = workload.jobs[j];
    const auto at = places.find(job.id);
    const Duration wait = at == places.end() ? Duration{-1} : trace.wait(at->second);
    if (wait < Duration{0}) continue;
    any = true;
    out[j].start = later(job.submit, wait);
    out[j].end = later(out[j].start, job.runtime);
    if (at->second < trace.nodes.size()) out[j].nodes = trace.nodes[at->second];
  }
  if (!any) return {};
  return out;
}

std::vector<JobOnRecord> schedule_on_record(const Workload& workload, const RecordedWorkload& trace,
                                            const ScheduleRecord& record) {
  const auto places = places_of(trace);
  const std::vector<std::string> ids = trace.distinct_site_ids();
  std::vector<JobOnRecord> out(workload.jobs.size());
  bool any = false;
  for (std::size_t j = 0; j != out.size(); ++j) {
    const Job& job = workload.jobs[j];
    const auto at = places.find(job.id);
    const bool known = at != places.end() && !trace.site_ids.empty();
    const ScheduledJob* const found = record.find(std::to_string(job.id), known ? ids[at->second] : std::string());
    if (found == nullptr) continue;
    const ScheduledJob& said = *found;
    any = true;
    out[j].start = later(job.submit, from_seconds(std::max(said.wait(), 0.0)));
    const double ran = said.end - said.start;
    out[j].end = later(out[j].start,
                       said.end >= 0 ? std::max(from_seconds(ran), Duration{1}) : std::min(job.runtime, job.limit));
    out[j].nodes = said.node_names;
  }
  if (!any)
    throw InputError({record.name, 0, "has none of the jobs of the site", "a record of the same jobs, by their ids"});
  return out;
}

MachineState state_at(Time now, const Workload& workload, const std::vector<JobOnRecord>& record) {
  MachineState state{now, std::vector<KnownJob>(workload.jobs.size())};
  for (std::size_t j = 0; j != state.jobs.size(); ++j) {
    const JobOnRecord& said = record[j];
    KnownJob& known = state.jobs[j];
    if (workload.jobs[j].submit > now || said.start == kNever) continue;
    if (said.start > now) {
      known.as = KnownAs::kWaiting;
      continue;
    }
    known.start = said.start;
    known.nodes = said.nodes;
    known.as = said.end <= now ? KnownAs::kEnded : KnownAs::kRunning;
    if (said.end <= now) known.end = said.end;
  }
  return state;
}

}  // namespace coslice
