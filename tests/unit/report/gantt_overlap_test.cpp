// No two jobs lie over one another in a picture, whatever happens to nodes and jobs, and none of their time is left
// out.
#include "case_range.h"
#include "catch.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "machine/node_set.h"
#include "observe/picture_recorder.h"
#include "report/gantt/gantt_chart.h"
#include "resource_cases.h"
#include "suspending.h"
#include "unit/slice_helpers.h"
#include "unit/sliced_cases.h"
#include "watched_run.h"

namespace gantt_overlap_test {

using namespace coslice;
using namespace coslice::test;

namespace {

constexpr JobIndex kNode = kNoJob - 1;  // what lies there is a node that is not there

/// What is drawn on one node; heights are those of a node.
struct Drawn {
  Time from, to;
  double low, high;
  JobIndex job;
};

class Picture {
 public:
  explicit Picture(const GanttChart& chart)
      : chart_(chart), on_(static_cast<std::size_t>(chart.result->machine.nodes)) {
    for (const GanttBar& b : chart.bars)
      add(chart.nodes_of(b),
          {b.from, b.to, double(b.lane) / b.lanes, double(b.lane + b.tall) / b.lanes, chart.jobs[b.job]});
    for (const GanttUnavailable& a : chart.unavailable) {
      const JobIndex job = a.run < 0 ? kNode : chart.earlier[static_cast<std::size_t>(a.run)].job;
      add(a.nodes, {a.from, a.to, 0, 1, job});
    }
  }

  void check() {
    for (std::vector<Drawn>& node : on_) check_node(node);
    for (std::size_t i = 1; i < chart_.bars.size(); ++i) REQUIRE(chart_.bars[i - 1].from <= chart_.bars[i].from);
    check_times();
    if (chart_.result->power) check_boots();
  }

 private:
  void add(const NodeRanges& nodes, const Drawn& what) {
    for_each_node(nodes, [&](NodeId n) { on_[static_cast<std::size_t>(n)].push_back(what); });
    if (what.job != kNode) times_[what.job].emplace_back(what.from, what.to);
  }

  static void check_node(std::vector<Drawn>& node) {
    constexpr double kRounding = 1e-9;
    std::sort(node.begin(), node.end(), [](const Drawn& a, const Drawn& b) { return a.from < b.from; });
    for (std::size_t i = 0; i != node.size(); ++i) {
      const Drawn& a = node[i];
      REQUIRE(a.from < a.to);
      for (std::size_t k = i + 1; k != node.size() && node[k].from < a.to; ++k) {
        const Drawn& b = node[k];
        INFO("jobs " << a.job + 1 << " and " << b.job + 1 << " at " << to_seconds(b.from));
        REQUIRE((b.low >= a.high - kRounding || a.low >= b.high - kRounding));
      }
    }
  }

  /// All of each job's runs but the time that it stood still.
  void check_times() {
    const RunResult& result = *chart_.result;
    std::vector<Duration> expected(result.outcomes.size());
    for (JobIndex j = 0; j != expected.size(); ++j) {
      const Outcome& o = result.outcomes[j];
      if (o.start != kNever && o.end != kNever) expected[j] = o.end - o.start;
      if (!result.sliced.empty()) expected[j] -= result.sliced[j].preempted;
    }
    for (const InterruptedRun& r : result.interrupted)
      expected[r.job] += r.requeued ? r.to - r.from - r.preempted : Duration{0};
    for (const SuspendedSpan& s : result.suspended) expected[s.job] -= s.to - s.from;
    for (JobIndex j = 0; j != expected.size(); ++j) {
      INFO("job " << j + 1);
      if (result.outcomes[j].end != kNever && result.outcomes[j].start != kNever) REQUIRE(drawn(j) == expected[j]);
    }
  }

  Duration drawn(JobIndex j) {
    std::vector<std::pair<Time, Time>>& times = times_[j];
    std::sort(times.begin(), times.end());
    Duration sum{0};
    Time until = Time::min();
    for (const auto& [from, to] : times) {
      sum += std::max(Duration{0}, to - std::max(from, until));
      until = std::max(until, to);
    }
    return sum;
  }

  /// Its nodes come up first, and then it runs.
  void check_boots() {
    for (const JobBoot& boot : chart_.result->power->boots)
      for (const GanttBar& b : chart_.bars)
        if (chart_.jobs[b.job] == boot.job && b.from >= boot.from && b.to > boot.from &&
            b.from < later(boot.from, boot.wait)) {
          REQUIRE(b.loading);
          REQUIRE(b.to <= later(boot.from, boot.wait));
        }
  }

  const GanttChart& chart_;
  std::vector<std::vector<Drawn>> on_;  ///< by node
  std::map<JobIndex, std::vector<std::pair<Time, Time>>> times_;
};

/// Returns how many bars there are and what lies behind them.
std::size_t check_picture(const RunResult& result, Segments segments, const GanttSlicing& slicing = {}) {
  const bool any = std::any_of(result.outcomes.begin(), result.outcomes.end(), [](const Outcome& o) {
    return o.start != kNever && o.end > o.start && o.end != kNever;
  });
  if (!any) return 0;
  const GanttChart chart = gantt_chart(result, {}, std::move(segments), slicing, {});
  Picture(chart).check();
  return chart.bars.size() + chart.unavailable.size();
}

OutageOptions random_away(cases::Dice& dice, std::int32_t nodes, std::int32_t until) {
  OutageOptions o;
  for (std::int32_t i = dice.from(0, 6); i > 0; --i) {
    const std::int32_t from = dice.from(0, until), length = dice.from(1, until / 4), first = dice.from(0, nodes - 1);
    const auto kind = static_cast<OutageKind>(dice.from(0, 2));
    o.plan.listed.push_back({at_seconds(from), at_seconds(from + length), {}, kind});
    o.plan.listed.back().nodes.append(first, dice.from(first, nodes - 1));
  }
  if (dice.one_in(4)) o.interrupted = AfterFailure::kLost;
  if (dice.one_in(4))
    o.checkpoints = {whole_seconds(dice.from(1, 4)), whole_seconds(dice.from(0, 1)), whole_seconds(1)};
  return o;
}

PowerOptions random_power_of(cases::Dice& dice) {
  PowerOptions p;
  p.idle = whole_seconds(dice.from(0, 4));
  p.boot = whole_seconds(dice.from(1, 6));
  p.shutdown = whole_seconds(dice.from(0, 3));
  return p;
}

/// Jobs that share nodes and GPUs, or that suspend one another on whole nodes.
std::size_t draw_at_random(std::uint64_t seed) {
  INFO("seed " << seed);
  cases::Dice dice(seed + 1'000'000);
  const bool suspends = seed % 2 == 1;
  cases::Case c;
  if (suspends) {
    c.machine.nodes = 6;
    std::int32_t submit = 0;
    for (std::int32_t i = 1; i <= 20; ++i) {
      submit += dice.one_in(3) ? dice.from(0, 8) : 0;
      const std::int32_t runtime = dice.from(1, 20), nodes = dice.from(1, 6), queue = dice.from(1, 3);
      c.workload.jobs.push_back(suspension_job(submit, nodes, runtime, runtime + dice.from(0, 8), queue));
      c.workload.jobs.back().id = i;
    }
  } else {
    c = cases::random_case(seed, false);
  }
  const OutageOptions outages = random_away(dice, c.machine.nodes, suspends ? 120 : 40);
  const PowerOptions power = random_power_of(dice);
  SegmentRecorder recorder(c.workload.jobs.size());
  Happenings h;
  h.outages = dice.one_in(4) ? nullptr : &outages;
  h.power = dice.one_in(4) ? nullptr : &power;
  h.watchers = {&recorder};
  Suspending suspending(dice.one_in(2) ? Backfill::kEasy : Backfill::kConservative);
  const WatchedRun ran = suspends ? run_watched(c.machine, c.workload, suspending, h)
                                  : run_watched(c.machine, c.workload, Backfill::kEasy, h);
  REQUIRE(ran.violations == std::vector<std::string>{});
  return check_picture(ran.result, recorder.take());
}

}  // namespace

TEST_CASE("no job lies over another in a picture, where nodes fail, come up, are shared or lent", "[gantt][property]") {
  std::size_t drawn = 0;
  for (std::uint64_t seed = 0; seed != 400; ++seed) drawn += draw_at_random(seed);
  CHECK(drawn > 5'000);
}

TEST_CASE("no job lies over another in a picture, at length", "[.][at_length][gantt]") {
  for (const std::uint64_t seed : cases_at_length(400, 20'000)) draw_at_random(seed);
}

TEST_CASE("no job lies over another in a picture of time slices in which nodes fail", "[gantt][property]") {
  std::size_t drawn = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    cases::Dice dice(seed);
    const OutageOptions outages = random_away(dice, 8, 2000);
    Workload w = random_workload(seed, 30, 8);
    for (Job& job : w.jobs) {
      job.runtime *= 10 + 20 * static_cast<int>(seed % 3);
      job.limit *= 10 + 20 * static_cast<int>(seed % 3);
      job.submit = Time{job.submit.time_since_epoch() * 30};
    }
    SegmentRecorder recorder(w.jobs.size());
    InvariantOptions kept;
    kept.checkpoints = outages.checkpoints.interval > Duration{0};
    const SliceOptions slices = sliced::two_classes(200, 100);
    Sliced s = slice(w, 8, slices, easy(), {}, kept, {&recorder}, &outages);
    REQUIRE(s.violations == std::vector<std::string>{});
    s.result.workload = &s.workload;
    drawn += check_picture(s.result, recorder.take(), {slices.classes, slices.overhead});
  }
  CHECK(drawn > 2'000);
}

namespace {

Outage away(int from, int to, const std::vector<NodeId>& nodes, OutageKind kind) {
  return {at_seconds(from), at_seconds(to), as_ranges(nodes), kind};
}

}  // namespace

TEST_CASE("outages of a node that overlap are named with their own times", "[gantt]") {
  OutageOptions outages;
  outages.plan.listed = {away(10, 40, {0}, OutageKind::kMaintenance), away(30, 160, {0, 1}, OutageKind::kFailure),
                         away(50, 70, {1}, OutageKind::kFailure), away(150, 170, {1}, OutageKind::kFailure)};
  SegmentRecorder recorder(1);
  Happenings h;
  h.outages = &outages;
  h.watchers = {&recorder};
  const WatchedRun ran = run_watched(MachineSpec{3}, workload_of({job_of(1, 0, 1, 200)}), Backfill::kEasy, h);
  const GanttChart chart = gantt_chart(ran.result, {}, recorder.take(), {}, {});
  std::string told;
  for (const GanttUnavailable& a : chart.unavailable)
    for (const Outage& o : a.outages)
      told += std::to_string(a.nodes.ranges().front().first) + ": " + kOutageNames[static_cast<std::size_t>(o.kind)] +
              " " + std::to_string(static_cast<int>(to_seconds(o.from))) + "-" +
              std::to_string(static_cast<int>(to_seconds(o.to))) + "; ";
  CHECK(told == "0: maintenance 10-40; 0: failure 30-160; 1: failure 30-170; ");
}

TEST_CASE("a job that changes its nodes and is preempted is drawn on those that it had", "[gantt]") {
  const NodeRanges two = as_ranges({0, 1}), four = as_ranges({0, 1, 2, 3}), one = as_ranges({0});
  SegmentRecorder recorder(1);
  recorder.started(at_seconds(0), 0, two);
  recorder.resized(at_seconds(10), 0, two, four, Duration{0});
  recorder.preempted(at_seconds(20), 0);
  recorder.resumed(at_seconds(30), 0, four);
  recorder.resized(at_seconds(40), 0, four, one, Duration{0});
  recorder.ended(at_seconds(50), 0, one, false);
  const Segments drawn = recorder.take();
  std::string told;
  for (const Segment& s : drawn.pieces)
    told += std::to_string(static_cast<int>(to_seconds(s.from))) + ": " +
            drawn.sizes[static_cast<std::size_t>(s.size)].str() + "; ";
  CHECK(told == "0: 0-1; 10: 0-3; 30: 0-3; 40: 0; ");
}

}  // namespace gantt_overlap_test
