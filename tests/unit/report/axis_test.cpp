// The ticks of axes: every label is the whole value, in one unit for all of an axis.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "catch.h"
#include "report/charts/axis_ticks.h"
#include "report/charts/chart_svg.h"

namespace axis_test {

using namespace coslice;

namespace {

struct Label {
  double number = 0;
  std::string unit;
};

/// "-1,500 min" is -1500 of "min".
Label read(const std::string& text) {
  const std::size_t blank = text.find(' ');
  std::string digits = text.substr(0, blank);
  digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
  std::size_t used = 0;
  const double number = std::stod(digits, &used);
  CHECK(used == digits.size());
  return {number, blank == std::string::npos ? "" : text.substr(blank + 1)};
}

double length_of(const std::string& unit, ChartUnit of) {
  static const std::map<std::string, double> kLengths = {{"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
  if (of == ChartUnit::kTime) return kLengths.at(unit);
  CHECK(unit == (of == ChartUnit::kShare ? "%" : ""));
  return of == ChartUnit::kShare ? 0.01 : 1;
}

std::string joined(const std::vector<ChartTick>& ticks) {
  std::string out;
  for (const ChartTick& t : ticks) out += (out.empty() ? "" : "|") + t.text;
  return out;
}

/// What every axis has to keep, whatever its range.
void check_axis(const ChartAxis& axis, double low, double high, int most) {
  const ChartScale scale(axis, low, high);
  const std::vector<ChartTick> ticks = scale.ticks(most);
  const double span = scale.high() - scale.low();
  INFO("unit " << static_cast<int>(axis.unit) << (axis.log ? ", log" : "") << ", " << low << " to " << high
               << ", at most " << most << ": " << joined(ticks));
  std::string unit;
  double before = -INFINITY, place = -INFINITY;
  std::vector<double> values;
  for (const ChartTick& t : ticks) {
    const Label label = read(t.text);
    if (t.text != "0") {
      if (unit.empty()) unit = label.unit;
      CHECK(label.unit == unit);
    }
    const double value = t.text == "0" ? 0 : label.number * length_of(label.unit, axis.unit);
    CHECK(std::abs(value - t.value) <= 1e-9 * std::max(span, std::abs(value)));
    if (axis.log) CHECK(scale.place(value) == Approx(t.at).margin(1e-9));
    else CHECK((value - scale.low()) / span == Approx(t.at).margin(1e-4));
    CHECK(value > before);
    CHECK(t.at > place);
    values.push_back(before = value);
    place = t.at;
  }
  if (axis.log) {
    CHECK(ticks.size() <= static_cast<std::size_t>(most) + 2);
    return;
  }
  CHECK(ticks.size() <= static_cast<std::size_t>(most) + 1);
  for (std::size_t i = 2; i < values.size(); ++i)
    CHECK(values[i] - values[i - 1] == Approx(values[1] - values[0]).epsilon(1e-3));
  if (most >= 5) CHECK(ticks.size() >= 2);
}

std::vector<double> numbers_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<double> out;
  for (double x; in >> x;) out.push_back(x);
  return out;
}

}  // namespace

TEST_CASE("labels of random axes read back as the values at their ticks", "[axis]") {
  std::mt19937_64 random(1);
  const auto uniform = [&](double a, double b) {
    return a + (b - a) * (static_cast<double>(random() >> 11) * 0x1p-53);
  };
  for (int i = 0; i < 3000; ++i) {
    ChartAxis axis;
    axis.unit = static_cast<ChartUnit>(random() % 3);
    axis.log = random() % 4 == 0;
    const int most = static_cast<int>(2 + random() % 14);
    const double span = std::pow(10, uniform(-3, 9));
    const double from = axis.log            ? std::pow(10, uniform(-3, 6))
                        : random() % 3 == 0 ? 0
                        : random() % 2 == 0 ? -span * uniform(0, 1)
                                            : uniform(-1, 1) * span * std::pow(10, uniform(0, 4));
    check_axis(axis, from, axis.log ? from * std::pow(10, uniform(0.1, 9)) : from + span, most);
  }
}

// tests/program/web/axes_test.js reads the same file.
TEST_CASE("axes that the page and the drawings label alike", "[axis]") {
  std::ifstream in(COSLICE_SOURCE "/tests/program/web/axes.txt");
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string unit, scale, numbers, expected;
    words >> unit >> scale;
    std::getline(words, numbers, ':');
    std::getline(words, expected);
    ChartAxis axis;
    axis.unit = unit == "time" ? ChartUnit::kTime : unit == "share" ? ChartUnit::kShare : ChartUnit::kNumber;
    axis.log = scale == "log";
    std::vector<double> n = numbers_of(numbers);
    REQUIRE(n.size() >= 3);
    if (scale == "given") axis.ticks.assign(n.begin() + 3, n.end());
    INFO(line);
    CHECK(joined(ChartScale(axis, n[0], n[1]).ticks(static_cast<int>(n[2]))) == expected.substr(1));
    ++lines;
  }
  CHECK(lines > 20);
}

TEST_CASE("as many times as have room", "[axis]") {
  CHECK(times_that_fit(0, 2.5 * 86400, 844, 6.6).size() == 11);  // every 6 h
  const auto late = times_that_fit(35 * 86400., 35 * 86400. + 10, 200, 6.6);
  REQUIRE(late.size() == 3);
  CHECK(late[1].text == "3,024,005 s");
}

TEST_CASE("ranges that are none do no harm", "[axis]") {
  ChartAxis axis;
  for (const double x : {0., 1e-300, 1e300, -1e300, 123456789.}) {
    for (const bool log : {false, true}) {
      axis.log = log;
      axis.unit = ChartUnit::kTime;
      CHECK(ChartScale(axis, x, x).ticks(8).size() < 40);
      axis.unit = ChartUnit::kNumber;
      CHECK(ChartScale(axis, x, x).ticks(8).size() < 40);
    }
  }
  CHECK(ChartScale({}, -1e308, 1e308).ticks(8).size() < 40);
}

}  // namespace axis_test
