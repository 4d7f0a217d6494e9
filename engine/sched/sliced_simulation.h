// The job-level simulation under time slices. Each class of jobs has a view with a scheduler of its own, which knows
// nothing of slices: its clock runs only while its slices are productive. This class preempts and resumes, lets jobs
// of other classes use what a slice leaves over, and keeps the nodes' memory.
//
// Order of events at one instant: job ends, loads finished, slice end, slice begin, submissions, one scheduling pass.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/node_memory.h"
#include "sched/node_choice.h"
#include "sched/node_ledger.h"
#include "sched/scheduler.h"
#include "sched/sharing.h"
#include "sched/simulation.h"
#include "sched/slices.h"
#include "sched/submission_feed.h"

namespace coslice {

class SlicedSimulation : private ViewHost {
 public:
  /// One scheduler per class of the options. All references outlive the simulation. Throws SimulationError for the
  /// event order submissions-first, which knows no slices.
  SlicedSimulation(const MachineSpec& machine, const std::vector<Job>& jobs, std::vector<Scheduler*> schedulers,
                   SliceOptions slices, const EngineOptions& options, std::optional<SharingOptions> sharing = {});
  ~SlicedSimulation() override;

  void add(Observer& observer);
  void on_progress(std::function<void(std::size_t done)> f) { progress_ = std::move(f); }
  /// Simulates until every job has ended. Throws SimulationError if some never get to run.
  void run();

  std::vector<Time> take_submission_times() { return feed_.take_submission_times(); }
  const SliceCounts& counts() const { return counts_; }
  const SharingCounts& sharing_counts() const { return sharing_counts_; }
  /// By JobIndex; empty where nodes are not shared.
  std::vector<SharedJob> shared_jobs() const;
  /// Loading and swapping per job, by JobIndex; empty if memory is not modelled.
  const std::vector<Duration>& overhead() const { return overhead_; }
  /// Part of it: the first load of each job.
  const std::vector<Duration>& first_load() const { return first_load_; }

 private:
  /// A class with its view: a machine of its own in virtual time.
  struct World {
    World(const std::vector<Job>& jobs, std::int32_t nodes, ViewHost& host, const std::vector<Observer*>& observers)
        : view(jobs, nodes, Time{}, host, observers) {}
    View view;
    Scheduler* scheduler = nullptr;
    bool submitted = false;    ///< since its last pass
    bool ended = false;        ///< one of its jobs, since its last pass
    bool reopened = false;     ///< a slice of its own began, or it asked for a pass now
    std::int32_t ceiling = 0;  ///< at its last pass
  };
  enum class SliceState : std::uint8_t { kNone, kProductive, kDead };
  struct Event {
    Time time;
    bool load;  ///< load finished; else the job's end
    std::uint64_t sequence;
    StartedJob* job;
    std::uint32_t version;
    bool operator>(const Event& o) const {
      return time != o.time ? time > o.time : load != o.load ? load : sequence > o.sequence;
    }
  };

  // ViewHost
  void launch(StartedJob& job, std::uint64_t order) override;
  void wake_at(Time t) override;
  std::int32_t nodes_of(JobIndex j) const override;
  Time wall_time_after(const View& view, Duration productive) const override;
  Time wall_now() const override { return now_; }
  std::int32_t shared_ppn(JobIndex j) const override { return ppn_[j].shared; }
  void count_attempt(std::size_t candidates) override;
  void bound_response(JobIndex j, Duration bound) override { ppn_[j].had.bound = bound; }
  void set_ppn_alone(View& view, View::Position p, std::int32_t ppn) override;
  void launch_group(StartedJob& primary, const std::vector<StartedJob*>& matched, double gain) override;
  void separate(Group& group) override;

  // the loop: sliced_simulation.cpp
  Time next_instant() const;
  void advance(Time now);
  void handle_instant();
  bool handle_job_events();
  bool handle_slices();
  void end_slice();
  void begin_slice(const Slice& slice);
  void next_slice();
  std::size_t class_of_next_slice() const;
  bool wants_slice(std::size_t c) const;
  void submit();
  void enter(JobIndex j);
  void ask_ppn(const View& view, JobIndex j);
  Duration planned_alone(JobIndex j) const;
  void settle();
  void check_alive();
  std::string why_nobody_starts() const;
  void check_progress();
  Duration work_left() const;

  // scheduling passes: foreign_jobs.cpp
  void pass();
  void pass_closed(World& world);
  void pass_open();
  bool on_demand_is_over() const;
  std::int32_t evictable_nodes() const;
  void evict_for(std::int32_t count);
  void run_foreign();
  Profile slice_profile();
  bool fits_slice(const Profile& profile, std::int32_t n, Duration d) const;
  void resume_foreign(std::size_t c, Profile& profile);
  void start_foreign(std::size_t c, Profile& profile);
  bool start_foreign_job(std::size_t c, View::Position p, Profile& profile);
  bool delays_nobody(World& world, View::Position p, Duration d) const;
  /// Whether a foreign job may not be stopped for one of the slice's class.
  bool stays(const StartedJob& job) const { return !job.evictable || !slices_.evict; }
  void lend_to(const StartedJob& job, std::int32_t nodes, Duration d);
  void take_back_from(const StartedJob& job);

  // jobs: sliced_jobs.cpp
  void first_start(StartedJob& job, const NodeSet& admissible);
  NodeRanges choose_for(StartedJob& job, std::int32_t count, const NodeSet& admissible);
  void begin_job(StartedJob& job);
  void set_going(StartedJob& job);
  void rebase(StartedJob& job);
  void stop(StartedJob& job);
  void finish(StartedJob& job);
  void finish_load(StartedJob& job);
  void transfer(StartedJob& job, Duration amount);
  void schedule_event(StartedJob& job, Time t, bool load);
  void schedule_end(StartedJob& job);
  void hold_rest(StartedJob& job);
  Duration missing(const StartedJob& job) const;

  // shared nodes: shared_nodes.cpp; pairs that are taken apart: separation.cpp
  std::int32_t nodes_for(std::int32_t size, std::int32_t ppn) const;
  NodeShape node_shape() const;
  double slowdown_alone(JobIndex j, std::int32_t ppn) const;
  double slowdown_beside(const StartedJob& job, const StartedJob& other) const;
  void occupy(const StartedJob& job);
  void vacate(const StartedJob& job);
  void account(StartedJob& job);
  void set_rate(StartedJob& job, double slowdown);
  void set_rates(Group& group);
  void size_members(StartedJob& primary, const std::vector<StartedJob*>& matched);
  void lay(StartedJob& primary, const std::vector<StartedJob*>& matched);
  NodeRanges idle_nodes_for(StartedJob& job, std::int32_t count);
  void count_group(Group& group, double gain);
  void count_gain(Group& group);
  void leave_group(StartedJob& job);
  std::vector<Duration> planned_ends(const Group& group);
  void hold_group(const Group& group);
  std::vector<Duration> ends_apart(const Group& group);
  void go_on(StartedJob& job);
  /// What runs and stops only together: the job's group, or the job.
  std::vector<StartedJob*> unit_of(StartedJob& job) const;
  std::int32_t unit_nodes(const StartedJob& job) const;
  /// Taken apart from the job over whose nodes it lies, which has not ended.
  static bool waits_for_primary(const StartedJob& job) {
    return job.group != nullptr && job.group->apart && job.group->primary != &job;
  }
  static bool leads(const StartedJob& job) { return job.group == nullptr || job.group->primary == &job; }
  Duration unit_time(StartedJob& job);
  Duration need(JobIndex j) const { return memory_ ? need_[j] : Duration{0}; }
  std::size_t class_of(const StartedJob& job) const { return class_[job.index]; }
  World& world_of(const StartedJob& job) { return worlds_[class_of(job)]; }
  bool in_own_slice(const StartedJob& job) const {
    return state_ == SliceState::kProductive && class_of(job) == slice_.job_class;
  }
  Time estimated_completion(StartedJob& job);
  struct TypicalSlice {
    Duration offset{0};  ///< from the beginning of the interval
    Duration productive{0};
  };
  TypicalSlice typical_slice(std::size_t c) const;
  Duration mean_on_demand(std::size_t c) const;
  Time wall_time_after(std::size_t c, Duration productive) const;

  const std::vector<Job>& jobs_;
  EngineOptions options_;
  SliceOptions slices_;
  std::optional<SharingOptions> sharing_;
  Cluster cluster_;
  NodeLedger ledger_;
  std::unique_ptr<NodeMemory> memory_;
  std::vector<Observer*> observers_;
  std::deque<World> worlds_;
  SubmissionFeed feed_;
  SlicePlan plan_;
  std::vector<std::uint8_t> class_;     ///< by JobIndex
  std::vector<StartedJob*> in_memory_;  ///< by JobIndex, where memory is modelled
  std::vector<Duration> need_;          ///< by JobIndex, where memory is modelled: transfer time on each node
  std::vector<Duration> overhead_, first_load_;
  std::vector<Duration> charged_;  ///< by JobIndex: for being written out since it stopped
  struct Ppn {
    std::int32_t alone = 1, shared = 1;  ///< processes per node
    SharedJob had;                       ///< what it really got
  };
  std::vector<Ppn> ppn_;               ///< by JobIndex, where nodes are shared
  std::vector<std::int32_t> jobs_on_;  ///< running or loading, by node, where nodes are shared
  std::list<Group> groups_;            ///< addresses are stable
  std::uint32_t group_number_ = 0;
  SharingCounts sharing_counts_;
  std::vector<Event> events_;       ///< heap, earliest first
  std::vector<StartedJob*> going_;  ///< running or loading, in order of start or resumption
  /// A foreign job that stays whoever of the slice's class comes: that class's view holds its nodes.
  struct Guest {
    const StartedJob* job;
    std::int32_t nodes;
    Time until;  ///< in the view's time
  };
  std::vector<Guest> guests_;
  Time now_{};
  SliceState state_ = SliceState::kNone;
  Slice slice_;
  Time slice_clock_{};  ///< instant up to which the active view's clock has been moved
  Time wake_ = kNever;
  Time idle_since_{};
  Time first_interval_{};
  std::vector<Duration> on_demand_time_;  ///< by class: length of its on-demand slices so far, in all
  bool in_pass_ = false;
  std::uint64_t sequence_ = 0;
  std::int64_t used_cores_ = 0;
  std::size_t done_ = 0;
  /// When progress was last looked for, and what was left to do then.
  struct Watch {
    std::size_t done = 0, known = 0;
    std::int64_t slices = 0, loads = 0;
    Duration work{0};
  } watch_;
  std::size_t active_jobs_ = 0;  ///< submitted and not ended
  SliceCounts counts_;
  std::function<void(std::size_t)> progress_;
};

}  // namespace coslice
