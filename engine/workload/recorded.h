// What a site has on record: its jobs, and when its own scheduler started them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/time.h"
#include "workload/recorded_requests.h"
#include "workload/skipped_lines.h"
#include "workload/workload.h"

namespace coslice {

struct RecordedWorkload {
  Workload workload;
  std::vector<Duration> waits;  ///< from submission to start, by job; negative: not known. Empty: none is known
  bool all_starts_known = false;  ///< a job without a wait had not started when this was written

  /// What jobs asked for, in the site's names; for resolve_recorded_requests(). Until then a job's request is a place here.
  /// Empty: it is not on record.
  std::vector<RecordedRequest> requests;
  std::vector<std::string> nodes;     ///< by job, those that it had, as the site writes them. Empty: none are known
  std::vector<std::string> site_ids;  ///< by job, as the site writes them ("1234_7"). Empty: none is known

  /// A name that stood where the workload has a number.
  struct Name {
    std::string kind;  ///< "user", "group", "executable", "queue", "partition"
    std::int32_t number = 0;
    std::string name;
    std::int64_t jobs = 0;
  };
  std::vector<Name> names;  ///< in the order of kind and number

  /// The id that the site knows the job by, else its number.
  std::string site_id(std::size_t job) const;
  /// By job, ids that tell all apart: those of the site, and "1400 (2)" for the second one of an id, as of a requeued job.
  std::vector<std::string> distinct_site_ids() const;
  Duration wait(std::size_t job) const { return job < waits.size() ? waits[job] : Duration{-1}; }
};

/// Reads an SWF trace with its wait times. Rules and errors are those of read_swf.
RecordedWorkload read_recorded_swf(const std::string& path, SkippedLines* skipped = nullptr);
/// The jobs of a trace of any format (workload/trace_format.h), without waits if it is SWF; sizes of a dump of sacct are
/// processors. Rules and errors are those of the format's reader.
RecordedWorkload read_trace(const std::string& path);
/// The same with the waits of an SWF trace, too.
RecordedWorkload read_trace_with_waits(const std::string& path);
/// Calls `change`, which may leave out, change and add jobs of the workload, and lets the others keep what is known of them,
/// by their numbers.
void change_recorded(RecordedWorkload& recorded, const std::function<void(Workload&)>& change);
/// Removes jobs larger than the machine together with their waits, notes how many, and returns that number.
std::int64_t drop_larger_than(RecordedWorkload& recorded, std::int64_t size);

/// How much of the machine (units of Job::size) the jobs had at once where they had most; 0 if no wait is known.
std::int64_t most_at_once(const RecordedWorkload& recorded);

/// Writes the workload as SWF with its wait times, gzip if the path ends in ".gz", standard output for "-". What stands
/// in for a missing limit is not written: field 9 is -1. Throws as SwfWriter does.
void write_recorded_swf(const std::string& path, const RecordedWorkload& recorded);

}  // namespace coslice
