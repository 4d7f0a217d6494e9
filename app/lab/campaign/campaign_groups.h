// Results of campaigns as variants: what is compared, and where.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/compare/variants.h"

namespace coslice {

class CampaignResults;
struct CampaignRun;

/// Variants at one place of a campaign: the axes that are not compared have these values there.
struct VariantGroup {
  std::string at;  ///< "load 0.7, nodes 64"; "" if no other axis varies
  std::vector<Variant> variants;
};

/// Returns one campaign: the variants are the values of the axis `by`; without a name the policy's axis, or the first
/// that has several values. Several campaigns: the variants are the campaigns, by their names, and `by` must not be
/// given. The axis "seed" only tells runs of a variant apart. Throws InputError: no such axis, an axis with one value,
/// campaigns with other axes, or no run that ended well.
std::vector<VariantGroup> campaign_groups(const std::vector<std::string>& paths, const std::optional<std::string>& by);

/// Returns the points of a campaign as variants: the values of the axes that are no conditions, which are those of the
/// scenario, the workload, the machine and what befalls it. Their runs have the conditions that they were made under.
/// Nothing where there are fewer than two points.
std::optional<std::vector<Variant>> campaign_points(const std::string& path);

/// Returns whether the axis says under what a policy has to do its work, not what could be chosen.
bool is_condition_axis(const std::string& axis);

/// Returns whether values on that axis name policies, maybe by their files.
bool names_policies(const std::string& axis);

/// Names of policies by their values on an axis: each has the name that it gives itself, not the path of its file;
/// of two files with the same name the second one is "easy-2".
class PolicyNames {
 public:
  /// Learns the name of a value from a run.
  void add(const std::string& value, const CampaignRun& run);
  /// Returns the name; the value itself where it is not known.
  const std::string& of(const std::string& value) const;

 private:
  std::map<std::string, std::string> of_value_;
  std::set<std::string> taken_;
};

/// Returns the value of an axis as people read it; "-" where the axis does not apply.
std::string axis_text(const Value& v);

/// A run of a campaign as a comparison sees it, without its jobs.
RunRecord record_of(const CampaignRun& run, const std::string& campaign);

}  // namespace coslice
