// Which figures of runs are compared, and where they stand in summary.json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/compare/run_record.h"
#include "metrics/figures.h"

namespace coslice {

/// One number that each run has.
struct Figure {
  std::string name;               ///< without its unit: "wait", "wait p95", "utilization"
  std::string job_class;          ///< "short", "all"; "" for figures of the machine
  std::vector<std::string> path;  ///< in summary.json: {"trimmed", "all", "wait", "mean"}
  Better better = Better::kNeither;
  FigureUnit unit = FigureUnit::kNone;
  std::optional<double> absent;         ///< its value in a run that does not have it; nothing: there is none to compare
  bool usual = true;                    ///< it has a name of its own, no path only
  bool of_machine = false;              ///< a part of what the machine has, which another machine moves by itself
  double JobRecord::*of_job = nullptr;  ///< of means over jobs: what is averaged

  /// Returns the name with its unit: "wait, s", "utilization, %".
  std::string title() const { return name + unit_ending(unit); }
  /// Returns the factor from the number in the file to that in the title's unit.
  double scale() const { return unit == FigureUnit::kShare ? 100 : 1; }
};

/// Whether all jobs between the trimmed ends came at once, so that no time is between them: figures of the machine are
/// those of the whole run then.
bool has_no_time_between(const Value& summary);

/// Returns the figure of a run in its title's unit; nothing if it has none of that name.
std::optional<double> figure_of(const Figure& figure, const Value& summary);
/// Returns the figure of a run as the file has it: shares are parts of one.
std::optional<double> recorded_figure(const Figure& figure, const Value& summary);

/// Returns the figures of those names that at least one of the runs has, classes in the order of the first run: "wait",
/// "response" and "slowdown" (of each class and of all jobs; ".median" and the like give another statistic than the
/// mean), "utilization", "queue", "backlog" (growth), "makespan", or the path of any number in summary.json,
/// "slices.overhead_share". `trimmed`: without the first and last jobs. Throws InputError for names that no run has.
std::vector<Figure> find_figures(const std::vector<std::string>& names, const std::vector<const RunRecord*>& runs,
                                 bool trimmed);

/// Returns all figures that a reader may want to choose from and at least one of the runs has: those above, of trimmed
/// jobs, with their statistics, and those of slices, shared nodes and high load.
std::vector<Figure> known_figures(const std::vector<const RunRecord*>& runs);

/// Returns what is compared by default: utilization, queue, wait, response, slowdown.
const std::vector<std::string>& usual_figures();
/// Returns the figures that are compared by default, and energy and cost where they are known.
std::vector<Figure> find_usual_figures(const std::vector<const RunRecord*>& runs, bool trimmed);

}  // namespace coslice
