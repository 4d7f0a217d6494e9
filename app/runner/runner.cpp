#include "runner/runner.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/scripts/workload_script.h"
#include "core/error.h"
#include "formats/components_apart.h"
#include "formats/sacct.h"
#include "formats/trace_file.h"
#include "formats/trace_requests.h"
#include "jobs/attributes.h"
#include "jobs/elastic_layer.h"
#include "jobs/elasticity.h"
#include "jobs/job_sizes.h"
#include "jobs/literal_jobs.h"
#include "jobs/lublin.h"
#include "jobs/size_rules.h"
#include "jobs/workflow.h"
#include "machine/components.h"
#include "machine/node_names.h"
#include "metrics/offered_loads.h"
#include "output/output.h"
#include "report/markup.h"
#include "scenario/input_cache.h"
#include "scenario/jobs/change_workload.h"
#include "scenario/jobs/resource_profiles.h"
#include "scenario/jobs/slowdowns.h"
#include "scenario/load.h"
#include "scenario/machine/listed_machine.h"
#include "scenario/resolved.h"
#include "scenario/scenario_place.h"

namespace coslice {
namespace {

/// Returns how a job of a trace is named in messages: "17 (line 240)"; the line is left out where it is not known.
/// `trace` "": there is none.
std::string job_in_trace(const std::string& trace, std::int64_t id) {
  const std::int64_t line = trace.empty() ? 0 : line_of_job(trace, id);
  return line == 0 ? std::to_string(id) : fmt::format("{} (line {})", id, line);
}

/// Returns a warning such as "jobs.sacct: 2 jobs name a partition that the machine does not have; they go to the
/// default one".
std::string unknown_partition_text(const std::string& source, std::int64_t jobs) {
  return fmt::format("{}: {} {} a partition that the machine does not have; {} to the default one", source,
                     counted(jobs, "job"), jobs == 1 ? "names" : "name", jobs == 1 ? "it goes" : "they go");
}

/// Turns what jobs of the log asked for by name into requests of the scenario's machine; `workload` is the log's.
/// `even`: their nodes have cores alike, whatever the log says.
void resolve_requests(const RecordedWorkload& recorded, const Scenario& scenario, bool even, Workload& workload,
                      std::vector<std::string>& warnings) {
  const std::string& path = scenario.workload.trace;
  if (even && (scenario.workload.spread_tasks || scenario.workload.whole_processors))
    warnings.push_back(
        "workload.spread_tasks and whole_processors have no effect where a policy has time slices, groups on shared "
        "nodes or processes: all jobs have as many cores on each node");
  const TraceNodes nodes{scenario.workload.exclusive, scenario.engine.processes_per_node,
                         scenario.workload.spread_tasks && !even, scenario.workload.whole_processors && !even};
  const RecordedRequestCounts counts = resolve_recorded_requests(recorded.requests, workload, scenario.machine, nodes);
  if (counts.gpus_lost != 0) {
    warnings.push_back(
        fmt::format("{}: {} asked for GPUs, which a machine of equal nodes does not have; kinds of nodes "
                    "in [[machine.nodes]] may have some",
                    path, counted(counts.gpus_lost, "job")));
  }
  if (counts.unknown != 0) {
    warnings.push_back(fmt::format("{}: {} asked for what is left out or not kept here; the first is "
                                   "job {}: {}",
                                   path, counted(counts.unknown, "job"), job_in_trace(path, counts.first_unknown),
                                   counts.what));
  }
  if (counts.unknown_partition != 0) warnings.push_back(unknown_partition_text(path, counts.unknown_partition));
}

/// Refuses policies of one run that cannot have the same jobs: where cores of a node are laid out by the policy, tasks
/// are not spread, and the other policies would have other jobs beside such a one than alone. `even`: which these are.
void refuse_other_jobs(const Scenario& scenario, const RecordedWorkload& recorded, const std::vector<bool>& even) {
  const WorkloadSpec& w = scenario.workload;
  const auto counts = std::ranges::count(even, true);
  if (counts == 0 || counts == std::ssize(even)) return;
  const bool spread = w.spread_tasks && std::ranges::any_of(recorded.requests, [](const RecordedRequest& r) {
                        return r.spread.has_value();
                      });
  const bool whole = w.whole_processors && std::ranges::any_of(recorded.requests, [](const RecordedRequest& r) {
                       return r.asked_cpus > 0 && r.nodes > 0;
                     });
  if (!spread && !whole) return;
  const auto names = [&](bool of) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i != even.size(); ++i)
      if (even[i] == of) out.push_back("'" + scenario.policy.names[i] + "'");
    return fmt::format("{}", fmt::join(out, ", "));
  };
  const char* const key = spread ? "spread_tasks" : "whole_processors";
  fail_at_key(scenario, fmt::format("workload.{}", key),
              fmt::format("workload.{} says which cores jobs have under {}, but means nothing under {}, which has time "
                          "slices, groups or processes: in one run their jobs would not be the same",
                          key, names(false), names(true)),
              fmt::format("a run for each, or workload.{} = false", key));
}

constexpr std::int64_t kMostNodes = 100'000;

/// The most that a class without slices on demand may get of an interval: when no class before it wants any.
Duration longest_slice(const SliceOptions& o, std::size_t c) {
  double sum = 0;
  for (std::size_t i = c; i != o.classes.size(); ++i) sum += o.classes[i].on_demand ? 0 : o.classes[i].share;
  const double share = o.classes[c].share;
  return share > 0 ? from_seconds(to_seconds(o.interval) * (share / sum)) : Duration{0};
}

[[noreturn]] void no_machine(const Scenario& scenario) {
  throw InputError({scenario.file, 0, "the machine's size is not known", "machine.nodes, or a trace that says it",
                    "set it in [machine] or with --nodes N"});
}

/// Nothing where the machine does not have all of them.
NodeRanges nodes_on_record(const NodeLookup& lookup, const MachineLayout& layout, const std::string& text) {
  NodeSet nodes(layout.node_count());
  return text.empty() || lookup.insert(nodes, text, {}) ? NodeRanges{} : nodes.ranges();
}

/// Equal for runs for which the workload script makes the same jobs.
std::string what_the_script_sees(const Scenario& scenario, std::int32_t processes_per_node) {
  const Value all = scenario_values(scenario);
  std::string text = fmt::format("{} {} {}", scenario.workload.script, scenario.seed, processes_per_node);
  for (const char* const table : {"machine", "limits"})
    if (const Value* const said = all.find(table)) text += "\n" + toml_text(*said);
  return text + "\n" + toml_text(scenario.workload.params);
}

}  // namespace

Runner::Runner(Scenario scenario, std::vector<GivenPolicy> given, InputCache* inputs)
    : scenario_(std::move(scenario)), given_(std::move(given)), cache_(inputs) {
  load_policies();
  set_listed_machine(scenario_, cache_);
  check_curves(scenario_);
  load_workload();
  load_outages();
  refuse_together();
  if (scenario_.power.any()) power_ = power_options(scenario_);
  check_workflow();
  check_slices();
  note_unused_inputs();
}

Runner::~Runner() = default;

std::string Runner::digest_of(const std::string& path) const {
  return cache_ != nullptr ? cache_->digest(path) : sha256_of_file(path);
}

Limits Runner::script_limits() const { return scenario_.limits.for_host(); }

// --- workload

void Runner::load_workload() {
  const WorkloadSpec& spec = scenario_.workload;
  if (!spec.trace.empty()) load_trace();
  else if (!spec.generator.empty()) load_generated();
  else if (!spec.script.empty()) load_script();
  else load_literal();
  if (spec.trace.empty() && workload_.header.max_procs == 0) {  // so that what is written knows its machine
    workload_.header.max_nodes = scenario_.machine.nodes;
    workload_.header.max_procs = scenario_.machine.total_cores();
  }
  if (!spec.name.empty()) workload_.name = spec.name;
  if (workload_.name.empty()) workload_.name = scenario_.name;
  std::int64_t dropped = 0;  // not what the scenario itself cuts
  for (const TraceNote& note : workload_.notes)
    if (note.dropped) dropped += note.count;
  transform();
  warnings_.insert(warnings_.end(), workload_.warnings.begin(), workload_.warnings.end());
  if (scenario_.machine.nodes < 1) no_machine(scenario_);
  const bool adjusted = spec.sizes == WorkloadSpec::Sizes::kAdjusted;
  if (!adjusted) request_nodes();
  warn_of_missing_limits();
  const std::int64_t largest = adjusted ? scenario_.machine.nodes : scenario_.machine.total_cores();
  if (!spec.trace.empty() || adjusted) dropped += drop_larger_than(workload_, largest);
  if (dropped != 0) {
    warnings_.push_back(fmt::format("{}: {} of {} records are left out; `coslice info` tells why",
                                    spec.trace.empty() ? workload_.name : spec.trace, dropped, workload_.records));
  }
  if (workload_.jobs.empty()) no_job_left();
  warn_of_reserved_jobs();
  load_slowdowns();
  if (adjusted) request_nodes();
  lay_elasticity(workload_, spec.elastic, scenario_.machine.nodes, processes_per_node(),
                 static_cast<std::uint64_t>(scenario_.seed));
  if (spec.target_load) set_scarcest_load(workload_, scenario_.machine, *spec.target_load);
  load_history();
}

/// Where kinds are named: what jobs ask for that say no more than their processes, and which can never run.
void Runner::request_nodes() {
  if (!workload_.requests.empty() && !names_kinds(scenario_.machine)) name_kinds(scenario_.machine);
  if (!names_kinds(scenario_.machine)) return;
  const WorkloadSpec& spec = scenario_.workload;
  const bool written = spec.trace.empty() && spec.generator.empty();    // by a person, job for job
  const bool dropped = scenario_.engine.unstarted == Unstarted::kDrop;  // at once, whether for ever or just now
  const bool adjusted =
      spec.sizes == WorkloadSpec::Sizes::kAdjusted;  // by slowdowns that are drawn for each job's place
  const TraceRequestCounts counts = request_by_trace(
      workload_, *scenario_.machine.layout, {spec.exclusive, scenario_.engine.processes_per_node},
      dropped || adjusted ? Impossible::kKept : Impossible::kLeftOut, !spec.missing_limits && !written);
  const std::string& source = spec.trace.empty() ? scenario_.file : spec.trace;
  if (counts.too_large != 0 && written && !dropped) {
    const std::string what = fmt::format("job {} can never run: {}", counts.first_too_large, counts.first_reason);
    const Place place = place_of_literal_job(scenario_, counts.first_too_large);
    if (place.source) fail_at(place, what);
    throw InputError({spec.script.empty() ? scenario_.file : spec.script, 0, what});
  }
  if (counts.too_large != 0 && !dropped) {
    warnings_.push_back(fmt::format("{}: {} can never run on this machine and {} {}; the first is job {}: {}", source,
                                    counted(counts.too_large, "job"), counts.too_large == 1 ? "is" : "are",
                                    adjusted ? "rejected" : "left out",
                                    job_in_trace(spec.trace, counts.first_too_large), counts.first_reason));
  }
  if (counts.unknown_partition != 0) warnings_.push_back(unknown_partition_text(source, counts.unknown_partition));
}

/// What is wrong with the slowdowns should be known before anything runs; and sizes may be adjusted by them.
void Runner::load_slowdowns() {
  std::int64_t unknown = 0;
  const std::unique_ptr<SlowdownModel> model = make_slowdowns(scenario_, workload_, profiles_, unknown);
  if (unknown != 0 && !scenario_.slowdown.resources.empty()) {
    warnings_.push_back(fmt::format("{}: names {} of {} jobs not; what they use is drawn", scenario_.slowdown.resources,
                                    unknown, workload_.jobs.size()));
  } else if (unknown != 0) {
    warnings_.push_back(fmt::format("{}: {} of {} jobs run none of its applications and take its defaults",
                                    scenario_.slowdown.table, unknown, workload_.jobs.size()));
  }
  if (scenario_.workload.sizes == WorkloadSpec::Sizes::kAdjusted) adjust_to_machine(scenario_, *model, workload_);
}

std::unique_ptr<SlowdownModel> Runner::slowdowns() const {
  std::int64_t unknown = 0;
  return make_slowdowns(scenario_, workload_, profiles_, unknown);
}

/// Processes of a job that says how many nodes it takes.
std::int32_t Runner::processes_per_node() const {
  if (scenario_.workload.sizes == WorkloadSpec::Sizes::kAdjusted) return 1;
  const std::int32_t per_node = scenario_.engine.processes_per_node;
  return per_node > 0 ? per_node : scenario_.machine.cores_per_node();
}

/// Whether jobs of several components run apart here: some policy knows requests of one kind only. All policies of a
/// run have the same jobs, and a log cannot be written otherwise as a scenario can, where such jobs are refused.
bool Runner::components_apart(const RecordedWorkload& recorded) {
  if (recorded.requests.empty()) return false;  // none are recorded, or they have been resolved
  const auto count = std::ranges::count_if(recorded.workload.jobs, [&](const Job& job) {
    return job.request != kNoRequest && !recorded.requests[static_cast<std::size_t>(job.request)].components.empty();
  });
  if (count == 0) return false;
  for (std::size_t i = 0; i != features_.size(); ++i) {
    const std::optional<Feature> other = refused_beside(features_[i], Feature::kComponents);
    if (!other) continue;
    warnings_.push_back(fmt::format(
        "{}: {} of several components on nodes of several kinds {} apart, one job for each component, which may start "
        "apart: policy '{}' has {}, which cannot be combined with {}; policies without have them start together",
        scenario_.workload.trace, counted(count, "heterogeneous job"), count == 1 ? "is taken" : "are taken",
        descriptions_[i].name, words_for(*other).name, count == 1 ? "it" : "them"));
    return true;
  }
  return false;
}

std::shared_ptr<const RecordedWorkload> Runner::fit_for_policies(std::shared_ptr<const RecordedWorkload> recorded,
                                                                 bool& apart) {
  apart = components_apart(*recorded);
  if (!apart) return recorded;
  auto own = std::make_shared<RecordedWorkload>(*recorded);  // others read the trace as it is
  take_components_apart(*own);
  return own;
}

void Runner::load_trace() {
  const std::string& path = scenario_.workload.trace;
  if (std::filesystem::exists(path) && is_pod_list(path)) {  // else it is kept in the cache, or cannot be read
    if (scenario_.workload.skip_bad)
      throw InputError({path, 0, "is a list of pods, of which no lines can be left out", "SWF or a dump of sacct",
                        "without workload.skip_bad (--skip-bad)"});
    workload_ = load_pods(scenario_, cache_);
    return;
  }
  refuse_pod_keys(scenario_);
  const bool waits = scenario_.workload.recorded_until.has_value();
  // Policies that lay out processes, or have nodes in turn, count nodes.
  std::vector<bool> lay_out;
  for (std::size_t i = 0; i != sliced_.size(); ++i)
    lay_out.push_back(shares_nodes_[i] || coschedules_[i] || sliced_[i]);
  const bool even = std::ranges::find(lay_out, true) != lay_out.end();
  SkippedLines skipped;
  SkippedLines* const skips = scenario_.workload.skip_bad ? &skipped : nullptr;
  bool apart = false;
  const auto take = [&](auto&& recorded) {
    if (skipped.count > 0)
      warnings_.push_back(fmt::format("{} of {} cannot be read and {} left out; the first one: {}",
                                      counted(skipped.count, "line"), path, skipped.count == 1 ? "is" : "are",
                                      skipped.first.front()));
    refuse_other_jobs(scenario_, recorded, lay_out);
    workload_ = std::forward<decltype(recorded)>(recorded).workload;
    names_ = recorded.names;
    HetJobCounts het_jobs;  // what was taken apart here has been said
    for (const std::string& id : recorded.site_ids)
      if (!apart) het_jobs.add(id);
    if (het_jobs.components() > 0) warnings_.push_back(het_jobs.text());
    if (!recorded.requests.empty()) resolve_requests(recorded, scenario_, even, workload_, warnings_);
  };
  if (waits) {
    recorded_ = fit_for_policies(cache_ != nullptr
                                     ? cache_->recorded(path, skips)
                                     : std::make_shared<const RecordedWorkload>(read_trace_with_waits(path, skips)),
                                 apart);
    take(*recorded_);
  } else if (cache_ != nullptr) {
    take(*fit_for_policies(cache_->workload(path, skips), apart));
  } else {
    RecordedWorkload own = read_trace(path, skips);
    apart = components_apart(own);
    if (apart) take_components_apart(own);
    take(std::move(own));  // not copied: two of a long trace would be most of the memory
  }
  MachineSpec& machine = scenario_.machine;
  if (machine.nodes > 0) return;
  const TraceMachine found = machine_of(workload_);
  const std::int64_t nodes = (found.nodes + machine.cores_per_node() - 1) / machine.cores_per_node();
  if (nodes > kMostNodes) {
    throw InputError({path, 0, fmt::format("its machine would have {} nodes", nodes),
                      fmt::format("at most {}", kMostNodes),
                      "set machine.nodes or --nodes N; larger jobs are left out"});
  }
  if (nodes < 1) no_machine(scenario_);
  machine.nodes = static_cast<std::int32_t>(nodes);
  if (found.source == MachineSource::kLargestJob) {
    warnings_.push_back(fmt::format("{} does not say how large its machine was: taking the size of its largest job, {}",
                                    path, counted(nodes, "node")));
  }
}

void Runner::load_generated() {
  LublinOptions options = scenario_.workload.lublin;
  MachineSpec& machine = scenario_.machine;
  if (options.nodes == 0) options.nodes = machine.nodes > 0 ? machine.nodes : LublinOptions{}.nodes;
  if (machine.nodes == 0) machine.nodes = options.nodes;
  options.seed = static_cast<std::uint64_t>(scenario_.seed);
  workload_ = generate_lublin(options);
}

void Runner::load_script() {
  const std::string& path = scenario_.workload.script;
  if (scenario_.machine.nodes < 1) no_machine(scenario_);
  const auto make = [&] {
    const Script script = read_script(path);
    WorkloadScriptContext context{script_context(path, script_limits(), static_cast<std::uint64_t>(scenario_.seed)),
                                  scenario_.machine, processes_per_node()};
    ScriptedJobs made;
    made.workload = run_workload_script(script, scenario_.workload.params, context, &made.profiles, &made.names);
    return made;
  };
  const auto take = [&](auto&& made) {
    workload_ = std::forward<decltype(made)>(made).workload;
    profiles_ = std::forward<decltype(made)>(made).profiles;
    names_ = std::forward<decltype(made)>(made).names;
  };
  if (cache_ != nullptr) take(*cache_->scripted(what_the_script_sees(scenario_, processes_per_node()), make));
  else take(make());
}

void Runner::load_literal() {
  const MachineSpec& machine = scenario_.machine;
  if (machine.nodes < 1) no_machine(scenario_);
  if (!scenario_.workload.jobs) return;
  workload_ = literal_workload(*scenario_.workload.jobs, processes_per_node(), machine);
  profiles_ = literal_profiles(*scenario_.workload.jobs);
}

void Runner::transform() {
  change_workload(workload_, scenario_.workload, static_cast<std::uint64_t>(scenario_.seed), script_limits());
  note_dates();
}

/// The dates of the log: what presses its arrivals together changes none of them.
void Runner::note_dates() {
  const auto clock = trace_clock(workload_.header);
  if (!clock || workload_.jobs.empty()) return;
  const Time first = workload_.jobs.front().submit, pressed = workload_.jobs.back().submit;
  const double span = to_seconds(pressed - first) * scenario_.workload.transform.load_factor;
  const Time last = span <= kMaxSubmitSeconds ? first + from_seconds(span) : pressed;
  dates_ = dates_text(*clock, first, last);
}

void Runner::warn_of_missing_limits() {
  const WorkloadSpec& spec = scenario_.workload;
  const std::int64_t missing = count_missing_limits(workload_);
  if (spec.trace.empty() || spec.missing_limits || spec.transform.estimates != Estimates::kTrace || missing == 0)
    return;
  warnings_.push_back(
      fmt::format("{}: {} of {} jobs have no limit; their run time stands in, so that a policy that plans with "
                  "limits knows it exactly. Set workload.missing_limit to choose",
                  spec.trace, missing, workload_.jobs.size()));
}

double Runner::offered_load() const { return coslice::offered_load(workload_.jobs, scenario_.machine.total_cores()); }

void Runner::no_job_left() const {
  const std::string& trace = scenario_.workload.trace;
  const std::string notes = left_out(workload_);
  std::string why = notes;
  if (notes.empty() && !warnings_.empty()) {  // which would be said of jobs that are left
    const bool named = warnings_.back().starts_with(trace + ": ");
    why = "; " + warnings_.back().substr(named ? trace.size() + 2 : 0);
  }
  throw InputError({trace.empty() ? scenario_.file : trace, 0, "no job is left to simulate" + why, "",
                    trace.empty() ? "" : "`coslice info` tells what is in the log"});
}

// --- policies

const GivenPolicy* Runner::given(const std::string& name) const {
  for (const GivenPolicy& g : given_)
    if (g.script.name == name) return &g;
  return nullptr;
}

FoundPolicy Runner::find(const std::string& name) const {
  if (const GivenPolicy* g = given(name)) return {g->script, "", {{"", "lib/", "the built-in library"}}};
  return find_policy(name, scenario_.folder);
}

std::unique_ptr<Policy> Runner::load_policy(const FoundPolicy& found, const PrintSink& print) const {
  PolicyContext context;
  context.limits = script_limits();
  context.seed = static_cast<std::uint64_t>(scenario_.seed);
  context.classes = scenario_.metrics.classes;
  context.roots = found.roots;
  context.print = print;
  const GivenPolicy* g = given(found.script.name);
  if (g && g->make) return g->make(scenario_.policy.params, context);
  return std::make_unique<Policy>(found.script, scenario_.policy.params, context, false);
}

void Runner::load_policies() {
  std::vector<std::string> declared;
  std::string owners;
  for (const std::string& name : scenario_.policy.names) {
    found_.push_back(find(name));
    const FoundPolicy& found = found_.back();
    const std::unique_ptr<Policy> policy = load_policy(found, [](std::string_view) {});
    descriptions_.push_back(policy->description());
    shares_nodes_.push_back(policy->sharing().has_value());
    pairs_by_use_.push_back(policy->sharing() && policy->sharing()->by_use);
    coschedules_.push_back(policy->coscheduling().has_value());
    sliced_.push_back(policy->slices().has_value());
    schedulers_.push_back(find_slice_scheduler(*policy, found, declared));
    slices_.emplace_back();
    if (policy->slices() && !policy->slices()->shares) slices_.back() = policy->slices()->options;
    const PolicyDescription& description = descriptions_.back();
    for (const ParamSpec& p : description.params) declared.push_back(p.name);
    owners += fmt::format("{}'{}'", owners.empty() ? "policy " : " or ", description.name);
    if (!found.path.empty()) continue;
    built_in_.push_back({"policy:" + name, found.script.text});
    if (!scenario_.inputs.empty()) verify_input(scenario_, built_in_.back().first, sha256_of_text(found.script.text));
  }
  std::ranges::sort(declared);
  declared.erase(std::unique(declared.begin(), declared.end()), declared.end());
  if (scenario_.policy.chosen_by_flag) drop_params_of_others(declared, owners);
  check_param_names(scenario_.policy.params, declared, owners);
}

/// What the file sets for the policies that it names means nothing to others that --policy puts in their place.
void Runner::drop_params_of_others(const std::vector<std::string>& declared, const std::string& owners) {
  std::vector<std::string> others;
  for (const Member& m : *scenario_.policy.params.members()) {
    const bool in_file = m.value.place.line > 0;
    if (in_file && !std::ranges::binary_search(declared, m.key)) others.push_back(m.key);
  }
  constexpr std::size_t kNamedSingly = 3;
  for (const std::string& name : others) {
    scenario_.policy.params.erase(name);
    if (others.size() > kNamedSingly) continue;
    warnings_.push_back(
        fmt::format("{}: parameter '{}' is left out: {} has none of that name", scenario_.file, name, owners));
  }
  if (others.size() > kNamedSingly)
    warnings_.push_back(fmt::format("{}: {} parameters are left out, '{}' and others: {} has none of these names",
                                    scenario_.file, others.size(), others.front(), owners));
}

/// Jobs that no slice and no other class would ever let run are a mistake in the shares, not a long simulation.
void Runner::check_slices() const {
  for (std::size_t i = 0; i != slices_.size(); ++i) {
    if (!slices_[i] || slices_[i]->foreign != ForeignJobs::kNone) continue;
    const std::vector<SliceClass>& classes = slices_[i]->classes;
    std::vector<std::int64_t> jobs(classes.size());
    for (const Job& job : workload_.jobs) ++jobs[class_of_estimate(classes, job.limit)];
    for (std::size_t c = 0; c != classes.size(); ++c) {
      if (classes[c].on_demand || jobs[c] == 0 || longest_slice(*slices_[i], c) > slices_[i]->overhead) continue;
      const Value& params = scenario_.policy.params;
      const bool set = params.members() != nullptr && !params.members()->empty();
      fail_at(
          set ? params.members()->front().value.place : Place{std::make_shared<Source>(Source{scenario_.file, ""}), 0},
          fmt::format(
              "under policy '{}' {} of class '{}' could never run: {}, and no job runs in the slices of other classes",
              descriptions_[i].name, counted(jobs[c], "job"), classes[c].name,
              classes[c].share > 0 ? "its slices are no longer than what is lost at their end"
                                   : "the class has no share"),
          classes[c].share > 0 ? "a larger share, a longer interval or less overhead, or foreign jobs"
                               : "a share above 0, or foreign jobs");
    }
  }
}

/// Digests of nothing that this scenario uses: another policy by --policy, or a name that was misspelt.
void Runner::note_unused_inputs() {
  for (const std::string& name : unused_inputs(scenario_)) {
    const auto same = [&](const auto& policy) { return policy.first == name; };
    if (std::ranges::any_of(built_in_, same)) continue;
    warnings_.push_back(fmt::format("[inputs] has a digest of '{}', which this run does not use", name));
  }
}

/// The policy that schedules the slices of a policy that has slices; otherwise the policy itself.
FoundPolicy Runner::find_slice_scheduler(const Policy& policy, const FoundPolicy& found,
                                         std::vector<std::string>& declared) {
  const bool by_another = policy.slices() && !policy.slices()->scheduler.empty();
  FoundPolicy inner = by_another ? find(policy.slices()->scheduler) : found;
  const std::unique_ptr<Policy> scheduler = by_another ? load_policy(inner, [](std::string_view) {}) : nullptr;
  features_.push_back(features_of(scenario_, policy, scheduler.get()));
  coslice::refuse_together(scenario_, workload_, policy.description().name, found.script.name, features_.back());
  if (scheduler)
    for (const ParamSpec& p : scheduler->description().params) declared.push_back(p.name);
  return inner;
}

const std::string& Runner::policy_reference(std::size_t i) const {
  return found_[i].path.empty() ? scenario_.policy.names[i] : found_[i].path;
}

/// Of the jobs that are left, by their numbers: what was cut out of the trace did not run either.
void Runner::load_history() {
  if (!scenario_.workload.recorded_until) return;
  const RecordedWorkload& recorded = *recorded_;
  std::unordered_map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i != recorded.workload.jobs.size(); ++i) places.emplace(recorded.workload.jobs[i].id, i);
  std::optional<NodeLookup> lookup;
  if (names_kinds(scenario_.machine) && !recorded.nodes.empty()) lookup.emplace(*scenario_.machine.layout);
  RecordedHistory history;
  history.until = Time{*scenario_.workload.recorded_until};
  history.starts.resize(workload_.jobs.size());
  bool any = recorded.all_starts_known;
  for (std::size_t j = 0; j != workload_.jobs.size(); ++j) {
    const auto at = places.find(workload_.jobs[j].id);
    const Duration wait = at == places.end() ? Duration{-1} : recorded.wait(at->second);
    if (wait < Duration{0}) continue;
    any = true;
    history.starts[j].start = later(workload_.jobs[j].submit, wait);
    const Duration ran = workload_.jobs[j].runtime - scenario_.workload.transform.time_added;
    if (later(history.starts[j].start, ran) <= history.until) workload_.jobs[j].runtime = ran;
    const RequestId asked = workload_.jobs[j].request;
    history.starts[j].shared = asked != kNoRequest && has_components(workload_.requests[asked]);
    if (lookup && history.starts[j].start < history.until)
      history.starts[j].nodes = nodes_on_record(*lookup, *scenario_.machine.layout, recorded.nodes[at->second]);
  }
  if (!any)
    throw InputError({scenario_.workload.trace, 0,
                      "says of no job when it started, which workload.recorded_until needs",
                      "a dump of sacct with Start, or an SWF trace with waits"});
  const auto started = [&](const auto& s) { return s.start < history.until; };
  if (names_kinds(scenario_.machine) && recorded.nodes.empty() && std::ranges::any_of(history.starts, started))
    warnings_.push_back(
        fmt::format("{}: does not say on which nodes jobs ran (sacct's NodeList): until workload.recorded_until they "
                    "get the nodes that are free, and some may have no room when they started on record",
                    scenario_.workload.trace));
  history_ = std::move(history);
  recorded_.reset();
}

/// What a text of sizes says is known when the job is.
void Runner::check_sizes() const {
  for (const Job& job : workload_.jobs) {
    if (!is_elastic(job) && !is_moldable(job)) continue;
    const Request* const asked = job.request != kNoRequest ? &workload_.requests[job.request] : nullptr;
    try {
      coslice::check_sizes(job, scenario_.engine.ppn(scenario_.machine), asked);
    } catch (const InputError& e) {
      fail_at_job(scenario_, job.id, fmt::format("job {} {}", job.id, e.diagnostic().problem), e.diagnostic().expected);
    }
  }
}

/// Of each policy, what its run has that has no meaning beside something else.
void Runner::refuse_together() const {
  for (std::size_t i = 0; i != features_.size(); ++i) {
    const FeatureSet jobs = features_of(scenario_, workload_, features_[i]);
    coslice::refuse_together(scenario_, workload_, descriptions_[i].name, found_[i].script.name, features_[i] | jobs);
  }
}

/// What jobs wait for, where it did not come from the scenario itself: a trace or a script may say what cannot be.
void Runner::check_workflow() const {
  const WorkloadSpec& spec = scenario_.workload;
  const std::string& source = !spec.trace.empty() ? spec.trace : !spec.script.empty() ? spec.script : scenario_.file;
  if (const auto problem = workflow_of(workload_.jobs, scenario_.engine.dependencies).problem)
    throw InputError(
        {source, 0, fmt::format("job {} {}", workload_.jobs[problem->job].id, problem->what), problem->expected});
  check_sizes();
}

/// A number that is no job's is probably a slip: nothing would run in the reservation.
void Runner::warn_of_reserved_jobs() {
  for (const ReservationSpec& r : scenario_.reservations) {
    std::vector<std::string> missing;
    for (const std::int64_t id : r.jobs)
      if (std::ranges::none_of(workload_.jobs, [id](const Job& j) { return j.id == id; }))
        missing.push_back(std::to_string(id));
    if (missing.empty()) continue;
    warnings_.push_back(fmt::format("reservation '{}' is for {} {}, which the workload does not have", r.name,
                                    missing.size() == 1 ? "job" : "jobs", fmt::join(missing, ", ")));
  }
}

}  // namespace coslice
