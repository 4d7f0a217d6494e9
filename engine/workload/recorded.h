// What a site has on record: its jobs, and when its own scheduler started them.
#pragma once

#include <string>
#include <vector>

#include "core/time.h"
#include "workload/workload.h"

namespace coslice {

struct RecordedWorkload {
  Workload workload;
  std::vector<Duration> waits;  ///< from submission to start, by job; negative: not known. Empty: none is known

  /// A name that stood where the workload has a number.
  struct Name {
    std::string kind;  ///< "user", "group", "executable", "queue", "partition"
    std::int32_t number = 0;
    std::string name;
    std::int64_t jobs = 0;
  };
  std::vector<Name> names;  ///< in the order of kind and number

  Duration wait(std::size_t job) const { return job < waits.size() ? waits[job] : Duration{-1}; }
};

/// Reads an SWF trace with its wait times. Rules and errors are those of read_swf.
RecordedWorkload read_recorded_swf(const std::string& path);
/// Removes jobs larger than the machine together with their waits, notes how many, and returns that number.
std::int64_t drop_larger_than(RecordedWorkload& recorded, std::int64_t size);

/// How much of the machine (units of Job::size) the jobs had at once where they had most; 0 if no wait is known.
std::int64_t most_at_once(const RecordedWorkload& recorded);

/// Writes the workload as SWF with its wait times, gzip if the path ends in ".gz", standard output for "-". Throws as
/// SwfWriter does.
void write_recorded_swf(const std::string& path, const RecordedWorkload& recorded);

}  // namespace coslice
