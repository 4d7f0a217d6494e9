// Which columns of the matrix a job may have when: those of nodes that are there for it, from its start to its believed end.
#pragma once

#include <map>
#include <vector>

#include "process/node_columns.h"
#include "process/processors.h"

namespace coslice {

class ColumnAccess {
 public:
  /// `columns` outlive it.
  explicit ColumnAccess(const NodeColumns& columns) : columns_(columns) {}

  /// No job starts on the node; it is believed to be there again at `until`, which may change.
  void close(NodeId n, Ns until) { closed_[n] = until; }
  void open(NodeId n) { closed_.erase(n); }
  /// No job that is believed to run in that time may have one of the nodes.
  void plan(const NodeRanges& nodes, Ns from, Ns to) { windows_.push_back({nodes, from, to}); }
  /// Takes such a plan back, which was made with the same values.
  void forget(const NodeRanges& nodes, Ns from, Ns to);

  /// Returns whether there is anything that a job may not have.
  bool limits() const { return !closed_.empty() || !windows_.empty(); }
  /// The same of what counts before `t`.
  bool limits_before(Ns t) const {
    return !closed_.empty() ||
           std::any_of(windows_.begin(), windows_.end(), [t](const Window& w) { return w.from < t; });
  }
  /// Marks the columns that no job may have that starts at `from`, or would in the believed future, and is gone at `to`.
  void refuse(Ns from, Ns to, std::vector<bool>& refused) const;
  /// Returns the instants after `now` from which on something is believed to be there again, in ascending order.
  std::vector<Ns> openings(Ns now) const;

 private:
  struct Window {
    NodeRanges nodes;
    Ns from, to;
  };
  void refuse(NodeId n, std::vector<bool>& refused) const {
    std::fill(refused.begin() + columns_.begin(n), refused.begin() + columns_.end(n), true);
  }

  const NodeColumns& columns_;
  std::map<NodeId, Ns> closed_;
  std::vector<Window> windows_;
};

}  // namespace coslice
