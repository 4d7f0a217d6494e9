// The services of a simulation that a view calls. Each has a default for simulations that lack the feature.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cluster/node_set.h"
#include "core/time.h"
#include "sched/job_times.h"
#include "sched/waiting_queue.h"
#include "workload/job.h"

namespace coslice {

class Contention;
class View;
struct Group;
struct JobSize;
struct StartedJob;

/// How a running job is to stop.
struct StopOrder {
  enum class How : std::uint8_t {
    kRequeue,     ///< it waits again; what it did since its last checkpoint is lost
    kCheckpoint,  ///< it writes a checkpoint first, and waits again
    kCancel,      ///< for good
  } how = How::kRequeue;
  Duration grace{0};           ///< so much later; at least the checkpoint's cost
  FinalCheckpoint checkpoint;  ///< kCheckpoint
  JobIndex for_job = kNoJob;   ///< that it makes way for, if it is one
};

/// Carries out what a view decides.
class ViewHost {
 public:
  virtual ~ViewHost() = default;
  /// The view decided to start the job. `order` ranks starts that take effect at the same instant.
  virtual void launch(StartedJob& job, std::uint64_t order) = 0;
  /// The view wants a scheduling pass at t, even if nothing else happens then.
  virtual void wake_at(Time t) = 0;
  /// Nodes that the job needs.
  virtual std::int32_t nodes_of(JobIndex job) const = 0;
  /// Whether a job that was interrupted waits as if it had been submitted then.
  virtual bool requeues_at_back() const { return false; }
  /// How often the job was interrupted so far.
  virtual std::int32_t interruptions(JobIndex) const { return 0; }
  /// Stops the running job, which has its nodes, now or when its grace is over, if it has not ended by then. One that is requeued waits again
  /// when the pass is over, and another pass follows. Throws SimulationError where running jobs cannot be stopped.
  virtual void stop(StartedJob& job, const StopOrder& order);
  /// Nodes of a started job on which another one may run while it is suspended: all that it has; of one that is suspended
  /// already those that it has not lent; none of one that runs on lent nodes, or is to stop. Throws SimulationError where
  /// jobs cannot be suspended.
  virtual NodeRanges lendable(const StartedJob& job) const;
  /// The view decided to start the job on nodes that these lend it and on idle ones. They are suspended until all jobs have
  /// ended to which they have lent nodes.
  virtual void launch_over(StartedJob& job, const std::vector<StartedJob*>& lenders);
  /// The job, which has just left its queue, waits aside until release(); it is believed to need so much time. Throws
  /// SimulationError where that cannot be.
  virtual void set_aside(JobIndex job, Duration planned);
  /// The job that was set aside is in the queue again when the pass is over; another pass follows.
  virtual void release(JobIndex job);
  /// Returns whether the job was set aside and not released yet.
  virtual bool is_aside(JobIndex) const { return false; }
  /// The job, which has just left its queue, will never run. Throws SimulationError where that cannot be.
  virtual void refuse(JobIndex job, Rejection why);
  /// The sizes among which a moldable job may choose while it waits; null: it has one.
  virtual const std::vector<JobSize>* sizes_of(JobIndex) const { return nullptr; }
  /// The waiting job has the i-th of its sizes from now on. Returns for how long it is believed to run then.
  virtual Duration mold(JobIndex, std::size_t /*i*/) { return Duration{1}; }
  /// The waiting job asks for a slice of so many parts of a GPU of that kind from now on; 0: for what it asked at first. Returns
  /// for how long it is believed to run then; nothing if it cannot have such a slice. Throws SimulationError where that cannot be.
  virtual std::optional<Duration> take_slice(JobIndex job, std::int32_t kind, std::int32_t slice);
  /// Nodes that are powered down.
  virtual std::int32_t nodes_off() const { return 0; }
  /// How jobs slow one another down that share nodes of a machine whose nodes differ; null: they do not.
  virtual const Contention* contention() const { return nullptr; }
};

/// The wall clock of a view whose own clock does not always run.
class WallClock {
 public:
  virtual ~WallClock() = default;
  virtual Time now() const = 0;
  /// When so much of the view's own time will have passed, as far as one can tell now.
  virtual Time after(Duration own_time) const = 0;
};

/// Lets the jobs of a view share nodes.
class SharingHost {
 public:
  virtual ~SharingHost() = default;
  /// Processes per node that a waiting job would have in a group.
  virtual std::int32_t shared_ppn(JobIndex job) const = 0;
  /// Counts a search for jobs to lay over a primary one, which found that many candidates.
  virtual void count_attempt(std::size_t candidates) = 0;
  /// Notes the response time that the job is to keep.
  virtual void bound_response(JobIndex job, Duration bound) = 0;
  /// The view decided that the waiting job at p has `ppn` processes per node if it gets nodes of its own. The host
  /// tells how many nodes and how much time that takes (View::resize). Throws SimulationError if that cannot be.
  virtual void set_ppn_alone(View& view, WaitingQueue::Position p, std::int32_t ppn) = 0;
  /// The view decided that these share nodes: the new ones among them (without nodes yet) start, the others run on.
  /// The host holds nodes for all of them.
  virtual void launch_group(StartedJob& primary, const std::vector<StartedJob*>& matched, double gain) = 0;
  /// The view decided that the group goes on with its primary alone: its only matched job, which lies wholly over the
  /// primary's nodes, stops and goes on when the primary has ended.
  virtual void separate(Group& group) = 0;
};

}  // namespace coslice
