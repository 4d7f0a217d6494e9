#include "slices/node_ledger.h"

#include <algorithm>

#include "cluster/node_ids.h"

namespace coslice {

NodeLedger::NodeLedger(std::int32_t nodes, std::size_t classes)
    : count_(classes, std::vector<std::int32_t>(static_cast<std::size_t>(nodes))),
      without_(classes, NodeSet(nodes, true)), needed_(static_cast<std::size_t>(nodes)),
      jobs_(static_cast<std::size_t>(nodes)) {}

void NodeLedger::add(StartedJob& job, std::size_t job_class, Duration need) {
  for_each_node(job.nodes, [&](NodeId n) {
    const auto i = static_cast<std::size_t>(n);
    if (count_[job_class][i]++ == 0) without_[job_class].erase(n);
    needed_[i] += need;
    jobs_[i].push_back(&job);
  });
}

void NodeLedger::remove(StartedJob& job, std::size_t job_class, Duration need) {
  for_each_node(job.nodes, [&](NodeId n) {
    const auto i = static_cast<std::size_t>(n);
    if (--count_[job_class][i] == 0) without_[job_class].insert(n);
    needed_[i] -= need;
    jobs_[i].erase(std::find(jobs_[i].begin(), jobs_[i].end(), &job));
  });
}

std::int32_t NodeLedger::foreign(NodeId node, std::size_t job_class) const {
  const auto i = static_cast<std::size_t>(node);
  return static_cast<std::int32_t>(jobs_[i].size()) - count_[job_class][i];
}

}  // namespace coslice
