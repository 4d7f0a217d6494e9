// Formats that are not read, by what their files begin with or have in their first lines.
#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "formats/trace_format.h"

namespace coslice {
namespace {

using namespace std::string_view_literals;

/// What to do with a file that is not read.
enum class Instead {
  kScript,  ///< write a script
  kUnpack,  ///< it is packed: unpack it
  kSlurm,   ///< Slurm's accounting has the same jobs; what runs and waits in it is read by coslice forecast
};

/// A format that is not read: what it is, and how its first line that says something begins or what it has in it.
struct UnreadFormat {
  std::string_view what;
  bool (*is)(std::string_view head, std::string_view line);
};

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool has_all(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::all_of(parts, [&](std::string_view part) { return has(text, part); });
}

/// Whether it stands in the text between blanks or bars, or at an end.
bool has_word(std::string_view text, std::string_view word) {
  constexpr std::string_view kBetween = " \t|";
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || has(kBetween, text.substr(at - 1, 1))) &&
        (end == text.size() || has(kBetween, text.substr(end, 1))))
      return true;
  }
  return false;
}

bool has_digits(std::string_view text, std::string_view shape) {
  if (text.size() < shape.size()) return false;
  for (std::size_t i = 0; i != shape.size(); ++i)
    if (shape[i] == '9' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i]) return false;
  return true;
}

constexpr UnreadFormat kPacked[] = {
    {"a file packed by xz", [](std::string_view head, auto) { return head.starts_with("\xfd\x37zXZ\0"sv); }},
    {"a file packed by zstd", [](std::string_view head, auto) { return head.starts_with("\x28\xb5\x2f\xfd"sv); }},
    {"a file packed by bzip2",
     [](std::string_view head, auto) {
       return head.starts_with("BZh") && head.size() > 10 && head.substr(4, 6) == "1AY&SY";
     }},
    {"a file packed by lz4", [](std::string_view head, auto) { return head.starts_with("\x04\x22\x4d\x18"sv); }},
    {"a file packed by 7-Zip", [](std::string_view head, auto) { return head.starts_with("7z\xbc\xaf\x27\x1c"sv); }},
    {"a file packed by compress", [](std::string_view head, auto) { return head.starts_with("\x1f\x9d"sv); }},
    {"a ZIP archive", [](std::string_view head, auto) { return head.starts_with("PK\x03\x04"sv); }},
    {"a tar archive", [](std::string_view head, auto) { return head.size() > 262 && head.substr(257, 5) == "ustar"; }},
};

constexpr UnreadFormat kBinary[] = {
    {"a table in Parquet", [](std::string_view head, auto) { return head.starts_with("PAR1"); }},
    {"a table in Arrow or Feather",
     [](std::string_view head, auto) { return head.starts_with("ARROW1") || head.starts_with("FEA1"); }},
    {"a file of HDF5", [](std::string_view head, auto) { return head.starts_with("\x89HDF"sv); }},
    {"a database of SQLite", [](std::string_view head, auto) { return head.starts_with("SQLite format 3"); }},
};

constexpr UnreadFormat kOfSlurm[] = {
    {"what Slurm's jobcomp/filetxt writes",
     [](std::string_view, std::string_view line) {
       return line.starts_with("JobId=") && has(line, " UserId=") && has(line, " Name=") && has(line, " JobState=");
     }},
    {"what scontrol show job prints",
     [](std::string_view head, std::string_view line) {
       return line.starts_with("JobId=") && (has(head, "JobName=") || has(head, "JobState="));
     }},
    {"what scontrol show node prints",
     [](std::string_view, std::string_view line) { return line.starts_with("NodeName="); }},
    {"what squeue prints, of jobs that have not ended",
     [](std::string_view, std::string_view line) {
       return has_word(line, "JOBID") &&
              (has(line, "PARTITION") || has(line, "STATE") || has_word(line, "ST") || has(line, "NODELIST"));
     }},
    {"what sinfo prints",
     [](std::string_view, std::string_view line) { return has(line, "PARTITION") && has_word(line, "AVAIL"); }},
    {"what sreport prints",
     [](std::string_view head, std::string_view) { return has(head, "Cluster/Account/User Utilization"); }},
};

constexpr UnreadFormat kOfOthers[] = {
    {"accounting of PBS or Torque",
     [](std::string_view, std::string_view line) {
       return has_digits(line, "99/99/9999 99:99:99;") && line.find(';', 20) != line.npos;
     }},
    {"what qstat of PBS or Torque prints",
     [](std::string_view head, std::string_view line) {
       return has_all(line, {"Job id", "Name", "User", "Queue"}) ||
              has_all(head, {"Job ID", "Username", "Queue", "Jobname"}) ||
              (line.starts_with("Job Id:") && has(head, " = ")) || has(head, "\"pbs_version\"") ||
              has_all(head, {"<Data><Job>", "<Job_Id>"});
     }},
    {"what qstat of Grid Engine prints",
     [](std::string_view head, std::string_view line) {
       return has_all(line, {"job-ID", "prior", "user"}) || has_all(line, {"queuename", "qtype"}) ||
              has_all(head, {"job_number:", "owner:"}) || has(head, "<job_info");
     }},
    {"accounting of LSF (lsb.acct)",
     [](std::string_view, std::string_view line) {
       return line.starts_with("\"JOB_") || line.starts_with("\"EVENT_");
     }},
    {"a job's record of LSF (bacct or bhist)",
     [](std::string_view head, std::string_view line) {
       return has(head, "Accounting information about jobs that are:") ||
              line.starts_with("Summary of time in seconds spent");
     }},
    {"what bjobs of LSF prints",
     [](std::string_view head, std::string_view line) {
       return (has_word(line, "JOBID") && has_word(line, "STAT")) || has_all(line, {"JOBID", "FROM_HOST"}) ||
              has_all(head, {"\"COMMAND\"", "\"bjobs\""}) || (line.starts_with("Job <") && has(line, "User <"));
     }},
    {"an event log of Moab",
     [](std::string_view, std::string_view line) {
       return has_digits(line, "99:99:99 ") && has(line, " job ") && (has(line, "JOB") || has(line, ":"));
     }},
    {"a trace of Maui or Moab",
     [](std::string_view, std::string_view line) {
       return line.starts_with("VERSION ") || line.starts_with("COMMENT") ||
              (has(line, "[ALL]") && has(line, "[NONE]")) || (has(line, "[DEFAULT") && has(line, "[NONE]"));
     }},
    {"jobs of Flux (flux jobs --json)",
     [](std::string_view head, std::string_view) { return has(head, "\"t_submit\"") || has(head, "\"t_depend\""); }},
    {"what flux jobs prints",
     [](std::string_view, std::string_view line) {
       return has_word(line, "JOBID") && (has_word(line, "NTASKS") || has_word(line, "NNODES"));
     }},
    {"a history of HTCondor",
     [](std::string_view head, std::string_view line) {
       return has_all(head, {"ClusterId", "ProcId"}) || has(head, "<classad") || has(head, "<!DOCTYPE classads") ||
              has_all(line, {"OWNER", "SUBMITTED", "RUN_TIME"});
     }},
    {"what condor_q of HTCondor prints",
     [](std::string_view, std::string_view line) { return line.starts_with("-- Schedd:"); }},
    {"an event log of HTCondor",
     [](std::string_view, std::string_view line) { return has_digits(line, "999 (") && has(line, ") "); }},
    {"accounting of Grid Engine",
     [](std::string_view, std::string_view line) {
       return std::ranges::count(line, ':') >= 30 && std::ranges::count(line, ' ') < 8;
     }},
    {"what qacct of Grid Engine prints",
     [](std::string_view head, std::string_view line) {
       return line.starts_with("=====") && has(head, "qname") && has(head, "owner");
     }},
    {"a list of jobs of OAR (oarstat -J)",
     [](std::string_view head, std::string_view) { return has(head, "\"assigned_network_address\""); }},
    {"XML", [](std::string_view, std::string_view line) { return line.starts_with("<?xml"); }},
    {"a page of the web",
     [](std::string_view, std::string_view line) {
       const std::string begin = lower_case(line.substr(0, 16));
       return begin.starts_with("<!doctype html") || begin.starts_with("<html");
     }},
};

constexpr const char* kReadFormats =
    "SWF, a dump of sacct (--parsable2), sacct --json or squeue --json, a workload of Batsim, jobs of ElastiSim, a job "
    "log of Philly or of Helios, a list of jobs (CSV or JSON); plain or gzip";
constexpr const char* kReadQueues = "what squeue (with its head, or --json), scontrol show job, scontrol show node or "
                                    "sinfo prints; plain or gzip";

/// The first line that says something.
std::string_view telling_line(std::string_view rest) {
  std::string_view line;
  while (!rest.empty() && (line.empty() || line[0] == '#')) line = trimmed(take_before(rest, '\n'), " \t\r");
  return line;
}

struct Guess {
  std::string_view what;  ///< empty: nothing tells
  Instead instead = Instead::kScript;
};

template <std::size_t kCount>
bool guess(const UnreadFormat (&formats)[kCount], Instead instead, std::string_view text, Guess& out) {
  const std::string_view line = telling_line(text);
  for (const UnreadFormat& one : formats)
    if (one.is(text, line)) return out = {one.what, instead}, true;
  return false;
}

/// What is not read, wherever it is found.
Guess guess_of_others(std::string_view text) {
  Guess out;
  if (guess(kPacked, Instead::kUnpack, text, out) || guess(kBinary, Instead::kScript, text, out)) return out;
  guess(kOfOthers, Instead::kScript, text, out);
  return out;
}

/// `read_as`: what a script may make of it instead; empty: nothing.
[[noreturn]] void refuse(const Guess& guessed, const std::string& file, const char* expected,
                         std::string_view read_as) {
  std::string instead;
  if (guessed.instead == Instead::kUnpack) instead = "unpack it first; gzip may stay";
  else if (guessed.instead == Instead::kSlurm)
    instead =
        "of jobs that have ended make a dump of sacct; coslice forecast --queue reads what runs and waits, and nodes";
  else if (!read_as.empty())
    instead = fmt::format("a few lines of a script make {} of it: docs/formats.md says which field is what", read_as);
  throw InputError({file, 0, fmt::format("looks like {}, which is not read", guessed.what), expected, instead});
}

}  // namespace

void refuse_unread_format(std::string_view head, const std::string& file, const char* expected) {
  const std::string_view read_as = expected == nullptr ? "SWF" : "a dump of sacct";
  if (expected == nullptr) expected = kReadFormats;
  const TraceFormat format = trace_format(head);  // of which three are what nothing else is
  if (format != TraceFormat::kSwf && format != TraceFormat::kBatsim && format != TraceFormat::kPhilly) return;
  const std::string_view text = without_byte_order_mark(head);
  Guess guessed = guess_of_others(text);
  if (guessed.what.empty()) guess(kOfSlurm, Instead::kSlurm, text, guessed);
  if (!guessed.what.empty()) refuse(guessed, file, expected, read_as);
  const bool batsim = has(text, "nb_res") || has(text, "profile") || has(text, "subtime");
  const bool philly = has(text, "submitted_time") || has(text, "attempts") || has(text, "jobid");
  if ((format == TraceFormat::kBatsim && !batsim && has(text, ":")) ||
      (format == TraceFormat::kPhilly && !philly && has(text, ":")))
    throw InputError({file, 0, "is JSON of no format that is read", expected});
}

void refuse_unread_queue(std::string_view head, const std::string& file) {
  const std::string_view text = without_byte_order_mark(head), line = telling_line(text);
  if (kOfSlurm[0].is(text, line)) refuse({kOfSlurm[0].what}, file, kReadQueues, "");
  if (line.starts_with("JobId=") || line.starts_with("NodeName=") || has(text, "\"job_state\"")) return;
  Guess guessed = guess_of_others(text);
  if (guessed.what.empty() && trace_format(text) == TraceFormat::kSacct) guessed.what = "a dump of sacct";
  if (guessed.what.empty() && line.starts_with(';')) guessed.what = "SWF";
  if (!guessed.what.empty()) refuse(guessed, file, kReadQueues, "");
}

}  // namespace coslice
