#include "lab/compare/fidelity.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice {
namespace {

constexpr std::size_t kUsePoints = 400;

/// The q-quantile, the smallest value that at least so large a share does not exceed.
double quantile_of(std::vector<double> values, double q) {
  std::ranges::sort(values);
  const auto at = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size()))) - 1;
  return values[std::min(at, values.size() - 1)];
}

/// Mean ranks of equal values.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i != order.size();) {
    std::size_t end = i;
    while (end != order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k != end; ++k) ranks[order[k]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return ranks;
}

double correlation_of(const std::vector<double>& a, const std::vector<double>& b) {
  const double ma = mean(a), mb = mean(b);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i != a.size(); ++i) {
    ab += (a[i] - ma) * (b[i] - mb);
    aa += (a[i] - ma) * (a[i] - ma);
    bb += (b[i] - mb) * (b[i] - mb);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 1;
}

std::vector<double> our_waits(const std::vector<JobPair>& pairs) {
  std::vector<double> all;
  for (const JobPair& p : pairs) all.push_back(p.our_wait());
  return all;
}

std::vector<double> their_waits(const std::vector<JobPair>& pairs) {
  std::vector<double> all;
  for (const JobPair& p : pairs) all.push_back(p.theirs->wait());
  return all;
}

std::vector<double> errors_of(const std::vector<JobPair>& pairs) {
  std::vector<double> all;
  for (const JobPair& p : pairs) all.push_back(p.error());
  return all;
}

double share_within(const std::vector<double>& errors, double most) {
  const auto n = std::ranges::count_if(errors, [&](double e) { return e <= most; });
  return static_cast<double>(n) / static_cast<double>(errors.size());
}

/// The schedule in which each job waits as long as the median over the records; jobs that all of them have.
ScheduleRecord median_of(const std::vector<ScheduleRecord>& records) {
  ScheduleRecord out{fmt::format("median of {} records", records.size()), {}};
  for (const auto& [id, first] : records.front().jobs) {
    std::vector<double> waits;
    for (const ScheduleRecord& r : records)
      if (const ScheduledJob* job = r.find(id, first.site_id)) waits.push_back(job->wait());
    if (waits.size() != records.size()) continue;
    std::ranges::sort(waits);
    ScheduledJob job = first;
    const std::size_t half = waits.size() / 2;
    job.start = job.submitted + (waits.size() % 2 == 1 ? waits[half] : (waits[half - 1] + waits[half]) / 2);
    out.jobs[id] = std::move(job);
  }
  return out;
}

/// "3-4" for a size of 3: few groups, whatever sizes there are.
std::string size_group(const std::string& nodes) {
  const long n = std::strtol(nodes.c_str(), nullptr, 10);
  long low = 1, high = 1;
  while (n > high) {
    low = high + 1;
    high *= 2;
  }
  return low == high ? fmt::format("{}", low) : fmt::format("{}-{}", low, high);
}

/// By label; of one label numbers come by what they are worth, so that 5-8 stands before 17-32.
struct GroupOrder {
  bool operator()(const std::pair<std::string, std::string>& a, const std::pair<std::string, std::string>& b) const {
    const auto key = [](const auto& g) {
      return std::make_tuple(g.first, std::strtoll(g.second.c_str(), nullptr, 10), g.second);
    };
    return key(a) < key(b);
  }
};

void add_groups(const std::vector<JobPair>& pairs, Fidelity& out) {
  std::map<std::pair<std::string, std::string>, std::vector<JobPair>, GroupOrder> groups;
  for (const JobPair& p : pairs)
    for (const auto& [label, value] : p.ours->labels)
      groups[{label, label == "nodes" ? size_group(value) : value}].push_back(p);
  std::map<std::string, std::size_t> values;
  for (const auto& [key, members] : groups) ++values[key.first];
  for (const auto& [key, members] : groups) {
    if (values[key.first] < 2) continue;  // it tells no jobs apart
    FidelityGroup g{key.first, key.second, members.size(), 0, 0, {}, 0};
    const std::vector<double> errors = errors_of(members);
    g.our_wait = mean(our_waits(members));
    g.their_wait = mean(their_waits(members));
    g.bias = batch_means(errors).interval;
    for (const double e : errors) g.mean_error += std::abs(e) / static_cast<double>(errors.size());
    out.groups.push_back(std::move(g));
  }
}

}  // namespace

ScheduleDistance schedule_distance(const ScheduleRecord& ours, const ScheduleRecord& theirs) {
  const std::vector<JobPair> pairs = common_jobs(ours, theirs);
  if (pairs.size() < 2)
    throw InputError({theirs.name, 0, fmt::format("has {} of the jobs of {}", pairs.size(), ours.name),
                      "a record of the same jobs under the same ids"});
  ScheduleDistance d;
  d.ours = ours.name;
  d.theirs = theirs.name;
  d.jobs = pairs.size();
  d.our_wait = mean(our_waits(pairs));
  d.their_wait = mean(their_waits(pairs));
  std::vector<double> errors = errors_of(pairs);
  d.bias = batch_means(errors).interval;
  double squares = 0;
  for (double& e : errors) {
    squares += e * e;
    e = std::abs(e);
  }
  d.mean_error = mean(errors);
  d.rms_error = std::sqrt(squares / static_cast<double>(errors.size()));
  d.median_error = quantile_of(errors, 0.5);
  d.p90_error = quantile_of(errors, 0.9);
  d.within_minute = share_within(errors, 60);
  d.within_5_minutes = share_within(errors, 300);
  d.within_half_hour = share_within(errors, 1800);
  std::vector<double> starts, their_starts;
  for (const JobPair& p : pairs) {
    starts.push_back(p.ours->start);
    their_starts.push_back(p.theirs->start);
  }
  d.rank_correlation = correlation_of(ranks_of(starts), ranks_of(their_starts));
  return d;
}

ScheduleDistance mean_distance(const std::vector<ScheduleDistance>& of, std::string ours, std::string theirs) {
  ScheduleDistance out;
  out.ours = std::move(ours);
  out.theirs = std::move(theirs);
  out.jobs = of.front().jobs;
  for (double ScheduleDistance::*field :
       {&ScheduleDistance::our_wait, &ScheduleDistance::their_wait, &ScheduleDistance::mean_error,
        &ScheduleDistance::median_error, &ScheduleDistance::p90_error, &ScheduleDistance::rms_error,
        &ScheduleDistance::within_minute, &ScheduleDistance::within_5_minutes, &ScheduleDistance::within_half_hour,
        &ScheduleDistance::rank_correlation}) {
    for (const ScheduleDistance& d : of) out.*field += d.*field / static_cast<double>(of.size());
  }
  return out;
}

Fidelity fidelity_of(const std::vector<ScheduleRecord>& runs, const std::vector<ScheduleRecord>& records) {
  Fidelity out;
  std::vector<JobPair> all;
  for (const ScheduleRecord& run : runs)
    for (const ScheduleRecord& record : records) {
      out.distances.push_back(schedule_distance(run, record));
      const std::vector<JobPair> pairs = common_jobs(run, record);
      all.insert(all.end(), pairs.begin(), pairs.end());
    }
  std::ranges::stable_sort(all,
                           [](const JobPair& a, const JobPair& b) { return a.ours->submitted < b.ours->submitted; });
  add_groups(all, out);
  for (FidelityGroup& g : out.groups) g.jobs /= runs.size() * records.size();
  std::vector<ScheduleDistance> pairs;
  for (std::size_t i = 0; i != records.size(); ++i)
    for (std::size_t k = i + 1; k < records.size(); ++k) pairs.push_back(schedule_distance(records[i], records[k]));
  if (!pairs.empty()) out.among_records = mean_distance(pairs, "a record", "another");
  if (records.size() > 2) {
    const ScheduleRecord median = median_of(records);
    std::vector<ScheduleDistance> to_median;
    for (const ScheduleRecord& run : runs) to_median.push_back(schedule_distance(run, median));
    out.to_median = mean_distance(to_median, "mean of runs", median.name);
  }
  const std::size_t common = common_jobs(runs.front(), records.front()).size();
  out.only_run = runs.front().jobs.size() - common;
  out.only_record = records.front().jobs.size() - common;
  out.use = use_over_time(runs.front(), records.front(), kUsePoints);
  return out;
}

}  // namespace coslice
