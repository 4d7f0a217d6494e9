#include "cli/run/run_pictures.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/frame/console.h"
#include "cli/frame/output_file.h"
#include "cli/frame/stop_signals.h"
#include "core/error.h"
#include "report/gantt/gantt_drawing.h"
#include "report/markup.h"
#include "report/tables/terminal.h"
#include "runner/runner.h"

namespace coslice::cli {

std::vector<PicturedRun> simulate_with_pictures(const std::vector<OneRun>& runs) {
  std::vector<PicturedRun> out;
  for (const OneRun& one : runs) {
    SegmentRecorder recorder(one.runner().workload().jobs.size());
    PolicyRun run = one.simulate({&recorder});
    std::string name = run.policy.name;
    const auto taken = [&] { return std::ranges::any_of(out, [&](const PicturedRun& r) { return r.name == name; }); };
    for (int n = 2; taken(); ++n) name = fmt::format("{}-{}", run.policy.name, n);
    out.push_back({&one, name, std::move(run), recorder.take()});
  }
  return out;
}

std::string title_of(const std::vector<PicturedRun>& runs) {
  std::string names;
  for (const PicturedRun& r : runs) names += (names.empty() ? "" : ", ") + r.name;
  return runs.front().one->name() + (runs.size() > 1 ? ": " : ", ") + names;
}

std::vector<GanttChart> gantt_charts(std::vector<PicturedRun>& runs, const GanttOptions& options) {
  std::vector<GanttChart> out;
  for (PicturedRun& r : runs) {
    GanttOptions own = options;
    own.policy = r.name;
    if (runs.size() > 1) own.title = r.name;
    out.push_back(gantt_chart(r.run.result, r.one->runner().scenario().metrics, std::move(r.segments),
                              {r.run.slice_classes, r.run.slice_overhead}, own));
  }
  share_window(out);
  return out;
}

std::vector<ReportGantt> framed_gantts(const std::vector<GanttChart>& charts) {
  std::vector<ReportGantt> out;
  for (const GanttChart& c : charts) {
    ReportGantt g;
    if (charts.size() > 1) g.name = c.options.policy;
    write_gantt_html(c, sink_to(g.page));
    write_gantt_print(c, sink_to(g.drawing));
    out.push_back(std::move(g));
  }
  return out;
}

namespace {

PolicyRun simulate(const Runner& runner, ProcessorWatch* watch) {
  Progress bar(runner.policy(0).name, "jobs", progress_on_stderr());
  RunCallbacks callbacks;
  callbacks.processors = watch;
  callbacks.progress = [&](std::size_t done, std::size_t jobs) {
    stop_if_interrupted();
    bar.update(static_cast<std::int64_t>(done), static_cast<std::int64_t>(jobs));
  };
  callbacks.print = [](std::string_view) {};
  return runner.run(0, callbacks);
}

/// When the last job ends.
Time end_of(const PolicyRun& run) {
  Time end{};
  for (const Outcome& o : run.result.outcomes) {
    if (o.end != kNever) end = std::max(end, o.end);
  }
  return end;
}

}  // namespace

void draw_processors(Scenario scenario, const ProcessorDrawing& drawing) {
  const Time from = drawing.from.value_or(Time{});
  const Time to = drawing.to ? *drawing.to : end_of(simulate(Runner(scenario), nullptr));
  if (from >= to)
    throw InputError({"--from", 0, "the window ends before it begins", "less than --to, or than the end of the run"});
  scenario.processes.path = ProcessPath::kExact;
  const std::string name = scenario.name;
  const Runner runner(std::move(scenario));
  for (const std::string& w : runner.warnings()) report_warning(w);
  notice_interrupts();
  ProcessorPicture picture(static_cast<std::int32_t>(runner.scenario().machine.total_cores()), from, to,
                           kProcessorSvgColumns);
  const PolicyRun run = simulate(runner, &picture);
  if (!run.result.processes) {
    throw InputError(
        {"--processors", 0,
         fmt::format("policy '{}' does not say what processors do: it gives whole nodes to jobs", run.policy.name),
         "a policy that coschedules processes, such as gang", "add --policy gang"});
  }
  if (from >= end_of(run)) {
    throw InputError(
        {"--from", 0,
         fmt::format("the run ends at {} s, before the window begins", grouped(to_seconds(end_of(run) - Time{}), 3)),
         "an earlier time"});
  }
  ProcessorSvgOptions options;
  options.title = drawing.title.value_or(name.empty() ? run.policy.name : name + ", " + run.policy.name);
  options.per_node = runner.scenario().machine.cores_per_node();
  write_new_file(drawing.out, [&](const std::string& temporary) {
    OutputFile file(temporary);
    write_processor_svg(picture, run.result, options, sink_into(file));
    file.close();
  });
  report_note(fmt::format("wrote {}: {}, {} s to {} s, {} KB", drawing.out, counted(picture.processors(), "processor"),
                          grouped(to_seconds(from - Time{}), 3), grouped(to_seconds(to - Time{}), 3),
                          grouped(static_cast<std::int64_t>((std::filesystem::file_size(drawing.out) + 999) / 1000))));
}

}  // namespace coslice::cli
