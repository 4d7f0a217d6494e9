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

/// Batsim's header.
inline constexpr std::string_view kBatsimColumns =
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
    "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
    "consumed_energy,metadata";
/// Returns what we add. run_time: T, alone on dedicated nodes, s; allocated_nodes: how many; then attributes of the job
/// (jobs/attributes.h), empty where unknown. Attributes that are texts come last, where a job has one.
std::string own_columns();
/// Only of runs under time slices. overhead: RunResult::overhead_of, s.
inline constexpr std::string_view kSliceColumns = "preemptions,overhead";

/// Columns of runs with outages or interrupted jobs: number of runs of the job that failures or its policy ended, and
/// the work lost by that, s.
inline constexpr std::string_view kOutageColumns = "interruptions,lost_work";

/// Only of runs in which nodes are powered down: what the job waited for nodes that it had in its last run, s.
inline constexpr std::string_view kPowerColumns = "boot";

/// Only of runs in which jobs were suspended in place.
inline constexpr std::string_view kSuspendedColumns = "suspensions,suspended";

/// Only of runs in which jobs may share nodes: processes on each node, and the sharing groups that the job was in.
inline constexpr std::string_view kSharingColumns = "processes_per_node,groups,layout";

/// Only of machines with switches: at how many of them its nodes are.
inline constexpr std::string_view kSwitchColumns = "switches";

/// Writes all jobs in the order of the trace. Times are seconds, whole without decimals, else the shortest exact
/// decimal. submission_time is when the job entered the queue, which for a job that depends on another may be later
/// than the trace says. `profile` is the run time, as in Batsim's conversion of SWF. A job that was rejected, or had
/// not ended when the run stopped, has empty times; consumed_energy is in J to 0.001,
/// of all of its runs, -1 where it is not known what nodes draw; metadata is empty.
void write_jobs_csv(const RunResult& result, const MetricsOptions& options, const Sink& sink);

/// Writes Batsim's columns alone, of the jobs that ran to an end: evalys stumbles over empty times. The resources are
/// nodes, in requested_number_of_resources as well.
void write_evalys_csv(const RunResult& result, const Sink& sink);

/// Returns Batsim's word for how jobs end: COMPLETED_SUCCESSFULLY, COMPLETED_WALLTIME_REACHED, REJECTED; "" where they
/// did not.
std::string_view batsim_state(FinalState state);
/// Returns Batsim's word for how the job ended; RUNNING or SUBMITTED if it had not ended.
std::string_view batsim_state(const Outcome& outcome);

/// ran_in: the partition; node_names: its nodes as the site names them, "n[01-04]"; then what it had on each node:
/// node_cores (parts of one are possible; a job that has its nodes for itself: all), node_memory in MiB, node_gpus
/// (0.5: half of one), and gpus: which ones, "gpu1:0-3". `none` where there is nothing to say.
inline constexpr std::string_view kPlaceColumns = "ran_in,node_names,node_cores,node_memory,node_gpus,gpus";

/// Returns "n[01-02], partition cpu", "gpu1, partition gpu, GPUs gpu1:0-2". Preconditions: the job ran, the machine has
/// a layout.
std::string place_text(const RunResult& result, JobIndex j, const NodeRanges& nodes);
/// Returns the nodes and GPUs that a job had earlier, "gpu1, GPUs gpu1:0-2", without the partition.
std::string place_text(const MachineLayout& layout, const NodeRanges& nodes, const Parts& parts);

}  // namespace coslice
