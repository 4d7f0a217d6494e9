// What a sharing group gains: the node time that its jobs would have needed one process a node, beyond the node time
// that they use together. (Zeng 2009, Equations 5 and 6.)
#pragma once

#include <cstdint>
#include <vector>

namespace coslice {

/// A job beside a primary one. Slowdowns are total: of processes over the node's cores, and beside the other.
struct GainMember {
  double processes = 1;
  double work = 0;        ///< left to do, s with one process a node on nodes of its own
  double slowdown = 1;    ///< of the job, by the primary
  double on_primary = 1;  ///< of the primary, by the job
};

/// Between two ends in the group.
struct GainPeriod {
  double time = 0;                   ///< s
  double slowdown = 1;               ///< of the primary
  double useful = 0;                 ///< node seconds that the work of the period would have needed one process a node
  std::vector<std::size_t> members;  ///< those still there, beside the primary
};

struct GainTimeline {
  double gain = 0;
  double time = 0;           ///< until the primary ends or no job is left beside it, s
  double primary_left = 0;   ///< work
  std::vector<double> left;  ///< work, by member
  std::vector<GainPeriod> periods;
};

/// The gain alone. `nodes` is what the group occupies: the larger of the primary's and of all the others' together.
/// 0 if there are no members or nothing to do.
double utilization_gain(double processes, double work, const std::vector<GainMember>& members, double nodes);
/// The same with all that happens until the group is over.
GainTimeline gain_timeline(double processes, double work, const std::vector<GainMember>& members, double nodes);
/// The gain of one job on nodes of its own, `ppn` processes on each, on the same scale (Zeng 2009, Section 4.5).
inline double alone_gain(double ppn, double slowdown) { return ppn / slowdown - 1; }

}  // namespace coslice
