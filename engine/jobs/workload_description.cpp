#include "jobs/workload_description.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>

#include "jobs/transform.h"

namespace coslice {
namespace {

double quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

Distribution distribution_of(std::vector<double> values) {
  Distribution d;
  if (values.empty()) return d;
  std::ranges::sort(values);
  double sum = 0;
  for (const double v : values) sum += v;
  d.mean = sum / static_cast<double>(values.size());
  d.smallest = values.front();
  d.q05 = quantile(values, 0.05);
  d.q25 = quantile(values, 0.25);
  d.median = quantile(values, 0.5);
  d.q75 = quantile(values, 0.75);
  d.q95 = quantile(values, 0.95);
  d.largest = values.back();
  return d;
}

template <class Get>
Distribution distribution_over(const std::vector<Job>& jobs, Get get) {
  std::vector<double> values;
  values.reserve(jobs.size());
  for (const Job& job : jobs) values.push_back(get(job));
  return distribution_of(std::move(values));
}

double work_of(const Job& job) { return to_seconds(job.runtime) * job.size; }

/// 0 for size 1, 1 for 2, 2 for 3 and 4, 3 for 5 to 8, ...
std::size_t size_bin(std::int32_t size) {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(size - 1)));
}

void describe_sizes(WorkloadDescription& d, const std::vector<Job>& jobs) {
  d.size = distribution_over(jobs, [](const Job& j) { return static_cast<double>(j.size); });
  std::int64_t serial = 0, powers = 0;
  for (const Job& job : jobs) {
    serial += job.size == 1;
    powers += job.size > 1 && std::has_single_bit(static_cast<std::uint32_t>(job.size));
    const std::size_t bin = size_bin(job.size);
    while (d.sizes.size() <= bin) {
      const auto to = static_cast<std::int32_t>(std::min<std::int64_t>(std::int64_t{1} << d.sizes.size(), 0x7FFFFFFF));
      d.sizes.push_back({d.sizes.empty() ? 1 : d.sizes.back().to + 1, to, 0, 0});
    }
    ++d.sizes[bin].jobs;
    d.sizes[bin].share_of_work += work_of(job) / d.work;
  }
  const auto parallel = static_cast<double>(d.jobs - serial);
  d.serial_share = static_cast<double>(serial) / static_cast<double>(d.jobs);
  d.pow2_share = parallel > 0 ? static_cast<double>(powers) / parallel : 0;
}

/// `jobs` ran.
void describe_runtimes(WorkloadDescription& d, const std::vector<Job>& jobs) {
  d.runtime = distribution_over(jobs, [](const Job& j) { return to_seconds(j.runtime); });
  for (const Job& job : jobs) {
    const std::size_t kind = job.runtime <= whole_seconds(600) ? 0 : job.runtime <= whole_seconds(10800) ? 1 : 2;
    ++d.classes[kind].jobs;
    d.classes[kind].share_of_work += work_of(job) / d.work;
  }
  for (auto& c : d.classes) c.share_of_jobs = static_cast<double>(c.jobs) / static_cast<double>(jobs.size());
}

void describe_limits(WorkloadDescription& d, const std::vector<Job>& jobs) {
  d.limit = distribution_over(jobs, [](const Job& j) { return to_seconds(j.limit); });
  d.without_limit = std::ranges::count_if(jobs, [](const Job& j) { return !j.limit_given; });
}

/// `jobs` ran.
void describe_estimates(WorkloadDescription& d, const std::vector<Job>& jobs) {
  std::int64_t exact = 0, killed = 0;
  double accuracy = 0;
  for (const Job& job : jobs) {
    exact += job.runtime == job.limit;
    killed += job.runtime > job.limit;
    const double a = std::min(1.0, to_seconds(job.runtime) / to_seconds(job.limit));
    accuracy += a;
    if (job.runtime <= job.limit) ++d.accuracy_tenths[static_cast<std::size_t>(std::max(0.0, std::ceil(a * 10) - 1))];
  }
  const auto all = static_cast<double>(jobs.size());
  d.exact_share = static_cast<double>(exact) / all;
  d.killed_share = static_cast<double>(killed) / all;
  d.mean_accuracy = accuracy / all;
}

void describe_arrivals(WorkloadDescription& d, const Workload& w) {
  const std::int64_t origin = second_of_day_at_0(w.header, d.hours);
  std::vector<double> gaps;
  for (std::size_t i = 0; i < w.jobs.size(); ++i) {
    const std::int64_t second = w.jobs[i].submit.time_since_epoch().count() / kNsPerSecond;
    ++d.arrivals_by_hour[static_cast<std::size_t>((second + origin) % kSecondsPerDay / 3600)];
    if (i > 0) gaps.push_back(to_seconds(w.jobs[i].submit - w.jobs[i - 1].submit));
  }
  d.gap = distribution_of(std::move(gaps));
}

/// Jobs by the value of a field; -1, which is "not known", is left out.
template <class Field>
std::map<std::int32_t, std::int64_t> count_by(const std::vector<Job>& jobs, Field field) {
  std::map<std::int32_t, std::int64_t> counts;
  for (const Job& job : jobs)
    if (job.*field >= 0) ++counts[job.*field];
  return counts;
}

void describe_people(WorkloadDescription& d, const std::vector<Job>& jobs) {
  const auto users = count_by(jobs, &Job::user);
  std::int64_t named = 0, most = 0;
  for (const auto& [user, count] : users) {
    named += count;
    most = std::max(most, count);
  }
  d.users = static_cast<std::int64_t>(users.size());
  d.busiest_user_share = named > 0 ? static_cast<double>(most) / static_cast<double>(named) : 0;
  d.groups = static_cast<std::int64_t>(count_by(jobs, &Job::group).size());
  d.executables = static_cast<std::int64_t>(count_by(jobs, &Job::executable).size());
  d.queues = static_cast<std::int64_t>(count_by(jobs, &Job::queue).size());
  d.partitions = static_cast<std::int64_t>(count_by(jobs, &Job::partition).size());
  const auto by_status = count_by(jobs, &Job::status);
  d.jobs_by_status.assign(by_status.begin(), by_status.end());
  for (const Job& job : jobs) {
    d.with_used_memory += job.used_memory_kb > 0;
    d.with_requested_memory += job.requested_memory_kb > 0;
    d.with_dependency += job.extras->preceding >= 0;
  }
}

std::vector<Job> jobs_that_ran(const std::vector<Job>& jobs) {
  std::vector<Job> out;
  std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(out), [](const Job& j) { return !never_ran(j); });
  return out;
}

}  // namespace

WorkloadDescription describe(const Workload& workload, std::int64_t nodes) {
  WorkloadDescription d;
  const auto& jobs = workload.jobs;
  d.name = workload.name;
  d.records = workload.records;
  d.jobs = static_cast<std::int64_t>(jobs.size());
  d.nodes = nodes;
  d.notes = workload.notes;
  if (jobs.empty()) return d;
  d.first_submit = jobs.front().submit;
  d.last_submit = jobs.back().submit;
  d.span = d.last_submit - d.first_submit;
  if (const auto clock = trace_clock(workload.header)) d.dates = dates_text(*clock, d.first_submit, d.last_submit);
  for (const Job& job : jobs) d.work += work_of(job);
  d.offered_load = offered_load(jobs, nodes);
  describe_sizes(d, jobs);
  describe_limits(d, jobs);
  describe_arrivals(d, workload);
  describe_people(d, jobs);
  d.never_ran = std::ranges::count_if(jobs, never_ran);
  if (d.never_ran == d.jobs) return d;
  const std::vector<Job> ran = d.never_ran == 0 ? std::vector<Job>{} : jobs_that_ran(jobs);
  describe_runtimes(d, ran.empty() ? jobs : ran);
  describe_estimates(d, ran.empty() ? jobs : ran);
  return d;
}

}  // namespace coslice
