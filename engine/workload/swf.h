// Reading traces in the Standard Workload Format (SWF 2.2), plain or gzip. The reader is lenient: what can be
// accepted is accepted, and what was dropped or altered is counted in Workload::notes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "workload/skipped_lines.h"
#include "workload/workload.h"

namespace coslice {

/// Use the machine size that the trace's header states (MaxProcs, else MaxNodes), if it states one.
inline constexpr std::int64_t kMachineFromHeader = -1;

struct SwfOptions {
  /// Jobs of more processes are dropped and counted; 0 drops none.
  std::int64_t machine_size = 0;
  /// Where it is given, lines that are no records are left out and counted there instead of being an error; so are
  /// records with a job number that stands before.
  SkippedLines* skipped = nullptr;
};

/// Reads a trace file, plain or gzip, in one pass without holding its text.
///
/// Rules: size is the larger of fields 8 and 5; the limit is field 9, without one the run time; run time 0 counts
/// as 1 s. Dropped: no submit time, no size, larger than the machine, no run time, run times beyond 31 years, partial
/// executions (status 2 to 4) of a job that has a record of its own. Records out of order are sorted, stable.
/// Submit times that count from 1970 are moved to begin at 0; they may span 190 years. Missing trailing fields are -1, further ones ignored.
///
/// Throws InputError with file and line: not readable, damaged gzip data, not SWF, a needed field that is no number,
/// a job number used twice, no record at all.
Workload read_swf(const std::string& path, const SwfOptions& options = {});

/// The same from plain text in memory; `file` is the name in messages.
Workload parse_swf(std::string_view text, const std::string& file, const SwfOptions& options = {});

/// Drops the jobs of more than `size` processes and notes how many. Returns the number dropped.
std::int64_t drop_larger_than(Workload& workload, std::int64_t size);

/// Where a machine size comes from.
enum class MachineSource { kMaxProcs, kMaxNodes, kLargestJob };

/// The machine a trace was recorded on: one-processor nodes.
struct TraceMachine {
  std::int64_t nodes = 0;
  MachineSource source = MachineSource::kLargestJob;
};

/// Header MaxProcs, else MaxNodes, else the largest job (which deserves a warning); 0 if there is no job either.
TraceMachine machine_of(const Workload& workload);

/// "a/b/KTH.swf.gz" -> "KTH".
std::string workload_name_of(const std::string& path);

}  // namespace coslice
