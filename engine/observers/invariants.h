// Watches a run for what must never happen, whatever the policy: a node held twice, a job started early, twice or
// never, work lost. What only some policies guarantee is switched on by options.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/machine.h"
#include "cluster/node_set.h"
#include "resources/layout.h"
#include "resources/request_table.h"
#include "sched/observer.h"
#include "sched/simulation.h"
#include "workload/job.h"

namespace coslice {

struct InvariantOptions {
  /// No job starts later than its reservation once said, and no reservation moves later (conservative; EASY in a fixed
  /// order). Under time slices reservations are in the time of the job's class, which passes only in its slices.
  bool promises_kept = false;
  /// At most this many jobs may be on a node at the same time, all of one sharing group, with no more processes than
  /// cores.
  std::int32_t jobs_per_node = 1;
  /// Nodes belong to their jobs, which take as long as their run times but for slowdowns that are told; not so where
  /// processes take turns and wait for one another.
  bool space_shared = true;
  /// Jobs write checkpoints, which lengthen their runs.
  bool checkpoints = false;
  /// Nodes are reserved: a job that waits for a reservation may be rejected when that is over, and reservations of jobs may
  /// move later when one becomes known.
  bool nodes_reserved = false;
  /// What jobs ask for where nodes differ, which says how many nodes moldable ones have; outlives the checker. Null where
  /// they ask for whole nodes by their processes.
  const RequestTable* requests = nullptr;
};

class InvariantChecker : public Observer {
 public:
  InvariantChecker(const MachineSpec& machine, const std::vector<Job>& jobs, const EngineOptions& engine,
                   const InvariantOptions& options = {});

  void submitted(Time t, JobIndex j) override;
  void set_aside(Time t, JobIndex j, bool aside) override;
  void rejected(Time t, JobIndex j, Rejection) override;
  void unfulfilled(Time t, JobIndex j, JobIndex by) override;
  void withdrawn(Time t, JobIndex j) override;
  void reserved(Time now, JobIndex j, Time start) override;
  bool hears_promises() const override { return true; }
  void decided(Time now, JobIndex j, StartReason reason) override;
  void started(Time t, JobIndex j, const NodeRanges& nodes) override;
  void placed(Time t, JobIndex j, const Parts& parts, std::int32_t partition) override;
  void preempted(Time t, JobIndex j) override;
  void resumed(Time t, JobIndex j, const NodeRanges& nodes) override;
  void booting(Time t, JobIndex j, Duration wait, std::int32_t nodes) override;
  void loading(Time t, JobIndex j, Duration time) override;
  void loaded(Time t, JobIndex j) override;
  void rate_changed(Time t, JobIndex j, Rate rate) override;
  void group_formed(Time t, const Group& group, double gain) override;
  void group_ended(Time t, const Group& group) override;
  void swapped_out(Time t, JobIndex j, Duration time) override;
  void slice_begun(Time t, std::size_t job_class, Duration productive) override;
  void ended(Time t, JobIndex j, const NodeRanges& nodes, bool killed) override;
  void interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption& what) override;
  void node_down(Time t, NodeId n, OutageKind kind) override;
  void node_up(Time t, NodeId n) override;
  void passed(Time t) override;
  void settled(const InstantState& state) override;

  /// After the run: no job may be left. Adds what is missing to the violations.
  void finish();
  /// What went wrong, in order; empty if nothing did. At most 20 are kept.
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct Seen {
    Time submitted = kNever, started = kNever, ended = kNever, promised = kNever;
    NodeRanges nodes;
    Time since = kNever;  ///< progress since; kNever while it is preempted or loading
    Work ran;             ///< progress before that
    Rate rate;            ///< at which its work is done
    bool always_at_one = true;
    bool checkpointed = false;  ///< when it had to stop
    std::int32_t ppn = 0;     ///< processes on each of its nodes
    std::uint32_t group = 0;  ///< the sharing group; 0: none
    Time left = kNever;       ///< when it was preempted last
    Duration away{0};         ///< in which it was preempted
    Duration boot{0};         ///< for which it waited for nodes that it had
    std::int32_t partition = -1;
    double rounded = 0;       ///< work that an interruption may have rounded away, s
    Duration charged{0};      ///< work added for writing out its memory
    bool on_nodes = false;
    bool rejected = false;    ///< or withdrawn, or never to come
    bool aside = false;
    bool ran_before = false;  ///< and was interrupted
  };
  void take_size(Time t, JobIndex j, const NodeRanges& nodes);
  void hold(Time t, JobIndex j, const NodeRanges& nodes);
  void pause(Time t, Seen& s);
  void leave(JobIndex j);
  void allocate(const NodeRanges& nodes, std::int32_t sign);
  void check_node(Time t, NodeId node);
  void check_final_state(Time t, JobIndex j, bool killed);
  void check_work(Time t, JobIndex j, bool killed, bool shortest);
  /// Where nodes differ in speed, the limit of a job is one of time, not of work; under slices it is one of work.
  Duration overtime(const Seen& s) const;
  bool limits_are_times() const { return names_kinds(machine_) && !sliced_; }
  void complain(Time t, JobIndex j, const std::string& what);

  MachineSpec machine_;
  std::vector<Job> jobs_;   ///< moldable ones as they were started last
  std::vector<Job> asked_;  ///< as they were before; empty where none is moldable
  EngineOptions engine_;
  InvariantOptions options_;
  std::vector<Seen> seen_;
  NodeSet held_;
  NodeSet down_;                 ///< nodes that are not there
  std::vector<std::int32_t> allocated_;  ///< by node: jobs that run there or are preempted
  bool had_outages_ = false;  ///< then promises are none
  JobIndex latest_ = 0;           ///< the last one in the workload of those that came
  JobIndex first_late_ = kNoJob;  ///< of those that came after it, and may stand before jobs with promises
  std::vector<std::vector<JobIndex>> on_;  ///< by node, where several jobs may be on one
  std::int32_t waiting_ = 0;
  bool sliced_ = false;
  bool foreign_started_ = false;  ///< in this pass a job was started in a slice of another class
  Time last_{Time::min()};
  std::vector<std::string> violations_;
};

}  // namespace coslice
