#include "observe/use_invariants.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "core/portable_math.h"
#include "machine/eligibility.h"

namespace coslice {

void UseInvariants::started(Time, JobIndex j, const NodeRanges& nodes) {
  OnNodes& on = on_[j];
  on.there = on.runs = true;
  if (on.parts.empty()) for_each_node(nodes, [&](NodeId n) { on.parts.push_back({n, 0}); });
}

void UseInvariants::settled(const InstantState& state) {
  std::map<NodeId, std::vector<std::pair<JobIndex, const NodePart*>>> by_node;
  for (JobIndex j = 0; j != on_.size(); ++j)
    for (const NodePart& part : on_[j].parts)
      if (on_[j].there) by_node[part.node].emplace_back(j, &part);
  for (const auto& [node, jobs] : by_node)
    if (jobs.size() > 1) check(state.now, node, jobs);
}

/// Whether one of the two may have cores of the other one: of its own partition, or of one that its partition names.
bool UseInvariants::may_share(JobIndex a, JobIndex b) const {
  const std::int32_t p = on_[a].partition, q = on_[b].partition;
  if (p < 0 || q < 0) return false;
  const Partition &of_a = layout_.partitions[static_cast<std::size_t>(p)],
                  &of_b = layout_.partitions[static_cast<std::size_t>(q)];
  if (p == q) return of_a.oversubscribe > 1;
  return std::ranges::find(of_a.over, q) != of_a.over.end() || std::ranges::find(of_b.over, p) != of_b.over.end();
}

void UseInvariants::check(Time t, NodeId n, const std::vector<std::pair<JobIndex, const NodePart*>>& jobs) {
  const NodeKind& kind = layout_.kind_of(n);
  CoreShare apart = 0;  // cores of jobs that run and share none
  std::int64_t memory = 0;
  std::vector<GpuShare> gpus(static_cast<std::size_t>(kind.gpus), 0);
  JobIndex last = kNoJob;
  for (const auto& [j, part] : jobs) {
    const Request& r = component_of(request(j), *part);
    // One that lends whole nodes is there beside those that run on them, which memory is not asked for.
    if (on_[j].runs || (!sliced_ && !r.exclusive)) memory += r.memory_mib;
    if (!on_[j].runs) continue;
    last = j;
    for (std::uint64_t left = part->gpus; left != 0; left &= left - 1)
      gpus[static_cast<std::size_t>(std::countr_zero(left))] += r.gpu_share;
    const auto shares = [&, own = j](const auto& other) { return other.first != own && may_share(own, other.first); };
    if (r.exclusive || std::ranges::any_of(jobs, shares)) continue;
    apart += part->cores != 0 ? part->cores : r.cores;
  }
  if (last == kNoJob) return;
  const auto above = [&](const char* what) {
    note(t, jobs_[last], fmt::format("node {} has not so much {}", n, what));
  };
  if (apart > kind.core_share()) above("cores");
  if (kind.memory_mib != 0 && memory > kind.memory_mib) above("memory");
  if (std::ranges::any_of(gpus, [](GpuShare g) { return g > kWholeGpu; })) above("of a GPU");
  for (std::size_t i = 0; i != jobs.size(); ++i)
    for (std::size_t k = 0; k != i; ++k) {
      const auto& [a, one] = jobs[i];
      const auto& [b, other] = jobs[k];
      if (on_[a].runs && on_[b].runs && one->held.intersects(other->held) && !may_share(a, b))
        note(t, jobs_[a], fmt::format("has cores of job {} on node {}", jobs_[b].id, n));
    }
}

void ProcessUseInvariants::started(Time t, JobIndex j, const NodeRanges& nodes) {
  Seen& seen = seen_[j];
  seen.nodes = nodes;
  const RequestId asked = jobs_[j].request;
  const NodeSet capable =
      asked == kNoRequest ? NodeSet(layout_->node_count(), true) : capable_nodes(*layout_, requests_[asked]);
  const NodeSet* const own =
      seen.partition < 0 ? nullptr : &layout_->partitions[static_cast<std::size_t>(seen.partition)].nodes;
  for_each_node(nodes, [&](NodeId n) {
    if (!capable.contains(n))
      note(t, jobs_[j], fmt::format("has processes on node {}, which has not what it asks for", n));
    if (own != nullptr && !own->contains(n))
      note(t, jobs_[j], fmt::format("has processes on node {}, which is not of its partition", n));
    on_[static_cast<std::size_t>(n)].push_back(j);
    came_.push_back(n);
  });
}

void ProcessUseInvariants::leave(JobIndex j) {
  for_each_node(seen_[j].nodes, [&](NodeId n) { std::erase(on_[static_cast<std::size_t>(n)], j); });
  seen_[j] = {};
}

/// What its processes on the node have at least. A job shares what it asks for of each node among its processes there.
ProcessUseInvariants::Use ProcessUseInvariants::least(JobIndex j, NodeId n) const {
  const Job& job = jobs_[j];
  const Request r = job.request == kNoRequest ? Request{} : requests_[job.request];
  std::int64_t elsewhere = 0;  // processes, at most
  for_each_node(seen_[j].nodes, [&](NodeId other) {
    if (other != n) elsewhere += layout_->kind_of(other).processors * layout_->kind_of(other).cores;
  });
  const std::int64_t here = std::max<std::int64_t>(job.size - elsewhere, 1);
  const std::int64_t together = divided_up<std::int64_t>(job.size, r.nodes);
  const std::int64_t said = job.requested_memory_kb >= 0 ? job.requested_memory_kb : job.used_memory_kb;
  const std::int64_t memory = said >= 0 ? said : divided_up<std::int64_t>(r.memory_mib * 1024, together);
  return {here * memory, here * divided_up<std::int64_t>(std::int64_t{r.gpus} * r.gpu_share, together)};
}

void ProcessUseInvariants::settled(const InstantState& state) {
  std::ranges::sort(came_);
  came_.erase(std::unique(came_.begin(), came_.end()), came_.end());
  for (const NodeId n : std::exchange(came_, {})) {
    const std::vector<JobIndex>& jobs = on_[static_cast<std::size_t>(n)];
    if (jobs.empty()) continue;
    Use all;
    for (const JobIndex j : jobs) {
      const Use its = least(j, n);
      all.memory_kb += its.memory_kb;
      all.gpus += its.gpus;
    }
    const NodeKind& kind = layout_->kind_of(n);
    const std::int64_t memory = memory_kb_ != 0 ? memory_kb_ : kind.memory_mib * 1024;
    const auto above = [&](const char* what) {
      note(state.now, jobs_[jobs.back()], fmt::format("node {} has not so much {}", n, what));
    };
    if (memory != 0 && all.memory_kb > memory) above("memory");
    if (all.gpus > std::int64_t{kind.gpus} * kWholeGpu) above("of GPUs");
  }
}

}  // namespace coslice
