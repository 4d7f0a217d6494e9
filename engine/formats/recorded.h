// What a site has recorded: its jobs, and when its own scheduler started them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/time.h"
#include "formats/trace_file.h"
#include "formats/trace_requests.h"
#include "jobs/attributes.h"
#include "jobs/workload.h"

namespace coslice {

/// A workload and, for each job, what the record says beyond it.
struct RecordedWorkload {
  Workload workload;
  std::vector<Duration> waits;    ///< from submission to start, by job; negative: not known. Empty: none is known
  bool all_starts_known = false;  ///< whether a job without a wait had not started when the record was made

  /// Requests of the jobs in the site's names. Until resolve_recorded_requests(), Job::request is an index into this
  /// list. Empty: no requests are recorded.
  std::vector<RecordedRequest> requests;
  std::vector<std::string> nodes;     ///< nodes of each job, by job, as the site writes them. Empty: none is known
  std::vector<std::string> site_ids;  ///< by job, as the site writes them ("1234_7"). Empty: none is known

  /// A name in the record for which the workload has a number.
  struct Name {
    std::string kind;  ///< "user", "group", "executable", "queue", "partition"
    std::int32_t number = 0;
    std::string name;
    std::int64_t jobs = 0;  ///< jobs that have the name
  };
  std::vector<Name> names;  ///< in the order of kind and number

  /// Returns the site's id of the job, else its number.
  std::string site_id(std::size_t job) const {
    return job < site_ids.size() && !site_ids[job].empty() ? site_ids[job] : std::to_string(workload.jobs[job].id);
  }
  /// Returns, by job, ids of which no two are equal: those of the site, and "1400 (2)" for the second one of an id, as
  /// of a requeued job.
  std::vector<std::string> distinct_site_ids() const;
  /// Returns the wait of the job; negative: not known.
  Duration wait(std::size_t job) const { return job < waits.size() ? waits[job] : Duration{-1}; }
};

/// Reads a trace of any format (formats/trace_format.h), without waits if it is SWF; sizes of a dump of sacct are
/// processors. Throws InputError as the reader of the format does.
RecordedWorkload read_trace(const std::string& path);
/// The same; with `skipped`, lines that cannot be read are left out and counted there, where the format may have such
/// (may_skip_lines).
RecordedWorkload read_trace(const std::string& path, SkippedLines* skipped);
/// Reads a trace as read_trace() does, and keeps the waits of an SWF trace.
RecordedWorkload read_trace_with_waits(const std::string& path);
RecordedWorkload read_trace_with_waits(const std::string& path, SkippedLines* skipped);
/// Applies `change`, which may remove, alter and add jobs; jobs that keep their number keep their wait, nodes and site
/// id.
void change_recorded(RecordedWorkload& recorded, const std::function<void(Workload&)>& change);
/// Removes jobs larger than the machine together with their waits, notes how many, and returns that number.
std::int64_t drop_larger_than(RecordedWorkload& recorded, std::int64_t size);

/// Returns the largest sum of sizes (processes) of jobs that ran at one time by the record; 0 if no wait is known.
std::int64_t most_at_once(const RecordedWorkload& recorded);

/// Gives numbers to names, in order of first use. A name that contains its number ("user3" of attribute user) gets that
/// number unless another name has it.
class NameNumbers {
 public:
  /// Returns the name's number; -1 for an empty one. `kind` is the attribute that the name is of (jobs/attributes.h).
  std::int32_t number(std::string_view kind, std::string_view name);
  /// Returns the names in the order of their numbers, with how many jobs have each.
  std::vector<RecordedWorkload::Name> all() const;

 private:
  std::int32_t choose(std::string_view kind, std::string_view name);

  std::unordered_map<std::string, std::size_t> at_;  ///< into names_
  std::vector<RecordedWorkload::Name> names_;        ///< as they came
  std::unordered_set<std::int32_t> taken_;
  std::int32_t last_ = 0;  ///< all numbers from 1 to this one are taken
};

/// Job numbers of a trace are below this: larger ones are left for jobs that have none.
inline constexpr std::int64_t kLargestJobNumber = 1'000'000'000'000'000'000;

/// One job of a record. Its submission is `submitted`, not job.submit; a run time of 0 counts as 1 s.
struct RecordedJob {
  Job job;
  std::string site_id;   ///< the site's id; a whole number becomes Job::id
  Duration submitted{};  ///< since 1970, or since the trace's second 0
  Duration wait{-1};     ///< negative: not known
  RecordedRequest request;
};

/// Builds a workload from records of jobs, added one by one.
class RecordedJobs {
 public:
  /// Begins a workload. `dated`: times count from 1970.
  RecordedJobs(std::string file, bool dated) : file_(std::move(file)), dated_(dated) {}

  /// Adds a job.
  void add(RecordedJob job);
  /// Adds a job that was allocated what its request says, with one process per processor. `submitted` and `started` are
  /// seconds since 1970, `ran` is in s.
  void add_allocated(RecordedJob job, std::int64_t submitted, std::int64_t started, std::int64_t ran,
                     std::string_view user, std::string_view partition);
  /// Counts a record that is left out (drop) or altered (alter), for `reason`, at `line`.
  void drop(const std::string& reason, int line) { note(reason, line, true); }
  void alter(const std::string& reason, int line) { note(reason, line, false); }
  /// Returns the number of a name that an attribute of jobs has (jobs/attributes.h): "user", "partition".
  std::int32_t number(const std::string& attribute, std::string_view name) {
    return names_[attribute].number(attribute, name);
  }

  /// Sets a text attribute of the job (Attribute::text).
  void set_text(Job& job, const std::string& attribute, std::string text) {
    extras_.set(job, *find_attribute(attribute), std::move(text));
  }

  /// Returns the workload: jobs in the order of their submission, where they are dated from the first one's whole
  /// second on. Ids that are not whole numbers, or are used by an earlier job, are replaced by new numbers. Throws
  /// InputError if there is no job, or submissions span more than 190 years.
  RecordedWorkload finish();

 private:
  void note(const std::string& reason, int line, bool dropped);
  RequestId interned(const RecordedRequest& request);

  std::string file_;
  bool dated_;
  std::vector<RecordedJob> jobs_;
  std::vector<TraceNote> notes_;
  std::int64_t records_ = 0;
  std::map<std::string, NameNumbers> names_;
  std::unordered_map<std::string, RequestId> request_by_key_;
  std::vector<RecordedRequest> requests_;
  JobExtrasStore extras_;
};

}  // namespace coslice
