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
/// Writes the workload as SWF with its wait times, gzip if the path ends in ".gz", standard output for "-". Throws as
/// SwfWriter does.
void write_recorded_swf(const std::string& path, const RecordedWorkload& recorded);

}  // namespace coslice
