// Which columns of the matrix a job may have when: those of nodes that are open to it, from its start to its believed
// end, and that it asks for.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "jobs/job_demands.h"
#include "machine/node_set.h"
#include "process/processors.h"

namespace coslice {

// Which processors are those of a node: the columns of a matrix, one for each processor of the machine, node after
// node.

class NodeColumns {
 public:
  /// Divides `processors` processors into nodes of `per_node`; the last node has the rest.
  NodeColumns(std::int32_t processors, std::int32_t per_node) {
    for (std::int32_t c = 0; c < processors; c += per_node) add(std::min(per_node, processors - c));
  }
  /// Makes nodes with these numbers of processors, by NodeId.
  explicit NodeColumns(const std::vector<std::int32_t>& processors) {
    for (const std::int32_t n : processors) add(n);
  }

  std::int32_t count() const { return static_cast<std::int32_t>(node_of_.size()); }
  std::int32_t nodes() const { return static_cast<std::int32_t>(first_.size()) - 1; }
  NodeId node_of(std::int32_t column) const { return node_of_[static_cast<std::size_t>(column)]; }
  /// Returns the columns of a node: from begin() up to, not including, end().
  std::int32_t begin(NodeId n) const { return first_[static_cast<std::size_t>(n)]; }
  std::int32_t end(NodeId n) const { return first_[static_cast<std::size_t>(n) + 1]; }
  /// Returns the nodes of columns that are in ascending order.
  NodeRanges nodes_of(const std::vector<std::int32_t>& columns) const {
    NodeRanges nodes;
    NodeId last = -1;
    for (const std::int32_t c : columns) {
      const NodeId node = node_of(c);
      if (node != last) nodes.append(node, node);
      last = node;
    }
    return nodes;
  }

 private:
  void add(std::int32_t processors) {
    node_of_.insert(node_of_.end(), static_cast<std::size_t>(processors), nodes());
    first_.push_back(count());
  }

  std::vector<std::int32_t> first_ = {0};  ///< by node, and the number of columns
  std::vector<NodeId> node_of_;            ///< by column
};

class ColumnAccess {
 public:
  /// A time as TimeWindow has it, in nanoseconds.
  struct Span {
    Ns from, to;
    bool meets(Ns other_from, Ns other_to) const { return from < other_to && other_from < to; }
  };

  /// Makes the access of jobs to columns. `columns` and `demands` outlive it. `demands`: which nodes jobs may have at
  /// all, and how they stand to reservations; null: all have any. Reservations that are announced by `start` are known.
  ColumnAccess(const NodeColumns& columns, const JobDemands* demands, Time start);

  /// Closes the node: no job starts on it; it is believed to be up again at `until`, which may change.
  void close(NodeId n, Ns until) { closed_[n] = until; }
  void open(NodeId n) { closed_.erase(n); }
  /// Closes the nodes to jobs that are believed to run in [from, to).
  void plan(const NodeRanges& nodes, Ns from, Ns to) { windows_.push_back({nodes, {from, to}}); }
  /// Reopens what plan() with the same values closed.
  void forget(const NodeRanges& nodes, Ns from, Ns to);
  /// Announces the reservation of nodes: it is known from now on.
  void announce(std::int32_t reservation);

  /// Returns whether there is anything that a job may not have.
  bool limits() const { return demands_ != nullptr || !closed_.empty() || !windows_.empty(); }
  /// Returns whether the job may not have all columns, by what counts before `t`.
  bool limits_before(JobIndex job, Ns t) const;
  /// Returns how many choices the job has of what nodes it gets, the preferred one first; none: it can never run.
  std::size_t choices(JobIndex job) const { return demands_ == nullptr ? 1 : demands_->demand(job).size(); }
  /// Marks the columns that the job, by that choice, may never have.
  void refuse_for_good(JobIndex job, std::size_t choice, std::vector<bool>& refused) const;
  /// Marks the columns that it may not have if it starts at `from`, or would in the believed future, and is gone at
  /// `to`.
  void refuse(JobIndex job, std::size_t choice, Ns from, Ns to, std::vector<bool>& refused) const;
  /// Returns the instants after `now` from which on some node is believed to be up or open again, in ascending order.
  std::vector<Ns> openings(Ns now) const;

 private:
  struct Window {
    NodeRanges nodes;
    Span time;
  };
  void refuse_node(NodeId n, std::vector<bool>& refused) const {
    std::fill(refused.begin() + columns_.begin(n), refused.begin() + columns_.end(n), true);
  }
  void find_alike();
  void find_reserved();
  const std::vector<Span>& reserved(std::int32_t access, NodeId n) const {
    return reserved_[static_cast<std::size_t>(access) * on_.size() + alike_[static_cast<std::size_t>(n)]];
  }

  const NodeColumns& columns_;
  const JobDemands* demands_;
  std::map<NodeId, Ns> closed_;
  std::vector<Window> windows_;
  // Where nodes are reserved.
  std::vector<bool> known_;            ///< by reservation
  std::vector<std::vector<bool>> on_;  ///< the reservations that nodes are in, each combination once
  std::vector<std::size_t> alike_;     ///< by node: into these
  /// by access of jobs, then by combination: times in which they have nothing of it
  std::vector<std::vector<Span>> reserved_;
};

}  // namespace coslice
