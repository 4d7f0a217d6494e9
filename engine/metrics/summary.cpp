#include "metrics/summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "core/portable_math.h"
#include "machine/layout.h"

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
  std::ranges::sort(values);
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
  std::ranges::stable_sort(jobs, {}, [&](JobIndex a) { return all[a].runtime; });
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

constexpr std::size_t kParts = 16;
using TimeParts = std::array<double, kParts>;

/// From the first to the last submission of what is left of the ended jobs; how many these are.
std::size_t find_window(const RunResult& result, double trim, Steadiness& s) {
  const auto ended =
      static_cast<std::size_t>(std::ranges::count_if(result.outcomes, [](const Outcome& o) { return o.ran_to_end(); }));
  const std::size_t cut = trimmed_jobs(ended, trim);
  if (ended <= 2 * cut) return 0;
  JobIndex first = 0, last = static_cast<JobIndex>(result.outcomes.size()) - 1;
  for (std::size_t before = cut; before != 0 || !result.outcomes[first].ran_to_end(); ++first)
    before -= result.outcomes[first].ran_to_end();
  for (std::size_t behind = cut; behind != 0 || !result.outcomes[last].ran_to_end(); --last)
    behind -= result.outcomes[last].ran_to_end();
  s.from = result.submitted_at(first);
  s.to = result.submitted_at(last);
  return ended - 2 * cut;
}

void integrate_timeline(const RunResult& result, Steadiness& s) {
  double queue = 0, nodes = 0;
  each_span(result.timeline, s.from, s.to, [&](std::size_t i, Duration span) {
    const double seconds = to_seconds(span);
    queue += seconds * result.timeline[i].queue;
    nodes += seconds * result.timeline[i].used_nodes;
  });
  const double window = to_seconds(s.to - s.from);
  s.mean_queue = queue / window;
  s.utilization = nodes / (window * result.machine.nodes);
}

/// The unfinished work of one job over time: all of it from its submission on, less and less from its start to its end.
struct JobWork {
  double submitted, start, end, work;

  /// Its integral up to any time from its end on.
  double whole() const {
    const double length = end - start;
    return (start - submitted) * work + work * (length - length * length / (2 * length));
  }
  /// Its integral up to t.
  double until(double t) const {
    if (t <= submitted) return 0;
    double sum = (std::min(t, start) - submitted) * work;
    if (t > start) {
      const double length = end - start, done = std::min(t, end) - start;
      sum += work * (done - done * done / (2 * length));
    }
    return sum;
  }
};

/// The mean unfinished work in each part of the window, in node-seconds.
TimeParts unfinished_work(const RunResult& result, const Steadiness& s) {
  const double from = to_seconds(s.from), part = to_seconds(s.to - s.from) / kParts;
  TimeParts sums{};
  for (JobIndex j = 0; j != result.outcomes.size(); ++j) {
    const Outcome& o = result.outcomes[j];
    if (!o.ran_to_end() || o.end <= s.from || result.submitted_at(j) >= s.to) continue;
    const double runtime =
        to_seconds(result.resized.count(j) == 0 ? result.workload->jobs[j].runtime : result.last_run_time(j));
    const JobWork job{to_seconds(result.submitted_at(j)), to_seconds(o.start), to_seconds(o.end),
                      result.mean_nodes(j) * runtime};
    const double first = std::max((job.submitted - from) / part, 0.0);
    const auto in = truncated<std::size_t>(first);
    if (in < kParts && from + part * static_cast<double>(in) <= job.submitted &&
        job.end <= from + part * static_cast<double>(in + 1)) {
      sums[in] += job.whole() / part;  // most jobs
      continue;
    }
    double before = job.until(from + part * std::floor(first));
    for (std::size_t p = in; p < kParts && from + part * static_cast<double>(p) < job.end; ++p) {
      const double now = job.until(from + part * static_cast<double>(p + 1));
      sums[p] += (now - before) / part;
      before = now;
    }
  }
  return sums;
}

void judge(const TimeParts& work, double capacity, std::size_t jobs, Steadiness& s) {
  constexpr std::size_t kChanges = kParts - 1;
  const double total = work[kParts - 1] - work[0], mean = total / kChanges;
  double squares = 0;
  for (std::size_t p = 1; p != kParts; ++p) {
    const double off = work[p] - work[p - 1] - mean;
    squares += off * off;
  }
  const double deviation = std::sqrt(squares / (kChanges - 1));
  s.growth = total / (capacity * kChanges / kParts);
  if (deviation > 0) s.evidence = mean * std::sqrt(static_cast<double>(kChanges)) / deviation;
  s.saturated =
      jobs >= Steadiness::kLeastJobs && s.growth > Steadiness::kLeastGrowth && s.evidence > Steadiness::kLeastEvidence;
}

// A span of 1e18 ns times half a million jobs does not fit 64 bits.
__extension__ using Wide = __int128;

/// What the statistics need of a job that ran to an end, in order of submission.
struct Sample {
  JobIndex job;
  std::int64_t wait, response;  // ns
  double slowdown;              // bounded
  double relative;              // response
};

/// A numbering of samples into groups: group_of[i] for sample i.
struct Grouping {
  std::vector<std::uint32_t> group_of;
  std::vector<std::string> names;
};

double seconds_of(Wide ns, double divisor) { return static_cast<double>(ns) / (1e9 * divisor); }

/// Where a percentile lies: rank + part/100 of the way to the next rank. Integers, so that no rounding moves a rank.
struct Rank {
  std::size_t rank;
  std::int64_t part;
};

Rank rank_of(std::size_t n, std::size_t percent) {
  const std::size_t scaled = (n - 1) * percent;
  return {scaled / 100, static_cast<std::int64_t>(scaled % 100)};
}

double between(std::int64_t low, std::int64_t high, std::int64_t part) {
  return seconds_of(Wide{low} * 100 + (Wide{high} - low) * part, 100);
}
double between(double low, double high, std::int64_t part) {
  return low + (high - low) * (static_cast<double>(part) / 100);
}

/// The percentile of the values from `from` on, all before which are smaller; leaves the rank's value in its place.
template <class T>
double percentile(std::vector<T>& values, std::size_t from, Rank r) {
  const auto begin = values.begin();
  const auto at = begin + static_cast<std::ptrdiff_t>(r.rank);
  std::nth_element(begin + static_cast<std::ptrdiff_t>(from), at, values.end());
  return between(*at, r.part == 0 ? *at : *std::min_element(at + 1, values.end()), r.part);
}

template <class T>
void order_statistics(std::vector<T>& values, Stats& out) {
  std::size_t from = 0;  // all values before are smaller
  for (const Statistic& s : kStatistics) {
    if (s.percent == 0) continue;
    const Rank rank = rank_of(values.size(), static_cast<std::size_t>(s.percent));
    out.*s.of = percentile(values, from, rank);
    from = rank.rank;
  }
  const T largest = *std::max_element(values.begin() + static_cast<std::ptrdiff_t>(from), values.end());
  out.max = between(largest, largest, 0);
}

double mean_of(const std::vector<std::int64_t>& ns) {
  return seconds_of(std::accumulate(ns.begin(), ns.end(), Wide{0}), static_cast<double>(ns.size()));
}
double mean_of(const std::vector<double>& ratios) {
  return std::accumulate(ratios.begin(), ratios.end(), 0.0) / static_cast<double>(ratios.size());
}

template <class T>
Stats stats_of(std::vector<T>& values) {
  Stats s;
  if (values.empty()) return s;
  s.mean = mean_of(values);
  order_statistics(values, s);
  return s;
}

/// Summaries of sets of samples; keeps its buffers from one set to the next.
class Summarizer {
 public:
  /// Of n samples; the k-th is at(k).
  template <class At>
  GroupSummary operator()(std::string name, std::size_t n, At at) {
    wait_.resize(n), response_.resize(n), slowdown_.resize(n);
    double relative = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const Sample& s = at(k);
      wait_[k] = s.wait;
      response_[k] = s.response;
      slowdown_[k] = s.slowdown;
      relative += s.relative;
    }
    GroupSummary g;
    g.name = std::move(name);
    g.jobs = static_cast<std::int64_t>(n);
    g.wait = stats_of(wait_);
    g.response = stats_of(response_);
    g.bounded_slowdown = stats_of(slowdown_);
    if (n > 0) g.mean_relative_response = relative / static_cast<double>(n);
    return g;
  }

 private:
  std::vector<std::int64_t> wait_, response_;
  std::vector<double> slowdown_;
};

/// One summary per group over the samples [first, last); none where they are not grouped.
std::vector<GroupSummary> by_group(const std::vector<Sample>& samples, const Grouping& grouping, std::size_t first,
                                   std::size_t last) {
  if (grouping.names.empty()) return {};
  std::vector<std::vector<std::uint32_t>> members(grouping.names.size());
  for (std::size_t i = first; i < last; ++i) members[grouping.group_of[i]].push_back(static_cast<std::uint32_t>(i));
  Summarizer summary;
  std::vector<GroupSummary> out;
  for (std::size_t g = 0; g < members.size(); ++g) {
    const auto at = [&](std::size_t k) -> const Sample& { return samples[members[g][k]]; };
    out.push_back(summary(grouping.names[g], members[g].size(), at));
  }
  return out;
}

GroupSummary of_all(const std::string& name, const std::vector<Sample>& samples, std::size_t first, std::size_t last) {
  return Summarizer{}(name, last - first, [&](std::size_t k) -> const Sample& { return samples[first + k]; });
}

/// Jobs beyond every class make a class "other", which is there only if it is needed.
Grouping group_by_class(const std::vector<Sample>& samples, const Workload& workload,
                        const std::vector<JobClass>& classes) {
  Grouping out;
  for (const auto& c : classes) out.names.push_back(c.name);
  for (const auto& s : samples) {
    const std::size_t c = class_of(workload.jobs[s.job].runtime, classes);
    if (c == out.names.size()) out.names.push_back("other");
    out.group_of.push_back(static_cast<std::uint32_t>(c));
  }
  return out;
}

/// Groups by a number of the job, sorted by it; no groups if no job has one.
Grouping group_by_number(const std::vector<Sample>& samples, const Workload& workload, std::int32_t Job::*field) {
  std::unordered_map<std::int32_t, std::uint32_t> seen;
  std::vector<std::int32_t> numbers;  // by first appearance
  Grouping out;
  if (std::ranges::none_of(samples, [&](const Sample& s) { return workload.jobs[s.job].*field >= 0; })) return out;
  out.group_of.reserve(samples.size());
  for (const auto& s : samples) {
    const auto [at, is_new] = seen.try_emplace(workload.jobs[s.job].*field, static_cast<std::uint32_t>(numbers.size()));
    if (is_new) numbers.push_back(at->first);
    out.group_of.push_back(at->second);
  }
  std::vector<std::uint32_t> order(numbers.size()), place(numbers.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](auto a) { return numbers[a]; });
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    out.names.push_back(std::to_string(numbers[order[i]]));
  }
  for (auto& g : out.group_of) g = place[g];
  return out;
}

/// Groups by the partition in which jobs ran, in the order of the machine.
Grouping group_by_partition(const std::vector<Sample>& samples, const RunResult& result) {
  Grouping out;
  for (const Partition& p : result.machine.layout->partitions) out.names.push_back(p.name);
  for (const Sample& s : samples) out.group_of.push_back(static_cast<std::uint32_t>(result.partition[s.job]));
  return out;
}

/// Counts jobs by their end and collects those that ran to it.
std::vector<Sample> collect(const RunResult& result, const MetricsOptions& options, Summary& s) {
  std::vector<Sample> samples;
  samples.reserve(result.outcomes.size());
  double slowdown_sum = 0;
  for (JobIndex i = 0; i < result.outcomes.size(); ++i) {
    const Outcome& o = result.outcomes[i];
    s.rejected += o.state == FinalState::kRejected;
    if (o.state == FinalState::kRejected) ++s.rejected_for[static_cast<std::size_t>(o.rejection)];
    s.killed += o.state == FinalState::kWalltimeReached;
    s.unfulfilled += o.state == FinalState::kUnfulfilled;
    s.withdrawn += o.state == FinalState::kWithdrawn;
    s.withdrawn_started += o.state == FinalState::kWithdrawn && o.start != kNever;
    if (!o.ran_to_end()) continue;
    const Time submitted = result.submitted_at(i);
    const double slowdown = stretch(result, i);
    slowdown_sum += slowdown;
    s.max_slowdown = std::max(s.max_slowdown, slowdown);
    samples.push_back({i, result.waited(i).count(), (o.end - submitted).count(),
                       bounded_slowdown(result, i, options.bound),
                       relative_response_time(result, i, options.relative_response_bound)});
  }
  s.jobs = static_cast<std::int64_t>(result.outcomes.size());
  s.finished = static_cast<std::int64_t>(samples.size());
  if (!samples.empty()) s.mean_slowdown = slowdown_sum / static_cast<double>(samples.size());
  return samples;
}

/// The span over which the machine is judged: first submission to last end.
struct Window {
  Time from = kNever, to = Time::min();
  bool empty() const { return to <= from; }
};

Window window_of(const RunResult& result) {
  Window w;
  for (const auto& job : result.workload->jobs) w.from = std::min(w.from, job.submit);
  for (const auto& o : result.outcomes) {
    if (o.ran_to_end()) w.to = std::max(w.to, o.end);
  }
  w.to = std::max(w.to, w.from);  // no job ended
  return w;
}

/// Integrals of the timeline over the window.
void summarize_machine(const RunResult& result, Window window, Summary& s) {
  Wide queue = 0, nodes = 0, cores = 0;
  for (const TimelinePoint& p : result.timeline) s.max_queue = std::max<std::int64_t>(s.max_queue, p.queue);
  each_span(result.timeline, window.from, window.to, [&](std::size_t i, Duration span) {
    const TimelinePoint& p = result.timeline[i];
    const Wide ns = span.count();
    queue += ns * p.queue;
    nodes += ns * p.used_nodes;
    cores += ns * p.used_cores;
  });
  const auto span = static_cast<double>((window.to - window.from).count());
  s.makespan = span / 1e9;
  s.mean_queue = static_cast<double>(queue) / span;
  double node_time = span * result.machine.nodes;
  double core_time = span * static_cast<double>(result.machine.total_cores());
  if (result.outages) {
    node_time -= 1e9 * down_node_seconds(*result.outages, window.from, window.to);
    core_time -= 1e9 * down_core_seconds(*result.outages, result.machine, window.from, window.to);
  }
  s.utilization = node_time > 0 ? static_cast<double>(nodes) / node_time : 0;
  s.core_utilization = core_time > 0 ? static_cast<double>(cores) / core_time : 0;
}

/// Time that a job would take without any overhead, as far as it was allowed to run.
Duration work_of(const Job& job, const Outcome& o) {
  return o.state == FinalState::kWalltimeReached ? std::min(job.runtime, job.limit) : job.runtime;
}

SliceSummary summarize_slices(const RunResult& result, Window window, double utilization) {
  Wide overhead = 0, first = 0, work = 0, node_overhead = 0, node_work = 0, loading = 0;
  for (JobIndex j = 0; j < result.outcomes.size(); ++j) {
    const Outcome& o = result.outcomes[j];
    if (!o.ran_to_end()) continue;
    const std::int64_t lost = result.overhead_of(j).count();
    const std::int64_t worked = work_of(result.workload->jobs[j], o).count();
    const SlicedJob& sliced = result.sliced[j];
    overhead += lost;
    work += worked;
    node_overhead += Wide{lost} * sliced.nodes;
    node_work += Wide{worked} * sliced.nodes;
    loading += Wide{sliced.loading.count()} * sliced.nodes;
    if (!result.first_load.empty()) first += result.first_load[j].count();
  }
  SliceSummary s;
  s.counts = result.slices;
  s.overhead = seconds_of(overhead, 1);
  s.overhead_without_first_loads = seconds_of(overhead - first, 1);
  if (work > 0) {
    s.share = static_cast<double>(overhead) / static_cast<double>(work);
    s.share_without_first_loads = static_cast<double>(overhead - first) / static_cast<double>(work);
    s.share_by_nodes = static_cast<double>(node_overhead) / static_cast<double>(node_work);
  }
  const auto span = static_cast<double>((window.to - window.from).count());
  if (!window.empty()) {
    s.utilization_without_loading = utilization - static_cast<double>(loading) / (span * result.machine.nodes);
  }
  return s;
}

SharingSummary summarize_sharing(const SharingRecord& record, const std::vector<Sample>& samples,
                                 const Grouping& classes) {
  SharingSummary s;
  s.attempts = record.counts.attempts;
  if (s.attempts > 0) {
    const auto n = static_cast<double>(s.attempts);
    s.few_share = static_cast<double>(record.counts.attempts_few) / n;
    s.vain_share = static_cast<double>(record.counts.attempts_vain) / n;
  }
  s.groups = record.counts.groups;
  if (s.groups > 0) {
    const auto n = static_cast<double>(s.groups);
    s.jobs_per_group = static_cast<double>(record.counts.grouped_jobs) / n;
    s.gain_promised = record.counts.gain_promised / n;
    s.gain_had = record.counts.gain_had / n;
  }
  for (const std::string& name : classes.names) s.by_class.push_back({name, 0, 0, 0});
  for (std::size_t i = 0; i < samples.size(); ++i) {
    SharingSummary::Class& c = s.by_class[classes.group_of[i]];
    ++c.jobs;
    const SharedJob& job = record.jobs[samples[i].job];
    c.grouped += job.groups > 0;
    s.bounded += job.bound != Duration::max();
    const bool late = samples[i].response > job.bound.count();
    c.late += late;
    s.late += late;
    s.late_grouped += late && job.groups > 0;
  }
  std::int64_t jobs = 0, grouped = 0;
  for (std::size_t c = 1; c < s.by_class.size(); ++c) {
    jobs += s.by_class[c].jobs;
    grouped += s.by_class[c].grouped;
  }
  if (jobs > 0) s.grouped_share = static_cast<double>(grouped) / static_cast<double>(jobs);
  return s;
}

/// Node-seconds of all work with one process on each node, over those that there were.
double utilization_efficiency(const RunResult& result, Window window) {
  Wide work = 0;
  for (JobIndex j = 0; j < result.outcomes.size(); ++j) {
    const Job& job = result.workload->jobs[j];
    if (result.outcomes[j].ran_to_end()) work += Wide{work_of(job, result.outcomes[j]).count()} * job.size;
  }
  const auto span = static_cast<double>((window.to - window.from).count());
  return window.empty() ? 0 : static_cast<double>(work) / (span * result.machine.nodes);
}

double improvement(double reference, double run) {
  return reference > 0 ? 1 - run / reference : std::numeric_limits<double>::quiet_NaN();
}

Comparison::Group compare(const GroupSummary& reference, const GroupSummary& run) {
  return {reference.name, run.jobs == 0 ? std::numeric_limits<double>::quiet_NaN()
                                        : improvement(reference.mean_relative_response, run.mean_relative_response)};
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

std::size_t trimmed_jobs(std::size_t n, double trim) {
  const double cut = std::floor(static_cast<double>(n) * std::clamp(trim, 0.0, 0.5) + 1e-9);
  return std::min(static_cast<std::size_t>(cut), n / 2);
}

Steadiness steadiness(const RunResult& result, double trim) {
  Steadiness s;
  const std::size_t jobs = find_window(result, trim, s);
  if (s.to <= s.from) return s;
  integrate_timeline(result, s);
  judge(unfinished_work(result, s), to_seconds(s.to - s.from) * result.machine.nodes, jobs, s);
  return s;
}

std::size_t class_of(Duration runtime, const std::vector<JobClass>& classes) {
  std::size_t i = 0;
  while (i < classes.size() && runtime > classes[i].upper) ++i;
  return i;
}

double relative_response_time(const RunResult& result, JobIndex j, Duration bound) {
  const Job& job = result.workload->jobs[j];
  const Outcome& outcome = result.outcomes[j];
  const Duration allowed = outcome.state == FinalState::kWalltimeReached ? job.limit : result.ran(j);
  const Duration base = std::max({std::min(job.runtime, allowed), bound, Duration{1}});
  const auto response = static_cast<double>((outcome.end - result.submitted_at(j)).count());
  return response / static_cast<double>(base.count());
}

double bounded_slowdown(const RunResult& result, JobIndex j, Duration bound) {
  return std::max(1.0, relative_response_time(result, j, bound));
}

double stretch(const RunResult& result, JobIndex j) {
  const auto response = static_cast<double>((result.outcomes[j].end - result.submitted_at(j)).count());
  return response / static_cast<double>(std::max(result.ran(j).count(), std::int64_t{1}));
}

Summary summarize(const RunResult& result, const MetricsOptions& options, SummaryUse use) {
  Summary s;
  const Workload& workload = *result.workload;
  s.nodes = result.machine.nodes;
  const std::vector<Sample> samples = collect(result, options, s);
  const Window window = window_of(result);
  if (!window.empty()) {
    summarize_machine(result, window, s);
    if (names_kinds(result.machine)) s.resources = summarize_resources(result, window.from, window.to);
    if (names_kinds(result.machine) && !result.machine.layout->switches.empty())
      s.switches = summarize_switches(result);
    if (result.outages) s.outages = summarize_outages(result, window.from, window.to);
    if (result.power) s.power = summarize_power(result, window.from, window.to);
    s.energy = summarize_energy(result, window.from, window.to);
    s.cost = summarize_cost(result, s.energy, window.from, window.to);
    s.elastic = summarize_resizes(result);
    s.preemptions = summarize_preemptions(result);
    if (!result.reservations.empty()) s.reservations = summarize_reservations(result, window.from, window.to);
    s.high_load = high_load(result, window.from, window.to, options.high_load);
  }
  if (!result.sliced.empty()) s.slices = summarize_slices(result, window, s.utilization);

  const std::size_t n = samples.size(), cut = trimmed_jobs(n, options.trim);
  const Grouping classes = group_by_class(samples, workload, options.classes);
  s.demand = result.demand;
  if (result.sharing) {
    s.sharing = summarize_sharing(*result.sharing, samples, classes);
    s.sharing->efficiency = utilization_efficiency(result, window);
  }
  s.all = of_all("all", samples, 0, n);
  s.by_class = by_group(samples, classes, 0, n);
  s.by_group = by_group(samples, group_by_number(samples, workload, &Job::group), 0, n);
  if (!result.partition.empty()) s.by_partition = by_group(samples, group_by_partition(samples, result), 0, n);
  s.trim = options.trim;
  s.steady = steadiness(result, options.trim);
  if (result.processes) s.processes = summarize_processes(result);
  if (use != SummaryUse::kAll) return s;
  s.by_user = by_group(samples, group_by_number(samples, workload, &Job::user), 0, n);
  s.by_queue = by_group(samples, group_by_number(samples, workload, &Job::queue), 0, n);
  s.trimmed = of_all("all", samples, cut, n - cut);
  s.trimmed_by_class = by_group(samples, classes, cut, n - cut);
  return s;
}

Comparison compare(const Summary& reference, const Summary& run) {
  Comparison c;
  const auto overhead = [](const Summary& s) { return s.slices ? s.slices->overhead : 0.0; };
  c.overhead_reduction = improvement(overhead(reference), overhead(run));
  for (const GroupSummary& r : reference.by_class)
    for (const GroupSummary& g : run.by_class)
      if (r.name == g.name) c.by_class.push_back(compare(r, g));
  c.all = compare(reference.all, run.all);
  return c;
}

}  // namespace coslice
