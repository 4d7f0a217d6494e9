// The pages of papers: what was published and what comes out, side by side, with charts; and the page that leads to
// them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/papers/paper_notes.h"
#include "lab/papers/reproduction_record.h"
#include "report/charts/chart.h"

namespace coslice {

struct PageChart {
  std::string file;  ///< its name, without a folder: "fcs-T4.svg"
  Chart chart;
};

struct PaperPage {
  std::string file;  ///< its name, without a folder: "fcs.md"; the charts lie beside it
  std::string markdown;
};

struct ReproductionPages {
  std::string markdown;  ///< of the page that leads to the others
  std::vector<PaperPage> papers;
  std::vector<PageChart> charts;
};

/// What the pages are put together from, besides the record.
struct PageTexts {
  /// A table of the papers takes the place of its line "<!-- papers -->", or stands behind it, and their time that of
  /// "<!-- time -->".
  std::string frame;
  std::string folder;  ///< of the papers' pages and charts, seen from the page that leads to them
  std::function<PaperNotes(const PaperRecord&)> notes;
};

/// Makes the pages, as Markdown.
ReproductionPages reproduction_pages(const std::vector<PaperRecord>& papers, const PageTexts& texts);

/// Returns the time of a processor in words, no finer than what is the same the next time: "under 10 s", "40 s", "12
/// min", "3.4 h".
std::string processor_time(double seconds);

}  // namespace coslice
