#include "slices/node_choice.h"

#include <algorithm>

#include "machine/node_set.h"

namespace coslice {

NodeAllocations::NodeAllocations(std::int32_t nodes, std::size_t classes)
    : without_(classes, NodeSet(nodes, true)), kept_(classes, NodeSet(nodes)), needed_(static_cast<std::size_t>(nodes)),
      allocated_(nodes) {
  allocated_.list_jobs();
}

void NodeAllocations::add(StartedJob& job, std::size_t job_class, Duration need) {
  allocated_.come(job);
  without_[job_class].erase(job.nodes);
  for_each_node(job.nodes, [&](NodeId n) { needed_[static_cast<std::size_t>(n)] += need; });
}

void NodeAllocations::remove(StartedJob& job, std::size_t job_class, Duration need) {
  allocated_.go(job);
  for_each_node(job.nodes, [&](NodeId n) {
    needed_[static_cast<std::size_t>(n)] -= need;
    note_left(n, *job.view, job_class);
  });
}

void NodeAllocations::keep(std::size_t job_class, const NodeRanges& nodes) {
  kept_[job_class].insert(nodes);
  without_[job_class].erase(nodes);
}

void NodeAllocations::give_back(const StartedJob& job, std::size_t job_class, const NodeRanges& nodes) {
  kept_[job_class].erase(nodes);
  for_each_node(nodes, [&](NodeId n) { note_left(n, *job.view, job_class); });
}

/// A job of the class has left the node, or is not to get it any more.
void NodeAllocations::note_left(NodeId n, const View& view, std::size_t job_class) {
  if (!kept_[job_class].contains(n) && foreign(n, view) == std::ssize(jobs(n))) without_[job_class].insert(n);
}

std::int32_t NodeAllocations::foreign(NodeId node, const View& view) const {
  const auto other = [&](const StartedJob* job) { return job->view != &view; };
  return static_cast<std::int32_t>(std::ranges::count_if(jobs(node), other));
}

namespace {

/// The `count` nodes with the lowest keys, ties by number.
template <class F>
NodeRanges lowest_by(const NodeQuestion& q, F&& key) {
  using Key = decltype(key(NodeId{0}));
  std::vector<std::pair<Key, NodeId>> ranked;
  q.admissible->for_each([&](NodeId n) { ranked.emplace_back(key(n), n); });
  const auto middle = ranked.begin() + q.count;
  std::nth_element(ranked.begin(), middle == ranked.end() ? ranked.end() : middle, ranked.end());
  std::vector<NodeId> chosen;
  for (auto it = ranked.begin(); it != middle; ++it) chosen.push_back(it->second);
  return as_ranges(std::move(chosen));
}

/// The node selection in two stages.
NodeRanges in_two_stages(const NodeQuestion& q, const SliceOptions& options, const NodeAllocations& allocations,
                         const CompletionEstimate& completion) {
  // Memory that is left when all jobs allocated have what they need; negative where nodes are over-committed.
  const auto spare = [&](NodeId n) { return options.memory - allocations.needed(n); };
  std::vector<NodeId> enough, chosen;  // in ascending order: a stable sort keeps ties by number
  std::vector<std::pair<Time, NodeId>> lacking;
  q.admissible->for_each([&](NodeId n) {
    if (spare(n) >= q.need) enough.push_back(n);
    else lacking.emplace_back(kNever, n);
  });
  const auto count = static_cast<std::size_t>(q.count);
  Fit fit = options.fit.enough;
  if (enough.size() < count) {
    // Nodes that cannot hold all jobs first, those that soon can before the others; the rest is kept whole.
    for (auto& [first, n] : lacking)
      for (StartedJob* job : allocations.jobs(n)) first = std::min(first, completion(*job));
    std::ranges::sort(lacking);
    for (std::size_t i = 0; i != std::min(count, lacking.size()); ++i) chosen.push_back(lacking[i].second);
    fit = options.fit.rest;
  }
  if (fit != Fit::kFirst) std::ranges::stable_sort(enough, {}, [&](NodeId a) { return spare(a); });
  if (fit == Fit::kWorst) std::ranges::reverse(enough);
  chosen.insert(chosen.end(), enough.begin(), enough.begin() + static_cast<std::ptrdiff_t>(count - chosen.size()));
  return as_ranges(std::move(chosen));
}

}  // namespace

NodeRanges choose_nodes(const NodeQuestion& q, const SliceOptions& options, const NodeAllocations& allocations,
                        const CompletionEstimate& completion) {
  if (options.node_rank) {
    return lowest_by(q, [&](NodeId n) {
      return options.node_rank(*q.view, q.job, {n, allocations.foreign(n, *q.view), allocations.needed(n)});
    });
  }
  switch (options.nodes) {
    case NodeChoice::kFirstFree: return q.admissible->lowest(q.count);
    case NodeChoice::kFewestForeign: return lowest_by(q, [&](NodeId n) { return allocations.foreign(n, *q.view); });
    case NodeChoice::kMemoryFit: return in_two_stages(q, options, allocations, completion);
  }
  return {};
}

/// Whether the job fits on n, both beside those that are there and for as long as it is to run.
void MakingWay::look(NodeId n, const Request& request, const NodePool& pool, NodeSet& free) {
  NodeRoom room = pool.room(n);
  meet(room, beside_.room(n));
  if (!fits(request, room)) return;
  offered_.copy_node(n, beside_);
  offered_.set_room(n, room);
  free.insert(n);
}

bool MakingWay::choose_by(Placement& placement, std::uint32_t job, const Request& request, const NodePool& pool,
                          const NodeSet& fitting, Parts& out) {
  NodeSet free(fitting.size());
  beside_.set_licences(room_.pool().licences());
  fitting.for_each([&](NodeId n) {
    beside_.copy_node(n, room_.pool());
    look(n, request, pool, free);
  });
  const std::vector<StartedJob*> guests = guests_();
  for (auto guest = guests.begin();; ++guest) {
    if (free.count() >= request.nodes && beside_.has_licences(request) &&
        placement.choose(job, request, offered_, free, out))
      return true;
    if (guest == guests.end()) return false;
    const StartedJob& gone = **guest;
    for (const NodePart& part : gone.parts)
      if (!fitting.contains(part.node)) beside_.copy_node(part.node, room_.pool());
    beside_.give(room_.request(gone.unit), gone.parts);
    for (const NodePart& part : gone.parts)
      if (fitting.contains(part.node)) look(part.node, request, pool, free);
  }
}

}  // namespace coslice
