// coslice generate: synthetic workloads as traces.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "api/scripts/workload_script.h"
#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/output_file.h"
#include "core/error.h"
#include "formats/swf.h"
#include "jobs/transform.h"
#include "jobs/workload_description.h"
#include "report/markup.h"
#include "runner/runner.h"

namespace coslice::cli {
namespace {

struct GenerateFlags {
  std::vector<std::string> source, sets;
  std::optional<std::string> jobs, nodes, load, alpha, memory, seed, out;
  bool types = false, original = false;
};

/// Of a call: a script may draw a million jobs before it yields the first one.
constexpr std::int64_t kInstructions = 1'000'000'000;

bool is_script(const std::string& source) {
  return source.find('/') != std::string::npos || (source.size() > 4 && source.substr(source.size() - 4) == ".lua");
}

void refuse_for_scripts(bool given, const char* name) {
  if (!given) return;
  throw InputError({name, 0, "is for lublin only", "", "give the script its own parameters by --set NAME=VALUE"});
}

Value lublin_tree(const GenerateFlags& f) {
  Value tree = Value::table();
  set_value(tree, "workload.generator", "lublin", "lublin");
  if (!f.sets.empty())
    throw InputError({"--set", 0, "is for scripts only", "", "`coslice generate --help` lists the flags of lublin"});
  if (f.nodes) set_count_from_flag(tree, "machine.nodes", "--nodes", *f.nodes);
  if (f.memory) throw InputError({"--memory", 0, "is for scripts only", "", "lublin needs no Lua"});
  if (f.jobs) set_from_flag(tree, "workload.lublin.jobs", "--jobs", *f.jobs);
  if (f.alpha) set_from_flag(tree, "workload.lublin.alpha", "--alpha", *f.alpha);
  if (f.load && f.alpha)
    throw InputError({"", 0, "--load and --alpha are both given", "one of them: each sets the gaps between arrivals"});
  if (f.load) set_from_flag(tree, "workload.lublin.load", "--load", *f.load);
  if (f.types) set_value(tree, "workload.lublin.types", true, "--types");
  if (f.original) set_value(tree, "workload.lublin.original", true, "--original");
  return tree;
}

/// Whether the script lets its number of jobs be chosen.
bool has_jobs_parameter(const std::string& path) {
  const std::vector<ParamSpec> params = workload_script_params(read_script(path), {});
  return std::ranges::any_of(params, [](const ParamSpec& p) { return p.name == "jobs"; });
}

Value script_tree(const GenerateFlags& f) {
  const std::string& path = f.source.front();
  require_file(path);
  refuse_for_scripts(f.alpha.has_value(), "--alpha");
  refuse_for_scripts(f.types, "--types");
  refuse_for_scripts(f.original, "--original");
  Value tree = Value::table();
  set_value(tree, "workload.script", path, path);
  set_value(tree, "engine.instructions", kInstructions, path);
  if (f.jobs && has_jobs_parameter(path)) set_from_flag(tree, "workload.params.jobs", "--jobs", *f.jobs);
  for (const std::string& s : f.sets) apply_override(tree, "workload.params." + s, "--set " + s);
  if (f.nodes) set_count_from_flag(tree, "machine.nodes", "--nodes", *f.nodes);
  if (f.memory) set_from_flag(tree, "engine.memory", "--memory", *f.memory);
  if (f.jobs) set_count_from_flag(tree, "workload.first", "--jobs", *f.jobs);
  return tree;
}

/// Presses the arrivals of a script's jobs together, or pulls them apart, until their offered load is the wanted one.
void scale_load(Workload& workload, std::int64_t nodes, double load) {
  const double now = describe(workload, nodes).offered_load;
  if (now <= 0) throw InputError({"--load", 0, "cannot be met: all jobs arrive at once"});
  TransformOptions options;
  options.load_factor = load / now;
  transform(workload, options);
}

double load_of(const GenerateFlags& f) {
  Value tree = Value::table();
  set_value(tree, "workload.trace", "a", "--load");
  set_from_flag(tree, "workload.load_factor", "--load", *f.load);  // the same range and the same message
  return check_scenario(tree).workload.transform.load_factor;
}

void check_out_name(const std::string& out) {
  const auto ends_with = [&](std::string_view end) { return out.size() > end.size() && out.ends_with(end); };
  if (out == "-" || ends_with(".swf") || ends_with(".swf.gz")) return;
  throw InputError({"--out", 0, fmt::format("'{}' does not end in .swf or .swf.gz", out),
                    "a name that says what is in it", fmt::format("try '{}.swf'", out)});
}

int generate(const GenerateFlags& f) {
  const std::string& source = f.source.front();
  const bool script = is_script(source);
  const std::string out = f.out.value_or("-");
  check_out_name(out);
  if (!script && source != "lublin") {
    const std::vector<std::string> generators = {"lublin"};
    throw InputError({"", 0, fmt::format("there is no generator '{}'", source), "lublin, or a workload script (.lua)",
                      did_you_mean(source, generators)});
  }
  Value tree = script ? script_tree(f) : lublin_tree(f);
  if (f.seed) set_from_flag(tree, "seed", "--seed", *f.seed);
  const double load = script && f.load ? load_of(f) : 0;
  const Runner runner(check_scenario(tree));
  const std::int64_t processors = runner.machine().total_cores();
  Workload workload = runner.workload();
  if (load > 0) scale_load(workload, processors, load);
  if (out == "-") {
    write_swf(out, workload);
    return kDone;
  }
  write_new_file(out, [&](const std::string& temporary) { write_swf(temporary, workload); });
  const WorkloadDescription d = describe(workload, processors);
  report_note(fmt::format("wrote {}: {} over {}, offered load {} on {}", out, counted(d.jobs, "job"),
                          human_duration(d.span), ratio(d.offered_load, 3), counted(runner.machine().nodes, "node")));
  return kDone;
}

}  // namespace

Command generate_command() {
  auto flags = std::make_shared<GenerateFlags>();
  GenerateFlags& f = *flags;
  Command c;
  c.summary = "write a synthetic workload as a trace";
  c.examples = {
      {"coslice generate lublin --jobs 10000 --nodes 128 -o w.swf", "the model of Lublin and Feitelson"},
      {"coslice generate lublin --nodes 128 --load 0.85 --seed 2 -o w.swf.gz", "with an offered load of 0.85"},
      {"coslice generate lublin --types --jobs 5000 --nodes 256 -o w.swf", "batch and interactive jobs"},
      {"coslice generate mine.lua --nodes 64 --set users=20 -o w.swf", "a workload script with a parameter"},
  };
  c.text = "The same seed gives the same jobs on every machine. The offered load of a single trace scatters about the "
           "wanted one: with 10,000 jobs by some 8 %. For a script, --jobs sets its parameter `jobs`, without one it "
           "keeps the first jobs; --load presses the arrivals together or pulls them apart, to just that load.";
  c.arguments = {{"lublin|SCRIPT.lua",
                  "The model, or a workload script.",
                  &f.source,
                  1,
                  1,
                  {Completion::kFiles, {"lua"}, {"lublin"}}}};
  c.options = {
      value("-n,--jobs", "N", f.jobs, "Jobs (lublin: 10000 by default)."),
      value("--nodes", "N", f.nodes, "Nodes of the machine that they are made for (lublin: 128 by default)."),
      value("--load", "X", f.load, "Offered load."),
      value("--alpha", "X", f.alpha,
            "lublin: shape of the gaps between arrivals (aarr); larger is a lower load. "
            "Without the rush-to-all ratio, as papers use it."),
      flag("--types", f.types, "lublin: batch and interactive jobs instead of one kind."),
      flag("--original", f.original, "lublin: job for job what the authors' program draws from the same seed."),
      value("--memory", "SIZE", f.memory, "Memory that the script may take, e.g. 1GiB (default 256 MiB)."),
      value("--seed", "N", f.seed, "Seed of all random numbers (default 1)."),
      values("-s,--set", "PARAM=VALUE", f.sets, "Sets a parameter of the script."),
      value("-o,--out", "FILE.swf[.gz]", f.out, "The trace; `-`, the default, is standard output.",
            {Completion::kFiles, {"swf", "swf.gz"}}),
  };
  c.run = [flags] { return generate(*flags); };
  return c;
}

}  // namespace coslice::cli
