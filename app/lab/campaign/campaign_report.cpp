#include "lab/campaign/campaign_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "lab/campaign/campaign_groups.h"
#include "lab/campaign/results.h"
#include "lab/compare/common_runs.h"
#include "lab/compare/compared_figures.h"
#include "lab/compare/compared_runs.h"
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
    keep_common();
    drop_repeated();
    units_ = independent_seeds();
    find_axes();
    std::vector<const RunRecord*> runs;
    for (const RunRecord& r : records_) runs.push_back(&r);
    for (Figure& f : find_figures(options.figures, runs, true))
      if (is_of_all(f)) figures_.push_back(chart_figure(std::move(f)));
    drawn_ = figures_.size();
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
      const std::string text = v != nullptr ? axis_text(*v) : "-";
      if (names_policies(axis) && text != "-") policies_.add(text, run);
      place.push_back(names_policies(axis) ? policies_.of(text) : text);
    }
    note_made(run, place);
    if (run.done) {
      records_.push_back(record_of(run, results_.path()));
      places_.push_back(std::move(place));
      return;
    }
    failed_.title = "Runs that failed";
    failed_.columns = {"run", "where", "error"};
    failed_.texts = 3;
    std::string where;
    for (std::size_t i = 0; i < place.size(); ++i) where += (i > 0 ? ", " : "") + results_.axes()[i] + " " + place[i];
    if (failed_.rows.size() < kMostRows) failed_.rows.push_back({std::to_string(run.run), where, run.error});
  }

  /// The values on the axes that are conditions, or on the others, as one text; the seed is neither.
  std::string part_of(const std::vector<std::string>& place, bool conditions) const {
    std::string out;
    for (std::size_t i = 0; i < place.size(); ++i)
      if (results_.axes()[i] != "seed" && is_condition_axis(results_.axes()[i]) == conditions)
        out += (out.empty() ? "" : ", ") + results_.axes()[i] + " " + place[i];
    return out;
  }

  void note_made(const CampaignRun& run, const std::vector<std::string>& place) {
    const std::string point = part_of(place, false), where = std::to_string(run.run);
    MadeRuns& made = made_.emplace(point, MadeRuns{point, {}, {}, {}, ""}).first->second;
    made.all.push_back(where);
    VariantCells& cells = cells_[part_of(place, true)][point];
    if (run.done) {
      cells.done.insert({run.seed.value_or(0), ""});
      return;
    }
    ++cells.failed;
    made.failed.push_back(where);
    if (made.error.empty()) made.error = run.error.substr(0, run.error.find('\n'));
  }

  /// Under each condition the runs that all points have: else a policy that fails under high load would look good.
  void keep_common() {
    std::map<std::string, std::map<std::string, std::set<std::int64_t>>> kept;  // by condition and point
    for (const auto& [condition, points] : cells_) {
      std::vector<VariantCells> cells;
      for (const auto& [point, of] : points) cells.push_back(of);
      const CommonRuns common = common_runs(cells);
      std::size_t i = 0;
      for (const auto& [point, of] : points)
        if (!common.left_out[i++])
          kept[condition][point] = seeds_of(stand_apart(cells, common) ? of.done : common.cells);
    }
    const std::size_t before = records_.size();
    keep_records([&](std::size_t r) {
      const auto& seeds = kept[part_of(places_[r], true)][part_of(places_[r], false)];
      return seeds.count(records_[r].seed) != 0;
    });
    left_out_ = before - records_.size();
  }

  void drop_repeated() {
    std::vector<RunFingerprint> all;
    std::set<std::int64_t> seeds;
    for (std::size_t r = 0; r < records_.size(); ++r) {
      seeds.insert(records_[r].seed);
      all.push_back({records_[r].seed, part_of(places_[r], false) + "\n" + part_of(places_[r], true),
                     text_at(records_[r].summary, {"fingerprint"})});
    }
    const std::set<std::int64_t> repeated = repeated_seeds(all);
    if (repeated.empty()) return;
    repeated_ = repeated_text(seeds.size(), repeated.size(), Unit::kSeed);
    keep_records([&](std::size_t r) { return repeated.count(records_[r].seed) == 0; });
  }

  /// For each run the smallest seed that gave the same at its point: a policy that draws makes seeds differ, but not
  /// those of another one beside it.
  std::vector<std::int64_t> independent_seeds() const {
    std::vector<std::int64_t> out;
    std::map<std::pair<std::vector<std::string>, std::string>, std::int64_t> first;
    for (std::size_t r = 0; r < records_.size(); ++r) {
      std::vector<std::string> place = places_[r];
      for (std::size_t i = 0; i < place.size(); ++i)
        if (results_.axes()[i] == "seed") place[i].clear();
      const std::string fingerprint = text_at(records_[r].summary, {"fingerprint"});
      const std::int64_t seed = records_[r].seed;
      out.push_back(fingerprint.empty() ? seed : first.emplace(std::pair(place, fingerprint), seed).first->second);
    }
    return out;
  }

  template <class Keep>
  void keep_records(const Keep& keep) {
    std::vector<RunRecord> records;
    std::vector<std::vector<std::string>> places;
    for (std::size_t r = 0; r < records_.size(); ++r) {
      if (!keep(r)) continue;
      records.push_back(std::move(records_[r]));
      places.push_back(std::move(places_[r]));
    }
    records_ = std::move(records);
    places_ = std::move(places);
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
      axes_.push_back(std::move(axis));
      on_axis_.push_back(std::move(where));
    }
    if (axes_.empty() && !records_.empty()) {  // runs that differ in their seeds alone
      axes_.push_back({"policy", {text_at(records_.front().summary, {"policy", "name"})}});
      on_axis_.emplace_back(records_.size(), 0);
    }
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

  [[noreturn]] void refuse_lines() const {
    throw InputError({fmt::format("--by {}", fmt::join(options_.by, ",")), 0,
                      x_ >= 0 ? "its values would be lines, and are along the charts, too"
                              : "leaves no axis with several values along the charts",
                      "another axis than --x, and not all of them"});
  }

  /// Along the charts the first axis of numbers, lines for the policies: what people draw.
  void choose_axes() {
    const auto n = static_cast<int>(axes_.size());
    for (const std::string& axis : options_.by) lines_.push_back(axis_of("--by", axis));
    const auto is_line = [&](int i) { return std::ranges::find(lines_, static_cast<std::size_t>(i)) != lines_.end(); };
    for (int i = n - 1; i >= 0; --i)
      if (!is_line(i) && (x_ < 0 || fitness(static_cast<std::size_t>(i)) >= fitness(static_cast<std::size_t>(x_))))
        x_ = i;
    if (options_.x) x_ = static_cast<int>(axis_of("--x", *options_.x));
    if (n > 0 && (x_ < 0 || is_line(x_))) refuse_lines();
    for (int i = n - 1; i >= 0; --i)
      if (i != x_) by_ = i;
    for (int i = 0; i < n; ++i) {
      const std::string& name = axes_[static_cast<std::size_t>(i)].name;
      if (i != x_ && (names_policies(name))) by_ = i;
    }
    if (!lines_.empty()) by_ = static_cast<int>(lines_.front());
    if (by_ == x_) by_ = -1;
    if (lines_.empty() && by_ >= 0) lines_.push_back(static_cast<std::size_t>(by_));
  }

  std::string lead() const {
    const std::int64_t planned = results_.planned();
    std::int64_t runs = 0, failures = 0;
    for (const auto& [point, made] : made_) runs += std::ssize(made.all), failures += std::ssize(made.failed);
    return fmt::format("{} of {}{}{}", counted(runs - failures, "run"), grouped(planned),
                       failures > 0 ? fmt::format(", {} failed", failures) : "",
                       runs < planned ? fmt::format(", {} still to come", grouped(planned - runs)) : "");
  }

  void add_warnings(ReportPage& page) const {
    std::vector<MadeRuns> made;
    for (const auto& [point, of] : made_) made.push_back(of);
    if (const std::string failed = failures_text(made); !failed.empty())
      page.warnings.push_back(failed + " Those that failed are listed below.");
    if (records_.empty()) page.warnings.push_back("There is nothing to draw: no runs that ended well compare.");
    if (left_out_ > 0)
      page.warnings.push_back(fmt::format("{} that ended well {} in no figure, because another point has none of the "
                                          "same seed and condition.",
                                          counted(static_cast<std::int64_t>(left_out_), "run"),
                                          left_out_ == 1 ? "is" : "are"));
    if (!repeated_.empty()) page.warnings.push_back(repeated_);
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
    const Json& units = units_;
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
        {"axes", axes},       {"x", x_},          {"by", by_},      {"log", options_.log}, {"figure", first_figure()},
        {"figures", figures}, {"places", places}, {"seeds", seeds}, {"units", units},      {"quantiles", quantiles}};
  }

  static bool is_of_all(const Figure& f) { return f.job_class.empty() || f.job_class == "all"; }

  /// What the page begins with: the figure that was asked for, or the wait of all jobs.
  std::size_t first_figure() const {
    if (drawn_ > 0) return 0;
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

  /// The mean over the seeds of a point. `read` is figure_of or recorded_figure.
  template <class Read>
  Estimate estimate(const Figure& f, const std::vector<std::size_t>& runs, const Read& read) const {
    Sample sample;
    for (const std::size_t run : runs)
      if (const auto x = read(f, records_[run].summary)) sample.add(units_[run], *x);
    return sample.estimate();
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
      std::set<std::int64_t> seeds;
      for (const std::size_t run : point) seeds.insert(units_[run]);
      row.push_back(std::to_string(seeds.size()));
      for (const Figure& f : shown) {
        const Estimate e = estimate(f, point, figure_of);
        row.push_back(e.units == 0
                          ? "-"
                          : readable(e.mean) +
                                (e.interval ? " ± " + readable((e.interval->high - e.interval->low) / 2) : ""));
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
      if (static_cast<int>(a) != x_ && std::ranges::find(lines_, a) == lines_.end()) rest.push_back(a);
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
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      const ChartFigure& f = figures_[i];
      if (options_.figures.empty() ? !is_of_all(f.figure) || !f.figure.usual : i >= drawn_) continue;
      for (const auto& [rest, points] : places) out.push_back(chart(f, rest, points));
    }
    return out;
  }

  /// A line of a chart.
  struct LineOf {
    std::string name;
    int colour = 0;
    std::vector<std::size_t> points;  ///< places in those of the chart
  };

  /// One for each value of the axis that are lines; what has none there belongs to all of them.
  std::vector<LineOf> lines_of(const Points& points) const {
    if (lines_.size() > 1) return combined_lines(points);
    const auto value = [&](const auto& point) { return on_axis_[lines_.front()][point.front()]; };
    const bool split =
        !lines_.empty() && std::ranges::any_of(points, [&](const auto& point) { return value(point) != kAny; });
    const std::size_t series = split ? axes_[lines_.front()].values.size() : 1;
    std::vector<LineOf> out;
    for (std::size_t s = 0; s < series; ++s) {
      LineOf line{split ? axes_[lines_.front()].values[s] : "", static_cast<int>(s), {}};
      for (std::size_t p = 0; p < points.size(); ++p) {
        const std::size_t own = split ? value(points[p]) : kAny;
        if (own == s || own == kAny) line.points.push_back(p);
      }
      out.push_back(std::move(line));
    }
    return out;
  }

  /// Of several axes one for each combination that there is: "easy depth=5", and "fcfs", which has no depth.
  std::vector<LineOf> combined_lines(const Points& points) const {
    std::vector<LineOf> out;
    for (std::size_t p = 0; p < points.size(); ++p) {
      std::string name;
      for (const std::size_t a : lines_) {
        const std::string text = value_on(a, points[p].front(), ""), &axis = axes_[a].name;
        if (text.empty()) continue;
        name +=
            (name.empty() ? "" : " ") + (names_policies(axis) ? text : axis.substr(axis.rfind('.') + 1) + "=" + text);
      }
      auto line = std::ranges::find(out, name, &LineOf::name);
      if (line == out.end()) line = out.insert(line, {name, static_cast<int>(out.size()), {}});
      line->points.push_back(p);
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
    for (const LineOf& of : lines_of(points)) {
      ChartSeries line{of.name, lines ? ChartLook::kLine : ChartLook::kBars, {}, of.colour};
      for (const std::size_t p : of.points) most = std::max(most, add_points(line, f, points[p]));
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
    const Estimate e = estimate(f.figure, runs, recorded_figure);
    if (e.units == 0) return 0;
    ChartPoint p{0, e.mean};
    if (e.interval) p.low = e.interval->low, p.high = e.interval->high;
    const std::size_t own = on_axis_[static_cast<std::size_t>(x_)][runs.front()];
    for (std::size_t at = 0; at < axes_[static_cast<std::size_t>(x_)].values.size(); ++at) {
      if (own != at && own != kAny) continue;
      p.x = along(at);
      line.points.push_back(p);
    }
    return e.units;
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
  PolicyNames policies_;
  std::map<std::string, MadeRuns> made_;                              ///< by point, conditions and seed aside
  std::map<std::string, std::map<std::string, VariantCells>> cells_;  ///< by condition and point
  std::vector<std::int64_t> units_;  ///< beside the records: what is independent of one another in a point
  std::size_t left_out_ = 0;         ///< runs that ended well, but have none beside them
  std::string repeated_;             ///< what is to be said of seeds that are the same; ""
  std::size_t drawn_ = 0;            ///< of the figures, those that were asked for come first
  int x_ = -1, by_ = -1;
  std::vector<std::size_t> lines_;  ///< axes whose values are lines of the drawings; the page begins with the first
};

}  // namespace

CampaignReport campaign_report(const std::string& path, const CampaignReportOptions& options) {
  return CampaignReporter(path, options).report();
}

}  // namespace coslice
