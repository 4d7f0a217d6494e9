// Nodes go and come back: what is the same in every simulation of jobs. What that does to its schedulers and jobs, each
// one says itself (OutageHost).
//
// Nodes come back before others go: what comes back at an instant may be what fails again. A node goes when no job is
// on it any more: one that fails at once, as its jobs are interrupted; else when they have ended.
#pragma once

#include <map>

#include "events/event_queues.h"
#include "machine/outage.h"

namespace coslice {

// What stands in a view for nodes that are down.

class DownNodes {
 public:
  /// Makes the record of a view, which outlives it; no node is down.
  explicit DownNodes(HostedView& view) : view_(view) {}

  bool has(NodeId n) const { return down_.count(n) != 0; }
  bool empty() const { return down_.empty(); }
  /// Takes the node down, as View::take_down(). Precondition: it is not down.
  void take_down(NodeId n, Time until) { down_[n] = &view_.take_down(n, until); }
  /// Makes the view believe that the node is back at `until`. Precondition: has(n).
  void believe(NodeId n, Time until) { view_.hold(*down_.at(n), 1, until); }
  /// Brings the node back, as View::bring_back(). Precondition: has(n).
  void bring_back(NodeId n) {
    const auto it = down_.find(n);
    view_.bring_back(*it->second);
    down_.erase(it);
  }
  /// Calls f(node, when the view believes that it is back) for each, in order of their numbers.
  template <class F>
  void for_each(F&& f) const {
    for (const auto& [n, down] : down_) f(n, down->expected_end);
  }

 private:
  HostedView& view_;
  std::map<NodeId, StartedJob*> down_;
};

/// Where an interrupted job waits again.
enum class RequeuePosition : std::uint8_t {
  kOrder,  ///< where the policy's order puts it, as if it had never started
  kFront,  ///< before all jobs that were not interrupted, whatever orders these
  kBack,   ///< as if it had been submitted now, where the order is that of submission
};

enum class AfterFailure : std::uint8_t { kRequeued, kLost };

struct OutageOptions {
  OutagePlan plan;
  AfterFailure interrupted = AfterFailure::kRequeued;
  RequeuePosition place = RequeuePosition::kOrder;
  CheckpointOptions checkpoints;
  /// Returns the interval between checkpoints of a job on `nodes` nodes; empty: checkpoints.interval holds.
  std::function<Duration(std::int32_t nodes)> interval_of;
  /// How long schedulers expect a failed node to be down; if it still is after that, they expect the same time once
  /// more. Absent: they know when it is up again.
  std::optional<Duration> believed_repair;
};

/// A simulation whose nodes may be down.
class OutageHost {
 public:
  virtual ~OutageHost() = default;
  /// Counts the jobs that must leave the node before it is gone.
  virtual std::int32_t jobs_on(NodeId n) const = 0;
  /// Is called when an outage of the node begins: no job may come to it any more.
  virtual void goes(NodeId /*n*/) {}
  /// Stops all jobs on the node.
  virtual void interrupt_jobs_on(NodeId n) = 0;
  /// Returns which job was interrupted most often, and how often, in words.
  virtual std::string most_interrupted() const = 0;
  /// Returns whether schedulers can treat the node as down although jobs may still be on it.
  virtual bool can_take_down(NodeId n) const = 0;
  /// Makes schedulers treat the node as down from now on, and expect it back at `until`.
  virtual void take_down(NodeId n, Time until) = 0;
  /// Makes schedulers expect the node, which is down, back at `until`.
  virtual void believe_down(NodeId n, Time until) = 0;
  /// Is called when a job has left the node, which is down for schedulers; other jobs may still be on it.
  virtual void left_by_job(NodeId /*n*/, Time /*until*/) {}
  /// Is called when the last job has left the node, which is down for schedulers.
  virtual void is_gone(NodeId n) = 0;
  /// Brings the node up that was down. Returns whether it was without jobs.
  virtual bool bring_back(NodeId n) = 0;
  /// Begins the maintenance, which was planned from the beginning, now.
  virtual void maintenance_begins(const Outage& outage) = 0;
};

class OutageEvents {
 public:
  /// Makes the events of outages. All references outlive it.
  OutageEvents(const OutageOptions& options, Time start, std::int32_t nodes, OutageHost& host,
               const std::vector<Observer*>& observers)
      : options_(options), feed_(options.plan, start), nodes_(static_cast<std::size_t>(nodes)), host_(host),
        observers_(observers) {}

  const OutageOptions& options() const { return options_; }
  /// Returns when the next outage begins or ends, or should have ended; some may be from before the first job.
  Time next_time() const { return std::min(feed_.next_time(), due_.next_time()); }
  /// Handles outages due by `now`; `ended` jobs have ended so far. Returns whether there were any. Throws
  /// SimulationError if failures have interrupted jobs again and again since the last one ended: they would do so for
  /// ever.
  bool handle(Time now, std::size_t ended);
  /// Notes that the node goes now, with no end in sight: when no job is on it any more.
  void goes(NodeId n, Time now);
  /// Notes that the node, which went so, is back at `now`: handle() brings it up.
  void comes_back(NodeId n, Time now) {
    at(n).until = at(n).known = now;
    due_.push({now, n});
  }
  /// Takes those of the nodes down that were to go down when their jobs had left. A job has just left these nodes.
  void nodes_left(const NodeRanges& nodes, Time now);
  /// Returns those of the nodes that are not to go down when the jobs on them have ended.
  NodeRanges staying(const NodeRanges& nodes) const {
    std::vector<NodeId> going;
    for (const NodeId n : waiting_)
      if (nodes_[static_cast<std::size_t>(n)].draining) going.push_back(n);
    return going.empty() ? nodes : without(nodes, as_ranges(std::move(going)));
  }

 private:
  struct Node {
    Time until = Time::min();     ///< when it is up again, if it is down or to be drained
    Time believed = Time::min();  ///< when schedulers believe that it is
    Time known = Time::min();     ///< they know that it is not before: of drains and maintenance
    OutageKind kind = OutageKind::kFailure;
    bool draining = false;  ///< the node goes down when its jobs have ended
    bool down = false;      ///< schedulers treat it as down
  };
  /// A node is to be looked at.
  struct Due {
    Time time;
    NodeId node;
    bool operator>(const Due& o) const { return time != o.time ? time > o.time : node > o.node; }
  };
  Node& at(NodeId n) { return nodes_[static_cast<std::size_t>(n)]; }
  bool look_after(NodeId n, Time now);
  void begin(NodeId n, const Outage& outage, Time now);
  void interrupt_jobs_on(NodeId n, Time now);
  Time believed(NodeId n, Time now);
  void take_down(NodeId n, Time now);
  void tell_down(NodeId n, Time now);

  const OutageOptions& options_;
  OutageFeed feed_;
  std::vector<Node> nodes_;
  std::set<NodeId> waiting_;  ///< to be looked at when jobs on them end: drained, or down while some still run
  EventHeap<Due> due_;
  OutageHost& host_;
  const std::vector<Observer*>& observers_;
  std::size_t ended_ = 0;    ///< jobs, when the last of them ended
  std::int64_t struck_ = 0;  ///< failures since then of nodes that had jobs
};

}  // namespace coslice
