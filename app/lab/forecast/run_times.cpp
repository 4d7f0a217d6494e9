#include "lab/forecast/run_times.h"

#include <algorithm>
#include <cmath>

#include "core/portable_math.h"

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
/// Where nothing is known, jobs are not shorter.
constexpr Duration kShort = whole_seconds(30);
/// Parts of the limit that differ by less are the same.
constexpr double kAlike = 0.1;

}  // namespace

void RunTimeHistory::add(const JobKind& kind, Duration ran, bool ended) {
  const bool at_limit = ran + kSlack >= kind.limit;
  const double part = at_limit ? kAtLimit : static_cast<double>(ran.count()) / static_cast<double>(kind.limit.count());
  by_user_[kind.user].push_back({part, ended || at_limit});
  if (!ended) return;
  ++ended_;
  const auto [before, first] = last_.try_emplace(kind, part);
  if (first) return;
  ++pairs_;
  same_ += std::abs(part - before->second) <= kAlike * std::max(part, before->second) ? 1 : 0;
  before->second = part;
}

RunTimeDraws::RunTimeDraws(const RunTimeHistory& history, RandomStream random)
    : random_(std::move(random)), repeats_(history.repeats()), last_(history.last_) {
  std::vector<RunTimeHistory::Observed> all;
  for (const auto& [user, observed] : history.by_user_) {
    all.insert(all.end(), observed.begin(), observed.end());
    by_user_.emplace(user, curve_of(observed));
  }
  const double unlike = random_.exponential(1);  // one more job, of which nothing is known, beside the others
  unlike_all_ = unlike / (unlike + static_cast<double>(history.ended()));
  all_ = curve_of(std::move(all));
}

/// The estimate of Kaplan and Meier with random weights: what is left when one that still runs drops out is spread over
/// those that are longer.
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

/// How long a process still runs is in proportion to how long it has run (Harchol-Balter & Downey 1997), where nothing
/// else is known: the logarithm is uniform.
double RunTimeDraws::unknown_part(double beyond, double shortest) {
  const double from = std::max(beyond, shortest);
  return from >= 1 ? kAtLimit : from * portable_exp(-portable_log(from) * random_.uniform());
}

/// False if the curve says nothing of what is longer than `beyond`.
bool RunTimeDraws::draw_from(const Curve& curve, double beyond, double shortest, double& part) {
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
  part = unknown_part(std::max(beyond, curve.longest), shortest);  // only ones that still run are longer
  return true;
}

double RunTimeDraws::part_of(std::int32_t user, double beyond, double shortest) {
  double part = 0;
  const auto own = by_user_.find(user);
  if (own != by_user_.end() && own->second.ended >= kEnough && draw_from(own->second, beyond, shortest, part))
    return part;
  if (random_.uniform() >= unlike_all_ && draw_from(all_, beyond, shortest, part)) return part;
  return unknown_part(beyond, shortest);
}

Duration RunTimeDraws::draw(const JobKind& kind, Duration ran) {
  const Duration limit = std::max(kind.limit, Duration{1});
  const auto length = static_cast<double>(limit.count());
  const double beyond = static_cast<double>(ran.count()) / length;
  const bool again = repeats_ > 0 && random_.uniform() < repeats_;
  const auto before = last_.find(kind);
  const double part = again && before != last_.end() && before->second > beyond
                          ? before->second
                          : part_of(kind.user, beyond, static_cast<double>(kShort.count()) / length);
  last_[kind] = part;
  if (part >= 1) return std::max(limit, ran) + kBeyond;
  return std::max(Duration{static_cast<std::int64_t>(part * length)}, ran + Duration{1});
}

}  // namespace coslice
