// Outages and reservations of nodes that repeat: until when they do.
#pragma once

#include <string>
#include <vector>

#include "core/time.h"
#include "observe/result.h"
#include "scenario/scenario.h"

namespace coslice {

/// Returns what repeats does so until then: for as long again as jobs are submitted, and a year.
inline Time end_of_repetitions(Time first_submission, Time last_submission) {
  constexpr Duration kYear = whole_seconds(365 * 24 * 3600);
  return later(later(last_submission, last_submission - first_submission), kYear);
}

/// What begins more often is refused: each time takes memory.
inline constexpr std::size_t kMostRepetitions = 1'000'000;

/// Returns a line for people where jobs started later than that: they may have waited for nothing else.
std::vector<std::string> repetition_warnings(const Scenario& scenario, const RunResult& result);

}  // namespace coslice
