// Dates along the axis of a picture.
#include "report/charts/date_axis.h"

#include <string>

#include "catch.h"

using namespace coslice;

namespace {

/// Labels of an axis of 800 pixels; second 0 is 2026-03-01 18:30:20 UTC, local time two hours ahead.
std::vector<std::string> date_labels(double low, double high) {
  std::vector<std::string> out;
  for (const AxisValue& v : dates_that_fit({1'772'389'820, 7200}, low, high, 800, 6.6)) out.push_back(v.text);
  return out;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("an axis of dates has round local times, and says the date once at least", "[gantt]") {
  CHECK(date_labels(0, 12 * 3600) == Labels{"21:00", "22:00", "23:00", "2026-03-02", "01:00", "02:00", "03:00", "04:00",
                                            "05:00", "06:00", "07:00", "08:00"});
  CHECK(date_labels(0, 3600) == Labels{"2026-03-01 20:40", "20:50", "21:00", "21:10", "21:20", "21:30"});
  const Labels weeks = date_labels(0, 28 * 86400);
  CHECK(weeks ==
        Labels{"2026-03-04", "2026-03-08", "2026-03-12", "2026-03-16", "2026-03-20", "2026-03-24", "2026-03-28"});
  CHECK(date_labels(0, 2) ==
        Labels{"0", "0.2 s", "0.4 s", "0.6 s", "0.8 s", "1 s", "1.2 s", "1.4 s", "1.6 s", "1.8 s", "2 s"});
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
