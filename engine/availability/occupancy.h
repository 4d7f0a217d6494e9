// Which jobs are on which nodes, and which nodes are down. Each event loop writes it where a start takes effect
// and where a job has gone; whatever asks which job is on which node reads it. When nodes will be free is another
// question (availability.h).
#pragma once

#include <boost/container/small_vector.hpp>

#include "jobs/started_jobs.h"
#include "machine/node_set.h"

namespace coslice {

class Occupancy {
 public:
  using Jobs = boost::container::small_vector<StartedJob*, 2>;

  /// Makes a record of nodes that are all there and idle, and on each of which at most one job will be at a time.
  explicit Occupancy(std::int32_t nodes) : idle_(nodes, true), down_(nodes) {}

  /// Lets any number of jobs be on a node from now on, and names them. Those that are on nodes by now must come once
  /// more.
  void list_jobs() { jobs_.resize(static_cast<std::size_t>(idle_.size())); }

  /// Returns whether list_jobs() was called.
  bool lists_jobs() const { return !jobs_.empty(); }

  /// Returns the nodes that are there and have no job.
  const NodeSet& idle() const { return idle_; }
  /// Returns the nodes that are down.
  const NodeSet& down() const { return down_; }
  /// Counts the nodes that have jobs.
  std::int32_t used_nodes() const { return idle_.size() - idle_.count() - down_.count() - only_kept_; }
  /// Counts the jobs on the node.
  std::int32_t jobs_on(NodeId n) const {
    if (jobs_.empty()) return idle_.contains(n) || down_.contains(n) ? 0 : 1;
    return static_cast<std::int32_t>(jobs(n).size());
  }
  /// Returns the jobs on the node, in the order in which they came. Precondition: list_jobs() was called.
  const Jobs& jobs(NodeId n) const { return jobs_[static_cast<std::size_t>(n)]; }

  /// Puts the job on its nodes (StartedJob::nodes), which are there.
  void come(StartedJob& job) {
    idle_.erase(job.nodes);
    if (jobs_.empty()) return;
    for_each_node(job.nodes, [&](NodeId n) {
      Jobs& on = jobs_[static_cast<std::size_t>(n)];
      if (on.empty() && is_kept(n)) --only_kept_;
      on.push_back(&job);
    });
  }
  /// Takes the job from its nodes. Where jobs are listed, nothing happens for nodes that do not have the job.
  void go(const StartedJob& job) {
    if (jobs_.empty()) return idle_.insert(job.nodes);
    for_each_node(job.nodes, [&](NodeId n) {
      Jobs& on = jobs_[static_cast<std::size_t>(n)];
      const auto at = std::ranges::find(on, &job);
      if (at == on.end()) return;
      on.erase(at);
      if (!on.empty()) return;
      if (is_kept(n)) ++only_kept_;
      else idle_.insert(n);
    });
  }
  /// Keeps nodes for a job that is to come to them: they are not idle any more. Where jobs are listed, several may be
  /// kept beside one another, and beside jobs that are there; else they are idle.
  void keep(const NodeRanges& nodes) {
    if (kept_.empty()) kept_.resize(static_cast<std::size_t>(idle_.size()));
    for_each_node(nodes, [&](NodeId n) {
      if (kept_[static_cast<std::size_t>(n)]++ == 0 && has_none(n)) ++only_kept_;
    });
    idle_.erase(nodes);
  }
  /// Keeps them no longer for one of these jobs.
  void give_back(const NodeRanges& nodes) {
    for_each_node(nodes, [&](NodeId n) {
      if (--kept_[static_cast<std::size_t>(n)] != 0 || !has_none(n)) return;
      --only_kept_;
      idle_.insert(n);
    });
  }
  /// Takes the node, which has no job, down from now on.
  void take_down(NodeId n) {
    idle_.erase(n);
    down_.insert(n);
  }
  /// Brings the node up again. Returns false if it was not down.
  bool bring_back(NodeId n) {
    if (!down_.contains(n)) return false;
    down_.erase(n);
    idle_.insert(n);
    return true;
  }

 private:
  bool is_kept(NodeId n) const { return !kept_.empty() && kept_[static_cast<std::size_t>(n)] != 0; }
  bool has_none(NodeId n) const { return jobs_.empty() || jobs_[static_cast<std::size_t>(n)].empty(); }

  NodeSet idle_, down_;
  std::vector<Jobs> jobs_;           ///< by node; empty while no node has two, of which whole ranges cost a tenth
  std::vector<std::uint32_t> kept_;  ///< by node: for how many jobs; empty while none was
  std::int32_t only_kept_ = 0;       ///< nodes that are kept, and have no job
};

}  // namespace coslice
