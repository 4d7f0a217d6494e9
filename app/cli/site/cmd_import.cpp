// coslice import: a site's own Slurm configuration and records as a scenario.
#include <memory>

#include <fmt/format.h>

#include "api/policy/find_policy.h"
#include "api/policy/params.h"
#include "api/policy/policy.h"
#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/jobs/trace_flags.h"
#include "core/error.h"
#include "output/output.h"
#include "output/run_folder.h"
#include "report/markup.h"
#include "runner/runner.h"
#include "scenario/load.h"
#include "slurm/import.h"

namespace coslice::cli {
namespace {

struct ImportFlags {
  std::vector<std::string> from;
  std::optional<std::string> conf, gres, topology, assoc, jobs, reservations, recorded_until, out;
  bool skip_bad = false;
};

const std::vector<std::string> kImportKinds = {"slurm"};

std::string needed_flag(const char* name, const std::optional<std::string>& value, const char* what) {
  if (value) return *value;
  throw InputError({name, 0, "is missing", what});
}

std::string checked_file(const std::optional<std::string>& path) {
  if (path) require_file(*path);
  return path.value_or("");
}

/// Throws InputError at the line of slurm.conf for a value that the policy does not take.
void check_params(const Value& params) {
  const FoundPolicy found = find_policy("slurm");
  PolicyContext context;
  context.roots = found.roots;
  context.print = [](std::string_view) {};
  resolve_params(Policy(found.script, Value::table(), context).description().params, params, "policy 'slurm'", false);
}

/// What a run makes of what was written: how many jobs it has, and why it leaves others out.
struct AsRun {
  std::int64_t jobs = 0;
  std::vector<std::string> warnings;
};

/// Looks at the scenario as each command does before it runs it. Throws InputError: none could run it.
AsRun checked(const RunFolder& site) {
  AsRun out;
  try {
    const Runner runner(load_scenario(site.path_of("scenario.toml")));
    out = {std::ssize(runner.workload().jobs), runner.warnings()};
  } catch (const InputError& e) {
    throw InputError({"", 0, "nothing could run what was read: " + site.in_users_words(e.what())});
  }
  for (std::string& warning : out.warnings) warning = site.in_users_words(std::move(warning));
  if (out.jobs == 0)
    throw InputError({"", 0,
                      "no job of the records could run" + (out.warnings.empty() ? "" : ": " + out.warnings.back()),
                      "jobs that fit the machine of slurm.conf"});
  return out;
}

void report_import(const slurm::Import& import, const AsRun& run, const std::string& folder) {
  const std::string fewer = run.jobs == import.jobs ? "" : fmt::format(" on record and {} in a run", grouped(run.jobs));
  report_note(fmt::format("wrote {}: {}{}, {}, {}, {}", folder, counted(import.jobs, "job"), fewer,
                          counted(import.partitions, "partition"), counted(import.nodes, "node"),
                          counted(import.cores, "core")));
  for (const std::string& n : import.page.not_kept()) report_warning(n);
  for (const std::string& c : import.page.warnings()) report_warning(c);
  for (const std::string& w : run.warnings) report_warning(w);
  report_note(fmt::format("{} understood, {} ignored; what that may cost:",
                          counted(static_cast<std::int64_t>(import.page.understood_count()), "setting"),
                          import.page.ignored_count()));
  for (const auto& [topic, effect] : import.page.all_costs()) report_note(fmt::format("  {}: {}", topic, effect));
}

int import_site(const ImportFlags& f) {
  if (f.from.front() != "slurm")
    throw InputError({"", 0, fmt::format("`coslice import` does not know '{}'", f.from.front()), "slurm",
                      did_you_mean(f.from.front(), kImportKinds)});
  slurm::ImportFiles files;
  files.conf = needed_flag("--conf", f.conf, "the file slurm.conf");
  files.jobs = needed_flag("--jobs", f.jobs, "a dump of sacct, or a file of events");
  const std::string folder = needed_flag("--out", f.out, "the folder to write");
  require_file(files.conf);
  require_file(files.jobs);
  files.gres = checked_file(f.gres);
  files.topology = checked_file(f.topology);
  files.associations = checked_file(f.assoc);
  files.reservations = checked_file(f.reservations);
  if (f.recorded_until) files.recorded_until = span_of("--recorded-until", *f.recorded_until);
  RunFolder site(folder);
  SkippedLines skipped;
  OutputFile trace(site.path_of(slurm::kTraceFile));
  const slurm::Import import = slurm::import_slurm(files, sink_into(trace), f.skip_bad ? &skipped : nullptr);
  check_params(import.params);
  trace.close();
  for (const auto& [name, text] : import.files) write_text_file(site.path_of(name), text);
  const AsRun run = checked(site);
  site.commit();
  report_skipped(skipped);
  report_import(import, run, folder);
  return kDone;
}

}  // namespace

Command import_command() {
  auto flags = std::make_shared<ImportFlags>();
  ImportFlags& f = *flags;
  Command c;
  c.summary = "make a scenario of a site's own Slurm configuration and records";
  c.examples = {
      {"coslice import slurm --conf slurm.conf --jobs jobs.sacct -o site", "the machine, the jobs and the settings"},
      {"coslice import slurm --conf slurm.conf --gres gres.conf --topology topology.conf --assoc sacctmgr.script "
       "--jobs jobs.sacct -o whole",
       "all that Slurm knows"},
      {"coslice run site/scenario.toml --policy easy", "another policy on that machine"},
  };
  c.text =
      "Writes a folder, whole or not at all: `scenario.toml` with nodes, partitions and the settings of the scheduler "
      "under Slurm's names, `policy.lua` with accounts, users, qualities of service and switches, the jobs, and "
      "`import.md`, which says what was understood, what was ignored, and what that may cost in truth. A folder that "
      "exists is never written over.\n\n"
      "Jobs come from a dump of sacct (`coslice convert --help` says how to make one) or from a file of events of the "
      "Slurm simulator, plain or gzip.";
  c.arguments = {{"slurm", "The kind of configuration.", &f.from, 1, 1, {Completion::kWords, kImportKinds}}};
  c.options = {
      value("--conf", "slurm.conf", f.conf, "The site's slurm.conf; files that it includes are read, too.",
            {Completion::kFiles, {}}),
      value("--gres", "gres.conf", f.gres, "Types of GPUs.", {Completion::kFiles, {}}),
      value("--topology", "topology.conf", f.topology, "Switches or blocks: topology.conf or topology.yaml.",
            {Completion::kFiles, {}}),
      value("--assoc", "FILE", f.assoc,
            "Accounts, users and qualities of service: commands of sacctmgr, a line each, or a dump of it.",
            {Completion::kFiles, {}}),
      value("--jobs", "FILE", f.jobs, "A dump of sacct, or a file of events of the Slurm simulator.",
            {Completion::kFiles, {}}),
      value("--reservations", "FILE", f.reservations,
            "Reservations as `scontrol show reservation` prints them, with -o or without.", {Completion::kFiles, {}}),
      value("--recorded-until", "SPAN", f.recorded_until,
            "Jobs start as on record for so long (\"1d\"): the run begins with what ran and waited then, not with an "
            "empty machine."),
      flag("--skip-bad", f.skip_bad,
           "Leaves out lines of the dump that cannot be read, says how many and shows the first few."),
      value("-o,--out", "FOLDER", f.out, "The folder to write.", {Completion::kFolders, {}}),
  };
  c.run = [flags] { return import_site(*flags); };
  return c;
}

}  // namespace coslice::cli
