#include "jobs/elastic_layer.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/random.h"
#include "jobs/attributes.h"
#include "jobs/engine_options.h"
#include "jobs/job_sizes.h"
#include "jobs/workflow.h"
#include "machine/components.h"

namespace coslice {

double parallel_part(double efficiency, std::int32_t nodes) {
  const double n = std::max(nodes, 2);
  return std::clamp((n - 1 / efficiency) / (n - 1), 0.0, 1.0);
}

void lay_elasticity(Workload& workload, const ElasticLayer& layer, std::int32_t nodes, std::int32_t ppn,
                    std::uint64_t seed) {
  if (!layer.share) return;
  const RandomKey draws(seed, "elastic");
  for (std::size_t i = 0; i != workload.jobs.size(); ++i) {
    Job& job = workload.jobs[i];
    if (draws.uniform(i) >= *layer.share || is_moldable(job)) continue;
    const Request* const asked = job.request == kNoRequest ? nullptr : &workload.requests[job.request];
    if (asked != nullptr && has_components(*asked)) continue;
    const std::int32_t own = asked != nullptr ? asked->nodes : nodes_for(job.size, ppn);
    const std::int32_t least = std::min(scaled_count(own, layer.smallest), nodes);
    const std::int32_t most = std::clamp(scaled_count(own, layer.largest), least, nodes);
    if (least == most) continue;
    workload.extras.set(job, attributes::kElastic, layer.changes);  // first, as few combinations without sizes are kept
    workload.extras.set(job, attributes::kSizes,
                        fmt::format("{}-{} amdahl {}", least, most, parallel_part(layer.efficiency, own)));
  }
}

}  // namespace coslice
