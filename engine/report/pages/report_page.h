// A report as a page: one file that needs nothing else, from a disk as from a server.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "output/output.h"
#include "report/charts/chart.h"

namespace coslice {

struct ReportTile {
  std::string label, value;
};

struct ReportTable {
  std::string title;
  std::vector<std::string> columns;
  std::size_t texts = 1;  ///< how many columns at the beginning are words; the others are numbers
  std::vector<std::vector<std::string>> rows;
  std::string note;
  std::set<std::pair<std::size_t, std::size_t>> best;  ///< rows and columns of values that stand out
};

/// Nodes over time of one run.
struct ReportGantt {
  std::string name;     ///< of the run, where there are several
  std::string page;     ///< a whole page of write_gantt_html, shown in a frame; "": none
  std::string drawing;  ///< an SVG that stands in its place on paper; "": none
  std::string missing;  ///< why there is no page; "": nothing is said
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
  std::vector<ReportGantt> gantts;
  bool wide = false;  ///< as wide as the window, for pages that are nothing but Gantts
  std::vector<ReportSource> sources;
  std::string foot;
};

/// Writes the page. Frames of several Gantts move together. Its content security policy allows its own script and
/// style, and those of the Gantt, nothing else.
void write_report_page(const ReportPage& page, const Sink& sink);

}  // namespace coslice
