#include "scenario/jobs/recorded_jobs.h"

#include <fmt/format.h>

#include "formats/trace_file.h"
#include "formats/trace_requests.h"
#include "report/markup.h"

namespace coslice {

std::string job_in_trace(const std::string& trace, std::int64_t id) {
  const std::int64_t line = trace.empty() ? 0 : line_of_job(trace, id);
  return line == 0 ? std::to_string(id) : fmt::format("{} (line {})", id, line);
}

std::string unknown_partition_text(const std::string& source, std::int64_t jobs) {
  return fmt::format("{}: {} {} a partition that the machine does not have; {} to the default one", source,
                     counted(jobs, "job"), jobs == 1 ? "names" : "name", jobs == 1 ? "it goes" : "they go");
}

void resolve_requests(const RecordedWorkload& recorded, const Scenario& scenario, Workload& workload,
                      std::vector<std::string>& warnings) {
  const std::string& path = scenario.workload.trace;
  const TraceNodes nodes{scenario.workload.exclusive, scenario.engine.processes_per_node};
  const RecordedRequestCounts counts = resolve_recorded_requests(recorded.requests, workload, scenario.machine, nodes);
  if (counts.gpus_lost != 0) {
    warnings.push_back(
        fmt::format("{}: {} asked for GPUs, which a machine of equal nodes does not have; kinds of nodes "
                    "in [[machine.nodes]] may have some",
                    path, counted(counts.gpus_lost, "job")));
  }
  if (counts.unknown != 0) {
    warnings.push_back(fmt::format("{}: {} asked for what the machine has no name for, which is left out; the first is "
                                   "job {}: {}",
                                   path, counted(counts.unknown, "job"), job_in_trace(path, counts.first_unknown),
                                   counts.what));
  }
  if (counts.unknown_partition != 0) warnings.push_back(unknown_partition_text(path, counts.unknown_partition));
}

}  // namespace coslice
