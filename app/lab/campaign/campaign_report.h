// The report of a campaign.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/pages/report_page.h"

namespace coslice {

struct CampaignReportOptions {
  std::optional<std::string> x;   ///< the axis along the charts; else one that suits
  std::vector<std::string> by{};  ///< axes whose values are lines, of several each combination; else one that suits
  std::vector<std::string> figures{};  ///< what is drawn, of all jobs (find_figures); none: the usual ones
  bool log = false;                    ///< a logarithmic scale for lines whose values are all above 0
  std::string title;                   ///< "": the campaign's name
  std::string program;                 ///< "coslice 1.2.3"
};

struct CampaignReport {
  ReportPage page;            ///< with a chart that follows its reader's choices
  std::vector<Chart> charts;  ///< the usual figures over the axis, for --svg: one for each place on the other axes
};

/// Makes a report of the results of `coslice sweep` that are there so far. Throws InputError: not such results, no such
/// axis.
CampaignReport campaign_report(const std::string& path, const CampaignReportOptions& options);

// Where results of a campaign stand side by side, though some policies lack some of its parameters.

using Coordinates = std::vector<std::string>;  ///< a value on each axis; "" where one does not apply

/// A policy without a parameter is run once for all values of that axis: its results stand beside those of the others
/// at each of them. For each of the coordinates, which must differ, those where its results are shown: itself, or, if
/// it covers others, these.
std::map<Coordinates, std::vector<Coordinates>> standing_places(const std::vector<Coordinates>& all);

}  // namespace coslice
