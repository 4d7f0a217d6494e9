#include "report/charts/run_charts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/number.h"
#include "resources/layout.h"

namespace coslice {
namespace {

bool is_over(const Outcome& o) { return o.state == FinalState::kCompleted || o.state == FinalState::kWalltimeReached; }

struct ChartWindow {
  Time from = kNever, to = Time::min();
};

ChartWindow chart_window(const RunResult& r) {
  ChartWindow w;
  for (JobIndex j = 0; j != r.outcomes.size(); ++j) {
    if (!is_over(r.outcomes[j])) continue;
    w.from = std::min(w.from, r.submitted_at(j));
    w.to = std::max(w.to, r.outcomes[j].end);
  }
  return w;
}

ChartAxis axis(std::string label, ChartUnit unit) {
  ChartAxis a;
  a.label = std::move(label);
  a.unit = unit;
  return a;
}

/// Both time charts.
class TimeCharts {
 public:
  TimeCharts(const RunResult& result, ChartWindow window) : result_(result), window_(window) {}

  Chart utilization() const {
    const std::int64_t gpus = kinds_of(result_.machine)->gpu_count();
    const bool both = gpus > 0;
    Chart c = over_time("utilization", both ? "Utilization of the GPUs over time" : "Utilization over time",
                        axis(both ? "in use" : "nodes in use", ChartUnit::kShare));
    c.y.high = 1;
    c.series.push_back({both ? "nodes" : "", ChartLook::kArea,
                        shares([&](std::size_t i) { return static_cast<double>(result_.timeline[i].used_nodes); },
                               result_.machine.nodes),
                        1, both});
    if (both)
      c.series.push_back({"GPUs", ChartLook::kArea,
                          shares([&](std::size_t i) { return static_cast<double>(result_.extras_at(i).used_gpus); },
                                 static_cast<double>(gpus * kWholeGpu)),
                          4});
    return c;
  }

  Chart queue() const {
    Chart c = over_time("queue", "Waiting jobs over time", axis("waiting jobs", ChartUnit::kNumber));
    TimelineParts parts = parts_of([&](std::size_t i) { return static_cast<double>(result_.timeline[i].queue); });
    if (!parts.highest.empty()) {
      c.series.push_back({"most", ChartLook::kArea, std::move(parts.highest), 6, true});
      c.series.push_back({"mean", ChartLook::kArea, std::move(parts.mean), 6});
    } else {
      c.series.push_back({"", ChartLook::kArea, std::move(parts.mean), 6});
    }
    return c;
  }

 private:
  Chart over_time(const char* name, const char* title, ChartAxis y) const {
    Chart c;
    c.name = name;
    c.title = title;
    c.x = axis("", ChartUnit::kTime);
    c.x.low = to_seconds(window_.from);
    c.x.high = to_seconds(window_.to);
    c.y = std::move(y);
    return c;
  }

  /// Means, as parts of `all`.
  std::vector<ChartPoint> shares(const TimelineValue& get, double all) const {
    std::vector<ChartPoint> points = parts_of(get).mean;
    for (ChartPoint& p : points) p.y /= all;
    return points;
  }

  TimelineParts parts_of(const TimelineValue& get) const {
    return timeline_parts(result_.timeline, window_.from, window_.to, kMostTimelineParts, get);
  }

  const RunResult& result_;
  ChartWindow window_;
};

/// The distribution of one quantity, of each class that has jobs and, if there are several, of all.
class DistributionChart {
 public:
  DistributionChart(const RunResult& result, const MetricsOptions& options) : result_(result), options_(options) {}

  template <class Get>
  Chart draw(const char* name, const char* title, ChartAxis x, const Get& get) const {
    Chart c;
    c.name = name;
    c.title = title;
    c.x = std::move(x);
    c.x.log = true;
    c.x.low = 1;
    c.y = axis("share of jobs", ChartUnit::kShare);
    c.y.high = 1;
    std::vector<std::vector<double>> values(options_.classes.size() + 1);
    std::vector<double> all;
    for (JobIndex j = 0; j != result_.outcomes.size(); ++j) {
      if (!is_over(result_.outcomes[j])) continue;
      all.push_back(get(j));
      values[class_of(result_.workload->jobs[j].runtime, options_.classes)].push_back(all.back());
    }
    const double largest = *std::max_element(all.begin(), all.end());
    c.x.high = std::max(largest, 10.0);
    for (std::size_t k = 0; k != values.size(); ++k) {
      if (values[k].empty()) continue;
      const std::string group = k < options_.classes.size() ? options_.classes[k].name : "other";
      add(c, group, std::move(values[k]), static_cast<int>(k));
    }
    if (c.series.size() > 1) {
      add(c, "all", std::move(all), 6);
    } else {
      c.series[0].name.clear();
    }
    return c;
  }

 private:
  static void add(Chart& c, const std::string& name, std::vector<double> values, int colour) {
    std::vector<ChartPoint> points;
    double at_low = 0;  // what lies at the low end or, out of sight, below it
    for (const ChartPoint& p : distribution(std::move(values))) {
      if (p.x <= *c.x.low) at_low = p.y;
      else points.push_back(p);
    }
    points.insert(points.begin(), {*c.x.low, at_low});
    points.push_back({*c.x.high, 1});
    c.series.push_back({name, ChartLook::kSteps, std::move(points), colour});
  }

  const RunResult& result_;
  const MetricsOptions& options_;
};

}  // namespace

std::vector<ChartPoint> distribution(std::vector<double> values, std::size_t most) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  std::vector<std::size_t> ranks;
  if (n <= most) {
    for (std::size_t i = 0; i < n; ++i) ranks.push_back(i);
  } else {
    for (std::size_t i = 1; i <= most; ++i) ranks.push_back(n * i / most - 1);
    for (std::size_t tail = n / most; tail > 0; tail = tail * 3 / 4) ranks.push_back(n - 1 - tail);
    ranks.push_back(0);
    std::sort(ranks.begin(), ranks.end());
  }
  std::vector<ChartPoint> points;
  for (const std::size_t r : ranks) {
    const double share =
        static_cast<double>(std::upper_bound(values.begin(), values.end(), values[r]) - values.begin()) /
        static_cast<double>(n);
    if (points.empty() || points.back().x != values[r]) points.push_back({values[r], share});
  }
  return points;
}

TimelineParts timeline_parts(const std::vector<TimelinePoint>& timeline, Time from, Time to, std::size_t most,
                             const TimelineValue& get) {
  TimelineParts out;
  const double begin = to_seconds(from), length = to_seconds(to) - begin;
  std::vector<double> sums(most), highest(most);
  std::vector<ChartPoint> steps;
  for (std::size_t i = 0; i != timeline.size(); ++i) {
    const Time next = i + 1 != timeline.size() ? timeline[i + 1].time : to;
    const double a = to_seconds(std::max(timeline[i].time, from)), b = to_seconds(std::min(next, to));
    if (b <= a) continue;
    const double value = get(i);
    if (steps.empty() || (steps.back().y != value && steps.size() <= most)) steps.push_back({a, value});
    const double per = length / static_cast<double>(most);
    const auto first = static_cast<std::size_t>((a - begin) / per);
    for (std::size_t k = first; k < most && begin + per * static_cast<double>(k) < b; ++k) {
      const double left = begin + per * static_cast<double>(k);
      const double part = std::min(b, left + per) - std::max(a, left);
      if (part <= 0) continue;
      sums[k] += value * part / per;
      highest[k] = std::max(highest[k], value);
    }
  }
  if (steps.size() <= most) {
    if (!steps.empty()) steps.push_back({to_seconds(to), steps.back().y});
    out.mean = std::move(steps);
    return out;
  }
  for (std::size_t k = 0; k <= most; ++k) {
    const double at = begin + length * static_cast<double>(k) / static_cast<double>(most);
    const std::size_t last = std::min(k, most - 1);
    out.mean.push_back({at, sums[last]});
    out.highest.push_back({at, highest[last]});
  }
  return out;
}

std::vector<Chart> run_charts(const RunResult& result, const MetricsOptions& options) {
  const ChartWindow window = chart_window(result);
  if (window.from == kNever) return {};
  const TimeCharts time(result, window);
  const DistributionChart of_jobs(result, options);
  const auto outcome = [&](JobIndex j) -> const Outcome& { return result.outcomes[j]; };
  std::vector<Chart> charts = {time.utilization(), time.queue()};
  charts.push_back(of_jobs.draw("wait", "How long jobs wait", axis("wait, at most", ChartUnit::kTime),
                                [&](JobIndex j) { return to_seconds(result.waited(j)); }));
  charts.push_back(of_jobs.draw("response", "From submission to end", axis("response time, at most", ChartUnit::kTime),
                                [&](JobIndex j) { return to_seconds(outcome(j).end - result.submitted_at(j)); }));
  charts.push_back(of_jobs.draw(
      "slowdown", "Bounded slowdown", axis("bounded slowdown, at most", ChartUnit::kNumber), [&](JobIndex j) {
        return bounded_slowdown(result, j, options.bound);
      }));
  return charts;
}

}  // namespace coslice
