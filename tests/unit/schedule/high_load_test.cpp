// Phases of high load, by hand; what a summary says of shared nodes.
#include "metrics/machine_summary.h"

#include "catch.h"
#include "metrics/summary.h"
#include "output/jobs_csv.h"

namespace high_load_test {

using namespace coslice;

namespace {

RunResult with_timeline(std::vector<TimelinePoint> points) {
  RunResult r;
  r.machine = {10, 2, 2, 0};
  r.timeline = std::move(points);
  return r;
}

Time at(std::int64_t s) { return Time{whole_seconds(s)}; }

}  // namespace

TEST_CASE("phases of high load are longest intervals with enough waiting jobs", "[high_load]") {
  const RunResult r = with_timeline({{at(0), 1, 4, 8},
                                     {at(10), 3, 10, 40},
                                     {at(20), 5, 8, 16},
                                     {at(40), 2, 10, 20},
                                     {at(50), 3, 5, 10},
                                     {at(60), 0, 0, 0}});
  const HighLoad h = high_load(r, at(0), at(100), 3);
  CHECK(h.phases == 2);  // 10 to 40, 50 to 60
  CHECK(h.in.time == 40);
  CHECK(h.in.utilization == Approx((10 * 10 + 20 * 8 + 10 * 5) / 400.0));
  CHECK(h.in.core_utilization == Approx((10 * 40 + 20 * 16 + 10 * 10) / 1600.0));
  CHECK(h.outside.time == 60);
  CHECK(h.outside.utilization == Approx((10 * 4 + 10 * 10) / 600.0));
  CHECK(h.outside.core_utilization == Approx((10 * 8 + 10 * 20) / 2400.0));
}

TEST_CASE("high load from the first to the last instant, and never", "[high_load]") {
  const RunResult r = with_timeline({{at(0), 3, 4, 8}, {at(10), 4, 10, 40}});
  const HighLoad all = high_load(r, at(5), at(20), 3);
  CHECK(all.phases == 1);
  CHECK(all.in.time == 15);
  CHECK(all.outside.time == 0);
  CHECK(all.outside.core_utilization == 0);
  CHECK(high_load(r, at(0), at(20), 5).phases == 0);
}

TEST_CASE("what a summary says of groups", "[high_load][sharing]") {
  Workload w;
  w.name = "w";
  for (const int runtime : {100, 1000, 2000, 20000}) {
    Job job;
    job.id = runtime;
    job.runtime = job.limit = whole_seconds(runtime);
    w.jobs.push_back(job);
  }
  RunResult r = with_timeline({{at(0), 0, 1, 1}});
  r.workload = &w;
  for (const Job& job : w.jobs) {
    Outcome o;
    o.start = at(0);
    o.end = Time{job.runtime};
    o.state = FinalState::kCompleted;
    o.nodes = r.archive.add(NodeRanges{});
    r.outcomes.push_back(o);
  }
  CHECK_FALSE(summarize(r, {}).sharing);
  r.sharing = SharingRecord{{2, 5, 3, 1.0, 0.8}, {{4, 0}, {2, 2}, {1, 0}, {2, 3}}};
  r.sharing->counts.attempts = 8;
  r.sharing->counts.attempts_few = 6;
  r.sharing->counts.attempts_vain = 2;
  r.sharing->jobs[0].bound = w.jobs[0].runtime;
  r.sharing->jobs[1].bound = w.jobs[1].runtime - whole_seconds(1);
  const Summary s = summarize(r, {});
  REQUIRE(s.sharing);
  CHECK(s.sharing->groups == 2);
  CHECK(s.sharing->jobs_per_group == 2.5);
  CHECK(s.sharing->gain_promised == .5);
  CHECK(s.sharing->gain_had == .4);
  CHECK(s.sharing->grouped_share == Approx(2 / 3.0));
  CHECK(s.sharing->by_class[1].jobs == 2);
  CHECK(s.sharing->by_class[1].grouped == 1);
  CHECK(s.sharing->bounded == 2);
  CHECK(s.sharing->late == 1);
  CHECK(s.sharing->late_grouped == 1);
  CHECK(s.sharing->attempts == 8);
  CHECK(s.sharing->few_share == .75);
  CHECK(s.sharing->vain_share == .25);
  std::string csv;
  write_jobs_csv(r, {}, [&](std::string_view text) { csv += text; });
  CHECK(csv.find(",processes_per_node,groups,layout\n") != std::string::npos);
  CHECK(csv.find(",2,3,across\n") != std::string::npos);
}

}  // namespace high_load_test
