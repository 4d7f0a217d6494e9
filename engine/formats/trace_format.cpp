#include "formats/trace_format.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/text.h"
#include "formats/job_list.h"
#include "formats/sacct.h"
#include "formats/slurm_fields.h"
#include "formats/swf.h"
#include "formats/trace_file.h"

namespace coslice {
namespace {

/// In JSON; a table of TOML begins with "[" as well.
bool is_list_of_objects(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos || text[first] != '[') return false;
  const std::size_t next = text.find_first_not_of(kBlanks, first + 1);
  return next != text.npos && (text[next] == '{' || text[next] == ']');
}

/// The columns without which it is not a job log; a few may be misspelt.
constexpr std::string_view kColumns[] = {"job_id", "gpu_num",     "cpu_num",    "node_num",
                                         "state",  "submit_time", "start_time", "duration"};

constexpr std::int64_t kMostInHelios = std::numeric_limits<std::int32_t>::max();

/// Whether a first line has the columns of such a log.
bool looks_like_helios(std::string_view line) {
  std::size_t known = 0;
  for (const std::string_view name : kColumns) known += line.find(name) != line.npos ? 1 : 0;
  return line.find(',') != line.npos && 2 * known >= std::size(kColumns);
}

/// "2020-06-09 18:41:01" as seconds; nothing for an empty cell, "None" and "Unknown".
std::optional<std::int64_t> time_of(const CsvTable& table, std::size_t row, std::size_t column) {
  const std::string_view text = table.cell(row, column);
  if (text.empty() || text == "None" || text == "Unknown") return {};
  const auto seconds = calendar_seconds(text);
  if (!seconds)
    table.fail(row, fmt::format("{} is '{}'", table.names()[column], printable(shortened(text, 40))),
               "a time like 2020-06-09 18:41:01");
  return seconds;
}

std::int32_t status_of(const CsvTable& table, std::size_t row, std::size_t column) {
  const std::string_view text = table.cell(row, column);
  const auto end = slurm_end(text);
  if (!end)
    table.fail(row, fmt::format("state is '{}'", printable(shortened(text, 40))), "a state of Slurm, e.g. COMPLETED");
  return *end == SlurmEnd::kCompleted ? 1 : *end == SlurmEnd::kCancelled ? 5 : 0;
}

}  // namespace

TraceFormat trace_format(std::string_view text) {
  constexpr std::size_t kHead = 4096;
  const std::string_view head = without_byte_order_mark(text.substr(0, kHead));
  if (looks_like_job_list(head)) return TraceFormat::kJobList;
  if (looks_like_slurm_json(head)) return TraceFormat::kSlurmJson;  // the list of jobs alone, too
  if (is_list_of_objects(head)) return TraceFormat::kPhilly;
  if (trimmed(head, " \t\r\n").starts_with('{'))
    return head.find("\"submit_time\"") == head.npos ? TraceFormat::kBatsim : TraceFormat::kElastisim;
  const std::string_view line = head.substr(0, head.find('\n'));
  if (looks_like_helios(line)) return TraceFormat::kHelios;
  return looks_like_sacct(head) ? TraceFormat::kSacct : TraceFormat::kSwf;
}

TraceFormat trace_format_of(const std::string& path) { return trace_format(beginning_of(path)); }

bool may_skip_lines(TraceFormat format) {
  return format == TraceFormat::kSwf || format == TraceFormat::kSacct || format == TraceFormat::kSlurmJson;
}

RecordedWorkload parse_trace(std::string text, const std::string& file, TraceFormat format, SkippedLines* skipped) {
  switch (format) {
    case TraceFormat::kSacct: return parse_sacct(text, file, SlurmSize::kCpus, skipped);
    case TraceFormat::kSlurmJson:
      return parse_sacct(sacct_of_json(text, file, skipped), file, SlurmSize::kCpus, skipped);
    case TraceFormat::kPhilly: return parse_philly(text, file);
    case TraceFormat::kHelios: return parse_helios(std::move(text), file);
    case TraceFormat::kElastisim: return parse_elastisim(text, file);
    case TraceFormat::kJobList: return parse_job_list(std::move(text), file);
    case TraceFormat::kBatsim:
    case TraceFormat::kSwf: break;
  }
  RecordedWorkload recorded;
  if (format == TraceFormat::kBatsim) {
    recorded.workload = parse_batsim(text, file);
    return recorded;
  }
  SwfOptions options;
  options.skipped = skipped;
  recorded.workload = parse_swf(text, file, options);
  return recorded;
}

RecordedWorkload parse_helios(std::string text, const std::string& file) {
  const CsvTable table(std::move(text), file, "a job log of Helios");
  const std::size_t id = table.column("job_id"), user = table.column("user"), vc = table.column("vc"),
                    gpus = table.column("gpu_num"), cpus = table.column("cpu_num"), nodes = table.column("node_num"),
                    state = table.column("state"), submit = table.column("submit_time"),
                    start = table.column("start_time"), duration = table.column("duration");
  RecordedJobs jobs(file, true);
  const auto add = [&](std::size_t row) {
    const int line = table.line(row);
    RecordedJob job;
    const auto submitted = time_of(table, row, submit), started = time_of(table, row, start);
    if (!submitted) table.fail(row, "there is no submit_time", "a time like 2020-06-09 18:41:01");
    job.job.status = status_of(table, row, state);
    if (!started || table.cell(row, duration).empty()) return jobs.drop("never started", line);
    job.request.gpus = table.whole(row, gpus, 0, kMostInHelios);
    job.request.cpus = table.whole(row, cpus, 0, kMostInHelios);
    job.request.nodes = static_cast<std::int32_t>(table.whole(row, nodes, 0, kMostInHelios));
    const std::int64_t ran = table.whole(row, duration, 0, kMostInHelios);
    if (job.request.cpus == 0) return jobs.drop("no size", line);
    if (ran >= static_cast<std::int64_t>(kMaxSeconds)) return jobs.drop("ran for more than 31 years", line);
    job.site_id = table.cell(row, id);
    jobs.add_allocated(std::move(job), *submitted, *started, ran, table.cell(row, user), table.cell(row, vc));
  };
  for (std::size_t row = 0; row != table.rows(); ++row) add(row);
  return jobs.finish();
}

}  // namespace coslice
