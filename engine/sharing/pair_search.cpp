#include "sharing/pair_search.h"

#include <algorithm>
#include <cmath>

namespace coslice {

namespace {

bool matchable(const ResourceSlowdowns& model, const PairRules& rules, JobIndex a, JobIndex b) {
  const Resource kind_a = model.profile(a).kind, kind_b = model.profile(b).kind;
  if (!rules.kinds[static_cast<std::size_t>(kind_a)][static_cast<std::size_t>(kind_b)]) return false;
  return kind_a != kind_b || model.competition(kind_a, a, b) < 2;
}

}  // namespace

bool may_pair(const ResourceSlowdowns& model, const PairRules& rules, const Candidate& job, const Candidate& other,
              const Candidate& wider, PairCounts& counts) {
  if (other.runtime <= rules.over || job.runtime <= rules.over) return false;
  ++counts.long_enough;
  if (rules.narrower && std::max(job.nodes, other.nodes) > wider.nodes) return false;
  ++counts.narrow_enough;
  if (rules.memory && !model.memory_fits(job.job, other.job)) return false;
  ++counts.memory_fits;
  if (rules.matchable && !matchable(model, rules, job.job, other.job)) return false;
  ++counts.matchable;
  if (model.beside(job.job, other.job) > rules.max_slowdown) return false;
  ++counts.slow_enough;
  return true;
}

double overlap_gain(double size_a, double size_b, double slowdown) {
  const double gained = std::min(size_a, size_b) * (2 / slowdown - 1);
  const double lost = std::fabs(size_a - size_b) * (1 - 1 / slowdown);
  return (gained - lost) / std::max(size_a, size_b);
}

double weighted_overlap_gain(double size_a, double size_b, double time_a, double time_b, double slowdown) {
  return overlap_gain(size_a, size_b, slowdown) * std::min(time_a, time_b) / std::max(time_a, time_b);
}

}  // namespace coslice
