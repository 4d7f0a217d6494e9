// How often forecasts held what happened, as people and programs read it.
#include <algorithm>
#include <fmt/format.h>

#include "lab/compare/statistics.h"
#include "lab/forecast/forecast_text.h"
#include "report/files/summary_json.h"
#include "report/markup.h"
#include "report/tables/table.h"

namespace coslice {
namespace {

double part_of(std::size_t some, const CalibrationGroup& g) {
  return g.jobs == 0 ? 0 : static_cast<double>(some) / static_cast<double>(g.jobs);
}

Value group_value(const CalibrationGroup& g) {
  return Value::table({{"median_start", g.name},
                       {"jobs", static_cast<std::int64_t>(g.jobs)},
                       {"held", part_of(g.held, g)},
                       {"early", part_of(g.early, g)},
                       {"late", part_of(g.late, g)},
                       {"median_error", g.median_error}});
}

/// "50 % intervals held 31.0 % as simulated, 48.2 % corrected".
std::string held_at_text(const Calibration& c) {
  std::string text;
  for (const HeldAt& h : c.held_at)
    text += fmt::format("{:g} % intervals held {} as simulated{}\n", 100 * h.share, percent(h.simulated),
                        c.options.past != 0 ? fmt::format(", {} corrected by earlier forecasts", percent(h.corrected))
                                            : "");
  return text;
}

}  // namespace

std::string calibration_text(const Calibration& c, bool colour) {
  Table table({{"median start", false}, {"jobs"}, {"in the interval"}, {"before"}, {"after"}, {"median error"}});
  const auto add = [&](const CalibrationGroup& g) {
    table.add_row({g.name, grouped(static_cast<std::int64_t>(g.jobs)), percent(part_of(g.held, g)),
                   percent(part_of(g.early, g)), percent(part_of(g.late, g)),
                   human_duration(from_seconds(g.median_error))});
  };
  for (const CalibrationGroup& g : c.groups) add(g);
  if (c.groups.size() > 1) table.add_rule();
  add(c.all);
  std::string text =
      fmt::format("forecasts at {}, {} each\n\n", counted(static_cast<std::int64_t>(c.instants.size()), "instant"),
                  counted(c.options.runs, "simulation"));
  text += table.render(TableStyle::kBox, colour);
  text +=
      fmt::format("{:g} % intervals should hold {:g} % of the starts", 100 * c.options.level, 100 * c.options.level);
  if (const auto i = confidence_interval(c.shares))
    text += fmt::format("; instants alone held {:.0f} to {:.0f} % in the mean (95 %)", 100 * std::max(i->low, 0.0),
                        100 * std::min(i->high, 1.0));
  return text + "\n" + held_at_text(c);
}

Chart calibration_chart(const Calibration& c) {
  Chart chart;
  chart.name = "calibration";
  chart.title = "What intervals hold";
  chart.note = fmt::format("{} at {}, {} each", counted(static_cast<std::int64_t>(c.all.jobs), "wait"),
                           counted(static_cast<std::int64_t>(c.instants.size()), "instant"),
                           counted(c.options.runs, "simulation"));
  chart.x = {"share of the starts that an interval should hold", ChartUnit::kShare};
  chart.y = {"share that it held", ChartUnit::kShare};
  chart.x.low = chart.y.low = 0;
  chart.x.high = chart.y.high = 1;
  const auto series = [&](const std::string& name, double HeldAt::*held) {
    ChartSeries s{name, ChartLook::kLine, {}, -1, false};
    for (const HeldAt& at : c.curve) s.points.push_back({at.share, at.*held});
    chart.series.push_back(std::move(s));
  };
  series("as simulated", &HeldAt::simulated);
  if (c.options.past != 0) series("corrected by earlier forecasts", &HeldAt::corrected);
  series("right", &HeldAt::share);
  chart.series.back().faint = true;
  return chart;
}

std::string calibration_json(const Calibration& c) {
  Value out = Value::table({{"interval", c.options.level},
                            {"runs", c.options.runs},
                            {"instants", static_cast<std::int64_t>(c.instants.size())},
                            {"held", part_of(c.all.held, c.all)}});
  if (const auto i = confidence_interval(c.shares))
    out.set("held_by_instant_95", Value::List{Value(i->low), Value(i->high)});
  Value::List groups;
  for (const CalibrationGroup& g : c.groups) groups.push_back(group_value(g));
  Value::List held_at;
  for (const HeldAt& h : c.held_at) {
    Value v = Value::table({{"interval", h.share}, {"simulated", h.simulated}});
    if (c.options.past != 0) v.set("corrected", h.corrected);
    held_at.push_back(std::move(v));
  }
  out.set("held_at", std::move(held_at));
  out.set("all", group_value(c.all));
  out.set("groups", std::move(groups));
  return json_from_value(out) + "\n";
}

}  // namespace coslice
