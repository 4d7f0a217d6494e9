// The tables and lines that a run ends with in the terminal.
#pragma once

#include <string>
#include <vector>

#include "metrics/summary.h"
#include "observe/result.h"
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

/// Returns how many jobs still waited or ran when the run was stopped.
std::int64_t not_ended(const Summary& summary);
/// Returns why the rejected jobs never ran: "refused by the policy", "2 can never run here, 4 refused by the policy".
std::string rejections_of(const Summary& summary);

/// Returns a table of jobs, makespan, utilization and the queue, then mean, median, 95th percentile and maximum of
/// wait, response time and bounded slowdown by class and in all. One policy makes a table of one row per class; several
/// make one column each, where the best of a row stands out in colour. Times in seconds. Styles for machines (CSV)
/// always have one row per figure and exact numbers.
std::string summary_table(const std::vector<NamedSummary>& runs, const SummaryTableOptions& options);

/// The partitions of a machine, or the accounts of a site.
struct GroupWaits {
  struct Row {
    std::string name;
    std::vector<const GroupSummary*> of_runs;  ///< beside the runs; null where a run has none
  };
  std::string by;  ///< "partition" or "account"
  std::vector<Row> rows;
  std::size_t left_out = 0;  ///< groups with fewer jobs than all of the rows

  /// Returns a sentence that says that some groups are left out. Precondition: left_out > 0.
  std::string note() const;
};

/// Returns the waits by group of runs of the same jobs: at most 20 rows each, those with the most jobs, in the order of
/// the summary. Partitions where there are several; accounts where they have names (NamedSummary::accounts). The
/// pointers are into `runs`.
std::vector<GroupWaits> group_waits(const std::vector<NamedSummary>& runs);

/// Returns the waits by group for the terminal, after summary_table(); "" where there is nothing to say.
std::string group_waits_table(const std::vector<NamedSummary>& runs, const SummaryTableOptions& options);

/// The figures of processes of one run that process_table() shows.
struct ProcessReport {
  struct Job {
    std::int64_t id;
    std::string program;
    Time end;             ///< kNever: it did not end
    std::string classes;  ///< "64 F, 64 DC"; "" where the policy has one class
  };
  std::string policy;
  std::vector<Job> jobs;                               ///< empty if there are more than a table should have
  std::vector<std::pair<const char*, double>> shares;  ///< of the processors' time, by what it went into
};

/// Returns the figures of processes of a run. Precondition: the result has `processes`.
ProcessReport process_report(const std::string& policy, const RunResult& result);

/// Returns a table with one column per policy. All runs are of the same jobs.
std::string process_table(const std::vector<ProcessReport>& runs, TableStyle style, bool colour);

/// Returns one block character per value: a space for 0, then eight heights up to `top`. Values above `top` count as
/// `top`.
std::string sparkline(const std::vector<double>& values, double top);

/// Returns a drawing of utilization and queue length from the first submission to the last end, `width` columns in all,
/// for instance
///   used nodes  ▃▅▇██▇▆▃  84.7 %
///   queue       ▁▂▄█▆▃▁   240 at most
///               0 s          12 d 03:04:05
/// Each block is the mean over its share of the time. "" if nothing ran.
std::string run_sparklines(const RunResult& result, const Summary& summary, int width, bool colour);

}  // namespace coslice
