// Results of campaigns as variants: what is compared, and where.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/compare/variants.h"

namespace coslice {

class CampaignResults;

/// Variants at one place of a campaign: the axes that are not compared have these values there.
struct VariantGroup {
  std::string at;  ///< "load 0.7, nodes 64"; "" if no other axis varies
  std::vector<Variant> variants;
};

/// Returns one campaign: the variants are the values of the axis `by`; without a name the policy's axis, or the first
/// that has several values. Several campaigns: the variants are the campaigns, by their names, and `by` must not be
/// given. The axis "seed" only tells runs of one variant apart. Runs that failed are left out. Throws InputError: no
/// such axis, an axis with one value, or campaigns with other axes.
std::vector<VariantGroup> campaign_groups(const std::vector<std::string>& paths, const std::optional<std::string>& by);

/// The points of one campaign as variants: the values of the axes that are no conditions, which are those of the
/// workload, the machine and what befalls it; runs under several conditions are distinguished as those of several seeds
/// are. Only conditions under which each point has a run count; nothing where there are none, or fewer than two points.
struct CampaignPoints {
  std::vector<Variant> variants;
  std::vector<std::string> conditions;  ///< "workload.params.load 0.7"; {""} where no condition varies
};
std::optional<CampaignPoints> campaign_points(const std::string& path);

/// Returns the value of an axis as people read it; "-" where the axis does not apply.
std::string axis_text(const Value& v);

/// A run of a campaign as a comparison sees it, without its jobs.
struct CampaignRun;
RunRecord record_of(const CampaignRun& run, const std::string& campaign);

}  // namespace coslice
