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

/// The tables in boxes, below them what must be known to read them: notes once, warnings with their places.
std::string compare_table(const std::vector<VariantComparison>& comparisons, const CompareTableOptions& options);
/// The same as Markdown tables, notes as a list.
std::string compare_markdown(const std::vector<VariantComparison>& comparisons);
/// `tabular`s of LaTeX that need no package; notes as comments.
std::string compare_latex(const std::vector<VariantComparison>& comparisons);
/// at, figure, class, variant, runs, mean, low, high, difference, difference_low, difference_high, relative, method,
/// verdict; numbers with six digits, empty where there is none.
std::string compare_csv(const std::vector<VariantComparison>& comparisons);
/// A list of {"at": "", "variants": [...], "figures": [...], "notes": [...], "warnings": [...]}, one for each
/// comparison.
std::string compare_json(const std::vector<VariantComparison>& comparisons);

/// The notes of all, each once, and the warnings, each with its place.
struct CompareRemarks {
  std::vector<std::string> notes, warnings;
};
CompareRemarks remarks_of(const std::vector<VariantComparison>& comparisons);

}  // namespace coslice
