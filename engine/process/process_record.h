// What a run at the level of processes leaves behind beside the outcomes of its jobs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/time.h"
#include "process/coscheduler.h"

namespace coslice {

/// Where the processors' time went, in processor seconds.
struct ProcessAccount {
  Duration computing{0};  ///< bursts: computing and the processor's part of communication
  Duration polling{0};    ///< waiting for messages with the processor
  Duration switching{0};  ///< lost in switches of slots and in dispatches
  Duration blocked{0};    ///< idle while processes that might have run waited for messages
  std::int64_t events = 0, strobes = 0;
  /// Assigned slots of processors, at strobes, and those of them whose row held no process there.
  std::int64_t slots = 0, empty_slots = 0;
};

/// A process's class from then on.
struct ClassChange {
  Time time;
  JobIndex job;
  std::int32_t rank;
  ClassId cls;
};

struct ProcessRecord {
  std::int32_t processors = 0;
  bool exact = false;                            ///< event by event throughout
  Duration extrapolated{0};                      ///< time that was gone through by measured rates ...
  std::int64_t extrapolations = 0;               ///< the number of pieces in which that was done
  Duration error_bound{0};                       ///< by how much the end of the run may be off for that
  std::vector<std::string> classes;              ///< names, by number
  std::vector<std::string> programs{};           ///< names, by JobIndex
  std::vector<std::vector<ClassId>> last_class;  ///< by JobIndex, then rank; empty for a job that did not end
  std::vector<ClassChange> changes;              ///< in order of time; each process begins in class 0
  ProcessAccount account;
};

}  // namespace coslice
