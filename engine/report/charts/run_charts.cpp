#include "report/charts/run_charts.h"

#include <algorithm>

#include "machine/layout.h"

namespace coslice {
namespace {

/// From the first submission to the last end of the jobs that ran to an end.
TimeWindow chart_window(const RunResult& r) {
  TimeWindow w{kNever, Time::min()};
  for (JobIndex j = 0; j != r.outcomes.size(); ++j) {
    if (!r.outcomes[j].ran_to_end()) continue;
    w.from = std::min(w.from, r.submitted_at(j));
    w.to = std::max(w.to, r.outcomes[j].end);
  }
  return w;
}

/// Both time charts.
class TimeCharts {
 public:
  TimeCharts(const RunResult& result, TimeWindow window) : result_(result), window_(window) {}

  Chart utilization() const {
    const std::int64_t gpus = kinds_of(result_.machine)->gpu_count();
    const bool both = gpus > 0;
    Chart c = over_time("utilization", both ? "Utilization of the GPUs over time" : "Utilization over time",
                        ChartAxis{both ? "in use" : "nodes in use", ChartUnit::kShare});
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
    Chart c = over_time("queue", "Waiting jobs over time", ChartAxis{"waiting jobs", ChartUnit::kNumber});
    TimelineParts parts = parts_of([&](std::size_t i) { return static_cast<double>(result_.timeline[i].queue); });
    const bool means = !parts.highest.empty();
    if (means) c.series.push_back({"most", ChartLook::kArea, std::move(parts.highest), 6, true});
    c.series.push_back({means ? "mean" : "", ChartLook::kArea, std::move(parts.mean), 6});
    return c;
  }

 private:
  Chart over_time(const char* name, const char* title, ChartAxis y) const {
    ChartAxis time{"", ChartUnit::kTime};
    time.low = to_seconds(window_.from);
    time.high = to_seconds(window_.to);
    return {name, title, "", std::move(time), std::move(y), {}};
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
  TimeWindow window_;
};

/// The distribution of one quantity, of each class that has jobs and, if there are several, of all.
class DistributionChart {
 public:
  DistributionChart(const RunResult& result, const MetricsOptions& options) : result_(result), options_(options) {}

  template <class Get>
  Chart draw(const char* name, const char* title, ChartAxis x, const Get& get) const {
    Chart c{name, title, "", std::move(x), {"share of jobs", ChartUnit::kShare}, {}};
    c.x.log = true;
    c.x.low = c.y.high = 1;
    std::vector<std::vector<double>> values(options_.classes.size() + 1);
    std::vector<double> all;
    for (JobIndex j = 0; j != result_.outcomes.size(); ++j) {
      if (!result_.outcomes[j].ran_to_end()) continue;
      all.push_back(get(j));
      values[class_of(result_.workload->jobs[j].runtime, options_.classes)].push_back(all.back());
    }
    const double largest = *std::ranges::max_element(all);
    c.x.high = std::max(largest, 10.0);
    for (std::size_t k = 0; k != values.size(); ++k) {
      if (values[k].empty()) continue;
      const std::string group = k < options_.classes.size() ? options_.classes[k].name : "other";
      add(c, group, std::move(values[k]), static_cast<int>(k));
    }
    if (c.series.size() > 1) add(c, "all", std::move(all), 6);
    else c.series[0].name.clear();
    return c;
  }

 private:
  static void add(Chart& c, const std::string& name, std::vector<double> values, int colour) {
    std::vector<ChartPoint> points;
    double at_low = 0;  // what lies at the low end or, out of sight, below it
    for (const ChartPoint& p : distribution(std::move(values)))
      if (p.x <= *c.x.low) at_low = p.y;
      else points.push_back(p);
    points.insert(points.begin(), {*c.x.low, at_low});
    points.push_back({*c.x.high, 1});
    c.series.push_back({name, ChartLook::kSteps, std::move(points), colour});
  }

  const RunResult& result_;
  const MetricsOptions& options_;
};

/// What stands for the whole run in one of its charts: the means of a timeline, the distribution over all jobs.
const ChartSeries& whole_run(const Chart& chart) { return chart.series.back(); }

constexpr std::size_t kMostTogether = 120;  // parts of a timeline that stays readable among others

/// The means of neighbours, where a timeline has many parts: these are equally long. The last point only closes it.
void smooth(ChartSeries& s) {
  const std::size_t n = s.points.size() - 1, per = (n + kMostTogether - 1) / kMostTogether;
  if (per < 2) return;
  std::vector<ChartPoint> out;
  for (std::size_t i = 0; i < n; i += per) {
    const std::size_t end = std::min(i + per, n);
    ChartPoint mean{s.points[i].x, 0};
    for (std::size_t k = i; k < end; ++k) mean.y += s.points[k].y / static_cast<double>(end - i);
    out.push_back(mean);
  }
  out.push_back({s.points.back().x, out.back().y});
  s.points = std::move(out);
}

void widen(ChartAxis& axis, const ChartAxis& other) {
  if (axis.low && other.low) axis.low = std::min(*axis.low, *other.low);
  if (axis.high && other.high) axis.high = std::max(*axis.high, *other.high);
}

Chart bars(const std::vector<NamedSummary>& runs, const char* name, const char* title, const char* label,
           ChartUnit unit, Stats GroupSummary::*of) {
  Chart c{name, title, "", {}, {label, unit}, {}};
  const Summary& first = runs.front().summary;
  for (const NamedSummary& run : runs) c.series.push_back({run.name, ChartLook::kBars, {}});
  const auto add = [&](const std::string& group, const auto& group_of) {
    const auto place = static_cast<double>(c.x.names.size());
    bool any = false;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const GroupSummary* g = group_of(runs[r].summary);
      if (g == nullptr || g->jobs == 0) continue;
      c.series[r].points.push_back({place, (g->*of).mean});
      any = true;
    }
    if (any) c.x.names.push_back(group);
  };
  for (std::size_t k = 0; k < first.by_class.size(); ++k)
    add(first.by_class[k].name, [&](const Summary& s) { return k < s.by_class.size() ? &s.by_class[k] : nullptr; });
  add("all", [](const Summary& s) { return &s.all; });
  return c;
}

}  // namespace

std::vector<ChartPoint> distribution(std::vector<double> values, std::size_t most) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  std::vector<std::size_t> ranks;
  if (n <= most) {
    for (std::size_t i = 0; i < n; ++i) ranks.push_back(i);
  } else {
    for (std::size_t i = 1; i <= most; ++i) ranks.push_back(n * i / most - 1);
    for (std::size_t tail = n / most; tail > 0; tail = tail * 3 / 4) ranks.push_back(n - 1 - tail);
    ranks.push_back(0);
    std::ranges::sort(ranks);
  }
  std::vector<ChartPoint> points;
  for (const std::size_t r : ranks) {
    const double share =
        static_cast<double>(std::ranges::upper_bound(values, values[r]) - values.begin()) / static_cast<double>(n);
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
  const TimeWindow window = chart_window(result);
  if (window.from == kNever) return {};
  const TimeCharts time(result, window);
  const DistributionChart of_jobs(result, options);
  const auto outcome = [&](JobIndex j) -> const Outcome& { return result.outcomes[j]; };
  std::vector<Chart> charts = {time.utilization(), time.queue()};
  charts.push_back(of_jobs.draw("wait", "How long jobs wait", ChartAxis{"wait, at most", ChartUnit::kTime},
                                [&](JobIndex j) { return to_seconds(result.waited(j)); }));
  charts.push_back(of_jobs.draw("response", "From submission to end",
                                ChartAxis{"response time, at most", ChartUnit::kTime},
                                [&](JobIndex j) { return to_seconds(outcome(j).end - result.submitted_at(j)); }));
  charts.push_back(of_jobs.draw("slowdown", "Bounded slowdown",
                                ChartAxis{"bounded slowdown, at most", ChartUnit::kNumber},
                                [&](JobIndex j) { return bounded_slowdown(result, j, options.bound); }));
  if (!result.joules.empty())
    charts.push_back(of_jobs.draw("energy", "Energy of jobs", ChartAxis{"Wh, at most", ChartUnit::kNumber},
                                  [&](JobIndex j) { return result.joules[j] / 3600; }));
  return charts;
}

std::vector<Chart> compared_charts(const std::vector<NamedCharts>& runs) {
  std::vector<Chart> out;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const Chart& chart : runs[r].charts) {
      auto at = std::ranges::find_if(out, [&](const Chart& c) { return c.name == chart.name; });
      if (at == out.end()) {
        at = out.insert(out.end(), chart);
        at->series.clear();
      }
      widen(at->x, chart.x);
      widen(at->y, chart.y);
      ChartSeries line = whole_run(chart);
      // Steps of a short run are as they were; the parts of a long one are many, and equally long.
      if (whole_run(chart).look == ChartLook::kArea && line.points.size() > kMostTimelineParts) smooth(line);
      line.name = runs[r].name;
      line.look = ChartLook::kSteps;
      line.colour = static_cast<int>(r);
      at->series.push_back(std::move(line));
    }
  }
  return out;
}

std::vector<Chart> class_charts(const std::vector<NamedSummary>& runs) {
  if (runs.empty()) return {};
  return {bars(runs, "mean-wait", "Mean wait by class", "mean wait", ChartUnit::kTime, &GroupSummary::wait),
          bars(runs, "mean-slowdown", "Mean bounded slowdown by class", "mean bounded slowdown", ChartUnit::kNumber,
               &GroupSummary::bounded_slowdown)};
}

}  // namespace coslice
