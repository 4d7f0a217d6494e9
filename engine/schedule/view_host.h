// The host of a view, as seen from there: what carries out decisions, and answers questions about the machine.
#pragma once

#include <vector>

#include "core/error.h"
#include "jobs/waiting_queue.h"
#include "schedule/observer.h"

namespace coslice {

class Contention;
class View;
struct JobSize;
struct StartedJob;

/// How a running job is to stop.
struct StopOrder {
  enum class How : std::uint8_t {
    kRequeue,     ///< the job waits again; what it did since its last checkpoint is lost
    kCheckpoint,  ///< the job writes a checkpoint first, and waits again
    kCancel,      ///< for good
  } how = How::kRequeue;
  Duration grace{0};           ///< how much later the job stops; at least the checkpoint's cost
  FinalCheckpoint checkpoint;  ///< kCheckpoint
  JobIndex for_job = kNoJob;   ///< the job that this one makes way for; kNoJob: none
};

/// What the elastic jobs that run, and may change their nodes, could give up and have.
struct ElasticRoom {
  std::int32_t spare = 0;    ///< nodes beyond the least of each job, of those that it has or was ordered to have
  std::int32_t more = 0;     ///< nodes from there up to the most of each job
  std::int32_t leaving = 0;  ///< nodes that they give up at their next points
};

/// One of these jobs.
struct ElasticMember {
  StartedJob* job = nullptr;
  std::uint64_t number = 0;          ///< of its start among those of all elastic jobs
  std::int32_t nodes = 0;            ///< that it was ordered to have, else those that it has
  std::int32_t least = 0, most = 0;  ///< nodes of its smallest and its largest size
};

/// Carries out what a view decides, and answers questions about the machine.
class ViewHost {
 public:
  virtual ~ViewHost() = default;
  /// Starts the job, as the view decided. `order` ranks starts that take effect at the same instant.
  virtual void launch(StartedJob& job, std::uint64_t order) = 0;
  /// Requests a scheduling pass at t, even if nothing else happens then.
  virtual void wake_at(Time t) = 0;
  /// Returns how many nodes the job needs.
  virtual std::int32_t nodes_of(JobIndex job) const = 0;
  /// Returns whether a job that was interrupted waits as if it had been submitted then.
  virtual bool requeues_at_back() const = 0;
  /// Returns how often the job was interrupted so far.
  virtual std::int32_t interruptions(JobIndex job) const = 0;
  /// Stops the running job, which has its nodes, now or when its grace is over, if it has not ended by then. One that
  /// is requeued waits again when the pass is over, and another pass follows.
  virtual void stop(StartedJob& job, const StopOrder& order) = 0;
  /// Returns the nodes of a started job on which another one may run while it is suspended: all that it has; of a
  /// suspended job those that it has not lent; none of a job that runs on lent nodes, or is to stop. Throws
  /// SimulationError where jobs cannot be suspended.
  virtual NodeRanges lendable(const StartedJob& job) const = 0;
  /// Starts the job on nodes that these lend it and on idle ones, as the view decided. Each lender is suspended until
  /// all jobs have ended to which it has lent nodes.
  virtual void launch_over(StartedJob& job, const std::vector<StartedJob*>& lenders) = 0;
  /// Suspends the job, which is started and not about to stop, on its nodes until go_on(). Throws SimulationError where
  /// jobs cannot be.
  virtual void suspend(StartedJob& job) = 0;
  /// Lets the job go on that suspend() stopped: now, or when those have ended to which it has lent nodes.
  virtual void go_on(StartedJob& job) = 0;
  /// Lets the job, which has just left its queue, wait outside of it until release(); it is believed to need so much
  /// time.
  virtual void set_aside(JobIndex job, Duration planned) = 0;
  /// Puts the job that was set aside back into the queue when the pass is over; another pass follows.
  virtual void release(JobIndex job) = 0;
  /// Returns whether the job was set aside and not released yet.
  virtual bool is_aside(JobIndex job) const = 0;
  /// Rejects the job, which has just left its queue: it will never run.
  virtual void refuse(JobIndex job, Rejection why) = 0;
  /// Returns the sizes among which a moldable job may choose while it waits; null: it has one.
  virtual const std::vector<JobSize>* sizes_of(JobIndex job) const = 0;
  /// Gives the waiting job the i-th of its sizes. Returns for how long it is believed to run then.
  virtual Duration mold(JobIndex job, std::size_t i) = 0;
  /// Returns the job if it runs and may change its nodes; null: it does not run, or keeps those that it has.
  virtual StartedJob* elastic_job(JobIndex /*job*/) const { return nullptr; }
  /// Returns the sizes of a started job that may change its nodes while it runs; null: it keeps those that it has.
  virtual const std::vector<JobSize>* elastic_sizes(const StartedJob& /*job*/) const { return nullptr; }
  /// Returns how many nodes the elastic job has been ordered to have; 0: no order waits for a point.
  virtual std::int32_t ordered_nodes(const StartedJob& /*job*/) const { return 0; }
  /// Lets the elastic job have the i-th of its sizes from its next point on, in place of what was ordered before; what
  /// it gains is free. Returns whether it has that size now.
  virtual bool resize(StartedJob& /*job*/, std::size_t /*i*/) { return false; }
  /// Returns when the elastic job would be expected to end, in the view's time, if it had that size from now on.
  virtual Time expected_end(const StartedJob& /*job*/, const JobSize& /*size*/) const { return kNever; }
  /// Returns the first instant from now on at which the elastic job may change its nodes; kNever: there is none.
  virtual Time next_point(const StartedJob& /*job*/) const { return kNever; }
  /// Returns what those elastic jobs of the view that may change their nodes could give up and have.
  virtual ElasticRoom elastic_room(const View& /*view*/) const { return {}; }
  /// Returns the first of them to have started whose number is not below `from`; without a job: there is none.
  virtual ElasticMember next_elastic(const View& /*view*/, std::uint64_t /*from*/) const { return {}; }
  /// Returns the earliest instant after now at which an elastic job is at a point of its work; kNever: none will be.
  virtual Time next_point_of_any() const { return kNever; }
  /// Lets the waiting job ask for an instance of `slice` parts of a GPU of that kind from now on; 0: for what it asked
  /// at first. Returns for how long it is believed to run then; nothing if it cannot have such an instance. Throws
  /// SimulationError where GPUs are not divided.
  virtual std::optional<Duration> take_gpu_instance(JobIndex job, std::int32_t kind, std::int32_t slice) = 0;
  /// Returns how many nodes are powered down.
  virtual std::int32_t nodes_off() const = 0;
  /// Returns how jobs interfere that share nodes of a heterogeneous machine; null: they do not.
  virtual const Contention* contention() const = 0;
  /// Returns what may be asked where jobs have time slices or form groups on shared nodes; null: they do not.
  virtual const class SlicedHost* slices() const = 0;
};

/// The wall clock of a view whose own clock does not always run.
class WallClock {
 public:
  virtual ~WallClock() = default;
  virtual Time now() const = 0;
  /// Returns when so much of the view's own time will have passed, as far as can be predicted now.
  virtual Time after(Duration own_time) const = 0;
};

/// Lets the jobs of a view share nodes.
class SharingHost {
 public:
  virtual ~SharingHost() = default;
  /// What a waiting job would have in a group.
  struct InGroup {
    std::int32_t ppn = 1;  ///< processes per node
    std::int32_t nodes = 1;
    std::int32_t demand = -1;  ///< into JobDemands::demands(); -1 where nodes are counted
  };
  virtual InGroup in_group(JobIndex job) const = 0;
  /// Returns whether others may be laid over the job, which runs for itself: it is not to stop, and none of its nodes
  /// is to go.
  virtual bool may_be_joined(const StartedJob& job) const = 0;
  /// Returns what its limit leaves the waiting job to do at rate 1: less than all where it goes on from a checkpoint.
  virtual Duration limit_left(JobIndex job) const = 0;
  /// Counts a search for jobs to lay over a primary one, which found that many candidates.
  virtual void count_attempt(std::size_t candidates) = 0;
  /// Notes the response time that the job is to keep.
  virtual void bound_response(JobIndex job, Duration bound) = 0;
  /// Gives the waiting job at p `ppn` processes per node if it gets nodes of its own, as the view decided. The host
  /// says how many nodes and how much time that takes (View::resize). Throws SimulationError if that cannot be.
  virtual void set_ppn_alone(View& view, WaitingQueue::Position p, std::int32_t ppn) = 0;
  /// Lets these jobs share nodes, as the view decided: those without nodes start, the others run on. The host holds
  /// nodes for all of them. `time`: until the last one has ended, as the view expects. Throws SimulationError if there
  /// are no such nodes.
  virtual void launch_group(StartedJob& primary, const std::vector<StartedJob*>& matched, double gain,
                            Duration time) = 0;
  /// Lets the group go on with its primary alone, as the view decided: its only matched job, which lies wholly over the
  /// primary's nodes, stops and goes on when the primary has ended.
  virtual void separate(Group& group) = 0;
};

/// What may be asked of a simulation under time slices, beside what every host of a view answers.
class SlicedHost : public ViewHost {
 public:
  /// Returns the class of the job, by number.
  virtual std::size_t class_of(JobIndex j) const = 0;
  /// Returns the class whose jobs the view has, by number.
  virtual std::size_t class_of(const View& view) const = 0;
  /// Returns whether the slice is one of the view's class.
  virtual bool is_open(const View& view) const = 0;
  /// Returns what the started job has done since its start, in all slices together, at rate 1.
  virtual Duration done(const StartedJob& job) const = 0;
  /// What jobs leave that stop together.
  struct Freed {
    std::int64_t nodes = 0;  ///< on which others could start
    std::int64_t held = 0;   ///< how many of these the ledger of their class holds now
  };
  /// Returns what these running jobs leave if all of them stop now and others of their groups go on.
  virtual Freed freed_by(const std::vector<StartedJob*>& jobs) const = 0;
};

}  // namespace coslice
