// A comparison as people and programs read it.
#pragma once

#include <string>

#include "lab/compare.h"

namespace coslice {

struct CompareTableOptions {
  bool colour = false;
  int width = 80;  ///< of the terminal: variants become letters, then columns go, until the table fits; 0: no limit
};

/// The table in a box, its notes and warnings below.
std::string compare_table(const VariantComparison& comparison, const CompareTableOptions& options);
/// The same as a Markdown table, notes as a list.
std::string compare_markdown(const VariantComparison& comparison);
/// A `tabular` of LaTeX that needs no package; notes as comments.
std::string compare_latex(const VariantComparison& comparison);
/// figure, class, variant, runs, mean, low, high, difference, difference_low, difference_high, relative, method,
/// verdict; numbers with six digits, empty where there is none.
std::string compare_csv(const VariantComparison& comparison);
/// {"variants": [...], "figures": [...], "notes": [...], "warnings": [...]}.
std::string compare_json(const VariantComparison& comparison);

}  // namespace coslice
