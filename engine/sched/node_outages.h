// Which nodes are not there, and until when.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "outages/outage_feed.h"
#include "sched/job_times.h"
#include "sched/view.h"

namespace coslice {

/// Where an interrupted job waits again.
enum class RequeuePlace : std::uint8_t {
  kOrder,  ///< where the policy's order puts it, as if it had never started
  kFront,  ///< before all jobs that were not interrupted, whatever orders these
  kBack,   ///< as if it had been submitted now, where the order is that of submission
};

enum class AfterFailure : std::uint8_t { kRequeued, kLost };

struct OutageOptions {
  OutagePlan plan;
  AfterFailure interrupted = AfterFailure::kRequeued;
  RequeuePlace place = RequeuePlace::kOrder;
  CheckpointOptions checkpoints;
  /// The interval between checkpoints of a job on so many nodes, instead of checkpoints.interval; empty: that one.
  std::function<Duration(std::int32_t nodes)> interval_of;
  /// How long schedulers expect a failed node to be down; if it still is after that, they expect the same time once more.
  /// Absent: they know when it is up again.
  std::optional<Duration> believed_repair;
};

class NodeOutages {
 public:
  /// `options` outlives it.
  NodeOutages(const OutageOptions& options, Time start, std::int32_t nodes)
      : options_(options), feed_(options.plan, start), nodes_(static_cast<std::size_t>(nodes)) {}

  struct Node {
    Time until = Time::min();    ///< when it is there again, if it is away or to be drained
    Time believed = Time::min(); ///< when schedulers believe that it is
    OutageKind kind = OutageKind::kFailure;
    bool draining = false;       ///< it goes when its jobs have ended
    bool down = false;           ///< schedulers know that it is away
  };
  Node& at(NodeId n) { return nodes_[static_cast<std::size_t>(n)]; }
  const OutageOptions& options() const { return options_; }
  /// The node is to be looked at when jobs on it end: it is drained, or not there while some still run.
  void wait_for_jobs(NodeId n) { waiting_.insert(n); }
  void stop_waiting(NodeId n) { waiting_.erase(n); }
  const std::set<NodeId>& waiting_for_jobs() const { return waiting_; }

  /// When the next outage begins or ends, or should have ended.
  Time next_time() const;
  /// A node that should be there again by `now`, the lowest first; none left: nothing.
  std::optional<NodeId> take_due(Time now);
  /// The next outage that begins by `now`.
  std::optional<Outage> take_begun(Time now);
  /// Asks for the node at t, by take_due().
  void look_again(NodeId n, Time t);

 private:
  struct Due {
    Time time;
    NodeId node;
    bool operator>(const Due& o) const { return time != o.time ? time > o.time : node > o.node; }
  };

  const OutageOptions& options_;
  OutageFeed feed_;
  std::vector<Node> nodes_;
  std::set<NodeId> waiting_;
  std::vector<Due> due_;  ///< heap, earliest first
};

}  // namespace coslice
