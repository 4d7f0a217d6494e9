// One run or several, simulated with all that their pictures show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/run/one_run.h"
#include "core/time.h"
#include "observe/picture_recorder.h"
#include "report/gantt/gantt_chart.h"
#include "report/pages/report_page.h"
#include "scenario/scenario.h"

namespace coslice::cli {

struct PicturedRun {
  const OneRun* one = nullptr;
  std::string name;  ///< the policy's, with a number where several are called alike
  PolicyRun run;
  Segments segments;
};

/// Simulates them one after the other. `runs` outlives what is returned.
std::vector<PicturedRun> simulate_with_pictures(const std::vector<OneRun>& runs);

/// Returns a title for the runs: "quickstart, easy", "quickstart: easy, fcfs".
std::string title_of(const std::vector<PicturedRun>& runs);

/// Returns the chart of each run, on one axis of time. Takes the segments; `runs` outlives the charts. Throws
/// InputError if there is nothing to draw.
std::vector<GanttChart> gantt_charts(std::vector<PicturedRun>& runs, const GanttOptions& options);

/// Returns the charts as parts of a page: to move about in on a screen, as drawings on paper.
std::vector<ReportGantt> framed_gantts(const std::vector<GanttChart>& charts);

// What processors do over time, drawn: coslice gantt --processors.

struct ProcessorDrawing {
  std::string out;  ///< path of the .svg
  std::optional<std::string> title;
  std::optional<Time> from, to;  ///< absent: of the whole run
};

/// Simulates the scenario's first policy event by event and writes the drawing; says on standard error what it wrote.
/// Throws InputError if the policy does not coschedule processes, or the window is empty.
void draw_processors(Scenario scenario, const ProcessorDrawing& drawing);

}  // namespace coslice::cli
