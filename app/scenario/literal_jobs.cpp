#include "scenario/literal_jobs.h"

#include <algorithm>

namespace coslice {
namespace {

std::int32_t processes(const LiteralJob& job, std::int64_t id, std::int32_t per_node) {
  const std::int64_t size = job.nodes > 0 ? std::int64_t{job.nodes} * per_node : job.size;
  if (size > INT32_MAX) {
    fail_at({}, "job " + std::to_string(id) + " has " + std::to_string(size) + " processes",
            "at most " + std::to_string(INT32_MAX));
  }
  return static_cast<std::int32_t>(size);
}

Job to_job(const LiteralJob& literal, std::size_t index, std::int32_t per_node) {
  Job job;
  job.id = literal_job_id(literal, index);
  job.submit = Time{literal.submit};
  job.runtime = literal.runtime;
  job.limit = literal.limit.value_or(literal.runtime);
  job.limit_given = literal.limit.has_value();
  job.size = processes(literal, job.id, per_node);
  job.user = literal.user;
  job.group = literal.group;
  job.executable = literal.executable;
  job.queue = literal.queue;
  job.partition = literal.partition;
  job.requested_memory_kb = static_cast<std::int32_t>(std::min<std::int64_t>(literal.memory_kb, INT32_MAX));
  job.preceding = literal.after;
  if (literal.think_time) job.think_time = *literal.think_time;
  return job;
}

}  // namespace

std::int64_t literal_job_id(const LiteralJob& job, std::size_t index) {
  return job.id >= 0 ? job.id : static_cast<std::int64_t>(index) + 1;
}

Workload literal_workload(const std::vector<LiteralJob>& jobs, std::int32_t processes_per_node) {
  Workload w;
  w.name = "jobs";
  w.records = static_cast<std::int64_t>(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) w.jobs.push_back(to_job(jobs[i], i, processes_per_node));
  std::stable_sort(w.jobs.begin(), w.jobs.end(), [](const Job& a, const Job& b) { return a.submit < b.submit; });
  return w;
}

}  // namespace coslice
