// Refuses runs under slices that would never come to their end.
#pragma once

#include <string>

#include "jobs/job_times.h"
#include "schedule/lane.h"
#include "slices/slices.h"

namespace coslice {

class ProgressWatch {
 public:
  /// Makes the watch. All references outlive it.
  ProgressWatch(const SliceOptions& options, const SliceClock& clock, const Lanes& classes,
                const std::vector<Job>& jobs, const JobTimes& times)
      : options_(options), clock_(clock), classes_(classes), jobs_(jobs), times_(times) {}

  /// Is called at the beginning of the run.
  void begin() { idle_since_ = clock_.now(); }
  /// Is called at each instant: `active` jobs were submitted and have not ended. Throws SimulationError if for too long
  /// none of them has run (`busy`), and none comes (`more`).
  void check_starts(std::size_t active, bool busy, bool more);
  /// Is called where a job was interrupted: so much more of it is to do than before. That is no fault of its slices.
  void repeats(Duration more) { repeated_ += more; }
  /// Is called at the beginning of each slice, where memory is modelled. Throws SimulationError if jobs swap each other
  /// out before they run: they would do so for ever, as writing out adds to their work.
  void check_progress(std::size_t done, std::size_t active, const SliceCounts& counts);

 private:
  std::string why_none_starts() const;
  std::string first_waiting() const;
  Duration work_left() const;

  const SliceOptions& options_;
  const SliceClock& clock_;
  const Lanes& classes_;
  const std::vector<Job>& jobs_;
  const JobTimes& times_;
  Time idle_since_{};
  Duration repeated_{0};
  /// What there was to do when progress was last checked.
  struct Last {
    std::size_t done = 0, known = 0;
    std::int64_t slices = 0, loads = 0;
    Duration work{0};
  } last_;
};

}  // namespace coslice
