#include "testing/test_run.h"

#include <algorithm>
#include <map>
#include <optional>

#include "jobs/literal_jobs.h"
#include "jobs/workflow.h"
#include "observe/claim_watch.h"
#include "observe/invariants.h"
#include "observe/use_invariants.h"

namespace coslice {
namespace {

/// Jobs that stand in the scenario are counted as they stand there, not by submission.
std::vector<JobIndex> order_of(const Runner& runner) {
  const std::vector<Job>& jobs = runner.workload().jobs;
  std::vector<JobIndex> order(jobs.size());
  for (JobIndex j = 0; j != order.size(); ++j) order[j] = j;
  const auto& written = runner.scenario().workload.jobs;
  if (!written) return order;
  std::map<std::int64_t, std::size_t> place;  // id -> place in the list
  for (std::size_t i = 0; i != written->size(); ++i) place.emplace(literal_job_id((*written)[i], i), i);
  const auto place_of = [&](JobIndex j) {  // the elements of an array stand where the array is written
    if (const auto it = place.find(jobs[j].id); it != place.end()) return it->second;
    const auto element = array_element(jobs[j]);
    return element ? place[element->array] : 0;
  };
  std::ranges::stable_sort(order, [&](JobIndex a, JobIndex b) { return place_of(a) < place_of(b); });
  return order;
}

/// What the second list has more than the first.
std::vector<std::string> beyond(const std::vector<std::string>& some, const std::vector<std::string>& more) {
  std::vector<std::string> rest;
  for (const std::string& s : more)
    if (std::ranges::find(some, s) == some.end()) rest.push_back(s);
  return rest;
}

/// What a policy claims does not hold where nodes fail, are reserved or powered down; and what comes of a higher tier
/// passes what was promised.
Claims claims_under(const Runner& runner, Claims claims) {
  if (runner.scenario().outages.any() || !runner.scenario().reservations.empty() || runner.scenario().power.any())
    return {};
  const std::vector<Partition> all = kinds_of(runner.machine())->partitions;
  if (std::ranges::any_of(all, [&](const Partition& p) { return p.tier != all.front().tier; })) {
    claims.promises_kept = false;
    claims.no_starvation.reset();
  }
  return claims;
}

}  // namespace

std::int32_t TestRun::nodes(std::size_t i) const {
  if (outcome(i).nodes.count > 0) return run.result.archive.count(outcome(i).nodes);
  const std::int32_t set = runner->scenario().engine.processes_per_node;
  const std::int64_t per_node = set > 0 ? set : runner->machine().cores_per_node();
  return static_cast<std::int32_t>((job(i).size + per_node - 1) / per_node);
}

std::string TestRun::allocated(std::size_t i) const {
  const Outcome& o = outcome(i);
  return o.nodes.count == 0 ? "" : run.result.archive.get(o.nodes).str();
}

const char* state_name(FinalState state) {
  switch (state) {
    case FinalState::kCompleted: return "completed";
    case FinalState::kWalltimeReached: return "killed";
    case FinalState::kRejected: return "rejected";
    case FinalState::kLost: return "lost";
    case FinalState::kCancelled: return "cancelled";
    case FinalState::kUnfulfilled: return "unfulfilled";
    case FinalState::kWithdrawn: return "withdrawn";
    default: return "not run";
  }
}

TestRun run_watched(const std::shared_ptr<const Runner>& runner, std::size_t i, const PrintSink& print, bool calls) {
  const std::vector<Job>& jobs = runner->workload().jobs;
  const EngineOptions& engine = runner->scenario().engine;
  InvariantOptions options;
  const std::vector<std::string>& hooks = runner->policy(i).hooks;
  options.checkpoints =
      runner->scenario().outages.checkpointed() || std::ranges::find(hooks, "checkpoint") != hooks.end();
  const NodeReservations reservations = runner->reservations();
  options.nodes_reserved = !reservations.empty();
  options.requests = &runner->workload().requests;
  if (runner->shares_nodes(i)) options.jobs_per_node = 2;
  options.sliced = runner->has_slices(i);
  options.space_shared = !runner->coschedules(i);
  InvariantChecker always(runner->machine(), jobs, engine, options);
  options.promises_kept = true;
  InvariantChecker promises(runner->machine(), jobs, engine, options);
  RunCallbacks callbacks;
  callbacks.print = print;
  callbacks.time_lua = calls;
  const Claims claims = claims_under(*runner, runner->policy(i).claims);
  ClaimWatch watch(claims, jobs);
  callbacks.observers = {&always, &promises};
  std::optional<ReservationInvariants> reserved;
  std::optional<ResourceInvariants> resources;
  std::optional<UseInvariants> use;
  std::optional<ProcessUseInvariants> of_processes;
  callbacks.watch = [&](const Workload& as_they_run) {
    std::vector<Observer*> all;
    always.take_sizes_from(as_they_run.jobs);
    promises.take_sizes_from(as_they_run.jobs);
    if (!reservations.empty())
      all.push_back(&reserved.emplace(as_they_run.jobs, reservations, ReservationInvariants::Before::kEstimates,
                                      runner->coschedules(i) ? nullptr : &engine));
    if (runner->coschedules(i))
      all.push_back(&of_processes.emplace(runner->machine(), as_they_run.jobs, as_they_run.requests));
    if (!names_kinds(runner->machine()) || runner->coschedules(i)) return all;
    const bool slow_down =
        runner->scenario().slowdown.model != SlowdownSpec::Model::kNone || runner->scenario().divides_gpus();
    using Speeds = ResourceInvariants::Speeds;
    const Speeds speeds = runner->shares_nodes(i)              ? Speeds::kGroups
                          : slow_down || runner->has_slices(i) ? Speeds::kVary
                                                               : Speeds::kOfNodes;
    all.push_back(&resources.emplace(runner->machine(), as_they_run.jobs, as_they_run.requests, speeds));
    // Jobs of a group have the cores that its policy lays them on.
    if (!runner->shares_nodes(i))
      all.push_back(&use.emplace(runner->machine(), as_they_run.jobs, as_they_run.requests, runner->has_slices(i)));
    return all;
  };
  if (!claims.names().empty()) {
    callbacks.observers.push_back(&watch);
    callbacks.between = [&](Scheduler& s) -> Scheduler& { return watch.watch(s); };
  }
  TestRun t;
  t.runner = runner;
  t.number = i;
  t.run = runner->run(i, callbacks);
  always.finish(t.run.result.blocked);
  promises.finish(t.run.result.blocked);
  t.violations = always.violations();
  if (resources)
    t.violations.insert(t.violations.end(), resources->violations().begin(), resources->violations().end());
  if (use) t.violations.insert(t.violations.end(), use->violations().begin(), use->violations().end());
  if (of_processes)
    t.violations.insert(t.violations.end(), of_processes->violations().begin(), of_processes->violations().end());
  if (reserved) t.violations.insert(t.violations.end(), reserved->violations().begin(), reserved->violations().end());
  t.broken_promises = beyond(t.violations, promises.violations());
  for (const BrokenClaim& b : watch.broken()) t.broken_claims.push_back(b.claim + ": " + b.what);
  if (claims.promises_kept)
    for (const std::string& b : t.broken_promises) t.broken_claims.push_back("promises-kept: " + b);
  t.order = order_of(*runner);
  return t;
}

}  // namespace coslice
