// The points of a campaign in the order of a figure.
#pragma once

#include <string>

#include "lab/campaign/campaign_groups.h"
#include "lab/compare/compare_output.h"

namespace coslice {

/// All points against the best of them.
struct Ranking {
  VariantComparison comparison;  ///< of the leading figure alone, the best point first
  std::vector<std::string> conditions;
};

/// Ranks the points by the leading figure of the options (compare_lines.h). Throws InputError as compare_variants does.
Ranking rank_points(CampaignPoints points, const CompareOptions& options);

/// Returns a table with a point in each line, at most 20 of them, and what must be known to read it.
std::string ranking_table(const Ranking& ranking, const CompareTableOptions& options);
std::string ranking_markdown(const Ranking& ranking);

}  // namespace coslice
