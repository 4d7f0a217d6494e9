// Nodes go and come back: what is the same in every simulation of jobs. What that does to its schedulers and jobs, each
// one says itself (OutageHost).
//
// Nodes come back before others go: what comes back at an instant may be what fails again. A node goes when no job is on it
// any more: one that fails at once, as its jobs are interrupted; else when they have ended.
#pragma once

#include <string>
#include <vector>

#include "sched/node_outages.h"
#include "sched/observer.h"

namespace coslice {

/// A simulation whose nodes may be down.
class OutageHost {
 public:
  virtual ~OutageHost() = default;
  /// Counts the jobs that must leave the node before it is gone.
  virtual std::int32_t jobs_on(NodeId n) const = 0;
  /// All jobs on the node stop.
  virtual void interrupt_jobs_on(NodeId n) = 0;
  /// Which job was interrupted most often, and how often, in words.
  virtual std::string most_interrupted() const = 0;
  /// Returns whether schedulers can treat the node as down although jobs may still be on it.
  virtual bool can_take_down(NodeId n) const = 0;
  /// Schedulers treat the node as down from now on, expecting it back at `until`.
  virtual void take_down(NodeId n, Time until) = 0;
  /// Schedulers expect the node, which is down, back at `until`.
  virtual void believe_down(NodeId n, Time until) = 0;
  /// A job has left the node, which is down for schedulers; other jobs may still be on it.
  virtual void left_by_job(NodeId /*n*/, Time /*until*/) {}
  /// The last job has left the node, which is down for schedulers.
  virtual void is_gone(NodeId n) = 0;
  /// The node, which was down, is up again. Returns whether it was gone.
  virtual bool bring_back(NodeId n) = 0;
  /// The maintenance, which was planned from the beginning, begins now.
  virtual void maintenance_begins(const Outage& outage) = 0;
};

class OutageEvents {
 public:
  /// All references outlive it.
  OutageEvents(const OutageOptions& options, Time start, std::int32_t nodes, OutageHost& host,
               const std::vector<Observer*>& observers)
      : nodes_(options, start, nodes), host_(host), observers_(observers) {}

  const OutageOptions& options() const { return nodes_.options(); }
  /// When something happens next; some may be from before the first job.
  Time next_time() const { return nodes_.next_time(); }
  /// What happens by `now`, where so many jobs have ended. Whether anything did. Throws SimulationError if failures have
  /// interrupted jobs again and again since the last one ended: they would do so for ever.
  bool handle(Time now, std::size_t ended);
  /// Takes those of the nodes down that were to go down when their jobs had left. A job has just left these nodes.
  void nodes_left(const NodeRanges& nodes, Time now);

 private:
  bool look_after(NodeId n, Time now);
  void begin(NodeId n, const Outage& outage, Time now);
  void interrupt_jobs_on(NodeId n, Time now);
  Time believed(NodeId n, Time now);
  void take_down(NodeId n, Time now);
  void tell_down(NodeId n, Time now);

  NodeOutages nodes_;
  OutageHost& host_;
  const std::vector<Observer*>& observers_;
  std::size_t ended_ = 0;  ///< jobs, when the last of them ended
  std::int64_t struck_ = 0;  ///< failures since then of nodes that had jobs
};

}  // namespace coslice
