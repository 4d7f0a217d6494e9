#include "lab/tune/paired_change.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include "core/portable_math.h"
#include "core/random.h"

namespace coslice {
namespace {

constexpr std::size_t kMostCounted = 13;  ///< pairs of which all exchanges are counted; of more some are drawn
constexpr std::size_t kDrawnExchanges = 4095;
constexpr double kLeastLeft = 1e-12;  ///< of a sum, where all but one of its parts are nearly 0
constexpr double kRounding = 1e-9;

/// The logarithm of the ratio of two means, and its deviation.
struct LogRatio {
  double value = 0, deviation = 0;

  double size() const { return deviation > 0 ? std::abs(value) / deviation : 0; }
};

/// Of pairs whose costs are all above 0 in sum, whichever pair is left out.
class Pairs {
 public:
  Pairs(std::vector<double> before, std::vector<double> after) : before_(std::move(before)), after_(std::move(after)) {}

  std::size_t size() const { return before_.size(); }

  /// `other_way(i)` says whether the i-th pair is exchanged.
  LogRatio ratio(const std::function<bool(std::size_t)>& other_way) {
    double first = 0, second = 0;
    kept_.clear();
    for (std::size_t i = 0; i != size(); ++i) {
      kept_.emplace_back(before_[i], after_[i]);
      if (other_way(i)) std::swap(kept_[i].first, kept_[i].second);
      first += kept_[i].first, second += kept_[i].second;
    }
    without_.clear();
    for (const auto& [a, b] : kept_)
      without_.push_back(
          portable_log(std::max(second - b, kLeastLeft * second) / std::max(first - a, kLeastLeft * first)));
    const auto n = static_cast<double>(size());
    // Of values that hold all pairs but one each, the deviation is (n - 1) / sqrt(n) times as large for the mean.
    return {portable_log(second / first), deviation(without_) * (n - 1) / std::sqrt(n)};
  }

  /// The lowest number of deviations that exchanges go beyond in at most 1 - level of the cases.
  double quantile(double level) {
    std::vector<double> sizes;
    if (size() <= kMostCounted) {
      // The first pair stays: with all others the other way round it is the same again, of another sign.
      for (std::uint64_t which = 0; which != std::uint64_t{1} << (size() - 1); ++which)
        sizes.push_back(ratio([&](std::size_t i) { return i > 0 && (which >> (i - 1) & 1) != 0; }).size());
    } else {
      RandomStream random(1, "exchanged pairs");
      sizes.push_back(ratio([](std::size_t) { return false; }).size());
      for (std::size_t i = 0; i != kDrawnExchanges; ++i)
        sizes.push_back(ratio([&](std::size_t) { return random.uniform() < 0.5; }).size());
    }
    std::ranges::sort(sizes, std::greater<>());
    return sizes[static_cast<std::size_t>((1 - level) * static_cast<double>(sizes.size()))];
  }

 private:
  std::vector<double> before_, after_;
  std::vector<std::pair<double, double>> kept_;
  std::vector<double> without_;
};

/// Whether there are as many exchanges that one of them can be beyond chance.
bool enough(std::size_t pairs, double level) {
  return pairs > kMostCounted || (1 - level) * static_cast<double>(std::uint64_t{1} << (pairs - 1)) >= 1;
}

/// Whether all are at least 0, and no mean or ratio is made of one pair alone.
bool have_ratio(const std::vector<double>& before, const std::vector<double>& after) {
  std::size_t pairs = 0;
  for (std::size_t i = 0; i != before.size(); ++i) {
    if (before[i] < 0 || after[i] < 0) return false;
    pairs += before[i] > 0 && after[i] > 0 ? 1 : 0;
  }
  return pairs >= 2;
}

std::vector<double> negative(std::vector<double> values) {
  for (double& v : values) v = -v;
  return values;
}

PairedChange difference(const std::vector<double>& before, const std::vector<double>& after, Unit unit, double level) {
  double today = 0;
  for (const double b : before) today += std::abs(b) / static_cast<double>(before.size());
  std::vector<double> differences;
  for (std::size_t i = 0; i != before.size(); ++i)
    differences.push_back((after[i] - before[i]) / (today == 0 ? 1 : today));
  const Estimate e = difference_of(differences, unit, level);
  PairedChange out{e.mean, e.interval};
  const auto is_cost = [](double x) { return x >= 0; };
  const bool costs = std::ranges::all_of(before, is_cost) && std::ranges::all_of(after, is_cost);
  if (out.interval && costs) out.interval->low = std::max(out.interval->low, -1.0);  // none falls by more
  return out;
}

}  // namespace

PairedChange change_of(const std::vector<double>& before, const std::vector<double>& after, Unit unit, double level) {
  if (have_ratio(negative(before), negative(after))) {
    // A figure that is to become large: its costs are below 0, and less of them is a change upwards.
    PairedChange out = change_of(negative(before), negative(after), unit, level);
    out.change = -out.change;
    if (out.interval) out.interval = Interval{-out.interval->high, -out.interval->low};
    return out;
  }
  if (before.size() < 2 || !enough(before.size(), level) || !have_ratio(before, after))
    return difference(before, after, unit, level);
  Pairs pairs(before, after);
  const LogRatio ratio = pairs.ratio([](std::size_t) { return false; });
  PairedChange out{portable_exp(ratio.value) - 1, {}};
  if (ratio.deviation == 0 && ratio.value != 0) return out;
  const double widest =
      std::max(pairs.quantile(level), student_quantile(level, static_cast<double>(before.size() - 1)));
  const double half = widest * ratio.deviation * (1 + kRounding);  // one that chance gives as well holds 0
  out.interval = Interval{portable_exp(ratio.value - half) - 1, portable_exp(ratio.value + half) - 1};
  return out;
}

}  // namespace coslice
