#include "workload/transform.h"

#include <algorithm>
#include <utility>
#include <cmath>
#include <fmt/core.h>
#include <limits>

#include "core/error.h"
#include "workload/estimate_model.h"

namespace coslice {

namespace {

constexpr Duration kSecond = whole_seconds(1);

[[noreturn]] void refuse(std::string problem, std::string expected) {
  throw InputError({"", 0, std::move(problem), std::move(expected), "", ""});
}

void check_factor(const char* name, double factor) {
  if (!(factor > 0) || !std::isfinite(factor)) refuse(fmt::format("{} is {}", name, factor), "a number above 0");
}

void check(const TransformOptions& o) {
  check_factor("load_factor", o.load_factor);
  check_factor("size_factor", o.size_factor);
  check_factor("time_factor", o.time_factor);
  check_factor("estimate_factor", o.estimate_factor);
  if (o.first < 0) refuse(fmt::format("first is {}", o.first), "0 or the number of jobs to keep");
  if (o.window && (*o.window)[1] < (*o.window)[0])
    refuse(fmt::format("the window ends at {} before it begins at {}", format_seconds((*o.window)[1]),
                       format_seconds((*o.window)[0])),
           "its begin, then its end");
}

bool is_whole(Duration d) { return d % kSecond == Duration::zero(); }

/// d * factor, to the nearest second where `whole`, else to the nearest nanosecond.
Duration scaled(Duration d, double factor, bool whole, double most = kMaxSeconds) {
  const double seconds = to_seconds(d) * factor;
  if (!(seconds <= most))
    refuse(fmt::format("a time of {} s times {} is beyond {} years", format_seconds(d), factor,
                       most == kMaxSeconds ? 31 : 190),
           "a smaller factor");
  return from_seconds(whole ? std::floor(seconds + 0.5) : seconds);
}

Duration scaled_span(Duration d, double factor) {
  const bool whole = is_whole(d);
  return std::max(scaled(d, factor, whole), whole ? kSecond : Duration{1});
}

void note_dropped(Workload& w, std::size_t before, std::string reason) {
  const auto dropped = static_cast<std::int64_t>(before - w.jobs.size());
  if (dropped > 0) w.notes.push_back({std::move(reason), dropped, 0, true});
}

void select_window(Workload& w, const std::array<Duration, 2>& window) {
  const auto before = w.jobs.size();
  const auto submitted_before = [](const Job& j, Duration d) { return j.submit.time_since_epoch() < d; };
  const auto end = std::lower_bound(w.jobs.begin(), w.jobs.end(), window[1], submitted_before);
  w.jobs.erase(end, w.jobs.end());
  const auto begin = std::lower_bound(w.jobs.begin(), w.jobs.end(), window[0], submitted_before);
  w.jobs.erase(w.jobs.begin(), begin);
  note_dropped(w, before, "outside of the chosen window");
}

void select_first(Workload& w, std::int64_t n) {
  const auto before = w.jobs.size();
  if (before > static_cast<std::size_t>(n)) w.jobs.resize(static_cast<std::size_t>(n));
  note_dropped(w, before, "after the chosen number of jobs");
}

void scale_load(Workload& w, double factor) {
  std::vector<Job>& jobs = w.jobs;
  const Time origin = jobs.front().submit;
  // One way of rounding for all, or equal factors could change the order of arrivals.
  const bool whole =
      std::all_of(jobs.begin(), jobs.end(), [](const Job& j) { return is_whole(j.submit.time_since_epoch()); });
  const double most = kMaxSubmitSeconds - to_seconds(origin);
  for (Job& job : jobs) {
    const Time before = std::exchange(job.submit, origin + scaled(job.submit - origin, 1 / factor, whole, most));
    w.extras.move_instants(job, job.submit - before);  // as long after the submission as before
  }
}

void scale_sizes(std::vector<Job>& jobs, double factor) {
  constexpr double kLargest = std::numeric_limits<std::int32_t>::max();
  for (Job& job : jobs)
    job.size = static_cast<std::int32_t>(std::clamp(std::floor(job.size * factor + 0.5), 1.0, kLargest));
}

void scale_times(std::vector<Job>& jobs, double factor) {
  for (Job& job : jobs) {
    job.runtime = scaled_span(job.runtime, factor);
    job.limit = scaled_span(job.limit, factor);
  }
}

void draw_estimates(std::vector<Job>& jobs, const TransformOptions& o) {
  Duration longest = kSecond;
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

}  // namespace

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
  if (!(now > 0)) refuse("no load can be set: all jobs are submitted at once", "jobs with time between them");
  scale_load(workload, load / now);
}

void transform(Workload& workload, const TransformOptions& options) {
  check(options);
  if (options.window) select_window(workload, *options.window);
  if (options.first > 0) select_first(workload, options.first);
  auto& jobs = workload.jobs;
  if (jobs.empty()) return;
  if (options.load_factor != 1) scale_load(workload, options.load_factor);
  if (options.size_factor != 1) scale_sizes(jobs, options.size_factor);
  if (options.time_factor != 1) scale_times(jobs, options.time_factor);
  set_estimates(jobs, options);
}

}  // namespace coslice
