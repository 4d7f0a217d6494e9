#include "slices/node_ledger.h"

#include <algorithm>

#include "cluster/node_set.h"

namespace coslice {

NodeLedger::NodeLedger(std::int32_t nodes, std::size_t classes)
    : without_(classes, NodeSet(nodes, true)), needed_(static_cast<std::size_t>(nodes)), allocated_(nodes) {
  allocated_.list_jobs();
}

void NodeLedger::add(StartedJob& job, std::size_t job_class, Duration need) {
  allocated_.come(job);
  without_[job_class].erase(job.nodes);
  for_each_node(job.nodes, [&](NodeId n) { needed_[static_cast<std::size_t>(n)] += need; });
}

void NodeLedger::remove(StartedJob& job, std::size_t job_class, Duration need) {
  allocated_.go(job);
  for_each_node(job.nodes, [&](NodeId n) {
    needed_[static_cast<std::size_t>(n)] -= need;
    if (foreign(n, *job.view) == std::ssize(jobs(n))) without_[job_class].insert(n);
  });
}

std::int32_t NodeLedger::foreign(NodeId node, const View& view) const {
  const auto other = [&](const StartedJob* job) { return job->view != &view; };
  return static_cast<std::int32_t>(std::count_if(jobs(node).begin(), jobs(node).end(), other));
}

}  // namespace coslice
