#include "report/pages/run_report.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "metrics/figures.h"
#include "metrics/summary.h"
#include "report/markup.h"
#include "report/tables/load_text.h"

namespace coslice {
namespace {

constexpr double kBlank = std::numeric_limits<double>::quiet_NaN();

constexpr int kPerCent = -1;  // stands for the decimals of a share

/// A column of numbers, by row; NaN: nothing to say.
struct Figures {
  std::string title;
  int decimals = 0;
  Better better = Better::kNeither;
  std::vector<double> values{};
};

std::string figure_text(double x, int decimals) {
  if (std::isnan(x)) return "\u2013";
  if (decimals != kPerCent) return grouped(x, decimals);
  const std::string text = percent(x);
  return text.substr(0, text.find(' '));
}

/// Which of the rows from `first` to before `last` have the best value; none if all are alike.
void mark_best(const Figures& f, std::size_t first, std::size_t last, std::size_t column, ReportTable& table) {
  if (f.better == Better::kNeither || last - first < 2) return;
  double best = kBlank, worst = kBlank;
  for (std::size_t r = first; r < last; ++r) {
    const double v = f.values[r];
    if (std::isnan(v)) continue;
    best = std::isnan(best) || (f.better == Better::kLower ? v < best : v > best) ? v : best;
    worst = std::isnan(worst) || (f.better == Better::kLower ? v > worst : v < worst) ? v : worst;
  }
  if (std::isnan(best) || figure_text(best, f.decimals) == figure_text(worst, f.decimals)) return;
  for (std::size_t r = first; r < last; ++r)
    if (!std::isnan(f.values[r]) && figure_text(f.values[r], f.decimals) == figure_text(best, f.decimals))
      table.best.insert({r, column});
}

/// Adds the columns that say something to the table's words; rows are compared among the `together` neighbours.
void add_figures(ReportTable& table, const std::vector<Figures>& figures, std::size_t together) {
  for (const Figures& f : figures) {
    if (std::ranges::all_of(f.values, [](double v) { return std::isnan(v); })) continue;
    for (std::size_t r = 0; r < table.rows.size(); ++r) table.rows[r].push_back(figure_text(f.values[r], f.decimals));
    for (std::size_t r = 0; r < table.rows.size(); r += together)
      mark_best(f, r, std::min(r + together, table.rows.size()), table.columns.size(), table);
    table.columns.push_back(f.title);
  }
}

class RunTables {
 public:
  RunTables(const std::vector<NamedSummary>& runs, const MetricsOptions& options) : runs_(runs), options_(options) {}

  std::vector<ReportTable> make() {
    whole_runs();
    for (const auto& [title, of] :
         {std::pair{"Wait, s", &GroupSummary::wait}, std::pair{"Response time, s", &GroupSummary::response},
          std::pair{"Bounded slowdown", &GroupSummary::bounded_slowdown}})
      by_class(title, of);
    out_.back().note =
        fmt::format("Classes by run time. Bounded slowdown: response time / max(run time, {}), at least 1.",
                    human_duration(options_.bound));
    waits_by_groups();
    relative_responses();
    slices();
    shared_nodes();
    for (const FigureSection& section : figure_sections()) add(section);
    if (runs_.size() > 1) out_.front().note = "A dot marks the best of several values.";
    return std::move(out_);
  }

 private:
  using Get = std::function<double(const Summary&)>;

  Figures figures(std::string title, int decimals, Better better, const Get& get) const {
    Figures f{std::move(title), decimals, better};
    for (const NamedSummary& run : runs_) f.values.push_back(get(run.summary));
    return f;
  }
  /// A figure of the catalogue; NaN of runs that do not have its section.
  Figures of(std::string title, const FigureSection& section, const RunFigure& f) const {
    const int decimals = f.unit == FigureUnit::kShare ? kPerCent : f.unit == FigureUnit::kSeconds ? 1 : f.decimals;
    return figures(std::move(title), decimals, f.better,
                   [&](const Summary& s) { return section.there(s) ? number_of(f.of(s)) : kBlank; });
  }
  Figures of(std::string title, const char* path) const {
    return of(std::move(title), *section_of(path), *find_run_figure(path));
  }
  /// NaN in every row where nothing of the kind happened.
  static Figures some(Figures f) {
    if (std::ranges::none_of(f.values, [](double v) { return v > 0; })) f.values.assign(f.values.size(), kBlank);
    return f;
  }

  /// One row for each run.
  void add(const char* title, const std::vector<Figures>& figures, const char* note = "") {
    ReportTable t;
    t.title = title;
    t.note = note;
    t.columns = {"policy"};
    for (const NamedSummary& run : runs_) t.rows.push_back({run.name});
    add_figures(t, figures, runs_.size());
    if (t.columns.size() > 1) out_.push_back(std::move(t));
  }

  void whole_runs() {
    const bool kinds = any(&Summary::resources);
    Figures makespan = of("makespan, s", "makespan");
    makespan.decimals = 0;
    Figures cores = of("cores in use, %", "core_utilization");
    for (std::size_t r = 0; r < runs_.size(); ++r)
      if (!runs_[r].summary.resources) cores.values[r] = kBlank;
    Figures with_jobs = some(of("GPUs with jobs, %", "resources.gpus_with_jobs"));
    with_jobs.better = Better::kHigher;
    add("Figures", {of("jobs", "nb_jobs"), some(of("killed at their limit", "nb_jobs_killed")),
                    some(of("rejected", "nb_jobs_rejected")),
                    some(figures("withdrawn", 0, Better::kLower,
                                 [](const Summary& s) { return static_cast<double>(s.withdrawn); })),
                    some(figures("not ended", 0, Better::kLower,
                                 [](const Summary& s) { return static_cast<double>(not_ended(s)); })),
                    makespan, of(kinds ? "nodes in use, %" : "utilization, %", "utilization"), some(cores),
                    some(of("memory in use, %", "resources.memory_utilization")),
                    some(of("GPUs in use, %", "resources.gpu_utilization")), with_jobs,
                    of("energy, kWh", "energy.used"), of("cost", "cost.total"),
                    of("waiting jobs, mean", "mean_queue_length"), of("waiting jobs, most", "max_queue_length")});
  }

  /// Whether some run has that part of the summary.
  template <class Part>
  bool any(std::optional<Part> Summary::*part) const {
    return std::ranges::any_of(runs_, [&](const NamedSummary& r) { return (r.summary.*part).has_value(); });
  }

  /// A section of the catalogue that has no tables of its own, where a run has it.
  void add(const FigureSection& section) {
    for (const char* own : {"", "high_load", "trimmed", "slices", "sharing", "resources", "demand", "processes"})
      if (section.path == own) return;
    std::vector<Figures> columns;
    for (const RunFigure& f : section.figures) {
      const char* const unit = f.unit == FigureUnit::kShare ? unit_ending(f.unit) : "";
      columns.push_back(of(f.quantity + (f.part.empty() ? "" : ", " + f.part) + unit, section, f));
    }
    std::string title = section.path;
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
    add(title.c_str(), columns);
  }

  /// A row for each partition and account, or for each of them and run.
  void waits_by_groups() {
    for (const GroupWaits& by : group_waits(runs_)) {
      ReportTable t;
      t.title = "Wait by " + by.by + ", s";
      t.columns = {by.by};
      if (runs_.size() > 1) t.columns.push_back("policy");
      t.texts = t.columns.size();
      if (by.left_out > 0) t.note = by.note();
      std::vector<Figures> columns = statistics(0);
      for (const GroupWaits::Row& row : by.rows)
        for (std::size_t r = 0; r < runs_.size(); ++r) {
          t.rows.push_back({row.name});
          if (runs_.size() > 1) t.rows.back().push_back(runs_[r].name);
          const std::vector<double> values = statistics_of(row.of_runs[r], &GroupSummary::wait);
          for (std::size_t c = 0; c < columns.size(); ++c) columns[c].values.push_back(values[c]);
        }
      add_figures(t, columns, runs_.size());
      out_.push_back(std::move(t));
    }
  }

  static const GroupSummary* group(const Summary& s, std::size_t g) {
    return g < s.by_class.size() ? &s.by_class[g] : &s.all;
  }
  std::size_t groups() const {
    std::size_t n = runs_.front().summary.by_class.size();
    for (const NamedSummary& run : runs_) n = std::min(n, run.summary.by_class.size());
    return n + 1;
  }
  bool has_jobs(std::size_t g) const {
    return g + 1 == groups() ||
           std::ranges::any_of(runs_, [&](const NamedSummary& run) { return group(run.summary, g)->jobs > 0; });
  }

  /// The words of a table with a row for each class and run, and its columns from `values(run, group)`.
  template <class Values>
  void by_class_and_run(const char* title, std::vector<Figures> columns, const Values& values) {
    ReportTable t;
    t.title = title;
    t.columns = {"class"};
    if (runs_.size() > 1) t.columns.push_back("policy");
    t.texts = t.columns.size();
    for (std::size_t g = 0; g < groups(); ++g) {
      if (!has_jobs(g)) continue;
      for (const NamedSummary& run : runs_) {
        const std::size_t at = g + 1 == groups() ? run.summary.by_class.size() : g;
        t.rows.push_back({group(run.summary, at)->name});
        if (runs_.size() > 1) t.rows.back().push_back(run.name);
        const std::vector<double> row = values(run.summary, at);
        for (std::size_t c = 0; c < columns.size(); ++c) columns[c].values.push_back(row[c]);
      }
    }
    const std::size_t words = t.columns.size();
    add_figures(t, columns, runs_.size());
    if (t.columns.size() > words) out_.push_back(std::move(t));
  }

  /// Columns of the statistics of a quantity, behind the number of jobs.
  static std::vector<Figures> statistics(int decimals) {
    std::vector<Figures> columns = {{"jobs"}};
    for (const char* title : {"mean", "median", "95 %", "maximum"})
      columns.push_back({title, decimals, Better::kLower});
    return columns;
  }
  static std::vector<double> statistics_of(const GroupSummary* g, Stats GroupSummary::*of) {
    if (g == nullptr || g->jobs == 0) return {0, kBlank, kBlank, kBlank, kBlank};
    const Stats& x = g->*of;
    return {static_cast<double>(g->jobs), x.mean, x.median, x.p95, x.max};
  }

  /// One decimal where there are short times, as on the terminal.
  int decimals_of(Stats GroupSummary::*of) const {
    if (of == &GroupSummary::bounded_slowdown) return 2;
    for (const NamedSummary& run : runs_)
      for (std::size_t g = 0; g <= run.summary.by_class.size(); ++g) {
        const double mean = (group(run.summary, g)->*of).mean;
        if (mean > 0 && mean < 10) return 1;
      }
    return 0;
  }

  void by_class(const char* title, Stats GroupSummary::*of) {
    by_class_and_run(title, statistics(decimals_of(of)),
                     [&](const Summary& s, std::size_t g) { return statistics_of(group(s, g), of); });
  }

  void relative_responses() {
    if (!any(&Summary::slices)) return;
    const Summary& first = runs_.front().summary;
    by_class_and_run("Relative response time", {{"mean", 2, Better::kLower}, {"gain, %", kPerCent}},
                     [&](const Summary& s, std::size_t g) -> std::vector<double> {
                       if (group(s, g)->jobs == 0) return {kBlank, kBlank};
                       const Comparison c = compare(first, s);
                       const double gain = (g < c.by_class.size() ? c.by_class[g] : c.all).response_improvement;
                       return {group(s, g)->mean_relative_response, &s == &first ? kBlank : gain};
                     });
    if (runs_.size() > 1) out_.back().note = "Gain: how much lower it is than under " + runs_.front().name + ".";
  }

  void slices() {
    if (!any(&Summary::slices)) return;
    const auto first = std::ranges::find_if(runs_, [](const NamedSummary& r) { return r.summary.slices.has_value(); });
    const auto gain = [&](const Summary& s) {
      return s.slices && &s != &first->summary ? compare(first->summary, s).overhead_reduction : kBlank;
    };
    const auto started = [](const Summary& s) {
      return s.slices ? static_cast<double>(s.slices->counts.foreign_finishing + s.slices->counts.foreign_pinned)
                      : kBlank;
    };
    Figures overhead = of("overhead, s", "slices.overhead");
    overhead.decimals = 0;
    add("Time slices",
        {of("slices", "slices.slices"), of("preemptions", "slices.preemptions"), some(of("loads", "slices.loads")),
         some(of("swaps", "slices.swaps")), of("resumed in other slices", "slices.foreign_resumed"),
         figures("started in other slices", 0, Better::kNeither, started), overhead,
         of("overhead, % of run times", "slices.overhead_share"),
         figures("less overhead, %", kPerCent, Better::kNeither, gain)},
        runs_.size() > 1 ? "Overhead: of all jobs together. Less overhead: than the first run that has time slices."
                         : "Overhead: of all jobs together.");
  }

  void shared_nodes() {
    if (!any(&Summary::sharing)) return;
    Figures promised = of("gain promised, %", "sharing.gain_promised"),
            bounded = of("to end in time", "sharing.bounded");
    promised.better = Better::kNeither;
    bounded.better = Better::kLower;
    add("Shared nodes",
        {of("efficiency, %", "sharing.efficiency"), of("groups", "sharing.groups"),
         of("jobs in a group", "sharing.jobs_per_group"), of("gain had, %", "sharing.gain_had"), promised,
         of("in groups, %", "sharing.grouped_share"), some(bounded), some(of("too late", "sharing.late")),
         some(of("too late, in a group", "sharing.late_grouped"))},
        "In groups: of the jobs that are not short. To end in time: jobs that were to keep a response time.");
    const auto high = [](auto get) -> Get {
      return [=](const Summary& s) { return s.high_load.phases > 0 ? static_cast<double>(get(s.high_load)) : kBlank; };
    };
    using H = const HighLoad&;
    add("High load",
        {figures("phases", 0, Better::kNeither, high([](H h) { return h.phases; })),
         figures("time, s", 0, Better::kNeither, high([](H h) { return h.in.time; })),
         figures("cores in use, %", kPerCent, Better::kHigher, high([](H h) { return h.in.core_utilization; })),
         figures("else, %", kPerCent, Better::kNeither, high([](H h) { return h.outside.core_utilization; }))});
  }

  const std::vector<NamedSummary>& runs_;
  const MetricsOptions& options_;
  std::vector<ReportTable> out_;
};

std::string duration_text(double seconds) { return human_duration(from_seconds(std::min(seconds, kMaxSeconds))); }

std::vector<ReportTile> tiles_of(const Summary& s) {
  std::vector<ReportTile> out = {{"jobs ran", grouped(s.finished)}};
  if (s.resources && s.resources->gpus > 0) {
    out.push_back({"of the GPUs in use", percent(s.resources->gpus)});
    out.push_back({"of the nodes in use", percent(s.utilization)});
  } else {
    out.push_back({"utilization", percent(s.utilization)});
  }
  for (const ReportTile& t :
       {ReportTile{"mean wait", duration_text(s.all.wait.mean)},
        ReportTile{"mean bounded slowdown", readable(s.all.bounded_slowdown.mean)},
        ReportTile{"jobs wait on average", readable(s.mean_queue)}, ReportTile{"makespan", duration_text(s.makespan)}})
    out.push_back(t);
  const auto amount = [](double x, int decimals, double small) {
    return x < small ? readable(x) : grouped(x, decimals);
  };
  if (s.energy) out.push_back({"energy", amount(s.energy->used, 1, 1) + " kWh"});
  if (s.cost) out.push_back({"cost", amount(s.cost->total, 2, 0.1)});
  return out;
}

std::vector<std::string> warnings_of(const RunResult& result, const Summary& s, const MetricsOptions& options) {
  std::vector<std::string> out;
  if (s.finished == 0) return {"No job ran to an end: there is nothing to draw."};
  if (std::string behind = fell_behind_text(result, options.trim); !behind.empty()) {
    behind.front() = 'T';
    out.push_back(behind + ".");
  }
  if (s.rejected > 0)
    out.push_back(fmt::format("{} did not run ({}); `coslice explain` says why, job by job.",
                              counted(s.rejected, "job"), rejections_of(s)));
  if (s.unfulfilled > 0)
    out.push_back(counted(s.unfulfilled, "job") + " never came: what they depend on could not happen any more.");
  if (const std::int64_t waited = s.withdrawn - s.withdrawn_started; waited > 0)
    out.push_back(counted(waited, "job") + " did not start before their users cancelled them.");
  if (s.withdrawn_started > 0)
    out.push_back(counted(s.withdrawn_started, "job") +
                  " started that were cancelled while they waited in the record, which does "
                  "not say how long they would have run: they are in no figure of jobs.");
  if (s.killed > 0) out.push_back(counted(s.killed, "job") + " reached the time limit and ended there.");
  return out;
}

std::string workload_of(const RunResult& r) {
  return fmt::format("{}, {}", r.workload->name, counted(static_cast<std::int64_t>(r.workload->jobs.size()), "job"));
}

std::string machine_of(const MachineSpec& m) {
  return fmt::format("{} of {}, {} each", counted(m.nodes, "node"), counted(m.processors, "processor"),
                     counted(m.cores, "core"));
}

/// Sources that several runs have in common are there once.
void add_sources(const std::vector<ReportSource>& sources, std::vector<ReportSource>& out) {
  for (const ReportSource& s : sources)
    if (std::ranges::none_of(out, [&](const ReportSource& o) { return o.name == s.name && o.text == s.text; }))
      out.push_back(s);
}

}  // namespace

std::vector<ReportTable> run_tables(const std::vector<NamedSummary>& runs, const MetricsOptions& options) {
  return runs.empty() ? std::vector<ReportTable>{} : RunTables(runs, options).make();
}

std::vector<ReportTable> process_tables(const std::vector<ProcessReport>& runs) {
  if (runs.empty()) return {};
  ReportTable jobs, processors;
  jobs.title = "Processes";
  jobs.columns = {"job", "program", "policy", "classes", "ends at, s"};
  jobs.texts = 4;
  for (std::size_t j = 0; j < runs.front().jobs.size(); ++j)
    for (const ProcessReport& run : runs) {
      const ProcessReport::Job& job = run.jobs[j];
      jobs.rows.push_back({std::to_string(job.id), job.program, run.policy, job.classes,
                           job.end == kNever ? "\u2013" : grouped(to_seconds(job.end), 1)});
    }
  processors.title = "Where the processors' time went";
  processors.columns = {"policy"};
  for (const auto& [what, share] : runs.front().shares) processors.columns.push_back(std::string(what) + ", %");
  for (const ProcessReport& run : runs) {
    processors.rows.push_back({run.policy});
    for (const auto& [what, share] : run.shares) processors.rows.back().push_back(figure_text(share, kPerCent));
  }
  std::vector<ReportTable> out;
  if (!jobs.rows.empty()) out.push_back(std::move(jobs));
  out.push_back(std::move(processors));
  return out;
}

void RunReport::add(const RunResult& result, const NamedSummary& run, const RunReportInfo& info) {
  runs_.push_back({info, workload_of(result), machine_of(result.machine), fmt::format("{:016x}", result.fingerprint),
                   warnings_of(result, run.summary, options_)});
  summaries_.push_back(run);
  if (run.summary.finished > 0) charts_.push_back({run.name, run_charts(result, options_)});
  if (result.processes) processes_.push_back(process_report(run.name, result));
}

/// What all runs have in common, then each policy.
ReportTable RunReport::facts() const {
  ReportTable t;
  t.title = "What was run";
  t.columns = {"", ""};
  t.texts = 2;
  t.rows = {{"workload", runs_.front().workload}, {"machine", runs_.front().machine}};
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const RunReportInfo& info = runs_[i].info;
    const std::string of = runs_.size() > 1 ? summaries_[i].name + ": " : "";
    t.rows.push_back(
        {of + "policy", info.policy + (info.policy_version.empty() ? "" : ", version " + info.policy_version)});
    for (const auto& fact : info.facts) {
      const bool common = runs_.size() > 1 && is_common(fact);
      if (!common) t.rows.push_back({of + fact.first, fact.second});
      else if (i == 0) t.rows.insert(t.rows.begin() + 2, {fact.first, fact.second});
    }
    t.rows.push_back({of + "fingerprint", runs_[i].fingerprint});
  }
  return t;
}

ReportPage RunReport::page(const std::string& title) {
  ReportPage page;
  page.title = title;
  page.lead = runs_.front().info.scenario_description;
  for (std::size_t i = 0; i < runs_.size(); ++i)
    for (const std::string& w : runs_[i].warnings)
      page.warnings.push_back(runs_.size() > 1 ? summaries_[i].name + ": " + w : w);
  if (!charts_.empty()) {
    if (runs_.size() == 1) {
      page.tiles = tiles_of(summaries_.front().summary);
      page.charts = std::move(charts_.front().charts);
    } else {
      page.charts = compared_charts(charts_);
      for (Chart& c : class_charts(summaries_)) page.charts.push_back(std::move(c));
    }
    page.tables = run_tables(summaries_, options_);
    for (ReportTable& t : process_tables(processes_)) page.tables.push_back(std::move(t));
  }
  page.tables.push_back(facts());
  for (const Run& run : runs_) add_sources(run.info.sources, page.sources);
  page.foot = "Made by " + runs_.front().info.program + ". Times count from the beginning of the workload.";
  return page;
}

}  // namespace coslice
