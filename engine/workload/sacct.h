// The accounting of Slurm as a workload, and back: what `sacct --parsable2` prints, one line a job.
#pragma once

#include <string>
#include <string_view>

#include "workload/recorded.h"
#include "workload/skipped_lines.h"

namespace coslice {

/// What a job's size counts.
enum class SlurmSize { kCpus, kNodes };
/// When a job may come: when it was submitted; or when it became eligible (column Eligible), where that is later and no job
/// on record is what it waited for. With a Reason JobHeldUser or JobHeldAdmin it was held until then.
enum class SlurmArrival { kSubmitted, kEligible };

/// Reads a dump with its header line. Columns may stand in any order; needed are JobID or JobIDRaw, Submit, a size
/// (AllocCPUS, NCPUS or ReqCPUS; or AllocNodes, NNodes or ReqNodes), and Elapsed, ElapsedRaw, or Start with End.
/// Start gives the waits; Timelimit or TimelimitRaw, State, ReqMem and the columns of attributes
/// (workload/attributes.h) are used where they are there: groups are accounts, queues are qualities of service,
/// executables are names of jobs, each numbered from 1 in the order in which they are seen.
///
/// AllocTRES, else ReqTRES (cpu, mem, node, gres/gpu, gres/gpu:TYPE, license/NAME; others are left out) and Constraints say
/// what a job asked for where nodes differ: RecordedWorkload::requests. OverSubscribe, a word of squeue that a dump may
/// have, says whether its nodes were its own (NO). Times of day may have decimals of a second, which sacct never writes.
///
/// An element of an array (JobID 1234_7) says so in the attribute `array`, with the limit of its array where that is known
/// (workload/sacct_workflow.h); what a job waited for is its attribute `depends`.
///
/// Left out and counted: steps ("12.batch"), jobs that have not ended or never started, jobs without a size or a time
/// of submission. Jobs keep their numbers; those whose id is no whole number (arrays, heterogeneous jobs), or one that
/// stands before (requeued jobs), get numbers above the largest, in the order of their submission; the ids as the site
/// writes them are in `site_ids`. A name of a job, or another free text, may have the delimiter in it.
///
/// Throws InputError with file and line: no header, a needed column missing, a line with another number of fields, a
/// value that is not what its column holds, no job at all. With `skipped`, lines that are wrong are left out and counted
/// there. Fields are told apart by what stands between the first two columns of the header: '|', or what --delimiter
/// says.
RecordedWorkload parse_sacct(std::string_view text, const std::string& file, SlurmSize size,
                             SkippedLines* skipped = nullptr, SlurmArrival arrival = SlurmArrival::kSubmitted);

/// Writes a dump that parse_sacct reads: times from the trace's UnixStartTime, else from 1970. Jobs whose wait is not
/// known have "Unknown" for start and end, those without a limit "UNLIMITED". Sizes are written as processors and as
/// nodes. Ids and names are those of the site, as far as they are known. Where some job is an element of an array or waits
/// for others, JobIDRaw and SubmitLine stand behind the other columns.
std::string sacct_text(const RecordedWorkload& recorded);

/// The columns that it writes, e.g. "JobID,User,...".
std::string sacct_columns(std::string_view separator);
/// How a site makes a dump with these columns.
std::string sacct_command();

/// Whether the text begins like a dump of sacct: with a header that has JobID.
bool looks_like_sacct(std::string_view text);
/// The same of a file, plain or gzip. Throws InputError if it cannot be read.
bool is_sacct_dump(const std::string& path);

}  // namespace coslice
