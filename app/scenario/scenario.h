// A scenario: machine, workload, policies with their parameters, and what to write. Plain structs; how they stand in
// TOML files is in scenario/keys.cpp, the loading in scenario/load.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/machine.h"
#include "core/time.h"
#include "core/value.h"
#include "host/limits.h"
#include "metrics/summary.h"
#include "scenario/process_spec.h"
#include "sched/simulation.h"
#include "workload/lublin.h"
#include "workload/missing_limits.h"
#include "workload/resource_slowdowns.h"
#include "workload/selection.h"
#include "workload/size_adjustment.h"
#include "workload/transform.h"

namespace coslice {

/// One job written down in the scenario. -1 is "not said", as in SWF.
struct LiteralJob {
  std::int64_t id = -1;  ///< -1: its number in the list, from 1
  Duration submit{};
  std::int32_t size = 0;   ///< processes; 0: given in nodes
  std::int32_t nodes = 0;  ///< 0: given in processes
  Duration runtime{};
  std::optional<Duration> limit;  ///< absent: the run time
  std::int32_t user = -1, group = -1, executable = -1, queue = -1, partition = -1;
  std::int64_t memory_kb = -1;  ///< per process
  std::int64_t after = -1;      ///< id of the job that must end first
  std::optional<Duration> think_time;
  std::optional<double> cpu, network, disk;  ///< fractions of its run time; all or none
  std::optional<double> memory_fraction;     ///< of a node's memory
  std::string program;                       ///< name in [[processes.programs]]; "": not said
};

struct WorkloadSpec {
  std::string name;  ///< "" : after the trace or the scenario
  // The source: exactly one of these four is set.
  std::string trace;      ///< path of an SWF file
  std::string generator;  ///< "lublin"
  std::string script;     ///< path of a Lua file
  std::optional<std::vector<LiteralJob>> jobs;

  LublinOptions lublin = for_machine();  ///< nodes 0: those of the machine; the seed is the scenario's
  Value params = Value::table();         ///< for the script

  // What is changed, in this order (scenario/change_workload.h).
  Selection keep, drop;
  std::string job_script;                       ///< path of a Lua file (api/job_script.h); its turn is after the window
  Value job_params = Value::table();            ///< for it
  std::optional<MissingLimits> missing_limits;  ///< absent: the run time, with a warning
  TransformOptions transform;                   ///< its seed is the scenario's
  std::optional<double> target_load;  ///< offered load on the scenario's machine; instead of transform.load_factor

  enum class Sizes : std::uint8_t { kGiven, kAdjusted } sizes = Sizes::kGiven;
  SizeAdjustment adjustment;  ///< where sizes are adjusted

  static LublinOptions for_machine() {
    LublinOptions o;
    o.nodes = 0;
    return o;
  }
};

/// What says which application of a table of slowdowns a job runs.
enum class ApplicationBy : std::uint8_t {
  kExecutable,
  kQueue,
  kUser,
  kGroup,
  kPartition,  ///< the job's number of that kind
  kDrawn,      ///< nothing: drawn by the shares of the applications
};

/// What makes jobs slower that share processors, nodes or memory.
struct SlowdownSpec {
  enum class Model : std::uint8_t { kNone, kDrawn, kTable, kScript, kByResources } model = Model::kNone;
  std::string table;   ///< path of a TOML file: slowdowns by application (scenario/slowdown_table.h)
  std::string script;  ///< path of a Lua file (api/slowdown_script.h)
  ApplicationBy applications = ApplicationBy::kExecutable;  ///< for the table
  Value params = Value::table();                            ///< for the script
  std::string resources;           ///< path of a CSV file: what jobs use, by id (scenario/resource_profiles.h)
  ResourceMix mix{0.4, 0.3, 0.3};  ///< of those that the file does not name
  ResourceConflicts conflicts;
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
  MachineSpec machine{0, 1, 1, 0};  ///< nodes 0: from the trace's header
  WorkloadSpec workload;
  ProcessesSpec processes;
  SlowdownSpec slowdown;
  PolicySpec policy;
  EngineOptions engine;
  ScriptLimits limits;
  MetricsOptions metrics;
  OutputSpec output;
  std::vector<RecordedInput> inputs;  ///< of a resolved scenario that is fed back; see verify_input

  std::string file;    ///< the file it was loaded from, "" if none
  std::string folder;  ///< the folder of that file, where policies are looked for; "" is the current one
};

}  // namespace coslice
