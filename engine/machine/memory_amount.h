// Memory, between files and requests. Requests and nodes say it in MiB on a node (Request::memory_mib,
// NodeKind::memory_mib); files say KB of a process, of a node or of a whole job. Readers and writers convert, here and
// nowhere else.
//
// One way to round, so that a job never gets less than it asked for, and never is too large for a node because of it:
// - what a job asks for on a node is rounded up to MiB, once, from all KB that it has there;
// - what is said of one of its processes is rounded down to KB, so that all on a node do not ask for more than the job;
// - what a node has is rounded down to MiB.
// So MiB on a node become KB of a process, and again the same MiB, for up to 1024 processes there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/portable_math.h"

namespace coslice {

inline constexpr std::int64_t kKbOfMib = 1024;

/// Returns the MiB of a job on each of its nodes, of KB on all of them together. Precondition: kb >= 0, nodes > 0.
constexpr std::int64_t mib_on_each_node(std::int64_t kb, std::int64_t nodes) {
  return divided_up(divided_up(kb, nodes), kKbOfMib);
}

/// Returns the MiB of a job on a node where it has that many processes, of KB of each.
constexpr std::int64_t mib_of_processes(std::int64_t kb, std::int64_t processes) {
  return divided_up(kb * processes, kKbOfMib);
}

/// Returns the MiB on each node of a job that gets other nodes: what all of them had together is divided anew.
constexpr std::int64_t mib_on_other_nodes(std::int64_t mib, std::int64_t nodes, std::int64_t others) {
  return divided_up(mib * nodes, others);
}

/// Returns the KB of each of so many processes that have that many KB together: 1 at least where there are any.
constexpr std::int64_t kb_of_each_process(std::int64_t kb, std::int64_t processes) {
  return std::max<std::int64_t>(kb / processes, kb > 0 ? 1 : 0);
}

/// Returns the MiB that a node of so many KB has.
constexpr std::int64_t mib_of_node(std::int64_t kb) { return kb / kKbOfMib; }

}  // namespace coslice
