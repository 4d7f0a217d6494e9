// What came of repeating papers, as data: the rows of all experiments and what they cost. A page is made of this alone,
// so that it can be made again, with other words around the figures, without running anything.
#pragma once

#include <string>
#include <vector>

#include "lab/papers/reproduce.h"

namespace coslice {

struct ExperimentRecord {
  std::string command;  ///< command that gives these rows: "coslice reproduce fcs --experiment T4"
  ExperimentResult result;
  std::vector<Row> rows;
};

struct PaperRecord {
  std::string paper;  ///< as it is called on the command line: a name, or a folder
  std::string title;
  std::string command;       ///< command that gives all rows of the paper
  std::string full_command;  ///< the same for all seeds and points; "" if `command` runs them
  std::size_t runs = 0;
  double cpu_seconds = 0;
  std::vector<ExperimentRecord> experiments;
};

/// Returns the record as JSON, one row per line. Numbers that were computed are rounded to six digits, seconds to two,
/// so that a page is the same whether it is made of the record itself or of what was read back.
std::string record_of_papers(const std::vector<PaperRecord>& papers);

/// Reads the record from JSON. `name` is the name of the text in messages. Throws InputError if the text is not such a
/// record.
std::vector<PaperRecord> papers_of_record(const std::string& text, const std::string& name);

}  // namespace coslice
