#include "cli/site/queue_checks.h"

#include <algorithm>
#include <memory>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/time.h"
#include "formats/trace_requests.h"
#include "lab/forecast/disagreement.h"
#include "machine/eligibility.h"
#include "machine/node_names.h"
#include "machine/node_set.h"
#include "slurm/values.h"

namespace coslice::cli {

namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;
/// So long after its limit a job may still be there: limits are looked at once a minute, and jobs get KillWait to end.
constexpr Duration kEnding = whole_seconds(120);

/// What Slurm writes where a job has no nodes.
bool says_nodes(const std::string& text) { return !text.empty() && text.front() != '(' && text != "N/A"; }

std::string place_of(const slurm::QueuedJob& job) {
  return job.line == 0 ? job.file : fmt::format("{}:{}", job.file, job.line);
}

/// Jobs of which the same holds: the first of them, and how many there are.
struct Alike {
  std::size_t first = 0;
  std::int64_t count = 0;
};

/// "job 17" or "job 17 and 3 more".
std::string called(const slurm::QueuedJob& first, std::int64_t count) {
  return count == 1 ? "job " + first.id : fmt::format("job {} and {} more", first.id, count - 1);
}

std::vector<std::string> to_default_partition(const slurm::QueueSnapshot& queue, const AddedQueue& added,
                                              const MachineLayout& layout, RecordedWorkload& trace) {
  std::vector<std::string> known;
  for (const Partition& p : layout.partitions) known.push_back(p.name);
  std::map<std::string, Alike> unknown, of_lists;  // alone, and in a list of which others are known
  for (const Job& job : trace.workload.jobs) {
    const auto at = added.places.find(job.id);
    if (at == added.places.end() || job.request == kNoRequest || known.empty()) continue;
    const std::string& name = queue.jobs[at->second].partition;
    const std::vector<std::string> names = slurm::list_items(name);
    const auto is_known = [&](const std::string& one) { return std::ranges::find(known, one) != known.end(); };
    const bool there = std::ranges::any_of(names, is_known);
    for (const std::string& one : names)
      if (Alike* alike = there && !is_known(one) ? &of_lists[one] : nullptr; alike != nullptr && alike->count++ == 0)
        alike->first = at->second;
    if (there || names.empty()) continue;
    RecordedRequest& request = trace.requests[static_cast<std::size_t>(job.request)];
    request.partition.clear();
    if (!request.components.empty()) request.components.front().partition.clear();  // the queue's entry is its
    Alike& alike = unknown[name];
    if (alike.count++ == 0) alike.first = at->second;
  }
  std::vector<std::string> warnings;
  for (const auto& [name, alike] : unknown) {
    const slurm::QueuedJob& first = queue.jobs[alike.first];
    const std::string meant = did_you_mean(name, known);
    warnings.push_back(
        fmt::format("{}: {} {} a partition '{}', which the machine does not have; {} to the default one{}",
                    place_of(first), called(first, alike.count), alike.count == 1 ? "names" : "name", name,
                    alike.count == 1 ? "it goes" : "they go", meant.empty() ? "" : "; " + meant));
  }
  for (const auto& [name, alike] : of_lists) {
    const slurm::QueuedJob& first = queue.jobs[alike.first];
    warnings.push_back(fmt::format("{}: {} {} a partition '{}', which the machine does not have, in the list '{}': the "
                                   "others of it count",
                                   place_of(first), called(first, alike.count), alike.count == 1 ? "names" : "name",
                                   name, first.partition));
  }
  return warnings;
}

/// A job that can never run on the machine.
struct NeverRun {
  std::int64_t job = 0;  ///< its number
  std::string why;
};

/// Of a job without a limit the year that stands for none is not what its user has said.
std::string with_said_limit(std::string why, const slurm::QueuedJob& job) {
  const std::string year = fmt::format("its limit of {} s", slurm::kNoEnd / kNanoseconds);
  if (job.limit == slurm::kNoEnd)
    if (const std::size_t at = why.find(year); at != std::string::npos)
      why.replace(at, year.size(), "its limit, UNLIMITED,");
  return why;
}

std::vector<NeverRun> never_run(const slurm::QueueSnapshot& queue, const AddedQueue& added, const Workload& asked,
                                const MachineLayout& layout) {
  std::vector<NeverRun> never;
  for (const Job& job : asked.jobs) {
    if (job.request == kNoRequest) continue;
    const std::string why = why_never(layout, asked.requests[job.request], {job.limit, job.user});
    if (!why.empty()) never.push_back({job.id, with_said_limit(why, queue.jobs[added.places.at(job.id)])});
  }
  return never;
}

/// Those of one reason together; an array that waits as one line is named as it stands there.
std::vector<std::string> never_warnings(const slurm::QueueSnapshot& queue, const AddedQueue& added,
                                        const RecordedWorkload& trace, const std::vector<NeverRun>& never) {
  constexpr std::size_t kNamed = 20;
  std::unordered_map<std::int64_t, std::string> ids;
  for (std::size_t i = 0; i != trace.workload.jobs.size(); ++i)
    ids.emplace(trace.workload.jobs[i].id, trace.site_id(i));
  std::vector<std::string> reasons, warnings;
  std::unordered_map<std::string, std::vector<std::string>> names;
  std::unordered_map<std::string, const slurm::QueuedJob*> first;
  for (const NeverRun& one : never) {
    const slurm::QueuedJob& job = queue.jobs[added.places.at(one.job)];
    if (first.emplace(one.why, &job).second) reasons.push_back(one.why);
    const std::string& name = job.id.find("_[") == std::string::npos ? ids.at(one.job) : job.id;
    std::vector<std::string>& of = names[one.why];
    if (std::ranges::find(of, name) == of.end()) of.push_back(name);
  }
  for (const std::string& why : reasons) {
    std::vector<std::string>& of = names.at(why);
    const std::size_t more = of.size() - std::min(of.size(), kNamed);
    const bool one = of.size() == 1;
    of.resize(of.size() - more);
    warnings.push_back(fmt::format("{}: {} {}{} can never run on this machine and {} left out: {}{}",
                                   place_of(*first.at(why)), one ? "job" : "jobs", fmt::join(of, ", "),
                                   more == 0 ? "" : fmt::format(" and {} more", more), one ? "is" : "are",
                                   why.starts_with("its ") ? ""
                                   : one                   ? "it "
                                                           : "each ",
                                   why));
  }
  return warnings;
}

}  // namespace

void check_instants(const slurm::QueueSnapshot& queue, std::int64_t now) {
  const auto check = [now](const slurm::QueuedJob& job, const char* since, std::int64_t when) {
    if (when <= now + kNanoseconds) return;  // clocks of whole seconds
    throw InputError({job.file, job.line,
                      fmt::format("job {} {} {}, but the queue was looked at at {}", job.id, since,
                                  iso_text(when / kNanoseconds), iso_text(now / kNanoseconds)),
                      "--now not before what the queue says, on the same clock"});
  };
  for (const slurm::QueuedJob& job : queue.jobs) {
    if (job.runs() && job.start) check(job, "runs since", *job.start);
    if (job.submit) check(job, "was submitted at", *job.submit);
  }
}

void check_nodes(const slurm::QueueSnapshot& queue, const MachineLayout& layout) {
  const NodeLookup lookup(layout);
  for (const slurm::QueuedJob& job : queue.jobs) {
    if (!job.runs() || !says_nodes(job.nodes)) continue;
    NodeSet nodes(layout.node_count());
    const Place place{std::make_shared<const Source>(Source{job.file, ""}), job.line};
    if (const auto unknown = lookup.insert(nodes, job.nodes, place))
      throw InputError({job.file, job.line,
                        fmt::format("job {} runs on '{}', which is not a node of the site", job.id, *unknown),
                        "nodes that [[machine.nodes]] of the scenario names"});
  }
}

std::vector<std::string> fit_to_machine(const slurm::QueueSnapshot& queue, AddedQueue& added, const Scenario& scenario,
                                        RecordedWorkload& trace) {
  if (!names_kinds(scenario.machine)) return {};
  const MachineLayout& layout = *scenario.machine.layout;
  std::vector<std::string> warnings = to_default_partition(queue, added, layout, trace);
  if (scenario.engine.unstarted == Unstarted::kDrop) return warnings;
  Workload asked = trace.workload;
  std::erase_if(asked.jobs, [&](const Job& job) { return added.places.count(job.id) == 0; });
  resolve_recorded_requests(trace.requests, asked, scenario.machine,
                            {scenario.workload.exclusive, scenario.engine.processes_per_node});
  const std::vector<NeverRun> never = never_run(queue, added, asked, layout);
  std::unordered_map<std::int64_t, std::string> numbers;
  for (const NeverRun& one : never) numbers.emplace(one.job, one.why);
  for (const std::string& w : never_warnings(queue, added, trace, never)) warnings.push_back(w);
  for (std::size_t i = 0; i != trace.workload.jobs.size(); ++i)
    if (const auto found = numbers.find(trace.workload.jobs[i].id); found != numbers.end())
      added.never.push_back({trace.site_id(i), found->second});
  if (numbers.empty()) return warnings;
  change_recorded(
      trace, [&](Workload& w) { std::erase_if(w.jobs, [&](const Job& job) { return numbers.count(job.id) != 0; }); });
  return warnings;
}

std::string over_their_limits(const slurm::QueueSnapshot& queue, const AddedQueue& added, const ForecastBase& base,
                              const MachineState& state) {
  Alike over;
  Duration ran{0}, beyond{0};
  for (JobIndex j = 0; j != state.jobs.size(); ++j) {
    if (state.jobs[j].as != KnownAs::kRunning) continue;
    const Time start = state.jobs[j].start, latest = latest_end(base, j, start);
    if (latest == kNever || later(latest, kEnding) > state.now || over.count++ != 0) continue;
    over.first = added.places.at(base.workload.jobs[j].id);
    ran = state.now - start;
    beyond = state.now - latest;
  }
  if (over.count == 0) return "";
  const slurm::QueuedJob& first = queue.jobs[over.first];
  return fmt::format("{}: job {} has run for {}, which is {} over its limit{}: {} believed to end now. Where jobs run "
                     "on, their limits are others, or OverTimeLimit is (engine.over_limit, over_limit of a partition)",
                     place_of(first), first.id, human_duration(ran), human_duration(beyond),
                     over.count == 1 ? "" : fmt::format(", and {} more are over theirs", over.count - 1),
                     over.count == 1 ? "it is" : "they are");
}

void check_history(const MachineState& state, const Workload& workload, const RecordedWorkload& history,
                   const std::string& trace) {
  if (state.count(KnownAs::kWaiting) != 0 && state.count(KnownAs::kEnded) == 0)
    throw InputError({trace, 0, "no job has ended by that instant, so that nothing is known of run times",
                      "a history of jobs that ended before"});
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
                        "a queue with all jobs that waited, or a history up to --now"});
  }
}

}  // namespace coslice::cli
