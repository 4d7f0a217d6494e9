// Writing the Standard Workload Format: workloads, and schedules with their wait times.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "workload/workload.h"

namespace coslice {

/// What a run adds to a job's record.
struct SwfOutcome {
  Duration wait{-1};         ///< field 3; negative is "not known"
  Duration runtime{-1};      ///< field 4; negative keeps the job's own run time
  std::int32_t status = -2;  ///< field 11; below -1 keeps the job's own status
};

/// Appends the job's record, with its line feed. Fields 5 and 8 are the size, 9 the limit, 6 is not known.
void append_swf_record(std::string& out, const Job& job, const SwfOutcome& outcome = {});

/// Writes a file piece by piece; gzip if the name ends in ".gz", standard output if it is "-". The same input gives the same bytes.
class SwfWriter {
 public:
  /// Throws InputError if the file cannot be created.
  explicit SwfWriter(const std::string& path);
  SwfWriter(const SwfWriter&) = delete;
  SwfWriter& operator=(const SwfWriter&) = delete;
  ~SwfWriter();

  /// "; " and the text, unless it begins with ';' already.
  void comment(std::string_view text);
  /// The header of the workload: its own lines, or MaxNodes, MaxProcs and the like. MaxJobs and MaxRecords are
  /// those of the jobs there are.
  void header(const Workload& workload);
  void record(const Job& job, const SwfOutcome& outcome = {});
  /// Ends the file. Throws SimulationError if not all of it could be written. Without it the file is incomplete.
  void close();

 private:
  class File;
  void flush();

  std::string path_;
  std::string buffer_;
  std::unique_ptr<File> file_;
};

/// Writes header and jobs. Reading the file back gives the same jobs.
void write_swf(const std::string& path, const Workload& workload);

}  // namespace coslice
