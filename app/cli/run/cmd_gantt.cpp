// coslice gantt: a picture of a run, nodes over time.
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/output_file.h"
#include "cli/run/one_run.h"
#include "cli/run/run_pictures.h"
#include "core/error.h"
#include "report/gantt/gantt_drawing.h"
#include "report/markup.h"
#include "scenario/build_info.h"

namespace coslice::cli {
namespace {

namespace fs = std::filesystem;

struct GanttFlags {
  std::vector<std::string> run, policies;
  std::optional<std::string> out, from, to, title;
  bool processors = false;
};

bool is_svg(const std::string& out) { return fs::path(out).extension() == ".svg"; }

/// The file to write; without a name, a page called after the run.
std::string out_of(const GanttFlags& flags) {
  if (flags.out) {
    const std::string ending = fs::path(*flags.out).extension().string();
    if (ending == ".html" || ending == ".svg") return *flags.out;
    throw InputError({"--out", 0, fmt::format("'{}' does not end in .html or .svg", *flags.out),
                      "a name that says what to draw", fmt::format("try '{}.html'", *flags.out)});
  }
  return file_after(flags.run.front(), one_name(flags.policies), flags.processors ? "-processors.svg" : ".html",
                    "gantt");
}

GanttOptions options_of(const GanttFlags& flags, const std::string& title) {
  GanttOptions options;
  options.title = title;
  options.program = "coslice " + program_version();
  if (flags.from) options.from = Time{span_of("--from", *flags.from)};
  if (flags.to) options.to = Time{span_of("--to", *flags.to)};
  if (options.from >= options.to) throw InputError({"--to", 0, "the window ends before it begins", "more than --from"});
  return options;
}

/// Several runs as a page of their own, below one another.
void write_page(const std::vector<GanttChart>& charts, const std::string& title, const Sink& sink) {
  ReportPage page;
  page.title = title;
  page.lead = fmt::format("{} on one axis of time", counted(std::ssize(charts), "run"));
  page.wide = true;
  page.gantts = framed_gantts(charts);
  page.foot = "Drawn by coslice " + program_version() + ". Times count from the beginning of the workload.";
  write_report_page(page, sink);
}

void write_picture(const std::vector<GanttChart>& charts, const std::string& title, const std::string& out) {
  write_new_file(out, [&](const std::string& temporary) {
    OutputFile file(temporary);
    if (charts.size() > 1 && is_svg(out)) write_gantts_svg(charts, title, sink_into(file));
    else if (charts.size() > 1) write_page(charts, title, sink_into(file));
    else if (is_svg(out)) write_gantt_svg(charts.front(), sink_into(file));
    else write_gantt_html(charts.front(), sink_into(file));
    file.close();
  });
}

int processors(const GanttFlags& flags, Scenario scenario, const std::string& out) {
  if (!is_svg(out))
    throw InputError({"--out", 0, fmt::format("'{}': --processors makes a drawing", out), "a name that ends in .svg"});
  ProcessorDrawing drawing{out, flags.title, {}, {}};
  if (flags.from) drawing.from = Time{span_of("--from", *flags.from)};
  if (flags.to) drawing.to = Time{span_of("--to", *flags.to)};
  draw_processors(std::move(scenario), drawing);
  return kDone;
}

/// What each processor does is drawn of one policy.
int processors_of_one(const GanttFlags& flags, const std::string& out) {
  if (!flags.policies.empty() && !one_name(flags.policies))
    throw InputError({"--policy", 0, "names several policies, and this picture shows one run", "one of them"});
  const OneRun one(flags.run.front(), one_name(flags.policies), "and this picture shows one run");
  return processors(flags, one.runner().scenario(), out);
}

int gantt(const GanttFlags& flags) {
  const std::string out = out_of(flags);
  if (flags.processors) return processors_of_one(flags, out);
  const std::vector<OneRun> all = OneRun::all(flags.run.front(), flags.policies);
  options_of(flags, "");  // before anything is simulated
  std::vector<PicturedRun> runs = simulate_with_pictures(all);
  const std::string title = flags.title.value_or(title_of(runs));
  const std::vector<GanttChart> charts = gantt_charts(runs, options_of(flags, title));
  write_picture(charts, title, out);
  std::size_t rectangles = 0, jobs = 0;
  for (const GanttChart& c : charts) rectangles += c.rectangles(), jobs = std::max(jobs, c.jobs.size());
  const std::string each = charts.size() > 1 ? fmt::format(" under each of {} policies", charts.size()) : "";
  report_note(fmt::format("wrote {}: {} of {}{}, {} KB", out,
                          counted(static_cast<std::int64_t>(rectangles), "rectangle"),
                          counted(static_cast<std::int64_t>(jobs), "job"), each,
                          grouped(static_cast<std::int64_t>((fs::file_size(out) + 999) / 1000))));
  return kDone;
}

}  // namespace

Command gantt_command() {
  auto flags = std::make_shared<GanttFlags>();
  GanttFlags& f = *flags;
  Command c;
  c.summary = "draw a run: nodes over time, slices, the waiting queue";
  c.examples = {
      {"coslice gantt results/7 -o schedule.html", "a page to zoom and pan in, from a run folder"},
      {"coslice gantt results/8 -o policies.html", "several policies' runs below one another, on one axis of time"},
      {"coslice gantt results/8 --policy easy -o easy.html", "one of them"},
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
      "is lost between them, loading of memory, and below it how many jobs wait; colours by class, wait or job; wheel, "
      "drag and keys move about, a click holds on to a job, `?` lists the keys. Its address can name what to show: "
      "schedule.html#from=3600&to=7200&job=12&colour=wait&theme=dark.\n\n"
      "Several policies' runs, of a folder or of a scenario that names them, are drawn below one another. In the page "
      "they show the same time, and a job that is held on to in one is shown in all.\n\n"
      "An .svg is a drawing of a small run, of at most 5,000 rectangles; with --processors it is of any run of a "
      "policy that coschedules processes.";
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
      values("-p,--policy", "NAME[,NAME...]", f.policies,
             "Which runs of a folder; of a scenario or a trace, the policies. Several are drawn below one another.",
             {Completion::kPolicies}),
      value("--from", "TIME", f.from, "Leaves out what is over by then: seconds, or 90min, 12h, 3d."),
      value("--to", "TIME", f.to, "Leaves out what begins later."),
      flag("--processors", f.processors,
           "Draws what each processor does instead, into an .svg, for policies that coschedule processes: which "
           "computes, polls, is blocked or is switched to. Each half pixel shows what took most of its time, so say "
           "--from and --to for detail."),
      value("--title", "TEXT", f.title, "The heading; without it the names of the workload and the policy."),
  };
  c.run = [flags] { return gantt(*flags); };
  return c;
}

}  // namespace coslice::cli
