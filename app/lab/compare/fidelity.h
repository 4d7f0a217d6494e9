// How near a simulated schedule came to recorded ones: errors of waits with intervals, in all and by groups of jobs,
// and the order of starts; beside it, how near the recorded ones came to one another, as a real machine does not repeat
// itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/compare/schedule_record.h"
#include "lab/compare/statistics.h"
#include "report/charts/chart.h"

namespace coslice {

/// One schedule against another, over the jobs that both have. Times in seconds.
struct ScheduleDistance {
  std::string ours, theirs;
  std::size_t jobs = 0;
  double our_wait = 0, their_wait = 0;  ///< means
  std::optional<Interval> bias;         ///< of our_wait - their_wait, job by job in batches (95 %)
  double mean_error = 0, median_error = 0, p90_error = 0, rms_error = 0;  ///< of the waits of single jobs
  double within_minute = 0, within_5_minutes = 0, within_half_hour = 0;   ///< shares of jobs with smaller errors
  double rank_correlation = 0;                                            ///< of the order of starts (Spearman)
};

/// Returns the distance of two schedules. Throws InputError if they have fewer than two jobs in common.
ScheduleDistance schedule_distance(const ScheduleRecord& ours, const ScheduleRecord& theirs);

/// Returns the mean of the distances, value by value.
ScheduleDistance mean_distance(const std::vector<ScheduleDistance>& of, std::string ours, std::string theirs);

/// The waits of a group of jobs, run against record.
struct FidelityGroup {
  std::string label, value;  ///< "nodes", "4"
  std::size_t jobs = 0;
  double our_wait = 0, their_wait = 0;  ///< s, means over jobs and over schedules
  std::optional<Interval> bias;         ///< of our_wait - their_wait, s (95 %)
  double mean_error = 0;                ///< s, of the waits of single jobs
};

struct Fidelity {
  std::vector<ScheduleDistance> distances;        ///< each run against each record
  std::optional<ScheduleDistance> to_median;      ///< mean over runs; with three records or more
  std::optional<ScheduleDistance> among_records;  ///< mean over pairs of records; with two or more
  std::vector<FidelityGroup> groups;
  std::size_t only_run = 0, only_record = 0;  ///< jobs that only one side has
  UseOverTime use;                            ///< of the first run and the first record
};

/// Compares runs with records. Precondition: there is at least one of each.
Fidelity fidelity_of(const std::vector<ScheduleRecord>& runs, const std::vector<ScheduleRecord>& records);

// How near a simulation came to records, as people and programs read it.

/// Returns tables of distances and of groups of jobs, with notes below them.
std::string fidelity_text(const Fidelity& fidelity, bool colour);
/// Returns the comparison as JSON: {"distances": [...], "among_records": {...}, "to_median": {...}, "groups": [...]}.
std::string fidelity_json(const Fidelity& fidelity);
/// Returns a chart of the processors in use over time, simulated and recorded. Precondition: fidelity.use is not empty.
Chart fidelity_chart(const Fidelity& fidelity);

}  // namespace coslice
