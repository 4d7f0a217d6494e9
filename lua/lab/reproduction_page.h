// The page of all papers: what was published and what comes out, side by side, with charts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/find_paper.h"
#include "lab/row.h"
#include "report/chart.h"

namespace coslice {

/// One paper's part of the page.
struct PaperPart {
  PaperFolder where;
  std::string title;
  std::string command;  ///< that gives these rows: "coslice reproduce fcs"
  std::vector<Row> rows;
  std::size_t runs = 0;
  double seconds = 0;  ///< the host's time that they took; 0 if they came out of a file
  int workers = 1;
};

struct PageChart {
  std::string file;  ///< its name, without a folder: "fcs-T4.svg"
  Chart chart;
};

struct ReproductionPage {
  std::string markdown;
  std::vector<PageChart> charts;
};

/// Charts of an experiment's rows, published marks over obtained bars with their intervals; one for each unit with at
/// least three figures, of which some were published.
std::vector<PageChart> experiment_charts(const std::string& paper, const std::string& experiment,
                                         const std::vector<Row>& rows);

/// The page as Markdown. `frame` is the text around: the papers take the place of its line "<!-- papers -->", or stand
/// behind it. What is to be said of a paper's results, and why they deviate, stands in its folder as notes.md. Charts are
/// linked in `chart_folder`, seen from the page.
ReproductionPage reproduction_page(const std::vector<PaperPart>& papers, const std::string& frame,
                                   const std::string& chart_folder);

/// The text around the papers: page.md in the folder above a paper; "" if there is none.
std::string page_frame(const PaperFolder& paper);

}  // namespace coslice
