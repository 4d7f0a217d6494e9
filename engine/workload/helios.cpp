#include "workload/helios.h"

#include <limits>

#include <fmt/format.h>

#include "core/printable.h"
#include "workload/byte_order_mark.h"
#include "workload/csv_table.h"
#include "workload/recorded_jobs.h"
#include "workload/slurm_fields.h"
#include "workload/trace_clock.h"

namespace coslice {
namespace {

/// Those without which it is no job log; a few may be misspelt.
constexpr std::string_view kColumns[] = {"job_id", "gpu_num", "cpu_num", "node_num", "state", "submit_time", "start_time", "duration"};

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

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

RecordedWorkload parse_helios(std::string text, const std::string& file) {
  const CsvTable table(std::move(text), file, "a job log of Helios");
  const std::size_t id = table.column("job_id"), user = table.column("user"), vc = table.column("vc"),
                    gpus = table.column("gpu_num"), cpus = table.column("cpu_num"), nodes = table.column("node_num"),
                    state = table.column("state"), submit = table.column("submit_time"),
                    start = table.column("start_time"), duration = table.column("duration");
  RecordedJobs jobs(file, true);
  for (std::size_t row = 0; row != table.rows(); ++row) {
    const int line = table.line(row);
    RecordedJob job;
    const auto submitted = time_of(table, row, submit), started = time_of(table, row, start);
    if (!submitted) table.fail(row, "there is no submit_time", "a time like 2020-06-09 18:41:01");
    job.job.status = status_of(table, row, state);
    if (!started || table.cell(row, duration).empty()) {
      jobs.drop("never started", line);
      continue;
    }
    job.request.gpus = table.whole(row, gpus, 0, kMost);
    job.request.cpus = table.whole(row, cpus, 0, kMost);
    job.request.nodes = static_cast<std::int32_t>(table.whole(row, nodes, 0, kMost));
    const std::int64_t ran = table.whole(row, duration, 0, kMost);
    if (job.request.cpus == 0) {
      jobs.drop("no size", line);
      continue;
    }
    if (ran >= static_cast<std::int64_t>(kMaxSeconds)) {
      jobs.drop("ran for more than 31 years", line);
      continue;
    }
    job.site_id = table.cell(row, id);
    job.submitted = whole_seconds(*submitted);
    job.wait = whole_seconds(*started - *submitted);
    job.job.runtime = whole_seconds(ran);
    job.job.limit_given = false;
    job.job.size = static_cast<std::int32_t>(job.request.cpus);
    job.job.user = jobs.number("user", table.cell(row, user));
    job.request.partition = table.cell(row, vc);
    job.job.partition = jobs.number("partition", job.request.partition);
    job.request.allocated = true;
    jobs.add(std::move(job));
  }
  return jobs.finish();
}

bool looks_like_helios(std::string_view text) {
  std::string_view line = without_byte_order_mark(text);
  line = line.substr(0, line.find('\n'));
  std::size_t known = 0;
  for (const std::string_view name : kColumns) known += line.find(name) != line.npos ? 1 : 0;
  return line.find(',') != line.npos && 2 * known >= std::size(kColumns);
}

}  // namespace coslice
