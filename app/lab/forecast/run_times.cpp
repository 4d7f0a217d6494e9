#include "lab/forecast/run_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "core/portable_math.h"

namespace coslice {
namespace {

/// What stands for a job that its limit ended, among logarithms and among parts of the limit.
constexpr double kAtLimit = 1e6, kWholeLimit = 2;
/// So much before its limit a job counts as ended by it: records are of whole seconds.
constexpr Duration kSlack = whole_seconds(1);
/// A group counts for as much as so many ended jobs of the larger group that it is part of.
constexpr double kEnough = 10;
/// How long a job would go on that its limit ends.
constexpr Duration kBeyond = whole_seconds(3600);
/// Where nothing is known, jobs are not shorter.
constexpr Duration kShort = whole_seconds(30);
/// Parts of the limit that differ by less are the same.
constexpr double kAlike = 0.1;
/// The power of the limit is taken from so many jobs, the last ones, to the precision of 1/64.
constexpr std::size_t kLast = 1000;
constexpr int kHalvings = 6;
constexpr std::int32_t kAnyUser = std::numeric_limits<std::int32_t>::min();
constexpr int kAnyLimit = std::numeric_limits<int>::min();

double log_of(Duration d) { return portable_log(std::max(to_seconds(d), 1e-3)); }

/// Limits from a power of two to the next one are a class.
int class_of(Duration limit) { return std::ilogb(std::max(to_seconds(limit), 1e-3)); }

/// The groups of a job, the smallest first; the last one is that of all jobs.
std::array<std::pair<std::int32_t, int>, 4> groups_of(std::int32_t user, int limit_class) {
  return {{{user, limit_class}, {user, kAnyLimit}, {kAnyUser, limit_class}, {kAnyUser, kAnyLimit}}};
}

}  // namespace

void RunTimeHistory::add(const JobKind& kind, Duration ran, bool ended) {
  const bool at_limit = ran + kSlack >= kind.limit;
  observed_.push_back({kind.user, class_of(kind.limit), log_of(kind.limit), log_of(ran), ended || at_limit, at_limit});
  if (!ended) return;
  const double part =
      at_limit ? kWholeLimit : static_cast<double>(ran.count()) / static_cast<double>(kind.limit.count());
  ++ended_;
  const auto [before, first] = last_.try_emplace(kind, part);
  if (first) return;
  ++pairs_;
  same_ += std::abs(part - before->second) <= kAlike * std::max(part, before->second) ? 1 : 0;
  before->second = part;
}

RunTimeDraws::RunTimeDraws(const RunTimeHistory& history, RandomStream random)
    : random_(std::move(random)), repeats_(history.repeats()), last_(history.last_) {
  std::vector<double> weights;
  for (std::size_t i = 0; i != history.observed_.size(); ++i) weights.push_back(random_.exponential(1));
  power_ = power_of(history, weights);
  std::map<Group, std::vector<Weighed>> groups;
  for (std::size_t i = 0; i != history.observed_.size(); ++i) {
    const RunTimeHistory::Observed& o = history.observed_[i];
    const Weighed weighed{o.at_limit ? kAtLimit : o.log_ran - power_ * o.log_limit, weights[i], o.ended};
    for (const Group& group : groups_of(o.user, o.limit_class)) groups[group].push_back(weighed);
  }
  for (auto& [group, observed] : groups) groups_.emplace(group, curve_of(std::move(observed)));
  const double unlike = random_.exponential(1);  // one more job, of which nothing is known, beside the others
  unlike_all_ = unlike / (unlike + static_cast<double>(history.ended()));
}

/// With the right power, jobs that end are of no other limits than those that run longer (the rank statistic of Gehan,
/// whose root is the estimate of Tsiatis 1990); jobs that still run, or that their limits ended, are longer than what
/// is known of them.
double RunTimeDraws::power_of(const RunTimeHistory& history, const std::vector<double>& weights) {
  struct Ranked {
    double scaled, log_limit, weight;
    bool ended;
  };
  const std::size_t size = history.observed_.size(), first = size > kLast ? size - kLast : 0;
  if (first == size) return 1;
  const double origin = history.observed_[first].log_limit;  // equal limits make exactly nothing
  std::vector<Ranked> ranked;
  const auto limits_of_ended = [&](double power) {
    ranked.clear();
    for (std::size_t i = first; i != size; ++i) {
      const RunTimeHistory::Observed& o = history.observed_[i];
      ranked.push_back({o.log_ran - power * o.log_limit, o.log_limit - origin, weights[i], o.ended && !o.at_limit});
    }
    std::ranges::stable_sort(ranked, std::greater<>(), &Ranked::scaled);
    double weight = 0, limits = 0, sum = 0;  // of those that are longer
    for (const Ranked& r : ranked) {
      weight += r.weight;
      limits += r.weight * r.log_limit;
      if (r.ended) sum += r.weight * (weight * r.log_limit - limits);
    }
    return sum;
  };
  double low = 0, high = 1;
  if (limits_of_ended(high) <= 0) return high;
  if (limits_of_ended(low) >= 0) return low;
  for (int i = 0; i != kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (limits_of_ended(middle) < 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// The estimate of Kaplan and Meier with random weights: what is left when one that still runs drops out is spread over
/// those that are longer.
RunTimeDraws::Curve RunTimeDraws::curve_of(std::vector<Weighed> observed) {
  Curve curve;
  std::ranges::stable_sort(observed, [](const Weighed& a, const Weighed& b) {
    return a.scaled != b.scaled ? a.scaled < b.scaled : a.ended && !b.ended;
  });
  double at_risk = 0;
  for (const Weighed& o : observed) at_risk += o.weight;
  double left = 1;  // survival
  for (std::size_t i = 0; i != observed.size(); ++i) {
    const Weighed& o = observed[i];
    if (o.ended) {
      left *= std::max(1 - o.weight / at_risk, 0.0);
      if (i + 1 == observed.size()) left = 0;
      curve.scaled.push_back(o.scaled);
      curve.above.push_back(left);
      ++curve.ended;
    }
    at_risk -= o.weight;
    curve.longest = o.scaled;
  }
  return curve;
}

/// False if the curve says nothing of what is longer than `beyond`, or what is drawn is longer than all that it has,
/// which then is the new `beyond`.
bool RunTimeDraws::draw_from(const Curve& curve, double& beyond, double& scaled) {
  const auto first = std::ranges::upper_bound(curve.scaled, beyond);
  if (first == curve.scaled.end()) return false;
  const auto place = static_cast<std::size_t>(first - curve.scaled.begin());
  const double longer = place == 0 ? 1 : curve.above[place - 1];
  if (longer < 1e-9) return false;
  const double target = longer * random_.uniform();  // what is to be above the drawn one, at least
  for (std::size_t i = place; i != curve.scaled.size(); ++i) {
    scaled = curve.scaled[i];
    if (curve.above[i] <= target) return true;
  }
  beyond = std::max(beyond, curve.longest);  // only ones that still run are longer
  return false;
}

/// From the smallest group that is chosen: the more often, the more of its jobs have ended. How long a process still
/// runs is in proportion to how long it has run (Harchol-Balter & Downey 1997), where nothing else is known: the
/// logarithm is uniform.
double RunTimeDraws::draw_scaled(const JobKind& kind, double beyond, double shortest, double limit) {
  double scaled = 0;
  const auto groups = groups_of(kind.user, class_of(kind.limit));
  for (const Group& group : groups) {
    const auto found = groups_.find(group);
    if (found == groups_.end()) continue;
    const double ended = found->second.ended;
    const double chosen = group == groups.back() ? 1 - unlike_all_ : ended / (ended + kEnough);
    if (random_.uniform() < chosen && draw_from(found->second, beyond, scaled)) return scaled;
  }
  const double from = std::max(beyond, shortest);
  return from >= limit ? kAtLimit : from + (limit - from) * random_.uniform();
}

Duration RunTimeDraws::draw(const JobKind& kind, Duration ran) {
  const Duration limit = std::max(kind.limit, Duration{1});
  const auto length = static_cast<double>(limit.count());
  const double log_limit = log_of(limit), unit = power_ * log_limit;
  const bool again = repeats_ > 0 && random_.uniform() < repeats_;
  const auto before = last_.find(kind);
  double part = 0;
  if (again && before != last_.end() && before->second > static_cast<double>(ran.count()) / length) {
    part = before->second;
  } else {
    const double beyond = ran > Duration{0} ? log_of(ran) - unit : -kAtLimit;
    const double log_part = draw_scaled(kind, beyond, log_of(kShort) - unit, log_limit - unit) + unit - log_limit;
    part = log_part >= 0 ? kWholeLimit : portable_exp(log_part);
  }
  last_[kind] = part;
  if (part >= 1) return std::max(limit, ran) + kBeyond;
  return std::max(Duration{std::llround(part * length)}, ran + Duration{1});
}

}  // namespace coslice
