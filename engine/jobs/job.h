// A job as the trace or the generator tells it. Nothing in it changes during a run. What its members are called outside
// is in jobs/attributes.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/time.h"
#include "machine/request.h"

namespace coslice {

/// Dense index of a job inside a workload, in order of submission.
using JobIndex = std::uint32_t;
inline constexpr JobIndex kNoJob = ~JobIndex{0};

/// What few jobs have. It lies beside them, each combination once (jobs/workload.h): a Job has to be small, as a
/// run of a million of them is as fast as memory lets it be.
struct JobExtras {
  Duration think_time{-1};      ///< SWF field 18
  std::int64_t preceding = -1;  ///< id of the job that must end first (SWF field 17)
  Duration begin{-1};           ///< the job may not come before this instant of the trace
  Duration held_until{-1};      ///< the job is submitted held, and released at this instant of the trace
  Duration withdrawn_at{-1};    ///< the job's user cancels it at this instant of the trace, unless it has started
  /// What is said in words (Attribute::text), with the place of the attribute in the table of all, ascending; none is
  /// empty. Few jobs have many.
  std::vector<std::pair<std::uint32_t, std::string>> texts{};

  bool operator==(const JobExtras&) const = default;
};
inline const JobExtras kNoExtras;

/// What is unknown in SWF is -1 there and here.
struct Job {
  std::int64_t id = 0;                    ///< the trace's own number (SWF field 1), not dense
  Time submit{};                          ///< arrival (field 2)
  Duration runtime{};                     ///< T: run time alone on dedicated nodes (field 4), at least 1 ns
  Duration limit{};                       ///< what the scheduler believes and may enforce (field 9), at least 1 ns
  std::int32_t size = 1;                  ///< processes, rigid (larger of fields 8 and 5)
  std::int32_t user = -1;                 ///< field 12
  std::int32_t group = -1;                ///< field 13
  std::int32_t executable = -1;           ///< field 14
  std::int32_t queue = -1;                ///< field 15
  std::int32_t partition = -1;            ///< field 16
  std::int32_t status = -1;               ///< field 11
  std::int32_t used_memory_kb = -1;       ///< per processor (field 7), KB
  std::int32_t requested_memory_kb = -1;  ///< per processor (field 10), KB
  RequestId request = kNoRequest;         ///< into Workload::requests, on a heterogeneous machine
  bool limit_given = true;                ///< false: the log has no limit, and `limit` is what stands in for it
  const JobExtras* extras = &kNoExtras;   ///< never null; the workload owns it

  bool has_extras() const { return extras != &kNoExtras; }
};

/// The instants of the trace that a job may have beside its submission; below 0: it has none.
inline constexpr std::array<Duration JobExtras::*, 3> kInstantsOfJobs = {&JobExtras::begin, &JobExtras::held_until,
                                                                         &JobExtras::withdrawn_at};

/// Returns when the job leaves the queue unless it has started; kNever: not before it starts.
inline Time withdrawal_of(const Job& job) {
  return job.extras->withdrawn_at < Duration{0} ? kNever : std::max(job.submit, Time{job.extras->withdrawn_at});
}

/// Returns whether the record says that the job was cancelled before it started: its run time is not known.
inline bool never_ran(const Job& job) { return job.status == 5 && job.extras->withdrawn_at >= Duration{0}; }

}  // namespace coslice
