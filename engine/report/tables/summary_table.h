// The tables that a run ends with.
#pragma once

#include <string>
#include <vector>

#include "metrics/summary.h"
#include "report/tables/table.h"

namespace coslice {

/// One column of the comparison: the policy and what it achieved.
struct NamedSummary {
  std::string name;
  Summary summary;
  bool accounts = false;  ///< summary.by_group are accounts, under their names
};

struct SummaryTableOptions {
  TableStyle style = TableStyle::kBox;
  bool colour = false;
  int width = 80;  ///< columns of the terminal; more policies than fit go into further tables
};

/// Jobs that still waited or ran when the run was stopped.
std::int64_t not_ended(const Summary& summary);
/// Why the rejected jobs never ran: "refused by the policy", "2 can never run here, 4 refused by the policy".
std::string rejections_of(const Summary& summary);

/// Jobs, makespan, utilization and the queue, then mean, median, 95th percentile and maximum of wait, response time
/// and bounded slowdown by class and in all. One policy makes a table of one row per class; several make one column
/// each, where the best of a row stands out in colour. Times in seconds. Styles for machines (CSV) always have one
/// row per figure and exact numbers.
std::string summary_table(const std::vector<NamedSummary>& runs, const SummaryTableOptions& options);

}  // namespace coslice
