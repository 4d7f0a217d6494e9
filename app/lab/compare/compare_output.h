// A comparison as people and programs read it.
#pragma once

#include <string>
#include <vector>

#include "lab/compare/compare.h"

namespace coslice {

struct CompareTableOptions {
  bool colour = false;
  int width = 80;  ///< of the terminal: variants become letters, then columns go, until the table fits; 0: no limit
};

/// Returns the tables in boxes, below them what must be known to read them: notes once, warnings with their places.
std::string compare_table(const std::vector<VariantComparison>& comparisons, const CompareTableOptions& options);
/// Returns the comparison as Markdown tables, notes as a list.
std::string compare_markdown(const std::vector<VariantComparison>& comparisons);
/// Returns the comparison as `tabular`s of LaTeX that need no package; notes as comments.
std::string compare_latex(const std::vector<VariantComparison>& comparisons);
/// Returns the comparison as CSV with the columns at, figure, class, variant, runs, mean, low, high, difference,
/// difference_low, difference_high, relative, method, verdict, unit, units, failed, made (runs of a variant, and those
/// that failed of them); numbers with six digits, empty where there is none.
std::string compare_csv(const std::vector<VariantComparison>& comparisons);
/// Returns a list of {"at": "", "variants": [...], "unit": "seeds", "failed": [...], "figures": [...], "notes": [...],
/// "warnings": [...]}, one for each comparison.
std::string compare_json(const std::vector<VariantComparison>& comparisons);

/// The notes of all, each once, with its place where other places do not have it; the warnings, each with its place.
struct CompareRemarks {
  std::vector<std::string> notes, warnings;
};
CompareRemarks remarks_of(const std::vector<VariantComparison>& comparisons);

// A comparison in a line for each variant: what changed, whether that is chance, and how many runs would tell.

/// The figure that stands for all: the mean wait of all jobs where it is compared, else the first one, of all jobs if
/// it has classes.
const ComparedFigure& leading_figure(const VariantComparison& comparison);

/// Of each variant but the first: "NAME: wait 1,034 s instead of 921 s, +12.3 % (95 %: +60 to +166 s; 9 seeds): worse".
std::vector<std::string> compare_lines(const VariantComparison& comparison);

// What a comparison says of itself, in words.

/// Fills notes and warnings of a comparison whose figures are there.
void add_notes(VariantComparison& comparison, const CompareOptions& options);

}  // namespace coslice
