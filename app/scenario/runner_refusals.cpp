// What policies and machines do not know of one another yet; reservations for jobs that are not there.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "scenario/keys.h"
#include "scenario/load.h"
#include "scenario/runner.h"
#include "scenario/scenario_place.h"
#include "sched/job_demands.h"
#include "workload/job_sizes.h"
#include "workload/workflow.h"

namespace coslice {
namespace {

/// What ends at no limit; null: nothing.
const char* why_limits_are_work(const Policy& policy) {
  return policy.coscheduling() ? "coscheduled processes" : nullptr;
}

}  // namespace

/// Where jobs are placed, one rule says which nodes they get.
void Runner::check_placement_in_slices(const SliceSettings& slices, const std::string& name) const {
  if (!slices.node_rank && slices.options.nodes != NodeChoice::kMemoryFit) return;
  fail_at_key(scenario_, "policy",
              fmt::format("policy '{}' has a field 'placement', and its slices choose nodes themselves", name),
              "one of the two: placement, or nodes, fit and node_rank of the slices");
}

/// Processes have whole processors, and nothing but those, memory and GPUs.
void Runner::refuse_parts_for_processes(const JobDemands& demands) const {
  const auto coschedules = std::find(coschedules_.begin(), coschedules_.end(), true);
  if (coschedules == coschedules_.end()) return;
  const auto has_parts = [&](const DemandUnit& u) { return demands.request_of(u).cores % kWholeCore != 0; };
  const std::vector<DemandUnit>& units = demands.units();
  const char* what = nullptr;
  if (!demands.scarce_licences().empty()) what = "wait for licences";
  else if (scenario_.divides_gpus()) what = "have slices of GPUs";
  else if (std::any_of(units.begin(), units.end(), has_parts)) what = "have parts of cores";
  const MachineSpec& m = scenario_.machine;
  if (what == nullptr && m.total_cores() != std::int64_t{m.nodes} * m.cores_per_node())
    what = "may come to nodes with other numbers of cores";
  if (what == nullptr) return;
  fail_at_key(scenario_, "machine",
              fmt::format("policy '{}' coschedules processes, which is not supported where jobs {}",
                          descriptions_[static_cast<std::size_t>(coschedules - coschedules_.begin())].name, what),
              "a machine without these, or another policy");
}

/// Submissions-first knows one count of nodes only: no job of the workload may distinguish one node from another.
void Runner::refuse_where_nodes_differ() const {
  const bool late_starts = scenario_.engine.event_order != EventOrder::kEndsFirst;
  const auto some = [](const std::vector<bool>& policies) {
    return std::find(policies.begin(), policies.end(), true) != policies.end();
  };
  if (!names_kinds(scenario_.machine) || !(late_starts || some(coschedules_))) return;
  const JobDemands demands(scenario_.machine, workload_.jobs, &workload_.requests, scenario_.engine);
  refuse_parts_for_processes(demands);
  for (std::size_t i = 0; i != descriptions_.size(); ++i) {
    const char* const what = coschedules_[i] ? nullptr
                             : late_starts     ? "runs under engine.event_order = \"submissions-first\""
                                               : nullptr;
    if (what == nullptr) continue;
    if (demands.one_count()) return;
    fail_at_key(
        scenario_, "machine",
        fmt::format("policy '{}' {}, which is not supported where jobs distinguish kinds of nodes or partitions, "
                    "share nodes by what they ask for, or wait for licences",
                    descriptions_[i].name, what),
        "jobs that may have any node for themselves, or another policy");
  }
}

void Runner::refuse_outages() const {
  if (scenario_.outages.any() && scenario_.engine.event_order != EventOrder::kEndsFirst)
    fail_at_key(scenario_, "engine.event_order",
                "nodes cannot be away under engine.event_order = \"submissions-first\"",
                "\"ends-first\", or a scenario without [outages]");
}

/// How the file has limits ended means nothing to a policy that --policy puts in place of its own, and whose limits are of work.
void Runner::drop_ends_of_limits(const Policy& policy) {
  if (why_limits_are_work(policy) == nullptr || scenario_.file.empty()) return;
  const Value tree = read_scenario_tree(scenario_.file);
  const auto in_file = [&](const char* key) { return find_path(tree, key) != nullptr; };
  if (!in_file("engine.limit_check") && !in_file("engine.over_limit") && !in_file("engine.kill_wait")) return;
  EngineOptions& engine = scenario_.engine;
  if (!engine.limit_check && engine.over_limit == Duration{0} && engine.kill_wait == Duration{0}) return;
  engine.limit_check.reset();
  engine.first_limit_check.reset();
  engine.over_limit = engine.kill_wait = Duration{0};
  warnings_.push_back(fmt::format(
      "{}: under policy '{}' jobs end at their limits: engine.limit_check, over_limit and kill_wait are left out",
      scenario_.file, policy.description().name));
}

void Runner::refuse_limit_check(const Policy& policy) const {
  const auto kinds = kinds_of(scenario_.machine);
  const bool by_partition = std::any_of(kinds->partitions.begin(), kinds->partitions.end(),
                                        [](const Partition& p) { return p.over_limit.has_value(); });
  static constexpr const char* kPartitions = "machine.partitions";
  const char* key = scenario_.engine.limit_check                 ? "engine.limit_check"
                    : scenario_.engine.over_limit != Duration{0} ? "engine.over_limit"
                    : scenario_.engine.kill_wait != Duration{0}  ? "engine.kill_wait"
                    : by_partition                               ? kPartitions
                                                                 : nullptr;
  const char* kind = why_limits_are_work(policy);
  if (key == nullptr || kind == nullptr) return;
  const std::string what = std::string(key) + (key == kPartitions ? ".over_limit" : "");
  fail_at_key(scenario_, key,
              fmt::format("policy '{}' has {}, and {} is for limits of time", policy.description().name, kind, what),
              fmt::format("a scenario without {}, or another policy", what));
}

/// Starts on record are starts of single jobs that run from then on.
void Runner::refuse_recorded_starts(const Policy& policy) const {
  const WorkloadSpec& spec = scenario_.workload;
  if (!spec.recorded_until) return;
  if (spec.trace.empty() || spec.transform.load_factor != 1 || spec.transform.time_factor != 1 || spec.target_load)
    fail_at_key(scenario_, "workload.recorded_until", "workload.recorded_until is for jobs as they are on record",
                "a trace, without load_factor, time_factor and target_load");
  if (!policy.coscheduling()) return;
  fail_at_key(scenario_, "workload.recorded_until",
              fmt::format("policy '{}' has coscheduled processes, and workload.recorded_until is for jobs that run on "
                          "their own from start to end",
                          policy.description().name),
              "a scenario without workload.recorded_until, or another policy");
}

/// Sizes are chosen where jobs have what they ask for on their own, from start to end.
void Runner::check_moldable() const {
  const auto moldable = std::find_if(workload_.jobs.begin(), workload_.jobs.end(), is_moldable);
  if (moldable == workload_.jobs.end()) return;
  const auto fail = [&](const std::string& what, const char* expected) {
    fail_at_job(scenario_, moldable->id, fmt::format("job {} is moldable, {}", moldable->id, what), expected);
  };
  const TransformOptions& factors = scenario_.workload.transform;
  if (factors.size_factor != 1 || factors.time_factor != 1 ||
      scenario_.workload.sizes == WorkloadSpec::Sizes::kAdjusted)
    fail("and sizes or run times are changed by a factor: that is not known yet",
         "no size_factor and time_factor, and sizes as given");
  for (const Job& job : workload_.jobs) {
    try {
      const bool asks = job.request != kNoRequest;
      sizes_of(job, scenario_.engine.ppn(scenario_.machine), asks ? &workload_.requests[job.request] : nullptr);
    } catch (const InputError& e) {
      fail_at_job(scenario_, job.id, fmt::format("job {} has wrong {}", job.id, e.diagnostic().problem),
                  e.diagnostic().expected);
    }
  }
  for (std::size_t i = 0; i != molds_.size(); ++i)
    if (!molds_[i])
      fail(fmt::format("which policy '{}' does not know: it lays jobs over one another or has processes take turns",
                       descriptions_[i].name),
           "another policy, or jobs without sizes");
}

/// What jobs wait for, where it did not come from the scenario itself: a trace or a script may say what cannot be.
void Runner::check_workflow() const {
  const WorkloadSpec& spec = scenario_.workload;
  const std::string& source = !spec.trace.empty() ? spec.trace : !spec.script.empty() ? spec.script : scenario_.file;
  if (const auto problem = workflow_of(workload_.jobs, scenario_.engine.dependencies).problem)
    throw InputError({source, 0, fmt::format("job {} {}", workload_.jobs[problem->job].id, problem->what),
                      problem->expected, "", ""});
  check_moldable();
}

void Runner::refuse_reservations() const {
  if (scenario_.reservations.empty()) return;
  const Place& place = scenario_.reservations.front().place;
  if (scenario_.engine.event_order != EventOrder::kEndsFirst)
    fail_at(place, "nodes cannot be reserved under engine.event_order = \"submissions-first\"", "\"ends-first\"");
}

/// A number that is no job's is probably a slip: nothing would run in the reservation.
void Runner::warn_of_reserved_jobs() {
  for (const ReservationSpec& r : scenario_.reservations) {
    std::vector<std::string> missing;
    for (const std::int64_t id : r.jobs)
      if (std::none_of(workload_.jobs.begin(), workload_.jobs.end(), [id](const Job& j) { return j.id == id; }))
        missing.push_back(std::to_string(id));
    if (missing.empty()) continue;
    warnings_.push_back(fmt::format("reservation '{}' is for {} {}, which the workload does not have", r.name,
                                    missing.size() == 1 ? "job" : "jobs", fmt::join(missing, ", ")));
  }
}

}  // namespace coslice
