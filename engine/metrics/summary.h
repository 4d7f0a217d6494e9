// The figures of a run: how long jobs waited, how much they were slowed, how full the machine was; and one run against
// another on the same jobs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "metrics/event_summary.h"
#include "metrics/machine_summary.h"
#include "observe/result.h"

namespace coslice {

// The figures of a run at the level of processes: where the processors' time went, what became of each program's
// processes, whether the machine was saturated.

/// Processor time in parts of processors x makespan; they add up to 1.
struct ProcessorShares {
  double computing = 0;  ///< bursts: computing, and the processor's part of communication
  double polling = 0;    ///< lost by waiting
  double switching = 0;  ///< lost in switches
  double blocked = 0;    ///< lost by waiting, too: idle while those that might have run waited for messages
  double idle = 0;       ///< lost by fragmentation: no process was there that might run
};

/// Processes by the class that they had at the end of their jobs, by the class's name.
using ClassCounts = std::map<std::string, std::int64_t>;

struct ProgramSummary {
  std::int64_t jobs = 0;
  double mean_response = 0;  ///< s, of jobs that ended
  ClassCounts classes;
};

/// The nine deciles from 0.1 on, then the maximum: points of a cumulative distribution.
using Deciles = std::array<double, 10>;

struct ProcessSummary {
  std::int64_t processors = 0;
  ProcessorShares shares;
  std::int64_t strobes = 0;  ///< switches of slots that the machine manager ordered
  std::string path;          ///< "exact", "closed" or "fast"
  Duration extrapolated{0};  ///< time gone through by measured rates
  Duration error_bound{0};   ///< by how much the end of the run may be off for that
  std::map<std::string, ProgramSummary> programs;
  /// Response times of the shorter and the longer half of the jobs by their run times alone, s.
  Deciles shorter{}, longer{};
  /// Assigned slots of processors whose row held no process there, in parts of all; 0 without slots.
  double empty_slots = 0;
  /// Run times x sizes / (processors x time from the first arrival to the last): what the jobs ask for, alone.
  double offered_load = 0;
  /// What was done up to the last arrival, in parts of what the processors can do, each job's work spread evenly over
  /// the time in which it ran. It stops rising with the offered load where the machine is saturated.
  double accepted_load = 0;
  /// How fast the work of waiting jobs (run time x size) grew in the second half of the arrivals, in parts of what the
  /// processors can do: the slope of the least squares line. Above about 0.01 the machine is saturated.
  double backlog_growth = 0;
};

/// Counts, for one job that ended, how many of its processes were in which class then.
ClassCounts classes_of(const ProcessRecord& record, JobIndex job);

/// Sums up the processes. Precondition: the result has `processes`.
ProcessSummary summarize_processes(const RunResult& result);

// The middle of a run, without its warm-up and its end, and whether it could have gone on like that for ever.

/// The machine in the window of the trimmed jobs, and how the work grew that was not done yet.
///
/// Unfinished work is nodes x run time of the jobs that entered, less what is done of it (each job's work is spread
/// evenly from its start to its end). The window is cut into 16 equal parts; the mean amount of each, compared with
/// that of the part before, gives 15 changes. In a steady state they have no direction, however long the queue is. A
/// machine that is asked for more than it can do falls behind by about the same in each part. This is the test of
/// Student on the changes, one-sided at 10 % (in a steady state the changes cancel out, and it errs far less often),
/// together with a least growth: falling behind by 1 % of the machine's time or less is not worth a warning. Fewer than
/// 100 jobs are too few to tell a trend from a few large jobs.
struct Steadiness {
  Time from{}, to{};       ///< first and last submission of the jobs that are left when the first and last are cut
  double utilization = 0;  ///< node-seconds used in the window / (its length x nodes); 0 without a window
  double mean_queue = 0;   ///< waiting jobs, mean over the window
  double growth = 0;       ///< of unfinished work in the window, in parts of what the machine can do in that time
  double evidence = 0;     ///< t = mean change x sqrt(15) / standard deviation of the changes; 0 without a window
  bool saturated = false;  ///< growth above kLeastGrowth, evidence above kLeastEvidence, at least kLeastJobs jobs

  static constexpr double kLeastGrowth = 0.01, kLeastEvidence = 1.345;  ///< Student's t, 14 degrees of freedom, 10 %
  static constexpr std::size_t kLeastJobs = 100;                        ///< in the window
};

/// Returns the jobs cut at each end. A small term keeps 2 % of 150 at 3 where binary fractions fall short of it.
std::size_t trimmed_jobs(std::size_t n, double trim);
/// Returns how steady the run was. `trim` as in MetricsOptions. O(jobs + timeline).
Steadiness steadiness(const RunResult& result, double trim);

/// A class of jobs by run time: it holds jobs with runtime <= upper that no earlier class holds.
struct JobClass {
  std::string name;
  Duration upper = Duration::max();
};

struct MetricsOptions {
  /// Short up to 10 min, medium up to 3 h, long beyond.
  std::vector<JobClass> classes = {{"short", whole_seconds(600)}, {"medium", whole_seconds(10800)}, {"long"}};
  Duration bound = whole_seconds(10);  ///< b in bounded slowdown = max(1, R / max(T, b))
  /// b in relative response time = R / max(T, b); a minute in the papers on time slices and coscheduling.
  Duration relative_response_bound = whole_seconds(60);
  bool demand_curves = false;   ///< of GPUs in use and fragmented, by arrived demand
  double trim = 0.02;           ///< share of jobs cut at each end for the trimmed figures
  std::int64_t high_load = 12;  ///< N_H: from this many waiting jobs on the load is high
};

/// Returns the class that a job of this run time falls into: the index of the first class whose bound holds it, or
/// classes.size() if none does.
std::size_t class_of(Duration runtime, const std::vector<JobClass>& classes);

/// Returns max(1, R / max(T, b)) of a job that ran to an end. R is its response time (end - submission); T its run time
/// on dedicated nodes, which for a job that was killed is the part that it was allowed to run.
double bounded_slowdown(const RunResult& result, JobIndex j, Duration bound);

/// Returns R / max(T, b) of a job that ran to an end, with R and T as in bounded_slowdown(). (Relative response time:
/// Esbaugh & Sodan 2007; Esbaugh 2010, Chapter 6.)
double relative_response_time(const RunResult& result, JobIndex j, Duration bound);

/// Returns R / RunResult::ran(), what Batsim calls slowdown in its summary and stretch in its job list. At least 1.
double stretch(const RunResult& result, JobIndex j);

/// Of one quantity over a set of jobs; zeros where the set is empty. Percentiles interpolate linearly between the two
/// nearest ranks (definition 7 of Hyndman & Fan 1996, the default of NumPy and R).
struct Stats {
  double mean = 0, median = 0, p95 = 0, max = 0, p99 = 0;
};

/// One statistic: its name in files, tables and scripts.
struct Statistic {
  const char* name;
  double Stats::*of;
  int percent = 0;        ///< of a percentile
  bool in_tables = true;  ///< else only where it is asked for: in files, comparisons, campaigns, suites
};
/// Every statistic, in the order of files and tables; percentiles ascend.
inline constexpr Statistic kStatistics[] = {{"mean", &Stats::mean},
                                            {"median", &Stats::median, 50},
                                            {"p95", &Stats::p95, 95},
                                            {"p99", &Stats::p99, 99, false},
                                            {"max", &Stats::max}};

/// The figures of a set of jobs. Times in seconds.
struct GroupSummary {
  std::string name;
  std::int64_t jobs = 0;  ///< jobs that ran to an end
  Stats wait;             ///< start - submission
  Stats response;         ///< end - submission
  Stats bounded_slowdown;
  double mean_relative_response = 0;  ///< see relative_response_time()
};

/// What time slices did and cost. Overhead is what jobs lose: loading and swapping (a job's loads and the writing out
/// of its memory take as long as on the slowest of its nodes) and the time lost at the end of each slice, for each job
/// that it interrupts. Both models of overhead are thus counted in the same job-seconds.
struct SliceSummary {
  SliceCounts counts;
  double overhead = 0;  ///< of all jobs, s
  double overhead_without_first_loads = 0;
  double share = 0;                        ///< overhead / sum of run times
  double share_by_nodes = 0;               ///< share weighted by the nodes of each job
  double share_without_first_loads = 0;    ///< of the plain share
  double utilization_without_loading = 0;  ///< nodes whose job is being loaded count as unused
};

/// The figures of sharing nodes. Expected and real gains are means over the sharing groups, see SharingCounts.
struct SharingSummary {
  struct Class {
    std::string name;
    std::int64_t jobs = 0;     ///< jobs that ran to an end
    std::int64_t grouped = 0;  ///< jobs that were in a sharing group at least once
    std::int64_t late = 0;     ///< jobs that did not keep the response time they were to keep (SharedJob::bound)
  };
  std::int64_t groups = 0;
  double jobs_per_group = 0;
  double gain_promised = 0, gain_had = 0;
  /// Utilization efficiency E: what the jobs' work takes with one process on each node, nodes x run time alone, over
  /// makespan x nodes. Above `utilization` where sharing gains more than it slows down. (Sodan & Lan 2005, Section
  /// 6.1.)
  double efficiency = 0;
  double grouped_share = 0;       ///< of the jobs of all classes but the first, the short ones
  std::int64_t bounded = 0;       ///< jobs that were to keep a response time
  std::int64_t late = 0;          ///< jobs that did not keep it
  std::int64_t late_grouped = 0;  ///< late jobs that were in a sharing group
  std::int64_t attempts = 0;      ///< see SharingCounts
  double few_share = 0;           ///< of the attempts: fewer than four candidates, or none
  double vain_share = 0;          ///< of the attempts: no candidate
  std::vector<Class> by_class;
};

/// Rejected jobs and those that had not ended when the run stopped are counted and enter no other figure.
struct Summary {
  std::int64_t jobs = 0;      ///< in the workload
  std::int64_t finished = 0;  ///< ran to an end, killed ones included (Batsim's nb_jobs_finished)
  std::int64_t killed = 0;    ///< at their limit
  std::int64_t rejected = 0;
  std::array<std::int64_t, kRejections> rejected_for{};  ///< by Rejection
  std::int64_t unfulfilled = 0;                          ///< never came: what they depend on could not happen any more
  std::int64_t withdrawn = 0;          ///< their users cancelled them before they had started, here or in their record
  std::int64_t withdrawn_started = 0;  ///< withdrawn jobs that started here before their users cancelled them
  std::int64_t nodes = 0;              ///< of the machine
  double makespan = 0;                 ///< last end - first submission, s
  /// Node-seconds used / node-seconds available: makespan x nodes, less the time in which nodes were down. Nodes are
  /// unused in the time that is lost at the end of a slice.
  double utilization = 0;
  double core_utilization = 0;  ///< core-seconds used / those that there were
  double mean_queue = 0;        ///< waiting jobs, mean over the makespan
  std::int64_t max_queue = 0;
  double mean_slowdown = 0, max_slowdown = 0;  ///< unbounded, see stretch()
  GroupSummary all;                            ///< name "all"
  std::vector<GroupSummary> by_class;          ///< in the order of the options
  /// By user, group (an account, where it is a dump of sacct) and queue (QOS), where the trace has them; sorted by
  /// number; "-1" is unknown.
  std::vector<GroupSummary> by_user, by_group, by_queue;
  std::vector<GroupSummary> by_partition;  ///< in which jobs ran, by its name, where the machine has partitions
  double trim = 0;                         ///< share of the ended jobs that is cut at each end for the trimmed figures
  Steadiness steady;                       ///< the trimmed time
  GroupSummary trimmed;  ///< without the first and last `trim` of the ended jobs, in order of submission
  std::vector<GroupSummary> trimmed_by_class;
  HighLoad high_load;                              ///< by MetricsOptions::high_load
  std::optional<SliceSummary> slices;              ///< only under time slices
  std::optional<SharingSummary> sharing;           ///< only where jobs may share nodes
  std::optional<ResourceSummary> resources;        ///< only on a heterogeneous machine
  std::optional<SwitchSummary> switches;           ///< only where the machine has switches
  std::optional<OutageSummary> outages;            ///< only where nodes are not always there
  std::optional<PowerSummary> power;               ///< only where nodes are powered down
  std::optional<EnergySummary> energy;             ///< only where it is known what nodes draw
  std::optional<CostSummary> cost;                 ///< only where something has a price
  std::optional<ElasticSummary> elastic;           ///< only where running jobs changed their nodes
  std::optional<PreemptionSummary> preemptions;    ///< only where the policy stopped running jobs
  std::optional<ReservationSummary> reservations;  ///< only where nodes are reserved
  std::optional<DemandCurves> demand;              ///< only where it was asked for
  std::optional<ProcessSummary> processes;         ///< only of runs at the level of processes
};

/// What a summary is wanted for.
enum class SummaryUse : std::uint8_t {
  kNone,   ///< no summary
  kTable,  ///< the tables of a terminal, which have no users, no queues (QOS) and no trimmed jobs
  kAll,    ///< every figure
};

/// Computes the figures; with SummaryUse::kTable, by_user, by_queue, trimmed and trimmed_by_class stay empty. O(n) in
/// the number of jobs, but for the sorting of users and queues. Sums of times are integers and those of ratios run in
/// order of submission, so that the result is the same on each machine.
Summary summarize(const RunResult& result, const MetricsOptions& options, SummaryUse use = SummaryUse::kAll);

/// How much better a run is than its reference, as shares of the reference: 0.05 is 5 % better, negative is worse, NaN
/// where the reference gives nothing to compare with (no overhead, no jobs in the class). (Esbaugh 2010, Chapter 6.)
struct Comparison {
  struct Group {
    std::string name;
    double response_improvement = 0;  ///< 1 - mean relative response time / the reference's
  };
  double overhead_reduction = 0;  ///< 1 - overhead / the reference's
  std::vector<Group> by_class;    ///< classes that both have, in the reference's order
  Group all;                      ///< name "all"
};

/// Compares a run with its reference, on the same jobs.
Comparison compare(const Summary& reference, const Summary& run);

}  // namespace coslice
