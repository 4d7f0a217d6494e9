// jobs.csv: one row per job, with Batsim's columns first so that the field's scripts (evalys, pandas) read it.
// A column is a name here, a value in JobRows, a row in docs/formats.md; campaigns keep it
// (app/lab/campaign/results_format.cpp).
#pragma once

#include <string>
#include <string_view>

#include "metrics/summary.h"
#include "observe/result.h"
#include "output/output.h"

namespace coslice {

/// Columns of Batsim's job list, with which jobs.csv begins.
inline constexpr std::string_view kBatsimColumns =
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
    "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
    "consumed_energy,metadata";
/// Returns the columns behind Batsim's that all runs have: job_class, run_time (alone on dedicated nodes, s),
/// bounded_slowdown, allocated_nodes (number), then attributes of the job that are numbers (jobs/attributes.h), empty
/// where unknown. Text attributes are the last columns, where a job has one.
std::string own_columns();
/// Columns of runs under time slices: preemptions (number) and overhead (s, RunResult::overhead_of).
inline constexpr std::string_view kSliceColumns = "preemptions,overhead";

/// Columns of runs with outages or interrupted jobs: number of runs of the job that failures or its policy ended, and
/// the work lost by that, s.
inline constexpr std::string_view kOutageColumns = "interruptions,lost_work";

/// Column of runs with elastic jobs: of a job whose nodes changed in its last run, since when (s) it had how many,
/// "12.5:8 100:16".
inline constexpr std::string_view kElasticColumns = "node_history";

/// Column of runs in which nodes are powered down: for how long the job had its nodes, in its last run, before all were
/// up, s.
inline constexpr std::string_view kPowerColumns = "boot";

/// Columns of runs in which jobs were suspended in place: how often, and for how long in all, s.
inline constexpr std::string_view kSuspendedColumns = "suspensions,suspended";

/// Columns of runs in which jobs may share nodes: processes on each node, number of sharing groups that the job was in,
/// and where its processes are on a node (one, all, across, within).
inline constexpr std::string_view kSharingColumns = "processes_per_node,groups,layout";

/// Column of machines with switches: number of switches that the job's nodes are at.
inline constexpr std::string_view kSwitchColumns = "switches";

/// Writes all jobs in the order of the trace. Times are seconds, whole without decimals, else the shortest exact
/// decimal. submission_time is when the job entered the queue, which for a job that depends on another may be later
/// than the trace says. `profile` is the run time, as in Batsim's conversion of SWF. A job that was rejected, or had
/// not ended when the run stopped, has empty times; consumed_energy is in J to 0.001,
/// of all of its runs, -1 where it is not known what nodes draw; metadata is empty.
void write_jobs_csv(const RunResult& result, const MetricsOptions& options, const Sink& sink);

/// Writes Batsim's columns alone, of the jobs that ran to an end: evalys fails on empty times. The resources are nodes,
/// in requested_number_of_resources as well.
void write_evalys_csv(const RunResult& result, const Sink& sink);

/// Returns Batsim's name of the state: COMPLETED_SUCCESSFULLY, COMPLETED_WALLTIME_REACHED, REJECTED, ...; "" for
/// kNotRun.
std::string_view batsim_state(FinalState state);
/// Returns Batsim's name of the job's final state; RUNNING or SUBMITTED if it had not ended.
std::string_view batsim_state(const Outcome& outcome);

/// Columns of machines with kinds of nodes. ran_in: the partition; node_names: its nodes as the site names them,
/// "n[01-04]"; then what it had on each node: node_cores (parts of one are possible; a job that has its nodes for
/// itself: all), node_memory in MiB, node_gpus (0.5: half of one), and gpus: which ones, "gpu1:0-3". `none` where there
/// is nothing to say.
inline constexpr std::string_view kPlaceColumns = "ran_in,node_names,node_cores,node_memory,node_gpus,gpus";

/// Returns the nodes, partition and GPUs of the job: "n[01-02], partition cpu", "gpu1, partition gpu, GPUs gpu1:0-2".
/// Preconditions: the job ran, the machine has a layout.
std::string place_text(const RunResult& result, JobIndex j, const NodeRanges& nodes);
/// Returns the nodes and GPUs that a job had earlier, "gpu1, GPUs gpu1:0-2", without the partition.
std::string place_text(const MachineLayout& layout, const NodeRanges& nodes, const Parts& parts);

}  // namespace coslice
