#include "cli/queue_checks.h"

#include <memory>
#include <unordered_map>

#include <fmt/format.h>

#include "cluster/node_set.h"
#include "core/error.h"
#include "resources/node_lookup.h"
#include "workload/slurm_fields.h"

namespace coslice::cli {

namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;

/// What Slurm writes where a job has no nodes.
bool says_nodes(const std::string& text) { return !text.empty() && text.front() != '(' && text != "N/A"; }

}  // namespace

void check_starts(const slurm::QueueSnapshot& queue, std::int64_t now) {
  for (const slurm::QueuedJob& job : queue.jobs)
    if (job.runs() && job.start && *job.start > now + kNanoseconds)  // clocks of whole seconds
      throw InputError({job.file, job.line,
                        fmt::format("job {} runs since {}, but the queue was looked at at {}", job.id,
                                    slurm_time_text(*job.start / kNanoseconds), slurm_time_text(now / kNanoseconds)),
                        "--now not before the starts of what runs, on the same clock", "", ""});
}

void check_nodes(const slurm::QueueSnapshot& queue, const MachineLayout& layout) {
  const NodeLookup lookup(layout);
  for (const slurm::QueuedJob& job : queue.jobs) {
    if (!job.runs() || !says_nodes(job.nodes)) continue;
    NodeSet nodes(layout.node_count());
    const Place place{std::make_shared<const Source>(Source{job.file, ""}), job.line};
    if (const auto unknown = lookup.insert(nodes, job.nodes, place))
      throw InputError({job.file, job.line, fmt::format("job {} runs on '{}', which is not a node of the site", job.id, *unknown),
                        "nodes that [[machine.nodes]] of the scenario names", "", ""});
  }
}

void check_history(const MachineState& state, const Workload& workload, const RecordedWorkload& history, const std::string& trace) {
  if (state.count(KnownAs::kWaiting) != 0 && state.count(KnownAs::kEnded) == 0)
    throw InputError({trace, 0, "no job has ended by that instant, so that nothing is known of run times",
                      "a history of jobs that ended before", "", ""});
  std::unordered_map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i != history.workload.jobs.size(); ++i) places.emplace(history.workload.jobs[i].id, i);
  for (JobIndex j = 0; j != state.jobs.size(); ++j) {
    if (state.jobs[j].as != KnownAs::kEnded) continue;
    const auto at = places.find(workload.jobs[j].id);
    const Duration wait = at == places.end() ? Duration{-1} : history.wait(at->second);
    if (wait >= Duration{0} && later(workload.jobs[j].submit, wait) > state.now)
      throw InputError({trace, 0,
                        fmt::format("job {} started after the queue was looked at, but it is not in the queue",
                                    history.site_id(at->second)),
                        "a queue with all jobs that waited, or a history up to --now", "", ""});
  }
}

}  // namespace coslice::cli
