#include "jobs/transform.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "core/error.h"
#include "core/portable_math.h"
#include "core/value.h"
#include "jobs/attributes.h"
#include "jobs/job_sizes.h"
#include "jobs/workflow.h"
#include "jobs/workload_description.h"
#include "machine/components.h"

namespace coslice {
namespace {

constexpr double kShareOfPopular = 0.9;
constexpr double kDecayPerRank = 0.18;

/// Minutes, by popularity; before them comes the longest estimate that is allowed.
constexpr int kPopularMinutes[] = {60,  10,  5,    120, 30, 240, 15,   180, 720, 20,
                                   360, 480, 1440, 45,  90, 600, 1080, 2,   300};
constexpr int kLimitHours[] = {1, 2, 4, 6, 8, 12, 18, 24, 36, 48, 60, 72, 96, 120, 168, 240};

constexpr Duration kOneMinute = whole_seconds(60), kOneHour = whole_seconds(3600), kOneDay = whole_seconds(86400);

Duration up_to_multiple(Duration d, Duration unit) { return (d + unit - Duration{1}) / unit * unit; }

constexpr Duration kOneSecond = whole_seconds(1);

void check_factor(const char* name, double factor) {
  if (!(factor > 0) || !std::isfinite(factor)) fail_at({}, fmt::format("{} is {}", name, factor), "a number above 0");
}

void check(const TransformOptions& o) {
  check_factor("load_factor", o.load_factor);
  check_factor("size_factor", o.size_factor);
  check_factor("time_factor", o.time_factor);
  check_factor("estimate_factor", o.estimate_factor);
  if (o.time_added < Duration{0})
    fail_at({}, fmt::format("time_added is {}", format_seconds(o.time_added)), "0 or more seconds");
  if (o.first < 0) fail_at({}, fmt::format("first is {}", o.first), "0 or the number of jobs to keep");
  if (o.window && (*o.window)[1] < (*o.window)[0])
    fail_at({},
            fmt::format("the window ends at {} before it begins at {}", format_seconds((*o.window)[1]),
                        format_seconds((*o.window)[0])),
            "its begin, then its end");
}

bool is_whole(Duration d) { return d % kOneSecond == Duration::zero(); }

/// d * factor, to the nearest second where `whole`, else to the nearest nanosecond.
Duration scaled(Duration d, double factor, bool whole, double most = kMaxSeconds) {
  const double seconds = to_seconds(d) * factor;
  if (!(seconds <= most))
    fail_at({},
            fmt::format("a time of {} s times {} is beyond {} years", format_seconds(d), factor,
                        most == kMaxSeconds ? 31 : 190),
            "a smaller factor");
  return from_seconds(whole ? std::floor(seconds + 0.5) : seconds);
}

Duration scaled_span(Duration d, double factor) {
  const bool whole = is_whole(d);
  return std::max(scaled(d, factor, whole), whole ? kOneSecond : Duration{1});
}

void select_window(Workload& w, const std::array<Duration, 2>& window) {
  leave_out(w, "outside of the chosen window", [&](const Job& j) {
    const Duration submit = j.submit.time_since_epoch();
    return submit < window[0] || submit >= window[1];
  });
}

void select_first(Workload& w, std::int64_t n) {
  const auto dropped = static_cast<std::int64_t>(w.jobs.size()) - n;
  if (dropped <= 0) return;
  w.jobs.resize(static_cast<std::size_t>(n));
  w.notes.push_back({"after the chosen number of jobs", dropped, 0, true});
}

void scale_load(Workload& w, double factor) {
  std::vector<Job>& jobs = w.jobs;
  const Time origin = jobs.front().submit;
  // One way of rounding for all, or equal factors could change the order of arrivals.
  const bool whole = std::ranges::all_of(jobs, [](const Job& j) { return is_whole(j.submit.time_since_epoch()); });
  const double most = kMaxSubmitSeconds - to_seconds(origin);
  for (Job& job : jobs) {
    const Time before = std::exchange(job.submit, origin + scaled(job.submit - origin, 1 / factor, whole, most));
    w.extras.move_instants(job, job.submit - before);  // as long after the submission as before
  }
}

/// The other sizes of a moldable job.
void scale_other_sizes(Workload& w, Job& job, double size_factor, double time_factor) {
  if (is_moldable(job))
    w.extras.set(job, attributes::kSizes, scaled_sizes(attributes::kSizes.text(job), size_factor, time_factor));
}

void add_time(Workload& w, Duration added) {
  for (Job& job : w.jobs) {
    job.runtime = from_seconds(std::min(to_seconds(job.runtime + added), kMaxSeconds));
    if (is_moldable(job))
      w.extras.set(job, attributes::kSizes, scaled_sizes(attributes::kSizes.text(job), 1, 1, to_seconds(added)));
  }
}

void scale_sizes(Workload& w, double factor) {
  for (Job& job : w.jobs) {
    job.size = scaled_count(job.size, factor);
    scale_other_sizes(w, job, factor, 1);
    if (job.request == kNoRequest) continue;
    Request asked = w.requests[job.request];
    if (has_components(asked)) {
      std::vector<Request> components = std::move(asked.components);
      for (Request& c : components) c.nodes = scaled_count(c.nodes, factor);
      const std::vector<LicenceUse> licences = std::move(asked.licences);
      asked = of_components(std::move(components));
      asked.licences = licences;
      job.request = w.requests.intern(asked);
      continue;
    }
    asked.nodes = scaled_count(asked.nodes, factor);
    if (asked.spread.cores != 0) {
      asked.spread.cores = scaled_count(asked.spread.cores / asked.spread.unit, factor) * asked.spread.unit;
      asked.spread.nodes = scaled_count(asked.spread.nodes, factor);
    }
    job.request = w.requests.intern(asked);
  }
}

void scale_times(Workload& w, double factor) {
  for (Job& job : w.jobs) {
    job.runtime = scaled_span(job.runtime, factor);
    job.limit = scaled_span(job.limit, factor);
    scale_other_sizes(w, job, 1, factor);
  }
}

void draw_estimates(std::vector<Job>& jobs, const TransformOptions& o) {
  Duration longest = kOneSecond;
  for (const Job& job : jobs) longest = std::max(longest, job.runtime);
  const EstimateModel model(o.seed, o.longest_estimate.value_or(EstimateModel::limit_above(longest)));
  for (Job& job : jobs) job.limit = model.draw(job);
}

void set_estimates(std::vector<Job>& jobs, const TransformOptions& o) {
  switch (o.estimates) {
    case Estimates::kTrace: return;
    case Estimates::kExact:
      for (Job& job : jobs) job.limit = job.runtime;
      return;
    case Estimates::kScaled:
      for (Job& job : jobs) job.limit = scaled_span(job.runtime, o.estimate_factor);
      return;
    case Estimates::kModel: draw_estimates(jobs, o); return;
  }
}

constexpr const char* kDatedTrace = "a trace with UnixStartTime";
constexpr const char* kInstead = "choose by seconds of the trace instead: workload.window";

/// A condition that is a list of values.
struct ListCondition {
  const char* name;
  std::vector<std::int32_t> Selection::*values;
  std::int32_t Job::*of;
};
constexpr ListCondition kLists[] = {
    {"users", &Selection::users, &Job::user},
    {"groups", &Selection::groups, &Job::group},
    {"executables", &Selection::executables, &Job::executable},
    {"queues", &Selection::queues, &Job::queue},
    {"partitions", &Selection::partitions, &Job::partition},
    {"statuses", &Selection::statuses, &Job::status},
};

/// A selection with the log's calendar at hand.
class Judge {
 public:
  Judge(const Selection& selection, const TraceHeader& header) : s_(selection) {
    if (s_.hours) read_clock(header);
    if (s_.dates) read_dates(header);
  }

  /// Whether all conditions hold, or else (`all` is false) one at least.
  bool holds(const Job& job, bool all) const {
    for (const ListCondition& c : kLists) {
      const auto& values = s_.*c.values;
      if (!values.empty() && (std::ranges::find(values, job.*c.of) != values.end()) != all) return !all;
    }
    if (s_.sizes && of_size(job) != all) return !all;
    if (s_.runtimes && of_runtime(job) != all) return !all;
    if (s_.hours && of_hour(job) != all) return !all;
    if (s_.dates && of_date(job) != all) return !all;
    return all;
  }

 private:
  void read_clock(const TraceHeader& header) {
    HourSource source;
    of_day_at_0_ = second_of_day_at_0(header, source);
    if (source == HourSource::kTrace)
      fail_at({}, "a time of day is asked for, which this workload does not have", kDatedTrace, kInstead);
  }

  void read_dates(const TraceHeader& header) {
    const auto clock = trace_clock(header);
    if (!clock) fail_at({}, "a date is asked for, and this workload has none", kDatedTrace, kInstead);
    for (std::size_t i = 0; i < 2; ++i) dates_[i] = trace_second(*clock, (*s_.dates)[i]);
  }

  bool of_size(const Job& job) const { return job.size >= (*s_.sizes)[0] && job.size <= (*s_.sizes)[1]; }
  bool of_runtime(const Job& job) const { return job.runtime >= (*s_.runtimes)[0] && job.runtime < (*s_.runtimes)[1]; }
  static std::int64_t second(const Job& job) { return job.submit.time_since_epoch().count() / kNsPerSecond; }
  bool of_hour(const Job& job) const {
    const double hour = static_cast<double>((second(job) + of_day_at_0_) % kSecondsPerDay) / 3600;
    const auto [from, to] = *s_.hours;
    return from < to ? hour >= from && hour < to : hour >= from || hour < to;
  }
  bool of_date(const Job& job) const { return second(job) >= dates_[0] && second(job) < dates_[1]; }

  const Selection& s_;
  std::int64_t of_day_at_0_ = 0;
  std::array<std::int64_t, 2> dates_{};
};

std::string words_of(const MissingLimits& rule) {
  switch (rule.rule) {
    case MissingLimits::Rule::kRunTime: break;
    case MissingLimits::Rule::kFactor: return fmt::format("{} times the run time is the limit", rule.factor);
    case MissingLimits::Rule::kFixed: return fmt::format("{} s is the limit", format_seconds(rule.fixed));
    case MissingLimits::Rule::kPartition: return "that of the partition is the limit";
  }
  return kRunTimeIsLimit;
}

Duration multiplied(const Job& job, double factor) {
  const double seconds = to_seconds(job.runtime) * factor;
  if (!(seconds <= kMaxSeconds))
    fail_at({},
            fmt::format("the limit of job {} would be {} times its run time of {} s, beyond 31 years", job.id, factor,
                        format_seconds(job.runtime)),
            "a smaller factor");
  return from_seconds(is_whole(job.runtime) ? std::ceil(seconds) : seconds);
}

std::optional<Duration> limit_of(const Job& job, const MissingLimits& rule) {
  switch (rule.rule) {
    case MissingLimits::Rule::kRunTime: break;
    case MissingLimits::Rule::kFactor: return multiplied(job, rule.factor);
    case MissingLimits::Rule::kFixed: return rule.fixed;
    case MissingLimits::Rule::kPartition: {
      const auto found = rule.partitions.find(job.partition);
      return found == rule.partitions.end() ? rule.others : found->second;
    }
  }
  return job.runtime;
}

[[noreturn]] void refuse_partitions(const std::set<std::int32_t>& unknown) {
  std::string names;
  for (const std::int32_t p : unknown) names += (names.empty() ? "" : ", ") + std::to_string(p);
  fail_at({},
          fmt::format("jobs without a limit are in partition{} {}, which {} no limit", unknown.size() == 1 ? "" : "s",
                      names, unknown.size() == 1 ? "has" : "have"),
          "a limit for each partition, or for 'others'");
}

constexpr std::int64_t kLargestSize = INT32_MAX;

/// The power of two below x or the one above it, so that x is the mean over all draws in [0, 1).
std::int64_t power_of_two_about(double x, double draw) {
  const auto below = std::bit_floor(static_cast<std::uint64_t>(x));
  const double beyond = x - static_cast<double>(below);
  return static_cast<std::int64_t>(draw * static_cast<double>(below) < beyond ? 2 * below : below);
}

/// Not yet cut to the machine.
std::int64_t new_size(std::int64_t nodes, std::int64_t ppn, double slowdown, SizeAdjustment::Rounding rounding,
                      double draw) {
  using Rounding = SizeAdjustment::Rounding;
  if (ppn == 1) return nodes;
  const bool power = std::has_single_bit(static_cast<std::uint64_t>(nodes));
  if (rounding == Rounding::kPowerOfTwo && power) return nodes * ppn;
  const double size = std::max(2.0, static_cast<double>(nodes * ppn) / slowdown);
  if (rounding == Rounding::kDrawnPowerOfTwo && power) return power_of_two_about(size, draw);
  return static_cast<std::int64_t>(std::floor(size + 0.5));
}

void count(SizeAdjustmentCounts& counts, std::int32_t size, std::int32_t ppn, const CoreCounts& machine) {
  if (size == 1) ++counts.serial;
  else if (ppn == 1) ++counts.one;
  else if (ppn == machine.cores_per_node()) ++counts.full;
  else ++counts.half;
}

}  // namespace

EstimateModel::EstimateModel(std::uint64_t seed, Duration longest)
    : key_(seed, "estimates"), longest_(std::max(longest, whole_seconds(1))) {
  popular_.push_back({longest_, 1});
  double weight = 1;
  const double decay = portable_exp(-kDecayPerRank);
  for (const int minutes : kPopularMinutes) {
    weight *= decay;
    const Duration value = minutes * kOneMinute;
    if (value < longest_) popular_.push_back({value, weight});
    if (value == longest_) popular_.front().weight += weight;
  }
  std::ranges::sort(popular_, std::ranges::greater{}, &Popular::value);
  for (std::size_t i = 1; i < popular_.size(); ++i) popular_[i].weight += popular_[i - 1].weight;
}

Duration EstimateModel::limit_above(Duration longest_runtime) {
  for (const int hours : kLimitHours)
    if (hours * kOneHour >= longest_runtime) return hours * kOneHour;
  return up_to_multiple(longest_runtime, kOneDay);
}

Duration EstimateModel::draw(const Job& job) const {
  if (job.runtime >= longest_) return job.runtime == longest_ ? longest_ : up_to_multiple(job.runtime, kOneHour);
  RandomStream stream = key_.stream(static_cast<std::uint64_t>(job.id));
  const bool popular = stream.uniform() < kShareOfPopular;
  const double u = stream.uniform();
  return popular ? draw_popular(job.runtime, u) : draw_tail(job.runtime, u);
}

Duration EstimateModel::draw_popular(Duration runtime, double u) const {
  const auto end = std::ranges::partition_point(popular_, [runtime](const Popular& p) { return p.value >= runtime; });
  const double target = u * (end - 1)->weight;
  const auto chosen =
      std::partition_point(popular_.begin(), end - 1, [target](const Popular& p) { return p.weight <= target; });
  return chosen->value;
}

/// Even in the logarithm between the run time and the longest estimate, then up to the next value that a person who
/// does not use the popular ones would write.
Duration EstimateModel::draw_tail(Duration runtime, double u) const {
  const double low = to_seconds(std::max(runtime, kOneMinute)), high = to_seconds(longest_);
  const double seconds = high > low ? low * portable_pow(high / low, u) : low;
  const Duration raw = std::max(runtime, from_seconds(seconds));
  const Duration unit = raw <= kOneHour ? kOneMinute : raw <= 12 * kOneHour ? 5 * kOneMinute : kOneHour;
  return std::max(runtime, std::min(up_to_multiple(raw, unit), longest_));
}

double offered_load(const std::vector<Job>& jobs, std::int64_t processors) {
  if (jobs.empty() || processors <= 0) return 0;
  const Duration span = jobs.back().submit - jobs.front().submit;
  double work = 0;
  for (const Job& job : jobs) work += to_seconds(job.runtime) * job.size;
  return span > Duration::zero() ? work / (static_cast<double>(processors) * to_seconds(span)) : 0;
}

void set_offered_load(Workload& workload, std::int64_t processors, double load) {
  check_factor("the wanted load", load);
  const double now = offered_load(workload.jobs, processors);
  if (!(now > 0)) fail_at({}, "no load can be set: all jobs are submitted at once", "jobs with time between them");
  scale_load(workload, load / now);
}

void transform(Workload& workload, const TransformOptions& options) {
  check(options);
  if (options.window) select_window(workload, *options.window);
  if (options.first > 0) select_first(workload, options.first);
  auto& jobs = workload.jobs;
  if (jobs.empty()) return;
  if (options.load_factor != 1) scale_load(workload, options.load_factor);
  if (options.size_factor != 1) scale_sizes(workload, options.size_factor);
  if (options.time_factor != 1) scale_times(workload, options.time_factor);
  if (options.time_added != Duration{0}) add_time(workload, options.time_added);
  set_estimates(jobs, options);
}

std::string Selection::conditions() const {
  std::string names;
  const auto add = [&](bool there, const char* name) {
    if (there) names += (names.empty() ? "" : ", ") + std::string(name);
  };
  for (const ListCondition& c : kLists) add(!(this->*c.values).empty(), c.name);
  add(sizes.has_value(), "sizes");
  add(runtimes.has_value(), "runtimes");
  add(hours.has_value(), "hours");
  add(dates.has_value(), "dates");
  return names;
}

void select_jobs(Workload& workload, const Selection& keep, const Selection& drop) {
  if (const std::string names = keep.conditions(); !names.empty()) {
    const Judge judge(keep, workload.header);
    leave_out(workload, "not among the chosen (" + names + ")", [&](const Job& j) { return !judge.holds(j, true); });
  }
  if (const std::string names = drop.conditions(); !names.empty()) {
    const Judge judge(drop, workload.header);
    leave_out(workload, "left out by choice (" + names + ")", [&](const Job& j) { return judge.holds(j, false); });
  }
}

std::int64_t count_missing_limits(const Workload& workload) {
  return std::ranges::count_if(workload.jobs, [](const Job& j) { return !j.limit_given; });
}

void note_missing_limits(Workload& workload, const std::string& words) {
  const std::string_view known = kRunTimeIsLimit;
  bool noted = false;
  for (TraceNote& note : workload.notes) {
    const std::size_t at = note.reason.rfind(known);
    if (at == std::string::npos || at + known.size() != note.reason.size()) continue;
    note.reason.replace(at, known.size(), words);
    noted = true;
  }
  const std::int64_t missing = count_missing_limits(workload);
  if (!noted && missing > 0) workload.notes.push_back({"no limit, " + words, missing, 0, false});
}

void set_missing_limits(Workload& workload, const MissingLimits& rule) {
  std::int64_t raised = 0;
  std::set<std::int32_t> unknown;
  for (Job& job : workload.jobs) {
    if (job.limit_given) continue;
    const std::optional<Duration> limit = limit_of(job, rule);
    if (!limit) unknown.insert(job.partition);
    else if (*limit < job.runtime) ++raised;
    job.limit = std::max(limit.value_or(job.runtime), job.runtime);
  }
  if (!unknown.empty()) refuse_partitions(unknown);
  note_missing_limits(workload, words_of(rule));
  if (raised > 0)
    workload.notes.push_back({"ran longer than the substitute limit; the run time is used as limit", raised, 0, false});
}

std::int32_t processes_per_node(const SlowdownModel& slowdowns, JobIndex j, std::int32_t size,
                                const CoreCounts& machine, const SizeAdjustment& limits) {
  if (size == 1) return 1;
  const std::int32_t cores = machine.cores_per_node();
  const bool has_more_cores = machine.cores > 1;
  if (has_more_cores && slowdowns.alone(j, cores, machine.processors) <= limits.max_slowdown) return cores;
  const bool halves = slowdowns.alone(j, machine.processors, machine.processors) <= limits.max_over_processors;
  return halves ? machine.processors : 1;
}

void adjust_sizes(Workload& workload, const SlowdownModel& slowdowns, const CoreCounts& machine,
                  const SizeAdjustment& options) {
  SizeAdjustmentCounts counts;
  counts.load_before = offered_load(workload.jobs, machine.nodes);
  double work = 0;  // node-seconds, with the new sizes
  const RandomKey draws(options.seed, "sizes.rounding");
  for (JobIndex j = 0; j != workload.jobs.size(); ++j) {
    Job& job = workload.jobs[j];
    const std::int32_t ppn = processes_per_node(slowdowns, j, job.size, machine, options);
    const double slowdown = slowdowns.alone(j, ppn, machine.processors);
    count(counts, job.size, ppn, machine);
    const std::int64_t most = std::min<std::int64_t>(std::int64_t{machine.nodes} * ppn, kLargestSize);
    const std::int64_t size = new_size(job.size, ppn, slowdown, options.rounding, draws.uniform(j));
    job.size = static_cast<std::int32_t>(std::min(size, most));
    work += (1 + (job.size - 1) / ppn) * to_seconds(job.runtime) * slowdown;
  }
  if (counts.load_before > 0)
    counts.load_after = work / (to_seconds(workload.jobs.back().submit - workload.jobs.front().submit) * machine.nodes);
  workload.adjusted = counts;
}

}  // namespace coslice
