// Watches a run for what must never happen, whatever the policy: a node held twice, a job started early, twice or
// never, work lost, more taken than there is. What only some policies guarantee is switched on by options.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobs/engine_options.h"
#include "jobs/job.h"
#include "jobs/job_sizes.h"
#include "jobs/node_reservation.h"
#include "machine/layout.h"
#include "machine/machine.h"
#include "machine/node_pool.h"
#include "machine/node_set.h"
#include "machine/request_spec.h"
#include "schedule/observer.h"

namespace coslice {

/// What only some policies guarantee, and what a run has.
struct InvariantOptions {
  /// No job starts later than its reservation once said, and no reservation moves later (conservative; EASY in a fixed
  /// order). Under time slices reservations are in the time of the job's class, which passes only in its slices.
  bool promises_kept = false;
  /// At most this many jobs may be on a node at the same time, all of one sharing group, with no more processes than
  /// cores.
  std::int32_t jobs_per_node = 1;
  /// Whether nodes belong to their jobs, which take as long as their run times but for slowdowns that are told; not so
  /// where processes take turns and wait for one another.
  bool space_shared = true;
  /// Whether jobs write checkpoints, which lengthen their runs.
  bool checkpoints = false;
  /// Whether nodes are reserved: a job that waits for a reservation may be rejected when that is over, and reservations
  /// of jobs may move later when one becomes known.
  bool nodes_reserved = false;
  /// Whether jobs have time slices, where limits are of work, also before the first slice.
  bool sliced = false;
  /// What jobs ask for on a heterogeneous machine, which says how many nodes moldable ones have; outlives the checker.
  /// Null where they ask for whole nodes by their processes.
  const RequestTable* requests = nullptr;
};

/// Watches a run for what must never happen.
class RunWatch : public Observer {
 public:
  /// Returns what went wrong, in order; empty if nothing did. At most 20 are kept.
  const std::vector<std::string>& violations() const { return violations_; }

 protected:
  static constexpr std::size_t kMostViolations = 20;
  void note(Time t, const Job& job, const std::string& what);

  std::vector<std::string> violations_;
};

/// What holds on every machine: no node is held twice, no job starts early, twice or never, no work is lost.
class InvariantChecker : public RunWatch {
 public:
  InvariantChecker(const MachineSpec& machine, const std::vector<Job>& jobs, const EngineOptions& engine,
                   const InvariantOptions& options = {});

  /// Takes the sizes of moldable jobs from there, which outlives the run, where their nodes do not say them: under
  /// groups and coscheduled processes.
  void take_sizes_from(const std::vector<Job>& as_they_run) { as_they_run_ = &as_they_run; }
  void submitted(Time t, JobIndex j) override;
  void set_aside(Time t, JobIndex j, bool aside) override;
  void rejected(Time t, JobIndex j, Rejection) override;
  void unfulfilled(Time t, JobIndex j, JobIndex by) override;
  void withdrawn(Time t, JobIndex j) override;
  void reserved(Time now, JobIndex j, Time start) override;
  bool hears_promises() const override { return true; }
  void decided(Time now, JobIndex j, StartReason reason) override;
  void started(Time t, JobIndex j, const NodeRanges& nodes) override;
  void placed(Time, JobIndex j, const Parts&, std::int32_t partition) override { seen_[j].partition = partition; }
  void preempted(Time t, JobIndex j) override;
  void resumed(Time t, JobIndex j, const NodeRanges& nodes) override;
  void resized(Time t, JobIndex j, const NodeRanges& before, const NodeRanges& nodes, Duration standstill) override;
  void booting(Time t, JobIndex j, Duration wait, std::int32_t nodes) override;
  void loading(Time t, JobIndex j, Duration) override { pause(t, seen_[j]); }
  void loaded(Time t, JobIndex j) override {
    if (!seen_[j].on_nodes) complain(t, j, "was loaded although it is not on its nodes");
    seen_[j].since = t;
  }
  void rate_changed(Time t, JobIndex j, Rate rate) override;
  void group_formed(Time t, const Group& group, double gain) override;
  void group_ended(Time t, const Group& group) override;
  void swapped_out(Time, JobIndex j, Duration time) override { seen_[j].charged += time; }
  void slice_begun(Time, std::size_t, Duration) override {
    foreign_started_ = false;
    sliced_ = true;
  }
  void ended(Time t, JobIndex j, const NodeRanges& nodes, bool killed) override;
  void interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption& what) override;
  void node_down(Time t, NodeId n, OutageKind kind) override;
  void node_up(Time, NodeId n) override { down_.erase(n); }
  void passed(Time) override { foreign_started_ = false; }
  void settled(const InstantState& state) override;

  /// Is called after the run: no job may be left, but those that nothing lets start (`blocked`), and those that wait
  /// for these. Adds what is missing to the violations.
  void finish(const std::map<JobIndex, std::string>& blocked = {});

 private:
  struct Seen {
    Time submitted = kNever, started = kNever, ended = kNever, promised = kNever;
    NodeRanges nodes;
    Time since = kNever;  ///< progress since; kNever while it is preempted or loading
    Work ran;             ///< progress before that
    Rate rate;            ///< at which its work is done
    Rate first_rate;      ///< before it was resized
    bool resized = false;
    bool always_at_one = true;
    bool checkpointed = false;   ///< when it had to stop
    std::int32_t ppn = 0;        ///< processes on each of its nodes
    std::uint32_t group = 0;     ///< the sharing group; 0: none
    Time left = kNever;          ///< when it was preempted last
    Duration preempted{0};       ///< in which it was preempted
    Duration boot{0};            ///< for which it waited for nodes that it had
    Time stands_until = kNever;  ///< for a change of its nodes
    Duration stand_left{0};      ///< for such a change, while it is suspended
    std::int32_t partition = -1;
    double rounded = 0;   ///< work that an interruption may have rounded away, s
    Duration charged{0};  ///< work added for writing out its memory
    bool on_nodes = false;
    bool rejected = false;  ///< or withdrawn, or never to come
    bool aside = false;
    bool ran_before = false;  ///< it ran before, and was interrupted
  };
  std::vector<JobSize> sizes_asked(JobIndex j) const;
  void take_size(Time t, JobIndex j, const NodeRanges& nodes);
  void hold(Time t, JobIndex j, const NodeRanges& nodes);
  void pause(Time t, Seen& s) {
    if (s.since != kNever && s.since < t) s.ran += Work::done(t - s.since, s.rate);
    s.since = kNever;
  }
  void leave(JobIndex j);
  void allocate(const NodeRanges& nodes, std::int32_t sign);
  void check_node(Time t, NodeId node);
  bool by_reservation(JobIndex j, bool killed) const;
  void check_final_state(Time t, JobIndex j, bool killed);
  void check_work(Time t, JobIndex j, bool killed, bool shortest);
  /// Returns how long the job may run over its limit. Where kinds of nodes have speeds, the limit of a job is one of
  /// time, not of work; under slices, and of a job that was resized, it is one of work.
  Duration overtime(const Seen& s) const;
  bool limits_are_times(const Seen& s) const {
    return names_kinds(machine_) && !sliced_ && !options_.sliced && !in_groups() && !s.resized;
  }
  /// Returns the work that a time until a limit allows, where limits are of work: what is done with the nodes with
  /// which the job started.
  static Work work_in(const Seen& s, Duration d) { return s.resized ? Work::done(d, s.first_rate) : Work(d); }
  bool in_groups() const { return options_.jobs_per_node > 1; }
  void complain(Time t, JobIndex j, const std::string& what) { note(t, jobs_[j], what); }

  MachineSpec machine_;
  std::vector<Job> jobs_;  ///< moldable ones as they were started last
  const std::vector<Job>* as_they_run_ = nullptr;
  std::vector<Job> asked_;  ///< as they were before; empty where none is moldable
  EngineOptions engine_;
  InvariantOptions options_;
  std::vector<Seen> seen_;
  NodeSet held_;
  NodeSet down_;                           ///< nodes that are down
  std::vector<std::int32_t> allocated_;    ///< by node: jobs that run there or are preempted
  bool had_outages_ = false;               ///< then promises are none
  JobIndex latest_ = 0;                    ///< the last one in the workload of those that came
  JobIndex first_late_ = kNoJob;           ///< of those that came after it, and may stand before jobs with promises
  std::vector<std::vector<JobIndex>> on_;  ///< by node, where several jobs may be on one
  std::int32_t waiting_ = 0;
  bool sliced_ = false;
  bool foreign_started_ = false;  ///< in this pass a job was started in a slice of another class
  Time last_{Time::min()};
};

/// On a heterogeneous machine: no more is taken of a node, a GPU or a licence than it has, and no job is on a
/// node, or in a partition, that is not for it, or runs at another speed than its slowest node's.
class ResourceInvariants : public RunWatch {
 public:
  enum class Speeds : std::uint8_t {
    kOfNodes,  ///< a job runs as fast as its slowest node
    kVary,     ///< jobs interfere
    kGroups,   ///< likewise; they form groups, outside of which they have their nodes for themselves
  };
  /// Makes the checker of resources. All references outlive it.
  ResourceInvariants(const MachineSpec& machine, const std::vector<Job>& jobs, const RequestTable& requests,
                     Speeds speeds = Speeds::kOfNodes);

  void rate_changed(Time, JobIndex j, Rate rate) override { seen_[j].rate = rate; }
  void placed(Time t, JobIndex j, const Parts& parts, std::int32_t partition) override;
  void started(Time t, JobIndex j, const NodeRanges& nodes) override;
  /// Gives back what the preempted job has: others run there until it goes on.
  void resized(Time t, JobIndex j, const NodeRanges& before, const NodeRanges& nodes, Duration standstill) override;
  void preempted(Time t, JobIndex j) override {
    if (!seen_[j].on_nodes) complain(t, j, "preempted although it does not run");
    else give(j);
  }
  void resumed(Time t, JobIndex j, const NodeRanges&) override {
    if (seen_[j].on_nodes) complain(t, j, "resumed although it runs");
    else take(t, j);
  }
  /// One whose reservation is over may have been preempted.
  void ended(Time t, JobIndex j, const NodeRanges&, bool killed) override {
    if (seen_[j].on_nodes) give(j);
    else if (!killed) complain(t, j, "ended although it does not run");
  }
  void interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption&) override {
    if (seen_[j].on_nodes) ended(t, j, nodes, false);  // else it was preempted or suspended
    seen_[j] = {};
  }

 private:
  struct Seen {
    Parts parts;
    Rate rate;
    bool placed = false;
    bool on_nodes = false;
    std::int32_t partition = -1;
    std::optional<Request> laid;  ///< what it asks for in its partition; in groups, as its processes are laid out
  };
  const Request& request(JobIndex j) const { return seen_[j].laid ? *seen_[j].laid : requests_[jobs_[j].request]; }
  void lay_out(JobIndex j, const NodeRanges& nodes);
  bool has_room(JobIndex j, const NodePart& part) const;
  Parts whole_parts(JobIndex j, const NodeRanges& nodes) const;
  void complain(Time t, JobIndex j, const std::string& what) { note(t, jobs_[j], what); }
  void check_components(Time t, JobIndex j);
  void check_partition(Time t, JobIndex j, std::int32_t partition);
  void take(Time t, JobIndex j);
  void give(JobIndex j) {
    seen_[j].on_nodes = false;
    if (violations_.empty()) pool_.give(request(j), seen_[j].parts);
  }
  void check_part(Time t, JobIndex j, const NodePart& part);
  void check_speed(Time t, JobIndex j, const NodeRanges& nodes);

  const MachineLayout& layout_;
  const std::vector<Job>& jobs_;
  const RequestTable& requests_;
  Speeds speeds_;
  NodePool pool_;
  std::vector<Seen> seen_;
};

/// Where nodes are reserved: no job is on them but those entitled to them, and jobs that name a reservation are in it
/// only.
class ReservationInvariants : public RunWatch {
 public:
  /// How jobs of others keep clear of a window that is still to come.
  enum class Before : std::uint8_t {
    kLimits,     ///< by their limits they end before it
    kEnds,       ///< they have ended before it, however long they took: under time slices
    kEstimates,  ///< by what the policy believes, which is not known here
  };
  /// Makes the checker of reservations. All references outlive it. `engine`: when jobs are killed; null: that is not
  /// looked at.
  ReservationInvariants(const std::vector<Job>& jobs, const NodeReservations& reservations, Before before,
                        const EngineOptions* engine = nullptr)
      : jobs_(jobs), reservations_(reservations), before_(before), engine_(engine), start_(jobs.size(), kNever) {}

  void started(Time t, JobIndex j, const NodeRanges& nodes) override;
  void ended(Time t, JobIndex j, const NodeRanges& nodes, bool) override { check_end(t, j, nodes); }
  void interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption&) override {
    check_end(t, j, nodes);
  }

 private:
  void check(Time t, JobIndex j, const NodeRanges& nodes, const NodeReservation& r, NodeAccess::To to);
  void check_end(Time t, JobIndex j, const NodeRanges& nodes);
  void check_outlived(Time t, JobIndex j);
  void check_own(Time t, JobIndex j, const NodeRanges& nodes, const NodeReservation& r);
  void complain(Time t, JobIndex j, const std::string& what, const NodeReservation& r) {
    note(t, jobs_[j], what + " the reservation " + r.name);
  }

  const std::vector<Job>& jobs_;
  const NodeReservations& reservations_;
  Before before_;
  const EngineOptions* engine_;
  std::vector<Time> start_;  ///< by JobIndex
};

}  // namespace coslice
