#include "machine/node_pool.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>

namespace coslice {
namespace {
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

void NodePool::change(const Request& whole, const NodePart& part, std::int32_t sign) {
  const Request& r = component_of(whole, part);
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

void NodePool::take(const Request& whole, const Parts& parts, [[maybe_unused]] bool again) {
  for (const NodePart& part : parts) {
    const Request& r = component_of(whole, part);
    // It closes a node on which jobs are, or joins its group.
    assert(again || has_room(r, room(part.node)) ||
           (r.exclusive && (r.cores == 0 || fits_in_group(r, room(part.node)))));
    change(r, part, 1);
  }
  for (const LicenceUse& use : whole.licences) licences_[static_cast<std::size_t>(use.licence)] -= use.count;
}

}  // namespace coslice
