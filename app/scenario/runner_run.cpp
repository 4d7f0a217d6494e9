// Running what a Runner has loaded: one simulation of one policy.
#include "scenario/runner.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "api/lua_coscheduler.h"
#include "api/lua_scheduler.h"
#include "observers/recorder.h"
#include "report/markup.h"
#include "scenario/left_waiting.h"
#include "scenario/process_jobs.h"
#include "run/simulation.h"
#include "workload/describe.h"
#include "workload/job_sizes.h"
#include "workload/trace_requests.h"
#include "workload/workflow.h"

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
    else if (policy->slices() || policy->sharing())
      run_sliced(run, *policy, schedulers_[i], slowdowns.get(), callbacks);
    else run_plain(run, *policy, slowdowns.get(), callbacks);
  } catch (...) {
    take_times();
    if (callbacks.ended_early) callbacks.ended_early(run);
    throw;
  }
  take_times();
  if (callbacks.summary != SummaryUse::kNone)
    run.summary = summarize(run.result, scenario_.metrics, callbacks.summary);
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
  std::optional<BusyNodes> busy;
  if (costs) simulation.add(busy.emplace(scenario_.machine));
  for (Observer* o : callbacks.observers) simulation.add(*o);
  if (callbacks.watch)
    for (Observer* o : callbacks.watch(workload)) simulation.add(*o);
  const std::size_t jobs = workload_.jobs.size();
  if (callbacks.progress) simulation.on_progress([&](std::size_t done) { callbacks.progress(done, jobs); });
  simulation.run();
  RunResult result = recorder.take();
  if (demand) result.demand = demand->take();
  if (busy) result.busy = busy->take();
  result.costs = std::move(costs);
  if constexpr (!std::is_same_v<S, ProcessSimulation>) result.submitted = simulation.take_submission_times();
  return result;
}

/// What jobs typically ask for: as the trace says, else those of the workload.
std::vector<TypicalRequest> Runner::typical() const {
  if (!workload_.typical.empty()) return workload_.typical;
  return typical_of(workload_, *kinds_of(scenario_.machine));
}

/// How jobs slow one another down on a machine whose nodes differ; null: they do not, and are as fast everywhere. `options` are
/// filled in.
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

void Runner::run_plain(PolicyRun& run, Policy& policy, const SlowdownModel* slowdowns,
                       const RunCallbacks& callbacks) const {
  LuaScheduler scheduler(policy, slowdowns);
  scheduler.use_calendar(trace_clock(workload_.header));
  Scheduler& decides = callbacks.between ? callbacks.between(scheduler) : scheduler;
  std::optional<RecordedStarts> recorded;
  if (history_) recorded.emplace(decides, *history_);
  Scheduler& asked = recorded ? *recorded : decides;
  NodeReservations reservations = this->reservations();
  const auto kinds = kinds_of(scenario_.machine);
  ResourceOptions resources;
  resources.placement = scheduler.placement(*kinds, typical(), static_cast<std::uint64_t>(scenario_.seed));
  std::optional<RecordedPlacement> placed;
  if (history_ && history_->knows_nodes()) {
    placed.emplace(*history_, resources.placement);
    resources.placement = &*placed;
  }
  ContentionOptions contention;
  const bool moldable = std::any_of(workload_.jobs.begin(), workload_.jobs.end(), is_moldable);
  const bool divides = scenario_.divides_gpus();
  const std::shared_ptr<Workload> molded = moldable || divides ? std::make_shared<Workload>(workload_) : nullptr;
  if (moldable) add_requests_of_sizes(*molded, scenario_.engine.ppn(scenario_.machine));
  if (divides) add_requests_of_slices(*molded, *kinds);
  const Workload& workload = molded ? *molded : workload_;
  resources.requests = &workload.requests;
  Simulation simulation(scenario_.machine, workload.jobs, asked, scenario_.engine, resources,
                        contention_of(slowdowns, contention), outages_ ? &*outages_ : nullptr,
                        reservations.empty() ? nullptr : &reservations, power_ ? &*power_ : nullptr);
  if (moldable) simulation.mold(molded->jobs);
  if (divides) simulation.divide_gpus(molded->jobs);
  run.result = record(simulation, callbacks, workload);
  run.result.molded = molded;
  run.result.reservations = std::move(reservations);
  if (outages_ && !run.result.outages) run.result.outages.emplace();
  run.result.checkpointing = simulation.checkpointing();
  run.result.power = simulation.take_power();
  run.notes = scheduler.notes();
  run.read_clock = scheduler.read_clock();
  if (simulation.left_waiting() != 0) {
    throw SimulationError(fmt::format("policy '{}' left {} waiting for ever: nothing runs and nothing more happens; the first is {}",
                                      policy.description().name,
                                      counted(static_cast<std::int64_t>(simulation.left_waiting()), "job"),
                                      left_text(simulation.view(), run.result, simulation.first_left())));
  }
}

void Runner::run_processes(PolicyRun& run, Policy& policy, const RunCallbacks& callbacks) const {
  const ProcessWorkload work = process_workload(scenario_, workload_);
  const CoschedulingSettings& settings = *policy.coscheduling();
  LuaCoscheduler coscheduler(policy.state(), settings, policy.params_table(), work.ids);
  ProcessSimulationOptions options;
  options.processors_per_node = scenario_.machine.cores_per_node();
  options.memory_kb = scenario_.machine.memory_kb;
  options.packing = settings.packing;
  options.backfill = policy.options().backfill != Backfill::kNone;
  options.path = scenario_.processes.path;
  options.tolerance = scenario_.processes.tolerance;
  options.unstarted = scenario_.engine.unstarted;
  options.seed = static_cast<std::uint64_t>(scenario_.seed);
  ProcessSimulation simulation(static_cast<std::int32_t>(scenario_.machine.total_cores()), work.programs, work.jobs,
                               coscheduler, options);
  if (callbacks.processors && options.path == ProcessPath::kExact) simulation.watch(*callbacks.processors);
  run.result = record(simulation, callbacks, workload_);
  run.result.processes = simulation.record();
  for (const ProcessJob& job : work.jobs) {
    run.result.processes->programs.push_back(work.programs[static_cast<std::size_t>(job.program)].name);
  }
}

/// Slices, or a single one that never ends where jobs only share nodes.
void Runner::run_sliced(PolicyRun& run, Policy& policy, const FoundPolicy& scheduler, const SlowdownModel* model,
                        const RunCallbacks& callbacks) const {
  SliceSettings none_at_all;
  none_at_all.options.overhead = Duration{0};
  const SliceSettings& settings = policy.slices() ? *policy.slices() : none_at_all;
  SliceFunctions functions(policy.state(), settings, policy.params_table(), policy.classes());
  const NoSlowdowns none;
  const SlowdownModel& slowdowns = model != nullptr ? *model : none;
  // One state for all classes, and for the functions of the slices: what the policy keeps in its variables is shared.
  const bool by_another = policy.slices() && !policy.slices()->scheduler.empty();
  const std::unique_ptr<Policy> another = by_another ? load_policy(scheduler, callbacks.print) : nullptr;
  if (another && callbacks.time_lua) another->state().time_calls();
  Policy& inside = another ? *another : policy;
  const TimeOf time_of_another(run, another.get());
  std::vector<std::unique_ptr<LuaScheduler>> schedulers;
  std::vector<Scheduler*> pointers;
  for (std::size_t c = 0; c != std::max<std::size_t>(settings.options.classes.size(), 1); ++c) {
    schedulers.push_back(std::make_unique<LuaScheduler>(inside, &slowdowns, scenario_.machine));
    schedulers.back()->use_calendar(trace_clock(workload_.header));
    const bool between = callbacks.between && !policy.slices();
    pointers.push_back(between ? &callbacks.between(*schedulers.back()) : schedulers.back().get());
  }
  std::optional<SharingFunctions> sharing;
  if (inside.sharing())
    sharing.emplace(inside.state(), *inside.sharing(), inside.params_table(), inside.classes(), slowdowns,
                    scenario_.machine);
  HourSource clock;
  const Duration clock_at_0 = whole_seconds(second_of_day_at_0(workload_.header, clock));
  ContentionOptions contention;
  SlicedResources resources;
  NodeReservations reservations = this->reservations();
  const auto kinds = kinds_of(scenario_.machine);
  resources.requests = &workload_.requests;
  if (!sharing) resources.contention = contention_of(model, contention);  // groups are slowed down as they say
  if (!reservations.empty()) resources.reservations = &reservations;
  for (const auto& s : schedulers) {
    Placement* const placement = s->placement(*kinds, typical(), static_cast<std::uint64_t>(scenario_.seed));
    if (placement != nullptr) resources.placements.push_back(placement);
  }
  Simulation simulation(scenario_.machine, workload_.jobs, pointers, functions.options(clock_at_0),
                              scenario_.engine, sharing ? std::optional(sharing->options()) : std::nullopt, resources,
                              outages_ ? &*outages_ : nullptr);
  ReservedTime reserved(reservations, workload_.jobs.size());
  if (!reservations.empty()) simulation.add(reserved);
  run.result = record(simulation, callbacks, workload_);
  if (!reservations.empty()) run.result.in_reservations = reserved.take();
  run.result.reservations = std::move(reservations);
  if (outages_ && !run.result.outages) run.result.outages.emplace();
  run.result.checkpointing = simulation.checkpointing();
  for (const auto& s : schedulers) {
    run.notes.add(s->notes());
    run.read_clock |= s->read_clock();
  }
  if (policy.slices()) run.slice_classes = settings.options.classes;
  run.slice_overhead = settings.options.overhead;
  run.result.slices = simulation.counts();
  if (const SharedNodes* shared = simulation.shared_nodes())
    run.result.sharing = SharingRecord{shared->counts(), shared->jobs(), inside.sharing()->layout};
  run.result.switch_time = settings.options.overhead;
  run.result.overhead = simulation.memory().overhead();
  run.result.first_load = simulation.memory().first_load();
}

}  // namespace coslice
