// Watches a run on a machine whose nodes differ for what must never happen there: more taken of a node, a GPU or a
// licence than it has, a job on a node, or in a partition, that is not for it, or at another speed than its slowest
// node's. What holds on every machine, InvariantChecker watches.
#pragma once

#include <string>
#include <vector>

#include "resources/node_pool.h"
#include "resources/request_table.h"
#include "sched/observer.h"

namespace coslice {

class ResourceInvariants : public Observer {
 public:
  enum class Speeds : std::uint8_t {
    kOfNodes,  ///< a job runs as fast as its slowest node
    kVary,     ///< jobs slow one another down
  };
  /// All references outlive it.
  ResourceInvariants(const MachineSpec& machine, const std::vector<Job>& jobs, const RequestTable& requests,
                     Speeds speeds = Speeds::kOfNodes);

  void rate_changed(Time t, JobIndex j, Rate rate) override;
  void placed(Time t, JobIndex j, const Parts& parts, std::int32_t partition) override;
  void started(Time t, JobIndex j, const NodeRanges& nodes) override;
  /// What a preempted job has is not taken: others run there, and it does again later.
  void preempted(Time t, JobIndex j) override;
  void resumed(Time t, JobIndex j, const NodeRanges& nodes) override;
  void ended(Time t, JobIndex j, const NodeRanges& nodes, bool killed) override;
  void interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption&) override {
    if (seen_[j].on_nodes) ended(t, j, nodes, false);  // else it was preempted or suspended
    seen_[j] = {};
  }

  /// What went wrong, in order; empty if nothing did. At most 20 are kept.
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct Seen {
    Parts parts;
    Rate rate;
    bool placed = false;
    bool on_nodes = false;
  };
  const Request& request(JobIndex j) const { return requests_[jobs_[j].request]; }
  void complain(Time t, JobIndex j, const std::string& what);
  void check_partition(Time t, JobIndex j, std::int32_t partition);
  void take(Time t, JobIndex j);
  void give(JobIndex j);
  void check_part(Time t, JobIndex j, const NodePart& part);
  void check_speed(Time t, JobIndex j, const NodeRanges& nodes);

  const MachineLayout& layout_;
  const std::vector<Job>& jobs_;
  const RequestTable& requests_;
  Speeds speeds_;
  NodePool pool_;
  std::vector<Seen> seen_;
  std::vector<std::string> violations_;
};

}  // namespace coslice
