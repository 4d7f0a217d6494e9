#include "machine/node_set.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "core/random.h"

namespace coslice {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

/// The bits of word w that lie in [first, last]. Precondition: the interval touches the word.
std::uint64_t mask_of(std::size_t w, NodeId first, NodeId last) {
  const auto base = static_cast<NodeId>(w * 64);
  const std::uint64_t from = first > base ? kAll << (first - base) : kAll;
  const std::uint64_t to = last < base + 63 ? kAll >> (63 - (last - base)) : kAll;
  return from & to;
}

/// How many bits are set in `part` of that mask: most often all of them, and without an instruction of the processor
/// for it a count of bits is a call.
std::int32_t bits_in(std::uint64_t part, std::uint64_t mask) {
  return part == mask ? 64 - std::countl_zero(mask) - std::countr_zero(mask) : std::popcount(part);
}

/// Bits of `word`, lowest first, as intervals: at most `wanted` of them. Returns how many bits were taken.
std::int32_t append_bits(std::uint64_t word, NodeId base, std::int32_t wanted, NodeRanges& out) {
  std::int32_t taken = 0;
  while (word != 0 && taken < wanted) {
    const int skip = std::countr_zero(word);
    const std::int32_t run = std::min(std::countr_one(word >> skip), wanted - taken);
    out.append(base + skip, base + skip + run - 1);
    taken += run;
    // Two shifts, because a shift by 64 is undefined.
    word &= kAll << (skip + run - 1) << 1;
  }
  return taken;
}

/// The nodes of which keep(in a, in b) holds, which does not hold of those in neither: from one end of an interval to
/// the next one.
template <class Keep>
NodeRanges merged(const NodeRanges& a, const NodeRanges& b, Keep keep) {
  NodeRanges out;
  auto x = a.ranges().begin(), y = b.ranges().begin();
  const auto x_end = a.ranges().end(), y_end = b.ranges().end();
  for (NodeId at = 0; x != x_end || y != y_end;) {
    const bool in_x = x != x_end && x->first <= at, in_y = y != y_end && y->first <= at;
    NodeId to = std::numeric_limits<NodeId>::max();
    if (x != x_end) to = std::min(to, in_x ? x->last + 1 : x->first);
    if (y != y_end) to = std::min(to, in_y ? y->last + 1 : y->first);
    if (keep(in_x, in_y)) out.append(at, to - 1);
    at = to;
    if (in_x && x->last < at) ++x;
    if (in_y && y->last < at) ++y;
  }
  return out;
}

}  // namespace

void NodeRanges::append(NodeId first, NodeId last) {
  assert(first <= last && (ranges_.empty() || first > ranges_.back().last));
  if (!ranges_.empty() && ranges_.back().last + 1 == first) ranges_.back().last = last;
  else ranges_.push_back({first, last});
}

std::int32_t NodeRanges::count() const {
  std::int32_t n = 0;
  for (const NodeRange& r : ranges_) n += r.last - r.first + 1;
  return n;
}

void NodeRanges::append_to(std::string& out) const {
  bool separate = false;
  for (const NodeRange& r : ranges_) {
    if (separate) out += ' ';
    separate = true;
    const fmt::format_int first(r.first);
    out.append(first.data(), first.size());
    if (r.last == r.first) continue;
    const fmt::format_int last(r.last);
    out += '-';
    out.append(last.data(), last.size());
  }
}

std::string NodeRanges::str() const {
  std::string out;
  append_to(out);
  return out;
}

std::uint64_t NodeRanges::hash() const {
  std::uint64_t h = ranges_.size();
  for (const NodeRange& r : ranges_) {
    h += std::uint64_t{static_cast<std::uint32_t>(r.first)} << 32 | static_cast<std::uint32_t>(r.last);
    h = spread_bits(h + kGoldenRatio);
  }
  return h;
}

NodeSet::NodeSet(std::int32_t size, bool full) : size_(size), words_((static_cast<std::size_t>(size) + 63) / 64) {
  if (full && size > 0) insert_range(0, size - 1);
  else first_word_ = words_.size();
}

void NodeSet::insert_range(NodeId first, NodeId last) {
  assert(first >= 0 && first <= last && last < size_);
  const std::size_t begin = word_of(first), end = word_of(last);
  first_word_ = std::min(first_word_, begin);
  if (first == last) {
    count_ += contains(first) ? 0 : 1;
    words_[begin] |= std::uint64_t{1} << (first & 63);
    return;
  }
  for (std::size_t w = begin; w <= end; ++w) {
    const std::uint64_t mask = mask_of(w, first, last), added = mask & ~words_[w];
    words_[w] |= added;
    count_ += bits_in(added, mask);
  }
}

void NodeSet::erase_range(NodeId first, NodeId last) {
  assert(first >= 0 && first <= last && last < size_);
  const std::size_t begin = word_of(first), end = word_of(last);
  if (first == last) {
    count_ -= contains(first) ? 1 : 0;
    words_[begin] &= ~(std::uint64_t{1} << (first & 63));
    return;
  }
  for (std::size_t w = begin; w <= end; ++w) {
    const std::uint64_t mask = mask_of(w, first, last), removed = mask & words_[w];
    words_[w] ^= removed;
    count_ -= bits_in(removed, mask);
  }
}

bool NodeSet::contains_all(const NodeRanges& r) const {
  for (const NodeRange& range : r.ranges())
    for (std::size_t w = word_of(range.first), end = word_of(range.last); w <= end; ++w)
      if ((mask_of(w, range.first, range.last) & ~words_[w]) != 0) return false;
  return true;
}

bool NodeSet::intersects(const NodeRanges& r) const {
  for (const NodeRange& range : r.ranges())
    for (std::size_t w = word_of(range.first), end = word_of(range.last); w <= end; ++w)
      if ((mask_of(w, range.first, range.last) & words_[w]) != 0) return true;
  return false;
}

/// Makes each word f of its own one and the other set's.
template <class F>
NodeSet& NodeSet::combine(const NodeSet& o, F&& f) {
  assert(size_ == o.size_);
  count_ = 0;
  for (std::size_t w = 0; w < words_.size(); ++w) {
    words_[w] = f(words_[w], o.words_[w]);
    count_ += std::popcount(words_[w]);
  }
  first_word_ = 0;
  skip_empty_words();
  return *this;
}

NodeSet& NodeSet::operator|=(const NodeSet& o) { return combine(o, std::bit_or<>{}); }
NodeSet& NodeSet::operator&=(const NodeSet& o) { return combine(o, std::bit_and<>{}); }
NodeSet& NodeSet::operator-=(const NodeSet& o) {
  return combine(o, [](std::uint64_t own, std::uint64_t other) { return own & ~other; });
}

NodeRanges NodeSet::lowest(std::int32_t n) const {
  assert(n <= count_);
  NodeRanges out;
  for (std::size_t w = first_word_; n > 0 && w < words_.size(); ++w)
    n -= append_bits(words_[w], static_cast<NodeId>(w * 64), n, out);
  return out;
}

NodeRanges NodeSet::lowest(std::int32_t n, const NodeSet& of, NodeId from) const {
  NodeRanges out;
  std::uint64_t mask = kAll << (from & 63);
  for (std::size_t w = word_of(from); n > 0; ++w, mask = kAll) {
    assert(w < words_.size());
    n -= append_bits(words_[w] & of.words_[w] & mask, static_cast<NodeId>(w * 64), n, out);
  }
  return out;
}

std::vector<NodeId> listed(const NodeRanges& nodes) {
  std::vector<NodeId> all;
  for_each_node(nodes, [&](NodeId n) { all.push_back(n); });
  return all;
}

NodeRanges without(const NodeRanges& a, const NodeRanges& b) {
  return merged(a, b, [](bool in_a, bool in_b) { return in_a && !in_b; });
}

NodeRanges in_both(const NodeRanges& a, const NodeRanges& b) {
  return merged(a, b, [](bool in_a, bool in_b) { return in_a && in_b; });
}

NodeRanges together(const NodeRanges& a, const NodeRanges& b) {
  return merged(a, b, [](bool in_a, bool in_b) { return in_a || in_b; });
}

}  // namespace coslice
