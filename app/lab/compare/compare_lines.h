// A comparison in a line for each variant: what changed, whether that is chance, and how many runs would tell.
#pragma once

#include <string>
#include <vector>

#include "lab/compare/compare.h"

namespace coslice {

/// The figure that stands for all: the mean wait of all jobs where it is compared, else the first one, of all jobs if
/// it has classes.
const ComparedFigure& leading_figure(const VariantComparison& comparison);

/// Of each variant but the first: "NAME: wait 1,034 s instead of 921 s, +12.3 % (95 %: +60 to +166 s): worse".
std::vector<std::string> compare_lines(const VariantComparison& comparison);

}  // namespace coslice
