// Files that appear whole or not at all.
#pragma once

#include <string>

#include "output/new_file.h"
#include "output/output.h"
#include "report/charts/chart.h"

namespace coslice::cli {

/// Throws InputError if something of that name is there.
void require_absent(const std::string& path);
/// Throws InputError that names the flag if that is not the name of a page: nothing else is to be written over.
void require_page_name(const std::string& flag, const std::string& path);
/// Draws a chart into an SVG file, and notes on stderr that it is there.
void write_chart(const std::string& path, const Chart& chart);

}  // namespace coslice::cli
