#include "machine/node_room.h"

#include <algorithm>

#include "core/portable_math.h"

namespace coslice {
namespace {
/// So that sums of what is taken stay far below the end of 64 bits.
constexpr std::int64_t kEndlessMemory = std::int64_t{1} << 60;

/// What jobs of the partition have there; made where there is none.
SharedCores& shared_of(NodeRoom& room, std::int32_t partition) {
  auto at = std::ranges::find_if(room.shared, [&](const SharedCores& s) { return s.partition >= partition; });
  if (at == room.shared.end() || at->partition != partition) at = room.shared.insert(at, {partition, 0, 0});
  return *at;
}

CoreShare cores_of(const Request& r, const NodePart& part) { return part.cores != 0 ? part.cores : r.cores; }

void change_shared(NodeRoom& room, const Request& r, const NodePart& part, std::int32_t sign) {
  SharedCores& s = shared_of(room, r.row_of);
  s.cores += sign * cores_of(r, part);
  s.jobs += sign;
  if (s.jobs == 0) room.shared.erase(room.shared.begin() + (&s - room.shared.data()));
}

bool may_join(const Request& r, const NodeRoom& room) {
  if (r.rows > 1) return room.apart == 0 && rows_with(r, room) <= r.rows;
  // Jobs that share nothing are on nodes of jobs that may share of their own partition only.
  return std::ranges::all_of(room.shared, [&](const SharedCores& s) { return s.partition == r.row_of; });
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

std::int32_t rows_with(const Request& r, const NodeRoom& room) {
  if (r.exclusive) return room.jobs + 1;
  if (room.cores >= r.cores) return 1;
  std::int64_t cores = r.cores;
  for (const SharedCores& s : room.shared)
    if (s.partition == r.row_of) cores += s.cores;
  return static_cast<std::int32_t>(divided_up<std::int64_t>(cores, room.all_cores));
}

bool has_room(const Request& r, const NodeRoom& room) {
  if (room.exclusive || (r.exclusive && r.rows <= 1 && room.jobs != 0)) return false;
  if ((r.rows <= 1 && room.cores < r.cores) || room.memory_mib < r.memory_mib) return false;
  if (r.gpus == 0) return true;
  std::int32_t enough = 0;
  for (const GpuShare left : room.gpus) enough += left >= r.gpu_share ? 1 : 0;
  return enough >= r.gpus;
}

bool fits(const Request& r, const NodeRoom& room) { return has_room(r, room) && may_join(r, room); }

bool fits_in_group(const Request& r, const NodeRoom& room) {
  if (room.cores < r.cores || room.memory_mib < r.memory_mib) return false;
  const auto enough = std::ranges::count_if(room.gpus, [&](GpuShare left) { return left >= r.gpu_share; });
  return r.gpus == 0 || enough >= r.gpus;
}

bool has_room_on(const Request& r, const NodeRoom& room, const NodePart& part) {
  for (std::size_t g = 0; g != room.gpus.size(); ++g)
    if ((part.gpus >> g & 1) != 0 && room.gpus[g] < r.gpu_share) return false;
  return (part.cores == 0 || part.cores <= room.cores) && has_room(r, room);
}

bool fits_on(const Request& r, const NodeRoom& room, const NodePart& part) {
  return has_room_on(r, room, part) && may_join(r, room);
}

void change_room(NodeRoom& room, const Request& r, const NodePart& part, std::int32_t sign) {
  if (r.row_of >= 0) change_shared(room, r, part, sign);
  if (!r.exclusive || r.rows <= 1) room.cores -= sign * cores_of(r, part);
  room.memory_mib -= sign * r.memory_mib;
  std::uint64_t gpus = part.gpus;
  for (std::size_t g = 0; gpus != 0; ++g, gpus >>= 1)
    if ((gpus & 1) != 0) room.gpus[g] -= sign * r.gpu_share;
  room.jobs += sign;
  if (r.rows > 1) return;
  room.apart += sign;
  if (r.exclusive) room.exclusive += sign;
}

void meet(NodeRoom& room, const NodeRoom& other) {
  room.cores = std::min(room.cores, other.cores);
  room.memory_mib = std::min(room.memory_mib, other.memory_mib);
  for (std::size_t g = 0; g < room.gpus.size(); ++g) room.gpus[g] = std::min(room.gpus[g], other.gpus[g]);
  room.jobs = std::max(room.jobs, other.jobs);
  room.exclusive = std::max(room.exclusive, other.exclusive);
  room.apart = std::max(room.apart, other.apart);
  for (const SharedCores& more : other.shared) {
    SharedCores& s = shared_of(room, more.partition);
    s.cores = std::max(s.cores, more.cores);
    s.jobs = std::max(s.jobs, more.jobs);
  }
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
