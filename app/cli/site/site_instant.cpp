#include "cli/site/site_instant.h"

#include <cstdlib>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "core/error.h"
#include "jobs/workload.h"

namespace coslice::cli {

Time instant_of(const std::string& flag, const std::string& text, const TraceHeader& header) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (end != text.c_str() && *end == '\0' && seconds >= 0 && seconds <= kMaxSubmitSeconds) return at_seconds(seconds);
  const auto date = calendar_seconds(text);
  const auto clock = trace_clock(header);
  if (date && clock) return at_seconds(static_cast<double>(trace_second(*clock, *date)));
  throw InputError({flag + " " + text, 0, date ? "the trace has no calendar" : "is not a time",
                    clock ? "seconds of the trace, or a date like 2026-03-01T08:30" : "seconds of the trace", "", ""});
}

ForecastNames names_of_jobs(const Workload& workload, const RecordedWorkload& trace) {
  std::map<std::pair<std::string, std::int32_t>, std::string> by_number;
  for (const RecordedWorkload::Name& n : trace.names) by_number[{n.kind, n.number}] = n.name;
  const auto name = [&](const char* kind, std::int32_t number) {
    const auto found = by_number.find({kind, number});
    return found == by_number.end() ? std::string() : found->second;
  };
  std::unordered_map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i != trace.workload.jobs.size(); ++i) places.emplace(trace.workload.jobs[i].id, i);
  ForecastNames out;
  for (const Job& job : workload.jobs) {
    const auto at = places.find(job.id);
    out.ids.push_back(at == places.end() ? std::string() : trace.site_id(at->second));
    out.users.push_back(name("user", job.user));
    out.accounts.push_back(name("group", job.group));
    out.partitions.push_back(name("partition", job.partition));
  }
  return out;
}

}  // namespace coslice::cli
