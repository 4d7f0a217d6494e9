// The jobs that hold nodes: they start, wait for nodes that come up, load their memory, progress at some rate, stop,
// are suspended, end, share nodes, and are evicted. Which of them do so when is decided elsewhere (simulation.h,
// foreign_starts.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "availability/occupancy.h"
#include "core/refusals.h"
#include "events/event_queues.h"
#include "events/node_power.h"
#include "events/outage_events.h"
#include "jobs/engine_options.h"
#include "jobs/job_demands.h"
#include "jobs/job_times.h"
#include "machine/node_set.h"
#include "machine/placement.h"
#include "run/elastic_jobs.h"
#include "schedule/lane.h"
#include "schedule/moldable_jobs.h"
#include "schedule/preemption.h"
#include "schedule/recorded_starts.h"
#include "sharing/contention.h"
#include "sharing/shared_nodes.h"
#include "slices/job_swapping.h"
#include "slices/node_choice.h"
#include "slices/slices.h"

namespace coslice {

// Time slices on a heterogeneous machine: each class of jobs has a ledger of the whole machine
// (availability/node_availability.h), which holds while its slices are productive, and jobs of a class may share nodes
// with one another.

/// What a simulation is told of the machine, beside MachineSpec. All outlive it.
struct SimulationResources {
  const RequestTable* requests = nullptr;          ///< of the workload; null: every job asks for whole nodes
  std::vector<Placement*> placements{};            ///< by class; empty: the first nodes, or as SliceOptions says
  const ContentionOptions* contention = nullptr;   ///< null: jobs do not interfere
  const NodeReservations* reservations = nullptr;  ///< of nodes, for users; null: none
  const PowerOptions* power = nullptr;             ///< null: nodes are never powered down
  const RecordedHistory* history = nullptr;        ///< recorded starts with which the run begins; null: none
  std::optional<Time> start{};                     ///< when it begins; nothing: at the first submission
};

/// Chooses nodes by a function that does not see GPUs: the GPUs on each node are chosen by fitting_gpus().
class NodesFirst : public Placement {
 public:
  using Choose = std::function<NodeRanges(JobIndex, std::int32_t count, const NodeSet& fitting)>;
  explicit NodesFirst(Choose choose) : choose_(std::move(choose)) {}
  bool choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
              Parts& out) override {
    out.clear();
    for_each_node(choose_(job, request.nodes, fitting), [&](NodeId n) {
      out.push_back({n, fitting_gpus(request, pool.room(n))});
    });
    return true;
  }

 private:
  Choose choose_;
};

class RunningJobs {
 public:
  /// Makes the record of running jobs. All references outlive it.
  RunningJobs(const MachineSpec& machine, const std::vector<Job>& jobs, const SliceOptions& slices,
              const EngineOptions& options, const OutageOptions* outages, std::optional<SharingOptions> sharing,
              const SimulationResources& resources, Lanes& classes, const SliceClock& clock,
              const std::vector<Observer*>& observers);

  std::size_t class_of(JobIndex j) const { return class_.empty() ? 0 : class_[j]; }
  std::size_t class_of(const StartedJob& job) const { return class_of(job.index); }
  /// Returns, under slices, the jobs that run, load or wait for nodes to come up, in order of start or resumption.
  const std::vector<StartedJob*>& going() const { return going_; }
  /// Returns which nodes have which jobs that run or load.
  const Occupancy& occupancy() const { return occupied_; }
  Occupancy& occupancy() { return occupied_; }
  /// Returns which jobs have which nodes, whether they run or not. Precondition: limits_are_work().
  const NodeAllocations& allocations() const { return *allocations_; }
  /// Counts the jobs that have the node, whether they run or not.
  std::int32_t jobs_on(NodeId n) const {
    return allocations_ ? static_cast<std::int32_t>(allocations_->jobs(n).size()) : occupied_.jobs_on(n);
  }
  /// Returns the jobs that have the node, in the order in which they came to it.
  std::vector<StartedJob*> jobs_with(NodeId n) const;
  const SliceCounts& counts() const { return counts_; }
  SliceCounts& counts() { return counts_; }
  JobMemory& memory() { return memory_; }
  const JobMemory& memory() const { return memory_; }
  /// Returns the record of shared nodes; null where jobs share no nodes.
  SharedNodes* shared() { return shared_ ? &*shared_ : nullptr; }
  const SharedNodes* shared() const { return shared_ ? &*shared_ : nullptr; }
  std::int64_t used_cores() const { return used_cores_; }
  /// Returns how long jobs run, what interruptions left of them included.
  JobTimes& times() { return times_; }
  const JobTimes& times() const { return times_; }
  EndQueue& ends() { return ends_; }
  const EndQueue& ends() const { return ends_; }

  /// Returns what jobs ask for; null where no request distinguishes nodes.
  JobDemands* demands() const { return demands_.get(); }
  /// Returns whether each class has a ledger of the single nodes; else one count of them says when jobs fit.
  bool by_node() const { return by_node_; }
  /// Makes the ledger of the class; null where a count is enough.
  std::unique_ptr<NodeAvailability> make_ledger(std::size_t job_class, Time start);
  /// Returns how jobs interfere on a heterogeneous machine; null where they do not.
  const Contention* contention() const { return contention_ ? &*contention_ : nullptr; }
  /// Returns the choice of nodes for jobs of the class, on a heterogeneous machine: its policy's, else the one that
  /// SliceOptions asks for.
  Placement& placement(std::size_t job_class) { return *placements_[job_class].placement; }
  /// Returns which nodes are powered down; null: nodes never are.
  NodePower* power() { return power_ ? &*power_ : nullptr; }
  const NodePower* power() const { return power_ ? &*power_ : nullptr; }
  /// Returns what jobs wait for their nodes to come up, at most.
  Duration longest_boot() const { return power_ ? power_->options().longest_boot() : Duration{0}; }
  /// Returns the corrections of estimates that proved too short.
  Corrections& corrections() { return corrections_; }
  const Corrections& corrections() const { return corrections_; }
  /// Returns what changes what placement(job_class) is shown for jobs that start in a slice of their own, where other
  /// jobs may make way; null where none do.
  StartChoice* choice_of_starts(std::size_t job_class);
  /// Returns what running jobs leave of each node; null where nodes are equal.
  RunningRoom* room() { return room_.get(); }
  /// Returns whether nothing that the machine has is what the job asks for.
  bool can_never_run(JobIndex j) const {
    return (demands_ && demands_->demand(j).empty()) || nodes_of(j) > machine_.nodes;
  }

  /// Returns how many nodes the job needs on its own.
  std::int32_t nodes_of(JobIndex j) const;
  /// Returns for how long the job may hold nodes of its own, as far as a scheduler can know.
  Duration planned_alone(JobIndex j) const;
  /// Returns how long the job takes on nodes of its own for what it is believed to need: work, where plans_work(), else
  /// time.
  Duration time_alone(JobIndex j, Duration believed) const;
  /// Returns for how long the waiting job may hold nodes of its own, as its scheduler believes.
  Duration believed_alone(JobIndex j) const;
  /// Returns the most that a scheduler may believe the job to need.
  Duration most_believed(JobIndex j) const { return plans_work() ? times_.planned(j) : planned_alone(j); }
  /// Returns whether limits are of work, however long that takes; else they are of time since the start.
  bool limits_are_work() const { return limits_are_work_; }
  /// Returns whether what a job is believed to need is work, however long that takes: where limits are, and where no
  /// limit ends a job that others slow down.
  bool plans_work() const { return limits_are_work_ || (contention_ && options_.at_limit == AtLimit::kExtend); }
  /// Returns for how long the job may have its nodes, whatever is believed of it; not below what its load of memory
  /// takes.
  Duration longest(JobIndex j) const {
    return planned_alone(j) + memory_.need(j) + longest_boot() + options_.over_limit + options_.kill_wait +
           options_.limit_check.value_or(Duration{0});
  }

  /// Takes the last one of the jobs, which has been added to those of the run since.
  void take_in(JobIndex j);
  /// Lets nothing end jobs but end_outside(). Called before the run.
  void end_jobs_outside() { ends_outside_ = true; }
  /// Lets the started job end now.
  void end_outside(StartedJob& job, bool killed) {
    ends_.add(job, now());
    job.killed = killed;
  }

  // --- what a job does
  /// Lets the job go on nodes that it has, or on the first idle ones. Precondition: there are no slices.
  void start(StartedJob& job);
  /// Gives the job nodes out of `admissible`, and lets it go.
  void start(StartedJob& job, const NodeSet& admissible);
  /// Starts the job on the nodes that the ledger of its class gave it, on a heterogeneous machine.
  void start_placed(StartedJob& job);
  /// Holds nodes for jobs whose speed has changed since the last call, as their schedulers believe. Returns whether
  /// there was one. Not during a pass: reservations may move.
  bool update_holds() { return !speeds_.changed.empty() && hold_changed(); }
  /// Resumes the preempted job. Its nodes are idle.
  void resume(StartedJob& job) {
    for (Observer* o : observers_) o->resumed(now(), job.index, job.nodes);
    set_going(job, true);
  }
  /// Preempts: what was done counts, the nodes stay allocated.
  void stop(StartedJob& job);
  /// Lets the job go on in the slice of its own class, which begins while it runs in another one.
  void go_on_in_own_slice(StartedJob& job);
  /// Ends what the job did before its work: its nodes are up, or its memory is loaded.
  void finish_load(StartedJob& job);
  void finish(StartedJob& job);
  /// Suspends the job, which lends nodes to others from now on.
  void suspend(StartedJob& job);
  /// Suspends the job, if it is not, until its policy lets it go on.
  void keep_suspended(StartedJob& job);
  /// Lets the suspended job go on, which has all of its nodes; it is believed to need `planned` from now on.
  void go_on_after_loan(StartedJob& job, Duration planned);
  /// Holds the nodes of the suspended job until it is believed to end.
  void hold_suspended(StartedJob& job);
  /// Makes those that have lent the job nodes hold theirs until they are believed to end after it.
  void hold_lenders_of(const StartedJob& job);
  /// Takes the suspended jobs of the view, whose slice is over, from their nodes, and lets go of what is kept for
  /// orders of its elastic ones; or puts them there and keeps it when the next slice begins. Others may run there only
  /// in between.
  void leave_to_others(HostedView& view);
  void take_back_from_others(HostedView& view);
  /// Takes `count` idle nodes for a waiting job that also has lent ones; stops foreign jobs for them.
  NodeRanges take_idle(const StartedJob& job, std::int32_t count);
  /// Raises what the running job is believed to need, which it has outrun.
  void correct(StartedJob& job);
  /// Stops the job, running or preempted, for good: it leaves its nodes and its view. `what` says why; what it lost is
  /// filled in. `last`: a checkpoint that was written at last, null if none was.
  void interrupt(StartedJob& job, Interruption& what, const FinalCheckpoint* last = nullptr);
  /// Returns what the job has done since its start, at rate 1.
  Duration done(const StartedJob& job) const;
  /// Returns when the job is to stop in the present slice of its class, in the time of the class; kNever: not in this
  /// slice.
  Time leaves_in_slice(const StartedJob& job) const;
  /// Returns how many nodes others could have if the job and those of its group stopped.
  std::int32_t freed_by(StartedJob& job) const;
  /// Implements SlicedHost::freed_by().
  SlicedHost::Freed freed_by(const std::vector<StartedJob*>& jobs) const;
  /// Lets the job's view hold its nodes until job.leaves at most, when it is to stop.
  void hold_until_it_leaves(StartedJob& job);
  /// Returns for how long the job's unit would run from now.
  Duration unit_time(StartedJob& job);

  // --- jobs of other classes than the slice's
  /// Returns whether a foreign job may not be stopped for one of the slice's class.
  bool stays(const StartedJob& job) const { return !job.evictable || !slices_.evict; }
  /// Lets the view of the slice's class hold nodes for the job, for `d` or the rest of the slice.
  void hold_foreign(const StartedJob& job, std::int32_t nodes, Duration d);
  void release_foreign() { foreign_.clear(); }
  /// Returns the foreign jobs that may be stopped now, in the order in which they are.
  std::vector<StartedJob*> evictable() const;
  /// Returns the idle nodes on which jobs may start.
  const NodeSet& startable();
  /// Returns how many nodes are startable().
  std::int32_t startable_count() const {
    return nodes_.closing.empty() ? occupied_.idle().count() : (NodeSet(occupied_.idle()) -= nodes_.closing).count();
  }
  /// Returns, on a heterogeneous machine, whether the job surely takes no longer than it was believed to before it
  /// started: no job beside it interferes or takes its memory.
  bool surely_in_time(JobIndex j) const {
    return (demands_->request(j).exclusive && demands_->request(j).rows <= 1) || (!contention_ && !memory_.modelled());
  }
  /// Returns how many nodes eviction would make idle.
  std::int32_t evictable_nodes() const;
  /// Stops foreign jobs, longest class first, last started first, until `count` nodes are idle.
  void evict_for(std::int32_t count);

  // --- nodes that are not always there
  /// Starts no more jobs on the node; jobs that have it continue.
  void start_none_on(NodeId n) {
    if (!by_node() && limits_are_work()) nodes_.closing.insert(n);  // else the ledgers of all classes say so
  }
  /// Returns whether one of the nodes is to go when its jobs have ended.
  bool some_to_go(const NodeRanges& nodes) const { return !nodes_.closing.empty() && nodes_.closing.intersects(nodes); }
  /// Takes the node, which has no jobs, down from now on.
  void take_down(NodeId n) {
    if (!nodes_.closing.empty()) nodes_.closing.erase(n);
    occupied_.take_down(n);
    if (power_) power_->goes_down(n, now());
  }
  /// Brings the node up again. Returns whether it was taken down.
  bool bring_back(NodeId n) {
    if (!nodes_.closing.empty()) nodes_.closing.erase(n);
    const bool was_gone = occupied_.bring_back(n);
    if (power_ && was_gone) power_->comes_back(n, now());
    return was_gone;
  }

  // --- jobs that share nodes
  /// Implements SharingHost::launch_group().
  void launch_group(StartedJob& primary, const std::vector<StartedJob*>& matched, double gain, Duration time);
  void separate(Group& group);

  /// Calls f(job) for each job that starts.
  void on_start(std::function<void(JobIndex)> f) { on_start_ = std::move(f); }
  /// Says whether a pass is being made: what starts in a pass does not end at the same instant.
  void set_in_pass(bool in_pass) { in_pass_ = in_pass; }

  // --- what jobs ask for while they wait
  /// Implements Simulation::mold().
  void mold(std::vector<Job>& jobs);
  void divide_gpus(std::vector<Job>& jobs) { divided_ = &jobs; }
  MoldableJobs* molding() { return molding_.get(); }
  const MoldableJobs* molding() const { return molding_.get(); }
  Duration choose_size(JobIndex j, std::size_t i);

  // --- elastic jobs, which change their nodes while they run
  /// Returns whether the job may.
  bool is_elastic(JobIndex j) const;
  /// Returns the record of elastic jobs; null where there are none.
  const ElasticJobs* elastic() const { return elastic_.get(); }
  /// Returns the sizes of a started job that is elastic; null: it keeps the one that it has, as one that is suspended
  /// or has borrowed nodes.
  const std::vector<JobSize>* elastic_sizes(const StartedJob& job) const;
  /// Returns what those elastic jobs of the view that may change their nodes could give up and have.
  ElasticRoom elastic_room(const View& view) const;
  /// Returns the first of them to have started whose number is not below `from`; without a job: there is none.
  ElasticMember next_elastic(const View& view, std::uint64_t from) const;
  /// Lets the elastic job have the i-th of its sizes from its next point on, in place of what was ordered before. What
  /// it gains is kept for it; it is idle. Returns whether the job has that size now.
  bool order_size(StartedJob& job, std::size_t i);
  /// Returns when the elastic job would be expected to end if it had that size from now on, in the time of its view.
  Time expected_end_with(const StartedJob& job, const JobSize& size) const;
  /// Returns the first instant from now on at which the elastic job may change its nodes, in the time of its view;
  /// kNever: there is none.
  Time next_point(const StartedJob& job) const;
  /// Lets all changes and wishes happen that are due.
  void handle_changes();
  /// Lets the job go on without the node, which fails, with the largest size that is left; what was ordered is void.
  /// Returns false if it does not do so, as a job that is not in a slice of its class.
  bool survives(StartedJob& job, NodeId n);
  /// Takes the orders back for which the node is kept.
  void void_order_on(NodeId n);
  /// Calls f(nodes) for nodes that a job gives back and goes on.
  void on_left(std::function<void(const NodeRanges&)> f) { on_left_ = std::move(f); }

  std::optional<Duration> take_gpu_instance(JobIndex j, std::int32_t kind, std::int32_t slice);
  /// Returns the jobs that are suspended in place, and those that borrow their nodes; null before the first one is.
  SuspendedJobs* suspended() { return suspended_.get(); }
  const SuspendedJobs* suspended() const { return suspended_.get(); }
  /// Prepares for suspensions: the first job is about to be suspended, for `but`, which is on no node yet; null: for
  /// none.
  void list_suspended(const StartedJob* but);
  /// Returns what the job has waited or waits for its nodes to come up since its last start.
  Duration boot_of(JobIndex j) const { return power_ ? power_->boot_of(j) : Duration{0}; }

 private:
  bool sliced() const { return sliced_; }
  Lane& lane_of(JobIndex j) const { return sliced_ ? classes_[class_of(j)] : classes_.front(); }
  bool hold_changed();
  void refuse_components(const SimulationResources& resources) const;
  void use_placements(const SimulationResources& resources);
  /// Returns whether the nodes of a job are held until its limit, however fast it progresses.
  bool holds_until_limit() const { return !limits_are_work() && options_.at_limit == AtLimit::kKill; }
  void proceed(StartedJob& job, bool again);
  Duration boot_left(const StartedJob& job) const {
    return power_ ? std::max(later(job.start, power_->boot_of(job.index)) - now(), Duration{0}) : Duration{0};
  }
  double slowdown(const StartedJob& job) const;
  Work planned_work(const StartedJob& job) const;
  Rate rate_alone(JobIndex j) const;
  void correct_later(StartedJob& job);
  bool has_outrun(const StartedJob& job, Rate rate) const;
  void believe_more(StartedJob& job);
  Time over_at_last(const StartedJob& job);
  Duration overtime(const StartedJob& job) const;
  Time reservation_over(const StartedJob& job) const;
  Time gone_at_last(const StartedJob& job, Time told) const;
  Time limit_over(const StartedJob& job) const;
  Time time_over(const StartedJob& job, Duration time) const;
  Time told_before(const StartedJob& job) const;
  Time told_to_end(const StartedJob& job);
  void stands_still(const StartedJob& job);
  void correct_suspended(StartedJob& job);
  std::optional<Feature> keeps_sizes() const;
  void use_elastic();
  void pause_elastic(StartedJob& job);
  void preempt_elastic(StartedJob& job);
  void begin_elastic(StartedJob& job);
  void set_away(StartedJob& job, bool away);
  void keep_for(const StartedJob& job, const NodeRanges& nodes);
  void give_back_kept(const StartedJob& job, const NodeRanges& nodes);
  void renew_ceiling(const StartedJob& job);
  Time own_point(const StartedJob& job) const;
  Time in_view(const StartedJob& job, Time t) const;
  Duration standstill_left(const StartedJob& job) const;
  Time rest_end(const StartedJob& job) const;
  bool has_parts() const;
  NodeRanges nodes_to_gain(const StartedJob& job, std::int32_t more, const NodeRanges& kept);
  void hold_order(StartedJob& job);
  void hold_fewer(StartedJob& job, ElasticJobs::Order& order, Time point);
  void take_order_back(StartedJob& job);
  void void_late_order(StartedJob& job);
  void change_nodes(StartedJob& job);
  void end_elastic(StartedJob& job);
  NodeRanges nodes_to_keep(const NodeRanges& nodes, std::int32_t count) const;
  std::int32_t unit_like(JobIndex j, std::int32_t before) const;
  Rate rate_with(const StartedJob& job, const JobSize& size) const;
  Time expected_end_after(const StartedJob& before, const StartedJob& job, Time t) const;
  Time expected_end_without_order(const StartedJob& job) const;
  StartedJob resized(const StartedJob& before, const JobSize& size, Time t) const;
  Time work_over(const StartedJob& job, Duration over) const;
  Work work_allowed(const StartedJob& job, Duration over) const;
  Occupancy& getting_on() { return sliced() || power_ ? running_ : occupied_; }
  NodeRanges choose_for(const View& view, JobIndex j, std::int32_t count, const NodeSet& admissible);
  void run_beside(StartedJob& job);
  void leave_others(StartedJob& job);
  void change_speed(StartedJob& job);
  void note_speed(StartedJob& job);
  void begin_job(StartedJob& job);
  void make_way(const StartedJob& job, const Parts& parts);
  void lay_group(StartedJob& primary, const std::vector<StartedJob*>& matched);
  void place_group(const std::vector<StartedJob*>& members, const std::vector<StartedJob*>& fresh, Duration time);
  /// `again`: it was going before.
  void set_going(StartedJob& job, bool again = false);
  void leave_nodes(StartedJob& job);
  void break_off(StartedJob& job);
  void give_up(StartedJob& job);
  void leave_machine(StartedJob& job);
  void leave_view(StartedJob& job);
  Duration lost_by(const StartedJob& job, bool requeued, const FinalCheckpoint* last);
  void transfer(StartedJob& job, Duration amount);
  void schedule_end(StartedJob& job);
  void wait_for_end(StartedJob& job);
  void hold_rest(StartedJob& job);
  void account(StartedJob& job);
  void account_unit(StartedJob& job);
  void set_rate(StartedJob& job, double slowdown);
  void set_rates(const Group& group);
  void leave_group(StartedJob& job);
  void go_alone(StartedJob& job);
  void hold_group(const Group& group);
  std::int32_t own_nodes(const StartedJob& job) const;
  Duration loading_left(const StartedJob& job) const;
  Duration loading_left(const Group& group) const;
  bool in_own_slice(const StartedJob& job) const { return clock_.productive_for(class_of(job)); }
  Time now() const { return clock_.now(); }

  const std::vector<Job>& jobs_;
  const SliceOptions& slices_;
  const bool sliced_, limits_are_work_;
  const EngineOptions& options_;
  Lanes& classes_;
  const SliceClock& clock_;
  const std::vector<Observer*>& observers_;
  JobTimes times_;
  MachineSpec machine_;
  Occupancy occupied_;  ///< by jobs that run or load
  Occupancy running_;   ///< by those that run, where jobs interfere: one that loads does nothing to others
  struct {
    NodeSet closing;    ///< to go; empty where nodes are always there
    NodeSet startable;  ///< idle ones without those
  } nodes_;
  std::optional<NodeAllocations> allocations_;  ///< where limits_are_work()
  JobMemory memory_;
  std::optional<NodePower> power_;
  Corrections corrections_;
  /// where limits are of work and kills are waited for: when the job is told that it has to end
  std::map<JobIndex, Time> told_;
  std::unique_ptr<SuspendedJobs> suspended_;  ///< from the first suspension on
  std::unique_ptr<MoldableJobs> molding_;     ///< where jobs may choose their sizes
  std::unique_ptr<ElasticJobs> elastic_;      ///< where jobs may change their nodes while they run
  std::function<void(const NodeRanges&)> on_left_ = [](const NodeRanges&) {};
  std::vector<Job>* divided_ = nullptr;  ///< the jobs, where they may have slices of GPUs
  std::optional<SharedNodes> shared_;
  // On a heterogeneous machine:
  std::unique_ptr<JobDemands> demands_;
  std::optional<Contention> contention_;
  struct PlacementOfClass {
    std::unique_ptr<NodesFirst> as_options_say;
    std::unique_ptr<RecordedPlacement> as_on_record;
    Placement* placement = nullptr;  ///< null: the first nodes
    std::unique_ptr<MakingWay> of_starts;
  };
  std::vector<PlacementOfClass> placements_;  ///< by class, where there is a ledger of the single nodes
  bool on_record_;                            ///< the run begins before there are slices
  const RecordedHistory* history_;            ///< null: none of which nodes are known
  bool by_node_ = false;
  std::unique_ptr<RunningRoom> room_;
  /// Where counts say when jobs fit, and placements which of the idle nodes they get.
  struct {
    std::vector<Placement*> by_class;
    std::optional<NodePool> pool;  ///< idle nodes are empty
  } ranked_;
  /// Speeds, since update_holds().
  struct {
    std::vector<StartedJob*> changed;
    std::vector<StartedJob*> stale;  ///< preempted jobs, which stopped before they were held for it
  } speeds_;
  EndQueue ends_;
  ForeignHolds foreign_;
  std::vector<std::uint8_t> class_;  ///< by JobIndex; empty without slices
  std::vector<StartedJob*> going_;
  SliceCounts counts_;
  std::int64_t used_cores_ = 0;
  bool in_pass_ = false;
  bool ends_outside_ = false;
  std::function<void(JobIndex)> on_start_;
};

}  // namespace coslice
