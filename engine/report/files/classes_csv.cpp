#include "report/files/classes_csv.h"

#include <algorithm>

#include "report/files/csv_text.h"

namespace coslice {

namespace {

/// Jobs by their starts, those of one instant in order of the trace.
std::vector<JobIndex> by_start(const RunResult& result) {
  std::vector<JobIndex> jobs;
  for (std::size_t i = 0; i < result.outcomes.size(); ++i) {
    const Outcome& o = result.outcomes[i];
    if (o.start != kNever && o.state != FinalState::kRejected) jobs.push_back(static_cast<JobIndex>(i));
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [&](JobIndex a, JobIndex b) { return result.outcomes[a].start < result.outcomes[b].start; });
  return jobs;
}

}  // namespace

void write_classes_csv(const RunResult& result, const Sink& sink) {
  BlockWriter out(sink);
  out.text() += "time,job_id,rank,class\n";
  if (!result.processes) return out.flush();
  const ProcessRecord& record = *result.processes;
  const auto row = [&](Time time, JobIndex job, std::int32_t rank, ClassId cls) {
    append_seconds(out.text(), time - Time{});
    out.text() += ',';
    append_integer(out.text(), result.workload->jobs[job].id);
    out.text() += ',';
    append_integer(out.text(), rank);
    out.text() += "," + csv_field(record.classes[cls]) + "\n";
    out.row_done();
  };
  auto change = record.changes.begin();
  const auto changes_before = [&](Time time) {
    for (; change != record.changes.end() && change->time < time; ++change)
      row(change->time, change->job, change->rank, change->cls);
  };
  for (const JobIndex job : by_start(result)) {
    const Time start = result.outcomes[job].start;
    changes_before(start);
    for (std::int32_t rank = 0; rank < result.workload->jobs[job].size; ++rank) row(start, job, rank, 0);
  }
  changes_before(kNever);
  out.flush();
}

}  // namespace coslice
