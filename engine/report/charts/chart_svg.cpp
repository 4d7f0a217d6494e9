#include "report/charts/chart_svg.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "report/markup.h"
#include "report/svg.h"
#include "report/tables/terminal.h"

namespace coslice {
namespace {

// As in report/web/gantt/colours.js, but for the first, which is too bright for a line on white.
constexpr const char* kChartColours[][2] = {{"#d18a12", "#e0a23a"}, {"#3f8fca", "#5aa9e2"}, {"#38479e", "#8f9ff0"},
                                            {"#2f9e85", "#45b99e"}, {"#b0578d", "#cf79ad"}, {"#8a6d3b", "#b99860"},
                                            {"#7a8794", "#93a0ae"}};
// The other colours of a drawing, under a light and a dark theme.
constexpr const char* kOtherColours[][2] = {{"#ffffff", "#14171d"}, {"#3c4350", "#c3c9d4"}, {"#1f2430", "#eef0f4"},
                                            {"#6b7482", "#98a1b0"}, {"#e3e6eb", "#2b303a"}, {"#8a93a1", "#6b7482"}};
constexpr const char *kGridLook = "stroke=\"#e3e6eb\"", *kAxisLook = "stroke=\"#8a93a1\"";
constexpr std::size_t kPalette = std::size(kChartColours);
constexpr std::size_t kMostMarked = 40;  // points of a line that each get a mark
constexpr double kFont = 12, kLetter = 6.3, kLine = 17, kTitleFont = 15 * 1.06 /* bold */, kTitleLine = 18;

double text_length(const std::string& text) { return kLetter * static_cast<double>(display_width(text)); }

/// The words in lines of at most this many pixels.
std::vector<std::string> lines_of(const std::string& text, double width) {
  if (text.empty()) return {};
  return split(wrapped(text, static_cast<std::size_t>(std::max(width / kLetter, 1.0))), '\n');
}

class ChartDrawing : SvgWriter {
 public:
  ChartDrawing(const Chart& chart, const ChartSvgOptions& options, BlockWriter& out)
      : SvgWriter(out), chart_(chart), options_(options), x_(scale_of(chart, false)), y_(scale_of(chart, true)) {
    lay_out();
  }

  void draw() {
    head();
    legend();
    axes();
    for (std::size_t i = 0; i < chart_.series.size(); ++i) series(i, true);
    for (std::size_t i = 0; i < chart_.series.size(); ++i) series(i, false);
    note();
    add("</svg>\n");
  }

 private:
  struct Entry {
    std::size_t series;
    double x, y;
  };

  void lay_out() {
    const double width = options_.width;
    double longest = 0;
    for (const ChartTick& t : y_.ticks(most_rows())) longest = std::max(longest, text_length(t.text));
    left_ = std::ceil(longest) + 14 + (chart_.y.label.empty() ? 4 : 22);
    right_ = width - 18;
    if (options_.title) title_ = lines_of(printable(chart_.title), (right_ - left_) * kFont / kTitleFont);
    top_ = title_.empty() ? 14 : 22 + kTitleLine * static_cast<double>(title_.size());
    if (chart_.series.size() > 1 || !named_alone()) place_legend();
    note_ = chart_.note.empty() ? std::vector<std::string>{} : lines_of(printable(chart_.note), right_ - left_);
    slanted_ = names_are_long();
    bottom_ = options_.height - 12 - (chart_.x.label.empty() ? 8 : kLine + 4) - kLine -
              static_cast<double>(note_.size()) * 15 - (slanted_ ? slant_height() : 0);
    bottom_ = std::max(bottom_, top_ + 40);
  }

  /// What has nothing to show has no place in the legend either.
  static bool is_drawn(const ChartSeries& s) {
    return std::ranges::any_of(s.points, [](const ChartPoint& p) { return !std::isnan(p.y); });
  }

  bool named_alone() const { return chart_.series.empty() || chart_.series.front().name.empty(); }

  void place_legend() {
    double x = left_, y = top_ + 4;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      if (chart_.series[i].name.empty() || !is_drawn(chart_.series[i])) continue;
      const double wide = 26 + text_length(printable(chart_.series[i].name)) + 28;
      if (x > left_ && x + wide > right_ + 18) x = left_, y += kLine;
      entries_.push_back({i, x, y});
      x += wide;
    }
    if (!entries_.empty()) top_ = y + 14;
  }

  bool names_are_long() const {
    const double room = (right_ - left_) / static_cast<double>(std::max<std::size_t>(chart_.x.names.size(), 1));
    return std::ranges::any_of(chart_.x.names,
                               [&](const std::string& n) { return text_length(printable(n)) > room - 6; });
  }
  double slant_height() const {
    double longest = 0;
    for (const std::string& n : chart_.x.names) longest = std::max(longest, text_length(slanted_name(n)));
    return longest * 0.5;
  }
  /// The first name ends below the middle of its place and must not run out of the drawing.
  std::string slanted_name(const std::string& name) const {
    const double room = left_ + (right_ - left_) / static_cast<double>(chart_.x.names.size()) / 2;
    return shortened_name(printable(name), static_cast<std::size_t>(std::clamp(room / (0.87 * kLetter), 8.0, 24.0)));
  }
  static std::string shortened_name(const std::string& name, std::size_t most) {
    if (display_width(name) <= most) return name;
    std::string cut = name.substr(0, most - 1);
    while (!cut.empty() && (static_cast<unsigned char>(name[cut.size()]) & 0xC0) == 0x80) cut.pop_back();
    return cut + "…";
  }

  int most_rows() const { return std::max(3, options_.height / 60); }
  double x(double value) const { return left_ + x_.place(value) * (right_ - left_); }
  double y(double value) const { return bottom_ - y_.place(value) * (bottom_ - top_); }
  std::size_t place_of(std::size_t i) const {
    const int own = chart_.series[i].colour;
    return own < 0 ? i : static_cast<std::size_t>(own);
  }
  const char* colour(std::size_t i) const { return kChartColours[place_of(i) % kPalette][0]; }
  /// How many series before it have its colour.
  std::size_t round_of(std::size_t i) const { return place_of(i) / kPalette; }

  /// Bars have no marks and no dashes: those of a colour that others have are lighter, and in a frame.
  std::string bar_look(std::size_t i) const {
    std::string look = fmt::format("fill=\"{}\"", colour(i));
    if (chart_.series[i].faint)
      return look + fmt::format(" fill-opacity=\"0.3\" stroke=\"{}\" stroke-opacity=\"0.8\"", colour(i));
    if (round_of(i) == 0) return look;
    return look + fmt::format(" fill-opacity=\"{}\" stroke=\"{}\"{}", round_of(i) == 1 ? "0.35" : "0.05", colour(i),
                              round_of(i) > 2 ? " stroke-dasharray=\"3 2\"" : "");
  }

  void text(double at_x, double at_y, const char* anchor, std::string_view words, const char* more = "") {
    SvgWriter::text(at_x, at_y, fmt::format("text-anchor=\"{}\"{}", anchor, more), words);
  }

  void head() {
    begin(options_.width, options_.height, chart_.title,
          fmt::format(" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"{}\" "
                      "fill=\"#3c4350\"",
                      kFont));
    add(fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", options_.width, options_.height));
    if (options_.dark) dark_style();
    for (std::size_t i = 0; i < title_.size(); ++i)
      text(left_, 24 + kTitleLine * static_cast<double>(i), "start", title_[i],
           " font-size=\"15\" font-weight=\"600\" fill=\"#1f2430\"");
  }

  void dark_style() {
    std::string rules = "@media (prefers-color-scheme: dark) {\n";
    const auto note_all = [&](const auto& colours) {
      for (const auto& [light, dark] : colours)
        rules += fmt::format("[fill=\"{0}\"]{{fill:{1}}}[stroke=\"{0}\"]{{stroke:{1}}}\n", light, dark);
    };
    note_all(kOtherColours);
    note_all(kChartColours);
    style(rules + "}");
  }

  void legend() {
    for (const Entry& e : entries_) {
      sample(e);
      text(e.x + 26, e.y + 4, "start", chart_.series[e.series].name);
    }
  }

  void sample(const Entry& e) {
    const ChartSeries& s = chart_.series[e.series];
    const double opacity = s.faint ? 0.35 : 1;
    if (s.look == ChartLook::kBars && round_of(e.series) > 0) {
      rect(e.x + 0.5, e.y - 4.5, 17, 9, bar_look(e.series));
      return;
    }
    if (s.look == ChartLook::kBars || s.look == ChartLook::kArea) {
      add(fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"18\" height=\"10\" fill=\"{}\" opacity=\"{}\"/>\n", e.x,
                      e.y - 5, colour(e.series), opacity));
      return;
    }
    if (s.look != ChartLook::kMarks)
      path(fmt::format("M{:.1f} {:.1f}h18", e.x, e.y), fmt::format("stroke=\"{}\" stroke-width=\"2\"{} opacity=\"{}\"",
                                                                   colour(e.series), dashes(e.series), opacity));
    if (is_marked(s)) mark(e.series, e.x + 9, e.y);
  }

  static bool is_marked(const ChartSeries& s) {
    return s.look == ChartLook::kMarks || (s.look == ChartLook::kLine && s.points.size() <= kMostMarked);
  }

  /// Lines without marks are distinguished by dashes as well, for print without colour.
  std::string dashes(std::size_t i) const {
    constexpr const char* kDashes[] = {"", "7 3", "2.5 2.5", "9 3 2 3", "4 2"};
    const ChartSeries& s = chart_.series[i];
    if (is_marked(s) || chart_.series.size() < 2) return "";
    const std::string dash = kDashes[i % std::size(kDashes)];
    return dash.empty() ? "" : " stroke-dasharray=\"" + dash + "\"";
  }

  void axes() {
    for (const ChartTick& t : y_.ticks(most_rows())) {
      const double at = bottom_ - t.at * (bottom_ - top_);
      across(at, kGridLook);
      text(left_ - 7, at + 4, "end", t.text);
    }
    x_ticks();
    if (y_.low() < 0 && y_.high() > 0 && !chart_.y.log) across(y(0), kAxisLook);
    across(bottom_, kAxisLook);
    const double below = bottom_ + kLine + (slanted_ ? slant_height() : 0);
    if (!chart_.x.label.empty()) text((left_ + right_) / 2, below + kLine, "middle", chart_.x.label);
    if (!chart_.y.label.empty()) upright(15, (top_ + bottom_) / 2, "text-anchor=\"middle\"", chart_.y.label);
  }

  void across(double at, const char* look) { path(fmt::format("M{:.1f} {:.1f}H{:.1f}", left_, at, right_), look); }

  void x_ticks() {
    double last = -1e9;
    for (const ChartTick& t : x_.ticks(most_columns())) {
      const double at = left_ + t.at * (right_ - left_);
      if (slanted_) {
        const std::string name = slanted_name(t.text);
        add(fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-30)\" text-anchor=\"end\">{}</text>\n",
                        at + 4, bottom_ + 16, in_svg(name)));
        continue;
      }
      if (chart_.x.names.empty()) path(fmt::format("M{:.1f} {:.1f}v5", at, bottom_), kAxisLook);
      const double half = text_length(t.text) / 2, middle = label_middle(t);
      if (middle - half < last + 5) continue;
      last = middle + half;
      text(middle, bottom_ + kLine, "middle", t.text);
    }
  }

  /// A label at the end of the axis stays in the drawing.
  double label_middle(const ChartTick& t) const {
    return std::min(left_ + t.at * (right_ - left_), options_.width - 3 - text_length(t.text) / 2);
  }

  /// As many ticks along the chart as have room for their labels.
  int most_columns() const {
    int most = std::max(2, static_cast<int>((right_ - left_) / 62));
    for (; most > 2; --most) {
      double last = -1e9;
      bool fits = true;
      for (const ChartTick& t : x_.ticks(most)) {
        const double half = text_length(t.text) / 2, middle = label_middle(t);
        fits = fits && middle - half >= last + 5;
        last = middle + half;
      }
      if (fits) break;
    }
    return most;
  }

  void note() {
    double at = options_.height - 8 - 15 * (static_cast<double>(note_.size()) - 1);
    for (const std::string& line : note_) {
      text(left_, at, "start", line, " font-size=\"11\" fill=\"#6b7482\"");
      at += 15;
    }
  }

  void series(std::size_t i, bool behind) {
    const ChartSeries& s = chart_.series[i];
    if (behind != (s.faint || s.look == ChartLook::kArea || s.look == ChartLook::kBars)) return;
    if (s.look == ChartLook::kBars) return bars(i);
    if (s.look == ChartLook::kArea) area(i);
    else if (s.look != ChartLook::kMarks) line(i);
    const double beside = aside(i);
    for (const ChartPoint& p : s.points) {
      if (std::isnan(p.y)) continue;
      error_bar(i, x(p.x) + beside, p);
      if (is_marked(s)) mark(i, x(p.x) + beside, y(p.y));
    }
  }

  /// Lines with intervals stand a little beside one another, so that these can be distinguished.
  double aside(std::size_t i) const {
    constexpr double kAside = 5;
    const auto apart = [](const ChartSeries& s) {
      return s.look == ChartLook::kLine &&
             std::ranges::any_of(s.points, [](const ChartPoint& p) { return !std::isnan(p.low); });
    };
    if (!apart(chart_.series[i])) return 0;
    const auto at = chart_.series.begin() + static_cast<std::ptrdiff_t>(i);
    const auto before = static_cast<double>(std::count_if(chart_.series.begin(), at, apart));
    const auto all = static_cast<double>(std::ranges::count_if(chart_.series, apart));
    return (before - (all - 1) / 2) * std::min(kAside, 4 * kAside / all);
  }

  void line(std::size_t i) {
    const ChartSeries& s = chart_.series[i];
    const double beside = aside(i);
    std::string d;
    bool open = false;
    for (const ChartPoint& p : s.points) {
      if (std::isnan(p.y)) {
        open = false;
        continue;
      }
      if (!open) d += fmt::format("M{:.2f} {:.2f}", x(p.x) + beside, y(p.y));
      else if (s.look == ChartLook::kSteps) d += fmt::format("H{:.2f}V{:.2f}", x(p.x), y(p.y));
      else d += fmt::format("L{:.2f} {:.2f}", x(p.x) + beside, y(p.y));
      open = true;
    }
    path(d, fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" stroke-linejoin=\"round\"{} "
                        "opacity=\"{}\"",
                        colour(i), dashes(i), s.faint ? 0.35 : 1));
  }

  void area(std::size_t i) {
    const ChartSeries& s = chart_.series[i];
    if (s.points.empty()) return;
    std::string d = fmt::format("M{:.2f} {:.2f}", x(s.points.front().x), bottom_);
    for (const ChartPoint& p : s.points) d += fmt::format("H{:.2f}V{:.2f}", x(p.x), y(std::isnan(p.y) ? 0 : p.y));
    path(fmt::format("{}V{:.2f}Z", d, bottom_),
         fmt::format("fill=\"{}\" opacity=\"{}\"", colour(i), s.faint ? 0.3 : 0.75));
  }

  void bars(std::size_t i) {
    std::size_t all = 0, mine = 0;
    for (std::size_t k = 0; k < chart_.series.size(); ++k) {
      if (chart_.series[k].look != ChartLook::kBars) continue;
      if (k == i) mine = all;
      ++all;
    }
    const double slot = x(1) - x(0), wide = slot * 0.76 / static_cast<double>(all);
    const std::string look = bar_look(i);
    for (const ChartPoint& p : chart_.series[i].points) {
      if (std::isnan(p.y)) continue;
      const double from = x(p.x) - slot * 0.38 + wide * static_cast<double>(mine);
      const double base = y(std::max(0.0, y_.low())), end = y(p.y);
      rect(from + 0.5, std::min(base, end), std::max(wide - 1, 0.5), std::abs(base - end), look);
      error_bar(i, from + wide / 2, p, true);
    }
  }

  void error_bar(std::size_t i, double at, const ChartPoint& p, bool on_bar = false) {
    if (std::isnan(p.low) || std::isnan(p.high)) return;
    path(fmt::format("M{0:.2f} {1:.2f}V{2:.2f}M{3:.2f} {1:.2f}h6M{3:.2f} {2:.2f}h6", at, y(p.low), y(p.high), at - 3),
         fmt::format("stroke=\"{}\" stroke-width=\"1.2\"", on_bar ? "#1f2430" : colour(i)));
  }

  void mark(std::size_t i, double at_x, double at_y) {
    constexpr const char* kShapes[] = {"m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0", "m-3.1 -3.1h6.2v6.2h-6.2z",
                                       "m0 -4l3.9 6.8h-7.8z", "m0 -4.4l4.4 4.4l-4.4 4.4l-4.4 -4.4z",
                                       "m0 4l3.9 -6.8h-7.8z"};
    const bool hollow = chart_.series[i].look == ChartLook::kMarks;
    const std::size_t shape =
        static_cast<std::size_t>(chart_.series[i].colour < 0 ? static_cast<int>(i) : chart_.series[i].colour);
    path(fmt::format("M{:.2f} {:.2f}{}", at_x, at_y, kShapes[shape % std::size(kShapes)]),
         fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"1.4\"", hollow ? "#ffffff" : colour(i), colour(i)));
  }

  const Chart& chart_;
  const ChartSvgOptions& options_;
  ChartScale x_, y_;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
  bool slanted_ = false;
  std::vector<Entry> entries_;
  std::vector<std::string> title_, note_;
};

/// Narrower ranges are none for a number of 53 bits.
constexpr double kNarrowest = 1e-11;

struct Extent {
  double low = 0, high = 0;
  bool any = false;
  void see(double v) {
    if (!std::isfinite(v)) return;
    low = any ? std::min(low, v) : v;
    high = any ? std::max(high, v) : v;
    any = true;
  }
};

Extent extent_of(const Chart& chart, bool upright) {
  Extent e;
  for (const ChartSeries& s : chart.series) {
    for (const ChartPoint& p : s.points) {
      if (std::isnan(p.y)) continue;
      e.see(upright ? p.y : p.x);
      if (upright) e.see(p.low), e.see(p.high);
    }
  }
  return e;
}

}  // namespace

void write_chart_svg(const Chart& chart, const ChartSvgOptions& options, const Sink& sink) {
  BlockWriter out(sink);
  ChartDrawing(chart, options, out).draw();
  out.flush();
}

ChartScale::ChartScale(const ChartAxis& axis, double low, double high) : axis_(axis), low_(low), high_(high) {
  if (!axis.names.empty()) {
    low_ = -0.5;
    high_ = static_cast<double>(axis.names.size()) - 0.5;
  }
  if (axis.log && low_ <= 0) low_ = high_ > 0 ? std::min(1.0, high_ / 1000) : 1;
  if (!(high_ > low_)) high_ = axis.log ? low_ * 10 : low_ + 1;
  const double least = kNarrowest * std::max(std::abs(low_), std::abs(high_));
  if (high_ - low_ < least) high_ = low_ + least;
}

double ChartScale::place(double value) const {
  if (axis_.log) {
    if (!(value > low_)) return 0;
    return std::min(std::log(value / low_) / std::log(high_ / low_), 1.0);
  }
  return std::clamp((value - low_) / (high_ - low_), 0.0, 1.0);
}

std::vector<ChartTick> ChartScale::ticks(int most) const {
  if (!axis_.names.empty()) return named();
  if (!axis_.ticks.empty()) return given();
  if (axis_.log) return powers(most);
  switch (axis_.unit) {
    case ChartUnit::kTime: return placed(round_values(low_, high_, time_step(low_, high_, most)));
    case ChartUnit::kShare: return placed(round_values(low_, high_, share_step(low_, high_, most)));
    case ChartUnit::kNumber: break;
  }
  return placed(round_values(low_, high_, number_step(low_, high_, most)));
}

std::vector<ChartTick> ChartScale::placed(const std::vector<AxisValue>& values) const {
  std::vector<ChartTick> out;
  for (const AxisValue& v : values) out.push_back({place(v.value), v.value, v.text});
  return out;
}

std::vector<ChartTick> ChartScale::named() const {
  std::vector<AxisValue> values;
  for (const std::string& name : axis_.names) values.push_back({static_cast<double>(values.size()), name});
  return placed(values);
}

std::vector<ChartTick> ChartScale::given() const {
  std::vector<double> inside;
  for (const double v : axis_.ticks)
    if (v >= low_ && v <= high_) inside.push_back(v);
  if (axis_.unit == ChartUnit::kTime) return placed(labelled_times(inside));
  std::vector<AxisValue> values;
  for (const double v : inside)
    values.push_back({v, axis_.unit == ChartUnit::kShare ? exact_percent(v) : exact_number(v)});
  return placed(values);
}

std::vector<ChartTick> ChartScale::powers(int most) const {
  AxisStep unit;
  if (axis_.unit == ChartUnit::kTime) unit = time_unit_of_powers(low_, high_);
  if (axis_.unit == ChartUnit::kShare) unit = {1, 0.01, " %"};
  return placed(round_powers(low_, high_, most, unit));
}

ChartScale scale_of(const Chart& chart, bool upright) {
  const ChartAxis& axis = upright ? chart.y : chart.x;
  const Extent e = extent_of(chart, upright);
  double low = e.low, high = e.high;
  if (upright && !axis.log) {  // heights count from 0, with a little air above and below
    const double air = 0.04 * (std::max(high, 0.0) - std::min(low, 0.0));
    low = low < 0 ? low - air : 0;
    high = high > 0 ? high + air : 0;
  } else if (upright && high > 0 && low > 0) {
    low /= 1.15;
    high *= 1.15;
  } else if (!upright && axis.names.empty() && !axis.log) {
    bool points = false;  // single points keep off the frame
    for (const ChartSeries& s : chart.series) points |= s.look == ChartLook::kMarks || s.points.size() <= 30;
    const double air = points ? 0.03 * (high - low) : 0;
    low -= air;
    high += air;
  }
  return {axis, axis.low.value_or(low), axis.high.value_or(high)};
}

}  // namespace coslice
