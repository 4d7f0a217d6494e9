// What outages of nodes, preemptions by policies, changes of running jobs' nodes and reservations of nodes came to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/result.h"

namespace coslice {

/// What it cost that runs of jobs were interrupted.
struct LostWork {
  double lost = 0;           ///< node-seconds of work that was lost
  double checkpointing = 0;  ///< node-seconds of writing checkpoints and going on from them, whatever ended the runs
  double waste = 0;          ///< lost and repeated work, in parts of what jobs used
};

/// What it came to that policies stopped running jobs.
struct PreemptionSummary : LostWork {
  std::int64_t suspended = 0;  ///< times that a job was suspended in place
  double suspended_time = 0;   ///< s, of all jobs together
  std::int64_t stopped = 0;    ///< runs of jobs that policies ended
  std::int64_t requeued = 0;   ///< times that a stopped job waited again
  std::int64_t cancelled = 0;  ///< the others
};

/// Sums up the preemptions by policies; nothing where no run was ended by its policy and no job suspended.
std::optional<PreemptionSummary> summarize_preemptions(const RunResult& result);

/// What it came to that running jobs changed their nodes.
struct ElasticSummary {
  std::int64_t jobs = 0;    ///< that did so
  std::int64_t grown = 0;   ///< times that a job had more nodes than before
  std::int64_t shrunk = 0;  ///< times that it had fewer
  double standstill = 0;    ///< node-seconds in which jobs made no progress because they had just changed
  /// node-seconds that those of the jobs that completed would have used with the nodes with which they started, in
  /// parts of those that they used, in runs that were interrupted, too
  double efficiency = 0;
};

/// Sums up the changes of running jobs' nodes; nothing where there were none.
std::optional<ElasticSummary> summarize_resizes(const RunResult& result);

/// What outages of nodes did.
struct OutageSummary : LostWork {
  std::int64_t failures = 0;       ///< of one node or several at once
  std::int64_t interruptions = 0;  ///< runs of jobs that they ended
  std::int64_t lost_jobs = 0;      ///< jobs that were not requeued
  double availability = 0;         ///< node-seconds in which nodes were not down / (makespan x nodes)
};

/// Returns the node-seconds in [from, to) in which nodes were down.
double down_node_seconds(const OutageRecord& record, Time from, Time to);
/// Returns the core-seconds in [from, to) in which nodes were down.
double down_core_seconds(const OutageRecord& record, const MachineSpec& machine, Time from, Time to);

/// Sums up the outages of a run. Precondition: result.outages. `from` to `to` is the makespan, longer than 0.
OutageSummary summarize_outages(const RunResult& result, Time from, Time to);

/// What reservations of nodes came to.
struct ReservationSummary {
  std::int64_t windows = 0;  ///< windows that began
  std::int64_t late = 0;     ///< windows in which jobs that were there already stayed on some nodes
  double reserved = 0;       ///< node-seconds
  double used = 0;           ///< the part used by jobs that are entitled
  double backfilled = 0;     ///< the part used by others that are short enough
  double withheld = 0;       ///< the part used by others that had started before or ran longer than believed
};

/// Sums up the reservations of nodes in [from, to), which is longer than 0. Precondition: result.reservations is not
/// empty.
ReservationSummary summarize_reservations(const RunResult& result, Time from, Time to);

/// Returns a line for people about each reservation whose nodes were not all free for it in some window, in their
/// order: jobs of others, which had started before, stayed on some.
std::vector<std::string> late_reservation_warnings(const RunResult& result);

/// Returns lines for people about the jobs that nothing lets start: each of the first few with its reason.
std::vector<std::string> blocked_warnings(const RunResult& result);

}  // namespace coslice
