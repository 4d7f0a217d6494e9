// A report as a page: one file that needs nothing else, from a disk as from a server.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/chart.h"
#include "report/output.h"

namespace coslice {

struct ReportTile {
  std::string label, value;
};

struct ReportTable {
  std::string title;
  std::vector<std::string> columns;
  std::size_t texts = 1;  ///< so many columns at the beginning are words, the others numbers
  std::vector<std::vector<std::string>> rows;
  std::string note;
};

/// A file's text, folded up.
struct ReportSource {
  std::string name, text;
};

/// What a page says, in this order. All texts are plain; what HTML would take for markup is replaced.
struct ReportPage {
  std::string title, lead;
  std::vector<std::string> warnings;
  std::vector<ReportTile> tiles;
  std::string campaign;  ///< JSON for report/web/report/campaign.js; "": none
  std::vector<Chart> charts;
  std::vector<ReportTable> tables;
  std::string gantt;     ///< a whole page of write_gantt_html, shown in a frame; "": none
  std::string no_gantt;  ///< why there is none; "": nothing is said
  std::vector<ReportSource> sources;
  std::string foot;
};

/// Writes the page. Its content security policy allows its own script and style, and those of the Gantt, nothing else.
void write_report_page(const ReportPage& page, const Sink& sink);

}  // namespace coslice
