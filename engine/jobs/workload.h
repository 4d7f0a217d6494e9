// A workload: jobs in order of submission, where they come from, what was left out, and what dates its times are.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "jobs/job.h"
#include "machine/fragmentation.h"
#include "machine/request_spec.h"

namespace coslice {

struct Attribute;

/// Keeps what few jobs have, beside the jobs: each combination once. Copies share what they hold; jobs that point into
/// it may be copied along. A copy that is written to keeps the others as they are.
class JobExtrasStore {
 public:
  /// Gives the job that text; "" removes it. Precondition: a.is_text().
  void set(Job& job, const Attribute& a, std::string text);
  /// Gives the job that number or time, as JobExtras has it.
  template <class T>
  void set(Job& job, T JobExtras::*member, std::type_identity_t<T> value) {
    if (job.extras->*member == value) return;
    JobExtras all = *job.extras;
    all.*member = value;
    set(job, std::move(all));
  }
  /// Moves the instants that it has; none to before the trace's second 0.
  void move_instants(Job& job, Duration by);
  /// Gives the job these in place of what it has.
  void set(Job& job, JobExtras extras);
  /// Whether some job may have that text; false only if none has. Precondition: a.is_text().
  bool may_have(const Attribute& a) const;

 private:
  struct Hash {
    std::size_t operator()(const JobExtras& extras) const;
  };
  struct Rows {
    std::shared_ptr<const Rows> older;  ///< still pointed to
    std::unordered_set<JobExtras, Hash> extras;
  };
  std::shared_ptr<Rows> rows_;
};

/// Why a record of a trace is not simulated, or was altered.
struct TraceNote {
  std::string reason;           ///< e.g. "no run time"
  std::int64_t count = 0;       ///< records
  std::int64_t first_line = 0;  ///< where it was seen first, 1-based; 0 if not from a file
  bool dropped = false;         ///< the records were left out; otherwise they were kept, altered or merely noticed
};

/// Counts what a reader leaves out or alters, for the notes of its workload.
class NoteCounts {
 public:
  /// A kind of note; they are told in the order of their numbers.
  struct Kind {
    std::size_t number = 0;  ///< below kKinds
    std::string_view words{};
    bool dropped = false;
  };
  static constexpr std::size_t kKinds = 16;
  /// Counts what was noted. `line` is where it was found, which is kept if it is the first of its kind.
  void note(const Kind& kind, std::int64_t line, std::int64_t count = 1) {
    TraceNote& n = notes_[kind.number];
    if (n.count == 0) n = {std::string(kind.words), 0, line, kind.dropped};
    n.count += count;
  }
  std::int64_t count(const Kind& kind) const { return notes_[kind.number].count; }
  /// Returns the notes whose count is not 0.
  std::vector<TraceNote> notes() const {
    std::vector<TraceNote> some(notes_.begin(), notes_.end());
    std::erase_if(some, [](const TraceNote& n) { return n.count == 0; });
    return some;
  }

 private:
  std::array<TraceNote, kKinds> notes_;
};

/// What the head of a trace says of the machine; 0 where it says nothing.
struct TraceHeader {
  std::int64_t max_procs = 0;
  std::int64_t max_nodes = 0;
  std::int64_t max_jobs = 0;
  std::int64_t unix_start_time = 0;
  std::vector<std::string> lines;  ///< the comment lines as they stand, without the line end
};

/// What fitting sizes to nodes with several cores came to (jobs/transform.h).
struct SizeAdjustmentCounts {
  std::int64_t serial = 0;                   ///< jobs of one process; they stay so
  std::int64_t one = 0, half = 0, full = 0;  ///< parallel jobs by processes per node: 1, one a processor, one a core
  double load_before = 0;                    ///< offered load: size x run time / (nodes x span of the submissions)
  double load_after = 0;                     ///< the load with the new nodes and the run times on them
};

/// Jobs sorted by (submit, place in the file).
struct Workload {
  std::string name;  ///< file name without folders and endings
  TraceHeader header;
  std::vector<Job> jobs;
  std::vector<TraceNote> notes;                  ///< the account of what was dropped or altered
  std::int64_t records = 0;                      ///< records seen, dropped ones included
  std::vector<TypicalRequest> typical;           ///< what jobs typically ask for, where the trace says it; else empty
  std::optional<SizeAdjustmentCounts> adjusted;  ///< where sizes were fitted to nodes with several cores
  JobExtrasStore extras;                         ///< what the jobs' `extras` point to
  std::vector<std::string> warnings;             ///< for the author of the file: names that are out of use
  RequestTable requests;  ///< what jobs ask for on a heterogeneous machine; its numbers are the layout's
};

/// Leaves out the jobs for which out(job) holds, and notes how many, for that reason. Returns their number.
template <class Out>
std::int64_t leave_out(Workload& workload, std::string reason, Out&& out) {
  const auto dropped = static_cast<std::int64_t>(std::erase_if(workload.jobs, out));
  if (dropped > 0) workload.notes.push_back({std::move(reason), dropped, 0, true});
  return dropped;
}

/// Drops the jobs of more than `size` processes and notes how many. Returns the number dropped.
std::int64_t drop_larger_than(Workload& workload, std::int64_t size);

/// Where a machine size comes from.
enum class MachineSource { kMaxProcs, kMaxNodes, kLargestJob };

/// The machine a trace was recorded on: one-processor nodes.
struct TraceMachine {
  std::int64_t nodes = 0;
  MachineSource source = MachineSource::kLargestJob;
};

/// Returns the machine of the trace: header MaxProcs, else MaxNodes, else the largest job (which deserves a warning); 0
/// if there is no job either.
TraceMachine machine_of(const Workload& workload);

/// Returns the name of a trace: "KTH" for "a/b/KTH.swf.gz".
std::string workload_name_of(const std::string& path);

/// Returns "" if the jobs of both are the same in all that a run can depend on; else the first difference in words,
/// with "a" and "b" for the two: "job 7 differs in submit: 10 s in a, 12 s in b".
std::string first_difference(const Workload& a, const Workload& b);

// --- the calendar of a trace: what date it is at its second 0, where its header says so

/// Local time is that of the trace's begin throughout: changes between winter and summer time are not known.
struct TraceClock {
  std::int64_t unix_at_0 = 0;  ///< seconds since 1970, UTC, at the trace's second 0
  std::int64_t offset = 0;     ///< local time minus UTC, s; by the header's StartTime or TimeZone, else 0
};

/// Returns what stands behind "; Key:" in a line of a trace's header; nothing if it is another line.
std::optional<std::string_view> header_entry(std::string_view line, std::string_view key);

/// What the time of day of a trace is.
enum class HourSource {
  kLocal,  ///< local time, by the header's StartTime or TimeZone
  kUtc,    ///< by the header's UnixStartTime
  kTrace,  ///< the header says nothing: second 0 is taken as midnight
};

/// Returns the time of day at the trace's second 0, in seconds since midnight, and where that is from.
std::int64_t second_of_day_at_0(const TraceHeader& header, HourSource& source);

/// Returns the trace's clock; nothing if the header has no UnixStartTime.
std::optional<TraceClock> trace_clock(const TraceHeader& header);

/// A date and time of day, local time.
struct CalendarDate {
  std::int64_t year = 1970, month = 1, day = 1;
  std::int64_t weekday = 4;        ///< 1: Monday, 7: Sunday
  std::int64_t second_of_day = 0;  ///< whole seconds
};
CalendarDate calendar_date(const TraceClock& clock, Time t);

/// Returns "1996-09-23 14:00:31", local time.
std::string date_text(const TraceClock& clock, Time t);
/// Returns "UTC+02:00".
std::string zone_text(const TraceClock& clock);

/// Returns "1996-09-23 14:00:31 to 1997-08-29 13:35:59, UTC+02:00".
std::string dates_text(const TraceClock& clock, Time first, Time last);

/// Reads "1996-09-23", "1996-09-23 14:00" or "1996-09-23T14:00:31" as seconds since 1970, as UTC; nothing for another
/// text.
std::optional<std::int64_t> calendar_seconds(std::string_view text);
/// Writes seconds since 1970 as "1996-09-23T14:00:31".
std::string calendar_text(std::int64_t seconds);
/// Returns the instant of the trace at which its local calendar shows that, in seconds; it may lie before its begin.
std::int64_t trace_second(const TraceClock& clock, std::int64_t calendar);

}  // namespace coslice
