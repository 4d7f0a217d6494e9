// How the machine was used, by kind of nodes and when many jobs wait, and what it took of electricity and money.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobs/workload.h"
#include "machine/machine.h"
#include "observe/result.h"

namespace coslice {

/// How much of the machine was in use over an interval.
struct Fullness {
  double time = 0;              ///< s
  double utilization = 0;       ///< node-seconds used / (time x nodes); 0 without time
  double core_utilization = 0;  ///< core-seconds used / (time x cores)
};

/// Use of the machine in and outside phases of high load. A phase is a longest interval in which at least
/// metrics.high_load jobs wait that have never run; a preempted job does not wait. Nodes are unused in the time that is
/// lost at the end of a slice.
struct HighLoad {
  std::int64_t phases = 0;
  Fullness in;       ///< the phases, together
  Fullness outside;  ///< the rest of the makespan
};

/// Sums up the run's timeline between two instants; `waiting` is N_H.
HighLoad high_load(const RunResult& result, Time from, Time to, std::int64_t waiting);

/// Use of one kind of nodes: cores, memory and GPUs that jobs held, each as a part of 1 of the capacity over the
/// makespan. A job that has a node for itself holds all of the node's cores and memory, and the GPUs that it asked for;
/// a preempted job holds nothing, a suspended one its memory. Runs that were interrupted count as well. 0 where the
/// kind has nothing of it.
struct KindUse {
  std::string name;
  std::int64_t nodes = 0;
  std::int64_t jobs = 0;  ///< jobs that had a part of a node of the kind
  double cores = 0;
  double memory = 0;
  double gpus = 0;
};

/// Use of memory and GPUs of a heterogeneous machine, as parts of 1 of the capacity over the makespan.
struct ResourceSummary {
  double memory = 0;  ///< of the kinds that have memory
  double gpus = 0;
  double gpus_with_jobs = 0;     ///< GPUs on which at least one job is, however little of them it holds
  std::vector<KindUse> by_kind;  ///< in the order of the machine
};

/// Sums up the use of a heterogeneous machine. Precondition: the machine has a layout. `from` to `to` is the makespan,
/// longer than 0.
ResourceSummary summarize_resources(const RunResult& result, Time from, Time to);

/// How many switches jobs span, on a machine with switches; over jobs that started, in their last runs.
struct SwitchSummary {
  double per_job = 0;    ///< switches that a job's nodes are at, mean
  double one_share = 0;  ///< of the jobs of several nodes, those at one switch
};

/// Returns the number of switches that these nodes are at, `switch_of` being MachineLayout::switch_of_nodes().
std::int32_t switches_of(const std::vector<std::int32_t>& switch_of, const NodeRanges& nodes);

/// Sums up how many switches jobs span. Precondition: the machine has switches.
SwitchSummary summarize_switches(const RunResult& result);

/// Node-seconds of a kind of nodes.
struct NodeTimes {
  double there = 0;    ///< time not down; the others are parts of it
  double off = 0;      ///< powered down
  double booting = 0;  ///< coming up
  double busy = 0;     ///< up, with a job; where neither costs nor powering down are known: 0

  double on() const { return there - off; }
  /// Returns the time in which nodes were up and had no job.
  double idle() const;
};

/// Returns the times of each kind of nodes, or of the machine where its nodes are equal. `from` to `to` is the
/// makespan.
std::vector<NodeTimes> node_times(const RunResult& result, Time from, Time to);

/// What powering down unused nodes saves, and what it costs in waits.
struct PowerSummary {
  std::int64_t boots = 0;    ///< of nodes, for jobs
  std::int64_t delayed = 0;  ///< starts of jobs on nodes that were not all up
  double boot_wait = 0;      ///< seconds that a job had its nodes before all were up, mean over all jobs that ran
  double lost = 0;           ///< node-seconds that jobs had nodes that were not all up
  double off_share = 0;      ///< node-seconds powered down / those in which nodes were not down
};

/// Sums up when nodes were powered down. Precondition: result.power. `from` to `to` is the makespan, longer than 0.
PowerSummary summarize_power(const RunResult& result, Time from, Time to);

/// Energy of the nodes while they were not down, kWh.
struct EnergySummary {
  double used = 0;
  double idle = 0;       ///< the part of nodes that were up and had no job
  double jobs = 0;       ///< the part of the jobs (RunResult::joules), in all of their runs
  double per_job = 0;    ///< mean over all jobs that started, those that failed as well
  double always_on = 0;  ///< of the same schedule if no node were powered down or came up
};

/// Cost of the run, in the currency of the prices.
struct CostSummary {
  double total = 0;
  double nodes = 0;   ///< for hours of nodes that were there and not powered down
  double idle = 0;    ///< the part of nodes that were up and had no job
  double energy = 0;  ///< for the energy that nodes drew
};

/// Sums up the energy; nothing where it is not known how much power nodes draw. `from` to `to` is the makespan, longer
/// than 0.
std::optional<EnergySummary> summarize_energy(const RunResult& result, Time from, Time to);
/// Sums up the cost; nothing where nothing has a price.
std::optional<CostSummary> summarize_cost(const RunResult& result, const std::optional<EnergySummary>& energy,
                                          Time from, Time to);

// What the jobs of a workload ask of a heterogeneous machine, beside what it has: nothing is simulated.

/// Offered load of each resource: what jobs would hold for as long as they run, divided by the capacity of the nodes
/// from the first to the last submission. Nodes twice as fast count twice. 0 without capacity or without such a time. A
/// job that has its nodes for itself holds all cores and all memory of such nodes as it may have, on an average, and
/// the GPUs that it asks for.
struct ResourceLoad {
  double cores = 0, memory = 0, gpus = 0;
};

/// The jobs that may run on nodes of just these kinds.
struct KindsDemand {
  std::vector<std::int32_t> kinds;  ///< into MachineLayout::kinds, ascending
  std::int64_t jobs = 0;
  ResourceLoad load;  ///< of nodes of these kinds
};

/// The jobs that wait in a partition; each counts in the first of its partitions in which it can run.
struct PartitionDemand {
  std::int64_t jobs = 0;
  ResourceLoad load;  ///< of its nodes
};

/// Jobs that can never run for reasons that differ in their numbers only.
struct NeverRuns {
  std::string reason;  ///< of the first of them
  std::int64_t jobs = 0;
  std::int64_t first = 0;  ///< id of the first job
};

/// Numbers of jobs that request each resource; a job may count in several.
struct RequestCounts {
  std::int64_t whole_nodes = 0;  ///< no other job on their nodes
  std::int64_t several_nodes = 0;
  std::int64_t memory = 0;
  std::int64_t gpus = 0;  ///< with parts of GPUs among them
  std::int64_t gpu_parts = 0;
  std::int64_t gpu_types = 0;
  std::int64_t features = 0;
  std::int64_t licences = 0;
};

/// What the jobs of a workload ask of a heterogeneous machine.
struct MachineDemand {
  std::int64_t jobs = 0;                      ///< jobs that can run
  ResourceLoad load;                          ///< of all nodes
  RequestCounts requests;                     ///< of jobs that can run
  std::vector<KindsDemand> by_kinds;          ///< most jobs first
  std::vector<PartitionDemand> by_partition;  ///< as MachineLayout::partitions
  std::vector<NeverRuns> never;               ///< most jobs first
};

/// Sums up what jobs ask for. Precondition: the machine has a layout, and each job a request
/// (formats/trace_requests.h).
MachineDemand describe_demand(const MachineSpec& machine, const Workload& workload);

}  // namespace coslice
