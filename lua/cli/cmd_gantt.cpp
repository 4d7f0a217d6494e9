// coslice gantt: a picture of a run, nodes over time.
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/draw_processors.h"
#include "cli/new_file.h"
#include "cli/one_run.h"
#include "cli/span.h"
#include "core/error.h"
#include "metrics/segments.h"
#include "report/gantt_html.h"
#include "report/gantt_svg.h"
#include "report/number.h"
#include "scenario/environment.h"

namespace coslice::cli {
namespace {

namespace fs = std::filesystem;

struct GanttFlags {
  std::vector<std::string> run;
  std::optional<std::string> policy, out, from, to, title;
  bool processors = false;
};

bool is_svg(const std::string& out) { return fs::path(out).extension() == ".svg"; }

/// The file to write; without a name, a page called after the run.
std::string out_of(const GanttFlags& flags) {
  if (flags.out) {
    const std::string ending = fs::path(*flags.out).extension().string();
    if (ending == ".html" || ending == ".svg") return *flags.out;
    throw InputError({"--out", 0, fmt::format("'{}' does not end in .html or .svg", *flags.out),
                      "a name that says what to draw", fmt::format("try '{}.html'", *flags.out), ""});
  }
  return file_after(flags.run.front(), flags.policy, flags.processors ? "-processors.svg" : ".html", "gantt");
}

GanttOptions options_of(const GanttFlags& flags, const Scenario& scenario, const PolicyRun& run) {
  GanttOptions options;
  options.title = flags.title.value_or(scenario.name.empty() ? "" : scenario.name + ", " + run.policy.name);
  options.policy = run.policy.name;
  options.program = "coslice " + program_version();
  if (flags.from) options.from = Time{span_of("--from", *flags.from)};
  if (flags.to) options.to = Time{span_of("--to", *flags.to)};
  if (options.from >= options.to)
    throw InputError({"--to", 0, "the window ends before it begins", "more than --from", "", ""});
  return options;
}

void write_picture(const GanttChart& chart, const std::string& out) {
  write_new_file(out, [&](const std::string& temporary) {
    OutputFile file(temporary);
    if (is_svg(out)) write_gantt_svg(chart, file.sink());
    else write_gantt_html(chart, file.sink());
    file.close();
  });
}

int processors(const GanttFlags& flags, Scenario scenario, const std::string& out) {
  if (!is_svg(out))
    throw InputError(
        {"--out", 0, fmt::format("'{}': --processors makes a drawing", out), "a name that ends in .svg", "", ""});
  ProcessorDrawing drawing{out, flags.title, {}, {}};
  if (flags.from) drawing.from = Time{span_of("--from", *flags.from)};
  if (flags.to) drawing.to = Time{span_of("--to", *flags.to)};
  draw_processors(std::move(scenario), drawing);
  return kDone;
}

int gantt(const GanttFlags& flags) {
  const std::string out = out_of(flags);
  const OneRun one(flags.run.front(), flags.policy, "and a picture shows one run");
  const Runner& runner = one.runner();
  if (flags.processors) return processors(flags, runner.scenario(), out);
  SegmentRecorder recorder(runner.workload().jobs.size());
  const PolicyRun run = one.simulate({&recorder});
  const GanttChart chart =
      gantt_chart(run.result, runner.scenario().metrics, recorder.take(), {run.slice_classes, run.slice_overhead},
                  options_of(flags, runner.scenario(), run));
  write_picture(chart, out);
  report_note(fmt::format("wrote {}: {} of {}, {} KB", out,
                          counted(static_cast<std::int64_t>(chart.rectangles()), "rectangle"),
                          counted(static_cast<std::int64_t>(chart.jobs.size()), "job"),
                          grouped(static_cast<std::int64_t>((fs::file_size(out) + 999) / 1000))));
  return kDone;
}

}  // namespace

Command gantt_command() {
  auto flags = std::make_shared<GanttFlags>();
  GanttFlags& f = *flags;
  Command c;
  c.name = "gantt";
  c.summary = "draw a run: nodes over time, slices, the waiting queue";
  c.examples = {
      {"coslice gantt results/7 -o schedule.html", "a page to move about in, from a run folder"},
      {"coslice gantt results/7 --policy easy -o easy.html", "where the folder holds several policies' runs"},
      {"coslice gantt scenarios/by_hand.toml --policy easy -o small.svg", "a few jobs as a drawing for a paper"},
      {"coslice gantt scenarios/two_applications.toml --policy fcs --processors --from 5 --to 5.3",
       "what each processor does: computing, polling, blocked, switching"},
      {"coslice gantt trace.swf.gz --policy conservative --from 10d --to 12d", "two days of a trace"},
  };
  c.text =
      "A run folder does not hold what is drawn: its scenario.toml is simulated again, and the result must have the "
      "fingerprint that the folder's summary.json says; an input that has changed since is an error. A scenario or a "
      "trace is simulated as `coslice run` does.\n\n"
      "The page is one file that needs no network. It shows which job has which node when, with time slices and what "
      "is lost between them, loading of memory, and below it how many jobs wait; colours by class, wait or job; "
      "wheel, drag and keys move about, a click holds on to a job, `?` lists the keys. Its address can name what to "
      "show: schedule.html#from=3600&to=7200&job=12&colour=wait&theme=dark.\n\n"
      "An .svg is a drawing of a small run, of at most 5,000 rectangles; with --processors it is of any run of a "
      "policy that "
      "coschedules processes.";
  c.arguments = {{"RUN",
                  "A run folder, a scenario, a trace, or a run of a campaign: loads.sqlite:7.",
                  &f.run,
                  1,
                  1,
                  {Completion::kFiles, {"toml", "swf", "swf.gz", "sqlite"}}}};
  c.options = {
      value("-o,--out", "FILE.html|FILE.svg", f.out,
            "The picture; without it a page in the current folder, called after the run.",
            {Completion::kFiles, {"html", "svg"}}),
      value("-p,--policy", "NAME", f.policy, "Which run of a folder; of a scenario or a trace, who decides.",
            {Completion::kPolicies}),
      value("--from", "TIME", f.from, "Leaves out what is over by then: seconds, or 90min, 12h, 3d."),
      value("--to", "TIME", f.to, "Leaves out what begins later."),
      flag("--processors", f.processors,
           "Draws what each processor does instead, into an .svg, for policies that coschedule processes: who "
           "computes, polls, "
           "is blocked or is switched to. Each half pixel shows what took most of its time, so say --from and --to for "
           "detail."),
      value("--title", "TEXT", f.title, "The heading; without it the names of the workload and the policy."),
  };
  c.run = [flags] { return gantt(*flags); };
  return c;
}

}  // namespace coslice::cli
