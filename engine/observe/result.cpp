#include "observe/result.h"

#include <cassert>
#include <limits>

#include "core/error.h"

namespace coslice {
namespace {

/// LEB128: seven bits a byte, the lowest first, the top bit says that more follow.
[[gnu::always_inline]] inline void append_varint(std::vector<std::uint8_t>& out, std::uint32_t v) {
  while (v >= 0x80) {
    out.push_back(static_cast<std::uint8_t>(v | 0x80));
    v >>= 7;
  }
  out.push_back(static_cast<std::uint8_t>(v));
}

std::uint32_t read_varint(const std::uint8_t*& at) {
  std::uint32_t v = 0;
  for (int shift = 0;; shift += 7) {
    const std::uint8_t byte = *at++;
    v |= std::uint32_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return v;
  }
}

}  // namespace

ArchivedNodes NodeArchive::add(const NodeRanges& nodes) {
  if (bytes_.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw SimulationError("the node sets of the jobs need more than 4 GiB");
  }
  const ArchivedNodes where{static_cast<std::uint32_t>(bytes_.size()),
                            static_cast<std::uint32_t>(nodes.ranges().size())};
  // Each interval as the gap after the one before and its length: both are small where jobs are packed low.
  NodeId next = 0;
  for (const NodeRange& r : nodes.ranges()) {
    append_varint(bytes_, static_cast<std::uint32_t>(r.first - next));
    append_varint(bytes_, static_cast<std::uint32_t>(r.last - r.first));
    next = r.last + 1;
  }
  return where;
}

NodeRanges NodeArchive::get(ArchivedNodes where) const {
  assert(where.chunk_offset <= bytes_.size());
  NodeRanges out;
  const std::uint8_t* at = bytes_.data() + where.chunk_offset;
  NodeId next = 0;
  for (std::uint32_t i = 0; i < where.count; ++i) {
    const auto first = next + static_cast<NodeId>(read_varint(at));
    const auto last = first + static_cast<NodeId>(read_varint(at));
    out.append(first, last);
    next = last + 1;
  }
  return out;
}

std::int32_t NodeArchive::count(ArchivedNodes where) const {
  std::uint32_t n = where.count;  // each interval has one more than is written
  const std::uint8_t* at = bytes_.data() + where.chunk_offset;
  for (std::uint32_t i = 0; i < where.count; ++i) {
    read_varint(at);
    n += read_varint(at);
  }
  return static_cast<std::int32_t>(n);
}

}  // namespace coslice
