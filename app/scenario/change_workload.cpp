#include "scenario/change_workload.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "api/job_script.h"

namespace coslice {

namespace {

void run_script_of(Workload& workload, const WorkloadSpec& spec, std::uint64_t seed, const Limits& limits) {
  const std::string folder = std::filesystem::path(spec.job_script).parent_path().string();
  JobScriptContext context;
  context.limits = limits;
  context.seed = seed;
  context.roots = {{folder.empty() ? "." : folder, "", folder.empty() ? "." : folder},
                   {"", "lib/", "the built-in library"}};
  run_job_script(read_script(spec.job_script), spec.job_params, context, workload);
}

}  // namespace

void change_workload(Workload& workload, const WorkloadSpec& spec, std::uint64_t seed, const Limits& limits) {
  select_jobs(workload, spec.keep, spec.drop);
  TransformOptions window, rest = spec.transform;
  std::swap(window.window, rest.window);
  transform(workload, window);
  if (!spec.job_script.empty()) run_script_of(workload, spec, seed, limits);
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
