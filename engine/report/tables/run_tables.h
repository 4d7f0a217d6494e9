// The figures of one run or of several as tables of a page: all that summary_table prints.
#pragma once

#include <vector>

#include "report/pages/report_page.h"
#include "report/tables/process_table.h"
#include "report/tables/summary_table.h"

namespace coslice {

/// A row for each run, or for each class and run; each column in one unit, times in seconds. Gains are against the first
/// run. Of several runs the best values are marked.
std::vector<ReportTable> run_tables(const std::vector<NamedSummary>& runs, const MetricsOptions& options);

/// Of runs at the level of processes; none if there are none.
std::vector<ReportTable> process_tables(const std::vector<ProcessReport>& runs);

}  // namespace coslice
