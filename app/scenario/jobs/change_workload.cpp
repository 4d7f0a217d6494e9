#include "scenario/jobs/change_workload.h"

#include <utility>

#include <fmt/format.h>

#include "api/scripts/job_script.h"
#include "core/error.h"

namespace coslice {
namespace {

void set_date(Workload& workload, const WorkloadSpec& spec) {
  if (!spec.date) return;
  if (workload.header.unix_start_time > 0)
    throw InputError({spec.trace, 0, "workload.date gives a date to a trace that has one: UnixStartTime",
                      "a trace without it, or a scenario without workload.date"});
  workload.header.unix_start_time = *spec.date;
}

}  // namespace

void change_workload(Workload& workload, const WorkloadSpec& spec, std::uint64_t seed, const Limits& limits) {
  set_date(workload, spec);
  select_jobs(workload, spec.keep, spec.drop);
  TransformOptions window, rest = spec.transform;
  std::swap(window.window, rest.window);
  transform(workload, window);
  if (!spec.job_script.empty())
    run_job_script(read_script(spec.job_script), spec.job_params, script_context(spec.job_script, limits, seed),
                   workload);
  if (spec.missing_limits) set_missing_limits(workload, *spec.missing_limits);
  rest.seed = seed;
  transform(workload, rest);
}

std::string left_out(const Workload& workload) {
  std::string why;
  for (const TraceNote& n : workload.notes)
    if (n.dropped) why += fmt::format("{}{} {}", why.empty() ? ": " : ", ", n.count, n.reason);
  return why;
}

}  // namespace coslice
