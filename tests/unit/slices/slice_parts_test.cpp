// The parts of the loop under time slices, each by itself.
#include "catch.h"
#include "core/error.h"
#include "events/event_queues.h"
#include "jobs/slowdown.h"
#include "sharing/shared_nodes.h"
#include "slices/job_swapping.h"
#include "slices/node_choice.h"
#include "slices/slices.h"
#include "unit/slice_helpers.h"

namespace slice_parts_test {

using namespace coslice;
using namespace coslice::test;

namespace {

Time at(std::int64_t s) { return Time{whole_seconds(s)}; }
constexpr auto kWantsAll = [](std::size_t) { return true; };

StartedJob job_on(JobIndex j, std::int32_t first, std::int32_t last) {
  StartedJob job;
  job.index = j;
  job.nodes.append(first, last);
  job.node_count = last - first + 1;
  return job;
}

/// Carries out nothing: views are made for what they hold.
struct IdleHost : ViewHost {
  void launch(StartedJob&, std::uint64_t) override {}
  void wake_at(Time) override {}
  std::int32_t nodes_of(JobIndex) const override { return 1; }
  bool requeues_at_back() const override { return false; }
  std::int32_t interruptions(JobIndex) const override { return 0; }
  void stop(StartedJob&, const StopOrder&) override {}
  NodeRanges lendable(const StartedJob&) const override { return {}; }
  void launch_over(StartedJob&, const std::vector<StartedJob*>&) override {}
  void suspend(StartedJob&) override {}
  void go_on(StartedJob&) override {}
  void set_aside(JobIndex, Duration) override {}
  void release(JobIndex) override {}
  bool is_aside(JobIndex) const override { return false; }
  void refuse(JobIndex, Rejection) override {}
  const std::vector<JobSize>* sizes_of(JobIndex) const override { return nullptr; }
  Duration mold(JobIndex, std::size_t) override { return Duration{1}; }
  std::optional<Duration> take_gpu_instance(JobIndex, std::int32_t, std::int32_t) override { return std::nullopt; }
  std::int32_t nodes_off() const override { return 0; }
  const Contention* contention() const override { return nullptr; }
  const SlicedHost* slices() const override { return nullptr; }
};

}  // namespace

TEST_CASE("ends at one instant: jobs before loads, then by addition; a newer end voids the older", "[slices]") {
  StartedJob a, b, c;
  EndQueue ends;
  CHECK(ends.next_time() == kNever);
  ends.add(a, at(5), true);
  ends.add(b, at(5));
  ends.add(c, at(5));
  ends.add(b, at(7));
  std::vector<std::pair<StartedJob*, bool>> popped;
  while (ends.next_time() != kNever) {
    const EndQueue::End end = ends.pop();
    popped.emplace_back(end.job, end.is_void());
  }
  CHECK(popped == std::vector<std::pair<StartedJob*, bool>>{{&b, true}, {&c, false}, {&a, false}, {&b, false}});
  CHECK_THROWS_AS(ends.add(a, kNever), SimulationError);
}

TEST_CASE("the clock of slices: boundaries, and productive time on the wall clock", "[slices]") {
  SliceOptions options;  // 3600 s: 1200 s and 2400 s, 60 s lost at the end of each
  options.classes = {{"short", whole_seconds(600), 1, false, {}}, {"long", Duration::max(), 2, false, {}}};
  SliceClock clock(options);
  clock.begin(at(3700), Time{});
  CHECK(clock.now() == at(3600));
  CHECK_FALSE(clock.productive());
  REQUIRE(clock.open(kWantsAll));
  CHECK(clock.productive_for(0));
  CHECK(clock.boundary() == at(3600 + 1140));
  CHECK(clock.class_after(kWantsAll) == 1);
  CHECK(clock.after(0, whole_seconds(1140)) == at(3600 + 1140));
  CHECK(clock.after(0, whole_seconds(1141)) == at(7200 + 1));  // in the slice of the next interval
  CHECK(clock.after(1, whole_seconds(10)) == at(4800 + 10));
  clock.advance(at(3700));
  CHECK(clock.rest() == whole_seconds(1040));
  clock.advance(clock.boundary());
  clock.close();
  CHECK_FALSE(clock.productive());
  CHECK(clock.boundary() == at(4800));
  clock.advance(at(4800));
  REQUIRE(clock.open(kWantsAll));
  CHECK(clock.boundary() == at(7140));
  CHECK(clock.class_after(kWantsAll) == 0);
}

TEST_CASE("slices on demand count with their mean over the intervals so far", "[slices]") {
  SliceOptions options = usual();
  SliceClock clock(options);
  clock.begin(at(0), Time{});
  CHECK(clock.typical(1).offset == Duration{0});
  REQUIRE(clock.open(kWantsAll));
  clock.advance(at(340));
  clock.cut_short();
  clock.count_slice();
  clock.close();
  CHECK(clock.boundary() == at(400));
  CHECK(clock.typical(1).offset == whole_seconds(400));
  CHECK(clock.typical(1).productive == whole_seconds(900));  // 30 % of 3200 s, less the 60 s lost
  clock.advance(at(3600));
  CHECK(clock.typical(1).offset == whole_seconds(200));
}

TEST_CASE("a displaced job pays once for being written out while it is away", "[slices]") {
  SliceOptions options = usual();
  options.memory = whole_seconds(100);
  options.memory_of = [](const View&, JobIndex j) { return whole_seconds(j == 0 ? 80 : 50); };
  const Workload w = workload({{0, 1, 10}, {0, 1, 10}});
  JobMemory memory(options, 4, 2);
  IdleHost host;
  const std::vector<Observer*> observers;
  const HostedView view(w.jobs, 4, Time{}, host, observers);
  for (const JobIndex j : {0U, 1U}) memory.ask(view, j);
  StartedJob big = job_on(0, 0, 1), small = job_on(1, 1, 1);
  memory.add(big);
  memory.add(small);
  CHECK(memory.first_load() == std::vector<Duration>{whole_seconds(80), whole_seconds(50)});
  CHECK(memory.transfer(big, whole_seconds(80)).empty());
  CHECK(memory.missing(big) == Duration{0});
  memory.stopped(big);
  const auto charges = memory.transfer(small, whole_seconds(50));  // 20 s are free, 30 s must go
  REQUIRE(charges.size() == 1);
  CHECK(charges[0].job == &big);
  CHECK(charges[0].time == whole_seconds(30));
  CHECK(big.work_left == Work(whole_seconds(30)));
  CHECK(memory.missing(big) == whole_seconds(30));
  memory.count_load(1, whole_seconds(50));
  CHECK(memory.overhead() == std::vector<Duration>{whole_seconds(30), whole_seconds(50)});
  memory.remove(small);
  CHECK(memory.transfer(big, whole_seconds(30)).empty());
}

TEST_CASE("without memory no job needs any", "[slices]") {
  JobMemory memory(usual(), 4, 2);
  StartedJob job = job_on(0, 0, 1);
  memory.add(job);
  CHECK(memory.missing(job) == Duration{0});
  CHECK(memory.transfer(job, whole_seconds(5)).empty());
  CHECK(memory.overhead().empty());
}

TEST_CASE("the view of the slice's class holds the nodes of foreign jobs until they leave", "[slices]") {
  const Workload w = workload({{0, 1, 10}});
  IdleHost host;
  const std::vector<Observer*> observers;
  HostedView view(w.jobs, 4, Time{}, host, observers);
  const StartedJob a = job_on(0, 0, 1), b = job_on(1, 2, 2);
  ForeignHolds holds;
  holds.add(view, a, 2, at(100));
  holds.add(view, b, 1, at(50));
  CHECK(view.free_now() == 1);
  holds.remove(a);
  holds.remove(a);
  CHECK(view.free_now() == 3);
  holds.clear();
  CHECK(view.free_now() == 4);
  // Only hosts that let jobs share nodes are asked to.
  CHECK(view.in_group(0).ppn == 1);
  CHECK(view.wall_time_after(whole_seconds(5)) == at(5));
  CHECK_THROWS_AS(view.start_group(0, {}, 0, Duration{1}, StartReason::kPolicy), SimulationError);
}

TEST_CASE("shared nodes: places, speeds and planned ends of a group", "[sharing]") {
  struct Twice : SlowdownModel {  // each job is twice as slow beside the other one
    double over_processors(JobIndex) const override { return 1; }
    double over_cores(JobIndex) const override { return 1; }
    double beside(JobIndex, JobIndex) const override { return 2; }
  } model;
  const Workload w = workload({{0, 3, 100}, {0, 2, 100}});
  SharingOptions options;
  options.slowdowns = &model;
  options.alone = options.shared = [](const View&, JobIndex) { return 1; };
  SharedNodes shared(options, MachineSpec{4, 2, 1}, w.jobs);
  StartedJob a, b;
  b.index = 1;
  a.index = 0;
  a.planned_left = Work(whole_seconds(100));
  b.planned_left = Work(whole_seconds(30));
  shared.size_members(a, {&b});
  CHECK(a.node_count == 3);
  CHECK(b.node_count == 2);
  shared.lay(a, {&b}, [](std::int32_t n) {
    NodeRanges idle;
    idle.append(0, n - 1);
    return idle;
  });
  CHECK(a.nodes.str() == "0-2");
  CHECK(b.nodes.str() == "0-1");
  Group& group = shared.form(a, {&b}, 0.5);
  CHECK(group.nodes == 3);
  CHECK(group.matched[0].overlap == 2);
  for (const auto& [job, slowdown] : shared.slowdowns(group)) job->rate = Rate::of_slowdown(slowdown);
  // b has ended after 60 s; a, which has done 30 s of its work by then, goes on alone.
  CHECK(shared.planned_ends(group) == std::vector<Duration>{whole_seconds(130), whole_seconds(60)});
  a.group = b.group = nullptr;
  shared.end(group);
  CHECK(shared.counts().grouped_jobs == 2);
  CHECK(shared.jobs()[0].groups == 1);
}

}  // namespace slice_parts_test
