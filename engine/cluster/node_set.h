// Sets of nodes. NodeSet is a bitset for algebra over the whole machine; NodeRanges is the compact form in which a
// job holds its nodes and in which they are written to files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/machine.h"

namespace coslice {

/// Closed interval of node numbers.
struct NodeRange {
  NodeId first;
  NodeId last;
  bool operator==(const NodeRange&) const = default;
};

/// Sorted, disjoint, non-adjacent intervals.
class NodeRanges {
 public:
  /// Adds [first, last]. Precondition: first > every node already in, last >= first. Adjacent intervals merge.
  void append(NodeId first, NodeId last);
  std::int32_t count() const;
  bool empty() const { return ranges_.empty(); }
  const std::vector<NodeRange>& ranges() const { return ranges_; }
  /// "1-3 5 7" (the field's usual notation); "" if empty.
  void append_to(std::string& out) const;
  std::string str() const;
  /// Order-sensitive 64-bit hash for fingerprints.
  std::uint64_t hash() const;
  bool operator==(const NodeRanges&) const = default;

 private:
  std::vector<NodeRange> ranges_;
};

/// A dense set of node numbers 0 .. size-1.
class NodeSet {
 public:
  explicit NodeSet(std::int32_t size = 0, bool full = false);
  std::int32_t size() const { return size_; }
  std::int32_t count() const;
  bool contains(NodeId n) const;
  void insert(NodeId n);
  void erase(NodeId n);
  void insert(const NodeRanges& r);
  void erase(const NodeRanges& r);
  bool contains_all(const NodeRanges& r) const;
  bool intersects(const NodeRanges& r) const;
  NodeSet& operator|=(const NodeSet& o);
  NodeSet& operator&=(const NodeSet& o);
  /// Set difference.
  NodeSet& operator-=(const NodeSet& o);
  /// The n lowest members. Precondition: n <= count().
  NodeRanges lowest(std::int32_t n) const;
  NodeRanges ranges() const;
  bool operator==(const NodeSet&) const = default;

 private:
  std::int32_t size_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace coslice
