// The page that `coslice reproduce --write` makes, and the record beside it that it can be made of again.
#pragma once

#include <string>
#include <vector>

#include "lab/reproduction_record.h"

namespace coslice::cli {

/// Writes the page, and into a folder beside it that is called after it the charts and record.json.
void write_papers_page(const std::string& file, const std::vector<PaperRecord>& papers);

/// Reads a record.json. Throws InputError.
std::vector<PaperRecord> read_record(const std::string& file);

}  // namespace coslice::cli
