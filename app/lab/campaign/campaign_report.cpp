#include "lab/campaign/campaign_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "lab/campaign/campaign_groups.h"
#include "lab/campaign/results.h"
#include "lab/compare/compared_figures.h"
#include "lab/compare/statistics.h"
#include "output/summary_json.h"
#include "report/markup.h"

namespace coslice {
namespace {

/// Returns a title as the name of a file, without an ending: "wait-all-jobs".
std::string file_name_of(const std::string& title) {
  std::string out;
  for (const char ch : title) {
    const bool plain = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '.';
    if (plain) out += ch;
    else if (!out.empty() && out.back() != '-') out += '-';
  }
  return out;
}

/// Returns each name once: those that were there already get a number, "easy-2".
std::vector<std::string> distinct_names(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& own : names) {
    std::string name = own;
    for (int n = 2; std::ranges::find(out, name) != out.end(); ++n) name = fmt::format("{}-{}", own, n);
    out.push_back(std::move(name));
  }
  return out;
}

/// Returns whether values on that axis of a campaign name policies, maybe by their files.
bool names_policies(const std::string& axis) { return axis == "policy" || axis == "policy.name"; }

/// Returns the place on an axis: "policy patient" for a file patient.lua whatever its folder; of other axes the value
/// as it is.
std::string axis_place(const std::string& axis, const std::string& value) {
  return axis + " " + (names_policies(axis) ? std::filesystem::path(value).stem().string() : value);
}

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRows = 400;    // of the table in the page; the chart reaches everything
constexpr std::size_t kMostLabelled = 8;  // values along a chart that are labelled themselves
constexpr std::size_t kAny =
    SIZE_MAX;  // the place on an axis that does not apply to a run: it stands at all its values

struct Axis {
  std::string name;
  std::vector<std::string> values;  ///< in the campaign's order
};

/// A figure as charts want it: shares of one and seconds, with the class in its title.
struct ChartFigure {
  Figure figure;
  std::string title;
  ChartUnit unit = ChartUnit::kNumber;
};

ChartFigure chart_figure(Figure f) {
  ChartFigure out{f, f.name, ChartUnit::kNumber};
  if (f.unit == FigureUnit::kSeconds) out.unit = ChartUnit::kTime;
  if (f.unit == FigureUnit::kShare) out.unit = ChartUnit::kShare;
  if (!f.job_class.empty()) out.title += f.job_class == "all" ? ", all jobs" : ", " + f.job_class + " jobs";
  return out;
}

bool is_number(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

class CampaignReporter {
 public:
  CampaignReporter(const std::string& path, const CampaignReportOptions& options) : results_(path), options_(options) {
    results_.each([&](CampaignRun&& run) { take(std::move(run)); });
    find_axes();
    std::vector<const RunRecord*> runs;
    for (const RunRecord& r : records_) runs.push_back(&r);
    for (Figure& f : known_figures(runs)) figures_.push_back(chart_figure(std::move(f)));
    choose_axes();
  }

  CampaignReport report() {
    CampaignReport out;
    ReportPage& page = out.page;
    page.title = !options_.title.empty()    ? options_.title
                 : !results_.name().empty() ? results_.name()
                                            : results_.path();
    page.lead = lead();
    add_warnings(page);
    if (!records_.empty()) {
      page.campaign = data().dump(-1, ' ', false, Json::error_handler_t::replace);
      page.tables.push_back(table());
      out.charts = charts();
    }
    if (!failed_.rows.empty()) page.tables.push_back(failed_);
    const std::string text = results_.meta("campaign");
    if (!text.empty()) page.sources.push_back({"the campaign", text});
    page.foot = "Made by " + options_.program + "; the runs by coslice " + results_.meta("version") + ".";
    return out;
  }

 private:
  void take(CampaignRun&& run) {
    std::vector<std::string> place;
    for (const std::string& axis : results_.axes()) {
      const Value* v = run.point.find(axis);
      place.push_back(v != nullptr ? axis_text(*v) : "-");
    }
    ++runs_;
    if (run.done) {
      records_.push_back(record_of(run, results_.path()));
      places_.push_back(std::move(place));
      return;
    }
    failed_.title = "Runs that failed";
    failed_.columns = {"run", "where", "error"};
    failed_.texts = 3;
    std::string where;
    for (std::size_t i = 0; i < place.size(); ++i)
      where += (i > 0 ? ", " : "") + axis_place(results_.axes()[i], place[i]);
    if (failed_.rows.size() < kMostRows) failed_.rows.push_back({std::to_string(run.run), where, run.error});
    ++failures_;
  }

  /// Axes but the seed's, with the values that occur; what has one value only says nothing.
  void find_axes() {
    for (std::size_t i = 0; i < results_.axes().size(); ++i) {
      if (results_.axes()[i] == "seed") continue;
      Axis axis{results_.axes()[i], {}};
      std::vector<std::size_t> where;
      for (const auto& place : places_) {
        if (place[i] == "-") {
          where.push_back(kAny);
          continue;
        }
        const auto at = std::ranges::find(axis.values, place[i]);
        where.push_back(static_cast<std::size_t>(at - axis.values.begin()));
        if (at == axis.values.end()) axis.values.push_back(place[i]);
      }
      if (axis.values.size() < 2) continue;
      if (names_policies(axis.name)) name_policies(axis, where);
      axes_.push_back(std::move(axis));
      on_axis_.push_back(std::move(where));
    }
    if (axes_.empty() && !records_.empty()) {  // runs that differ in their seeds alone
      axes_.push_back({"policy", {text_at(records_.front().summary, {"policy", "name"})}});
      on_axis_.emplace_back(records_.size(), 0);
    }
  }

  /// A policy has the name that it gives itself, not the path of its file.
  void name_policies(Axis& axis, const std::vector<std::size_t>& where) const {
    for (std::size_t v = 0; v < axis.values.size(); ++v) {
      const auto run = static_cast<std::size_t>(std::ranges::find(where, v) - where.begin());
      axis.values[v] = text_at(records_[run].summary, {"policy", "name"});
    }
    axis.values = distinct_names(axis.values);
  }

  std::size_t axis_of(const char* flag, const std::string& name) const {
    std::vector<std::string> names;
    for (const Axis& a : axes_) names.push_back(a.name);
    const auto at = std::ranges::find(names, name);
    if (at == names.end())
      throw InputError({std::string(flag) + " " + name, 0, "no such axis with several values",
                        fmt::format("one of: {}", fmt::join(names, ", ")), did_you_mean(name, names)});
    return static_cast<std::size_t>(at - names.begin());
  }

  bool numeric(std::size_t axis) const {
    return axes_[axis].values.size() > 1 && std::ranges::all_of(axes_[axis].values, is_number);
  }

  /// How well an axis suits the x axis of charts: numbers do, best those of all policies.
  int fitness(std::size_t axis) const {
    const auto& on = on_axis_[axis];
    return !numeric(axis) ? 0 : std::ranges::find(on, kAny) != on.end() ? 1 : 2;
  }

  /// Along the charts the first axis of numbers, lines for the policies: what people draw.
  void choose_axes() {
    const auto n = static_cast<int>(axes_.size());
    for (int i = n - 1; i >= 0; --i)
      if (x_ < 0 || fitness(static_cast<std::size_t>(i)) >= fitness(static_cast<std::size_t>(x_))) x_ = i;
    if (options_.x) x_ = static_cast<int>(axis_of("--x", *options_.x));
    for (int i = n - 1; i >= 0; --i)
      if (i != x_) by_ = i;
    for (int i = 0; i < n; ++i) {
      const std::string& name = axes_[static_cast<std::size_t>(i)].name;
      if (i != x_ && (names_policies(name))) by_ = i;
    }
    if (options_.by) by_ = static_cast<int>(axis_of("--by", *options_.by));
    if (by_ == x_) by_ = -1;
  }

  std::string lead() const {
    const std::int64_t planned = results_.planned();
    return fmt::format("{} of {}{}{}", counted(std::ssize(records_), "run"), grouped(planned),
                       failures_ > 0 ? fmt::format(", {} failed", failures_) : "",
                       runs_ < planned ? fmt::format(", {} still to come", grouped(planned - runs_)) : "");
  }

  void add_warnings(ReportPage& page) const {
    if (records_.empty()) page.warnings.push_back("No run has ended well: there is nothing to draw.");
    if (failures_ > 0)
      page.warnings.push_back(counted(failures_, "run") + " failed; they are listed below and in no figure.");
    std::int64_t saturated = 0;
    for (const RunRecord& r : records_) {
      const Value* trimmed = r.summary.find("trimmed");
      const Value* mark = trimmed != nullptr ? trimmed->find("saturated") : nullptr;
      saturated += mark != nullptr && mark->flag() != nullptr && *mark->flag();
    }
    if (saturated > 0)
      page.warnings.push_back(fmt::format(
          "In {} the machine fell behind, and the queue grew to the end: their waits say how long the runs were. The "
          "figure \"backlog growth\" shows where.",
          counted(saturated, "run")));
  }

  Json data() const {
    Json axes = Json::array(), figures = Json::array(), places = Json::array(), seeds = Json::array();
    for (const Axis& a : axes_) axes.push_back({{"name", a.name}, {"values", a.values}});
    for (const ChartFigure& f : figures_) {
      Json values = Json::array();
      for (const RunRecord& r : records_) values.push_back(rounded(recorded_figure(f.figure, r.summary)));
      const char* unit = f.unit == ChartUnit::kTime ? "time" : f.unit == ChartUnit::kShare ? "share" : "number";
      figures.push_back({{"title", f.title}, {"unit", unit}, {"values", values}});
    }
    for (std::size_t run = 0; run < records_.size(); ++run) {
      Json place = Json::array();
      for (const auto& on : on_axis_) place.push_back(on[run] == kAny ? Json(nullptr) : Json(on[run]));
      places.push_back(place);
      seeds.push_back(records_[run].seed);
    }
    Json quantiles = {nullptr};
    for (int freedom = 1; freedom <= 200; ++freedom) quantiles.push_back(rounded(student_quantile(0.95, freedom)));
    return {
        {"axes", axes},       {"x", x_},          {"by", by_},      {"log", options_.log},   {"figure", first_figure()},
        {"figures", figures}, {"places", places}, {"seeds", seeds}, {"quantiles", quantiles}};
  }

  /// What the page begins with: the wait of all jobs.
  std::size_t first_figure() const {
    const auto all = std::ranges::find_if(figures_, [](const ChartFigure& f) { return f.figure.job_class == "all"; });
    return all == figures_.end() ? 0 : static_cast<std::size_t>(all - figures_.begin());
  }

  static Json rounded(std::optional<double> x) {
    if (!x || !std::isfinite(*x)) return nullptr;
    return std::strtod(fmt::format("{:.6g}", *x).c_str(), nullptr);
  }

  /// The runs of each point, the seeds aside, in the order of the plan.
  std::vector<std::vector<std::size_t>> points() const {
    std::map<std::vector<std::size_t>, std::size_t> known;
    std::vector<std::vector<std::size_t>> out;
    for (std::size_t run = 0; run < records_.size(); ++run) {
      std::vector<std::size_t> place;
      for (const auto& on : on_axis_) place.push_back(on[run]);
      const auto [at, fresh] = known.emplace(place, out.size());
      if (fresh) out.emplace_back();
      out[at->second].push_back(run);
    }
    return out;
  }

  /// `read` is figure_of or recorded_figure.
  template <class Read>
  std::vector<double> values(const Figure& f, const std::vector<std::size_t>& runs, const Read& read) const {
    std::vector<double> out;
    for (const std::size_t run : runs)
      if (const auto x = read(f, records_[run].summary)) out.push_back(*x);
    return out;
  }

  ReportTable table() const {
    ReportTable t;
    t.title = "All points";
    for (const Axis& a : axes_) t.columns.push_back(a.name);
    t.texts = t.columns.size();
    t.columns.push_back("seeds");
    std::vector<const RunRecord*> runs;
    for (const RunRecord& r : records_) runs.push_back(&r);
    std::vector<Figure> shown;
    for (Figure& f : find_usual_figures(runs, true))
      if (f.job_class.empty() || f.job_class == "all") shown.push_back(std::move(f));
    for (const Figure& f : shown) t.columns.push_back(f.title());
    const auto all = points();
    for (const auto& point : all) {
      if (t.rows.size() == kMostRows) break;
      std::vector<std::string> row;
      for (std::size_t a = 0; a < axes_.size(); ++a) row.push_back(value_on(a, point.front(), "-"));
      row.push_back(std::to_string(point.size()));
      for (const Figure& f : shown) {
        const std::vector<double> v = values(f, point, figure_of);
        const auto interval = confidence_interval(v);
        row.push_back(v.empty() ? "-"
                                : readable(mean(v)) +
                                      (interval ? " ± " + readable((interval->high - interval->low) / 2) : ""));
      }
      t.rows.push_back(std::move(row));
    }
    t.note = "Means over the seeds with intervals of 95 %, without the first and last jobs of each run.";
    if (all.size() > kMostRows)
      t.note += fmt::format(" The first {} of {} points.", kMostRows, grouped(std::ssize(all)));
    return t;
  }

  std::string value_on(std::size_t axis, std::size_t run, const char* otherwise) const {
    const std::size_t at = on_axis_[axis][run];
    return at == kAny ? otherwise : axes_[axis].values[at];
  }

  using Points = std::vector<std::vector<std::size_t>>;

  /// The points by where they are drawn: their places on the axes that are neither along the charts nor lines.
  std::map<std::string, Points> points_by_chart() const {
    std::vector<std::size_t> rest;
    for (std::size_t a = 0; a < axes_.size(); ++a)
      if (static_cast<int>(a) != x_ && static_cast<int>(a) != by_) rest.push_back(a);
    std::map<Coordinates, Points> places;
    for (const auto& point : points()) {
      Coordinates at;
      for (const std::size_t a : rest) at.push_back(value_on(a, point.front(), ""));
      places[at].push_back(point);
    }
    std::vector<Coordinates> all;
    for (const auto& [at, points] : places) all.push_back(at);
    std::map<std::string, Points> out;
    for (const auto& [at, targets] : standing_places(all)) {
      for (const Coordinates& target : targets) {
        std::string text;
        for (std::size_t i = 0; i < rest.size(); ++i)
          if (!target[i].empty()) text += (text.empty() ? "" : ", ") + axes_[rest[i]].name + " " + target[i];
        Points& there = out[text];
        there.insert(there.end(), places[at].begin(), places[at].end());
      }
    }
    return out;
  }

  /// The usual figures, at each of these places.
  std::vector<Chart> charts() const {
    const std::map<std::string, Points> places = points_by_chart();
    std::vector<Chart> out;
    for (const ChartFigure& f : figures_) {
      const bool usual = f.figure.job_class.empty() || f.figure.job_class == "all";
      if (!usual || !f.figure.usual) continue;
      for (const auto& [rest, points] : places) out.push_back(chart(f, rest, points));
    }
    return out;
  }

  Chart chart(const ChartFigure& f, const std::string& rest, const Points& points) const {
    const auto x = static_cast<std::size_t>(x_);
    const bool lines = numeric(x);
    Chart c;
    c.name = file_name_of(f.title + (rest.empty() ? "" : " " + rest));
    c.title = f.title + " over " + axes_[x].name;
    c.x.label = axes_[x].name;
    if (!lines) c.x.names = axes_[x].values;
    else if (axes_[x].values.size() <= kMostLabelled)
      for (std::size_t at = 0; at < axes_[x].values.size(); ++at) c.x.ticks.push_back(along(at));
    std::ranges::sort(c.x.ticks);
    c.y.label = f.title;
    c.y.unit = f.unit;
    std::size_t most = 0;
    const bool split = by_ >= 0 && std::ranges::any_of(points, [&](const auto& point) {
                         return on_axis_[static_cast<std::size_t>(by_)][point.front()] != kAny;
                       });
    const std::size_t series = split ? axes_[static_cast<std::size_t>(by_)].values.size() : 1;
    for (std::size_t s = 0; s < series; ++s) {
      ChartSeries line{split ? axes_[static_cast<std::size_t>(by_)].values[s] : "",
                       lines ? ChartLook::kLine : ChartLook::kBars,
                       {},
                       static_cast<int>(s)};
      for (const auto& point : points) {
        const std::size_t own = split ? on_axis_[static_cast<std::size_t>(by_)][point.front()] : kAny;
        if (own == s || own == kAny) most = std::max(most, add_points(line, f, point));
      }
      std::ranges::stable_sort(line.points, {}, &ChartPoint::x);
      c.series.push_back(std::move(line));
    }
    if (most > 1)
      c.note = fmt::format("Means over {} with intervals of 95 %.", counted(static_cast<std::int64_t>(most), "seed"));
    if (!rest.empty()) c.note += (c.note.empty() ? "At " : " At ") + rest + ".";
    if (options_.log) make_logarithmic(c);
    return c;
  }

  /// The position of a value on the x axis of the charts.
  double along(std::size_t at) const {
    const auto x = static_cast<std::size_t>(x_);
    return numeric(x) ? std::strtod(axes_[x].values[at].c_str(), nullptr) : static_cast<double>(at);
  }

  /// The mean over the runs of a point, at its place or, without one, at all. Returns how many runs have the figure.
  std::size_t add_points(ChartSeries& line, const ChartFigure& f, const std::vector<std::size_t>& runs) const {
    const std::vector<double> v = values(f.figure, runs, recorded_figure);
    if (v.empty()) return 0;
    ChartPoint p{0, mean(v)};
    if (const auto interval = confidence_interval(v)) p.low = interval->low, p.high = interval->high;
    const std::size_t own = on_axis_[static_cast<std::size_t>(x_)][runs.front()];
    for (std::size_t at = 0; at < axes_[static_cast<std::size_t>(x_)].values.size(); ++at) {
      if (own != at && own != kAny) continue;
      p.x = along(at);
      line.points.push_back(p);
    }
    return v.size();
  }

  /// As the page does it (report/web/report/campaign.js): from a bit below the least value, so that an interval that
  /// reaches 0 ends at the edge. Bars begin at 0 and stay as they are.
  static void make_logarithmic(Chart& c) {
    double least = std::numeric_limits<double>::infinity(), low = least;
    for (const ChartSeries& s : c.series) {
      for (const ChartPoint& p : s.points) {
        if (s.look != ChartLook::kLine || p.y <= 0) return;
        least = std::min(least, p.y);
        low = std::min(low, p.low > 0 ? p.low : p.y);
      }
    }
    if (!std::isfinite(least)) return;
    c.y.log = true;
    c.y.low = std::max(low, least / 10) / 1.3;
  }

  CampaignResults results_;
  const CampaignReportOptions& options_;
  std::vector<RunRecord> records_;
  std::vector<std::vector<std::string>> places_;  ///< of the records, beside results_.axes()
  std::vector<Axis> axes_;
  std::vector<std::vector<std::size_t>> on_axis_;  ///< by axis, by record: which value
  std::vector<ChartFigure> figures_;
  ReportTable failed_;
  std::int64_t runs_ = 0, failures_ = 0;
  int x_ = -1, by_ = -1;
};

}  // namespace

CampaignReport campaign_report(const std::string& path, const CampaignReportOptions& options) {
  return CampaignReporter(path, options).report();
}

}  // namespace coslice
