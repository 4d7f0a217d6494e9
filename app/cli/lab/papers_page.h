// The pages that `coslice reproduce --write` makes, and the record beside them that they can be made of again.
#pragma once

#include <string>
#include <vector>

#include "lab/papers/reproduction_record.h"

namespace coslice::cli {

/// Complains before hours of runs, not after them, about what the page would stumble over: its place, and the papers'
/// notes. Throws InputError.
void check_papers_page(const std::string& file, const std::vector<PaperFolder>& papers);

/// Writes the page, and into a folder beside it that is called after it a page of each paper, the charts and
/// record.json.
void write_papers_page(const std::string& file, const std::vector<PaperRecord>& papers);

/// Reads a record.json. Throws InputError.
std::vector<PaperRecord> read_record(const std::string& file);

}  // namespace coslice::cli
