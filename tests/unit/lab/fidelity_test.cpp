#include "catch.h"

#include "core/error.h"
#include "lab/compare/fidelity.h"
#include "message_of.h"

#include <array>
#include <cmath>

namespace fidelity_test {

using namespace coslice;

namespace {

ScheduleRecord schedule(const std::string& name, const std::vector<std::array<double, 3>>& jobs) {
  ScheduleRecord out{name, {}};
  int id = 0;
  for (const auto& [submit, start, end] : jobs) {
    ++id;
    out.jobs[std::to_string(id)] = {submit, start, end, 2, "", {{"nodes", id < 3 ? "1" : "3"}, {"queue", "all"}}};
  }
  return out;
}

}  // namespace

TEST_CASE("the distance of two schedules, by hand", "[fidelity]") {
  const ScheduleRecord ours = schedule("ours", {{0, 0, 10}, {1, 101, 200}, {2, 402, 500}, {3, 10, 20}});
  // The same instants on another clock: only waits count.
  const ScheduleRecord theirs =
      schedule("theirs", {{1000, 1000, 1010}, {1001, 1001, 1100}, {1002, 3002, 3100}, {1003, 1020, 1030}});
  const ScheduleDistance d = schedule_distance(ours, theirs);
  CHECK(d.jobs == 4);
  CHECK(d.our_wait == Approx((0 + 100 + 400 + 7) / 4.0));
  CHECK(d.their_wait == Approx((0 + 0 + 2000 + 17) / 4.0));
  CHECK(d.mean_error == Approx((0 + 100 + 1600 + 10) / 4.0));
  CHECK(d.median_error == 10);
  CHECK(d.p90_error == 1600);
  CHECK(d.rms_error == Approx(std::sqrt((100.0 * 100 + 1600.0 * 1600 + 10 * 10) / 4)));
  CHECK(d.within_minute == 0.5);
  CHECK(d.within_5_minutes == 0.75);
  CHECK(d.within_half_hour == 1);
  // Order of starts: 1 4 2 3 and 1 2 4 3.
  CHECK(d.rank_correlation == Approx(1 - 6 * 2 / 60.0));
  CHECK_FALSE(d.bias);  // four jobs make no batches
}

TEST_CASE("waits count from submissions where a list says these and jobs came later to a run's queue", "[fidelity]") {
  const ScheduleRecord ours = schedule("ours", {{0, 0, 10}, {5, 15, 20}, {300, 310, 400}, {20, 30, 40}});
  // The third job waited for another one. Seconds between clocks and commands are no such wait.
  ScheduleRecord theirs = schedule("theirs", {{1000, 1000, 1}, {1008, 1010, 1}, {1010, 1400, 1}, {1022, 1040, 1}});
  CHECK(schedule_distance(ours, theirs).our_wait == Approx(30 / 4.0));
  theirs.says_submissions = true;
  const ScheduleDistance d = schedule_distance(ours, theirs);
  CHECK(d.our_wait == Approx((0 + 10 + 303 + 10) / 4.0));  // clocks are 1,003 s apart
  CHECK(d.their_wait == Approx((0 + 2 + 390 + 18) / 4.0));
  CHECK(d.mean_error == Approx((0 + 8 + 87 + 8) / 4.0));
}

TEST_CASE("equal starts share their ranks", "[fidelity]") {
  const ScheduleRecord a = schedule("a", {{0, 5, 6}, {0, 5, 6}, {0, 9, 10}}),
                       b = schedule("b", {{0, 1, 6}, {0, 2, 6}, {0, 3, 10}});
  CHECK(schedule_distance(a, b).rank_correlation == Approx(1.5 / std::sqrt(1.5 * 2)));
}

TEST_CASE("jobs that one side does not have are left out, and counted", "[fidelity]") {
  ScheduleRecord ours = schedule("ours", {{0, 0, 10}, {1, 101, 200}, {2, 402, 500}});
  ScheduleRecord theirs = ours;
  ours.jobs["only ours"] = {0, 9999, 10000, 1, {}};
  theirs.jobs.erase("1");
  const Fidelity f = fidelity_of({ours}, {theirs});
  CHECK(f.distances[0].jobs == 2);
  CHECK(f.distances[0].mean_error == 0);
  CHECK(f.only_run == 2);
  CHECK(f.only_record == 0);
  CHECK(message_of([&] { schedule_distance(ours, {"empty", {}}); }).find("0 of the jobs") != std::string::npos);
}

TEST_CASE("a machine that does not repeat itself", "[fidelity]") {
  const ScheduleRecord run = schedule("run", {{0, 10, 20}, {0, 20, 30}, {0, 30, 40}});
  const ScheduleRecord one = schedule("one", {{0, 0, 20}, {0, 20, 30}, {0, 60, 70}}),
                       two = schedule("two", {{0, 30, 40}, {0, 20, 30}, {0, 30, 40}}),
                       three = schedule("three", {{0, 20, 30}, {0, 20, 30}, {0, 90, 99}});
  const Fidelity f = fidelity_of({run}, {one, two, three});
  REQUIRE(f.among_records);
  CHECK(f.among_records->mean_error == Approx((60 / 3.0 + 50 / 3.0 + 70 / 3.0) / 3));
  REQUIRE(f.to_median);  // 20, 20, 60
  CHECK(f.to_median->mean_error == Approx(40 / 3.0));
  REQUIRE(f.groups.size() == 2);  // all are of one queue, which tells no jobs apart
  CHECK(f.groups[0].value == "1");
  CHECK(f.groups[1].value == "3-4");
  CHECK(f.groups[1].jobs == 1);
  CHECK(f.groups[1].their_wait == Approx(60));
  const std::string text = fidelity_text(f, false);
  CHECK_THAT(text, Catch::Contains("its own records differ by 20 s a job; the simulation by 0.72 times as much"));
}

TEST_CASE("processors in use over time", "[fidelity]") {
  const ScheduleRecord ours = schedule("ours", {{0, 0, 50}, {0, 50, 100}}),
                       theirs = schedule("theirs", {{7, 7, 57}, {7, 7, 57}});
  const UseOverTime use = use_over_time(ours, theirs, 4);
  CHECK(use.ours == std::vector<double>{2, 2, 2, 2});
  CHECK(use.theirs == std::vector<double>{4, 4, 0, 0});
  CHECK(use.hours[1] == Approx(25 / 3600.0));
}

}  // namespace fidelity_test
