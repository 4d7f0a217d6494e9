#include "report/tables/run_tables.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "metrics/compare.h"
#include "metrics/figures.h"
#include "report/number.h"
#include "report/tables/group_waits.h"

namespace coslice {
namespace {

constexpr double kBlank = std::numeric_limits<double>::quiet_NaN();

enum class Best { kNone, kLowest, kHighest };
enum class Look { kCount, kTenths, kHundredths, kPercent };

/// A column of numbers, by row; NaN: nothing to say.
struct Figures {
  std::string title;
  Look look = Look::kCount;
  Best best = Best::kNone;
  std::vector<double> values{};
};

std::string figure_text(double x, Look look) {
  if (std::isnan(x)) return "\u2013";
  switch (look) {
    case Look::kCount: return grouped(x, 0);
    case Look::kTenths: return grouped(x, 1);
    case Look::kHundredths: return grouped(x, 2);
    case Look::kPercent: break;
  }
  return fmt::format("{:.1f}", x * 100);
}

/// Which of the rows from `first` to before `last` have the best value; none if all are alike.
void mark_best(const Figures& f, std::size_t first, std::size_t last, std::size_t column, ReportTable& table) {
  if (f.best == Best::kNone || last - first < 2) return;
  double best = kBlank, worst = kBlank;
  for (std::size_t r = first; r < last; ++r) {
    const double v = f.values[r];
    if (std::isnan(v)) continue;
    best = std::isnan(best) || (f.best == Best::kLowest ? v < best : v > best) ? v : best;
    worst = std::isnan(worst) || (f.best == Best::kLowest ? v > worst : v < worst) ? v : worst;
  }
  if (std::isnan(best) || figure_text(best, f.look) == figure_text(worst, f.look)) return;
  for (std::size_t r = first; r < last; ++r)
    if (!std::isnan(f.values[r]) && figure_text(f.values[r], f.look) == figure_text(best, f.look))
      table.best.insert({r, column});
}

/// Adds the columns that say something to the table's words; rows are compared among the `together` neighbours.
void add_figures(ReportTable& table, const std::vector<Figures>& figures, std::size_t together) {
  for (const Figures& f : figures) {
    if (std::all_of(f.values.begin(), f.values.end(), [](double v) { return std::isnan(v); })) continue;
    for (std::size_t r = 0; r < table.rows.size(); ++r) table.rows[r].push_back(figure_text(f.values[r], f.look));
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

  Figures figures(std::string title, Look look, Best best, const Get& get) const {
    Figures f{std::move(title), look, best};
    for (const NamedSummary& run : runs_) f.values.push_back(get(run.summary));
    return f;
  }
  /// NaN in every row where nothing of the kind happened.
  Figures counts(std::string title, const Get& get) const {
    Figures f = figures(std::move(title), Look::kCount, Best::kLowest, get);
    if (std::all_of(f.values.begin(), f.values.end(), [](double v) { return !(v > 0); }))
      f.values.assign(f.values.size(), kBlank);
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
    const auto count = [](auto member) { return [=](const Summary& s) { return static_cast<double>(s.*member); }; };
    add("Figures",
        {figures("jobs", Look::kCount, Best::kNone, count(&Summary::jobs)),
         counts("killed at their limit", count(&Summary::killed)), counts("rejected", count(&Summary::rejected)),
         counts("withdrawn", count(&Summary::withdrawn)),
         counts("not ended", [](const Summary& s) { return static_cast<double>(not_ended(s)); }),
         figures("makespan, s", Look::kCount, Best::kLowest, count(&Summary::makespan)),
         figures(differing() ? "nodes in use, %" : "utilization, %", Look::kPercent, Best::kHighest,
                 count(&Summary::utilization)),
         of_resources("cores in use, %", [](const Summary& s) { return s.core_utilization; }),
         of_resources("memory in use, %", [](const Summary& s) { return s.resources->memory; }),
         of_resources("GPUs in use, %", [](const Summary& s) { return s.resources->gpus; }),
         of_resources("GPUs with jobs, %", [](const Summary& s) { return s.resources->gpus_with_jobs; }),
         figures("energy, kWh", Look::kTenths, Best::kLowest,
                 [](const Summary& s) { return s.energy ? s.energy->used : kBlank; }),
         figures("cost", Look::kHundredths, Best::kLowest,
                 [](const Summary& s) { return s.cost ? s.cost->total : kBlank; }),
         figures("waiting jobs, mean", Look::kTenths, Best::kLowest, count(&Summary::mean_queue)),
         figures("waiting jobs, most", Look::kCount, Best::kLowest, count(&Summary::max_queue))});
  }

  /// Whether nodes differ on the machine of some run.
  bool differing() const {
    return std::any_of(runs_.begin(), runs_.end(), [](const NamedSummary& r) { return r.summary.resources.has_value(); });
  }
  /// A share of what machines with kinds of nodes have; blank where they have nothing of it.
  Figures of_resources(std::string title, const Get& get) const {
    Figures f = figures(std::move(title), Look::kPercent, Best::kHighest,
                        [&](const Summary& s) { return s.resources ? get(s) : kBlank; });
    if (std::all_of(f.values.begin(), f.values.end(), [](double v) { return !(v > 0); }))
      f.values.assign(f.values.size(), kBlank);
    return f;
  }

  /// A section of the catalogue that has no tables of its own, where a run has it.
  void add(const FigureSection& section) {
    for (const char* own : {"", "high_load", "trimmed", "slices", "sharing", "resources", "demand", "processes"})
      if (section.path == own) return;
    std::vector<Figures> columns;
    for (const RunFigure& f : section.figures) {
      const Look look = f.unit == FigureUnit::kShare ? Look::kPercent
                        : f.unit == FigureUnit::kSeconds || f.decimals == 1 ? Look::kTenths
                        : f.decimals > 1 ? Look::kHundredths
                                         : Look::kCount;
      const Best best = f.better == Better::kLower ? Best::kLowest
                        : f.better == Better::kHigher ? Best::kHighest
                                                      : Best::kNone;
      const char* const unit = f.unit == FigureUnit::kShare ? unit_ending(f.unit) : "";
      columns.push_back(figures(f.quantity + (f.part.empty() ? "" : ", " + f.part) + unit, look, best, [&](const Summary& s) {
        return section.there(s) ? number_of(f.of(s)) : kBlank;
      }));
    }
    std::string title = section.path;
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
    add(title.c_str(), columns);
  }
  static double number_of(const FigureValue& value) {
    if (const auto* n = std::get_if<std::int64_t>(&value)) return static_cast<double>(*n);
    const auto* x = std::get_if<double>(&value);
    return x != nullptr ? *x : kBlank;
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
      std::vector<Figures> columns = {{"jobs", Look::kCount},
                                      {"mean", Look::kCount, Best::kLowest},
                                      {"median", Look::kCount, Best::kLowest},
                                      {"95 %", Look::kCount, Best::kLowest},
                                      {"maximum", Look::kCount, Best::kLowest}};
      for (const GroupWaits::Row& row : by.rows)
        for (std::size_t r = 0; r < runs_.size(); ++r) {
          t.rows.push_back({row.name});
          if (runs_.size() > 1) t.rows.back().push_back(runs_[r].name);
          const GroupSummary* const g = row.of_runs[r];
          const bool none = g == nullptr || g->jobs == 0;
          columns[0].values.push_back(none ? 0 : static_cast<double>(g->jobs));
          const Stats wait = none ? Stats{kBlank, kBlank, kBlank, kBlank, kBlank} : g->wait;
          const double values[] = {wait.mean, wait.median, wait.p95, wait.max};
          for (std::size_t c = 0; c < 4; ++c) columns[c + 1].values.push_back(values[c]);
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
    return g + 1 == groups() || std::any_of(runs_.begin(), runs_.end(),
                                            [&](const NamedSummary& run) { return group(run.summary, g)->jobs > 0; });
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

  /// One decimal where there are short times, as on the terminal.
  Look look_of(Stats GroupSummary::*of) const {
    if (of == &GroupSummary::bounded_slowdown) return Look::kHundredths;
    for (const NamedSummary& run : runs_)
      for (std::size_t g = 0; g <= run.summary.by_class.size(); ++g) {
        const double mean = (group(run.summary, g)->*of).mean;
        if (mean > 0 && mean < 10) return Look::kTenths;
      }
    return Look::kCount;
  }

  void by_class(const char* title, Stats GroupSummary::*of) {
    const Look look = look_of(of);
    by_class_and_run(title,
                     {{"jobs", Look::kCount},
                      {"mean", look, Best::kLowest},
                      {"median", look, Best::kLowest},
                      {"95 %", look, Best::kLowest},
                      {"maximum", look, Best::kLowest}},
                     [&](const Summary& s, std::size_t g) -> std::vector<double> {
                       const GroupSummary& of_group = *group(s, g);
                       const auto jobs = static_cast<double>(of_group.jobs);
                       if (of_group.jobs == 0) return {jobs, kBlank, kBlank, kBlank, kBlank};
                       const Stats& x = of_group.*of;
                       return {jobs, x.mean, x.median, x.p95, x.max};
                     });
  }

  bool sliced() const {
    return std::any_of(runs_.begin(), runs_.end(), [](const NamedSummary& r) { return r.summary.slices.has_value(); });
  }

  void relative_responses() {
    if (!sliced()) return;
    const Summary& first = runs_.front().summary;
    by_class_and_run("Relative response time",
                     {{"mean", Look::kHundredths, Best::kLowest}, {"gain, %", Look::kPercent}},
                     [&](const Summary& s, std::size_t g) -> std::vector<double> {
                       if (group(s, g)->jobs == 0) return {kBlank, kBlank};
                       const Comparison c = compare(first, s);
                       const double gain = (g < c.by_class.size() ? c.by_class[g] : c.all).response_improvement;
                       return {group(s, g)->mean_relative_response, &s == &first ? kBlank : gain};
                     });
    if (runs_.size() > 1) out_.back().note = "Gain: how much lower it is than under " + runs_.front().name + ".";
  }

  void slices() {
    if (!sliced()) return;
    const auto of = [](auto get) -> Get {
      return [=](const Summary& s) { return s.slices ? static_cast<double>(get(*s.slices)) : kBlank; };
    };
    const auto first =
        std::find_if(runs_.begin(), runs_.end(), [](const NamedSummary& r) { return r.summary.slices.has_value(); });
    const auto gain = [&](const Summary& s) {
      return s.slices && &s != &first->summary ? compare(first->summary, s).overhead_reduction : kBlank;
    };
    using S = const SliceSummary&;
    add("Time slices",
        {figures("slices", Look::kCount, Best::kNone, of([](S s) { return s.counts.slices; })),
         figures("preemptions", Look::kCount, Best::kLowest, of([](S s) { return s.counts.preemptions; })),
         counts("loads", of([](S s) { return s.counts.loads; })),
         counts("swaps", of([](S s) { return s.counts.swaps; })),
         figures("resumed in other slices", Look::kCount, Best::kNone,
                 of([](S s) { return s.counts.foreign_resumed; })),
         figures("started in other slices", Look::kCount, Best::kNone,
                 of([](S s) { return s.counts.foreign_finishing + s.counts.foreign_pinned; })),
         figures("overhead, s", Look::kCount, Best::kLowest, of([](S s) { return s.overhead; })),
         figures("overhead, % of run times", Look::kPercent, Best::kLowest, of([](S s) { return s.share; })),
         figures("less overhead, %", Look::kPercent, Best::kNone, gain)},
        runs_.size() > 1 ? "Overhead: of all jobs together. Less overhead: than the first run that has time slices."
                         : "Overhead: of all jobs together.");
  }

  void shared_nodes() {
    if (std::none_of(runs_.begin(), runs_.end(), [](const NamedSummary& r) { return r.summary.sharing.has_value(); }))
      return;
    const auto of = [](auto member) -> Get {
      return [=](const Summary& s) { return s.sharing ? static_cast<double>((*s.sharing).*member) : kBlank; };
    };
    using S = SharingSummary;
    add("Shared nodes",
        {figures("efficiency, %", Look::kPercent, Best::kHighest, of(&S::efficiency)),
         figures("groups", Look::kCount, Best::kNone, of(&S::groups)),
         figures("jobs in a group", Look::kHundredths, Best::kNone, of(&S::jobs_per_group)),
         figures("gain had, %", Look::kPercent, Best::kHighest, of(&S::gain_had)),
         figures("gain promised, %", Look::kPercent, Best::kNone, of(&S::gain_promised)),
         figures("in groups, %", Look::kPercent, Best::kNone, of(&S::grouped_share)),
         counts("to end in time", of(&S::bounded)), counts("too late", of(&S::late)),
         counts("too late, in a group", of(&S::late_grouped))},
        "In groups: of the jobs that are not short. To end in time: jobs that were to keep a response time.");
    const auto high = [](auto get) -> Get {
      return [=](const Summary& s) { return s.high_load.phases > 0 ? static_cast<double>(get(s.high_load)) : kBlank; };
    };
    using H = const HighLoad&;
    add("High load",
        {figures("phases", Look::kCount, Best::kNone, high([](H h) { return h.phases; })),
         figures("time, s", Look::kCount, Best::kNone, high([](H h) { return h.in.time; })),
         figures("cores in use, %", Look::kPercent, Best::kHighest, high([](H h) { return h.in.core_utilization; })),
         figures("else, %", Look::kPercent, Best::kNone, high([](H h) { return h.outside.core_utilization; }))});
  }

  const std::vector<NamedSummary>& runs_;
  const MetricsOptions& options_;
  std::vector<ReportTable> out_;
};

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
  processors.columns = {"policy", "computing, %", "polling, %", "waiting, idle, %", "switching, %", "no process, %"};
  for (const ProcessReport& run : runs) {
    processors.rows.push_back({run.policy});
    for (const double share :
         {run.shares.computing, run.shares.polling, run.shares.blocked, run.shares.switching, run.shares.idle})
      processors.rows.back().push_back(figure_text(share, Look::kPercent));
  }
  std::vector<ReportTable> out;
  if (!jobs.rows.empty()) out.push_back(std::move(jobs));
  out.push_back(std::move(processors));
  return out;
}

}  // namespace coslice
