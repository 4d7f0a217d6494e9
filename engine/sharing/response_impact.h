// The change of all jobs' response times if a job further back in the queue comes forward to share the nodes of one at
// its front: those between them wait longer, those behind gain what the pair saves. All jobs are taken to pack
// perfectly, so a job's work is its share of the whole machine's time. (Sodan & Lan 2005, Section 5.2; the pseudo-code
// of Figure 5 has slips, which docs/lomarc.md lists.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace coslice {

/// Nodes and seconds of a job.
struct NodesTime {
  double nodes, time;
};

/// Jobs that are expected to come while the queue is worked off; one level of prediction.
struct ExpectedArrivals {
  double first = 0;    ///< of those that go before all others (short ones), 1/s
  double others = 0;   ///< of all others, 1/s
  double work = 0;     ///< mean of all jobs, nodes x seconds over the nodes of the machine; 0: no job comes
  bool queued = true;  ///< the others wait for the queue and for each other; else, as printed, for themselves only
};

class ResponseImpact {
 public:
  /// How the job at the front counts itself: by its own slowdown, or, as printed, by the pair's delay over its work.
  enum class Own : std::uint8_t { kSlowdown, kWork };

  /// `queue`: those behind the first job, in order. Times may be what is left of them. O(queue).
  ResponseImpact(NodesTime first, const std::vector<NodesTime>& queue, double machine_nodes,
                 const ExpectedArrivals& arrivals, Own own = Own::kSlowdown);

  /// Mean relative decrease of the response times, from now on, if the queue's j-th job (from 0) shares the first one's
  /// nodes, each slowed down by that factor. Negative: they grow. O(1).
  double of(std::size_t j, double slowdown) const;

 private:
  double work(const NodesTime& x) const { return x.time * x.nodes / machine_nodes_; }

  NodesTime first_;
  const std::vector<NodesTime>& queue_;
  double machine_nodes_;
  ExpectedArrivals arrivals_;
  Own own_;
  std::vector<double> done_;      ///< time at which all jobs up to the j-th are done, one after the other
  std::vector<double> per_done_;  ///< sum of 1 / done_ up to the j-th
  double short_arrivals_ = 0, other_arrivals_ = 0;
  double per_arrival_ = 0;  ///< sum over the other arrivals of 1 / (time at which they are done)
};

}  // namespace coslice
