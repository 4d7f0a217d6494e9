// The story of a job in plain words, and for machines: what it waited for, which jobs passed it, why it started, what
// happened to it then.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "jobs/workload.h"
#include "observe/job_story.h"
#include "observe/result.h"

namespace coslice::words {

// Words that the texts about jobs and runs share.

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
/// Returns the name of the value in JSON, under "why" or "how".
const char* name(WaitReason why);
const char* name(StartReason reason);
const char* name(GroupRefusal why);
const char* name(JobEvent::Kind kind);

}  // namespace coslice::words

namespace coslice {

/// Whose story it is.
struct StoryContext {
  const RunResult* result = nullptr;
  std::string run;                    ///< what was run, and under which policy: "ctc, easy"
  std::vector<std::string> classes;   ///< of time slices, by number; empty without
  std::string class_name;             ///< of the job, under time slices
  std::string asks;                   ///< what the job asks for on a heterogeneous machine, in words; else empty
  JobIndex job = kNoJob;              ///< there
  std::optional<TraceClock> clock{};  ///< instants are dates by it; none: seconds of the trace
};

/// Returns what the job asks for, for StoryContext::asks.
std::string asks_text(const RunResult& result, JobIndex j);

/// A text in parts, which the caller lays out.
struct StoryText {
  struct Line {
    std::string when;  ///< "2,400 s" or a date; "" if it continues
    std::string text;
  };
  struct Part {
    std::string title;
    std::vector<Line> lines;
  };
  std::vector<std::string> head;
  std::vector<Part> parts;
};

StoryText story_text(const JobStory& story, const StoryContext& context);

/// Returns why the job waits, in one sentence without its end: "needs 3 nodes, 1 was free".
std::string wait_reason_text(const WaitPhase& phase, const StoryContext& context);
/// Returns why the job was rejected, without an end: "its policy refused it: no twos". Precondition: story.rejected.
std::string rejected_text(const JobStory& story, const StoryContext& context);
/// Returns why the job was started as it was: "backfilled: ...".
std::string start_text(const JobStory& story, const StoryContext& context);
/// Returns why another job could pass this one: "job 7 (2 nodes), backfilled: ...".
std::string passing_text(const Passing& passing, const JobStory& story, const StoryContext& context);
/// Returns what happened to the job after its start.
std::string event_text(const JobEvent& event, const JobStory& story, const StoryContext& context);
/// Returns which jobs were tried on the same nodes, and why they were refused.
std::string refused_text(const RefusedGroup& group, const StoryContext& context);

/// Returns a JSON object of one story. Jobs are the trace's numbers, times seconds; what is not known is null.
std::string story_json(const JobStory& story, const StoryContext& context);

}  // namespace coslice
