#include "lab/tune/tune_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "lab/compare/compare_output.h"
#include "output/summary_json.h"
#include "report/markup.h"
#include "report/tables/table.h"

namespace coslice {
namespace {

/// -1 where the one goal is to become large: changes of goals are good below 0, those of figures are as they are.
double sign_of(const Trials& trials) { return trials.goals().size() == 1 && trials.goals().front().larger ? -1 : 1; }

/// "12.3 % less", "4 % more"; of several goals "better" and "worse". `change` is a cost's.
std::string change_text(const Trials& trials, double change) {
  const bool one = trials.goals().size() == 1, less = sign_of(trials) * change <= 0;
  return fmt::format("{:.1f} % {}", 100 * std::abs(change), one ? (less ? "less" : "more") : less ? "better" : "worse");
}

/// "-12.3 %".
std::string signed_share(double x) { return std::isfinite(x) ? fmt::format("{:+.1f} %", 100 * x) : "failed"; }

std::string interval_text(const std::optional<Interval>& i, double level, double sign) {
  if (!i) return "";
  const auto [low, high] = std::minmax({sign * i->low, sign * i->high});
  return fmt::format(" ({:g} %: {} to {})", 100 * level, signed_share(low), signed_share(high));
}

std::string goal_name(const Trials& trials) {
  if (trials.goals().size() != 1) return "the goals together";
  const TunedFigure& g = trials.goals().front();
  const bool of_class = !g.figure.job_class.empty() && g.figure.job_class != "all";
  const bool of_group = g.figure.job_class.find(' ') != std::string::npos;  // "user ann"
  return g.figure.name + (of_class ? fmt::format(" of {}{}", of_group ? "" : "class ", g.figure.job_class) : "");
}

std::string broken_guards(const std::vector<GuardAnswer>& guards) {
  std::string out;
  for (const GuardAnswer& g : guards)
    if (!g.kept)
      out += fmt::format("{}{}{} is {} worse, beyond {:g} %", out.empty() ? "" : "; ", g.figure.figure.name,
                         g.figure.figure.job_class.empty() ? "" : fmt::format(" ({})", g.figure.figure.job_class),
                         std::isfinite(g.worse) ? fmt::format("{:.1f} %", 100 * g.worse) : "infinitely",
                         100 * g.figure.most);
  return out;
}

Value value_of(const std::optional<Interval>& i) {
  return i ? Value(Value::List{Value(i->low), Value(i->high)}) : Value();
}

Value setting_value(const std::vector<TunedParam>& params, const Setting& s) {
  Value out = Value::table();
  for (std::size_t p = 0; p != params.size(); ++p)
    if (has_meaning(params, s, p)) out.set(params[p].name, s[p]);
  return out;
}

/// Which settings failed, and why; "" where none did.
std::string failures_sentence(const std::vector<TunedParam>& params, const Trials& trials, const TuneAnswer& a,
                              const TuneOptions& options) {
  constexpr std::size_t kSaid = 3;
  std::vector<std::string> all;
  for (const TriedSetting& t : a.tried) {
    const SettingFailures failed = trials.failures_of(t.number);
    if (failed.workloads == 0) continue;
    all.push_back(fmt::format("{} on {} of {}: {}", setting_text(params, trials.setting(t.number)), failed.workloads,
                              counted_units(trials.workloads_of(t.number).size(), options.unit),
                              failed.error.substr(0, failed.error.find('\n'))));
  }
  if (all.empty()) return "";
  const std::size_t said = std::min(all.size(), kSaid);
  return fmt::format(" {} of {} failed: {}{}.", all.size(), counted(std::ssize(a.tried), "setting"),
                     fmt::join(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(said), "; "),
                     all.size() > said ? fmt::format("; and {} more", all.size() - said) : "");
}

const char* word_of(CompareVerdict v) {
  return v == CompareVerdict::kNone ? "one workload" : v == CompareVerdict::kNoise ? "no difference" : verdict_word(v);
}

}  // namespace

bool is_recommended(const TuneAnswer& a) {
  if (a.best == 0 || !broken_guards(a.guards).empty()) return false;
  return a.verdict == CompareVerdict::kBetter || (a.verdict == CompareVerdict::kNone && a.change.value_or(0) < 0);
}

/// What is to be done.
static std::string advice(const std::vector<TunedParam>& params, const Trials& trials, const TuneAnswer& a,
                          const TuneOptions& options) {
  const std::string tried = fmt::format("{} ({})", counted(std::ssize(a.tried), "setting"), counted(a.runs, "run"));
  if (a.best == 0 && !a.barred.empty())
    return fmt::format("Of {} none that keeps the guards is better than what is set today beyond chance. Others "
                       "look better and break one: the least {}. Stay with what is set, or allow more.",
                       tried, broken_guards({a.barred.front()}));
  if (a.best == 0)
    return fmt::format("No difference: of {} none is better than what is set today beyond chance. Stay with it.",
                       tried);
  const std::string best = setting_text(params, trials.setting(a.best));
  const std::string judges = fmt::format("{} that the search has not seen", counted_units(a.held_out, options.unit));
  const std::string change =
      fmt::format("{}: {}{}", goal_name(trials), a.change ? change_text(trials, *a.change) : "failed",
                  interval_text(a.interval, options.level, sign_of(trials)));
  if (const std::string broken = broken_guards(a.guards); !broken.empty())
    return fmt::format("The best of {} breaks a guard: {}. ({}; {}.) Stay with what is set today, or allow more.",
                       tried, broken, best, change);
  switch (a.verdict) {
    case CompareVerdict::kBetter: return fmt::format("{}. {} than today, on {}.", best, change, judges);
    case CompareVerdict::kNone:
      return fmt::format("{}. {} than today, on the one workload that there is: whether it is so on others, nobody "
                         "knows.",
                         best, change);
    case CompareVerdict::kWorse:
      return fmt::format("No difference for the better: the best of {}, {}, gives {} than today on {}, which is worse. "
                         "Stay with what is set today.",
                         tried, best, change, judges);
    case CompareVerdict::kSame:
      return fmt::format("No difference: the best of {} gives the same schedules as what is set today.", tried);
    case CompareVerdict::kFailed:
      return fmt::format("The best of {} ({}) does not get through {}. Stay with what is set today.", tried, best,
                         judges);
    default: break;
  }
  return fmt::format(
      "No difference: the best of {}, {}, gives {} than today on {}, which may be chance. Stay with what "
      "is set today.",
      tried, best, change, judges);
}

std::string tune_sentence(const std::vector<TunedParam>& params, const Trials& trials, const TuneAnswer& a,
                          const TuneOptions& options) {
  return advice(params, trials, a, options) + failures_sentence(params, trials, a, options);
}

static const char* best_word(const TuneAnswer& a) {
  return a.best == 0 ? "best" : is_recommended(a) ? "tuned" : "best found";
}

/// Of each parameter: its name, today's value, the best one, what was tried, what is lost with today's again.
static std::vector<std::vector<std::string>> param_rows(const std::vector<TunedParam>& params, const Trials& trials,
                                                        const TuneAnswer& a) {
  std::vector<std::vector<std::string>> out;
  for (std::size_t p = 0; p != params.size(); ++p) {
    const Value &today = trials.setting(0)[p], &best = trials.setting(a.best)[p];
    const auto back = std::ranges::find(a.put_back, p, &PutBack::param);
    std::string loss = best == today ? "-" : "too few runs";
    if (back != a.put_back.end())
      loss = back->relative
                 ? signed_share(sign_of(trials) * *back->relative) +
                       (back->interval && back->interval->low <= 0 && back->interval->high >= 0 ? " noise" : "")
                 : "failed";
    out.push_back({params[p].title(), today.is_nil() ? "-" : whole_text(today), best == today ? "-" : whole_text(best),
                   params[p].text(), loss});
  }
  return out;
}

std::string param_table(const std::vector<TunedParam>& params, const Trials& trials, const TuneAnswer& a, bool colour) {
  Table table({{"parameter", false},
               {"today", true},
               {best_word(a), true},
               {"tried", false},
               {"with today's value again", true}});
  for (const auto& row : param_rows(params, trials, a)) table.add_row({row.begin(), row.end()});
  return table.render(TableStyle::kBox, colour);
}

std::vector<std::string> beside_lines(const std::vector<TunedParam>& params, const Trials& trials, const TuneAnswer& a,
                                      const TuneOptions& options) {
  const auto change = [&](const JudgedBeside& b) {
    return fmt::format("{}: {}{}", goal_name(trials), change_text(trials, *b.change),
                       interval_text(b.interval, options.level, sign_of(trials)));
  };
  std::vector<std::string> out;
  if (a.defaults && a.defaults->change)
    out.push_back(fmt::format("Beside the policy's defaults ({}), {}.",
                              setting_text(params, trials.setting(a.defaults->setting)), change(*a.defaults)));
  if (a.unguarded && a.unguarded->change)
    out.push_back(fmt::format("What the guards cost: with {}, the best of the search without them, {}.",
                              setting_text(params, trials.setting(a.unguarded->setting)), change(*a.unguarded)));
  return out;
}

/// Those that were judged; where nothing better was found, those that stand in the way.
static const std::vector<GuardAnswer>& shown_guards(const TuneAnswer& a) {
  return a.guards.empty() ? a.barred : a.guards;
}

/// Of a guard: its figure, the jobs, by how much it may be worse, and by how much it is.
static std::vector<std::string> guard_row(const GuardAnswer& g) {
  return {g.figure.figure.title(), g.figure.figure.job_class, fmt::format("{:g} %", 100 * g.figure.most),
          g.has_jobs ? signed_share(g.worse) : "no such jobs"};
}

std::string guard_table(const TuneAnswer& a, bool colour) {
  if (shown_guards(a).empty()) return "";
  Table table({{"guard", false}, {"jobs", false}, {"may be worse by"}, {"is"}, {"", false}});
  for (const GuardAnswer& g : shown_guards(a)) {
    const std::vector<std::string> row = guard_row(g);
    std::vector<Cell> cells(row.begin(), row.end());
    cells.push_back(!g.has_jobs ? Cell("") : g.kept ? Cell("kept") : Cell("broken", Tone::kWarning));
    table.add_row(std::move(cells));
  }
  return table.render(TableStyle::kBox, colour);
}

/// For whom the best setting is better: each figure of each class of jobs.
static ReportTable page_of_comparison(const TuneAnswer& a) {
  ReportTable table{"For whom", {"figure", "jobs", "", "today", best_word(a), "difference", "from", "to"}, 3, {}, "",
                    {}};
  for (const ComparedFigure& f : a.comparison.figures) {
    if (f.values.size() != 2 || f.values[0].runs == 0 || f.values[1].runs == 0) continue;
    const ComparedValue& best = f.values[1];
    const auto number = [](const std::optional<double>& x) { return x ? grouped(*x, 2) : std::string("-"); };
    const auto& interval = best.difference_interval;
    table.rows.push_back({f.figure.title(), f.figure.job_class, verdict_word(best.verdict), number(f.values[0].value),
                          number(best.value), number(best.difference),
                          number(interval ? std::optional(interval->low) : std::nullopt),
                          number(interval ? std::optional(interval->high) : std::nullopt)});
  }
  table.note = fmt::format("Means over the {} that judge; intervals of the differences.",
                           counted_units(a.held_out, a.comparison.unit));
  return table;
}

ReportPage tune_page(const std::vector<TunedParam>& params, const Trials& trials, const TuneAnswer& a,
                     const TuneOptions& options) {
  ReportPage page;
  page.lead = tune_sentence(params, trials, a, options);
  for (const std::string& line : beside_lines(params, trials, a, options)) page.lead += " " + line;
  page.warnings = a.comparison.warnings;
  ReportTable all{"Parameters",
                  {"parameter", "today", best_word(a), "tried", "with today's value again", "what it is"},
                  6,
                  {},
                  "",
                  {}};
  all.rows = param_rows(params, trials, a);
  for (std::size_t p = 0; p != params.size(); ++p) all.rows[p].push_back(params[p].doc);
  page.tables.push_back(std::move(all));
  if (!shown_guards(a).empty()) {
    ReportTable guards{"Guards", {"guard", "jobs", "", "may be worse by", "is"}, 3, {}, "", {}};
    for (const GuardAnswer& g : shown_guards(a)) {
      std::vector<std::string> row = guard_row(g);
      row.insert(row.begin() + 2, !g.has_jobs ? "" : g.kept ? "kept" : "broken");
      guards.rows.push_back(std::move(row));
    }
    page.tables.push_back(std::move(guards));
  }
  if (!a.comparison.figures.empty()) page.tables.push_back(page_of_comparison(a));
  page.charts = response_charts(params, trials, a);
  return page;
}

std::string front_table(const std::vector<TunedParam>& params, const Trials& trials, const TuneAnswer& a,
                        const TuneOptions& options, bool colour) {
  if (a.front.empty()) return "";
  std::vector<Column> columns;
  for (const TunedFigure& g : trials.goals()) columns.push_back({g.figure.title(), true});
  columns.push_back({"setting", false});
  Table table(std::move(columns));
  const std::size_t count = std::min(options.race.first_test, options.race.workloads);
  for (const std::size_t s : a.front) {
    std::vector<Cell> row;
    for (std::size_t g = 0; g != trials.goals().size(); ++g) {
      const auto mean = trials.mean_goal(s, g, workloads_between(0, count));
      row.emplace_back(mean ? grouped(*mean, 2) : "failed");
    }
    row.emplace_back(s == 0 ? "as it is today" : setting_text(params, trials.setting(s)));
    table.add_row(std::move(row));
  }
  return table.render(TableStyle::kBox, colour);
}

std::string tune_json(const std::vector<TunedParam>& params, const Trials& trials, const TuneAnswer& a,
                      const TuneOptions& options) {
  Value out = Value::table({{"verdict", word_of(a.verdict)},
                            {"recommended", is_recommended(a)},
                            {"sentence", tune_sentence(params, trials, a, options)},
                            {"today", setting_value(params, trials.setting(0))},
                            {"best", setting_value(params, trials.setting(a.best))},
                            {"unit", unit_names(options.unit)},
                            {"search", static_cast<std::int64_t>(a.search)},
                            {"held_out", static_cast<std::int64_t>(a.held_out)},
                            {"level", options.level},
                            {"runs", a.runs}});
  if (a.change) out.set("change", *a.change);
  out.set("interval", value_of(a.interval));
  Value::List list;
  for (std::size_t p = 0; p != params.size(); ++p) {
    Value v = Value::table({{"name", params[p].title()}, {"tried", params[p].text()}, {"doc", params[p].doc}});
    v.set("today", trials.setting(0)[p]);
    v.set("best", trials.setting(a.best)[p]);
    const auto back = std::ranges::find(a.put_back, p, &PutBack::param);
    if (back != a.put_back.end() && back->relative) {
      v.set("put_back", *back->relative);
      v.set("put_back_interval", value_of(back->interval));
    }
    list.push_back(std::move(v));
  }
  out.set("params", std::move(list));
  const auto add_guard = [&](const GuardAnswer& g) {
    Value v = Value::table({{"figure", g.figure.figure.title()},
                            {"class", g.figure.figure.job_class},
                            {"most", g.figure.most},
                            {"kept", g.kept}});
    if (!g.has_jobs) v.set("has_jobs", false);
    if (std::isfinite(g.worse)) v.set("worse", g.worse);
    list.push_back(std::move(v));
  };
  list = {};
  std::ranges::for_each(a.guards, add_guard);
  out.set("guards", std::move(list));
  list = {};
  std::ranges::for_each(a.barred, add_guard);
  out.set("barred", std::move(list));
  const auto set_beside = [&](const char* name, const std::optional<JudgedBeside>& b) {
    if (!b || !b->change) return;
    Value v = Value::table({{"setting", setting_value(params, trials.setting(b->setting))}, {"change", *b->change}});
    v.set("interval", value_of(b->interval));
    out.set(name, std::move(v));
  };
  set_beside("beside_defaults", a.defaults);
  set_beside("without_guards", a.unguarded);
  list = {};
  for (const TriedSetting& t : a.tried) {
    Value v = Value::table({{"workloads", static_cast<std::int64_t>(t.workloads)}, {"dropped", t.dropped}});
    v.set("setting", setting_value(params, trials.setting(t.number)));
    if (std::isfinite(t.change)) v.set("change", t.change);
    if (const SettingFailures failed = trials.failures_of(t.number); failed.workloads > 0) {
      v.set("failed", static_cast<std::int64_t>(failed.workloads));
      v.set("error", failed.error);
    }
    list.push_back(std::move(v));
  }
  out.set("tried", std::move(list));
  list = {};
  for (const std::size_t s : a.front) list.push_back(setting_value(params, trials.setting(s)));
  if (options.race.front) out.set("front", std::move(list));
  if (!a.comparison.variants.empty()) out.set("comparison", value_from_json(compare_json({a.comparison})));
  return json_from_value(out) + "\n";
}

std::string tuned_scenario(const std::string& base_line, const std::vector<TunedParam>& params, const Setting& best) {
  std::string out = base_line + "\n";
  for (std::size_t p = 0; p != params.size(); ++p)
    if (!best[p].is_nil() && has_meaning(params, best, p))
      out += fmt::format("{} = {}\n", key_of_param(params[p].name), toml_text(best[p]));
  return out;
}

std::vector<Chart> response_charts(const std::vector<TunedParam>& params, const Trials& trials, const TuneAnswer& a) {
  std::vector<Chart> out;
  for (std::size_t p = 0; p != params.size(); ++p) {
    const TunedParam& param = params[p];
    Chart chart;
    chart.name = param.title();
    chart.title = fmt::format("{} with other values of {}", goal_name(trials), param.title());
    chart.note = "each mark is a setting of the search, beside today's on the same workloads";
    chart.x.label = param.name;
    chart.y.label = "change to today";
    chart.y.unit = ChartUnit::kShare;
    chart.x.log = param.log;
    for (const Value& v : param.values) chart.x.names.push_back(shown(v));
    const auto at = [&](const Value& v) {
      if (!param.values.empty()) return static_cast<double>(std::ranges::find(param.values, v) - param.values.begin());
      return v.integer() != nullptr ? static_cast<double>(*v.integer()) : v.real() != nullptr ? *v.real() : NAN;
    };
    ChartSeries tried{"tried", ChartLook::kMarks, {}}, best{"best", ChartLook::kMarks, {}};
    for (const TriedSetting& t : a.tried) {
      const double x = at(trials.setting(t.number)[p]);
      if (!std::isfinite(t.change) || !std::isfinite(x)) continue;
      if (!has_meaning(params, trials.setting(t.number), p)) continue;
      (t.number == a.best ? best : tried).points.push_back({x, sign_of(trials) * t.change});
    }
    for (ChartSeries* s : {&tried, &best}) {
      std::ranges::stable_sort(s->points, {}, &ChartPoint::x);
      if (!s->points.empty()) chart.series.push_back(std::move(*s));
    }
    if (!chart.series.empty()) out.push_back(std::move(chart));
  }
  return out;
}

}  // namespace coslice
