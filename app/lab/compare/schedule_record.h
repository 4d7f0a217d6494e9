// When jobs were submitted, started and ended: of a run, or as a machine's own scheduler recorded.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "formats/trace_file.h"

namespace coslice {

/// Times in seconds, each schedule on a clock of its own.
struct ScheduledJob {
  double submitted = 0, start = 0;
  double end = -1;           ///< below 0: not known
  double processors = 0;     ///< 0: not known
  std::string node_names{};  ///< those that it had; "": not known
  /// What it is counted under: "class", "nodes", "partition", "group" (or "account"), "user", "queue" (or "QOS"), and
  /// its value.
  std::map<std::string, std::string> labels{};
  std::string site_id{};  ///< the site's own, distinguished (RecordedWorkload::distinct_site_ids); "": not known

  double wait() const { return start - submitted; }
};

struct ScheduleRecord {
  std::string name;                          ///< as messages and tables call it
  std::map<std::string, ScheduledJob> jobs;  ///< those that started, by the site's id; of a run, by number
  /// Whether jobs are known to have been submitted when it says; a run knows when they came to its queue: those that
  /// wait for others, for a time or for their array come later.
  bool says_submissions = false;

  /// Returns the job that another record has under `id`, or null: by the site's own id where both know it, else by
  /// `id`.
  const ScheduledJob* find(const std::string& id, const std::string& site_id) const;
};

/// A job of two records.
struct JobPair {
  const std::string* id;  ///< what the first calls it
  const ScheduledJob *ours, *theirs;
  double late = 0;  ///< how much later than it was submitted it came to the queue of the first, s
  double our_wait() const { return ours->wait() + late; }
  double error() const { return our_wait() - theirs->wait(); }
};

/// Returns the jobs that both have, in the order in which they came. One that ran several times has several entries of
/// one id; where one record has fewer of them, submissions identify the pairs. Where the second one says when jobs were
/// submitted, waits of the first count from then, too.
std::vector<JobPair> common_jobs(const ScheduleRecord& ours, const ScheduleRecord& theirs);

/// Returns the run in a folder that `coslice run --out` wrote. Throws InputError if there is none, or its jobs.csv is
/// damaged.
ScheduleRecord schedule_of_run(const std::string& folder);

/// Reads a record: an SWF trace or a dump of sacct with waits, or a CSV file, plain or gzip, with a column job_id (or
/// id, oar_id), start, one of submit and wait, and if wanted end. Jobs that never started are left out. Throws
/// InputError if the file cannot be read, or knows no start. With `skipped`, lines of a trace that cannot be read are
/// left out and counted there.
ScheduleRecord recorded_schedule(const std::string& path, SkippedLines* skipped = nullptr);

/// Records to be compared with that run. Where lists have two numbers for a job, OAR's and the workload's, all go by
/// the one under which more of the run's jobs have the same size. Throws InputError as above, or if under neither half
/// of them have.
std::vector<ScheduleRecord> recorded_schedules(const std::vector<std::string>& paths, const ScheduleRecord& run,
                                               SkippedLines* skipped = nullptr);

/// Processors in use by the jobs that both have, at `points` equal steps from the first submission to the last end of
/// either, in hours; the second schedule is moved so that their first common jobs come at the same time. Empty where
/// ends or processors are not known.
struct UseOverTime {
  std::vector<double> hours, ours, theirs;
};
UseOverTime use_over_time(const ScheduleRecord& ours, const ScheduleRecord& theirs, std::size_t points);

}  // namespace coslice
