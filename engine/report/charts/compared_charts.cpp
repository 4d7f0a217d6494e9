#include "report/charts/compared_charts.h"

#include <algorithm>

#include "report/charts/run_charts.h"

namespace coslice {
namespace {

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
  Chart c;
  c.name = name;
  c.title = title;
  c.y.label = label;
  c.y.unit = unit;
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

std::vector<Chart> compared_charts(const std::vector<NamedCharts>& runs) {
  std::vector<Chart> out;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const Chart& chart : runs[r].charts) {
      auto at = std::find_if(out.begin(), out.end(), [&](const Chart& c) { return c.name == chart.name; });
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
