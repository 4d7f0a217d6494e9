#include "report/tables/summary_table.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include <fmt/format.h>

#include "core/portable_math.h"
#include "metrics/figures.h"
#include "metrics/summary.h"
#include "output/output.h"
#include "report/markup.h"
#include "report/tables/terminal.h"

namespace coslice {
namespace {

/// The classes, then all jobs.
std::vector<const GroupSummary*> groups_of(const Summary& s) {
  std::vector<const GroupSummary*> groups;
  for (const auto& g : s.by_class) groups.push_back(&g);
  groups.push_back(&s.all);
  return groups;
}

/// Decimals that all figures of a quantity are shown with, so that their points stand below each other: two for
/// slowdowns; one for times if there are short ones; none for long ones.
int decimals_of(const std::vector<NamedSummary>& runs, const JobQuantity& q) {
  if (q.unit != FigureUnit::kSeconds) return 2;
  const auto is_short = [](double s) { return s > 0 && s < 10; };
  for (const auto& run : runs)
    for (const GroupSummary* g : groups_of(run.summary))
      if (is_short((g->*q.of).mean)) return 1;
  return 0;
}

std::string span_of(const Summary& s) {
  return human_duration(from_seconds(s.makespan)) + " (" + grouped(s.makespan, 0) + " s)";
}

std::string title_of(const JobQuantity& q) { return std::string(q.title) + unit_ending(q.unit); }

/// Whether jobs held less of GPUs than all of those that they were on.
bool holds_parts_of_gpus(const Summary& s) {
  return s.resources && s.resources->gpus_with_jobs > s.resources->gpus + 0.0005;
}

/// On a heterogeneous machine, a node that is in use may have much left.
std::string utilization_of(const Summary& s) {
  std::string text = percent(s.utilization);
  if (!s.resources) return text;
  text += " of the nodes, cores " + percent(s.core_utilization);
  if (s.resources->memory > 0) text += ", memory " + percent(s.resources->memory);
  if (s.resources->gpus > 0) text += ", GPUs " + percent(s.resources->gpus);
  if (holds_parts_of_gpus(s)) text += ", with jobs on " + percent(s.resources->gpus_with_jobs) + " of them";
  return text;
}

/// Two digits of the largest, where the usual decimals would show fewer.
int decimals_for(const std::vector<double>& values, int decimals) {
  double most = 0;
  for (const double v : values)
    if (!std::isnan(v)) most = std::max(most, std::abs(v));
  for (int i = 0; i != 4 && most > 0 && most < std::pow(10, 1 - decimals); ++i) ++decimals;
  return decimals;
}

std::string small_or_grouped(double x, int decimals) { return grouped(x, decimals_for({x}, decimals)); }

std::string counts_of(const Summary& s) {
  std::string out = grouped(s.jobs);
  const std::int64_t left = not_ended(s);
  if (s.killed > 0) out += ", " + grouped(s.killed) + " killed at their limit";
  if (s.preemptions && s.preemptions->cancelled > 0) out += ", " + grouped(s.preemptions->cancelled) + " cancelled";
  if (s.rejected > 0) out += ", " + grouped(s.rejected) + " rejected (" + rejections_of(s) + ")";
  if (s.unfulfilled > 0) out += ", " + grouped(s.unfulfilled) + " whose dependency can never be fulfilled";
  if (s.withdrawn > 0) out += ", " + grouped(s.withdrawn) + " withdrawn";
  if (s.withdrawn_started > 0) out += fmt::format(" ({} of them had started)", grouped(s.withdrawn_started));
  if (left > 0) out += ", " + grouped(left) + " not ended";
  return out;
}

std::string slices_of(const SliceSummary& s) {
  const SliceCounts& c = s.counts;
  return grouped(c.slices) + "; " + counted(c.preemptions, "preemption") + "; in slices of other classes " +
         counted(c.foreign_resumed, "job") + " resumed, " + grouped(c.foreign_finishing + c.foreign_pinned) +
         " started";
}

std::string overhead_of(const SliceSummary& s) {
  std::string out = grouped(s.overhead, 0) + " s of all jobs, " + percent(s.share) + " of their run times";
  if (s.counts.loads > 0) out += "; " + counted(s.counts.loads, "load") + ", " + counted(s.counts.swaps, "swap");
  return out;
}

std::string groups_line(const SharingSummary& s) {
  if (s.groups == 0) return "none";
  return grouped(s.groups) + " of " + grouped(s.jobs_per_group, 1) + " jobs; gain " + percent(s.gain_had) +
         ", promised " + percent(s.gain_promised) + "; " + percent(s.grouped_share) +
         " of the jobs that are not short were in one";
}

/// Jobs that were to keep a response time, and did not.
std::string fairness_line(const SharingSummary& s) {
  return grouped(s.late) + " of " + grouped(s.bounded) + " jobs later than they were to be at most; " +
         grouped(s.late_grouped) + " of these were in a group";
}

/// Where jobs share nodes, cores tell more than nodes.
std::string high_load_line(const HighLoad& h) {
  if (h.phases == 0) return "never";
  return human_duration(from_seconds(h.in.time)) + " in " + counted(h.phases, "phase") + "; then " +
         percent(h.in.core_utilization) + " of the cores in use, else " + percent(h.outside.core_utilization);
}

std::string outages_line(const OutageSummary& s) {
  std::string out = "nodes there " + percent(s.availability) + " of the time; " + counted(s.failures, "failure") +
                    ", " + counted(s.interruptions, "interruption");
  if (s.lost_jobs > 0) out += ", " + counted(s.lost_jobs, "job") + " lost";
  if (s.waste > 0) out += "; wasted " + percent(s.waste) + " of what jobs used";
  return out;
}

std::string power_line(const PowerSummary& s) {
  std::string out = "nodes powered down " + percent(s.off_share) + " of the time; " + grouped(s.boots) +
                    " came up for " + counted(s.delayed, "job") + ", mean wait of all jobs for them " +
                    grouped(s.boot_wait, 1) + " s";
  return out;
}

std::string energy_line(const EnergySummary& s, bool powered_down) {
  std::string out =
      small_or_grouped(s.used, 1) + " kWh, " + percent(s.used > 0 ? s.idle / s.used : 0) + " by idle nodes";
  if (!powered_down || s.always_on <= 0) return out;
  const double saved = 1 - s.used / s.always_on;
  if (saved == 0) return out + "; as much as if all stayed on";
  return out + "; " + percent(std::abs(saved)) + (saved > 0 ? " less" : " more") + " than if all stayed on";
}

std::string cost_line(const CostSummary& s) {
  std::string out = small_or_grouped(s.total, 2) + ": nodes " + small_or_grouped(s.nodes, 2);
  if (s.nodes > 0) out += ", " + percent(s.idle / s.nodes) + " of it idle";
  if (s.energy > 0) out += "; energy " + small_or_grouped(s.energy, 2);
  return out;
}

std::string suspensions_of(const PreemptionSummary& s) {
  return counted(s.suspended, "suspension") + ", for " + human_duration(from_seconds(s.suspended_time)) + " together";
}

std::string preemptions_line(const PreemptionSummary& s) {
  if (s.stopped == 0) return suspensions_of(s);
  std::string out = counted(s.stopped, "job") + " stopped, " + grouped(s.requeued) + " of them requeued";
  if (s.suspended > 0) out += ", " + suspensions_of(s);
  if (s.waste > 0) out += "; wasted " + percent(s.waste) + " of what jobs used";
  return out;
}

std::string resizes_line(const ElasticSummary& s) {
  std::string out = counted(s.jobs, "job") + ", " + counted(s.grown, "time") + " to more nodes, " +
                    counted(s.shrunk, "time") + " to fewer";
  if (s.standstill > 0) out += "; stood still for " + grouped(s.standstill, 0) + " node-seconds";
  return out;
}

std::string reservations_line(const ReservationSummary& s) {
  const auto share = [&](double part) { return percent(s.reserved > 0 ? part / s.reserved : 0); };
  std::string out = counted(s.windows, "time") + ", " + share(s.used) + " of them used";
  if (s.backfilled > 0) out += ", " + share(s.backfilled) + " by short jobs of others";
  if (s.late > 0) out += "; in " + grouped(s.late) + " of them jobs of others stayed for " + share(s.withheld);
  return out;
}

std::string heading(const NamedSummary& run, bool colour) {
  const Summary& s = run.summary;
  const bool sliced =
      s.slices && (s.slices->counts.slices > 1 || s.slices->counts.preemptions > 0);  // not one endless one
  const auto line = [&](const char* name, const std::string& value) {
    return paint(pad_right(name, 12), Tone::kDim, colour) + value + "\n";
  };
  return line("policy", paint(run.name, Tone::kBold, colour)) + line("jobs", counts_of(s)) +
         line("makespan", span_of(s)) + line("utilization", utilization_of(s)) +
         (s.outages ? line("outages", outages_line(*s.outages)) : "") +
         (s.power ? line("power", power_line(*s.power)) : "") +
         (s.energy ? line("energy", energy_line(*s.energy, s.power.has_value())) : "") +
         (s.cost ? line("cost", cost_line(*s.cost)) : "") +
         (s.preemptions ? line("preemptions", preemptions_line(*s.preemptions)) : "") +
         (s.elastic ? line("resized", resizes_line(*s.elastic)) : "") +
         (s.reservations ? line("reserved", reservations_line(*s.reservations)) : "") +
         line("queue", grouped(s.mean_queue, 1) + " mean, " + grouped(s.max_queue) + " max") +
         (sliced ? line("slices", slices_of(*s.slices)) + line("overhead", overhead_of(*s.slices)) : "") +
         (s.sharing ? line("efficiency", percent(s.sharing->efficiency)) + line("groups", groups_line(*s.sharing)) +
                          (s.sharing->bounded > 0 ? line("fairness", fairness_line(*s.sharing)) : "") +
                          line("high load", high_load_line(s.high_load))
                    : "");
}

std::string one_policy(const NamedSummary& run, const SummaryTableOptions& options) {
  std::vector<Column> columns = {{"", false, "", true}, {"class", false, "", false}, {"jobs", true, "", false}};
  for (const Statistic& stat : kStatistics)
    if (stat.in_tables) columns.push_back({stat.name, true, " ", false});
  Table table(std::move(columns));
  for (const JobQuantity& q : job_quantities()) {
    const int decimals = decimals_of({run}, q);
    table.add_rule();
    for (const GroupSummary* g : groups_of(run.summary)) {
      if (g->jobs == 0 && g != &run.summary.all && options.style != TableStyle::kCsv) continue;
      const Tone tone = g == &run.summary.all ? Tone::kBold : Tone::kPlain;
      std::vector<Cell> row = {title_of(q), Cell(g->name, tone), Cell(grouped(g->jobs), tone)};
      for (const Statistic& stat : kStatistics) {
        if (!stat.in_tables) continue;
        row.push_back(g->jobs == 0 ? Cell("-", Tone::kDim) : Cell(grouped(g->*q.of.*stat.of, decimals), tone));
      }
      table.add_row(std::move(row));
    }
  }
  return heading(run, options.colour) + "\n" + table.render(options.style, options.colour);
}

/// A row of the comparison.
struct Row {
  std::string quantity, group, statistic;
  Better better = Better::kLower;
  FigureUnit unit = FigureUnit::kNone;
  int decimals = 0;            // not of shares
  std::vector<double> values;  // by policy; NaN where there is nothing to measure
  bool rule_above = false;
};

std::string text_of(const Row& r, double value) {
  if (std::isnan(value)) return "-";
  if (r.unit == FigureUnit::kShare) return percent(value);
  return r.unit == FigureUnit::kNone && r.decimals > 1 && std::abs(value) < 2 ? ratio(value, r.decimals)
                                                                              : grouped(value, r.decimals);
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

/// The rows of the comparison, one after the other.
class Rows {
 public:
  explicit Rows(const std::vector<NamedSummary>& runs) : runs_(runs), groups_(groups_of(runs[0].summary).size()) {
    for (const auto& run : runs) groups_ = std::min(groups_, groups_of(run.summary).size());
  }

  std::vector<Row> take() {
    add_machine();
    for (const JobQuantity& q : job_quantities())
      for (std::size_t g = 0; g < groups_; ++g) add_group(q, g);
    if (any([](const Summary& s) { return s.slices.has_value(); })) add_slices();
    if (any([](const Summary& s) { return s.sharing.has_value(); })) add_sharing();
    return std::move(rows_);
  }

 private:
  bool any(bool (*has)(const Summary&)) const {
    return std::ranges::any_of(runs_, [&](const NamedSummary& r) { return has(r.summary); });
  }

  /// A figure of the catalogue, where the runs have its section.
  Row& add(const char* path, bool rule_above = false) {
    const RunFigure& f = *find_run_figure(path);
    const FigureSection& section = *section_of(path);
    const double absent = section.absent_is_zero ? 0 : kNothing;
    const auto value = [&](const Summary& s) { return section.there(s) ? number_of(f.of(s)) : absent; };
    // A share stands as per cent in its cells, so that its title has no unit.
    const char* ending = f.unit == FigureUnit::kSeconds ? unit_ending(f.unit) : "";
    rows_.push_back({f.quantity + ending, "", f.part, f.better, f.unit, f.decimals, of_each(runs_, value), rule_above});
    return rows_.back();
  }

  /// The same of amounts that may be small, as those of few jobs.
  void add_amounts(std::initializer_list<const char*> paths) {
    const std::size_t before = rows_.size();
    add_some(paths);
    for (std::size_t i = before; i != rows_.size(); ++i)
      rows_[i].decimals = decimals_for(rows_[i].values, rows_[i].decimals);
  }

  /// The same of those that are more than 0 in some run.
  void add_some(std::initializer_list<const char*> paths) {
    for (const char* path : paths) {
      const Row& row = add(path);
      if (std::ranges::all_of(row.values, [](double v) { return std::isnan(v) || v == 0; })) rows_.pop_back();
    }
  }

  /// A row that the catalogue has no figure for: one made of several, or a gain over the first run.
  void add_made(std::string quantity, std::string group, std::string statistic, FigureUnit unit,
                std::vector<double> values) {
    rows_.push_back({std::move(quantity), std::move(group), std::move(statistic), Better::kNeither, unit, 0,
                     std::move(values), false});
  }

  void add_machine() {
    add("nb_jobs_finished");
    add_some(
        {"nb_jobs_killed", "nb_jobs_rejected", "withdrawals.withdrawn", "outages.lost_jobs", "preemptions.cancelled"});
    for (const char* path : {"makespan", "utilization"}) add(path);
    if (any([](const Summary& s) { return s.resources.has_value(); }))
      add_some({"core_utilization", "resources.memory_utilization", "resources.gpu_utilization"});
    if (any(holds_parts_of_gpus)) add("resources.gpus_with_jobs");
    add_amounts({"energy.used", "energy.idle", "cost.total", "cost.idle"});
    add_some({"outages.availability", "outages.interruptions", "outages.waste", "power.off_share", "power.boot_wait",
              "preemptions.stopped", "preemptions.suspended", "preemptions.waste", "elastic.grown", "elastic.shrunk",
              "elastic.standstill", "reservations.late"});
    for (const char* path : {"mean_queue_length", "max_queue_length"}) add(path);
  }

  void add_group(const JobQuantity& q, std::size_t group) {
    const int decimals = decimals_of(runs_, q);
    for (const Statistic& stat : kStatistics) {
      if (!stat.in_tables) continue;
      const auto value = [&](const Summary& s) {
        const GroupSummary& g = *groups_of(s)[group];
        return g.jobs == 0 ? kNothing : g.*q.of.*stat.of;
      };
      rows_.push_back({title_of(q), groups_of(runs_[0].summary)[group]->name, stat.name, Better::kLower, q.unit,
                       decimals, of_each(runs_, value), group == 0 && stat.of == &Stats::mean});
    }
  }

  /// The mean relative response times of a class, and how much better they are than those of the first run.
  void add_relative_response(std::size_t group) {
    const std::string name = groups_of(runs_[0].summary)[group]->name;
    const auto& f = group_figures().front();
    const auto mean = [&](const Summary& s) {
      const GroupSummary& g = *groups_of(s)[group];
      return g.jobs == 0 ? kNothing : number_of(f.of(g));
    };
    const auto gain = [&](const Summary& s) {
      const Comparison c = compare(runs_[0].summary, s);
      return (group < c.by_class.size() ? c.by_class[group] : c.all).response_improvement;
    };
    rows_.push_back({f.quantity, name, f.part, f.better, f.unit, f.decimals, of_each(runs_, mean), group == 0});
    add_made(f.quantity, name, "gain", FigureUnit::kShare, of_each(runs_, gain));
    rows_.back().values[0] = kNothing;
  }

  /// What time slices cost, where some run has them: the measures of the papers on them.
  void add_slices() {
    for (std::size_t g = 0; g < groups_; ++g) add_relative_response(g);
    add("slices.preemptions", true);
    if (any([](const Summary& s) { return s.slices && s.slices->counts.loads > 0; })) {
      add("slices.loads");
      add("slices.swaps");
    }
    add("slices.foreign_resumed");
    add_made("in other slices", "", "started", FigureUnit::kCount, of_each(runs_, [](const Summary& s) {
               if (!s.slices) return kNothing;
               return static_cast<double>(s.slices->counts.foreign_finishing + s.slices->counts.foreign_pinned);
             }));
    add("slices.overhead");
    add_overhead_gain();
    add("slices.overhead_share");
  }

  /// Against the first run that has slices.
  void add_overhead_gain() {
    const auto sliced = [](const NamedSummary& r) { return r.summary.slices.has_value(); };
    const auto first = std::ranges::find_if(runs_, sliced);
    if (std::none_of(first + 1, runs_.end(), sliced)) return;
    const auto gain = [&](const Summary& s) {
      return s.slices ? compare(first->summary, s).overhead_reduction : kNothing;
    };
    add_made(rows_.back().quantity, "", "gain", FigureUnit::kShare, of_each(runs_, gain));
    rows_.back().values[static_cast<std::size_t>(first - runs_.begin())] = kNothing;
  }

  void add_sharing() {
    add("sharing.efficiency", true);
    add("high_load.in.core_utilization").group = "high load";
    for (const char* path : {"sharing.groups", "sharing.jobs_per_group", "sharing.gain_had", "sharing.late"}) add(path);
  }

  const std::vector<NamedSummary>& runs_;
  std::size_t groups_;
  std::vector<Row> rows_;
};

/// Without the rows of classes that have no jobs.
std::vector<Row> with_jobs(const std::vector<Row>& rows) {
  std::vector<Row> out;
  bool rule = false;  // of one that is left out
  for (const Row& r : rows) {
    const bool empty = std::ranges::all_of(r.values, [](double v) { return std::isnan(v); });
    rule = rule || r.rule_above;
    if (empty && !r.group.empty() && r.group != "all") continue;
    out.push_back(r);
    out.back().rule_above = rule;
    rule = false;
  }
  return out;
}

/// The text that the best values of a row have; "" if all are equal: then none stands out.
std::string best_text(const Row& r) {
  if (r.better == Better::kNeither || r.values.size() < 2) return "";
  double best = kNothing;
  bool differ = false;
  for (double v : r.values) {
    const bool better = r.better == Better::kLower ? v < best : v > best;
    differ = differ || (!std::isnan(best) && text_of(r, v) != text_of(r, best));
    if (std::isnan(best) || better) best = v;
  }
  return differ ? text_of(r, best) : "";
}

Table comparison(const std::vector<Row>& rows, const std::vector<NamedSummary>& runs, std::size_t first,
                 std::size_t last, bool machine) {
  std::vector<Column> columns = {{machine ? "quantity" : "", false, "", true},
                                 {"class", false, "", true},
                                 {machine ? "statistic" : "", false, "", false}};
  for (std::size_t i = first; i < last; ++i) columns.push_back({runs[i].name, true, machine ? "" : " ", false});
  Table table(std::move(columns));
  for (const Row& f : rows) {
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
  const std::vector<Row> all = Rows(runs).take(), rows = machine ? all : with_jobs(all);
  const bool cut = options.style == TableStyle::kBox || options.style == TableStyle::kPlain;
  std::string out;
  for (std::size_t first = 0; first < runs.size();) {
    std::size_t last = cut ? first + 1 : runs.size();
    while (last < runs.size() &&
           comparison(rows, runs, first, last + 1, machine).width() <= static_cast<std::size_t>(options.width)) {
      ++last;
    }
    if (!out.empty()) out += "\n";
    out += comparison(rows, runs, first, last, machine).render(options.style, options.colour);
    first = last;
  }
  return out;
}

constexpr std::size_t kMostRows = 20;  // a site may have hundreds of accounts

const GroupSummary* find_group(const std::vector<GroupSummary>& groups, const std::string& name) {
  const auto found = std::ranges::find_if(groups, [&](const GroupSummary& g) { return g.name == name; });
  return found == groups.end() ? nullptr : &*found;
}

/// The groups of the first run and of the others, those with the most jobs.
GroupWaits waits_of(const std::vector<NamedSummary>& runs, const char* by, std::vector<GroupSummary> Summary::*groups) {
  GroupWaits out{by, {}, 0};
  for (const NamedSummary& run : runs)
    for (const GroupSummary& g : run.summary.*groups) {
      if (g.jobs == 0) continue;
      const auto known = std::ranges::find_if(out.rows, [&](const GroupWaits::Row& r) { return r.name == g.name; });
      if (known != out.rows.end()) continue;
      GroupWaits::Row row{g.name, {}};
      for (const NamedSummary& other : runs) row.of_runs.push_back(find_group(other.summary.*groups, g.name));
      out.rows.push_back(std::move(row));
    }
  const auto jobs = [](const GroupWaits::Row& row) {
    const auto has_some = [](const GroupSummary* g) { return g != nullptr && g->jobs > 0; };
    return (*std::ranges::find_if(row.of_runs, has_some))->jobs;
  };
  for (; out.rows.size() > kMostRows; ++out.left_out) {
    const auto fewest = std::min_element(out.rows.rbegin(), out.rows.rend(),
                                         [&](const auto& a, const auto& b) { return jobs(a) < jobs(b); });
    out.rows.erase(std::next(fewest).base());
  }
  return out;
}

std::string wait_text(const GroupSummary* g, double Stats::*of) {
  return g == nullptr || g->jobs == 0 ? "-" : grouped(g->wait.*of, 0);
}

std::int64_t jobs_of(const GroupWaits::Row& row) {
  std::int64_t most = 0;
  for (const GroupSummary* g : row.of_runs) most = std::max(most, g != nullptr ? g->jobs : 0);
  return most;
}

constexpr std::size_t kMostJobs = 24;  // in a table

std::string in_words(const ClassCounts& counts) {
  std::string out;
  for (const auto& [name, count] : counts) out += (out.empty() ? "" : ", ") + fmt::format("{} {}", count, name);
  return out;
}

std::string seconds(Time t) { return t == kNever ? "-" : grouped(to_seconds(t), 1); }

void add_jobs(Table& table, const std::vector<ProcessReport>& runs) {
  for (std::size_t j = 0; j < runs.front().jobs.size(); ++j) {
    const ProcessReport::Job& job = runs.front().jobs[j];
    std::vector<Cell> ends = {fmt::format("job {}, {}", job.id, job.program), "ends at, s"};
    std::vector<Cell> classes = {ends.front(), "classes"};
    bool any = false;
    for (const ProcessReport& run : runs) {
      ends.emplace_back(seconds(run.jobs[j].end));
      classes.emplace_back(run.jobs[j].classes);
      any = any || !run.jobs[j].classes.empty();
    }
    table.add_row(ends);
    if (any) table.add_row(classes);
  }
  if (!runs.front().jobs.empty()) table.add_rule();
}

TimeWindow span_of(const RunResult& result, const Summary& summary) {
  Time from = kNever;
  for (const auto& job : result.workload->jobs) from = std::min(from, job.submit);
  return {from, from + from_seconds(summary.makespan)};
}

/// Means of a quantity over `bins` equal parts of a span; intervals are added in order of time.
class Bins {
 public:
  Bins(TimeWindow span, std::size_t bins)
      : from_(to_seconds(span.from)), part_((to_seconds(span.to) - from_) / static_cast<double>(bins)), sums_(bins) {}

  void add(Time from, Time to, double value) {
    const double a = place(from), b = place(to);
    for (auto i = truncated<std::size_t>(a); i < sums_.size() && static_cast<double>(i) < b; ++i) {
      const auto low = static_cast<double>(i);
      sums_[i] += value * (std::min(b, low + 1) - std::max(a, low));
    }
  }
  const std::vector<double>& means() const { return sums_; }

 private:
  double place(Time t) const {
    return std::clamp((to_seconds(t) - from_) / part_, 0.0, static_cast<double>(sums_.size()));
  }

  double from_, part_;
  std::vector<double> sums_;
};

}  // namespace

std::int64_t not_ended(const Summary& s) {
  return s.jobs - s.finished - s.rejected - s.unfulfilled - s.withdrawn - (s.outages ? s.outages->lost_jobs : 0) -
         (s.preemptions ? s.preemptions->cancelled : 0);
}

std::string rejections_of(const Summary& summary) {
  constexpr std::array<const char*, kRejections> kWords = {
      "can never run here", "their reservation was over", "refused by the policy", "did not start at once",
      "had ended on record, and did not fit here when they started"};
  std::string out;
  for (std::size_t why = 0; why != kRejections; ++why) {
    const std::int64_t jobs = summary.rejected_for[why];
    if (jobs == 0) continue;
    out += (out.empty() ? "" : ", ") + (jobs == summary.rejected ? "" : grouped(jobs) + " ") + kWords[why];
  }
  return out;
}

std::string summary_table(const std::vector<NamedSummary>& runs, const SummaryTableOptions& options) {
  if (runs.empty()) return "";
  if (runs.size() == 1 && options.style != TableStyle::kCsv) return one_policy(runs[0], options);
  return several_policies(runs, options);
}

std::string GroupWaits::note() const {
  return fmt::format("By {}: the {} with the most jobs of {}; by_{} in summary.json has all.", by, rows.size(),
                     rows.size() + left_out, by == "account" ? "group" : by);
}

std::vector<GroupWaits> group_waits(const std::vector<NamedSummary>& runs) {
  std::vector<GroupWaits> out = {waits_of(runs, "partition", &Summary::by_partition)};
  if (std::ranges::any_of(runs, [](const NamedSummary& r) { return r.accounts; }))
    out.push_back(waits_of(runs, "account", &Summary::by_group));
  std::erase_if(out, [](const GroupWaits& w) { return w.rows.size() < 2; });
  return out;
}

std::string group_waits_table(const std::vector<NamedSummary>& runs, const SummaryTableOptions& options) {
  const std::vector<GroupWaits> all = group_waits(runs);
  if (all.empty()) return "";
  std::vector<Column> columns = {{"jobs of", false, "", true}, {"", false}, {"jobs", true}};
  const bool several = runs.size() > 1;
  if (several)
    for (const NamedSummary& run : runs) columns.push_back({run.name, true, "mean wait, s"});
  else
    for (const char* statistic : {"mean", "median", "p95", "max"}) columns.push_back({statistic, true, "wait, s"});
  Table table(std::move(columns));
  std::string notes;
  for (const GroupWaits& by : all) {
    if (&by != &all.front()) table.add_rule();
    for (const GroupWaits::Row& row : by.rows) {
      std::vector<Cell> cells = {by.by, row.name, grouped(jobs_of(row))};
      if (several)
        for (const GroupSummary* g : row.of_runs) cells.emplace_back(wait_text(g, &Stats::mean));
      else
        for (double Stats::*of : {&Stats::mean, &Stats::median, &Stats::p95, &Stats::max})
          cells.emplace_back(wait_text(row.of_runs.front(), of));
      table.add_row(std::move(cells));
    }
    if (by.left_out > 0) notes += by.note() + "\n";
  }
  return table.render(options.style, options.colour) + notes;
}

ProcessReport process_report(const std::string& policy, const RunResult& result) {
  const ProcessRecord& record = *result.processes;
  ProcessReport report;
  report.policy = policy;
  const ProcessorShares shares = summarize_processes(result).shares;
  report.shares = {{"computing", shares.computing},
                   {"polling", shares.polling},
                   {"waiting, idle", shares.blocked},
                   {"switching", shares.switching},
                   {"no process", shares.idle}};
  const std::vector<Job>& jobs = result.workload->jobs;
  for (std::size_t i = 0; i < jobs.size() && jobs.size() <= kMostJobs; ++i) {
    const std::string classes = record.classes.size() < 2 ? "" : in_words(classes_of(record, static_cast<JobIndex>(i)));
    report.jobs.push_back({jobs[i].id, record.programs[i], result.outcomes[i].end, classes});
  }
  return report;
}

std::string process_table(const std::vector<ProcessReport>& runs, TableStyle style, bool colour) {
  std::vector<Column> columns = {{"", false, "", true}, {"", false}};
  for (const ProcessReport& run : runs) columns.push_back({run.policy});
  Table table(std::move(columns));
  add_jobs(table, runs);
  for (std::size_t s = 0; s < runs.front().shares.size(); ++s) {
    std::vector<Cell> row = {"processors", runs.front().shares[s].first};
    for (const ProcessReport& run : runs) row.emplace_back(percent(run.shares[s].second));
    table.add_row(row);
  }
  return table.render(style, colour);
}

std::string sparkline(const std::vector<double>& values, double top) {
  static const char* const kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string out;
  for (double v : values) {
    const double height = top > 0 ? std::ceil(8 * std::min(v / top, 1.0) - 1e-9) : 0;
    out += kBlocks[v > 0 ? static_cast<int>(std::clamp(height, 1.0, 8.0)) : 0];
  }
  return out;
}

std::string run_sparklines(const RunResult& result, const Summary& summary, int width, bool colour) {
  if (summary.finished == 0 || summary.makespan <= 0) return "";
  const std::string used = percent(summary.utilization), queue = grouped(summary.max_queue) + " at most";
  const std::size_t labels = 12, figures = std::max(used.size(), queue.size()) + 2;
  const std::size_t all = static_cast<std::size_t>(std::max(width, 0));
  const std::size_t columns = std::max<std::size_t>(all > labels + figures ? all - labels - figures : 0, 10);

  const TimeWindow span = span_of(result, summary);
  Bins nodes(span, columns), waiting(span, columns);
  for (std::size_t i = 0; i < result.timeline.size(); ++i) {
    const TimelinePoint& p = result.timeline[i];
    const Time next = i + 1 < result.timeline.size() ? result.timeline[i + 1].time : span.to;
    nodes.add(p.time, next, p.used_nodes);
    waiting.add(p.time, next, p.queue);
  }
  const double longest = *std::ranges::max_element(waiting.means());
  const std::string end = human_duration(span.to - span.from);
  return pad_right("used nodes", labels) + paint(sparkline(nodes.means(), result.machine.nodes), Tone::kGood, colour) +
         "  " + used + "\n" + pad_right("queue", labels) +
         paint(sparkline(waiting.means(), longest), Tone::kWarning, colour) + "  " + queue + "\n" +
         paint(pad_right("", labels) + "0 s" + pad_left(end, columns - 3), Tone::kDim, colour) + "\n";
}

}  // namespace coslice
