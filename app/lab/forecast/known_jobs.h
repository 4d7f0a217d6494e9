// Which jobs of a machine have ended, run or wait at an instant. Nothing is known about later times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "formats/recorded.h"
#include "jobs/workload.h"
#include "lab/compare/schedule_record.h"

namespace coslice {

enum class KnownAs : std::uint8_t {
  kNotYet,  ///< it comes later: nothing of it may be used
  kEnded,
  kRunning,
  kWaiting,
  kHeld,  ///< it waits, and may not start before it is released
};

/// What is known of a job at an instant.
struct KnownJob {
  KnownAs as = KnownAs::kNotYet;
  Time start = kNever;   ///< of those that have ended or run
  Time end = kNever;     ///< of those that have ended
  std::string nodes{};   ///< of those that have ended or run, as the site writes them; "": not known
  std::string reason{};  ///< why it waits, if the site says it
};

/// When a job started and ended by the record, on the workload's clock; kNever: not known.
struct JobOnRecord {
  Time start = kNever, end = kNever;
  std::string nodes{};
};

struct MachineState {
  Time now{};
  std::vector<KnownJob> jobs;  ///< by JobIndex of the workload
  std::size_t count(KnownAs as) const;
};

/// Returns what the trace itself says of the jobs of `workload`, which are some of its own. Nothing if it knows no
/// start.
std::optional<std::vector<JobOnRecord>> schedule_on_record(const Workload& workload, const RecordedWorkload& trace);
/// Returns what a record says of them, whose ids are those of the site; `site_ids` by job's number. Throws InputError
/// if it has none of them.
std::vector<JobOnRecord> schedule_on_record(const Workload& workload, const RecordedWorkload& trace,
                                            const ScheduleRecord& record);

/// Returns what was known at that instant. Jobs without a recorded start count as never submitted.
MachineState state_at(Time now, const Workload& workload, const std::vector<JobOnRecord>& record);

}  // namespace coslice
