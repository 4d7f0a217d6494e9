// Forecasts beside what happened.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "lab/compare/statistics.h"
#include "lab/forecast/forecast_text.h"
#include "lab/forecast/snapshot_runs.h"
#include "output/summary_json.h"
#include "report/markup.h"
#include "report/tables/table.h"

namespace coslice {
namespace {

struct Horizon {
  const char* name;
  Duration upto;
};
constexpr std::array<Horizon, 3> kHorizons = {
    {{"within 1 h", whole_seconds(3600)}, {"within 6 h", whole_seconds(6 * 3600)}, {"later", Duration::max()}}};

/// Counts of one group, and the errors that are to be reduced to their median.
struct Counting {
  CalibrationGroup group;
  std::vector<double> errors;

  void add(const StartQuantiles& said, Time start) {
    const Time low = said.at[0], median = said.at[1], high = said.at[2];
    ++group.jobs;
    if (start < low) ++group.early;
    else if (start > high) ++group.late;
    else ++group.held;
    if (median != kNever) errors.push_back(std::abs(to_seconds(start - median)));
  }
  CalibrationGroup take() {
    std::ranges::sort(errors);
    group.median_error = errors.empty() ? 0 : errors[errors.size() / 2];
    return group;
  }
};

std::size_t horizon_of(const StartQuantiles& said, Time now) {
  const Time median = said.at[1];
  std::size_t h = 0;
  while (h + 1 != kHorizons.size() && (median == kNever || median - now > kHorizons[h].upto)) ++h;
  return h;
}

double part_of(std::size_t some, const CalibrationGroup& g) {
  return g.jobs == 0 ? 0 : static_cast<double>(some) / static_cast<double>(g.jobs);
}

/// Of no jobs nothing.
Value number_of(const CalibrationGroup& g, double x) { return g.jobs == 0 ? Value() : Value(x); }

Value group_value(const CalibrationGroup& g) {
  return Value::table({{"median_start", g.name},
                       {"jobs", static_cast<std::int64_t>(g.jobs)},
                       {"held", number_of(g, part_of(g.held, g))},
                       {"early", number_of(g, part_of(g.early, g))},
                       {"late", number_of(g, part_of(g.late, g))},
                       {"median_error", number_of(g, g.median_error)}});
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

/// Instants before the first one, as far apart as these, of which enough is known to say anything.
std::vector<Time> instants_ahead(const Workload& workload, const std::vector<Time>& instants) {
  std::vector<Time> out;
  if (instants.size() < 2) return out;
  const Duration step = instants[1] - instants[0];
  const Time first = workload.jobs.front().submit;
  for (Time t = instants.front() - step; t > first && step > Duration{0}; t -= step) out.push_back(t);
  std::ranges::reverse(out);
  return out;
}

/// Of which shares it is said in words what their intervals held, and how far those of a drawing are apart.
constexpr std::array<double, 3> kShares = {0.5, 0.8, 0.9};
constexpr int kDrawn = 20;

/// Forecasts of one share at all instants, the first `ahead` of which count only for later ones.
struct SharedRuns {
  const std::vector<JobOnRecord>& record;
  const SnapshotRuns& runs;
  std::size_t ahead;

  template <class Visit>
  void visit(double share, bool corrected, const Visit& visit) const {
    std::vector<PastForecast> past;
    for (std::size_t k = 0; k != runs.size(); ++k) {
      const MachineState& state = runs.state(k);
      PastForecast said = forecast_of_runs(state, runs.runs(k), share);
      if (k >= ahead) {
        Correction correction(past, state, quantile_levels(share));
        PastForecast now = said;
        for (StartQuantiles& job : now.jobs) correction.apply(state.now, job.at);
        visit(now);
      }
      if (corrected) past.push_back(std::move(said));
    }
  }

  double held(double share, bool corrected) const {
    Counting all;
    visit(share, corrected, [&](const PastForecast& f) {
      for (const StartQuantiles& said : f.jobs) all.add(said, record[said.job].start);
    });
    return all.group.jobs == 0 ? 0 : static_cast<double>(all.group.held) / static_cast<double>(all.group.jobs);
  }

  HeldAt held_at(double share, bool corrected) const {
    return {share, held(share, false), corrected ? held(share, true) : 0};
  }
};

}  // namespace

std::vector<Time> instants_over(const Workload& workload, std::size_t count) {
  if (workload.jobs.empty()) return {};
  const Time first = workload.jobs.front().submit;
  const Duration span = workload.jobs.back().submit - first;
  std::vector<Time> out;
  for (std::size_t i = 0; i != count; ++i) {
    const double part = 0.2 + 0.6 * (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    out.push_back(first + Duration{static_cast<std::int64_t>(part * static_cast<double>(span.count()))});
  }
  return out;
}

Calibration calibrate(const ForecastBase& base, const std::vector<JobOnRecord>& record,
                      const std::vector<Time>& instants, const ForecastOptions& options, const ForecastPool& pool) {
  std::vector<Time> all_instants;
  if (options.past != 0) all_instants = instants_ahead(base.workload, instants);
  const std::size_t ahead = all_instants.size();
  all_instants.insert(all_instants.end(), instants.begin(), instants.end());
  SnapshotRuns runs(base, pool);
  for (const Time t : all_instants) {
    ForecastOptions own = options;
    own.last_arrival = base.workload.jobs.back().submit;
    own.seed += std::ssize(runs) * options.runs;  // other futures at each instant
    runs.add(state_at(t, base.workload, record), own, options.runs);
  }
  runs.make();

  Calibration out;
  out.options = options;
  out.instants = instants;
  const SharedRuns shared{record, runs, ahead};
  Counting all;
  std::array<Counting, kHorizons.size()> by_horizon;
  const bool corrected = options.past != 0;
  shared.visit(options.level, corrected, [&](const PastForecast& forecast) {
    Counting here;
    for (const StartQuantiles& said : forecast.jobs) {
      const Time start = record[said.job].start;
      here.add(said, start);
      all.add(said, start);
      by_horizon[horizon_of(said, forecast.now)].add(said, start);
    }
    if (here.group.jobs != 0)
      out.shares.push_back(static_cast<double>(here.group.held) / static_cast<double>(here.group.jobs));
  });
  std::set<double> shares(kShares.begin(), kShares.end());
  shares.insert(options.level);
  for (const double share : shares) out.held_at.push_back(shared.held_at(share, corrected));
  for (int k = 1; k != kDrawn; ++k) out.curve.push_back(shared.held_at(k / static_cast<double>(kDrawn), corrected));
  out.all = all.take();
  out.all.name = "all";
  for (std::size_t h = 0; h != kHorizons.size(); ++h) {
    CalibrationGroup group = by_horizon[h].take();
    group.name = kHorizons[h].name;
    if (group.jobs != 0) out.groups.push_back(std::move(group));
  }
  return out;
}

std::string calibration_text(const Calibration& c, bool colour) {
  if (c.all.jobs == 0)
    return fmt::format("No job waited at {}: nothing says how many starts the intervals hold. More of them may "
                       "(--instants).\n",
                       c.instants.size() == 1 ? "the instant" : fmt::format("any of {} instants", c.instants.size()));
  Table table({{"median start", false}, {"jobs"}, {"in the interval"}, {"before"}, {"after"}, {"median error"}});
  const auto add = [&](const CalibrationGroup& g) {
    table.add_row({g.name, grouped(static_cast<std::int64_t>(g.jobs)), percent(part_of(g.held, g)),
                   percent(part_of(g.early, g)), percent(part_of(g.late, g)),
                   human_duration(from_seconds(g.median_error))});
  };
  for (const CalibrationGroup& g : c.groups) add(g);
  if (c.groups.size() > 1) table.add_rule();
  add(c.all);
  std::string text = fmt::format("forecasts at {}, {} each\n\n", counted(std::ssize(c.instants), "instant"),
                                 counted(c.options.runs, "simulation"));
  text += table.render(TableStyle::kBox, colour);
  text +=
      fmt::format("{:g} % intervals should hold {:g} % of the starts", 100 * c.options.level, 100 * c.options.level);
  const Estimate e = estimate_of(c.shares, Unit::kInstant);
  if (e.interval)
    text += fmt::format("; instants alone held {:.0f} to {:.0f} % in the mean (95 %, {})",
                        100 * std::max(e.interval->low, 0.0), 100 * std::min(e.interval->high, 1.0),
                        counted_units(e.units, e.unit));
  return text + "\n" + held_at_text(c);
}

Chart calibration_chart(const Calibration& c) {
  Chart chart;
  chart.name = "calibration";
  chart.title = "What intervals hold";
  chart.note = fmt::format("{} at {}, {} each", counted(static_cast<std::int64_t>(c.all.jobs), "wait"),
                           counted(std::ssize(c.instants), "instant"), counted(c.options.runs, "simulation"));
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
                            {"instants", std::ssize(c.instants)},
                            {"held", number_of(c.all, part_of(c.all.held, c.all))}});
  const Estimate e = estimate_of(c.shares, Unit::kInstant);
  if (e.interval) out.set("held_by_instant_95", Value::List{Value(e.interval->low), Value(e.interval->high)});
  out.set("unit", unit_names(e.unit));
  out.set("units", static_cast<std::int64_t>(e.units));
  Value::List groups;
  for (const CalibrationGroup& g : c.groups) groups.push_back(group_value(g));
  Value::List held_at;
  for (const HeldAt& h : c.held_at) {
    Value v = Value::table({{"interval", h.share}, {"simulated", number_of(c.all, h.simulated)}});
    if (c.options.past != 0) v.set("corrected", number_of(c.all, h.corrected));
    held_at.push_back(std::move(v));
  }
  out.set("held_at", std::move(held_at));
  out.set("all", group_value(c.all));
  out.set("groups", std::move(groups));
  return json_from_value(out) + "\n";
}

}  // namespace coslice
