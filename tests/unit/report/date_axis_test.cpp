// Dates along the axis of a picture.
#include "report/charts/axis_ticks.h"

#include <fstream>
#include <sstream>
#include <string>

#include "catch.h"

namespace date_axis_test {

using namespace coslice;

namespace {

/// Labels with bars between them; second 0 is 2026-03-01 18:30:20 UTC, local time two hours ahead.
std::string date_labels(double low, double high, double pixels, double letter) {
  std::string out;
  for (const AxisValue& v : dates_that_fit({1'772'389'820, 7200}, low, high, pixels, letter))
    out += (out.empty() ? "" : "|") + v.text;
  return out;
}

}  // namespace

TEST_CASE("an axis of dates has round local times, and says the date once at least", "[gantt]") {
  std::ifstream golden(COSLICE_SOURCE "/tests/program/web/date_axes.txt");
  int axes = 0;
  for (std::string line; std::getline(golden, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t colon = line.find(": ");
    std::istringstream numbers(line.substr(0, colon));
    double low = 0, high = 0, pixels = 0, letter = 0;
    REQUIRE(numbers >> low >> high >> pixels >> letter);
    CHECK(date_labels(low, high, pixels, letter) == line.substr(colon + 2));
    ++axes;
  }
  CHECK(axes >= 4);
}

TEST_CASE("labels of an axis of dates lie apart, whatever its length", "[gantt]") {
  for (double length = 6; length < 5e9; length *= 1.37) {
    const auto values = dates_that_fit({1'772'389'820, 0}, 12.5, 12.5 + length, 700, 7);
    INFO(length);
    REQUIRE(values.size() >= 1);
    for (std::size_t k = 0; k != values.size(); ++k) {
      CHECK((values[k].value >= 12.5 && values[k].value <= 12.5 + length));
      if (k == 0) continue;
      const double apart = (values[k].value - values[k - 1].value) / length * 700;
      CHECK(apart > 7 * static_cast<double>(values[k].text.size() + values[k - 1].text.size()) / 2);
    }
  }
}

}  // namespace date_axis_test
