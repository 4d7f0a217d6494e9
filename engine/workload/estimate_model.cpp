#include "workload/estimate_model.h"

#include <algorithm>

#include "core/portable_math.h"

namespace coslice {

namespace {

constexpr double kShareOfPopular = 0.9;
constexpr double kDecayPerRank = 0.18;

/// Minutes, by popularity; before them comes the longest estimate that is allowed.
constexpr int kPopularMinutes[] = {60,  10,  5,    120, 30, 240, 15,   180, 720, 20,
                                   360, 480, 1440, 45,  90, 600, 1080, 2,   300};
constexpr int kLimitHours[] = {1, 2, 4, 6, 8, 12, 18, 24, 36, 48, 60, 72, 96, 120, 168, 240};

constexpr Duration kMinute = whole_seconds(60), kHour = whole_seconds(3600), kDay = whole_seconds(86400);

Duration round_up(Duration d, Duration unit) { return (d + unit - Duration{1}) / unit * unit; }

}  // namespace

EstimateModel::EstimateModel(std::uint64_t seed, Duration longest)
    : key_(seed, "estimates"), longest_(std::max(longest, whole_seconds(1))) {
  popular_.push_back({longest_, 1});
  double weight = 1;
  const double decay = portable_exp(-kDecayPerRank);
  for (const int minutes : kPopularMinutes) {
    weight *= decay;
    const Duration value = minutes * kMinute;
    if (value < longest_) popular_.push_back({value, weight});
    if (value == longest_) popular_.front().weight += weight;
  }
  std::sort(popular_.begin(), popular_.end(), [](const Popular& a, const Popular& b) { return a.value > b.value; });
  for (std::size_t i = 1; i < popular_.size(); ++i) popular_[i].weight += popular_[i - 1].weight;
}

Duration EstimateModel::limit_above(Duration longest_runtime) {
  for (const int hours : kLimitHours)
    if (hours * kHour >= longest_runtime) return hours * kHour;
  return round_up(longest_runtime, kDay);
}

Duration EstimateModel::draw(const Job& job) const {
  if (job.runtime >= longest_) return job.runtime == longest_ ? longest_ : round_up(job.runtime, kHour);
  RandomStream stream = key_.stream(static_cast<std::uint64_t>(job.id));
  const bool popular = stream.uniform() < kShareOfPopular;
  const double u = stream.uniform();
  return popular ? draw_popular(job.runtime, u) : draw_tail(job.runtime, u);
}

Duration EstimateModel::draw_popular(Duration runtime, double u) const {
  const auto end = std::partition_point(popular_.begin(), popular_.end(),
                                        [runtime](const Popular& p) { return p.value >= runtime; });
  const double target = u * (end - 1)->weight;
  const auto chosen =
      std::partition_point(popular_.begin(), end - 1, [target](const Popular& p) { return p.weight <= target; });
  return chosen->value;
}

/// Even in the logarithm between the run time and the longest estimate, then up to the next value that a person who
/// does not use the popular ones would write.
Duration EstimateModel::draw_tail(Duration runtime, double u) const {
  const double low = to_seconds(std::max(runtime, kMinute)), high = to_seconds(longest_);
  const double seconds = high > low ? low * portable_pow(high / low, u) : low;
  const Duration raw = std::max(runtime, from_seconds(seconds));
  const Duration unit = raw <= kHour ? kMinute : raw <= 12 * kHour ? 5 * kMinute : kHour;
  return std::max(runtime, std::min(round_up(raw, unit), longest_));
}

}  // namespace coslice
