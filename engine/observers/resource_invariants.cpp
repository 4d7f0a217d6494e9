#include "observers/resource_invariants.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "cluster/node_ids.h"
#include "resources/eligibility.h"

namespace coslice {

namespace {
constexpr std::size_t kMostKept = 20;
}

ResourceInvariants::ResourceInvariants(const MachineSpec& machine, const std::vector<Job>& jobs,
                                       const RequestTable& requests, Speeds speeds)
    : layout_(*machine.layout), jobs_(jobs), requests_(requests), speeds_(speeds), pool_(layout_), seen_(jobs.size()) {}

void ResourceInvariants::complain(Time t, JobIndex j, const std::string& what) {
  if (violations_.size() == kMostKept) return;
  violations_.push_back(fmt::format("at {} s, job {}: {}", format_seconds(t.time_since_epoch()), jobs_[j].id, what));
}

void ResourceInvariants::rate_changed(Time, JobIndex j, Rate rate) { seen_[j].rate = rate; }

void ResourceInvariants::check_partition(Time t, JobIndex j, std::int32_t partition) {
  const Job& job = jobs_[j];
  const std::vector<std::int32_t> asked = partitions_of(layout_, request(j));
  if (std::find(asked.begin(), asked.end(), partition) == asked.end())
    complain(t, j, "is in a partition that it did not ask for");
  if (partition < 0) return;
  const Partition& p = layout_.partitions[static_cast<std::size_t>(partition)];
  if (p.max_time && job.limit > *p.max_time) complain(t, j, "its limit is above that of its partition");
  if (p.max_nodes && request(j).nodes > *p.max_nodes) complain(t, j, "has more nodes than its partition allows");
  if (!p.users.empty() && std::find(p.users.begin(), p.users.end(), job.user) == p.users.end())
    complain(t, j, "is in a partition that is not for its user");
}

void ResourceInvariants::placed(Time t, JobIndex j, const Parts& parts, std::int32_t partition) {
  seen_[j].parts = parts;
  seen_[j].placed = true;
  check_partition(t, j, partition);
  if (partition < 0) return;
  for (const NodePart& part : parts)
    if (!layout_.partitions[static_cast<std::size_t>(partition)].nodes.contains(part.node))
      complain(t, j, fmt::format("node {} is not of its partition", part.node));
}

void ResourceInvariants::check_part(Time t, JobIndex j, const NodePart& part) {
  const Request& r = request(j);
  if (std::popcount(part.gpus) != r.gpus)
    complain(t, j, fmt::format("has another number of GPUs on node {}", part.node));
  if (!fits_on(r, pool_.room(part.node), part.gpus))
    complain(t, j, fmt::format("takes more of node {} than is left there", part.node));
}

void ResourceInvariants::check_speed(Time t, JobIndex j, const NodeRanges& nodes) {
  double slowest = layout_.kind_of(nodes.ranges().front().first).speed;
  for_each_node(nodes, [&](NodeId n) { slowest = std::min(slowest, layout_.kind_of(n).speed); });
  if (!(seen_[j].rate == Rate::of_slowdown(1 / slowest))) complain(t, j, "runs at another speed than its slowest node");
}

void ResourceInvariants::started(Time t, JobIndex j, const NodeRanges& nodes) {
  Seen& s = seen_[j];
  const Request& r = request(j);
  if (!s.placed) complain(t, j, "started without a place");
  if (nodes.count() != r.nodes) complain(t, j, "has another number of nodes than it asked for");
  if (s.parts.empty()) {  // whole nodes
    for_each_node(nodes, [&](NodeId n) {
      NodePart part{n, 0};
      if (fits(r, pool_.room(n))) part.gpus = fitting_gpus(r, pool_.room(n));
      s.parts.push_back(part);
    });
  }
  const NodeSet capable = capable_nodes(layout_, r);
  for (const NodePart& part : s.parts)
    if (!capable.contains(part.node)) complain(t, j, fmt::format("node {} has not what it asks for", part.node));
  if (!(nodes_in(s.parts) == nodes)) complain(t, j, "has parts of other nodes than it runs on");
  if (speeds_ == Speeds::kOfNodes) check_speed(t, j, nodes);
  take(t, j);
}

void ResourceInvariants::take(Time t, JobIndex j) {
  for (const NodePart& part : seen_[j].parts) check_part(t, j, part);
  if (!pool_.has_licences(request(j))) complain(t, j, "takes more licences than are left");
  seen_[j].on_nodes = true;
  if (violations_.empty()) pool_.take(request(j), seen_[j].parts);
}

void ResourceInvariants::give(JobIndex j) {
  seen_[j].on_nodes = false;
  if (violations_.empty()) pool_.give(request(j), seen_[j].parts);
}

void ResourceInvariants::preempted(Time t, JobIndex j) {
  if (!seen_[j].on_nodes) complain(t, j, "preempted although it does not run");
  else give(j);
}

void ResourceInvariants::resumed(Time t, JobIndex j, const NodeRanges&) {
  if (seen_[j].on_nodes) complain(t, j, "resumed although it runs");
  else take(t, j);
}

void ResourceInvariants::ended(Time t, JobIndex j, const NodeRanges&, bool) {
  if (seen_[j].on_nodes) give(j);
  else complain(t, j, "ended although it does not run");
}

}  // namespace coslice
