#include "metrics/process_summary.h"

#include <algorithm>

namespace coslice {
namespace {

bool has_ended(const Outcome& o) { return o.end != kNever && o.state != FinalState::kWithdrawn; }

ProcessorShares shares_of(const RunResult& result) {
  const ProcessRecord& record = *result.processes;
  Time first = kNever, last{Duration::min()};
  for (JobIndex j = 0; j < result.outcomes.size(); ++j) {
    first = std::min(first, result.submitted_at(j));
    if (has_ended(result.outcomes[j])) last = std::max(last, result.outcomes[j].end);
  }
  ProcessorShares s;
  if (last <= first) return s;
  const double all = to_seconds(last - first) * record.processors;
  s.computing = to_seconds(record.account.computing) / all;
  s.polling = to_seconds(record.account.polling) / all;
  s.switching = to_seconds(record.account.switching) / all;
  s.blocked = to_seconds(record.account.blocked) / all;
  s.idle = std::max(0.0, 1 - s.computing - s.polling - s.switching - s.blocked);
  return s;
}

std::map<std::string, ProgramSummary> programs_of(const RunResult& result) {
  std::map<std::string, ProgramSummary> programs;
  for (JobIndex j = 0; j < result.outcomes.size(); ++j) {
    if (!has_ended(result.outcomes[j])) continue;
    ProgramSummary& p = programs[result.processes->programs[j]];
    ++p.jobs;
    p.mean_response += to_seconds(result.outcomes[j].end - result.submitted_at(j));
    for (const auto& [name, count] : classes_of(*result.processes, j)) p.classes[name] += count;
  }
  for (auto& entry : programs) entry.second.mean_response /= static_cast<double>(entry.second.jobs);
  return programs;
}

/// Of sorted values, interpolated between ranks.
Deciles deciles_of(std::vector<double> values) {
  Deciles d{};
  if (values.empty()) return d;
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < d.size(); ++i) {
    const double place = static_cast<double>((values.size() - 1) * (i + 1)) / 10;
    const auto rank = static_cast<std::size_t>(place);
    const double next = rank + 1 < values.size() ? values[rank + 1] : values[rank];
    d[i] = values[rank] + (next - values[rank]) * (place - static_cast<double>(rank));
  }
  return d;
}

void add_halves(ProcessSummary& summary, const RunResult& result) {
  std::vector<JobIndex> jobs;
  for (JobIndex j = 0; j < result.outcomes.size(); ++j)
    if (has_ended(result.outcomes[j])) jobs.push_back(j);
  const std::vector<Job>& all = result.workload->jobs;
  std::stable_sort(jobs.begin(), jobs.end(), [&](JobIndex a, JobIndex b) { return all[a].runtime < all[b].runtime; });
  std::vector<double> halves[2];
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const double response = to_seconds(result.outcomes[jobs[i]].end - result.submitted_at(jobs[i]));
    halves[i < jobs.size() / 2 ? 0 : 1].push_back(response);
  }
  summary.shorter = deciles_of(std::move(halves[0]));
  summary.longer = deciles_of(std::move(halves[1]));
}

/// Processor seconds of the jobs that wait at t.
double backlog(const RunResult& result, Time t) {
  double work = 0;
  for (std::size_t i = 0; i < result.outcomes.size(); ++i) {
    const Job& job = result.workload->jobs[i];
    const Outcome& o = result.outcomes[i];
    const bool left = o.state == FinalState::kWithdrawn && withdrawal_of(job) <= t;
    if (left || o.state == FinalState::kRejected || result.submitted_at(static_cast<JobIndex>(i)) > t || o.start <= t)
      continue;
    work += to_seconds(job.runtime) * job.size;
  }
  return work;
}

double growth(const RunResult& result) {
  const std::vector<Job>& jobs = result.workload->jobs;
  constexpr int kPoints = 200;
  const Time from = jobs[jobs.size() / 2].submit, to = jobs.back().submit;
  if (to <= from) return 0;
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (int i = 0; i < kPoints; ++i) {
    const Duration since = (to - from) / kPoints * i;
    const double x = to_seconds(since), y = backlog(result, from + since);
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  const double slope = (kPoints * sum_xy - sum_x * sum_y) / (kPoints * sum_xx - sum_x * sum_x);
  return slope / result.processes->processors;
}

/// Processor seconds of work over those that there were while jobs came.
double load_of(double work, const RunResult& result) {
  const std::vector<Job>& jobs = result.workload->jobs;
  const double time = to_seconds(jobs.back().submit - jobs.front().submit);
  return time > 0 ? work / (time * result.processes->processors) : 0;
}

double offered_load(const RunResult& result) {
  double work = 0;
  for (const Job& job : result.workload->jobs) work += to_seconds(job.runtime) * job.size;
  return load_of(work, result);
}

double accepted_load(const RunResult& result) {
  const std::vector<Job>& jobs = result.workload->jobs;
  const Time last = jobs.back().submit;
  double work = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Outcome& o = result.outcomes[i];
    if (o.end == kNever || o.start >= last) continue;
    const double part = o.end <= last ? 1 : to_seconds(last - o.start) / to_seconds(o.end - o.start);
    work += part * to_seconds(jobs[i].runtime) * jobs[i].size;
  }
  return load_of(work, result);
}

}  // namespace

ClassCounts classes_of(const ProcessRecord& record, JobIndex job) {
  ClassCounts counts;
  for (const ClassId c : record.last_class[job]) ++counts[record.classes[c]];
  return counts;
}

ProcessSummary summarize_processes(const RunResult& result) {
  ProcessSummary summary;
  const ProcessRecord& record = *result.processes;
  const ProcessAccount& account = record.account;
  summary.processors = record.processors;
  summary.shares = shares_of(result);
  summary.strobes = static_cast<std::int64_t>(account.strobes);
  summary.path = record.exact ? "exact" : record.extrapolations == 0 ? "closed" : "fast";
  summary.extrapolated = record.extrapolated;
  summary.error_bound = record.error_bound;
  if (account.slots > 0)
    summary.empty_slots = static_cast<double>(account.empty_slots) / static_cast<double>(account.slots);
  summary.programs = programs_of(result);
  add_halves(summary, result);
  summary.offered_load = offered_load(result);
  summary.accepted_load = accepted_load(result);
  summary.backlog_growth = growth(result);
  return summary;
}

}  // namespace coslice
