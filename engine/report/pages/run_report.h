// The report of a run, or of several beside one another.
#pragma once

#include <vector>

#include "metrics/summary.h"
#include "observe/result.h"
#include "report/charts/run_charts.h"
#include "report/pages/report_page.h"
#include "report/tables/summary_table.h"

namespace coslice {

/// Returns a row for each run, or for each class and run; each column in one unit, times in seconds. Gains are against
/// the first run. Of several runs the best values are marked.
std::vector<ReportTable> run_tables(const std::vector<NamedSummary>& runs, const MetricsOptions& options);

/// Returns tables of runs at the level of processes; none if there are no such runs.
std::vector<ReportTable> process_tables(const std::vector<ProcessReport>& runs);

/// What the run was made from, for the page.
struct RunReportInfo {
  std::string scenario_description;
  std::string policy, policy_version;
  std::vector<std::pair<std::string, std::string>> facts;  ///< name, value: seed, parameters, ...
  std::vector<ReportSource> sources;                       ///< scenario, policy
  std::string program;                                     ///< "coslice 1.2.3"
};

/// Everything but the Gantt of one run, or of several on the same jobs side by side: key figures, charts, tables, what
/// they were made from. Says so where the machine fell behind or nothing ran.
class RunReport {
 public:
  explicit RunReport(MetricsOptions options) : options_(std::move(options)) {}
  /// Adds a run. Its name, which is the policy's, distinguishes it from other runs.
  void add(const RunResult& result, const NamedSummary& run, const RunReportInfo& info);
  /// Takes what was added. Precondition: at least one run.
  ReportPage page(const std::string& title);

 private:
  struct Run {
    RunReportInfo info;
    std::string workload, machine, fingerprint;
    std::vector<std::string> warnings;
  };
  bool is_common(const std::pair<std::string, std::string>& fact) const {
    return std::ranges::all_of(
        runs_, [&](const Run& run) { return std::ranges::find(run.info.facts, fact) != run.info.facts.end(); });
  }
  ReportTable facts() const;

  MetricsOptions options_;
  std::vector<Run> runs_;
  std::vector<NamedSummary> summaries_;
  std::vector<NamedCharts> charts_;
  std::vector<ProcessReport> processes_;
};

}  // namespace coslice
