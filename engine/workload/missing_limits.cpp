#include "workload/missing_limits.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <set>
#include <string_view>

#include "core/error.h"

namespace coslice {

namespace {

std::string words_of(const MissingLimits& rule) {
  switch (rule.rule) {
    case MissingLimits::Rule::kRunTime: break;
    case MissingLimits::Rule::kFactor: return fmt::format("{} times the run time is the limit", rule.factor);
    case MissingLimits::Rule::kFixed: return fmt::format("{} s is the limit", format_seconds(rule.fixed));
    case MissingLimits::Rule::kPartition: return "that of the partition is the limit";
  }
  return kRunTimeIsLimit;
}

Duration multiplied(const Job& job, double factor) {
  const double seconds = to_seconds(job.runtime) * factor;
  if (!(seconds <= kMaxSeconds)) {
    throw InputError({"", 0,
                      fmt::format("the limit of job {} would be {} times its run time of {} s, beyond 31 years", job.id,
                                  factor, format_seconds(job.runtime)),
                      "a smaller factor", "", ""});
  }
  const bool whole = job.runtime % whole_seconds(1) == Duration::zero();
  return from_seconds(whole ? std::ceil(seconds) : seconds);
}

std::optional<Duration> limit_of(const Job& job, const MissingLimits& rule) {
  switch (rule.rule) {
    case MissingLimits::Rule::kRunTime: break;
    case MissingLimits::Rule::kFactor: return multiplied(job, rule.factor);
    case MissingLimits::Rule::kFixed: return rule.fixed;
    case MissingLimits::Rule::kPartition: {
      const auto found = rule.partitions.find(job.partition);
      return found == rule.partitions.end() ? rule.others : found->second;
    }
  }
  return job.runtime;
}

[[noreturn]] void refuse_partitions(const std::set<std::int32_t>& unknown) {
  std::string names;
  for (const std::int32_t p : unknown) names += (names.empty() ? "" : ", ") + std::to_string(p);
  throw InputError({"", 0,
                    fmt::format("jobs without a limit are in partition{} {}, which {} no limit",
                                unknown.size() == 1 ? "" : "s", names, unknown.size() == 1 ? "has" : "have"),
                    "a limit for each partition, or for 'others'", "", ""});
}

}  // namespace

std::int64_t count_missing_limits(const Workload& workload) {
  return std::count_if(workload.jobs.begin(), workload.jobs.end(), [](const Job& j) { return !j.limit_given; });
}

void note_missing_limits(Workload& workload, const std::string& words) {
  const std::string_view known = kRunTimeIsLimit;
  bool noted = false;
  for (TraceNote& note : workload.notes) {
    const std::size_t at = note.reason.rfind(known);
    if (at == std::string::npos || at + known.size() != note.reason.size()) continue;
    note.reason.replace(at, known.size(), words);
    noted = true;
  }
  const std::int64_t missing = count_missing_limits(workload);
  if (!noted && missing > 0) workload.notes.push_back({"no limit, " + words, missing, 0, false});
}

void set_missing_limits(Workload& workload, const MissingLimits& rule) {
  std::int64_t raised = 0;
  std::set<std::int32_t> unknown;
  for (Job& job : workload.jobs) {
    if (job.limit_given) continue;
    const std::optional<Duration> limit = limit_of(job, rule);
    if (!limit) unknown.insert(job.partition);
    else if (*limit < job.runtime) ++raised;
    job.limit = std::max(limit.value_or(job.runtime), job.runtime);
  }
  if (!unknown.empty()) refuse_partitions(unknown);
  note_missing_limits(workload, words_of(rule));
  if (raised > 0)
    workload.notes.push_back(
        {"ran longer than the limit that stands in for a missing one, their run time is the limit", raised, 0, false});
}

}  // namespace coslice
