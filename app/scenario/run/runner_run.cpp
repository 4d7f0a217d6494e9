// Running what a Runner has loaded: one simulation of one policy.
#include "scenario/run/runner.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "api/policy/lua_coscheduler.h"
#include "api/policy/lua_scheduler.h"
#include "formats/trace_requests.h"
#include "jobs/describe.h"
#include "jobs/job_sizes.h"
#include "jobs/workflow.h"
#include "observe/node_use.h"
#include "observe/recorder.h"
#include "report/markup.h"
#include "run/simulation.h"
#include "scenario/jobs/process_jobs.h"
#include "scenario/run/left_waiting.h"

namespace coslice {
namespace {

/// Adds what another policy inside spent in Lua to the run, also where it ends early.
class TimeOf {
 public:
  TimeOf(PolicyRun& run, Policy* policy) : run_(run), policy_(policy) {}
  TimeOf(const TimeOf&) = delete;
  TimeOf& operator=(const TimeOf&) = delete;
  ~TimeOf() {
    if (policy_ != nullptr) run_.lua_seconds += policy_->state().seconds_in_calls();
  }

 private:
  PolicyRun& run_;
  Policy* policy_;
};

}  // namespace

PolicyRun Runner::run(std::size_t i, const RunCallbacks& callbacks) const {
  const std::unique_ptr<Policy> policy = load_policy(found_[i], callbacks.print);
  if (callbacks.time_lua) policy->state().time_calls();
  PolicyRun run{policy->description(), policy->params(), {}, {}};
  const std::unique_ptr<SlowdownModel> slowdowns = this->slowdowns();
  const auto take_times = [&] {
    run.lua_seconds += policy->state().seconds_in_calls();
    run.seconds_by_call = policy->state().seconds_by_call();
  };
  try {
    if (policy->coscheduling()) run_processes(run, *policy, callbacks);
    else run_jobs(run, *policy, schedulers_[i], slowdowns.get(), callbacks);
  } catch (...) {
    take_times();
    if (callbacks.ended_early) callbacks.ended_early(run);
    throw;
  }
  take_times();
  if (callbacks.summary != SummaryUse::kNone) run.summary = summarize(run.result, scenario_.metrics, callbacks.summary);
  return run;
}

/// Adds the observers and the progress bar, simulates, and takes the result.
template <class S>
RunResult Runner::record(S& simulation, const RunCallbacks& callbacks, const Workload& workload) const {
  Recorder recorder(workload, scenario_.machine);
  simulation.add(recorder);
  std::optional<DemandWatch> demand;
  if (scenario_.metrics.demand_curves && names_kinds(scenario_.machine)) {
    demand.emplace(*scenario_.machine.layout, workload, typical());
    simulation.add(*demand);
  }
  std::optional<MachineCosts> costs = machine_costs(scenario_);
  std::optional<NodeUse> use;
  if (costs) simulation.add(use.emplace(workload));
  for (Observer* o : callbacks.observers) simulation.add(*o);
  if (callbacks.watch)
    for (Observer* o : callbacks.watch(workload)) simulation.add(*o);
  const std::size_t jobs = workload_.jobs.size();
  if (callbacks.progress) simulation.on_progress([&](std::size_t done) { callbacks.progress(done, jobs); });
  simulation.run();
  RunResult result = recorder.take();
  if (demand) result.demand = demand->take();
  result.power = simulation.take_power();
  result.costs = std::move(costs);
  if (use) use->settle(result);
  result.submitted = simulation.take_submission_times();
  return result;
}

/// What jobs typically ask for: as the trace says, else those of the workload.
std::vector<TypicalRequest> Runner::typical() const {
  if (!workload_.typical.empty()) return workload_.typical;
  return typical_of(workload_, *kinds_of(scenario_.machine));
}

/// How jobs interfere on a heterogeneous machine; null: they do not, and are as fast everywhere.
/// `options` are filled in.
const ContentionOptions* Runner::contention_of(const SlowdownModel* slowdowns, ContentionOptions& options) const {
  static const NoSlowdowns none;
  if (slowdowns == nullptr && scenario_.divides_gpus()) slowdowns = &none;
  if (slowdowns == nullptr || !names_kinds(scenario_.machine)) return nullptr;
  options = scenario_.slowdown.contention;
  options.slowdowns = slowdowns;
  return &options;
}

void Runner::load_outages() {
  if (!scenario_.outages.any()) return;
  const std::vector<Job>& jobs = workload_.jobs;
  const Time first = jobs.empty() ? Time{} : jobs.front().submit, last = jobs.empty() ? Time{} : jobs.back().submit;
  outages_ = outage_options(scenario_, first, last);
}

NodeReservations Runner::reservations() const {
  if (scenario_.reservations.empty()) return {};
  const std::vector<Job>& jobs = workload_.jobs;
  const Time first = jobs.empty() ? Time{} : jobs.front().submit, last = jobs.empty() ? Time{} : jobs.back().submit;
  return node_reservations(scenario_, first, last);
}

void Runner::run_processes(PolicyRun& run, Policy& policy, const RunCallbacks& callbacks) const {
  const ProcessWorkload work = process_workload(scenario_, workload_);
  const CoschedulingSettings& settings = *policy.coscheduling();
  LuaCoscheduler coscheduler(policy.state(), settings, policy.params_table(), work.ids);
  ProcessSimulationOptions options;
  options.processors_per_node = scenario_.machine.cores_per_node();
  options.memory_kb = scenario_.machine.memory_kb;
  options.packing = settings.packing;
  options.backfill = policy.options().backfill;
  options.path = scenario_.processes.path;
  options.tolerance = scenario_.processes.tolerance;
  options.unstarted = scenario_.engine.unstarted;
  options.seed = static_cast<std::uint64_t>(scenario_.seed);
  if (power_) options.longest_boot = power_->longest_boot();
  NodeReservations reservations = this->reservations();
  const JobDemands demands(scenario_.machine, workload_.jobs, &workload_.requests, scenario_.engine, &reservations);
  ProcessMachine machine;
  if (outages_) machine.outages = &*outages_;
  if (!demands.one_count() || demands.gpus_asked()) machine.demands = &demands;
  if (power_) machine.power = &*power_;
  ProcessSimulation simulation(static_cast<std::int32_t>(scenario_.machine.total_cores()), work.programs, work.jobs,
                               coscheduler, options, &workload_.jobs, scenario_.engine, machine);
  if (callbacks.processors && options.path == ProcessPath::kExact) simulation.watch(*callbacks.processors);
  run.result = record(simulation, callbacks, workload_);
  if (outages_ && !run.result.outages) run.result.outages.emplace();
  run.result.checkpointing = simulation.checkpointing();
  run.result.reservations = std::move(reservations);
  run.result.processes = simulation.record();
  for (const ProcessJob& job : work.jobs) {
    run.result.processes->programs.push_back(work.programs[static_cast<std::size_t>(job.program)].name);
  }
}

/// The jobs as the simulation may change them while they wait; null where it does not.
std::shared_ptr<Workload> Runner::changing_jobs() const {
  const bool moldable = any_moldable(workload_);
  if (!moldable && !scenario_.divides_gpus()) return nullptr;
  auto changing = std::make_shared<Workload>(workload_);
  const std::int32_t ppn = scenario_.engine.ppn(scenario_.machine);
  if (moldable) add_requests_of_sizes(*changing, ppn);
  if (scenario_.divides_gpus()) add_requests_of_gpu_instances(*changing, *kinds_of(scenario_.machine), ppn);
  return changing;
}

void Runner::run_jobs(PolicyRun& run, Policy& policy, const FoundPolicy& scheduler, const SlowdownModel* model,
                      const RunCallbacks& callbacks) const {
  SliceSettings no_slices;
  no_slices.options.overhead = Duration{0};
  const SliceSettings& settings = policy.slices() ? *policy.slices() : no_slices;
  SliceFunctions functions(policy.state(), settings, policy.params_table(), policy.classes());
  // One state for all classes, and for the functions of the slices: what the policy keeps in its variables is shared.
  const bool by_another = policy.slices() && !policy.slices()->scheduler.empty();
  const std::unique_ptr<Policy> another = by_another ? load_policy(scheduler, callbacks.print) : nullptr;
  if (another && callbacks.time_lua) another->state().time_calls();
  Policy& inside = another ? *another : policy;
  const TimeOf time_of_another(run, another.get());
  const NoSlowdowns none;
  const SlowdownModel& slowdowns = model != nullptr ? *model : none;
  const SlowdownModel* const told = policy.slices() || inside.sharing() ? &slowdowns : model;
  const auto kinds = kinds_of(scenario_.machine);
  std::vector<std::unique_ptr<LuaScheduler>> schedulers;
  std::vector<Scheduler*> asked;
  SimulationResources resources;
  for (std::size_t c = 0; c != std::max<std::size_t>(settings.options.classes.size(), 1); ++c) {
    LuaScheduler& s = *schedulers.emplace_back(std::make_unique<LuaScheduler>(inside, told, scenario_.machine));
    s.use_calendar(trace_clock(workload_.header));
    const bool between = callbacks.between && !policy.slices();
    asked.push_back(between ? &callbacks.between(s) : &s);
    Placement* const placement = s.placement(*kinds, typical(), static_cast<std::uint64_t>(scenario_.seed));
    if (placement != nullptr) resources.placements.push_back(placement);
  }
  std::optional<SharingFunctions> sharing;
  if (inside.sharing())
    sharing.emplace(inside.state(), *inside.sharing(), inside.params_table(), inside.classes(), slowdowns,
                    scenario_.machine);
  HourSource clock;
  const Duration clock_at_0 = whole_seconds(second_of_day_at_0(workload_.header, clock));
  const std::shared_ptr<Workload> changing = changing_jobs();
  const Workload& workload = changing ? *changing : workload_;
  ContentionOptions contention;
  NodeReservations reservations = this->reservations();
  resources.requests = &workload.requests;
  if (!sharing) resources.contention = contention_of(model, contention);  // groups are slowed down as they say
  if (!reservations.empty()) resources.reservations = &reservations;
  if (power_) resources.power = &*power_;
  if (history_) resources.history = &*history_;
  Simulation simulation(scenario_.machine, workload.jobs, asked, functions.options(clock_at_0), scenario_.engine,
                        sharing ? std::optional(sharing->options()) : std::nullopt, resources,
                        outages_ ? &*outages_ : nullptr);
  if (any_moldable(workload)) simulation.mold(changing->jobs);
  if (scenario_.divides_gpus()) simulation.divide_gpus(changing->jobs);
  ReservedTime reserved(reservations, workload_.jobs.size());
  const bool watch_reserved = policy.slices() && !reservations.empty();
  if (watch_reserved) simulation.add(reserved);
  run.result = record(simulation, callbacks, workload);
  if (watch_reserved) run.result.in_reservations = reserved.take();
  run.result.molded = changing;
  run.result.reservations = std::move(reservations);
  if (outages_ && !run.result.outages) run.result.outages.emplace();
  run.result.checkpointing = simulation.checkpointing();
  for (const auto& s : schedulers) {
    run.notes.add(s->notes());
    run.read_clock |= s->read_clock();
  }
  if (const SharedNodes* shared = simulation.shared_nodes())
    run.result.sharing = SharingRecord{shared->counts(), shared->jobs(), inside.sharing()->layout};
  run.slice_classes = settings.options.classes;
  run.slice_overhead = run.result.switch_time = settings.options.overhead;
  run.result.slices = simulation.counts();
  run.result.overhead = simulation.memory().overhead();
  run.result.first_load = simulation.memory().first_load();
  if (simulation.left_waiting() == 0) return;
  throw SimulationError(
      fmt::format("policy '{}' left {} waiting for ever: nothing runs and nothing more happens; the first is {}",
                  policy.description().name, counted(static_cast<std::int64_t>(simulation.left_waiting()), "job"),
                  left_text(simulation.view(), run.result, simulation.first_left())));
}

}  // namespace coslice
