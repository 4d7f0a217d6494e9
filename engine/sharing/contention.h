// How much slower jobs run that share nodes: any number of them on a node, each as slow as the node on which it is
// slowed down most makes it. The factors of pairs are those of jobs/slowdown.h; here they are put together.
//
// What a job's own processes do to one another counts, too, where that is asked for, and so does the speed of nodes.
#pragma once

#include "availability/occupancy.h"
#include "events/event_queues.h"
#include "jobs/job_demands.h"
#include "jobs/slowdown.h"

namespace coslice {

struct ContentionOptions {
  /// Which jobs interfere.
  enum class Among : std::uint8_t {
    kNode,  ///< those on the same node
    kGpu,   ///< those that use the same GPU; a job of several is as slow as the one on which it is slowed down most
  };
  /// What the factors of several jobs beside one come to.
  enum class Combine : std::uint8_t {
    kProduct,  ///< all of them, one after the other
    kWorst,    ///< the largest; as for a group's primary (Zeng 2009, Section 4.3)
    kSum,      ///< 1 and what each adds to it
  };

  const SlowdownModel* slowdowns = nullptr;  ///< outlives the run
  Among among = Among::kNode;
  Combine combine = Combine::kProduct;
  /// Whether run times are with one process on a node: more of them slow the job down (SlowdownModel::alone).
  bool own = false;
};

class Contention {
 public:
  /// Makes the contention of jobs that are where `running` says. All references outlive it.
  Contention(const JobDemands& demands, const ContentionOptions& options, const Occupancy& running)
      : demands_(demands), options_(options), running_(running),
        changes_(static_cast<std::size_t>(demands.layout().node_count())) {}

  const SlowdownModel& slowdowns() const { return *options_.slowdowns; }
  /// Counts that the job has come to its nodes, or gone.
  void note_change(const StartedJob& job) {
    for (const NodePart& part : job.parts) ++changes_[static_cast<std::size_t>(part.node)];
    ++all_changes_;
  }
  /// Returns how often a job has come or gone so far, in all and by node.
  std::uint64_t changes() const { return all_changes_; }
  const std::vector<std::uint64_t>& node_changes() const { return changes_; }
  /// Returns the jobs on the node, in the order in which they came; of whole nodes none.
  const Occupancy::Jobs& on(NodeId n) const { return running_.jobs(n); }
  /// Returns the jobs that share something with the job, without itself; each once, by JobIndex.
  std::vector<StartedJob*> sharers(const StartedJob& job) const;
  /// Returns the factor on the job's run time on the nodes that it has, beside the jobs that are there now.
  double slowdown(const StartedJob& job) const;

  /// Returns the factor on the run time of a job, waiting or not, that has the slowest of its possible nodes for
  /// itself.
  double slowest_alone(JobIndex j) const;

  // --- what a scheduler may know: the same with factors that may be misjudged
  /// Returns the factor on the run time of a job that would have these GPUs of the node, beside the jobs that are
  /// there, and beside `guest` (kNoJob: none).
  double expected(JobIndex j, const Request& request, const NodePart& part, JobIndex guest = kNoJob,
                  const NodePart& guest_part = {}) const;
  /// Returns the factor on the run time of a job that is on the node if `guest` (kNoJob: none) came there.
  double expected_there(const StartedJob& job, const NodePart& part, JobIndex guest, const NodePart& guest_part) const {
    return expected(job.index, request(job), part, guest, guest_part);
  }
  /// Returns the factor on the run time of a job, waiting or not, that would have nodes of that kind for itself, or
  /// share what it has there with one other job; 0 if it cannot run there.
  double expected_on(JobIndex j, std::int32_t kind, JobIndex other) const;
  /// Returns the factor on the run time of a job, waiting or not, on an instance of `slice` parts of a GPU of that
  /// kind; 0 if it cannot run there.
  double expected_on_gpu_instance(JobIndex j, std::int32_t kind, std::int32_t slice) const;
  /// Returns the processes over slowdowns of the jobs on the node that share something with the guest's part: how much
  /// of it is of use. `guest` as above.
  double useful(NodeId n, JobIndex guest, const Request& request, const NodePart& guest_part) const;
  /// Returns the part that the job has of the node. Precondition: it is there.
  static const NodePart& part_on(const StartedJob& job, NodeId n) {
    return *std::ranges::find_if(job.parts, [&](const NodePart& p) { return p.node == n; });
  }
  /// Returns whether jobs that have these parts of a node share what slows them down.
  bool meet(const NodePart& a, const NodePart& b) const {
    return options_.among == ContentionOptions::Among::kNode || (a.gpus & b.gpus) != 0;
  }

 private:
  class Factors;
  /// Returns the type of the GPUs that the part has; -1: it has none.
  std::int32_t gpu_type(const NodePart& part) const {
    return part.gpus == 0 ? -1 : demands_.layout().kind_of(part.node).gpu_type;
  }
  double alone(JobIndex j, const Request& request, NodeId n) const;
  const Request& request(const StartedJob& job) const { return demands_.request_of(demands_.unit(job.unit)); }
  template <class F>
  double put_together(const NodePart& part, F&& each) const;

  const JobDemands& demands_;
  ContentionOptions options_;
  const Occupancy& running_;
  std::vector<std::uint64_t> changes_;  ///< by node
  std::uint64_t all_changes_ = 0;
};

/// The slowest that a rate can hold (core/time.h), with room.
inline constexpr double kSlowest = 1e6;

// What a scheduler believes of single jobs on a machine with kinds of nodes, in seconds.

/// Returns the work per second of a job, waiting or not, on nodes of that kind for itself, or beside one other job
/// there; 0: it cannot run there.
double believed_speed(const View& view, JobIndex j, std::int32_t kind, JobIndex other = kNoJob);
/// Returns what is left of a started job, at a speed of 1.
double believed_left(const View& view, const StartedJob& job);
/// Returns an instant of the view's time on the machine's clock.
double on_machine_clock(const View& view, double seconds);

}  // namespace coslice
