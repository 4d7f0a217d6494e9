// A workload: jobs in order of submission, where they come from, and what was left out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "resources/fragmentation.h"
#include "resources/request_table.h"
#include "workload/job.h"
#include "workload/job_extras.h"

namespace coslice {

/// Why a record of a trace is not simulated, or was altered.
struct TraceNote {
  std::string reason;           ///< e.g. "no run time"
  std::int64_t count = 0;       ///< records
  std::int64_t first_line = 0;  ///< where it was seen first, 1-based; 0 if not from a file
  bool dropped = false;         ///< the records were left out; otherwise they were kept, altered or merely noticed
};

/// What the head of a trace says of the machine; 0 where it says nothing.
struct TraceHeader {
  std::int64_t max_procs = 0;
  std::int64_t max_nodes = 0;
  std::int64_t max_jobs = 0;
  std::int64_t unix_start_time = 0;
  std::vector<std::string> lines;  ///< the comment lines as they stand, without the line end
};

/// What fitting sizes to nodes with several cores came to (workload/size_adjustment.h).
struct SizeAdjustmentCounts {
  std::int64_t serial = 0;                   ///< jobs of one process; they stay so
  std::int64_t one = 0, half = 0, full = 0;  ///< parallel jobs by processes per node: 1, one a processor, one a core
  double load_before = 0;                    ///< offered load: size x run time / (nodes x span of the submissions)
  double load_after = 0;                     ///< the same with the new nodes and the run times on them
};

/// Jobs sorted by (submit, place in the file).
struct Workload {
  std::string name;  ///< file name without folders and endings
  TraceHeader header;
  std::vector<Job> jobs;
  std::vector<TraceNote> notes;                  ///< the account of what was dropped or altered
  std::int64_t records = 0;                      ///< records seen, dropped ones included
  std::vector<TypicalRequest> typical;           ///< what jobs typically ask for, where the trace says it; else empty
  std::optional<SizeAdjustmentCounts> adjusted;  ///< where sizes were fitted to nodes with several cores
  JobExtrasStore extras;                         ///< what the jobs' `extras` point to
  std::vector<std::string> warnings;             ///< what whoever wrote it should know: names that are out of use
  RequestTable requests;                         ///< what jobs ask for where nodes differ; its numbers are the layout's
};

}  // namespace coslice
