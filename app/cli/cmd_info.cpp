// coslice info: what a trace is like.
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/inputs.h"
#include "cli/whole_number.h"
#include "cli/workload_text.h"
#include "core/error.h"
#include "report/tables/terminal.h"
#include "workload/recorded.h"
#include "workload/swf.h"

namespace coslice::cli {

namespace fs = std::filesystem;

namespace {

struct InfoFlags {
  std::vector<std::string> trace;
  std::optional<std::string> nodes;
  bool json = false;
};

const char* words(MachineSource source) {
  switch (source) {
    case MachineSource::kMaxProcs: return "MaxProcs in its header";
    case MachineSource::kMaxNodes: return "MaxNodes in its header";
    case MachineSource::kLargestJob: break;
  }
  return "its largest job, as the header does not say it";
}

int info(const InfoFlags& flags) {
  const std::string& path = flags.trace.front();
  require_file(path);
  if (is_scenario_name(path)) {
    throw InputError(
        {path, 0, "is a scenario", "a trace (.swf, .swf.gz)", "`coslice validate` looks at scenarios", ""});
  }
  if (fs::path(path).extension() == ".lua") {
    throw InputError(
        {path, 0, "is a Lua script", "a trace (.swf, .swf.gz)", "`coslice validate` looks at scripts", ""});
  }
  Workload workload = read_trace(path).workload;
  const TraceMachine machine = machine_of(workload);
  const std::int64_t nodes = flags.nodes ? whole_number("--nodes", *flags.nodes, 1, 100'000) : machine.nodes;
  drop_larger_than(workload, nodes);
  const WorkloadDescription d = describe(workload, nodes);
  if (flags.json) {
    print(workload_json(d));
    return kDone;
  }
  const std::string origin = flags.nodes ? "--nodes" : words(machine.source);
  print(workload_text(d, origin, wants_colour(stdout)));
  return kDone;
}

}  // namespace

Command info_command() {
  auto flags = std::make_shared<InfoFlags>();
  InfoFlags& f = *flags;
  Command c;
  c.name = "info";
  c.summary = "describe a trace: load, sizes, run times, arrivals, estimates, what is dropped";
  c.examples = {
      {"coslice info trace.swf.gz", "what is in it"},
      {"coslice info trace.swf --nodes 64", "as seen by a smaller machine"},
      {"coslice info trace.swf --json | jq .offered_load", "for machines"},
  };
  c.text =
      "The machine has as many one-processor nodes as the trace's header says (MaxProcs, else MaxNodes), else as its "
      "largest job needs. Offered load is the work of all jobs over what the machine could do between the first and "
      "the "
      "last submission. Accuracy of an estimate is run time over limit.";
  c.arguments = {{"TRACE.swf[.gz]",
                  "A trace in the Standard Workload Format.",
                  &f.trace,
                  1,
                  1,
                  {Completion::kFiles, {"swf", "swf.gz"}}}};
  c.options = {
      value("--nodes", "N", f.nodes, "Processors of the machine; larger jobs are left out."),
      flag("--json", f.json, "Prints all figures as JSON."),
  };
  c.run = [flags] { return info(*flags); };
  return c;
}

}  // namespace coslice::cli
