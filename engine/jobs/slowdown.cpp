#include "jobs/slowdown.h"

#include <algorithm>
#include <cmath>

namespace coslice {

//                                                              .9   1.0  1.1  1.2  1.3  1.4  1.5  1.6  1.7
const DrawnSlowdowns::Histogram DrawnSlowdowns::kOverCores = {0, .25, .17, .17, .13, .17, .08, .03, 0};
const DrawnSlowdowns::Histogram DrawnSlowdowns::kOverProcessors = {.25, .45, .12, .05, .13, 0, 0, 0, 0};
const DrawnSlowdowns::Histogram DrawnSlowdowns::kBeside = {0, .68, .17, .07, .03, .02, .01, .01, .01};

double DrawnSlowdowns::quantile(const Histogram& histogram, double u) {
  double low = 0.9, last = 0.9;
  for (const double p : histogram) {
    if (p > 0 && u < p) return low + 0.1 * (u / p);
    u -= p;
    low += 0.1;
    if (p > 0) last = low;
  }
  return last;  // u was what rounding left of the probabilities
}

DrawnSlowdowns::DrawnSlowdowns(std::uint64_t seed, std::size_t jobs)
    : beside_(seed, "slowdown.beside"), processors_(jobs), cores_(jobs) {
  const RandomKey processors(seed, "slowdown.over_processors"), cores(seed, "slowdown.over_cores");
  for (std::size_t j = 0; j != jobs; ++j) {
    processors_[j] = quantile(kOverProcessors, processors.uniform(j));
    cores_[j] = quantile(kOverCores, cores.uniform(j));
  }
}

double SlowdownTable::least_beside() const {
  double least = 1;
  for (const Application& a : applications_)
    for (const auto* values : {&a.beside, &a.apart})
      for (const double v : *values) least = std::min(least, v);
  return least;
}

namespace {

struct FractionRange {
  double low, high;
  double draw(RandomStream& random) const { return random.uniform(low, high); }
  bool holds(double x) const { return low <= x && x < high; }
};

/// Fractions of a kind of jobs: of two resources, and their sum; the third has the rest.
struct FractionShape {
  Resource first, second, rest;
  FractionRange of_first, of_second, sum;
};

constexpr FractionRange kSecondFraction{0.05, 0.4};
constexpr FractionShape kShapes[kResources] = {
    {Resource::kCpu, Resource::kDisk, Resource::kNetwork, {0.5, 0.9}, kSecondFraction, {0.6, 0.95}},
    {Resource::kNetwork, Resource::kDisk, Resource::kCpu, {0.4, 0.65}, kSecondFraction, {0.5, 0.8}},
    {Resource::kDisk, Resource::kNetwork, Resource::kCpu, {0.4, 0.65}, kSecondFraction, {0.5, 0.8}},
};

double draw_memory(RandomStream& random) {
  const double u = random.uniform();
  if (u < 0.7) return random.uniform(0.05, 0.5);
  return u < 0.95 ? random.uniform(0.5, 0.8) : random.uniform(0.8, 1.0);
}

constexpr std::size_t number(Resource r) { return static_cast<std::size_t>(r); }

}  // namespace

bool adds_up(const std::array<double, kResources>& fractions) {
  constexpr double kRounding = 1e-3;
  return std::fabs(fractions[0] + fractions[1] + fractions[2] - 1) <= kRounding;
}

Resource largest_fraction(const std::array<double, kResources>& fractions) {
  return static_cast<Resource>(std::ranges::max_element(fractions) - fractions.begin());
}

ResourceProfile draw_profile(RandomStream& random, Resource kind) {
  const FractionShape& shape = kShapes[number(kind)];
  double first = 0, second = 0;
  do {
    first = shape.of_first.draw(random);
    second = shape.of_second.draw(random);
  } while (!shape.sum.holds(first + second));
  ResourceProfile p;
  p.kind = kind;
  p.fraction[number(shape.first)] = first;
  p.fraction[number(shape.second)] = second;
  p.fraction[number(shape.rest)] = 1 - first - second;
  p.memory = draw_memory(random);
  return p;
}

std::vector<ResourceProfile> draw_profiles(std::uint64_t seed, const ResourceMix& mix, std::size_t jobs) {
  const RandomKey key(seed, "resources.profile");
  std::vector<ResourceProfile> profiles;
  profiles.reserve(jobs);
  for (std::size_t j = 0; j != jobs; ++j) {
    RandomStream random = key.stream(j);
    const double u = random.uniform();
    const Resource kind = u < mix[0] ? Resource::kCpu : u < mix[0] + mix[1] ? Resource::kNetwork : Resource::kDisk;
    profiles.push_back(draw_profile(random, kind));
  }
  return profiles;
}

ResourceSlowdowns::ResourceSlowdowns(std::uint64_t seed, std::vector<ResourceProfile> profiles,
                                     const ResourceConflicts& conflicts)
    : pairs_(seed, "resources.compatible"), misjudged_(seed, "resources.misjudged"), profiles_(std::move(profiles)),
      conflicts_(conflicts) {}

double ResourceSlowdowns::competition(Resource r, JobIndex i, JobIndex j) const {
  if (r != Resource::kCpu) return conflicts_.competing;
  const bool compatible = pairs_.uniform(std::min(i, j), std::max(i, j)) < conflicts_.compatible_share;
  return compatible ? conflicts_.compatible : conflicts_.competing;
}

double ResourceSlowdowns::of(const ResourceProfile& a, const ResourceProfile& b, double cpu,
                             const ResourceConflicts& conflicts) {
  double overlap = 0, weighted = 0;
  for (std::size_t r = 0; r != kResources; ++r) {
    const double shared = std::min(a.fraction[r], b.fraction[r]);
    overlap += shared;
    weighted += shared * (r == number(Resource::kCpu) ? cpu : conflicts.competing);
  }
  if (conflicts.overlap == ResourceConflicts::Overlap::kPrinted) return std::max(1.0, weighted);
  return 1 - overlap + weighted;
}

double ResourceSlowdowns::beside(JobIndex j, JobIndex other) const {
  const JobIndex a = std::min(j, other), b = std::max(j, other);
  const double slowdown = of(profiles_[a], profiles_[b], competition(Resource::kCpu, a, b), conflicts_);
  if (memory_fits(a, b)) return slowdown;
  if (conflicts_.paging == ResourceConflicts::Paging::kAdded) return slowdown + conflicts_.memory_conflict;
  return std::max(slowdown, conflicts_.memory_conflict);
}

double ResourceSlowdowns::misjudged(JobIndex j, JobIndex other) const {
  if (conflicts_.misjudged_share <= 0) return 1;
  const bool wrong = misjudged_.uniform(std::min(j, other), std::max(j, other)) < conflicts_.misjudged_share;
  return wrong ? std::max(1 / beside(j, other), conflicts_.misjudged) : 1;
}

double MeasuredSlowdowns::least_beside() const {
  double least = 1;
  for (const Gpu& gpu : gpus_)
    for (const auto* values : {&gpu.beside, &gpu.second})
      for (const double v : *values) least = std::min(least, v);
  return least;
}

}  // namespace coslice
