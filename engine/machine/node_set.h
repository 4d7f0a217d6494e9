// Sets of nodes. NodeSet is a bitset for algebra over the whole machine; NodeRanges is the compact form in which a
// job holds its nodes and in which they are written to files.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>

namespace coslice {

/// Dense number of a node, from 0.
using NodeId = std::int32_t;

/// Closed interval of node numbers.
struct NodeRange {
  NodeId first, last;
  bool operator==(const NodeRange&) const = default;
};

/// Sorted, disjoint, non-adjacent intervals. The first few live in the object itself: most jobs need no allocation.
class NodeRanges {
 public:
  using Storage = boost::container::small_vector<NodeRange, 4>;

  /// Adds [first, last]. Precondition: first > every node already in, last >= first. Adjacent intervals merge.
  void append(NodeId first, NodeId last);
  /// Returns the number of nodes (not of intervals).
  std::int32_t count() const;
  bool empty() const { return ranges_.empty(); }
  const Storage& ranges() const { return ranges_; }
  /// Appends "1-3 5 7" (the field's usual notation); "" if empty.
  void append_to(std::string& out) const;
  std::string str() const;
  /// Returns a 64-bit hash for fingerprints, the same on every machine.
  std::uint64_t hash() const;
  bool operator==(const NodeRanges&) const = default;

 private:
  Storage ranges_;
};

/// A dense set of node numbers 0 .. size-1. Every node named in a call must be in that range, and two sets that
/// meet in an operator must have the same size.
class NodeSet {
 public:
  explicit NodeSet(std::int32_t size = 0, bool full = false);
  NodeSet(std::int32_t size, const NodeRanges& members) : NodeSet(size) { insert(members); }
  std::int32_t size() const { return size_; }
  /// Returns the number of members; kept up to date, costs nothing.
  std::int32_t count() const { return count_; }
  bool empty() const { return count_ == 0; }
  bool contains(NodeId n) const { return words_[word_of(n)] >> (n & 63) & 1; }
  void insert(NodeId n) { insert_range(n, n); }
  void erase(NodeId n) {
    erase_range(n, n);
    skip_empty_words();
  }
  void insert(const NodeRanges& r) {
    for (const NodeRange& range : r.ranges()) insert_range(range.first, range.last);
  }
  void erase(const NodeRanges& r) {
    for (const NodeRange& range : r.ranges()) erase_range(range.first, range.last);
    skip_empty_words();
  }
  bool contains_all(const NodeRanges& r) const;
  bool intersects(const NodeRanges& r) const;
  NodeSet& operator|=(const NodeSet& o);
  NodeSet& operator&=(const NodeSet& o);
  /// Removes the members that are in `o`, too.
  NodeSet& operator-=(const NodeSet& o);
  /// Returns the n lowest members. Precondition: n <= count().
  NodeRanges lowest(std::int32_t n) const;
  /// Returns the n lowest members that are in `of`, too, and not below `from`. Precondition: there are at least n.
  NodeRanges lowest(std::int32_t n, const NodeSet& of, NodeId from) const;
  NodeRanges ranges() const { return lowest(count_); }
  /// Calls f with each member, in ascending order.
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t w = first_word_; w < words_.size(); ++w)
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
        f(static_cast<NodeId>(w * 64 + static_cast<std::size_t>(std::countr_zero(left))));
  }
  bool operator==(const NodeSet&) const = default;

 private:
  static std::size_t word_of(NodeId n) { return static_cast<std::size_t>(n) / 64; }
  void insert_range(NodeId first, NodeId last);
  void erase_range(NodeId first, NodeId last);
  template <class F>
  NodeSet& combine(const NodeSet& o, F&& f);
  void skip_empty_words() {
    while (first_word_ < words_.size() && words_[first_word_] == 0) ++first_word_;
  }

  std::int32_t size_ = 0, count_ = 0;
  std::size_t first_word_ = 0;  ///< the first word that is not 0: a busy machine's low nodes are taken, skip them
  std::vector<std::uint64_t> words_;
};

/// Calls f with each node of the ranges, in ascending order.
template <class F>
void for_each_node(const NodeRanges& nodes, F&& f) {
  for (const NodeRange& r : nodes.ranges())
    for (NodeId n = r.first; n <= r.last; ++n) f(n);
}

/// Returns how many nodes both have.
inline std::int32_t common_nodes(const NodeRanges& a, const NodeRanges& b) {
  std::int32_t n = 0;
  for (const NodeRange& r : a.ranges())
    for (const NodeRange& s : b.ranges()) n += std::max(0, std::min(r.last, s.last) - std::max(r.first, s.first) + 1);
  return n;
}

/// Returns the nodes, in any order and each once, as ranges.
inline NodeRanges as_ranges(std::vector<NodeId> nodes) {
  std::ranges::sort(nodes);
  NodeRanges ranges;
  for (const NodeId n : nodes) ranges.append(n, n);
  return ranges;
}

/// Returns the nodes of the ranges, in ascending order.
std::vector<NodeId> listed(const NodeRanges& nodes);
/// Returns the nodes of `a` that are not in `b`.
NodeRanges without(const NodeRanges& a, const NodeRanges& b);
/// Returns the nodes that are in both `a` and `b`.
NodeRanges in_both(const NodeRanges& a, const NodeRanges& b);
/// Returns the nodes that are in `a` or in `b`.
NodeRanges together(const NodeRanges& a, const NodeRanges& b);

}  // namespace coslice
