// Reading traces in the Standard Workload Format (SWF 2.2), plain or gzip. The reader is lenient: what can be
// accepted is accepted, and what was dropped or altered is counted in Workload::notes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "formats/recorded.h"
#include "formats/trace_file.h"
#include "jobs/workload.h"

namespace coslice {

/// Use the machine size that the trace's header states (MaxProcs, else MaxNodes), if it states one.
inline constexpr std::int64_t kMachineFromHeader = -1;

struct SwfOptions {
  /// Jobs of more processes are dropped and counted; 0 drops none.
  std::int64_t machine_size = 0;
  /// Where lines that are not records are counted, and left out instead of being an error; so are records with a job
  /// number that stands before. Null: they are errors.
  SkippedLines* skipped = nullptr;
};

/// Reads a trace file, plain or gzip, in one pass without holding its text.
///
/// Rules: size is the larger of fields 8 and 5; the limit is field 9, without one the run time; run time 0 counts
/// as 1 s. Dropped: no submit time, no size, larger than the machine, no run time, run times beyond 31 years, partial
/// executions (status 2 to 4) of a job that has a record of its own. Records out of order are sorted, stable.
/// Submit times that count from 1970 are moved to begin at 0; they may span 190 years. Missing trailing fields are -1,
/// further ones ignored.
///
/// Throws InputError with file and line: not readable, damaged gzip data, not SWF, a needed field that is not a number,
/// a job number used twice, no record at all.
Workload read_swf(const std::string& path, const SwfOptions& options = {});

/// Reads a workload from plain text in memory; `file` is the name in messages.
Workload parse_swf(std::string_view text, const std::string& file, const SwfOptions& options = {});

/// What a run adds to a job's record.
struct SwfOutcome {
  Duration wait{-1};         ///< field 3; negative is "not known"
  Duration runtime{-1};      ///< field 4; negative keeps the job's own run time
  std::int32_t status = -2;  ///< field 11; below -1 keeps the job's own status
};

/// Appends the job's record, with its line feed. Fields 5 and 8 are the size, 9 the limit, 6 is not known.
void append_swf_record(std::string& out, const Job& job, const SwfOutcome& outcome = {});

/// Writes a file piece by piece; gzip if the name ends in ".gz", standard output if it is "-". The same input gives the
/// same bytes.
class SwfWriter {
 public:
  /// Throws InputError if the file cannot be created.
  explicit SwfWriter(const std::string& path);
  SwfWriter(const SwfWriter&) = delete;
  SwfWriter& operator=(const SwfWriter&) = delete;
  ~SwfWriter();

  /// Writes "; " and the text; only the text where it begins with ';'.
  void comment(std::string_view text);
  /// Writes the header of the workload: its own lines, or MaxNodes, MaxProcs and the like. MaxJobs and MaxRecords are
  /// those of the jobs there are.
  void header(const Workload& workload);
  void record(const Job& job, const SwfOutcome& outcome = {});
  /// Ends the file. Throws SimulationError if not all of it could be written. Without it the file is incomplete.
  void close();

 private:
  class File;
  void flush();

  std::string path_, buffer_;
  std::unique_ptr<File> file_;
};

/// Writes header and jobs. Reading the file back gives the same jobs.
void write_swf(const std::string& path, const Workload& workload);

/// Reads an SWF trace with its wait times. Rules and errors are those of read_swf.
RecordedWorkload read_recorded_swf(const std::string& path, SkippedLines* skipped = nullptr);

/// Writes the workload as SWF with its wait times, gzip if the path ends in ".gz", standard output for "-". What stands
/// in for a missing limit is not written: field 9 is -1. Throws as SwfWriter does.
void write_recorded_swf(const std::string& path, const RecordedWorkload& recorded);

}  // namespace coslice
