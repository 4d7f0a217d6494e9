#include "report/tables/process_table.h"

#include <fmt/core.h>

#include "report/number.h"

namespace coslice {

namespace {

constexpr std::size_t kMostJobs = 24;  // in a table

std::string in_words(const ClassCounts& counts) {
  std::string out;
  for (const auto& [name, count] : counts) out += (out.empty() ? "" : ", ") + fmt::format("{} {}", count, name);
  return out;
}

std::string seconds(Time t) { return t == kNever ? "-" : grouped(to_seconds(t), 1); }

void add_jobs(Table& table, const std::vector<ProcessReport>& runs) {
  for (std::size_t j = 0; j < runs.front().jobs.size(); ++j) {
    const ProcessReport::Job& job = runs.front().jobs[j];
    std::vector<Cell> ends = {fmt::format("job {}, {}", job.id, job.program), "ends at, s"};
    std::vector<Cell> classes = {ends.front(), "classes"};
    bool any = false;
    for (const ProcessReport& run : runs) {
      ends.emplace_back(seconds(run.jobs[j].end));
      classes.emplace_back(run.jobs[j].classes);
      any = any || !run.jobs[j].classes.empty();
    }
    table.add_row(ends);
    if (any) table.add_row(classes);
  }
  if (!runs.front().jobs.empty()) table.add_rule();
}

}  // namespace

ProcessReport process_report(const std::string& policy, const RunResult& result) {
  const ProcessRecord& record = *result.processes;
  ProcessReport report;
  report.policy = policy;
  report.shares = summarize_processes(result).shares;
  const std::vector<Job>& jobs = result.workload->jobs;
  for (std::size_t i = 0; i < jobs.size() && jobs.size() <= kMostJobs; ++i) {
    const Outcome& o = result.outcomes[i];
    const std::string classes = record.classes.size() < 2 ? "" : in_words(classes_of(record, static_cast<JobIndex>(i)));
    report.jobs.push_back({jobs[i].id, record.programs[i], jobs[i].size, o.start, o.end, classes});
  }
  return report;
}

std::string process_table(const std::vector<ProcessReport>& runs, TableStyle style, bool colour) {
  std::vector<Column> columns = {{"", false, "", true}, {"", false}};
  for (const ProcessReport& run : runs) columns.push_back({run.policy});
  Table table(std::move(columns));
  add_jobs(table, runs);
  const std::pair<const char*, double ProcessorShares::*> parts[] = {{"computing", &ProcessorShares::computing},
                                                                     {"polling", &ProcessorShares::polling},
                                                                     {"waiting, idle", &ProcessorShares::blocked},
                                                                     {"switching", &ProcessorShares::switching},
                                                                     {"no process", &ProcessorShares::idle}};
  for (const auto& [name, part] : parts) {
    std::vector<Cell> row = {"processors", name};
    for (const ProcessReport& run : runs) row.emplace_back(percent(run.shares.*part));
    table.add_row(row);
  }
  return table.render(style, colour);
}

}  // namespace coslice
