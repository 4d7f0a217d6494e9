// The points of a campaign in the order of a figure.
#pragma once

#include <vector>

#include "lab/compare/compare.h"

namespace coslice {

/// Returns all points against the best of them: the leading figure of the options (leading_figure), the best point
/// first. `title` says what it is. Throws InputError as compare_variants does.
VariantComparison rank_points(std::vector<Variant> points, const CompareOptions& options);

/// Returns what stands in a table for people: the first 20 points, with their places.
VariantComparison first_of_ranking(const VariantComparison& ranking);

}  // namespace coslice
