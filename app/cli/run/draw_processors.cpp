#include "cli/run/draw_processors.h"

#include <filesystem>

#include <fmt/format.h>

#include "cli/frame/console.h"
#include "cli/frame/output_file.h"
#include "cli/frame/stop_signals.h"
#include "core/error.h"
#include "observe/pictures.h"
#include "report/gantt/gantt.h"
#include "report/markup.h"
#include "report/tables/terminal.h"
#include "scenario/run/runner.h"

namespace coslice::cli {

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
    throw InputError(
        {"--from", 0, "the window ends before it begins", "less than --to, or than the end of the run", "", ""});
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
         "a policy that coschedules processes, such as gang", "say --policy gang", ""});
  }
  if (from >= end_of(run)) {
    throw InputError(
        {"--from", 0,
         fmt::format("the run ends at {} s, before the window begins", grouped(to_seconds(end_of(run) - Time{}), 3)),
         "an earlier time", "", ""});
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
