// The report of one run.
#pragma once

#include "metrics/result.h"
#include "metrics/summary.h"
#include "report/report_page.h"

namespace coslice {

/// What the run was made from, for the page.
struct RunReportInfo {
  std::string title;  ///< "quickstart, easy"
  std::string scenario_description;
  std::string policy, policy_version;
  std::vector<std::pair<std::string, std::string>> facts;  ///< name, value: seed, parameters, ...
  std::vector<ReportSource> sources;                       ///< scenario, policy
  std::string program;                                     ///< "coslice 0.1.0"
};

/// Everything but the Gantt: key figures, charts, tables by class, what it was made from. Says so where the machine
/// fell behind or nothing ran.
ReportPage run_report(const RunResult& result, const Summary& summary, const MetricsOptions& options,
                      const RunReportInfo& info);

}  // namespace coslice
