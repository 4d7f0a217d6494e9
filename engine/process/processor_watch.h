// An observer of what each processor does at each time, e.g. to draw it.
#pragma once

#include <cstdint>

#include "process/process.h"

namespace coslice {

/// What a processor does.
enum class Activity : std::uint8_t {
  kComputing,  ///< a burst of a process: receive, compute, send
  kPolling,    ///< a process has the processor and waits for messages
  kSwitching,  ///< to a process
  kBlocked,    ///< idle: all that may run wait for messages
};

class ProcessorWatch {
 public:
  virtual ~ProcessorWatch() = default;
  /// The processor has done that in [from, to), for a process of the job; kNoJob while it was blocked. In order of time
  /// for each processor; what is not told was idle time without a process.
  virtual void did(std::int32_t processor, Activity what, JobIndex job, Ns from, Ns to) = 0;
};

}  // namespace coslice
