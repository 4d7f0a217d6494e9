// A scenario: machine, workload, policies with their parameters, and what to write. Plain structs; how they stand in
// TOML files is in scenario/key_tables.cpp, the loading in scenario/load.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "core/value.h"
#include "formats/openb.h"
#include "formats/trace_requests.h"
#include "host/limits.h"
#include "jobs/elastic_layer.h"
#include "jobs/job_spec.h"
#include "jobs/lublin.h"
#include "jobs/slowdown.h"
#include "jobs/transform.h"
#include "machine/machine.h"
#include "machine/machine_spec.h"
#include "metrics/summary.h"
#include "process/process_simulation.h"
#include "process/program.h"
#include "run/simulation.h"
#include "scenario/machine/outage_spec.h"
#include "scenario/machine/power_spec.h"
#include "scenario/machine/reservation_spec.h"
#include "sharing/contention.h"

namespace coslice {

// What jobs' processes do, as the scenario says it: [processes].

struct ProcessesSpec {
  ProcessPath path = ProcessPath::kClosed;
  double tolerance = ProcessSimulationOptions{}.tolerance;
  std::vector<ProgramSpec> programs;
  std::string script;             ///< path of a Lua file that gives each job its program
  Value params = Value::table();  ///< for the script
};

/// How pods come where the trace is a list of pods.
struct PodSpec {
  PodTimes times = PodTimes::kRecorded;
  std::string order;         ///< path; "": none
  std::string order_column;  ///< "": "s" and the seed
  double demand = 0;         ///< times the machine's GPUs; 0: the list as it is
};

struct WorkloadSpec {
  std::string name;  ///< "" : after the trace or the scenario
  // The source: exactly one of these four is set.
  std::string trace;      ///< path of an SWF file
  std::string generator;  ///< "lublin"
  std::string script;     ///< path of a Lua file
  std::optional<std::vector<JobSpec>> jobs;

  LublinOptions lublin = for_machine();  ///< nodes 0: those of the machine; the seed is the scenario's
  Value params = Value::table();         ///< for the script
  PodSpec pods;                          ///< where the trace is a list of pods

  std::optional<std::int64_t> date;  ///< at second 0, as seconds since 1970; absent: what the trace says, if it does
  // What is changed, in this order (scenario/jobs/change_workload.h).
  Selection keep, drop;
  std::string job_script;             ///< path of a Lua file (api/scripts/job_script.h); its turn is after the window
  Value job_params = Value::table();  ///< for it
  std::optional<MissingLimits> missing_limits;  ///< absent: the run time, with a warning
  TransformOptions transform;                   ///< its seed is the scenario's
  ElasticLayer elastic;                         ///< which jobs become elastic
  std::optional<double> target_load;  ///< offered load on the scenario's machine; instead of transform.load_factor

  /// Until then jobs start as recorded, whatever the policy says; absent: it decides from the beginning.
  std::optional<Duration> recorded_until;

  Exclusive exclusive = Exclusive::kYes;  ///< on a machine with kinds: whether jobs of a trace have whole nodes
  bool whole_processors = false;          ///< jobs of a dump of sacct have whole processors
  bool spread_tasks = false;              ///< tasks go where there is room, if a dump of sacct says which job lets them
  enum class Sizes : std::uint8_t { kGiven, kAdjusted } sizes = Sizes::kGiven;
  bool skip_bad = false;      ///< lines of the trace that cannot be read are left out
  SizeAdjustment adjustment;  ///< where sizes are adjusted

  static LublinOptions for_machine() {
    LublinOptions o;
    o.nodes = 0;
    return o;
  }
};

/// A machine that is given as a list of its nodes.
struct ListSpec {
  std::string nodes;         ///< path; "": it is not
  std::string order;         ///< path: in which order equally good nodes are taken; "": by number
  std::string order_column;  ///< "": "s" and the seed
  bool random_order = false;
};

/// Applications of a table of slowdowns that nothing says: drawn by their shares.
inline constexpr const char* kApplicationsDrawn = "drawn";

/// What makes jobs slower that share processors, nodes or memory.
struct SlowdownSpec {
  enum class Model : std::uint8_t { kNone, kDrawn, kTable, kScript, kByResources } model = Model::kNone;
  std::string table;   ///< path of a TOML file: slowdowns by application (scenario/jobs/slowdowns.h)
  std::string script;  ///< path of a Lua file (api/scripts/slowdown_script.h)
  std::string applications = "executable";  ///< for the table: the attribute that says which one a job runs, or drawn
  /// What schedulers believe of jobs beside one another.
  enum class Known : std::uint8_t { kTruth, kEstimate, kNothing } scheduler_knows = Known::kTruth;  ///< for the table
  Value params = Value::table();                                                                    ///< for the script
  std::string resources;           ///< path of a CSV file: what jobs use, by id (scenario/jobs/resource_profiles.h)
  ResourceMix mix{0.4, 0.3, 0.3};  ///< of those that the file does not name
  ResourceConflicts conflicts;
  ContentionOptions contention;  ///< on a heterogeneous machine; its model is left out
};

struct PolicySpec {
  std::vector<std::string> names = {"easy"};  ///< names or paths; several run side by side
  Value params = Value::table();
  bool chosen_by_flag = false;  ///< the names come from --policy: parameters in the file may be for other policies
};

/// What a script may use up, in a scenario's units.
struct ScriptLimits {
  std::int64_t instructions = Limits{}.instructions;                           ///< per call
  std::int64_t memory_kb = static_cast<std::int64_t>(Limits{}.memory / 1024);  ///< of one Lua state
  bool trusted = false;                                                        ///< instructions are not counted

  Limits for_host() const {
    Limits limits;
    limits.instructions = trusted ? 0 : instructions;
    limits.memory = static_cast<std::size_t>(memory_kb) * 1024;
    return limits;
  }
};

struct OutputSpec {
  std::string dir;                                                                ///< "": no run folder
  std::vector<std::string> files = {"jobs.csv", "schedule.swf", "timeline.csv"};  ///< beside those always written
};

/// The digest that an input had when a resolved scenario was written.
struct RecordedInput {
  std::string name;    ///< a path, or a label with a colon, e.g. "policy:easy"
  std::string sha256;  ///< 64 lower-case hexadecimal digits
  Place place{};       ///< where it was recorded
};

struct Scenario {
  std::string name;  ///< without one in the file, the file's name without its ending
  std::string description;
  std::int64_t seed = 1;            ///< not negative
  LayoutSpec layout;                ///< kinds of nodes, partitions, licences; `machine` has the layout of them
  MachineSpec machine{0, 1, 1, 0};  ///< nodes 0: from the trace's header
  ListSpec lists;
  WorkloadSpec workload;
  ProcessesSpec processes;
  SlowdownSpec slowdown;
  OutageSpec outages;
  PowerSpec power;
  std::vector<ReservationSpec> reservations;
  PolicySpec policy;
  EngineOptions engine;
  ScriptLimits limits;
  MetricsOptions metrics;
  OutputSpec output;
  std::vector<RecordedInput> inputs;  ///< of a resolved scenario that is fed back; see verify_input

  std::string file;    ///< the file it was loaded from, "" if none
  std::string folder;  ///< the folder of that file, where policies are looked for; "" is the current one

  /// Returns whether some GPU can be divided into slices.
  bool divides_gpus() const {
    return std::ranges::any_of(layout.kinds, [](const NodeKindSpec& k) { return k.slices != 0; });
  }
};

}  // namespace coslice
