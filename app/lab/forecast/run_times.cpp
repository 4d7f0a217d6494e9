#include "lab/forecast/run_times.h"

#include <algorithm>

namespace coslice {

namespace {

/// What stands for a job that its limit ended.
constexpr double kAtLimit = 2;
/// So much before its limit a job counts as ended by it: records are of whole seconds.
constexpr Duration kSlack = whole_seconds(1);
/// A user with fewer ended jobs is taken for one like all others.
constexpr std::size_t kEnough = 10;
/// How long a job would go on that its limit ends.
constexpr Duration kBeyond = whole_seconds(3600);

}  // namespace

void RunTimeHistory::add(std::int32_t user, Duration ran, Duration limit, bool ended) {
  const double part = static_cast<double>(ran.count()) / static_cast<double>(std::max(limit, Duration{1}).count());
  by_user_[user].push_back({ran + kSlack >= limit ? kAtLimit : part, ended || ran + kSlack >= limit});
  ended_ += ended ? 1 : 0;
}

RunTimeDraws::RunTimeDraws(const RunTimeHistory& history, RandomStream random) : random_(std::move(random)) {
  std::vector<RunTimeHistory::Observed> all;
  for (const auto& [user, observed] : history.by_user_) {
    all.insert(all.end(), observed.begin(), observed.end());
    by_user_.emplace(user, curve_of(observed));
  }
  all_ = curve_of(std::move(all));
}

/// The estimate of Kaplan and Meier with random weights: what is left when one that still runs drops out is spread over those
/// that are longer.
RunTimeDraws::Curve RunTimeDraws::curve_of(std::vector<RunTimeHistory::Observed> observed) {
  Curve curve;
  std::stable_sort(observed.begin(), observed.end(), [](const auto& a, const auto& b) { return a.part < b.part; });
  std::vector<double> weight;
  double at_risk = 0;
  for (std::size_t i = 0; i != observed.size(); ++i) at_risk += weight.emplace_back(random_.exponential(1));
  double left = 1;  // survival
  curve.all = 1;
  for (std::size_t i = 0; i != observed.size(); ++i) {
    if (observed[i].ended) {
      left *= std::max(1 - weight[i] / at_risk, 0.0);
      if (i + 1 == observed.size()) left = 0;
      curve.part.push_back(observed[i].part);
      curve.above.push_back(left);
      ++curve.ended;
    }
    at_risk -= weight[i];
    curve.longest = observed[i].part;
  }
  return curve;
}

/// False if the curve says nothing of what is longer than `beyond`.
bool RunTimeDraws::draw_from(const Curve& curve, double beyond, double& part) {
  const auto first = std::upper_bound(curve.part.begin(), curve.part.end(), beyond);
  if (first == curve.part.end()) return false;
  const auto place = static_cast<std::size_t>(first - curve.part.begin());
  const double longer = place == 0 ? curve.all : curve.above[place - 1];
  if (longer < 1e-9) return false;
  const double target = longer * random_.uniform();  // what is to be above the drawn one, at least
  for (std::size_t i = place; i != curve.part.size(); ++i) {
    part = curve.part[i];
    if (curve.above[i] <= target) return true;
  }
  part = std::max(beyond, curve.longest);  // only ones that still run are longer: anything up to the limit
  part = part >= 1 ? kAtLimit : random_.uniform(part, 1);
  return true;
}

Duration RunTimeDraws::draw(std::int32_t user, Duration limit, Duration ran) {
  const double length = static_cast<double>(std::max(limit, Duration{1}).count());
  const double beyond = static_cast<double>(ran.count()) / length;
  double part = 0;
  const auto own = by_user_.find(user);
  const bool known = (own != by_user_.end() && own->second.ended >= kEnough && draw_from(own->second, beyond, part)) ||
                     draw_from(all_, beyond, part);
  if (!known) part = beyond >= 1 ? kAtLimit : random_.uniform(beyond, 1);
  if (part >= 1) return std::max(limit, ran) + kBeyond;
  return std::max(Duration{static_cast<std::int64_t>(part * length)}, ran + Duration{1});
}

}  // namespace coslice
