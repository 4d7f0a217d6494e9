#include "jobs/size_rules.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "core/value.h"
#include "jobs/attributes.h"
#include "jobs/elasticity.h"
#include "jobs/job_sizes.h"
#include "jobs/workflow.h"

namespace coslice {
namespace {

/// With other nodes a job progresses at a rate that is a fixed-point number (Rate).
void check_speeds(const Job& job, const std::vector<JobSize>& sizes) {
  constexpr double kMostTimes = 1e6;
  const auto [least, most] = std::ranges::minmax_element(sizes, {}, &JobSize::runtime);
  if (to_seconds(most->runtime) > kMostTimes * to_seconds(least->runtime))
    fail_at({}, fmt::format("sizes = \"{}\"", attributes::kSizes.text(job)),
            "run times of which the longest is at most 1,000,000 times the shortest, as the job is elastic");
}

/// `read` gives the job's sizes.
template <class Read>
void check(const Job& job, bool all_known, Read&& read) {
  if (is_elastic(job) && !is_moldable(job))
    fail_at({}, "is elastic and says no sizes", "sizes, such as sizes = \"1-8 amdahl 0.95\"");
  if (!is_moldable(job)) return;
  try {
    const std::vector<JobSize> sizes = read();
    if (!is_elastic(job)) return;
    elasticity_of(job);
    if (all_known) check_speeds(job, sizes);
  } catch (const InputError& e) {
    fail_at({}, "has wrong " + e.diagnostic().problem, e.diagnostic().expected);
  }
}

}  // namespace

void check_sizes(const Job& job, std::int32_t ppn, const Request* asked) {
  check(job, true, [&] { return sizes_of(job, ppn, asked, WantedSizes::kExtremes); });
}

void check_said_sizes(const Job& job, std::int32_t nodes) {
  check(job, nodes != 0, [&] { return job_sizes(job, 1, nodes, WantedSizes::kExtremes); });
}

}  // namespace coslice
