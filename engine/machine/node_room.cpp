#include "machine/node_room.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

#include "core/portable_math.h"
#include "machine/core_rows.h"

namespace coslice {
namespace {
/// So that sums of what is taken stay far below the end of 64 bits.
constexpr std::int64_t kEndlessMemory = std::int64_t{1} << 60;

CoreShare cores_of(const Request& r, const NodePart& part) { return part.cores != 0 ? part.cores : r.cores; }

CoreShare all_of(const std::ranges::input_range auto& shared) {
  CoreShare sum = 0;
  for (const SharedCores& s : shared) sum += s.row == kRowOfWholeNodes ? 0 : s.cores;
  return sum;
}

/// Cores that some job has, each once.
CoreShare taken_of(const NodeRoom& room) {
  CoreSet held;
  CoreShare unknown = 0;
  for (const SharedCores& s : room.shared) {
    held |= s.held;
    unknown += s.held.empty() && s.row != kRowOfWholeNodes ? s.cores : 0;
  }
  return unknown + held.count() * kWholeCore;
}

constexpr auto kOrder = [](const SharedCores& a, const SharedCores& b) {
  if (std::tie(a.partition, a.row, a.cores) != std::tie(b.partition, b.row, b.cores))
    return std::tie(a.partition, a.row, a.cores) < std::tie(b.partition, b.row, b.cores);
  return a.promise != b.promise ? a.promise < b.promise : a.held < b.held;
};

void change_shared(NodeRoom& room, const Request& r, const NodePart& part, std::int32_t sign) {
  const Promise promise = !part.promised ? Promise::kNone : has_rows(r) ? Promise::kOverCores : Promise::kIdleCores;
  const SharedCores s{r.row_of, r.exclusive ? kRowOfWholeNodes : part.row, r.many_rows, cores_of(r, part), part.held,
                      promise};
  const auto at = std::ranges::lower_bound(room.shared, s, kOrder);
  if (sign > 0) room.shared.insert(at, s);
  else if (at != room.shared.end() && *at == s) room.shared.erase(at);
}

bool may_join(const Request& r, const NodeRoom& room) {
  if (r.rows > 1) return room.apart == 0;
  // Jobs that share nothing are on nodes of jobs that may share of their own partition only.
  return std::ranges::all_of(room.shared,
                             [&](const SharedCores& s) { return s.partition == r.row_of || !s.many_rows; });
}

}  // namespace

NodeRanges nodes_in(const Parts& parts) {
  std::vector<NodeId> nodes;
  for (const NodePart& part : parts) nodes.push_back(part.node);
  return as_ranges(std::move(nodes));
}

NodeRoom empty_room(const NodeKind& kind) {
  NodeRoom room;
  room.cores = room.all_cores = kind.core_share();
  room.memory_mib = kind.memory_mib != 0 ? kind.memory_mib : kEndlessMemory;
  room.gpus.assign(static_cast<std::size_t>(kind.gpus), kWholeGpu);
  return room;
}

bool may_lie_over(const Request& r, const SharedCores& s) {
  if (!std::ranges::binary_search(r.over, s.partition)) return false;
  if (s.promise == Promise::kNone) return true;
  return s.promise == Promise::kOverCores && std::ranges::binary_search(r.under, s.partition);
}

/// By amounts: cores that may not be shared are in no row.
std::int32_t rows_with(const Request& r, const NodeRoom& room) {
  if (r.exclusive) return room.jobs + 1;
  if (room.cores >= r.cores) return 1;
  std::int64_t own = r.cores, barred = 0;
  for (const SharedCores& s : room.shared) {
    if (s.partition == r.row_of) own += s.cores;
    else if (!may_lie_over(r, s)) barred += s.cores;
  }
  if (barred >= room.all_cores) return std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(divided_up<std::int64_t>(own, room.all_cores - barred));
}

bool has_room(const Request& r, const NodeRoom& room) {
  if (room.exclusive || (r.exclusive && r.rows <= 1 && room.jobs != 0)) return false;
  if ((r.rows <= 1 && !has_rows(r) && room.cores < r.cores) || room.memory_mib < r.memory_mib) return false;
  if (r.gpus == 0) return true;
  std::int32_t enough = 0;
  for (const GpuShare left : room.gpus) enough += left >= r.gpu_share ? 1 : 0;
  return enough >= r.gpus;
}

bool fits(const Request& r, const NodeRoom& room) {
  if (!has_room(r, room) || !may_join(r, room)) return false;
  if (has_rows(r)) return cores_in_some_row(r, room) >= r.cores;
  return r.rows <= 1 || rows_with(r, room) <= r.rows;
}

bool fits_in_group(const Request& r, const NodeRoom& room) {
  if (room.cores < r.cores || room.memory_mib < r.memory_mib) return false;
  const auto enough = std::ranges::count_if(room.gpus, [&](GpuShare left) { return left >= r.gpu_share; });
  return r.gpus == 0 || enough >= r.gpus;
}

bool has_room_on(const Request& whole, const NodeRoom& room, const NodePart& part) {
  const Request& r = component_of(whole, part);
  for (std::size_t g = 0; g != room.gpus.size(); ++g)
    if ((part.gpus >> g & 1) != 0 && room.gpus[g] < r.gpu_share) return false;
  return (part.cores == 0 || part.cores <= room.cores) && has_room(r, room);
}

bool fits_on(const Request& whole, const NodeRoom& room, const NodePart& part) {
  const Request& r = component_of(whole, part);
  if (!has_room_on(r, room, part) || !may_join(r, room)) return false;
  if (r.rows > 1 || has_rows(r)) return rows_with(r, room) <= std::max(r.rows, 1);
  // Where it was not one ledger that gave them their cores, jobs may have the same ones.
  return r.exclusive || room.cores + taken_of(room) - all_of(room.shared) >= r.cores;
}

void change_room(NodeRoom& room, const Request& whole, const NodePart& part, std::int32_t sign) {
  const Request& r = component_of(whole, part);
  if (r.row_of >= 0 && !r.exclusive) {
    const CoreShare before = taken_of(room);
    change_shared(room, r, part, sign);
    room.cores -= taken_of(room) - before;
  } else {
    if (r.row_of >= 0) change_shared(room, r, part, sign);
    if (!r.exclusive || r.rows <= 1) room.cores -= sign * cores_of(r, part);
  }
  room.memory_mib -= sign * r.memory_mib;
  std::uint64_t gpus = part.gpus;
  for (std::size_t g = 0; gpus != 0; ++g, gpus >>= 1)
    if ((gpus & 1) != 0) room.gpus[g] -= sign * r.gpu_share;
  room.jobs += sign;
  if (r.rows > 1) return;
  room.apart += sign;
  if (r.exclusive) room.exclusive += sign;
}

/// A job that is on the node at any time is there throughout, and so are its cores where they have numbers.
void meet(NodeRoom& room, const NodeRoom& other) {
  const auto numbered = [](const SharedCores& s) { return !s.held.empty(); };
  const CoreShare others =
      std::max(room.all_cores - room.cores - taken_of(room), other.all_cores - other.cores - taken_of(other));
  const bool alike = room.shared == other.shared;
  const bool amounts =
      alike || (std::ranges::none_of(room.shared, numbered) && std::ranges::none_of(other.shared, numbered));
  if (!alike) {
    boost::container::small_vector<SharedCores, 1> both;
    std::ranges::set_union(room.shared, other.shared, std::back_inserter(both), kOrder);
    room.shared = std::move(both);
  }
  room.cores = amounts ? std::min(room.cores, other.cores) : room.all_cores - others - taken_of(room);
  room.memory_mib = std::min(room.memory_mib, other.memory_mib);
  for (std::size_t g = 0; g < room.gpus.size(); ++g) room.gpus[g] = std::min(room.gpus[g], other.gpus[g]);
  room.jobs = std::max(room.jobs, other.jobs);
  room.exclusive = std::max(room.exclusive, other.exclusive);
  room.apart = std::max(room.apart, other.apart);
}

std::uint64_t fitting_gpus(const Request& r, const NodeRoom& room) {
  std::uint64_t chosen = 0;
  if (r.gpus == 0) return chosen;
  if (r.gpu_share == kWholeGpu || r.gpus > 1) {
    std::int32_t wanted = r.gpus;
    for (std::size_t g = 0; g < room.gpus.size() && wanted > 0; ++g) {
      if (room.gpus[g] < r.gpu_share) continue;
      chosen |= std::uint64_t{1} << g;
      --wanted;
    }
    return chosen;
  }
  std::size_t best = room.gpus.size();
  for (std::size_t g = 0; g < room.gpus.size(); ++g)
    if (room.gpus[g] >= r.gpu_share && (best == room.gpus.size() || room.gpus[g] < room.gpus[best])) best = g;
  return std::uint64_t{1} << best;
}

}  // namespace coslice
