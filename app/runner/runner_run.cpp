// Running what a Runner has loaded: one simulation of one policy.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "api/policy/lua_coscheduler.h"
#include "api/policy/lua_scheduler.h"
#include "api/scripts/program_script.h"
#include "core/error.h"
#include "core/random.h"
#include "formats/trace_requests.h"
#include "jobs/job_sizes.h"
#include "jobs/literal_jobs.h"
#include "jobs/workflow.h"
#include "jobs/workload.h"
#include "machine/memory_amount.h"
#include "observe/node_use.h"
#include "observe/recorder.h"
#include "observe/result_order.h"
#include "observe/story_resources.h"
#include "process/process_simulation.h"
#include "report/explain/story_text.h"
#include "report/markup.h"
#include "run/simulation.h"
#include "run/vain_wait.h"
#include "runner/run_checks.h"
#include "runner/runner.h"
#include "scenario/machine/outage_spec.h"
#include "scenario/machine/reservation_spec.h"
#include "scenario/scenario.h"
#include "schedule/view.h"

namespace coslice {
namespace {

struct ProcessWorkload {
  std::vector<Program> programs;
  std::vector<ProcessJob> jobs;   ///< as in the workload
  std::vector<std::int64_t> ids;  ///< numbers in the trace
};

constexpr std::int32_t kUndecided = -1;

/// By the job's number: the program that it names in the scenario.
std::map<std::int64_t, std::int32_t> named_programs(const Scenario& scenario) {
  std::map<std::int64_t, std::int32_t> named;
  if (!scenario.workload.jobs) return named;
  std::vector<std::string> names;
  for (const ProgramSpec& p : scenario.processes.programs) names.push_back(p.name);
  for (std::size_t i = 0; i < scenario.workload.jobs->size(); ++i) {
    const JobSpec& job = (*scenario.workload.jobs)[i];
    if (job.program.empty()) continue;
    const auto it = std::ranges::find(names, job.program);
    if (it == names.end()) {
      throw InputError(
          {scenario.file, 0,
           "job " + std::to_string(literal_job_id(job, i)) + " runs a program '" + job.program + "' that there is not",
           "a name in [[processes.programs]]", did_you_mean(job.program, names)});
    }
    named[literal_job_id(job, i)] = static_cast<std::int32_t>(it - names.begin());
  }
  return named;
}

/// Draws by weight, from the job's number alone: other jobs make no difference.
class WeightedDraw {
 public:
  explicit WeightedDraw(const Scenario& scenario)
      : key_(static_cast<std::uint64_t>(scenario.seed), "programs"), specs_(scenario.processes.programs) {
    for (const ProgramSpec& p : specs_) total_ += p.weight;
  }
  std::int32_t draw(std::int64_t job) const {
    double left = total_ * key_.uniform(static_cast<std::uint64_t>(job));
    std::int32_t last = kUndecided;
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      if (specs_[i].weight <= 0) continue;
      last = static_cast<std::int32_t>(i);
      if (left < specs_[i].weight) break;
      left -= specs_[i].weight;
    }
    return last;
  }

 private:
  RandomKey key_;
  const std::vector<ProgramSpec>& specs_;
  double total_ = 0;
};

/// The script that gives jobs programs, or nothing.
std::unique_ptr<ProgramScript> load_script(const Scenario& scenario) {
  const std::string& path = scenario.processes.script;
  if (path.empty()) return nullptr;
  return std::make_unique<ProgramScript>(
      read_script(path), scenario.processes.params,
      script_context(path, scenario.limits.for_host(), static_cast<std::uint64_t>(scenario.seed)));
}

/// What it asks for on each node is shared among its processes there. Were it rounded up for each, they could ask for
/// more than a node has.
std::int64_t for_each_process(std::int64_t of_node, const Job& job, const Request& request) {
  return std::max<std::int64_t>(of_node / divided_up(job.size, request.nodes), of_node > 0 ? 1 : 0);
}

ProcessJob process_job(const Job& job, std::int32_t program, const std::vector<Program>& programs,
                       const RequestTable& requests) {
  const Program& p = programs[static_cast<std::size_t>(program)];
  const std::int64_t said = job.requested_memory_kb >= 0 ? job.requested_memory_kb : job.used_memory_kb;
  ProcessJob out{job.submit,        job.size,
                 program,           iterations_for(p, job.size, job.runtime),
                 job.limit,         said >= 0 ? said : p.memory_kb,
                 withdrawal_of(job)};
  if (job.request == kNoRequest) return out;
  const Request& request = requests[job.request];
  if (said < 0 && request.memory_mib > 0)
    out.memory_kb = kb_of_each_process(request.memory_mib * kKbOfMib, divided_up(job.size, request.nodes));
  out.gpus = for_each_process(std::int64_t{request.gpus} * request.gpu_share, job, request);
  return out;
}

/// Gives each job a program: the one that it names, else what the script says, else one drawn by weight from the
/// scenario's seed and the job's number. A job makes as many iterations as take its run time alone.
/// Throws InputError where the scenario does not say what processes do.
ProcessWorkload process_workload(const Scenario& scenario, const Workload& workload) {
  const ProcessesSpec& spec = scenario.processes;
  ProcessWorkload out;
  for (const ProgramSpec& p : spec.programs) out.programs.push_back(p.program());
  const std::map<std::int64_t, std::int32_t> named = named_programs(scenario);
  const std::unique_ptr<ProgramScript> script = load_script(scenario);
  const WeightedDraw weighted(scenario);
  for (const Job& job : workload.jobs) {
    const auto it = named.find(job.id);
    std::int32_t program = it != named.end() ? it->second : kUndecided;
    if (program == kUndecided && script) {
      program = static_cast<std::int32_t>(out.programs.size());
      out.programs.push_back(script->program_of(job));
    }
    if (program == kUndecided) program = weighted.draw(job.id);
    if (program == kUndecided) {
      throw InputError({scenario.file, 0, "nothing says what the processes of job " + std::to_string(job.id) + " do",
                        "[[processes.programs]], processes.script, or a program of the job"});
    }
    out.jobs.push_back(process_job(job, program, out.programs, workload.requests));
    out.ids.push_back(job.id);
  }
  return out;
}

WaitPhase phase_of(const View& view, View::Position p, const std::string& asks) {
  const WaitingQueue& queue = view.queue();
  WaitPhase phase;
  phase.needed = queue.nodes(p);
  phase.planned = queue.duration(p);
  phase.least = phase.most = view.free_now();
  note_lack(phase, view, queue.job(p), 0, {});
  if (phase.reserved != WaitPhase::Reserved::kNo) phase.why = WaitReason::kReserved;
  else if (phase.lack == Lack::kNothing && phase.needed <= view.free_now()) {
    phase.why = WaitReason::kPolicy;
    phase.words = fmt::format("its {} would fit, and the policy does not start it",
                              asks.empty() ? words::nodes(phase.needed) : asks);
  }
  return phase;
}

/// Returns what keeps a job waiting, "job 2, came at 0 s: needed 4 nodes, 3 were free", when nothing runs.
/// Precondition: it waits in the view's queue, or is set aside.
std::string left_text(const View& view, const RunResult& result, JobIndex j) {
  const StoryContext context{&result, "", {}, "", asks_text(result, j), j};
  const View::Position p = view.queue().find(j);
  WaitPhase phase;
  phase.why = WaitReason::kAside;
  if (p != view.queue().end()) phase = phase_of(view, p, context.asks);
  return fmt::format("{}, came at {}: {}", words::job(result, j), words::instant(result.submitted_at(j)),
                     wait_reason_text(phase, context));
}

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

/// Whether a policy that coschedules processes asks or is told of single jobs.
bool sees_jobs(const PolicyHooks& h) {
  return h.checkpoint || h.estimate || h.begin || h.submitted || h.started || h.resized || h.asks || h.ended ||
         h.withdrawn;
}

/// A policy that looks for pairs by what jobs use has to be told it.
void check_what_jobs_use(const Runner& runner, std::size_t i) {
  const SlowdownSpec::Model model = runner.scenario().slowdown.model;
  if (!runner.pairs_by_use(i) || model == SlowdownSpec::Model::kByResources) return;
  fail_at_key(runner.scenario(), model == SlowdownSpec::Model::kNone ? "policy" : "slowdown",
              fmt::format("policy '{}' looks for pairs by what jobs use, which the scenario does not say",
                          runner.policy(i).name),
              "[slowdown] with model = \"resources\"");
}

}  // namespace

void check_before_run(const Runner& runner) {
  static_cast<void>(runner.reservations());
  for (std::size_t i = 0; i != runner.policies(); ++i) check_what_jobs_use(runner, i);
  for (std::size_t i = 0; i != runner.policies(); ++i)
    if (runner.coschedules(i)) return static_cast<void>(process_workload(runner.scenario(), runner.workload()));
}

PolicyRun Runner::run(std::size_t i, const RunCallbacks& callbacks) const {
  check_what_jobs_use(*this, i);
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
  try {
    simulation.run();
  } catch (const VainWait&) {
    // As where nothing is to come at all: what is recorded tells why they wait.
  }
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
  outages_ = outage_options(scenario_, workload_.jobs);
}

NodeReservations Runner::reservations() const {
  if (scenario_.reservations.empty()) return {};
  return node_reservations(scenario_, workload_.jobs);
}

void Runner::run_processes(PolicyRun& run, Policy& policy, const RunCallbacks& callbacks) const {
  const std::shared_ptr<Workload> changing = changing_jobs();
  const Workload& workload = changing ? *changing : workload_;
  ProcessWorkload work = process_workload(scenario_, workload);
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
  JobDemands demands(scenario_.machine, workload.jobs, &workload.requests, scenario_.engine, &reservations);
  ProcessMachine machine;
  if (outages_) machine.outages = &*outages_;
  const std::vector<Partition>& partitions = demands.layout().partitions;
  const bool own_limits = std::ranges::any_of(partitions, [](const Partition& p) { return p.over_limit.has_value(); });
  if (!demands.one_count() || demands.gpus_asked() || own_limits) machine.demands = &demands;
  if (power_) machine.power = &*power_;
  ProcessSimulation simulation(static_cast<std::int32_t>(scenario_.machine.total_cores()), work.programs, work.jobs,
                               coscheduler, options, &workload.jobs, scenario_.engine, machine);
  if (changing)
    simulation.mold(changing->jobs, work.jobs, machine.demands != nullptr ? &demands : nullptr, [&](JobIndex j) {
      return process_job(workload.jobs[j], work.jobs[j].program, work.programs, workload.requests);
    });
  std::optional<LuaScheduler> asked;
  if (sees_jobs(policy.hooks())) {
    asked.emplace(policy, nullptr, scenario_.machine).use_calendar(trace_clock(workload_.header));
    simulation.ask(*asked);
  }
  if (callbacks.processors && options.path == ProcessPath::kExact) simulation.watch(*callbacks.processors);
  run.result = record(simulation, callbacks, workload);
  run.result.molded = changing;
  if (asked) {
    run.notes.add(asked->notes());
    run.read_clock = asked->read_clock();
  }
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
  std::shared_ptr<Workload> changing = changing_jobs();
  if (callbacks.inlet != nullptr && !changing) changing = std::make_shared<Workload>(workload_);
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
  if (callbacks.inlet != nullptr) simulation.let_in(*callbacks.inlet, changing->jobs);
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
  run.result.blocked = simulation.blocked();
  if (simulation.left_waiting() == 0) {
    if (callbacks.inlet != nullptr) order_by_submission(run.result, *changing);
    return;
  }
  throw SimulationError(
      fmt::format("policy '{}' left {} waiting for ever: nothing runs and nothing more happens; the first is {}",
                  policy.description().name, counted(static_cast<std::int64_t>(simulation.left_waiting()), "job"),
                  left_text(simulation.view(), run.result, simulation.first_left())));
}

}  // namespace coslice
