#include "machine/node_pool.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>

#include "core/portable_math.h"

namespace coslice {
namespace {
/// So that sums of what is taken stay far below the end of 64 bits.
constexpr std::int64_t kEndlessMemory = std::int64_t{1} << 60;
/// Changes that are kept for each node of the machine, on average.
constexpr std::size_t kKeptChanges = 4;

/// Only whether two stamps are equal means anything, so that it does not matter which thread draws which.
std::uint64_t next_stamp() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// By what jobs with GPUs are distinguished: the number of whole ones, 0 for a share of one.
std::int32_t gpu_class(const Request& r) { return r.gpus == 1 && r.gpu_share < kWholeGpu ? 0 : r.gpus; }

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

namespace {

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

void NodePool::count_gpu_job(const Request& r, const NodePart& part, std::int32_t sign) {
  const auto n = static_cast<std::size_t>(part.node);
  for (std::uint64_t left = part.gpus; left != 0; left &= left - 1)
    on_gpu_[n][static_cast<std::size_t>(std::countr_zero(left))] += static_cast<std::uint16_t>(sign);
  auto& counts = gpu_jobs_[n];
  const std::int32_t gpus = gpu_class(r);
  const auto same = std::ranges::find_if(counts, [&](const GpuJobs& c) { return c.gpus == gpus; });
  if (same == counts.end()) counts.push_back({gpus, sign});
  else if ((same->jobs += sign) == 0) counts.erase(same);
}

std::int32_t NodePool::gpu_jobs(NodeId n) const {
  std::int32_t jobs = 0;
  for (const GpuJobs& c : gpu_jobs_[static_cast<std::size_t>(n)]) jobs += c.jobs;
  return jobs;
}

std::int32_t NodePool::alike(const Request& r, NodeId n) const {
  if (r.gpus == 0) return 0;
  for (const GpuJobs& c : gpu_jobs_[static_cast<std::size_t>(n)])
    if (c.gpus == gpu_class(r)) return c.jobs;
  return 0;
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

NodePool::NodePool(const MachineLayout& layout) : layout_(&layout) {
  rooms_.reserve(static_cast<std::size_t>(layout.node_count()));
  for (const NodeKind& kind : layout.kinds)
    rooms_.insert(rooms_.end(), static_cast<std::size_t>(kind.count), empty_room(kind));
  stamps_.assign(rooms_.size(), next_stamp());
  gpu_jobs_.resize(rooms_.size());
  const auto has_gpus = [](const NodeKind& kind) { return kind.gpus > 0; };
  if (std::ranges::any_of(layout.kinds, has_gpus)) {
    on_gpu_.resize(rooms_.size());
    for (std::size_t n = 0; n != rooms_.size(); ++n) on_gpu_[n].assign(rooms_[n].gpus.size(), 0);
  }
  for (const Licence& licence : layout.licences) licences_.push_back(licence.count);
}

void NodePool::note(NodeId n) {
  if (changes_.size() >= kKeptChanges * (rooms_.size() + 16)) {
    changes_.clear();
    ++changes_begun_;
  }
  changes_.push_back(n);
}

void NodePool::change(const Request& r, const NodePart& part, std::int32_t sign) {
  change_room(rooms_[static_cast<std::size_t>(part.node)], r, part, sign);
  if (r.gpus > 0) count_gpu_job(r, part, sign);
  stamps_[static_cast<std::size_t>(part.node)] = next_stamp();
  note(part.node);
}

void NodePool::set_room(NodeId n, const NodeRoom& room) {
  NodeRoom& old = rooms_[static_cast<std::size_t>(n)];
  if (old == room) return;
  old = room;
  stamps_[static_cast<std::size_t>(n)] = next_stamp();
  note(n);
}

void NodePool::copy_node(NodeId n, const NodePool& from) {
  const auto i = static_cast<std::size_t>(n);
  if (stamps_[i] == from.stamps_[i]) return;
  rooms_[i] = from.rooms_[i];
  gpu_jobs_[i] = from.gpu_jobs_[i];
  if (!on_gpu_.empty()) on_gpu_[i] = from.on_gpu_[i];
  stamps_[i] = from.stamps_[i];
  note(n);
}

void NodePool::take(const Request& r, const Parts& parts) {
  for (const NodePart& part : parts) {
    // It closes a node on which jobs are, or joins its group.
    assert(has_room(r, room(part.node)) || (r.exclusive && (r.cores == 0 || fits_in_group(r, room(part.node)))));
    change(r, part, 1);
  }
  for (const LicenceUse& use : r.licences) licences_[static_cast<std::size_t>(use.licence)] -= use.count;
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
