#include "lab/compare/fidelity.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

#include "output/summary_json.h"
#include "report/markup.h"
#include "report/tables/table.h"

namespace coslice {
namespace {

std::string whole_seconds_text(double s) { return grouped(s, 0); }

std::string interval_text(const std::optional<Interval>& i) {
  return i ? fmt::format("{} to {}", grouped(i->low, 0), grouped(i->high, 0)) : "too few jobs";
}

/// The last part of a path tells runs apart in a narrow table.
std::string short_name(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return name.empty() ? path : name;
}

void add_distance(Table& table, const ScheduleDistance& d) {
  table.add_row({short_name(d.ours), short_name(d.theirs), grouped(static_cast<std::int64_t>(d.jobs)),
                 whole_seconds_text(d.our_wait), whole_seconds_text(d.their_wait), whole_seconds_text(d.mean_error),
                 whole_seconds_text(d.median_error), whole_seconds_text(d.rms_error), ratio(d.rank_correlation, 3),
                 percent(d.within_5_minutes)});
}

std::string distances_table(const Fidelity& f, bool colour) {
  Table table({{"schedule", false},
               {"beside", false},
               {"jobs"},
               {"mean wait, s"},
               {"its wait, s"},
               {"mean", true, "error of a job's wait, s"},
               {"median", true, "error of a job's wait, s"},
               {"RMS", true, "error of a job's wait, s"},
               {"order"},
               {"within 5 min"}});
  for (const ScheduleDistance& d : f.distances) add_distance(table, d);
  if (f.distances.size() > 1 || f.to_median || f.among_records) table.add_rule();
  if (f.distances.size() > 1) add_distance(table, mean_distance(f.distances, "mean", ""));
  if (f.to_median) add_distance(table, *f.to_median);
  if (f.among_records) add_distance(table, *f.among_records);
  return table.render(TableStyle::kBox, colour);
}

/// Of users and groups there may be hundreds.
constexpr std::size_t kMostGroups = 20;

/// The groups of a label that have the most jobs, in the order in which they were; and how many there are.
std::vector<FidelityGroup> largest_groups(const Fidelity& f, const std::string& label, std::size_t& all) {
  std::vector<FidelityGroup> out;
  for (const FidelityGroup& g : f.groups)
    if (g.label == label) out.push_back(g);
  all = out.size();
  if (all <= kMostGroups) return out;
  std::vector<std::size_t> places(all);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) { return out[a].jobs > out[b].jobs; });
  places.resize(kMostGroups);
  std::ranges::sort(places);
  std::vector<FidelityGroup> largest;
  for (const std::size_t place : places) largest.push_back(out[place]);
  return largest;
}

std::string groups_table(const Fidelity& f, bool colour) {
  Table table({{"jobs by", false, "", true},
               {"", false},
               {"jobs"},
               {"simulated", true, "mean wait, s"},
               {"recorded", true, "mean wait, s"},
               {"difference, 95 %"},
               {"error of a job"}});
  std::string label, below;
  for (const FidelityGroup& first : f.groups) {
    if (first.label == label) continue;
    if (!label.empty()) table.add_rule();
    label = first.label;
    std::size_t all = 0;
    const std::vector<FidelityGroup> shown = largest_groups(f, label, all);
    for (const FidelityGroup& g : shown)
      table.add_row({g.label, g.value, grouped(static_cast<std::int64_t>(g.jobs)), whole_seconds_text(g.our_wait),
                     whole_seconds_text(g.their_wait), interval_text(g.bias), whole_seconds_text(g.mean_error)});
    if (shown.size() != all)
      below += fmt::format("by {}: the {} with the most jobs of {}; --json has all\n", label, shown.size(), all);
  }
  const auto few = [](const FidelityGroup& g) { return !g.bias; };
  if (std::ranges::any_of(f.groups, few))
    below += fmt::format("too few jobs: such an interval needs {} of them\n", kFewestInBatches);
  return table.render(TableStyle::kBox, colour) + below;
}

double mean_error_of(const Fidelity& f) { return mean_distance(f.distances, "", "").mean_error; }

std::string meaning(const Fidelity& f) {
  std::string text;
  if (f.only_run + f.only_record != 0)
    text += fmt::format("{} of the run only and {} of the record only are left out\n",
                        counted(static_cast<std::int64_t>(f.only_run), "job"),
                        counted(static_cast<std::int64_t>(f.only_record), "job"));
  const ScheduleDistance& first = f.distances.front();
  if (f.distances.size() == 1 && first.bias) {
    const bool none = first.bias->low <= 0 && first.bias->high >= 0;
    const double longer = first.our_wait - first.their_wait;
    text += fmt::format("jobs wait {} s {} than on record in the mean (95 % of the difference: {}){}\n",
                        grouped(std::abs(longer), 0), longer < 0 ? "shorter" : "longer", interval_text(first.bias),
                        none ? ", which may be chance" : "");
  } else if (f.distances.size() == 1) {
    text += fmt::format("with fewer than {} jobs, no confidence interval of the mean difference is given\n",
                        kFewestInBatches);
  }
  if (f.among_records) {
    const double ratio = f.among_records->mean_error > 0 ? mean_error_of(f) / f.among_records->mean_error : 0;
    text +=
        fmt::format("the machine does not repeat itself: its own records differ by {} s a job; the simulation by {} "
                    "times as much\n",
                    whole_seconds_text(f.among_records->mean_error), readable(ratio));
  } else {
    text += "one record does not say how far the machine would differ from itself: name several, if there are\n";
  }
  return text;
}

Value interval_value(const std::optional<Interval>& i) {
  return i ? Value(Value::List{Value(i->low), Value(i->high)}) : Value();
}

Value distance_value(const ScheduleDistance& d) {
  Value v = Value::table({{"run", d.ours},
                          {"record", d.theirs},
                          {"jobs", static_cast<std::int64_t>(d.jobs)},
                          {"mean_wait", d.our_wait},
                          {"recorded_mean_wait", d.their_wait}});
  if (d.bias) v.set("difference_95", interval_value(d.bias));
  v.set("mean_error", d.mean_error);
  v.set("median_error", d.median_error);
  v.set("p90_error", d.p90_error);
  v.set("rms_error", d.rms_error);
  v.set("within_60_s", d.within_minute);
  v.set("within_300_s", d.within_5_minutes);
  v.set("within_1800_s", d.within_half_hour);
  v.set("rank_correlation", d.rank_correlation);
  return v;
}

}  // namespace

std::string fidelity_text(const Fidelity& fidelity, bool colour) {
  std::string text = distances_table(fidelity, colour);
  if (!fidelity.groups.empty()) text += "\n" + groups_table(fidelity, colour);
  return text + "\n" + meaning(fidelity);
}

std::string fidelity_json(const Fidelity& fidelity) {
  Value out = Value::table();
  Value::List distances, groups;
  for (const ScheduleDistance& d : fidelity.distances) distances.push_back(distance_value(d));
  for (const FidelityGroup& g : fidelity.groups) {
    Value v = Value::table({{"by", g.label},
                            {"value", g.value},
                            {"jobs", static_cast<std::int64_t>(g.jobs)},
                            {"mean_wait", g.our_wait},
                            {"recorded_mean_wait", g.their_wait}});
    if (g.bias) v.set("difference_95", interval_value(g.bias));
    v.set("mean_error", g.mean_error);
    groups.push_back(std::move(v));
  }
  out.set("distances", std::move(distances));
  out.set("mean", distance_value(mean_distance(fidelity.distances, "mean of runs", "mean of records")));
  if (fidelity.to_median) out.set("to_median", distance_value(*fidelity.to_median));
  if (fidelity.among_records) out.set("among_records", distance_value(*fidelity.among_records));
  out.set("groups", std::move(groups));
  out.set("jobs_of_run_only", static_cast<std::int64_t>(fidelity.only_run));
  out.set("jobs_of_record_only", static_cast<std::int64_t>(fidelity.only_record));
  return json_from_value(out) + "\n";
}

Chart fidelity_chart(const Fidelity& fidelity) {
  const UseOverTime& use = fidelity.use;
  Chart chart;
  chart.name = "use";
  chart.title = "Processors in use";
  chart.x.label = "time, h";
  chart.y.label = "processors";
  const auto series = [&](const std::string& name, const std::vector<double>& values) {
    ChartSeries s{name, ChartLook::kSteps, {}, -1, false};
    for (std::size_t k = 0; k != values.size(); ++k) s.points.push_back({use.hours[k], values[k]});
    return s;
  };
  chart.series = {series("simulated", use.ours), series("recorded", use.theirs)};
  return chart;
}

}  // namespace coslice
