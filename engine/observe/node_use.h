// Which jobs have which nodes, and when: what nodes draw and cost, and which part of it each job causes, follows from
// that.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "jobs/workload.h"
#include "observe/result.h"
#include "schedule/observer.h"

namespace coslice {

/// Writes down where jobs run, are suspended and leave, for runs in which it is known what nodes draw or cost.
class NodeUse : public Observer {
 public:
  /// Makes the record of nodes. `workload` outlives it.
  explicit NodeUse(const Workload& workload) : workload_(workload) {}

  void placed(Time, JobIndex j, const Parts& parts, std::int32_t) override;
  void started(Time t, JobIndex j, const NodeRanges& nodes) override { come(t, j, nodes); }
  void resumed(Time t, JobIndex j, const NodeRanges& nodes) override { come(t, j, nodes); }
  void resized(Time t, JobIndex j, const NodeRanges&, const NodeRanges& nodes, Duration) override {
    go(t, j);
    come(t, j, nodes);
  }
  void preempted(Time t, JobIndex j) override { events_.push_back({t, j, Event::kPauses}); }
  void interrupted(Time t, JobIndex j, const NodeRanges&, const Interruption&) override { go(t, j); }
  void ended(Time t, JobIndex j, const NodeRanges&, bool) override { go(t, j); }
  void node_down(Time t, NodeId n, OutageKind) override {
    events_.push_back({t, static_cast<std::uint32_t>(n), Event::kDown});
  }
  void node_up(Time t, NodeId n) override { events_.push_back({t, static_cast<std::uint32_t>(n), Event::kUp}); }

  /// Fills in RunResult::busy and, where watts are known, RunResult::joules. Preconditions: the result has its machine,
  /// its costs and, where nodes are powered down, what is known of that.
  void settle(RunResult& result) const;

  /// What happened to a job or to a node.
  struct Event {
    Time time{};
    std::uint32_t which = 0;  ///< the job, or the node
    enum What : std::uint8_t { kRuns, kPauses, kLeaves, kDown, kUp } what = kRuns;
    RequestId request = kNoRequest;  ///< as it was when the job came: jobs may choose it
    ArchivedNodes nodes{};           ///< of a job that comes
    std::int32_t parts = -1;         ///< of one of several components: into parts_
  };

 private:
  void come(Time t, JobIndex j, const NodeRanges& nodes) {
    const auto placed = parts_of_.find(j);
    events_.push_back({t, j, Event::kRuns, workload_.jobs[j].request, nodes_.add(nodes),
                       placed == parts_of_.end() ? -1 : placed->second});
  }
  void go(Time t, JobIndex j) { events_.push_back({t, j, Event::kLeaves}); }

  const Workload& workload_;
  std::vector<Event> events_;
  NodeArchive nodes_;
  std::vector<Parts> parts_;                   ///< that jobs of several components had
  std::map<JobIndex, std::int32_t> parts_of_;  ///< those that they have now
};

}  // namespace coslice
