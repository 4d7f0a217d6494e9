// From a checked scenario to results: loads the workload and the policies, simulates each policy on the same jobs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/policy/find_policy.h"
#include "api/policy/policy.h"
#include "formats/recorded.h"
#include "jobs/slowdown.h"
#include "jobs/workload.h"
#include "metrics/summary.h"
#include "observe/result.h"
#include "runner/found_features.h"
#include "scenario/scenario.h"
#include "schedule/observer.h"
#include "schedule/recorded_starts.h"
#include "schedule/scheduler.h"
#include "slices/slices.h"

namespace coslice {

class JobInlet;

/// One policy's run.
struct PolicyRun {
  PolicyDescription policy;
  Value params;      ///< all parameters as they were
  RunResult result;  ///< refers to the runner's workload
  Summary summary;
  PolicyNotes notes{};                      ///< what the policy noted down
  std::vector<SliceClass> slice_classes{};  ///< of a policy with time slices, else empty
  Duration slice_overhead{0};               ///< lost at each slice's end
  double lua_seconds = 0;                   ///< of the host's time, inside calls of Lua; only if it was asked for
  bool read_clock = false;                  ///< the policy asked a view for the time
  std::vector<std::pair<std::string, double>> seconds_by_call{};  ///< of it, by what was called, most first
};

/// What the caller may want to be told or to decide while it runs.
struct RunCallbacks {
  std::function<void(std::size_t done, std::size_t jobs)> progress;
  PrintSink print;                        ///< what policies print; absent: standard error
  bool time_lua = false;                  ///< measure PolicyRun::lua_seconds
  SummaryUse summary = SummaryUse::kAll;  ///< what PolicyRun::summary is wanted for
  std::vector<Observer*> observers;       ///< besides the recorder
  ProcessorWatch* processors = nullptr;   ///< is told what they do, where processes are coscheduled event by event
  /// Stands between the loop and the scheduler of a policy without time slices and coscheduling: gives what the loop
  /// asks instead, which must ask the scheduler.
  std::function<Scheduler&(Scheduler&)> between{};
  /// Told where the run ends by an error or an interruption: which policy it was, and what time_lua measured until
  /// then.
  std::function<void(const PolicyRun&)> ended_early{};
  /// Jobs that come into the run beside those of the workload (Simulation::let_in); null: none do.
  JobInlet* inlet = nullptr;
  /// Makes more observers when the jobs are known as they will run: moldable ones take their sizes there.
  std::function<std::vector<Observer*>(const Workload&)> watch{};
};

/// A policy that the caller brings along instead of naming a file. A scenario asks for it by the script's name.
struct GivenPolicy {
  using Maker = std::function<std::unique_ptr<Policy>(const Value& params, const PolicyContext& context)>;
  GivenPolicy(Script s, Maker m = {}) : script(std::move(s)), make(std::move(m)) {}
  Script script;
  Maker make;  ///< makes the policy for a run; absent: it is loaded from the script's text
};

class InputCache;
class JobDemands;

class Runner {
 public:
  /// Loads everything that can be wrong before anything runs: the workload, the machine's size, each policy with its
  /// parameters. Given policies are found by their names before any file is. `inputs`, which outlives it, keeps files
  /// that other runs read as well. Throws InputError.
  explicit Runner(Scenario scenario, std::vector<GivenPolicy> given = {}, InputCache* inputs = nullptr);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Returns the scenario with the machine and the names filled in.
  const Scenario& scenario() const { return scenario_; }
  const Workload& workload() const { return workload_; }
  const MachineSpec& machine() const { return scenario_.machine; }
  /// Returns run times x sizes / (cores x time from the first submission to the last).
  double offered_load() const;
  /// Returns when the log has the first and the last job submitted; "" if it does not say.
  const std::string& dates() const { return dates_; }
  /// Returns what a person should know, e.g. that the machine's size was guessed.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Returns the names that the trace has instead of numbers, if the trace is a dump of sacct.
  const std::vector<RecordedWorkload::Name>& names() const { return names_; }
  /// Policies that have no path, with their scripts: {"policy:easy", "return {..."}. The others resolved_toml() finds.
  const std::vector<std::pair<std::string, std::string>>& built_in() const { return built_in_; }
  /// Returns nodes that are reserved, as the simulation is told; empty: none.
  NodeReservations reservations() const;
  /// Returns which nodes are not there when, as the simulation is told; null: they always are.
  const OutageOptions* outages() const { return outages_ ? &*outages_ : nullptr; }
  /// Returns the SHA-256 of a file that the run was made from.
  std::string digest_of(const std::string& path) const;

  /// Returns what makes jobs slower that share nodes, for the jobs of the workload: a model of its own for each run,
  /// because a script may keep things in its variables. Null without slowdowns. Throws InputError.
  std::unique_ptr<SlowdownModel> slowdowns() const;

  std::size_t policies() const { return found_.size(); }
  const PolicyDescription& policy(std::size_t i) const { return descriptions_[i]; }
  /// Returns whether jobs share nodes under the i-th policy.
  bool shares_nodes(std::size_t i) const { return shares_nodes_[i]; }
  /// Returns whether the i-th policy looks for jobs to share nodes by what they use.
  bool pairs_by_use(std::size_t i) const { return pairs_by_use_[i]; }
  /// Returns whether the i-th policy coschedules processes.
  bool coschedules(std::size_t i) const { return coschedules_[i]; }
  /// Returns whether the i-th policy has time slices.
  bool has_slices(std::size_t i) const { return sliced_[i]; }
  /// Returns what names the i-th policy from any folder: its path, or the name of what is built in or was given as
  /// text.
  const std::string& policy_reference(std::size_t i) const;
  /// Simulates the i-th policy. Each call loads the policy afresh: what it keeps in its variables ends with the run.
  /// Throws SimulationError if the policy raises an error or leaves jobs waiting for ever.
  PolicyRun run(std::size_t i, const RunCallbacks& callbacks = {}) const;

 private:
  void load_workload();
  void load_trace();
  void load_history();
  void load_generated();
  void load_script();
  void load_literal();
  void transform();
  void note_dates();
  void warn_of_missing_limits();
  void warn_of_reserved_jobs();
  [[noreturn]] void no_job_left() const;
  void refuse_together() const;
  void check_workflow() const;
  void check_sizes() const;
  void request_nodes();
  void load_slowdowns();
  void load_outages();
  std::int32_t processes_per_node() const;
  Limits script_limits() const;
  const GivenPolicy* given(const std::string& name) const;
  FoundPolicy find(const std::string& name) const;
  void load_policies();
  bool components_apart(const RecordedWorkload& recorded);
  std::shared_ptr<const RecordedWorkload> fit_for_policies(std::shared_ptr<const RecordedWorkload> recorded,
                                                           bool& apart);
  void drop_params_of_others(const std::vector<std::string>& declared, const std::string& owners);
  void check_slices() const;
  void note_unused_inputs();
  FoundPolicy find_slice_scheduler(const Policy& policy, const FoundPolicy& found, std::vector<std::string>& declared);
  template <class S>
  RunResult record(S& simulation, const RunCallbacks& callbacks, const Workload& workload) const;
  std::vector<TypicalRequest> typical() const;
  const ContentionOptions* contention_of(const SlowdownModel* slowdowns, ContentionOptions& options) const;
  void run_processes(PolicyRun& run, Policy& policy, const RunCallbacks& callbacks) const;
  std::shared_ptr<Workload> changing_jobs() const;
  void run_jobs(PolicyRun& run, Policy& policy, const FoundPolicy& scheduler, const SlowdownModel* model,
                const RunCallbacks& callbacks) const;
  std::unique_ptr<Policy> load_policy(const FoundPolicy& found, const PrintSink& print) const;

  Scenario scenario_;
  std::vector<GivenPolicy> given_;
  InputCache* cache_;  ///< null: files are read each time
  Workload workload_;
  std::vector<RecordedWorkload::Name> names_;
  std::shared_ptr<const RecordedWorkload> recorded_;  ///< the trace, while its starts are still to be read
  std::optional<RecordedHistory> history_;            ///< starts that are as recorded
  std::string dates_;
  ResourceProfiles profiles_;  ///< what the workload's source says that jobs use
  std::vector<FoundPolicy> found_;
  std::vector<FoundPolicy> schedulers_;  ///< by policy: what schedules its slices, or the policy itself
  std::vector<PolicyDescription> descriptions_;
  std::vector<FeatureSet> features_;  ///< by policy: what it and the scenario's keys ask for
  std::vector<bool> shares_nodes_, pairs_by_use_, coschedules_, sliced_;
  std::vector<std::optional<SliceOptions>> slices_;            ///< by policy, if its shares are known beforehand
  std::vector<std::pair<std::string, std::string>> built_in_;  ///< label, script
  std::vector<std::string> warnings_;
  std::optional<OutageOptions> outages_;  ///< which nodes are not there when; nothing: they always are
  std::optional<PowerOptions> power_;     ///< nodes are powered down while they are free
};

}  // namespace coslice
