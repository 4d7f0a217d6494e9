#include "lab/papers/paper_chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace coslice {
namespace {

/// The place of a name in a list; it is added if it is new.
std::size_t place_in(std::vector<std::string>& names, const std::string& name) {
  const auto at = std::ranges::find(names, name);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

bool is_finite(const std::optional<double>& x) { return x && std::isfinite(*x); }

ChartPoint obtained_point(const Row& r, double x) {
  ChartPoint p{x, is_finite(r.obtained) ? *r.obtained : std::numeric_limits<double>::quiet_NaN()};
  if (r.interval) {
    p.low = r.interval->low;
    p.high = r.interval->high;
  }
  return p;
}

void sort_by_x(std::vector<ChartPoint>& points) { std::ranges::stable_sort(points, {}, &ChartPoint::x); }

std::string note_of(bool lines, bool published, bool intervals) {
  const std::string obtained =
      std::string(lines ? "lines: obtained" : "full: obtained") + (intervals ? ", with 95 % intervals" : "");
  if (!published) return intervals ? "obtained, with 95 % intervals" : "obtained";
  return obtained + (lines ? "; hollow marks: published" : "; pale: published");
}

}  // namespace

PaperChart::PaperChart(std::vector<Row> rows) : rows_(std::move(rows)) {
  is_lines_ = std::ranges::all_of(rows_, [](const Row& r) { return r.place->x.has_value(); });
  for (const Row& r : rows_) {
    place_in(groups_, r.place->at);
    place_in(series_, r.place->series);
  }
}

const Row* PaperChart::row(const std::string& group, const std::string& series) const {
  for (const Row& r : rows_)
    if (r.place->at == group && r.place->series == series) return &r;
  return nullptr;
}

bool PaperChart::is_drawn() const {
  if (!rows_.front().place->drawn.value_or(true)) return false;
  std::size_t drawn = 0;
  for (const Row& r : rows_) drawn += is_finite(r.obtained) ? 1 : 0;
  return drawn > 1;
}

Chart PaperChart::chart() const {
  Chart out;
  out.title = title();
  out.x.label = axis();
  out.y.label = unit();
  if (!is_lines_) out.x.names = groups_;
  bool any_published = false, any_interval = false;
  for (std::size_t s = 0; s < series_.size(); ++s) {
    const ChartLook look = is_lines_ ? ChartLook::kLine : ChartLook::kBars;
    ChartSeries obtained{series_[s], look, {}, static_cast<int>(s)};
    ChartSeries published{"", is_lines_ ? ChartLook::kMarks : look, {}, static_cast<int>(s), !is_lines_};
    for (const Row& r : rows_) {
      if (r.place->series != series_[s]) continue;
      const double x = is_lines_ ? *r.place->x : static_cast<double>(place_in_groups(r.place->at));
      obtained.points.push_back(obtained_point(r, x));
      if (is_finite(r.published)) published.points.push_back({x, *r.published});
      any_interval = any_interval || r.interval;
    }
    sort_by_x(obtained.points);
    sort_by_x(published.points);
    any_published = any_published || !published.points.empty();
    if (!published.points.empty()) out.series.push_back(published);
    out.series.push_back(obtained);
  }
  out.note = note_of(is_lines_, any_published, any_interval);
  return out;
}

std::size_t PaperChart::place_in_groups(const std::string& group) const {
  return static_cast<std::size_t>(std::ranges::find(groups_, group) - groups_.begin());
}

std::vector<PaperChart> paper_charts(const std::vector<Row>& rows) {
  std::vector<std::string> titles;
  for (const Row& r : rows)
    if (r.place) place_in(titles, r.place->chart);
  std::vector<PaperChart> charts;
  for (const std::string& title : titles) {
    std::vector<Row> of_chart;
    for (const Row& r : rows)
      if (r.place && r.place->chart == title) of_chart.push_back(r);
    charts.emplace_back(std::move(of_chart));
  }
  return charts;
}

}  // namespace coslice
