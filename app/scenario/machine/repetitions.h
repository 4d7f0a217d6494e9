// Outages and reservations of nodes that repeat: until when they do.
#pragma once

#include <string>
#include <vector>

#include "core/time.h"
#include "observe/result.h"
#include "scenario/scenario.h"

namespace coslice {

/// Until when outages and reservations repeat: for as long again as jobs are submitted, and a year. What repeats often
/// ends before, so that a run takes as long as its jobs, not as its calendar: it repeats a thousand times, and for four
/// times as long as all jobs need one after another, each with one more repetition to wait for. Jobs that fit between
/// no two repetitions are not waited for where these are on all nodes.
class RepetitionEnds {
 public:
  explicit RepetitionEnds(const std::vector<Job>& jobs);

  Time first() const { return first_; }
  Time last() const { return last_; }
  /// Returns after which instant the outage does not begin any more. Precondition: it repeats.
  Time of(const PlannedOutage& spec) const;
  /// Returns the same of one table of a reservation. Precondition: it repeats.
  Time of(const ReservationSpec& spec) const;

 private:
  Time until(Duration every, Duration longest) const;

  Time first_, last_;            ///< submissions
  Time known_;                   ///< the last instant that a job names
  std::vector<Duration> needs_;  ///< how long jobs run at most, the shortest first
  std::vector<Duration> sums_;   ///< of so many of them
  Duration apart_{0};            ///< what jobs wait after others, all together
};

/// What begins more often is refused: each time takes memory.
inline constexpr std::size_t kMostRepetitions = 1'000'000;

/// Returns a line for people where jobs started later than that: they may have waited for nothing else.
std::vector<std::string> repetition_warnings(const Scenario& scenario, const RunResult& result);

}  // namespace coslice
