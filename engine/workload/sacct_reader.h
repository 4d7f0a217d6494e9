// Reads a dump of sacct line by line; parse_sacct and survey_sacct go by it.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "workload/attributes.h"
#include "workload/name_numbers.h"
#include "workload/sacct.h"
#include "workload/sacct_workflow.h"
#include "workload/slurm_fields.h"

namespace coslice {

/// A job as its line says it.
struct SacctEntry {
  Job job;
  std::string site_id;    ///< as the site writes it: "1234_7"
  std::string nodes;      ///< that it had, as the site writes them
  bool numbered = false;  ///< whether that is a number, and its own
  Duration wait{-1};
  std::int64_t submit = 0;     ///< nanoseconds since 1970
  std::string depends;         ///< as the site says it, in words of ours
  std::int64_t eligible = -1;  ///< nanoseconds since 1970, where it counts and is after the submission
  bool held = false;           ///< until then
  std::int64_t withdrawn = -1;  ///< nanoseconds since 1970, when it was cancelled while it waited
  std::int64_t elements = 1;    ///< of an array that stand on one line: they were cancelled while they waited
  bool preempted = false;       ///< it ran until others needed its nodes, and may have run again
};

/// Jobs of a dump that did not simply run and end.
struct SacctLosses {
  std::int64_t withdrawn = 0;      ///< cancelled while they waited
  std::int64_t never_started = 0;  ///< left out: nobody knows how long they waited
  std::int64_t not_ended = 0;      ///< left out: they ran or waited when the dump was made
  std::int64_t preempted = 0;      ///< runs
  std::int64_t requeued = 0;       ///< runs that ended by a failure of a node, or were requeued by hand
};

/// What becomes of the entries.
enum class SacctKeeps {
  kAll,    ///< they become a workload, which finish() gives
  kNames,  ///< only the latest is kept, and the names of users, accounts, qualities of service and partitions
};

class SacctReader {
 public:
  SacctReader(std::string file, SlurmSize size, SkippedLines* skipped, SlurmArrival arrival, SacctKeeps keeps = SacctKeeps::kAll)
      : file_(std::move(file)), size_(size), skipped_(skipped), arrival_(arrival), keeps_(keeps) {}

  /// What a line came to.
  enum class Row { kJob, kNone, kSkipped };
  /// The next line of the dump, without its end. Throws InputError unless bad lines are skipped.
  Row row(std::string_view text);
  /// The job of the last line, where that was one (SacctKeeps::kNames).
  const SacctEntry& latest() const { return entries_.back(); }
  std::int64_t line() const { return line_; }
  std::string_view delimiter() const { return delimiter_; }
  bool has_column(std::string_view name) const { return column({name}) >= 0; }
  /// How many jobs were other than those that simply ran.
  SacctLosses losses() const { return {count_[kWithdrawn], count_[kNotStarted], count_[kNotEnded], count_[kPreempted], requeued_}; }
  /// All names so far, in the order of kind and number.
  std::vector<RecordedWorkload::Name> names() const;
  /// Throws InputError: no header, or no job has run.
  void require_jobs(bool any);
  /// Throws InputError if these submissions (nanoseconds since 1970) are no history of one machine.
  void require_history(std::int64_t first, std::int64_t last);

  /// The workload of all lines.
  RecordedWorkload finish();

 private:
  enum Reason {
    kStep,
    kNotEnded,
    kNotStarted,
    kNoSize,
    kLongTime,
    kNoLimit,
    kClock,
    kInstant,
    kWithdrawn,
    kPreempted,
    kNumbered,
    kJoined,
    kNotOnRecord,
    kReasons
  };

  [[noreturn]] void fail(std::string problem, std::string expected, std::string suggestion = "") const;
  void note(Reason reason) {
    if (count_[reason]++ == 0) first_line_[reason] = line_;
  }
  int column(std::initializer_list<std::string_view> names) const;
  std::string_view name_of_field(std::initializer_list<std::string_view> names) const;
  std::string_view field(std::initializer_list<std::string_view> names) const;
  [[noreturn]] void fail_in(std::string_view name, std::string_view value, std::string expected) const;
  std::optional<std::int64_t> whole_field(std::initializer_list<std::string_view> names) const;
  std::optional<std::int64_t> count_field(std::initializer_list<std::string_view> names) const;
  std::string_view number_text() const { return field({"JobID", "JobIDRaw"}); }

  bool job(std::string_view text);
  void split(std::string_view text);
  [[noreturn]] void fail_without_header(std::string_view text) const;
  void header(std::string_view text);
  bool read_times(SacctEntry& entry);
  void read_limit(Job& job);
  bool read_size(Job& job);
  void read_number(SacctEntry& entry);
  void read_workflow(SacctEntry& entry) const;
  void read_names(Job& job);
  void read_memory(Job& job) const;
  std::optional<SlurmTres> tres(std::string_view column) const;
  RecordedRequest request_of(const Job& job) const;
  void read_request(Job& job);
  void keep(SacctEntry entry);
  bool withdrawn(SacctEntry& entry, std::optional<std::int64_t> end);
  void join_preempted_runs();
  void add_workflow();
  std::vector<TraceNote> account() const;

  std::string file_;
  SlurmSize size_;
  SkippedLines* skipped_;
  SlurmArrival arrival_;
  SacctKeeps keeps_;
  SacctArrayLimits limits_;
  std::int64_t line_ = 0, records_ = 0, requeued_ = 0;
  std::vector<std::string> head_;
  std::string delimiter_;
  std::vector<std::string_view> fields_;
  std::vector<SacctEntry> entries_;
  std::unordered_map<std::string, RequestId> request_by_key_;
  std::unordered_set<std::int64_t> seen_;
  std::int64_t largest_ = 0;  ///< of the numbers
  std::array<NameNumbers, kAttributes.size()> names_;
  RecordedWorkload recorded_;
  std::array<std::int64_t, kReasons> count_{}, first_line_{};
};

}  // namespace coslice
