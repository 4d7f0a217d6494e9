// Words that the texts about jobs and runs share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "jobs/workload.h"
#include "observe/job_story.h"
#include "observe/result.h"

namespace coslice::words {

/// Returns "job 7".
std::string job(const RunResult& result, JobIndex j);
/// Returns "job 7", "jobs 7 and 9", "jobs 7, 9, 12 and 4 more" if there are more than are listed.
std::string jobs(const RunResult& result, const std::vector<JobIndex>& list, std::size_t all = 0);
/// Returns "1 node", "12 nodes".
std::string nodes(std::int64_t n);
/// Returns an instant in seconds, to the millisecond: "2,400 s", "12.25 s".
std::string instant(Time t);
/// Returns an instant as its date and time of day, "2026-03-01 08:30:00", to the millisecond; without a clock in
/// seconds.
std::string instant(const std::optional<TraceClock>& clock, Time t);
/// Returns what the dates are of, in a sentence: "Times are UTC+02:00; second 0 is 2026-03-01 08:00:00."
std::string zone(const TraceClock& clock);
/// Returns "once", "twice", "5 times".
std::string times(std::int64_t n);
/// Returns "submitted at 0 s, came into the queue at 100 s: it waited for job 3 ...". Precondition: s.release.
std::string kept(const JobStory& s, const RunResult& result, const std::optional<TraceClock>& clock);
/// Returns "submitted at 0 s and never came into the queue: ...". Precondition: s.unfulfilled.
std::string never(const JobStory& s, const RunResult& result, const std::optional<TraceClock>& clock);
/// Returns the word for what a list of JSON calls "why" and "how".
const char* name(WaitReason why);
const char* name(StartReason reason);
const char* name(GroupRefusal why);
const char* name(JobEvent::Kind kind);

}  // namespace coslice::words
