// What processors do over time, in columns: the process that had most of each. For pictures, of a millisecond or of an
// hour.
#pragma once

#include <cstdint>
#include <vector>

#include "process/processor_watch.h"

namespace coslice {

class ProcessorPicture : public ProcessorWatch {
 public:
  /// A stretch of columns of one processor in which the same was done most of the time.
  struct Stretch {
    std::int32_t processor;
    std::int32_t from, to;  ///< columns, `to` left out
    Activity what;
    JobIndex job;
  };

  /// Of [from, to), in this many columns. Throws std::invalid_argument if it is empty.
  ProcessorPicture(std::int32_t processors, Time from, Time to, std::int32_t columns);

  void did(std::int32_t processor, Activity what, JobIndex job, Ns from, Ns to) override;
  /// Without what was idle; by processor, then column.
  std::vector<Stretch> stretches() const;

  std::int32_t processors() const { return static_cast<std::int32_t>(cells_.size()) / columns_; }
  std::int32_t columns() const { return columns_; }
  Time from() const { return Time{Duration{from_}}; }
  Time to() const { return Time{Duration{to_}}; }
  /// Nanoseconds of each kind in the window, by number of Activity, over all processors.
  const std::vector<Ns>& sums() const { return sums_; }

 private:
  struct Part {
    Activity what;
    JobIndex job;
    Ns time;
  };

  Ns border(std::int32_t column) const;

  std::int32_t columns_;
  Ns from_, to_;
  std::vector<std::vector<Part>> cells_;  ///< by processor, then column
  std::vector<Ns> sums_;
};

}  // namespace coslice
