#include "report/summary_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/compare.h"
#include "report/csv_text.h"
#include "report/number.h"

namespace coslice {
namespace {

struct Quantity {
  const char* title;
  Stats GroupSummary::*of;
};
constexpr Quantity kQuantities[] = {{"wait, s", &GroupSummary::wait},
                                    {"response, s", &GroupSummary::response},
                                    {"bounded slowdown", &GroupSummary::bounded_slowdown}};

struct Statistic {
  const char* title;
  double Stats::*of;
};
constexpr Statistic kStatistics[] = {
    {"mean", &Stats::mean}, {"median", &Stats::median}, {"p95", &Stats::p95}, {"max", &Stats::max}};

/// The classes, then all jobs.
std::vector<const GroupSummary*> groups_of(const Summary& s) {
  std::vector<const GroupSummary*> groups;
  for (const auto& g : s.by_class) groups.push_back(&g);
  groups.push_back(&s.all);
  return groups;
}

/// Decimals that all figures of a quantity are shown with, so that their points stand below each other: two for
/// slowdowns; one for times if there are short ones; none for long ones.
int decimals_of(const std::vector<NamedSummary>& runs, const Quantity& q) {
  if (q.of == &GroupSummary::bounded_slowdown) return 2;
  const auto is_short = [](double s) { return s > 0 && s < 10; };
  for (const auto& run : runs) {
    for (const GroupSummary* g : groups_of(run.summary)) {
      if (is_short((g->*q.of).mean)) return 1;
    }
  }
  return 0;
}

// One policy.

std::string span_of(const Summary& s) {
  return human_duration(from_seconds(s.makespan)) + " (" + grouped(s.makespan, 0) + " s)";
}

std::string counts_of(const Summary& s) {
  std::string out = grouped(s.jobs);
  const std::int64_t left = s.jobs - s.finished - s.rejected;
  if (s.killed > 0) out += ", " + grouped(s.killed) + " killed at their limit";
  if (s.rejected > 0) out += ", " + grouped(s.rejected) + " rejected";
  if (left > 0) out += ", " + grouped(left) + " not ended";
  return out;
}

std::string slices_of(const SliceSummary& s) {
  const SliceCounts& c = s.counts;
  return grouped(c.slices) + "; " + grouped(c.preemptions) + " preemptions; in slices of other classes " +
         grouped(c.foreign_resumed) + " jobs resumed, " + grouped(c.foreign_finishing + c.foreign_pinned) + " started";
}

std::string overhead_of(const SliceSummary& s) {
  std::string out = grouped(s.overhead, 0) + " s of all jobs, " + percent(s.share) + " of their run times";
  if (s.counts.loads > 0) out += "; " + grouped(s.counts.loads) + " loads, " + grouped(s.counts.swaps) + " swaps";
  return out;
}

std::string groups_line(const SharingSummary& s) {
  if (s.groups == 0) return "none";
  return grouped(s.groups) + " of " + grouped(s.jobs_per_group, 1) + " jobs; gain " + percent(s.gain_had) +
         ", promised " + percent(s.gain_promised) + "; " + percent(s.grouped_share) +
         " of the jobs that are not short were in one";
}

/// Who was to keep a response time, and did not.
std::string fairness_line(const SharingSummary& s) {
  return grouped(s.late) + " of " + grouped(s.bounded) + " jobs later than they were to be at most; " +
         grouped(s.late_grouped) + " of these were in a group";
}

/// Where jobs share nodes, cores tell more than nodes.
std::string high_load_line(const HighLoad& h) {
  if (h.phases == 0) return "never";
  return human_duration(from_seconds(h.in.time)) + " in " + grouped(h.phases) + " phases; then " +
         percent(h.in.core_utilization) + " of the cores in use, else " + percent(h.outside.core_utilization);
}

std::string heading(const NamedSummary& run, bool colour) {
  const Summary& s = run.summary;
  const bool sliced =
      s.slices && (s.slices->counts.slices > 1 || s.slices->counts.preemptions > 0);  // not one endless one
  const auto line = [&](const char* name, const std::string& value) {
    return paint(pad_right(name, 12), Tone::kDim, colour) + value + "\n";
  };
  return line("policy", paint(run.name, Tone::kBold, colour)) + line("jobs", counts_of(s)) +
         line("makespan", span_of(s)) + line("utilization", percent(s.utilization)) +
         line("queue", grouped(s.mean_queue, 1) + " mean, " + grouped(s.max_queue) + " max") +
         (sliced ? line("slices", slices_of(*s.slices)) + line("overhead", overhead_of(*s.slices)) : "") +
         (s.sharing ? line("efficiency", percent(s.sharing->efficiency)) + line("groups", groups_line(*s.sharing)) +
                          (s.sharing->bounded > 0 ? line("fairness", fairness_line(*s.sharing)) : "") +
                          line("high load", high_load_line(s.high_load))
                    : "");
}

std::string one_policy(const NamedSummary& run, const SummaryTableOptions& options) {
  Table table({{"", false, "", true},
               {"class", false, "", false},
               {"jobs", true, "", false},
               {"mean", true, " ", false},
               {"median", true, " ", false},
               {"p95", true, " ", false},
               {"max", true, " ", false}});
  for (const auto& q : kQuantities) {
    const int decimals = decimals_of({run}, q);
    table.add_rule();
    for (const GroupSummary* g : groups_of(run.summary)) {
      if (g->jobs == 0 && g != &run.summary.all && options.style != TableStyle::kCsv) continue;
      const Tone tone = g == &run.summary.all ? Tone::kBold : Tone::kPlain;
      std::vector<Cell> row = {q.title, Cell(g->name, tone), Cell(grouped(g->jobs), tone)};
      for (const auto& stat : kStatistics) {
        row.push_back(g->jobs == 0 ? Cell("-", Tone::kDim) : Cell(grouped(g->*q.of.*stat.of, decimals), tone));
      }
      table.add_row(std::move(row));
    }
  }
  return heading(run, options.colour) + "\n" + table.render(options.style, options.colour);
}

// Several policies: one figure a row.

/// A row of the comparison.
struct Figure {
  std::string quantity, group, statistic;
  std::vector<double> values;  // by policy; NaN where there is nothing to measure
  enum { kLowest, kHighest, kNone } best = kLowest;
  int decimals = 0;  // kPercent for a share
  bool rule_above = false;

  static constexpr int kPercent = -1;
};

std::string text_of(const Figure& f, double value) {
  if (std::isnan(value)) return "-";
  return f.decimals == Figure::kPercent ? percent(value) : grouped(value, f.decimals);
}

std::string exact(double value) {
  std::string out;
  if (!std::isnan(value)) append_real(out, value);
  return out;
}

template <class F>
std::vector<double> of_each(const std::vector<NamedSummary>& runs, F value) {
  std::vector<double> out;
  for (const auto& run : runs) out.push_back(static_cast<double>(value(run.summary)));
  return out;
}

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

std::vector<Figure> overall_figures(const std::vector<NamedSummary>& runs) {
  const auto of = [&](auto member) { return of_each(runs, [&](const Summary& s) { return s.*member; }); };
  std::vector<Figure> out = {
      {"jobs", "", "", of(&Summary::finished), Figure::kNone, 0, false},
      {"jobs", "", "killed", of(&Summary::killed), Figure::kLowest, 0, false},
      {"jobs", "", "rejected", of(&Summary::rejected), Figure::kLowest, 0, false},
      {"makespan, s", "", "", of(&Summary::makespan), Figure::kLowest, 0, false},
      {"utilization", "", "", of(&Summary::utilization), Figure::kHighest, Figure::kPercent, false},
      {"queue", "", "mean", of(&Summary::mean_queue), Figure::kLowest, 1, false},
      {"queue", "", "max", of(&Summary::max_queue), Figure::kLowest, 0, false}};
  const auto idle = [](const Figure& f) {
    return f.quantity == "jobs" && !f.statistic.empty() &&
           std::all_of(f.values.begin(), f.values.end(), [](double v) { return v == 0; });
  };
  out.erase(std::remove_if(out.begin(), out.end(), idle), out.end());
  return out;
}

void add_group_figures(const std::vector<NamedSummary>& runs, const Quantity& q, std::size_t group,
                       std::vector<Figure>& out) {
  const int decimals = decimals_of(runs, q);
  for (const auto& stat : kStatistics) {
    Figure f;
    f.decimals = decimals;
    f.quantity = q.title;
    f.group = groups_of(runs[0].summary)[group]->name;
    f.statistic = stat.title;
    f.values = of_each(runs, [&](const Summary& s) {
      const GroupSummary& g = *groups_of(s)[group];
      return g.jobs == 0 ? kNothing : g.*q.of.*stat.of;
    });
    f.rule_above = group == 0 && stat.of == &Stats::mean;
    out.push_back(std::move(f));
  }
}

/// The mean relative response times of a class, and how much better they are than those of the first run.
void add_relative_response(const std::vector<NamedSummary>& runs, std::size_t group, std::vector<Figure>& out) {
  const std::string name = groups_of(runs[0].summary)[group]->name;
  const auto mean = [&](const Summary& s) {
    const GroupSummary& g = *groups_of(s)[group];
    return g.jobs == 0 ? kNothing : g.mean_relative_response;
  };
  const auto gain = [&](const Summary& s) {
    const Comparison c = compare(runs[0].summary, s);
    return (group < c.by_class.size() ? c.by_class[group] : c.all).response_improvement;
  };
  out.push_back({"relative response", name, "mean", of_each(runs, mean), Figure::kLowest, 2, group == 0});
  out.push_back({"relative response", name, "gain", of_each(runs, gain), Figure::kNone, Figure::kPercent, false});
  out.back().values[0] = kNothing;
}

/// What time slices cost, where some run has them: the measures of the papers on them.
void add_slice_figures(const std::vector<NamedSummary>& runs, std::size_t groups, std::vector<Figure>& out) {
  const auto sliced = [](const NamedSummary& r) { return r.summary.slices.has_value(); };
  if (std::none_of(runs.begin(), runs.end(), sliced)) return;
  const auto of = [&](auto value) {
    return of_each(runs, [&](const Summary& s) { return s.slices ? static_cast<double>(value(*s.slices)) : kNothing; });
  };
  for (std::size_t g = 0; g < groups; ++g) add_relative_response(runs, g, out);
  out.push_back({"preemptions", "", "", of([](const SliceSummary& s) { return s.counts.preemptions; }), Figure::kLowest,
                 0, true});
  const auto loads = [](const NamedSummary& r) { return r.summary.slices && r.summary.slices->counts.loads > 0; };
  if (std::any_of(runs.begin(), runs.end(), loads)) {
    out.push_back(
        {"loads", "", "", of([](const SliceSummary& s) { return s.counts.loads; }), Figure::kLowest, 0, false});
    out.push_back(
        {"swaps", "", "", of([](const SliceSummary& s) { return s.counts.swaps; }), Figure::kLowest, 0, false});
  }
  out.push_back({"in other slices", "", "resumed", of([](const SliceSummary& s) { return s.counts.foreign_resumed; }),
                 Figure::kNone, 0, false});
  out.push_back({"in other slices", "", "started",
                 of([](const SliceSummary& s) { return s.counts.foreign_finishing + s.counts.foreign_pinned; }),
                 Figure::kNone, 0, false});
  out.push_back(
      {"overhead, s", "", "", of([](const SliceSummary& s) { return s.overhead; }), Figure::kLowest, 0, false});
  // Against the first run that has slices.
  const auto first = std::find_if(runs.begin(), runs.end(), sliced);
  if (std::any_of(first + 1, runs.end(), sliced)) {
    const auto gain = [&](const Summary& s) {
      return s.slices ? compare(first->summary, s).overhead_reduction : kNothing;
    };
    out.push_back({"overhead, s", "", "gain", of_each(runs, gain), Figure::kNone, Figure::kPercent, false});
    out.back().values[static_cast<std::size_t>(first - runs.begin())] = kNothing;
  }
  out.push_back({"overhead", "", "share", of([](const SliceSummary& s) { return s.share; }), Figure::kLowest,
                 Figure::kPercent, false});
}

/// Groups, where some run has them.
void add_sharing_figures(const std::vector<NamedSummary>& runs, std::vector<Figure>& out) {
  const auto shares = [](const NamedSummary& r) { return r.summary.sharing.has_value(); };
  if (std::none_of(runs.begin(), runs.end(), shares)) return;
  const auto of = [&](auto member) {
    return of_each(runs,
                   [&](const Summary& s) { return s.sharing ? static_cast<double>((*s.sharing).*member) : kNothing; });
  };
  out.push_back({"efficiency", "", "", of(&SharingSummary::efficiency), Figure::kHighest, Figure::kPercent, true});
  out.push_back({"cores used", "high load", "",
                 of_each(runs, [](const Summary& s) { return s.high_load.in.core_utilization; }), Figure::kHighest,
                 Figure::kPercent, false});
  out.push_back({"groups", "", "", of(&SharingSummary::groups), Figure::kNone, 0, false});
  out.push_back({"groups", "", "jobs", of(&SharingSummary::jobs_per_group), Figure::kNone, 2, false});
  out.push_back({"groups", "", "gain", of(&SharingSummary::gain_had), Figure::kHighest, Figure::kPercent, false});
  out.push_back({"jobs too late", "", "", of(&SharingSummary::late), Figure::kLowest, 0, false});
}

std::vector<Figure> all_figures(const std::vector<NamedSummary>& runs) {
  std::vector<Figure> out = overall_figures(runs);
  std::size_t groups = groups_of(runs[0].summary).size();
  for (const auto& run : runs) groups = std::min(groups, groups_of(run.summary).size());
  for (const auto& q : kQuantities) {
    for (std::size_t g = 0; g < groups; ++g) add_group_figures(runs, q, g, out);
  }
  add_slice_figures(runs, groups, out);
  add_sharing_figures(runs, out);
  return out;
}

/// Without the figures of classes that have no jobs.
std::vector<Figure> with_jobs(const std::vector<Figure>& figures) {
  std::vector<Figure> out;
  bool rule = false;  // of one that is left out
  for (const Figure& f : figures) {
    const bool empty = std::all_of(f.values.begin(), f.values.end(), [](double v) { return std::isnan(v); });
    rule = rule || f.rule_above;
    if (empty && !f.group.empty() && f.group != "all") continue;
    out.push_back(f);
    out.back().rule_above = rule;
    rule = false;
  }
  return out;
}

/// The text that the best values of a row have; "" if all are equal: then none stands out.
std::string best_text(const Figure& f) {
  if (f.best == Figure::kNone || f.values.size() < 2) return "";
  double best = std::numeric_limits<double>::quiet_NaN();
  bool differ = false;
  for (double v : f.values) {
    const bool better = f.best == Figure::kLowest ? v < best : v > best;
    differ = differ || (!std::isnan(best) && text_of(f, v) != text_of(f, best));
    if (std::isnan(best) || better) best = v;
  }
  return differ ? text_of(f, best) : "";
}

Table comparison(const std::vector<Figure>& figures, const std::vector<NamedSummary>& runs, std::size_t first,
                 std::size_t last, bool machine) {
  std::vector<Column> columns = {{machine ? "quantity" : "", false, "", true},
                                 {"class", false, "", true},
                                 {machine ? "statistic" : "", false, "", false}};
  for (std::size_t i = first; i < last; ++i) columns.push_back({runs[i].name, true, machine ? "" : " ", false});
  Table table(std::move(columns));
  for (const auto& f : figures) {
    if (f.rule_above) table.add_rule();
    const std::string best = best_text(f);
    std::vector<Cell> row = {f.quantity, f.group, f.statistic};
    for (std::size_t i = first; i < last; ++i) {
      const std::string text = machine ? exact(f.values[i]) : text_of(f, f.values[i]);
      row.emplace_back(text, text == best ? Tone::kGood : Tone::kPlain);
    }
    table.add_row(std::move(row));
  }
  return table;
}

std::string several_policies(const std::vector<NamedSummary>& runs, const SummaryTableOptions& options) {
  const bool machine = options.style == TableStyle::kCsv;
  const std::vector<Figure> figures = machine ? all_figures(runs) : with_jobs(all_figures(runs));
  const bool cut = options.style == TableStyle::kBox || options.style == TableStyle::kPlain;
  std::string out;
  for (std::size_t first = 0; first < runs.size();) {
    std::size_t last = cut ? first + 1 : runs.size();
    while (last < runs.size() &&
           comparison(figures, runs, first, last + 1, machine).width() <= static_cast<std::size_t>(options.width)) {
      ++last;
    }
    if (!out.empty()) out += "\n";
    out += comparison(figures, runs, first, last, machine).render(options.style, options.colour);
    first = last;
  }
  return out;
}

}  // namespace

std::string summary_table(const std::vector<NamedSummary>& runs, const SummaryTableOptions& options) {
  if (runs.empty()) return "";
  if (runs.size() == 1 && options.style != TableStyle::kCsv) return one_policy(runs[0], options);
  return several_policies(runs, options);
}

}  // namespace coslice
