// Rows of papers as tables in Markdown.
#pragma once

#include <string>
#include <vector>

#include "lab/papers/paper_chart.h"
#include "lab/papers/row.h"

namespace coslice {

/// Returns the figures of a chart as a grid: "published / obtained ± half of the 95 % interval", in italics where the
/// band is missed, in bold where a finding is refuted. The longer of groups and series go down.
std::string grid_markdown(const PaperChart& chart);

/// Returns a line for each row, with interval, band and verdict.
std::string rows_markdown(const std::vector<Row>& rows);

/// Returns what rows say beside their figures, each text once, with the rows that say it. Bands that are missed are
/// left out if `bands_shown`.
std::string remarks_markdown(const std::vector<Row>& rows, bool bands_shown);

}  // namespace coslice
