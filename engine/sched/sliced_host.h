// What may be asked of a simulation under time slices, beside what every host of a view knows.
#pragma once

#include "sched/view.h"

namespace coslice {

class SlicedHost : public ViewHost {
 public:
  /// Which class the job is of, by number.
  virtual std::size_t class_of(JobIndex j) const = 0;
  /// Which class's jobs the view has.
  virtual std::size_t class_of(const View& view) const = 0;
  /// Whether it is a slice of the view's class.
  virtual bool is_open(const View& view) const = 0;
  /// What the started job has done since its start, in all slices together, at rate 1.
  virtual Duration done(const StartedJob& job) const = 0;
  /// Nodes on which jobs could start if this one, which runs, left them.
  virtual std::int32_t freed_by(StartedJob& job) const = 0;
};

/// Null without time slices.
inline const SlicedHost* sliced_host(const View& view) { return dynamic_cast<const SlicedHost*>(&view.host()); }

}  // namespace coslice
