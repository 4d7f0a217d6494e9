// The report of a campaign.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/pages/report_page.h"

namespace coslice {

struct CampaignReportOptions {
  std::optional<std::string> x, by;  ///< axes: along the charts, and whose values are lines; else those that suit
  bool log = false;                  ///< a logarithmic scale for lines whose values are all above 0
  std::string title;                 ///< "": the campaign's name
  std::string program;               ///< "coslice 0.1.0"
};

struct CampaignReport {
  ReportPage page;            ///< with a chart that follows its reader's choices
  std::vector<Chart> charts;  ///< the usual figures over the axis, for --svg: one for each place on the other axes
};

/// From the results of `coslice sweep`, as far as they are. Throws InputError: not such results, no such axis.
CampaignReport campaign_report(const std::string& path, const CampaignReportOptions& options);

}  // namespace coslice
