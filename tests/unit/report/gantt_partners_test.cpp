// Jobs that share nodes in pictures, and pictures of very many jobs.
#include <algorithm>

#include "catch.h"
#include "report/gantt/gantt_chart.h"
#include "report/gantt/gantt_drawing.h"

namespace gantt_partners_test {

using namespace coslice;

namespace {

Time at(int s) { return Time{whole_seconds(s)}; }

struct Scene {
  RunResult result;
  GanttChart chart;

  explicit Scene(int nodes) {
    result.machine.nodes = nodes;
    chart.result = &result;
    chart.from = at(0);
    chart.to = at(100);
  }
  Scene(const Scene&) = delete;
  void add(NodeId first, NodeId last, int from, int to) {
    const auto job = static_cast<JobIndex>(chart.jobs.size());
    NodeRanges nodes;
    nodes.append(first, last);
    chart.jobs.push_back(job);
    chart.nodes.push_back(nodes);
    chart.bars.push_back({job, at(from), at(to)});
  }
};

}  // namespace

TEST_CASE("partners are those on the same node at the same time", "[gantt]") {
  Scene s(4);
  s.add(0, 1, 0, 50);   // 0: beside 1 and, on node 1, beside 2
  s.add(0, 0, 10, 60);  // 1
  s.add(1, 2, 20, 30);  // 2
  s.add(2, 3, 30, 90);  // 3: on node 2 after 2, beside no other
  split_into_lanes(s.chart);
  const auto partners = gantt_partners(s.chart);
  CHECK(partners[0] == std::vector<JobIndex>{1, 2});
  CHECK(partners[1] == std::vector<JobIndex>{0});
  CHECK(partners[2] == std::vector<JobIndex>{0});
  CHECK(partners[3].empty());
}

TEST_CASE("partners never have one colour, whatever their numbers", "[gantt]") {
  Scene s(2);
  for (int i = 0; i < 40; ++i) s.add(i % 2, i % 2, i * 7 % 30, 40 + i % 5);
  std::sort(s.chart.bars.begin(), s.chart.bars.end(),
            [](const GanttBar& a, const GanttBar& b) { return a.from < b.from; });
  Scene pairs(1);  // the eighth job beside the first: seven colours by number would be one
  pairs.add(0, 0, 0, 100);
  for (int i = 0; i < 7; ++i) pairs.add(0, 0, 10 * i, 10 * i + 10);
  split_into_lanes(pairs.chart);
  const auto colours = gantt_job_colours(pairs.chart, 7);
  for (std::size_t j = 1; j < colours.size(); ++j) CHECK(colours[j] != colours[0]);
  for (const std::uint8_t c : gantt_job_colours(s.chart, 7)) CHECK(c < 7);
}

TEST_CASE("an overview has the colour of what takes most of each cell", "[gantt]") {
  Scene s(200);
  s.add(0, 99, 0, 50);
  s.add(100, 199, 0, 100);
  const GanttOverview o = gantt_overview(s.chart, 10, 4, {0, 1});
  CHECK(o.rows == 4);
  REQUIRE(o.runs.size() == 4);
  CHECK(o.runs[0].to == 5);
  CHECK(o.runs[0].colour == 0);
  CHECK(o.runs[3].from == 0);
  CHECK(o.runs[3].to == 10);
  CHECK(o.runs[3].colour == 1);
  s.add(0, 9, 50, 100);
  const GanttOverview thin = gantt_overview(s.chart, 10, 4, {0, 1, 0});
  REQUIRE(thin.runs.size() == 5);
  CHECK(thin.runs[1].pale);
}

TEST_CASE("several charts show the same time", "[gantt]") {
  Scene a(2), b(2);
  b.chart.from = at(-5);
  b.chart.to = at(300);
  std::vector<GanttChart> charts = {a.chart, b.chart};
  share_window(charts);
  for (const GanttChart& c : charts) {
    CHECK(c.from == at(-5));
    CHECK(c.to == at(300));
  }
}

}  // namespace gantt_partners_test
