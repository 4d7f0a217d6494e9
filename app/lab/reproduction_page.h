// The page of all papers: what was published and what comes out, side by side, with charts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/paper_notes.h"
#include "lab/reproduction_record.h"
#include "report/charts/chart.h"

namespace coslice {

struct PageChart {
  std::string file;  ///< its name, without a folder: "fcs-T4.svg"
  Chart chart;
};

struct ReproductionPage {
  std::string markdown;
  std::vector<PageChart> charts;
};

/// What the page is put together from, besides the record.
struct PageTexts {
  /// The papers take the place of its line "<!-- papers -->", or stand behind it, and their time that of "<!-- time -->".
  std::string frame;
  std::string chart_folder;  ///< of the charts, seen from the page
  std::function<PaperNotes(const PaperRecord&)> notes;
};

/// The page as Markdown.
ReproductionPage reproduction_page(const std::vector<PaperRecord>& papers, const PageTexts& texts);

/// The time of a processor in words, no finer than what is the same the next time: "under 10 s", "40 s", "12 min", "3.4 h".
std::string processor_time(double seconds);

}  // namespace coslice
