// The catalogue of figures: each is declared here once, with its place in summary.json, its unit, which way is better,
// what it says and how it is computed. Files, tables, comparisons, campaigns, suites and the reference are made from
// it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "metrics/summary.h"

namespace coslice {

/// In what a figure is measured.
enum class FigureUnit : std::uint8_t {
  kNone,     ///< a ratio, a word, a list
  kCount,    ///< a whole number of things
  kSeconds,  ///< s
  kShare,    ///< of one; tables show per cent
};

/// Which of two values is the better one.
enum class Better : std::uint8_t { kNeither, kLower, kHigher };

/// The value of a figure; nothing where there is nothing to measure.
using FigureValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<double>>;

/// Returns a figure that is a number; NaN where it is none.
double number_of(const FigureValue& value);

/// A figure of an `Of`: of the run, of a group of jobs, of a class under sharing.
template <class Of>
struct FigureSpec {
  std::string path;      ///< in summary.json, below its section: "wait.mean"
  std::string quantity;  ///< the row of tables: "wait"
  std::string part;      ///< what of it: "mean"; "" for all
  FigureUnit unit = FigureUnit::kNone;
  Better better = Better::kNeither;
  std::string doc;
  FigureValue (*of)(const Of&) = nullptr;
  int decimals = 0;  ///< in tables; not used for shares
};

using RunFigure = FigureSpec<Summary>;
using SharingClass = SharingSummary::Class;

/// A quantity that each job has: over a group of jobs it gives one figure for each of kStatistics.
struct JobQuantity {
  const char* path;   ///< in summary.json, below the group: "bounded_slowdown"
  const char* title;  ///< in tables
  const char* name;   ///< what the command line calls it: "slowdown"
  FigureUnit unit;
  const char* doc;
  Stats GroupSummary::*of;
};
/// Returns what may stand behind a quantity's name on the command line instead of its mean: ".median, .p95, .max".
std::string statistic_endings();
/// Returns wait, response time and bounded slowdown. Lower is better in each.
const std::vector<JobQuantity>& job_quantities();
/// Returns the figures that only groups of jobs have, beside job_quantities().
const std::vector<FigureSpec<GroupSummary>>& group_figures();
/// Returns the figures of a class of jobs where nodes may be shared.
const std::vector<FigureSpec<SharingClass>>& sharing_class_figures();
/// Returns the figures of a kind of nodes, on a heterogeneous machine.
const std::vector<FigureSpec<KindUse>>& kind_figures();

/// One object of summary.json.
struct FigureSection {
  std::string path;  ///< "" is the document itself
  std::string doc;
  bool (*there)(const Summary&);  ///< whether the run has it
  std::vector<RunFigure> figures;
  bool absent_is_zero = false;  ///< a run that does not have it is one in which nothing of the kind happened
};
/// Returns the sections in the order of summary.json.
const std::vector<FigureSection>& figure_sections();
/// Returns the section that a path in the document lies in: "slices.overhead_share"; null where it is none of a run's
/// own figures.
const FigureSection* section_of(std::string_view path);

/// Returns the figure of that path in the document, "slices.overhead_share"; null if there is none. Figures of groups
/// are not among them.
const RunFigure* find_run_figure(std::string_view path);

/// Returns whether the run's figure of that path is a part of what the machine has or can do: more nodes lower it,
/// though no job is worse off.
bool is_part_of_machine(std::string_view path);

/// Returns ", s" or ", %": what stands behind a figure's title; "" where it has no unit of its own.
const char* unit_ending(FigureUnit unit);

/// Takes the figures of a run one after the other.
class FigureSink {
 public:
  virtual ~FigureSink() = default;
  /// Begins a table of that name: figures stand in it up to leave(). The table is written even if it is empty.
  virtual void enter(const std::string& name) = 0;
  virtual void leave() = 0;
  /// Takes a figure. `path` is seen from the table; it may have dots.
  virtual void figure(const std::string& path, const FigureValue& value) = 0;
};

/// Visits every figure of the run, in the order of summary.json.
void visit_figures(const Summary& summary, FigureSink& sink);

}  // namespace coslice
