// coslice export: a run in the formats of other programs.
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/output_file.h"
#include "cli/run/one_run.h"
#include "core/error.h"
#include "observe/picture_recorder.h"
#include "output/jobs_csv.h"
#include "report/gantt/gantt_drawing.h"
#include "report/markup.h"
#include "scenario/build_info.h"

namespace coslice::cli {
namespace {

namespace fs = std::filesystem;

struct ExportFlags {
  std::vector<std::string> run;
  std::optional<std::string> policy, format, out;
};

const std::vector<std::string> kExportFormats = {"perfetto", "evalys"};

std::string format_of(const ExportFlags& flags) {
  if (!flags.format) throw InputError({"--format", 0, "is missing", "perfetto or evalys"});
  return word_of("--format", *flags.format, kExportFormats);
}

void write_perfetto(const OneRun& one, const Sink& sink) {
  SegmentRecorder recorder(one.runner().workload().jobs.size());
  const PolicyRun run = one.simulate({&recorder});
  GanttOptions options;
  options.title = one.name() + ", " + run.policy.name;
  options.policy = run.policy.name;
  options.program = "coslice " + program_version();
  write_trace_events(gantt_chart(run.result, one.runner().scenario().metrics, recorder.take(),
                                 {run.slice_classes, run.slice_overhead}, options),
                     sink);
}

void write_evalys(const OneRun& one, const Sink& sink) {
  const PolicyRun run = one.simulate({});
  write_evalys_csv(run.result, sink);
  if (!run.slice_classes.empty())
    report_warning("under time slices a job does not run all the time from its start to its end: evalys draws it as if "
                   "it did");
}

int export_run(const ExportFlags& flags) {
  const std::string format = format_of(flags);
  const bool perfetto = format == "perfetto";
  const std::string out =
      flags.out.value_or(file_after(flags.run.front(), flags.policy, perfetto ? ".trace.json" : ".jobs.csv", format));
  const OneRun one(flags.run.front(), flags.policy, "and one run is exported");
  const auto write = [&](const Sink& sink) { perfetto ? write_perfetto(one, sink) : write_evalys(one, sink); };
  if (out == "-") {
    write([](std::string_view text) { print(text); });
    return kDone;
  }
  write_new_file(out, [&](const std::string& temporary) {
    OutputFile file(temporary);
    write(sink_into(file));
    file.close();
  });
  report_note(
      fmt::format("wrote {}: {} KB", out, grouped(static_cast<std::int64_t>((fs::file_size(out) + 999) / 1000))));
  return kDone;
}

}  // namespace

Command export_command() {
  auto flags = std::make_shared<ExportFlags>();
  ExportFlags& f = *flags;
  Command c;
  c.summary = "write a run for other programs: Perfetto, evalys";
  c.examples = {
      {"coslice export results/7 --format perfetto", "7.trace.json, for ui.perfetto.dev"},
      {"coslice export results/7 --format evalys -o jobs.csv", "for evalys, and scripts that read Batsim's job list"},
      {"coslice export s.toml --policy easy --format perfetto -o - | gzip > easy.json.gz", "viewers take it packed"},
  };
  c.text =
      "A run folder is simulated again, as `coslice gantt` does. `perfetto` is the Trace Event Format, which "
      "ui.perfetto.dev opens: a track for each node with the jobs on it, pieces of preempted jobs one by one, and "
      "counters of waiting jobs and used nodes. A job is an event on each of its nodes, so runs on large machines make "
      "large files. `evalys` is Batsim's job list with its 17 columns and nothing else, of the jobs that ran; jobs.csv "
      "of a run folder has them too, and more.";
  c.arguments = {{"RUN",
                  "A run folder, a scenario, a trace, or a run of a campaign: loads.sqlite:7.",
                  &f.run,
                  1,
                  1,
                  {Completion::kFiles, {"toml", "swf", "swf.gz", "sqlite"}}}};
  c.options = {
      value("--format", "FORMAT", f.format, "perfetto or evalys.", {Completion::kWords, kExportFormats}),
      value("-o,--out", "FILE", f.out, "The file; - is standard output. Without it one called after the run.",
            {Completion::kFiles, {}}),
      value("-p,--policy", "NAME", f.policy, "Which run of a folder; of a scenario or a trace, the policy.",
            {Completion::kPolicies}),
  };
  c.run = [flags] { return export_run(*flags); };
  return c;
}

}  // namespace coslice::cli
