// The accounting of Slurm as a workload, and back: what `sacct --parsable2` prints, one line a job.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "formats/het_jobs.h"
#include "formats/recorded.h"
#include "formats/trace_file.h"

namespace coslice {

/// What a job's size counts.
enum class SlurmSize { kCpus, kNodes };
/// When a job may come: when it was submitted; or when it became eligible (column Eligible), where that is later and no
/// job on record is what it waited for. With a Reason JobHeldUser or JobHeldAdmin it was held until then.
enum class SlurmArrival { kSubmitted, kEligible };

/// Reads a dump with its header line. Columns may stand in any order; needed are JobID or JobIDRaw, Submit, a size
/// (AllocCPUS, NCPUS or ReqCPUS; or AllocNodes, NNodes or ReqNodes), and Elapsed, ElapsedRaw, or Start with End.
/// Start gives the waits; Timelimit or TimelimitRaw, State, ReqMem and the columns of attributes
/// (jobs/attributes.h) are used where they are there: groups are accounts, queues are qualities of service,
/// executables are names of jobs, each numbered from 1 in the order in which they are seen.
///
/// AllocTRES, else ReqTRES (cpu, mem, node, gres/gpu, gres/gpu:TYPE, license/NAME; others are left out) and Constraints
/// say what a job asked for on a heterogeneous machine: RecordedWorkload::requests. OverSubscribe, a word of squeue
/// that a dump may have, says whether its nodes were its own (NO). Times of day may have decimals of a second, which
/// sacct never writes.
///
/// A job comes at the instant in the column Begin, which a dump may have instead of Eligible: as with
/// SlurmArrival::kEligible.
///
/// Components of a heterogeneous job (JobID 1234+0) are one job, 1234, with the nodes of all (formats/het_jobs.h).
///
/// An element of an array (JobID 1234_7) says so in the attribute `array`, with the limit of its array where that is
/// known (SacctArrayLimits); what a job waited for is its attribute `depends`.
///
/// Left out and counted: rows that are there a second time with all of their fields (dumps that overlap), steps
/// ("12.batch"), jobs that have not ended or never started, jobs without a size or a time of submission. Jobs keep
/// their numbers; those whose id is not a whole number (arrays, heterogeneous jobs), or one that stands before
/// (requeued jobs), get numbers above the largest, in the order of their submission; the ids as the site writes them
/// are in `site_ids`. A name of a job, or another free text, may have the delimiter in it.
///
/// Throws InputError with file and line: no header, a needed column missing, a line with another number of fields, a
/// value that is not what its column holds, no job at all. With `skipped`, lines that are wrong are left out and
/// counted there. Fields are distinguished by what stands between the first two columns of the header: '|', or what
/// --delimiter says.
RecordedWorkload parse_sacct(std::string_view text, const std::string& file, SlurmSize size,
                             SkippedLines* skipped = nullptr, SlurmArrival arrival = SlurmArrival::kSubmitted);

/// Writes a dump that parse_sacct reads: times from the trace's UnixStartTime, else from 1970. Jobs whose wait is not
/// known have "Unknown" for start and end, those without a limit "UNLIMITED". Sizes are written as processors and as
/// nodes. Ids and names are those of the site, as far as they are known. Where some job is an element of an array or
/// waits for others, JobIDRaw and SubmitLine stand behind the other columns.
std::string sacct_text(const RecordedWorkload& recorded);

/// Returns the columns that it writes, e.g. "JobID,User,...".
std::string sacct_columns(std::string_view separator);
/// Returns how a site makes a dump with these columns.
std::string sacct_command();

/// Returns whether the text begins like a dump of sacct: with a header that has JobID.
bool looks_like_sacct(std::string_view text);
/// Returns whether a file, plain or gzip, begins like a dump of sacct: with a header that has JobID. Throws InputError
/// if it cannot be read.
bool is_sacct_dump(const std::string& path);

/// Returns whether the text begins like what `sacct --json` or `squeue --json` prints, or what a filter leaves of it.
bool looks_like_slurm_json(std::string_view text);
/// Returns the jobs of `sacct --json` or `squeue --json`, of any version of Slurm's data_parser, as a dump of sacct.
/// Steps are not in it; jobs that have not ended are. Throws InputError with file and line: not JSON, no list of jobs,
/// a job without its number, its submission or a known state; with `skipped`, such jobs are left out and counted there.
std::string sacct_of_json(std::string_view text, const std::string& file, SkippedLines* skipped = nullptr);

/// Lists of elements of arrays that sacct has cut off: "123_[1-5,...]".
struct CutLists {
  std::int64_t lists = 0, elements = 0;  ///< how many elements can be read of all of them
  std::int64_t first_line = 0;
  std::string first;
  void add(const std::string& id, std::int64_t read, std::int64_t line);
  std::string text() const;
};

/// Jobs of a dump that did not simply run and end.
struct SacctLosses {
  std::int64_t withdrawn = 0;      ///< cancelled while they waited
  std::int64_t never_started = 0;  ///< left out: how long they waited is not known
  std::int64_t not_ended = 0;      ///< left out: they ran or waited when the dump was made
  std::int64_t preempted = 0;      ///< runs
  std::int64_t requeued = 0;       ///< runs that ended by a failure of a node, or were requeued by hand
};

/// What the jobs of a dump have in common. parse_sacct gives the same names the same numbers.
struct SacctSurvey {
  std::int64_t jobs = 0;
  std::int64_t first_submit = 0, last_submit = 0;  ///< nanoseconds since 1970
  std::vector<RecordedWorkload::Name> names;       ///< of the kinds "user", "group", "queue" and "partition"
  /// each pair once, in the order of its first submission
  std::vector<std::pair<std::int32_t, std::int32_t>> users_in_groups;
  SacctLosses losses;
  bool has_starts = false;          ///< of some job it is known when it started
  bool names_reservations = false;  ///< whether there is a column Reservation
  bool says_allocated = false;      ///< whether there is a column AllocTRES
  bool nodes_as_asked = true;       ///< and each job has got as many nodes there as ReqTRES says,
  bool fewest_as_asked = true;      ///< or its tasks may be spread over that many or more
  std::set<std::string> columns;    ///< that say something of some job
  std::set<std::string> all_columns;
  HetJobCounts het_jobs;         ///< whose components are to be joined,
  HetJobCounts lone_components;  ///< and those of which there is one, or some of which were cancelled apart
  std::int64_t repeated = 0;     ///< rows that stand there a second time; the copy is without them
  CutLists cut_lists;
  std::int64_t early_starts = 0;  ///< jobs that started before they were submitted
  std::int64_t other_spans = 0;   ///< jobs whose elapsed time is another one than from start to end
  bool says_zone = false;         ///< times say how far their clock is ahead of UTC, as those of JSON do
  bool spreads_tasks = false;     ///< SubmitLine says of some job that its tasks may be spread over nodes
  std::int64_t node_ranges = 0;   ///< jobs that asked for a range of nodes (-N 2-4) that is kept
};

/// Finds what is in a dump of sacct in one pass that keeps none of its jobs, but for a number of each row: years of
/// records need little more memory than a day. Takes the bytes of a dump, in any blocks, and hands those of lines that
/// can be read on to `copy`, as they are, without rows that stand there a second time, but for the name of the column
/// Eligible, which becomes Begin: of a copy jobs come when they became eligible.
class SacctSurveyor {
 public:
  /// Begins a survey. With `skipped`, bad lines are counted there and left out; else they are errors, as in
  /// parse_sacct.
  SacctSurveyor(std::string file, SkippedLines* skipped, std::function<void(std::string_view)> copy);
  ~SacctSurveyor();
  /// Throws InputError with file and line.
  void take(std::string_view block);
  /// Ends the survey after the last block. Throws InputError if no job has run, or submissions span more than 190
  /// years.
  SacctSurvey finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// --- what a dump says of arrays, and of what jobs waited for. sacct has no column for dependencies: they stand in the
// command that submitted a job (SubmitLine), or in a column Dependency that a site adds, e.g. from squeue.

/// Returns whether the JobID is that of a step: "12.batch", not "12_[1,3,...]".
bool is_sacct_step(std::string_view job_id);

/// Elements of an array that stand on one line while they wait.
struct WaitingElements {
  std::vector<std::string> ids;  ///< "1234_3" and "1234_4" of "1234_[3-4%1]"; any other id alone
  bool cut = false;              ///< the list goes on: sacct has cut it off, and only these can be read
};
WaitingElements waiting_elements(const std::string& job_id);

/// How many elements of arrays may run at the same time, by arrays.
class SacctArrayLimits {
 public:
  /// Takes the limit from a JobID such as "1234_[5-10%4]", whose elements still wait, or from --array=1-10%4 of the
  /// command; a line that says none changes nothing.
  void note(std::string_view job_id, std::string_view submit_line);
  /// Returns what the attribute `array` says of the job with that JobID: "1234_7%4", "1234_7"; "" if it is not an
  /// element.
  std::string element_text(std::string_view job_id) const;

 private:
  std::unordered_map<std::int64_t, std::int64_t> limit_by_array_;
};

/// Returns what a job waited for in the notation of `depends`, from the column Dependency, else from the command that
/// submitted it; "" for nothing. States such as "(unfulfilled)" are left out, aftercorr is afterok for the element of
/// the same index, afterburstbuffer is afterany, and expand says nothing about time. Throws InputError without a place
/// for a column that cannot be read; what cannot be read of a command is nothing.
std::string sacct_dependency(std::string_view column, std::string_view submit_line, std::string_view job_id);

/// Returns how the tasks of a job with `cpus` CPUs may be spread, by the command that submitted it (-n without -N, or
/// without --ntasks-per-node, -c); nothing where nodes have them alike, or the command says what is not known here.
/// With a range of nodes (-N 2-4 -n 8) they are spread over those that it had, `nodes`.
std::optional<RecordedSpread> sacct_spread(std::string_view submit_line, std::int64_t cpus, std::int64_t nodes = 0);

/// Returns the partitions of the command that submitted a job (-p a,b) if it ran in one of them, else that one.
std::string_view sacct_partitions(std::string_view submit_line, std::string_view partition);

/// Returns what the command that submitted a job says of its nodes: between how many it may have (-N 2-4), but where
/// other options say of it what is not known here, and its --segment. It had `nodes` of them. A job that says its tasks
/// has no more nodes than these; `spread` is what sacct_spread() says of it.
NodeWish sacct_node_wish(std::string_view submit_line, std::int64_t nodes, const std::optional<RecordedSpread>& spread);

/// Gives the jobs, in order of submission, their texts of `depends`, without the terms that name no job before them:
/// one that ended before the dump begins, or never started. `job_ids` and `depends` are by job. Where one of several
/// jobs was enough (?) and one is not on record, it may have been that one: nothing is left to wait for. Terms may also
/// name an element of an array by its own number (JobIDRaw), which the job has where it is `numbered`. Returns how many
/// jobs lost terms.
std::int64_t set_recorded_dependencies(Workload& workload, const std::vector<std::string>& job_ids,
                                       const std::vector<bool>& numbered, const std::vector<std::string>& depends);

/// Returns the part of a command that says the array's limit and what the job depends on: "sbatch --array=7%4
/// --dependency=afterok:3"; "" for jobs that have neither.
std::string submit_line_of(const Job& job);

}  // namespace coslice
