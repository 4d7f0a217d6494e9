// The figures of a workload.
#include "jobs/workload_description.h"

#include "catch.h"
#include "formats/swf.h"
#include "jobs/lublin.h"
#include "shared_files.h"

namespace describe_test {

using namespace coslice;

namespace {

const char* const kTrace = "; MaxProcs: 10\n"
                           "1 0 -1 100 1 -1 64 1 200 -1 1 5 1 2 0 -1 -1 -1\n"
                           "2 3600 -1 600 2 -1 -1 2 600 128 1 5 1 3 1 -1 1 -1\n"
                           "3 7200 -1 1000 3 -1 -1 3 900 -1 0 6 1 3 1 -1 -1 -1\n"
                           "4 90000 -1 20000 8 -1 -1 8 40000 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                           "5 90000 -1 -1 8 -1 -1 8 40000 -1 5 -1 -1 -1 -1 -1 -1 -1\n";

}  // namespace

TEST_CASE("a small trace by hand", "[describe]") {
  const auto w = parse_swf(kTrace, "x.swf");
  const auto d = describe(w, 10);
  CHECK(d.jobs == 4);
  CHECK(d.records == 5);
  CHECK(d.span == whole_seconds(90000));
  const double work = 100 + 1200 + 3000 + 160000;
  CHECK(d.work == Approx(work));
  CHECK(d.offered_load == Approx(work / 900000));
  CHECK(d.serial_share == Approx(0.25));
  CHECK(d.pow2_share == Approx(2.0 / 3));
  CHECK(d.size.mean == Approx(3.5));
  CHECK(d.size.median == Approx(2.5));
  CHECK(d.size.largest == 8);
  REQUIRE(d.sizes.size() == 4);
  CHECK(d.sizes[2].from == 3);
  CHECK(d.sizes[2].to == 4);
  CHECK(d.sizes[2].jobs == 1);
  CHECK(d.sizes[3].from == 5);
  CHECK(d.sizes[3].share_of_work == Approx(160000 / work));
  CHECK(d.classes[0].jobs == 2);
  CHECK(d.classes[1].jobs == 1);
  CHECK(d.classes[2].share_of_jobs == Approx(0.25));
  CHECK(d.classes[2].share_of_work == Approx(160000 / work));
  CHECK(d.runtime.smallest == 100);
  CHECK(d.gap.largest == 82800);
  CHECK(d.hours == HourSource::kTrace);
  CHECK(d.arrivals_by_hour[0] == 1);
  CHECK(d.arrivals_by_hour[1] == 2);
  CHECK(d.arrivals_by_hour[2] == 1);
  CHECK(d.exact_share == Approx(0.25));
  CHECK(d.killed_share == Approx(0.25));
  CHECK(d.mean_accuracy == Approx((0.5 + 1 + 1 + 0.5) / 4));
  CHECK(d.accuracy_tenths[4] == 2);
  CHECK(d.accuracy_tenths[9] == 1);
  CHECK(d.users == 2);
  CHECK(d.busiest_user_share == Approx(2.0 / 3));
  CHECK(d.groups == 1);
  CHECK(d.executables == 2);
  CHECK(d.queues == 2);
  CHECK(d.with_used_memory == 1);
  CHECK(d.with_requested_memory == 1);
  CHECK(d.with_dependency == 1);
  CHECK(d.jobs_by_status == std::vector<std::pair<std::int32_t, std::int64_t>>{{0, 1}, {1, 3}});
  REQUIRE(d.notes.size() == 1);
  CHECK(d.notes[0].reason == "no run time");
}

TEST_CASE("arrivals are told by the clock that the header knows", "[describe]") {
  const std::string job = "1 30 -1 100 1 -1 -1 -1 -1\n";
  const auto hour = [&](const std::string& head, HourSource source) {
    const auto d = describe(parse_swf(head + job, "x"), 1);
    CHECK(d.hours == source);
    return std::find(d.arrivals_by_hour.begin(), d.arrivals_by_hour.end(), 1) - d.arrivals_by_hour.begin();
  };
  CHECK(hour("", HourSource::kTrace) == 0);
  CHECK(hour("; UnixStartTime: 46800\n", HourSource::kUtc) == 13);
  CHECK(hour("; UnixStartTime: 46800\n; TimeZone: -28800\n", HourSource::kLocal) == 5);
  CHECK(hour("; UnixStartTime: 46800\n;TimeZone: 43200\n", HourSource::kLocal) == 1);
  CHECK(hour("; UnixStartTime: 46800\n; StartTime: Sat May 01 00:59:55 JST 2010\n", HourSource::kLocal) == 1);
  CHECK(hour("; StartTime: soon\n", HourSource::kTrace) == 0);
}

TEST_CASE("nothing, and one job, can be described", "[describe]") {
  const auto none = describe(Workload{}, 5);
  CHECK(none.jobs == 0);
  CHECK(none.offered_load == 0);
  const auto one = describe(parse_swf("1 30 -1 100 3 -1 -1 -1 -1\n", "x"), 0);
  CHECK(one.jobs == 1);
  CHECK(one.offered_load == 0);
  CHECK(one.runtime.q05 == 100);
  CHECK(one.gap.mean == 0);
  Workload huge = parse_swf("1 30 -1 100 2147483647 -1 -1 -1 -1\n", "x");
  CHECK(describe(huge, 1).sizes.back().to == 2147483647);
}

TEST_CASE("the bins of a generated workload hold it all", "[describe]") {
  LublinOptions o;
  o.jobs = 5000;
  const auto w = generate_lublin(o);
  const auto d = describe(w, 128);
  std::int64_t in_bins = 0, by_hour = 0;
  double work = 0;
  for (const auto& bin : d.sizes) {
    in_bins += bin.jobs;
    work += bin.share_of_work;
  }
  for (const auto n : d.arrivals_by_hour) by_hour += n;
  CHECK(in_bins == 5000);
  CHECK(by_hour == 5000);
  CHECK(work == Approx(1));
  CHECK(d.exact_share == 1);
  CHECK(d.accuracy_tenths[9] == 5000);
  CHECK(d.serial_share == Approx(0.244).margin(0.02));
}

TEST_CASE("a real log", "[describe][traces]") {
  const std::string path = coslice_test::shared_file("traces/KTH-SP2-1996-2.swf.gz");
  if (path.empty()) {
    WARN("skipped, not there: KTH-SP2-1996-2.swf.gz");
    return;
  }
  const auto w = read_swf(path, {kMachineFromHeader});
  const auto d = describe(w, machine_of(w).nodes);
  CHECK(d.hours == HourSource::kLocal);
  CHECK(d.offered_load > 0.6);
  CHECK(d.offered_load < 0.8);  // the archive says 70.4 %
  CHECK(d.users == 214);
  // People work by day.
  CHECK(d.arrivals_by_hour[14] > 4 * d.arrivals_by_hour[4]);
}

TEST_CASE("jobs that never ran in their record are in no figure of run times", "[describe]") {
  Workload w = parse_swf(kTrace, "x.swf");
  w.jobs[0].status = 5;
  w.extras.set(w.jobs[0], &JobExtras::withdrawn_at, whole_seconds(50));
  const WorkloadDescription d = describe(w, 10);
  CHECK(d.jobs == 4);
  CHECK(d.never_ran == 1);
  CHECK(d.runtime.smallest == 600);
  CHECK(d.classes[0].jobs == 1);
  CHECK(d.classes[0].share_of_jobs == Approx(1.0 / 3));
  CHECK(d.exact_share == Approx(1.0 / 3));  // the second job
}

}  // namespace describe_test
