// What is in a dump of sacct, found in one pass that keeps none of its jobs: years of records need no more memory than a day.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/recorded.h"
#include "workload/sacct_reader.h"
#include "workload/skipped_lines.h"

namespace coslice {

/// What the jobs of a dump have in common. parse_sacct gives the same names the same numbers.
struct SacctSurvey {
  std::int64_t jobs = 0;
  std::int64_t first_submit = 0, last_submit = 0;  ///< nanoseconds since 1970
  std::vector<RecordedWorkload::Name> names;  ///< of the kinds "user", "group", "queue" and "partition"
  std::vector<std::pair<std::int32_t, std::int32_t>> users_in_groups;  ///< each pair once, in the order of its first submission
  SacctLosses losses;
  bool has_starts = false;  ///< of some job it is known when it started
  bool names_reservations = false;  ///< whether there is a column Reservation
  bool says_allocated = false;      ///< whether there is a column AllocTRES
};

/// Takes the bytes of a dump, in any blocks, and hands those of lines that can be read on to `copy`, as they are.
class SacctSurveyor {
 public:
  /// With `skipped`, bad lines are counted there and left out; else they are errors, as in parse_sacct.
  SacctSurveyor(std::string file, SkippedLines* skipped, std::function<void(std::string_view)> copy);
  /// Throws InputError with file and line.
  void take(std::string_view block);
  /// After the last block. Throws InputError if no job has run, or submissions span more than 190 years.
  SacctSurvey finish();

 private:
  void line(std::string_view with_end);
  void note_job(const SacctEntry& entry);

  SacctReader reader_;
  std::function<void(std::string_view)> copy_;
  std::string begun_;  ///< a line whose end is in the next block
  std::string kept_;   ///< lines that are not handed on yet
  bool any_line_ = false;
  SacctSurvey survey_;
  /// When a user had its first job in a group, and in which line.
  std::map<std::pair<std::int32_t, std::int32_t>, std::pair<std::int64_t, std::int64_t>> first_of_;
};

}  // namespace coslice
