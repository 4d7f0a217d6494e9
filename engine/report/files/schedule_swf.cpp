#include "report/files/schedule_swf.h"

#include "workload/swf_writer.h"

namespace coslice {
namespace {

SwfOutcome swf_outcome(const Outcome& o, Time submitted) {
  SwfOutcome out;
  out.status = -1;
  if (o.state == FinalState::kRejected || o.state == FinalState::kWithdrawn) out.status = 5;
  if (o.state == FinalState::kRejected || o.start == kNever) return out;
  out.wait = o.start - submitted;
  if (o.end == kNever) return out;
  out.runtime = o.end - o.start;
  out.status = o.state == FinalState::kCompleted ? 1 : 0;
  return out;
}

}  // namespace

void write_schedule_swf(const std::string& path, const RunResult& result, const std::string& note) {
  const Workload& workload = *result.workload;
  SwfWriter writer(path);
  writer.header(workload);
  writer.comment("Note: " + note);
  for (JobIndex i = 0; i < result.outcomes.size(); ++i) {
    Job job = workload.jobs[i];
    job.submit = result.submitted_at(i);
    writer.record(job, swf_outcome(result.outcomes[i], job.submit));
  }
  writer.close();
}

}  // namespace coslice
