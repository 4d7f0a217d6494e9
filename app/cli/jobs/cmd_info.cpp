// coslice info: what a trace is like, or the jobs of a scenario beside its machine.
#include <filesystem>
#include <memory>

#include <nlohmann/json.hpp>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/jobs/trace_flags.h"
#include "cli/jobs/workload_output.h"
#include "core/error.h"
#include "formats/recorded.h"
#include "formats/swf.h"
#include "report/tables/terminal.h"
#include "runner/runner.h"
#include "scenario/load.h"

namespace coslice::cli {

namespace fs = std::filesystem;

namespace {

struct InfoFlags {
  std::vector<std::string> input, sets;
  std::optional<std::string> nodes;
  bool json = false, skip_bad = false;
};

const char* words(MachineSource source) {
  switch (source) {
    case MachineSource::kMaxProcs: return "MaxProcs in its header";
    case MachineSource::kMaxNodes: return "MaxNodes in its header";
    case MachineSource::kLargestJob: break;
  }
  return "its largest job, as the header does not say it";
}

std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// The scenario as far as its jobs and its machine go. Those that can never run are not left out: they are told of.
Scenario without_policies(Scenario scenario) {
  scenario.policy = {{}, Value::table(), false};
  std::erase_if(scenario.inputs, [](const RecordedInput& i) { return i.name.rfind("policy:", 0) == 0; });
  scenario.engine.unstarted = Unstarted::kDrop;
  return scenario;
}

int info_of_scenario(const InfoFlags& flags) {
  if (flags.nodes) {
    throw InputError({"--nodes", 0, "is for traces; a scenario says its machine",
                      "`--set machine.nodes=N`, or `--set machine.nodes.KIND.count=N`"});
  }
  Value tree = scenario_tree_of(flags.input.front());
  for (const std::string& assignment : flags.sets) apply_override(tree, assignment);
  set_skip_bad(tree, flags.skip_bad);
  const Runner runner(without_policies(check_scenario(tree)));
  for (const std::string& w : runner.warnings()) report_warning(w);
  const WorkloadDescription d = describe(runner.workload(), runner.machine().total_cores());
  const bool kinds = names_kinds(runner.machine());
  const MachineDemand demand = kinds ? describe_demand(runner.machine(), runner.workload()) : MachineDemand{};
  if (flags.json) {
    nlohmann::ordered_json out = workload_json(d);
    if (kinds) out["machine"] = demand_json(demand, *runner.machine().layout);
    print(dumped(out));
    return kDone;
  }
  const bool colour = wants_colour(stdout);
  print(workload_text(d, "the scenario", SiteNames(runner.names()), colour));
  if (kinds) print(demand_text(demand, *runner.machine().layout, colour));
  return kDone;
}

int info(const InfoFlags& flags) {
  const std::string& path = flags.input.front();
  if (is_site_folder(path)) return info_of_scenario(flags);
  require_file(path);
  if (is_scenario_name(path)) return info_of_scenario(flags);
  if (!flags.sets.empty()) {
    throw InputError({"--set", 0, "sets a key of a scenario, which " + path + " is not", "a scenario (.toml)",
                      "write one that names the trace: workload.trace"});
  }
  if (fs::path(path).extension() == ".lua") {
    throw InputError({path, 0, "is a Lua script", "a trace (.swf, .swf.gz) or a scenario (.toml)",
                      "`coslice validate` looks at scripts"});
  }
  SkippedLines skipped;
  RecordedWorkload recorded = read_trace(path, flags.skip_bad ? &skipped : nullptr);
  report_skipped(skipped);
  Workload& workload = recorded.workload;
  const TraceMachine machine = machine_of(workload);
  const std::int64_t nodes = flags.nodes ? whole_number("--nodes", *flags.nodes, 1, 100'000) : machine.nodes;
  drop_larger_than(workload, nodes);
  const WorkloadDescription d = describe(workload, nodes);
  if (flags.json) {
    print(dumped(workload_json(d)));
    return kDone;
  }
  const std::string origin = flags.nodes ? "--nodes" : words(machine.source);
  print(workload_text(d, origin, SiteNames(recorded.names), wants_colour(stdout)));
  return kDone;
}

}  // namespace

Command info_command() {
  auto flags = std::make_shared<InfoFlags>();
  InfoFlags& f = *flags;
  Command c;
  c.summary =
      "describe the jobs of a trace or a scenario: load, sizes, run times, arrivals, estimates, what they ask for";
  c.examples = {
      {"coslice info trace.swf.gz", "what is in it"},
      {"coslice info trace.swf --nodes 64", "as seen by a smaller machine"},
      {"coslice info scenarios/gpus.toml", "its jobs beside its machine: kinds, partitions, who can never run"},
      {"coslice info trace.swf --json | jq .offered_load", "for machines"},
  };
  c.text =
      "The machine has as many one-processor nodes as the trace's header says (MaxProcs, else MaxNodes), else as its "
      "largest job needs. Offered load is the work of all jobs over what the machine could do between the first and "
      "the last submission. Queues are what the trace numbers as such; of a dump of sacct they are the QOS, and groups "
      "the accounts. Accuracy of an estimate is run time over limit.\n\n"
      "Of a scenario, the jobs are those that a run would have, on its machine. Where nodes differ, tables say what "
      "the kinds of nodes and the partitions are, where jobs may run, and which can never. Offered load is then given "
      "for cores, memory and GPUs: what jobs would hold of them, in parts of what those nodes have; nodes twice as "
      "fast have twice as much. A job that has its nodes for itself holds all their cores and memory, and the GPUs "
      "that it asks for.";
  c.arguments = {{"SCENARIO.toml|TRACE.swf[.gz]",
                  "A scenario, or a trace in the Standard Workload Format.",
                  &f.input,
                  1,
                  1,
                  {Completion::kFiles, {"toml", "swf", "swf.gz"}}}};
  c.options = {
      value("--nodes", "N", f.nodes, "Processors of the machine; larger jobs are left out. For traces."),
      values("-s,--set", "KEY=VALUE", f.sets, "Sets a key of the scenario, e.g. workload.trace=log.swf.gz.",
             {Completion::kScenarioKeys}),
      skip_bad_flag(f.skip_bad),
      flag("--json", f.json, "Prints all figures as JSON."),
  };
  c.run = [flags] { return info(*flags); };
  return c;
}

}  // namespace coslice::cli
