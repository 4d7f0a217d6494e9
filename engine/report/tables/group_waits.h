// Waits by what a site tells jobs apart by: the partitions in which they ran, and the accounts that pay for them.
#pragma once

#include <string>
#include <vector>

#include "report/tables/summary_table.h"

namespace coslice {

/// The partitions of a machine, or the accounts of a site.
struct GroupWaits {
  struct Row {
    std::string name;
    std::vector<const GroupSummary*> of_runs;  ///< beside the runs; null where a run has none
  };
  std::string by;  ///< "partition" or "account"
  std::vector<Row> rows;
  std::size_t left_out = 0;  ///< groups with fewer jobs than all of the rows

  /// Where some are left out: that they are.
  std::string note() const;
};

/// Of runs of the same jobs: at most 20 rows each, those with the most jobs, in the order of the summary.
/// Partitions where there are several; accounts where they have names (NamedSummary::accounts). The pointers are into `runs`.
std::vector<GroupWaits> group_waits(const std::vector<NamedSummary>& runs);

/// The same in the terminal, after summary_table(); "" where there is nothing to say.
std::string group_waits_table(const std::vector<NamedSummary>& runs, const SummaryTableOptions& options);

}  // namespace coslice
