// Charts: scales with round ticks, drawings with everything in its place.
#include <cmath>
#include <limits>
#include <set>

#include "catch.h"
#include "report/charts/chart.h"
#include "report/charts/chart_svg.h"
#include "report/charts/run_charts.h"

namespace chart_test {

using namespace coslice;

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

ChartAxis axis(ChartUnit unit, bool log = false) {
  ChartAxis a;
  a.unit = unit;
  a.log = log;
  return a;
}

std::string labels(const ChartAxis& axis, double low, double high, int most) {
  std::string out;
  for (const ChartTick& t : ChartScale(axis, low, high).ticks(most)) out += (out.empty() ? "" : "|") + t.text;
  return out;
}

std::string drawn(const Chart& chart, ChartSvgOptions options = {}) {
  std::string text;
  write_chart_svg(chart, options, sink_to(text));
  return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

Chart two_points() {
  Chart c;
  c.title = "wait";
  c.series = {{"easy", ChartLook::kLine, {{1, 10, 8, 12}, {2, 20, 19, 21}}}};
  return c;
}

}  // namespace

TEST_CASE("ticks stand at round values, or where an axis wants them", "[chart]") {
  CHECK(labels(axis(ChartUnit::kNumber), 0, 10, 5) == "0|2|4|6|8|10");
  CHECK(labels(axis(ChartUnit::kNumber), 0, 2600, 6) == "0|500|1,000|1,500|2,000|2,500");
  CHECK(labels(axis(ChartUnit::kNumber), -0.3, 0.3, 4) == "-0.2|0|0.2");
  CHECK(labels(axis(ChartUnit::kShare), 0, 1, 5) == "0|20 %|40 %|60 %|80 %|100 %");
  CHECK(labels(axis(ChartUnit::kTime), 0, 7200, 5) == "0|0.5 h|1 h|1.5 h|2 h");
  CHECK(labels(axis(ChartUnit::kTime), 0, 172800, 5) == "0|12 h|24 h|36 h|48 h");
  CHECK(labels(axis(ChartUnit::kTime), 0, 864000, 5) == "0|2 d|4 d|6 d|8 d|10 d");
  CHECK(labels(axis(ChartUnit::kTime, true), 1, 86400, 8) == "1 s|10 s|100 s|1,000 s|10,000 s");
  CHECK(labels(axis(ChartUnit::kNumber, true), 1, 100, 8) == "1|2|5|10|20|50|100");
  CHECK(labels(axis(ChartUnit::kNumber, true), 1, 1e6, 8) == "1|10|100|1,000|10,000|100,000|1,000,000");
  ChartAxis named;
  named.names = {"a", "b"};
  CHECK(labels(named, 0, 0, 8) == "a|b");
  ChartAxis few;
  few.ticks = {0.82, 0.86, 0.9};
  CHECK(labels(few, 0.8, 0.92, 8) == "0.82|0.86|0.9");
}

TEST_CASE("scales have an extent, whatever the data", "[chart]") {
  const ChartAxis plain, log = axis(ChartUnit::kNumber, true);
  CHECK(ChartScale(plain, 5, 5).place(5.5) == Approx(0.5));
  CHECK(ChartScale(log, 0, 0).place(1) == 0);
  CHECK(ChartScale(log, 1, 100).place(10) == Approx(0.5));
  CHECK(ChartScale(log, 1, 100).place(0) == 0);
  CHECK(ChartScale(plain, 0, 10).place(20) == 1);
  Chart c = two_points();
  CHECK(scale_of(c, true).low() == 0);
  CHECK(scale_of(c, true).high() > 21);
  CHECK(scale_of(c, false).low() < 1);
  c.series[0].points = {{1, kNothing}};
  CHECK(scale_of(c, true).high() > scale_of(c, true).low());
}

TEST_CASE("a drawing has its marks, error bars and texts", "[chart]") {
  Chart c = two_points();
  c.note = "means over 10 seeds";
  c.x.label = "load";
  const std::string svg = drawn(c);
  CHECK(has(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 400\""));
  CHECK(has(svg, ">wait</text>"));
  CHECK(has(svg, ">load</text>"));
  CHECK(has(svg, ">means over 10 seeds</text>"));
  CHECK(count(svg, "h6M") == 2);
  CHECK(svg.substr(svg.size() - 7) == "</svg>\n");
  CHECK(!has(svg, "nan"));
  CHECK(!has(svg, "inf"));
}

TEST_CASE("published bars are pale, and lie beside those obtained", "[chart]") {
  Chart c;
  c.x.names = {"W1", "W2"};
  c.series = {{"", ChartLook::kBars, {{0, 3}}, 0, true}, {"easy", ChartLook::kBars, {{0, 2}, {1, -1}}, 0}};
  const std::string svg = drawn(c);
  CHECK(count(svg, "fill-opacity=\"0.3\"") == 1);
  CHECK(count(svg, "<rect") == 5);  // the page, the legend's one entry, three bars
}

TEST_CASE("under a dark theme every colour has its twin", "[chart]") {
  Chart c;
  c.x.names = {"a"};
  c.note = "a note";
  for (int i = 0; i < 7; ++i)
    c.series.push_back({"s" + std::to_string(i), ChartLook::kBars, {{0, 1.0 * i - 3, -4, 4}}});
  CHECK(!has(drawn(c), "prefers-color-scheme"));
  ChartSvgOptions options;
  options.dark = true;
  const std::string svg = drawn(c, options), style = svg.substr(svg.find("<style>"), svg.find("</style>"));
  const std::string rest = svg.substr(0, svg.find("<style>")) + svg.substr(svg.find("</style>"));
  for (const char* of : {"fill=\"#", "stroke=\"#"}) {
    for (std::size_t at = 0; (at = rest.find(of, at)) != std::string::npos; ++at) {
      const std::string colour = rest.substr(at, rest.find('"', at + std::string(of).size()) - at + 1);
      INFO(colour);
      CHECK(has(style, "[" + colour + "]{"));
    }
  }
}

TEST_CASE("a title that is too long for a line goes on in the next", "[chart]") {
  Chart c = two_points();
  c.title = "Shorter relative response times with the two-stage allocation than with first-free";
  ChartSvgOptions options;
  options.width = 460;
  CHECK(count(drawn(c, options), "font-weight=\"600\" fill=\"#1f2430\">") == 2);
  options.title = false;
  CHECK(count(drawn(c, options), "font-weight=\"600\"") == 0);
}

TEST_CASE("names that would be markup are text", "[chart]") {
  Chart c = two_points();
  c.title = "<script>alert(1)</script> & \"co\"";
  c.series[0].name = "</text><b>";
  c.series.push_back({"\x1b[31mred\xff", ChartLook::kMarks, {{1, 5}}});
  c.x.label = "a<b";
  const std::string svg = drawn(c);
  CHECK(!has(svg, "<script"));
  CHECK(!has(svg, "<b>"));
  CHECK(has(svg, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;co&quot;"));
  CHECK(!has(svg, "\x1b"));
  CHECK(!has(svg, "\xff"));
}

TEST_CASE("a chart of nothing is still a chart", "[chart]") {
  for (const bool log : {false, true}) {
    Chart c;
    c.x.log = c.y.log = log;
    CHECK(has(drawn(c), "</svg>"));
    c.series = {{"a", ChartLook::kArea, {}}, {"b", ChartLook::kLine, {{0, kNothing}}}};
    const std::string svg = drawn(c);
    CHECK(!has(svg, "nan"));
    CHECK(!has(svg, "inf"));
  }
}

TEST_CASE("bars stand side by side", "[chart]") {
  Chart c;
  c.x.names = {"low", "high"};
  c.series = {{"easy", ChartLook::kBars, {{0, 1}, {1, 2}}}, {"fcfs", ChartLook::kBars, {{0, 3, 2, 4}, {1, 4}}}};
  const std::string svg = drawn(c);
  CHECK(count(svg, "<rect") == 1 + 2 + 4);  // the page, the legend, the bars
  CHECK(count(svg, "stroke=\"#1f2430\"") == 1);
  c.x.names = {"a name that is far too long for the place that it has", "another one that is even longer than it"};
  CHECK(has(drawn(c), "rotate(-30)"));
}

TEST_CASE("a distribution keeps its ends, its ties and its tail", "[chart]") {
  const auto few = distribution({3, 1, 1, 2});
  REQUIRE(few.size() == 3);
  CHECK(few[0].x == 1);
  CHECK(few[0].y == 0.5);
  CHECK(few[2].y == 1);
  std::vector<double> many;
  for (int i = 100000; i > 0; --i) many.push_back(i);
  const auto points = distribution(many);
  CHECK(points.size() < 330);
  CHECK(points.front().x == 1);
  CHECK(points.back().x == 100000);
  CHECK(points[points.size() - 2].x == 99999);  // the largest are there one by one
  for (const ChartPoint& p : points) CHECK(p.y == Approx(p.x / 100000));
}

TEST_CASE("a long timeline is cut into parts with its means and peaks", "[chart]") {
  const auto at = [](std::int64_t s) { return Time{whole_seconds(s)}; };
  std::vector<TimelinePoint> timeline;
  for (int i = 0; i < 1000; ++i) timeline.push_back({at(i), i % 10 == 0 ? 50 : 0, 0, 0});
  const auto queue = [&](std::size_t i) { return static_cast<double>(timeline[i].queue); };
  const TimelineParts parts = timeline_parts(timeline, at(0), at(1000), 100, queue);
  REQUIRE(parts.mean.size() == 101);
  REQUIRE(parts.highest.size() == 101);
  for (const ChartPoint& p : parts.mean) CHECK(p.y == Approx(5));
  for (const ChartPoint& p : parts.highest) CHECK(p.y == 50);
  timeline = {{at(0), 1, 0, 0}, {at(5), 3, 0, 0}};
  const TimelineParts exact = timeline_parts(timeline, at(2), at(10), 100, queue);
  CHECK(exact.highest.empty());
  REQUIRE(exact.mean.size() == 3);
  CHECK(exact.mean[0].x == 2);
  CHECK(exact.mean[1].x == 5);
  CHECK(exact.mean[2].y == 3);
}

TEST_CASE("charts as JSON: what is not known is null", "[chart]") {
  Chart c = two_points();
  c.series[0].points.push_back({3, kNothing});
  const std::string json = charts_json({c});
  CHECK(has(json, "\"y\":[10,20,null]"));
  CHECK(has(json, "\"low\":[8,19,null]"));
  CHECK(has(json, "\"look\":\"line\""));
}

TEST_CASE("bars of more series than there are colours differ", "[chart]") {
  Chart c;
  c.x.names = {"a", "b"};
  for (int i = 0; i < 24; ++i)
    c.series.push_back({"s" + std::to_string(i), ChartLook::kBars, {{0, 1.0 + i}, {1, 2}}, i});
  const std::string svg = drawn(c);
  std::set<std::string> looks;
  std::size_t bars = 0;
  for (std::size_t at = 0; (at = svg.find("<rect x=", at)) != std::string::npos; ++at) {
    const std::size_t fill = svg.find("fill=", at);
    looks.insert(svg.substr(fill, svg.find("/>", fill) - fill));
    ++bars;
  }
  CHECK(bars == 24 * 3);  // two each, and one in the legend
  // Those of the first round are not quite as in the legend, which says that they cover all.
  CHECK(looks.size() == 24 + 7);
}

}  // namespace chart_test
