#include "metrics/steadiness.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/portable_math.h"

namespace coslice {
namespace {

constexpr std::size_t kParts = 16;
using TimeParts = std::array<double, kParts>;

/// From the first to the last submission of what is left of the ended jobs; how many these are.
std::size_t find_window(const RunResult& result, double trim, Steadiness& s) {
  const auto ended = static_cast<std::size_t>(
      std::count_if(result.outcomes.begin(), result.outcomes.end(), [](const Outcome& o) { return o.ran_to_end(); }));
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
    const auto nodes = static_cast<double>(result.archive.count(o.nodes));
    const JobWork job{to_seconds(result.submitted_at(j)), to_seconds(o.start), to_seconds(o.end),
                      nodes * to_seconds(result.workload->jobs[j].runtime)};
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

}  // namespace

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

}  // namespace coslice
