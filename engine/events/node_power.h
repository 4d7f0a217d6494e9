// Which nodes are powered down now. That follows from how long no job has been on them, so that nothing happens when
// one is powered down: what matters is the instant at which a job gets it.
#pragma once

#include "availability/occupancy.h"
#include "machine/power.h"

namespace coslice {

/// A start of a job on nodes that were not all up.
struct JobBoot {
  JobIndex job = kNoJob;
  Time from{};
  Duration wait{0};        ///< until all of them were up, or it stopped
  std::int32_t nodes = 0;  ///< nodes that the job has
  std::int32_t off = 0;    ///< its nodes that were powered down
};

/// Of a run in which nodes are powered down.
struct PowerRecord {
  PowerOptions options;
  std::vector<NodeOff> off;    ///< in the order of their ends; those of a node in the order of their beginnings
  std::vector<JobBoot> boots;  ///< in the order of their beginnings
  std::vector<double> busy;    ///< by node: seconds in which it was up and a job had it
};

class NodePower {
 public:
  /// Makes a record with all nodes on at `start` that are not off at first. `options` and `occupancy` outlive it;
  /// `jobs` is how many there are in the run.
  NodePower(const PowerOptions& options, const Occupancy& occupancy, std::size_t jobs, Time start);

  const PowerOptions& options() const { return record_.options; }
  /// Makes room for jobs that have been added to those of the run.
  void grow(std::size_t jobs) { boot_at_.resize(jobs, -1); }
  /// Notes that the job has come to these nodes: those that are powered down come up. Returns what it has to wait for
  /// them, and for those that are still coming up.
  JobBoot job_comes(JobIndex j, const NodeRanges& nodes, Time now);
  /// Notes that the job has left these nodes.
  void job_goes(JobIndex j, const NodeRanges& nodes, Time now);
  /// Returns what the job waited or waits for its nodes since its last start.
  Duration boot_of(JobIndex j) const {
    const std::int32_t i = boot_at_[j];
    return i < 0 ? Duration{0} : record_.boots[static_cast<std::size_t>(i)].wait;
  }
  /// Notes that the node, on which no job is, is down: it is not powered down meanwhile.
  void goes_down(NodeId n, Time now);
  /// Notes that the node, which was down, is up again and powered on.
  void comes_back(NodeId n, Time now) { at(n).free_since = at(n).up = now; }
  /// Returns how many nodes are powered down.
  std::int32_t off_count(Time now) const {
    return static_cast<std::int32_t>(
        std::ranges::count_if(nodes_, [&](const Node& node) { return off_since(node) < now; }));
  }

  /// Returns what happened, when the run is over. Once.
  PowerRecord take() {
    for (NodeId n = 0; n != static_cast<NodeId>(nodes_.size()); ++n)
      if (const Time off = off_since(at(n)); off != kNever) record_.off.push_back({n, in_run(off), kNever, kNever});
    return std::move(record_);
  }

 private:
  struct Node {
    Time free_since{};       ///< and up; kNever while a job is on it or it is down
    Time up{};               ///< when it was or will be up
    Time busy_since{};       ///< if a job is on it
    std::int32_t last = -1;  ///< the last time in which it was powered down, into PowerRecord::off
    bool stays_on = false;
  };
  /// Returns when the node is powered down if it stays free. A job that starts at that very instant still finds it on.
  Time off_since(const Node& node) const {
    if (node.stays_on || node.free_since == kNever) return kNever;
    return later(node.free_since, record_.options.idle);
  }
  /// Of nodes that are off at first: from the beginning of the run.
  Time in_run(Time off) const { return std::max(off, start_); }
  Node& at(NodeId n) { return nodes_[static_cast<std::size_t>(n)]; }

  const Occupancy& occupancy_;
  PowerRecord record_;
  Time start_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> boot_at_;  ///< by JobIndex: into PowerRecord::boots, -1: it had not to wait for its nodes
};

}  // namespace coslice
