// Which format a trace has, by its first bytes; its jobs whatever the format; and the readers of other simulators' and
// sites' formats (SWF: swf.h, sacct: sacct.h).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "formats/recorded.h"
#include "jobs/workload.h"

namespace coslice {

/// The formats that are read.
enum class TraceFormat {
  kSwf,
  kSacct,      ///< what sacct --parsable2 prints
  kSlurmJson,  ///< what sacct --json and squeue --json print
  kBatsim,
  kPhilly,
  kHelios,
  kElastisim,
  kJobList,  ///< of coslice's own (formats/job_list.h)
};

/// Returns the format that a text begins like; SWF where nothing tells.
TraceFormat trace_format(std::string_view head);
/// Returns the format that a file, plain or gzip, begins like; SWF where nothing tells. Throws InputError if it cannot
/// be read.
TraceFormat trace_format_of(const std::string& path);

/// Bytes of a file's beginning that tell.
inline constexpr std::size_t kTellingBytes = 4096;
/// Throws InputError if a file begins like one of a format that is not read, which it names: accounting and lists of
/// jobs of PBS, LSF, Grid Engine, HTCondor, Flux, Maui, Moab, what another command of Slurm printed, packed files and
/// tables that are no text. It lists the formats that are read, or what is `expected` instead.
void refuse_unread_format(std::string_view head, const std::string& file, const char* expected = nullptr);
/// Throws the same where the file is to be what Slurm says of its queue or its nodes.
void refuse_unread_queue(std::string_view head, const std::string& file);

/// Returns the jobs of a trace in that format; with `skipped`, lines that cannot be read are left out and counted
/// there, which SWF, dumps of sacct and its JSON can (may_skip_lines); `file` is its name in messages. Sizes of a dump
/// of sacct are processors. Rules and errors are those of the format's reader.
RecordedWorkload parse_trace(std::string text, const std::string& file, TraceFormat format,
                             SkippedLines* skipped = nullptr);
/// Returns whether lines that cannot be read may be left out of a trace in that format.
bool may_skip_lines(TraceFormat format);

/// How profiles of a fixed run time are called: "delay" before Batsim 5, "DelayProfile" since.
enum class BatsimVersion { k4, k5 };

/// Reads a workload of Batsim (JSON): `nb_res` is the machine, a job's `res` its size, `walltime` its limit, and its
/// profile's `delay` its run time; sequences ("composed", "SequentialComposition") of such profiles are their sums.
/// Jobs of other profiles have no run time without a model of the platform: they are left out and counted, as are jobs
/// without a size or larger than the machine. Numbers are in `id` ("w0!12" is 12); if they are not whole or come twice,
/// all jobs are renumbered. Throws InputError with the file: not JSON, jobs or profiles missing, a value of the wrong
/// kind (with the job's number).
Workload parse_batsim(std::string_view text, const std::string& file);

/// Writes a workload for Batsim: one profile per run time, the jobs in order. The machine is the trace's header's, else
/// the largest job.
std::string batsim_json(const Workload& workload, BatsimVersion version);

/// Reads a list of jobs of ElastiSim (jobs.json, and the application models that it names): submit_time, num_nodes and
/// num_gpus_per_node of rigid jobs, num_nodes_min and num_nodes_max (and the same of GPUs) of moldable and malleable
/// ones, walltime, application_model and arguments. Jobs are numbered from 0 in the order of the file, and have their
/// nodes for themselves. A run time is what the model's tasks busy_wait and idle take, their delays and iterations
/// computed from the arguments and the number of nodes; a moldable job has up to kMostElastisimSizes sizes, evenly
/// spread. A malleable one is moldable. Models are looked for where the file says, else beside it. Jobs with other
/// tasks, whose time depends on the platform, are left out and counted. Throws InputError with file and line.
RecordedWorkload parse_elastisim(std::string_view text, const std::string& file);

/// Sizes that a moldable job of ElastiSim has at most.
inline constexpr int kMostElastisimSizes = 16;

/// Reads a job log of SenseTime's Helios clusters (cluster_log.csv): columns job_id, user, vc, gpu_num, cpu_num,
/// node_num, state, submit_time, start_time and duration; others are ignored. A job has gpu_num GPUs and cpu_num
/// processors on node_num nodes; its partition is its vc. Jobs that never started, or have no processors, are left out
/// and counted. Throws InputError with file and line.
RecordedWorkload parse_helios(std::string text, const std::string& file);

/// Reads the job log of Microsoft's Philly clusters (cluster_job_log, JSON): a list of jobs with jobid, user, vc,
/// status, submitted_time and attempts, each of these with start_time, end_time and detail, the servers with their
/// `gpus`. A job has the GPUs of its last attempt that has some, and as many processors; it runs as long as all of its
/// attempts together, and waits until the first one. Its partition is its vc. Jobs without an attempt that began and
/// ended, whose last attempt has not ended, or without GPUs are left out and counted. Throws InputError with file and
/// line.
RecordedWorkload parse_philly(std::string_view text, const std::string& file);

/// Returns the value of arithmetic that stands in files of others as text, "iterations * base / num_nodes^0.8": an
/// expression of numbers, names, + - * / ^ and parentheses; ^ binds most and to the right. The same bits on every
/// machine. Throws InputError without a place for a text that is not such an expression and for a name without a value.
double arithmetic_value(std::string_view text, const std::map<std::string, double>& names);

}  // namespace coslice
