// The tables and charts of a report on several runs.
#include <algorithm>

#include "catch.h"
#include "report/charts/run_charts.h"
#include "report/pages/run_report.h"

namespace run_tables_test {

using namespace coslice;

namespace {

NamedSummary run(const std::string& name, double wait) {
  NamedSummary out{name, {}};
  Summary& s = out.summary;
  s.jobs = s.finished = 10;
  s.makespan = 7200;
  s.utilization = 0.5;
  s.all.name = "all";
  s.all.jobs = 10;
  s.all.wait.mean = s.all.wait.median = wait;
  s.by_class = {s.all};
  s.by_class[0].name = "short";
  return out;
}

const ReportTable& titled(const std::vector<ReportTable>& tables, const std::string& title) {
  const auto at = std::find_if(tables.begin(), tables.end(), [&](const ReportTable& t) { return t.title == title; });
  REQUIRE(at != tables.end());
  return *at;
}

}  // namespace

TEST_CASE("a row for each run, with the best values marked", "[report]") {
  const auto tables = run_tables({run("fcfs", 5000), run("easy", 120.5)}, {});
  const ReportTable& whole = titled(tables, "Figures");
  CHECK(whole.columns == std::vector<std::string>{"policy", "jobs", "makespan, s", "utilization, %",
                                                  "waiting jobs, mean", "waiting jobs, most"});
  CHECK(whole.rows[1] == std::vector<std::string>{"easy", "10", "7,200", "50.0", "0.0", "0"});
  CHECK(whole.best.empty());  // all are alike
  const ReportTable& wait = titled(tables, "Wait, s");
  REQUIRE(wait.rows.size() == 4);
  CHECK(wait.rows[0] == std::vector<std::string>{"short", "fcfs", "10", "5,000", "5,000", "0", "0"});
  CHECK(wait.rows[1][3] == "120");
  CHECK(wait.best == std::set<std::pair<std::size_t, std::size_t>>{{1, 3}, {1, 4}, {3, 3}, {3, 4}});
}

TEST_CASE("what time slices and shared nodes came to, against the first run", "[report]") {
  NamedSummary sliced = run("slices", 10), better = run("better", 10), shared = run("shared", 10);
  sliced.summary.slices.emplace();
  sliced.summary.slices->counts.preemptions = 7;
  sliced.summary.slices->overhead = 1000;
  sliced.summary.slices->share = 0.125;
  better.summary.slices = sliced.summary.slices;
  better.summary.slices->overhead = 400;
  shared.summary.sharing.emplace();
  shared.summary.sharing->groups = 3;
  shared.summary.sharing->gain_had = 0.25;
  const auto tables = run_tables({sliced, better, shared}, {});
  const ReportTable& slices = titled(tables, "Time slices");
  const auto column = [&](const ReportTable& t, const std::string& name) {
    return static_cast<std::size_t>(std::find(t.columns.begin(), t.columns.end(), name) - t.columns.begin());
  };
  REQUIRE(column(slices, "less overhead, %") < slices.columns.size());
  CHECK(slices.rows[1][column(slices, "less overhead, %")] == "60.0");
  CHECK(slices.rows[0][column(slices, "preemptions")] == "7");
  CHECK(slices.rows[0][column(slices, "overhead, % of run times")] == "12.5");
  CHECK(slices.rows[2][column(slices, "overhead, s")] == "\u2013");
  CHECK(titled(tables, "Shared nodes").rows[2][column(titled(tables, "Shared nodes"), "gain had, %")] == "25.0");
}

TEST_CASE("a cell holds a number without its unit, which its column names", "[report]") {
  for (const ReportTable& t : run_tables({run("fcfs", 5000), run("easy", 3)}, {}))
    for (const auto& row : t.rows)
      for (std::size_t c = t.texts; c < row.size(); ++c) {
        INFO(t.title << ", " << t.columns[c] << ": " << row[c]);
        CHECK(row[c].find_first_not_of("0123456789,.-") == std::string::npos);
      }
}

TEST_CASE("charts of several runs are one, over a common time", "[report]") {
  Chart a;
  a.name = "queue";
  a.x.low = 0, a.x.high = 10;
  a.series = {{"most", ChartLook::kArea, {{0, 9}}}, {"mean", ChartLook::kArea, {{0, 1}, {10, 2}}}};
  Chart b = a;
  b.x.high = 30;
  b.series.back().points = {{0, 5}};
  for (int i = 1; i <= 400; ++i) b.series.back().points.push_back({i * 30 / 400., i % 2 == 0 ? 4. : 6.});
  const auto charts = compared_charts({{"fcfs", {a}}, {"easy", {b}}});
  REQUIRE(charts.size() == 1);
  CHECK(charts[0].x.high == 30);
  REQUIRE(charts[0].series.size() == 2);
  CHECK(charts[0].series[0].name == "fcfs");
  CHECK(charts[0].series[0].points.size() == 2);
  CHECK(charts[0].series[1].points.size() < 130);
  for (const ChartPoint& p : charts[0].series[1].points) CHECK(p.y == Approx(5).margin(0.5));
  CHECK(charts[0].series[1].points.back().x == 30);
  const auto bars = class_charts({run("fcfs", 5000), run("easy", 120)});
  CHECK(bars[0].x.names == std::vector<std::string>{"short", "all"});
  CHECK(bars[0].series[1].points[0].y == 120);
}

}  // namespace run_tables_test
