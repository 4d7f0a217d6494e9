// Nodes that are powered down while no job has them.
#include "case_range.h"
#include "catch.h"

#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "machine/layout.h"
#include "machine/node_set.h"
#include "metrics/machine_summary.h"
#include "observe/node_use.h"
#include "observe/recorder.h"
#include "resource_cases.h"
#include "watched_run.h"

namespace power_test {

using namespace coslice;
using namespace coslice::test;

namespace {

using Instants = std::vector<double>;

PowerOptions powered(int idle, int boot, int shutdown = 0) {
  PowerOptions p;
  p.idle = whole_seconds(idle);
  p.boot = whole_seconds(boot);
  p.shutdown = whole_seconds(shutdown);
  return p;
}

Outage power_outage(int from, int to, const std::vector<NodeId>& nodes, OutageKind kind = OutageKind::kFailure) {
  return {at_seconds(from), at_seconds(to), as_ranges(nodes), kind};
}

WatchedRun run_powered(std::int32_t nodes, const std::vector<Job>& jobs, const PowerOptions& power,
                       const OutageOptions* outages = nullptr, Backfill backfill = Backfill::kEasy) {
  Happenings h;
  h.outages = outages;
  h.power = &power;
  WatchedRun ran = run_watched(MachineSpec{nodes}, workload_of(jobs), backfill, h);
  CHECK(ran.violations == std::vector<std::string>{});
  return ran;
}

Instants off_times(const WatchedRun& ran, NodeId n) {
  Instants all;
  for (const NodeOff& o : ran.result.power->off)
    if (o.node == n) all.insert(all.end(), {to_seconds(o.from), o.to == kNever ? -1 : to_seconds(o.to)});
  return all;
}

}  // namespace

TEST_CASE("a job on a node that is powered down begins when it is up, and so does its limit", "[power]") {
  // The node is free from 20, powered down from 30, free again from 65 and from 115, when the third job is killed.
  const WatchedRun ran =
      run_powered(1, {job_of(1, 0, 1, 20), job_of(2, 50, 1, 10), job_of(3, 100, 1, 100, 10)}, powered(10, 5));
  CHECK(ran.starts() == Instants{0, 50, 100});
  CHECK(ran.ends() == Instants{20, 65, 115});
  CHECK(ran.result.outcomes[2].state == FinalState::kWalltimeReached);
  CHECK(off_times(ran, 0) == Instants{30, 50, 75, 100, 125, -1});
  CHECK(ran.result.power->busy == std::vector<double>{20 + 10 + 10});
  const PowerSummary s = summarize_power(ran.result, at_seconds(0), at_seconds(115));
  CHECK(s.boots == 2);
  CHECK(s.delayed == 2);
  CHECK(s.boot_wait == 10.0 / 3);
  CHECK(s.off_share == 45.0 / 115);
}

TEST_CASE("the slowest node counts, and the first nodes stay on", "[power]") {
  // Node 1 is powered down from 10 to 50 and from 90 on; node 0 has just been left when the last job gets both.
  const WatchedRun ran = run_powered(
      2, {job_of(1, 0, 1, 100), job_of(2, 50, 1, 10), job_of(3, 70, 1, 10), job_of(4, 105, 2, 10)}, powered(10, 5));
  CHECK(ran.ends() == Instants{100, 65, 80, 120});
  CHECK(off_times(ran, 0) == Instants{130, -1});
  CHECK(off_times(ran, 1) == Instants{10, 50, 90, 105, 130, -1});
  CHECK(ran.result.power->boots.back().nodes == 2);
  CHECK(ran.result.power->boots.back().off == 1);
}

TEST_CASE("a job that starts when its node would be powered down finds it on", "[power]") {
  CHECK(run_powered(1, {job_of(1, 0, 1, 20), job_of(2, 30, 1, 10)}, powered(10, 5)).ends() == Instants{20, 40});
  CHECK(run_powered(1, {job_of(1, 0, 1, 20), job_of(2, 31, 1, 10)}, powered(10, 5)).ends() == Instants{20, 46});
  // Even where nodes are powered down at once.
  CHECK(run_powered(1, {job_of(1, 0, 1, 20), job_of(2, 0, 1, 10)}, powered(0, 5)).ends() == Instants{20, 30});
}

TEST_CASE("a node that goes down cannot come up before it is down", "[power]") {
  CHECK(run_powered(1, {job_of(1, 0, 1, 20), job_of(2, 32, 1, 10)}, powered(10, 5, 8)).ends() ==
        Instants{20, 38 + 5 + 10});
  CHECK(run_powered(1, {job_of(1, 0, 1, 20), job_of(2, 38, 1, 10)}, powered(10, 5, 8)).ends() ==
        Instants{20, 38 + 5 + 10});
  CHECK(run_powered(1, {job_of(1, 0, 1, 20), job_of(2, 50, 1, 10)}, powered(10, 5, 8)).ends() ==
        Instants{20, 50 + 5 + 10});
}

TEST_CASE("nodes that stay on", "[power]") {
  PowerOptions p = powered(10, 5);
  p.stays_on.append(0, 0);
  const WatchedRun ran = run_powered(2, {job_of(1, 0, 2, 10), job_of(2, 50, 1, 10), job_of(3, 50, 1, 10)}, p);
  CHECK(ran.ends() == Instants{10, 60, 65});
}

TEST_CASE("nodes that are off when the run begins", "[power]") {
  PowerOptions p = powered(10, 5, 8);
  p.off_at_first.append(1, 2);
  p.stays_on.append(2, 2);
  // Node 1 alone comes up, without a word of how long it takes to go down: it has been off for long.
  const WatchedRun ran = run_powered(3, {job_of(1, 0, 3, 10), job_of(2, 16, 1, 4), job_of(3, 40, 3, 4)}, p);
  CHECK(ran.starts() == Instants{0, 16, 40});
  CHECK(ran.ends() == Instants{5 + 10, 20, 40 + 5 + 4});
  CHECK(off_times(ran, 1) == Instants{0, 0, 25, 40, 59, -1});
}

TEST_CASE("a node that fails while it comes up takes its job, which has lost no work", "[power]") {
  OutageOptions o;
  o.plan.listed = {power_outage(52, 60, {0})};
  const WatchedRun ran = run_powered(1, {job_of(1, 0, 1, 20), job_of(2, 50, 1, 10)}, powered(10, 5), &o);
  CHECK(ran.starts() == Instants{0, 60});  // what comes back is on
  CHECK(ran.ends() == Instants{20, 70});
  REQUIRE(ran.result.interrupted.size() == 1);
  CHECK(ran.result.interrupted[0].lost == Duration{0});
  CHECK(ran.result.power->boots[0].wait == whole_seconds(2));
  // At the instant at which it is up: still no work.
  o.plan.listed = {power_outage(55, 60, {0})};
  const WatchedRun later = run_powered(1, {job_of(1, 0, 1, 20), job_of(2, 50, 1, 10)}, powered(10, 5), &o);
  CHECK(later.ends() == Instants{20, 70});
  CHECK(later.result.interrupted[0].lost == Duration{0});
}

TEST_CASE("a node that fails while it is powered down is on when it is back", "[power]") {
  OutageOptions o;
  o.plan.listed = {power_outage(40, 50, {0})};
  const WatchedRun ran = run_powered(1, {job_of(1, 0, 1, 20), job_of(2, 50, 1, 10)}, powered(10, 5), &o);
  CHECK(ran.ends() == Instants{20, 60});
  CHECK(off_times(ran, 0) == Instants{30, 40, 70, -1});
  // A failure at the end of a job and at the start of another one.
  o.plan.listed = {power_outage(20, 30, {0})};
  CHECK(run_powered(1, {job_of(1, 0, 1, 20), job_of(2, 20, 1, 10)}, powered(0, 5), &o).ends() == Instants{20, 40});
}

TEST_CASE("energy of a run", "[power]") {
  PowerOptions p = powered(10, 5);
  // Busy 0-20 and 55-65, idle 20-30, off 30-50, coming up 50-55.
  const WatchedRun ran = run_powered(1, {job_of(1, 0, 1, 20), job_of(2, 50, 1, 10)}, p);
  RunResult result = ran.result;
  CHECK_FALSE(summarize_energy(result, at_seconds(0), at_seconds(65)));
  result.costs = MachineCosts{{{NodeWatts{400, 100, 200, 10}, 36}}, 0.5};
  const std::optional<EnergySummary> s = summarize_energy(result, at_seconds(0), at_seconds(65));
  CHECK(s->used * 3.6e6 == Approx(30 * 400 + 10 * 100 + 20 * 10 + 5 * 200));
  CHECK(s->idle * 3.6e6 == Approx(10 * 100));
  CHECK(s->always_on * 3.6e6 == Approx(30 * 400 + 35 * 100));
  const std::optional<CostSummary> cost = summarize_cost(result, s, at_seconds(0), at_seconds(65));
  CHECK(cost->nodes == Approx(45 * 0.01));
  CHECK(cost->idle == Approx(10 * 0.01));
  CHECK(cost->energy == Approx(s->used * 0.5));
  CHECK(cost->total == Approx(cost->nodes + cost->energy));
}

TEST_CASE("nodes are busy while some job runs on them, kind by kind", "[power]") {
  MachineSpec machine{3, 1, 2};
  MachineLayout layout;
  layout.kinds.resize(2);
  layout.kinds[0].count = 2;
  layout.kinds[1].first = 2;
  machine.layout = std::make_shared<const MachineLayout>(layout);
  Workload jobs;
  jobs.jobs.resize(2);
  NodeUse busy(jobs);
  busy.started(at_seconds(0), 0, as_ranges({0, 2}));
  busy.started(at_seconds(5), 1, as_ranges({0}));  // beside it
  busy.preempted(at_seconds(10), 0);
  busy.ended(at_seconds(12), 1, as_ranges({0}), false);
  busy.resumed(at_seconds(20), 0, as_ranges({0, 2}));
  busy.preempted(at_seconds(25), 0);
  busy.interrupted(at_seconds(30), 0, as_ranges({0, 2}), {});
  RunResult result;
  result.workload = &jobs;
  result.machine = machine;
  result.outcomes.resize(2);
  result.costs = MachineCosts{{{NodeWatts{400, 100}, 0}, {NodeWatts{40, 10}, 0}}, 0};
  busy.settle(result);
  CHECK(result.busy == std::vector<double>{12 + 5, 10 + 5});
  // Both bear half of node 0 from 5 to 10; the first bears what nodes draw that are idle while it is away.
  CHECK(result.joules[1] == Approx(5 * 200 + 2 * 400));
  CHECK(result.joules[0] ==
        Approx(5 * 400 + 5 * 200 + 8 * 100 + 5 * 400 + 5 * 100 + 10 * 40 + 10 * 10 + 5 * 40 + 5 * 10));
}

namespace {

/// What nodes did, second by second, as jobs and outages of the run had them: node-seconds.
struct PoweredCells {
  std::int64_t boots = 0, off = 0, busy = 0;
  std::int64_t waited = 0;  ///< of jobs, not of nodes
  bool operator==(const PoweredCells&) const = default;
};

struct RunOfJob {
  int from, to;
  NodeRanges nodes;
};

int whole(Time t) { return static_cast<int>(to_seconds(t)); }

std::vector<RunOfJob> runs_of(const RunResult& result) {
  std::vector<RunOfJob> runs;
  for (const Outcome& o : result.outcomes)
    if (o.start != kNever) runs.push_back({whole(o.start), whole(o.end), result.archive.get(o.nodes)});
  for (const InterruptedRun& r : result.interrupted)
    runs.push_back({whole(r.from), whole(r.to), result.archive.get(r.nodes)});
  return runs;
}

class PowerSeconder {
 public:
  PowerSeconder(const RunResult& result, const PowerOptions& power)
      : result_(result), runs_(runs_of(result)), idle_(seconds(power.idle)), boot_(seconds(power.boot)),
        shutdown_(seconds(power.shutdown)), on_(result.machine.nodes),
        nodes_(static_cast<std::size_t>(result.machine.nodes)) {
    on_.insert(power.stays_on);
    for_each_node(power.off_at_first, [&](NodeId n) {
      if (!on_.contains(n)) nodes_[static_cast<std::size_t>(n)] = {true, 0, 1'000'000, 0};
    });
  }

  PoweredCells run(int first, int last) {
    std::vector<bool> waits(runs_.size());
    for (int t = first; t != last; ++t) {
      waits.assign(runs_.size(), false);
      for (NodeId n = 0; n != result_.machine.nodes; ++n) second_of(n, t, waits);
      cells_.waited += std::count(waits.begin(), waits.end(), true);
    }
    return cells_;
  }

 private:
  struct Node {
    bool off = false;
    int free = 0, off_for = 0, coming = 0;
  };
  static int seconds(Duration d) { return static_cast<int>(to_seconds(d)); }

  bool is_down(NodeId n, int t) const {
    if (!result_.outages) return false;
    return std::any_of(result_.outages->down.begin(), result_.outages->down.end(), [&](const NodeDown& d) {
      return d.node == n && whole(d.from) <= t && (d.to == kNever || t < whole(d.to));
    });
  }

  void second_of(NodeId n, int t, std::vector<bool>& waits) {
    Node& node = nodes_[static_cast<std::size_t>(n)];
    if (is_down(n, t)) {
      node = {};
      return;
    }
    bool has_job = false;
    for (const RunOfJob& r : runs_) has_job |= r.from <= t && t < r.to && common_nodes(r.nodes, as_ranges({n})) != 0;
    if (!has_job) return wait(node, n);
    if (node.off) {
      ++cells_.boots;
      node.coming = boot_ + std::max(0, shutdown_ - node.off_for);
      node.off = false;
    }
    node.free = 0;
    if (node.coming == 0) {
      ++cells_.busy;
      return;
    }
    --node.coming;
    for (std::size_t i = 0; i != runs_.size(); ++i)
      if (runs_[i].from <= t && t < runs_[i].to && common_nodes(runs_[i].nodes, as_ranges({n})) != 0) waits[i] = true;
  }

  void wait(Node& node, NodeId n) {
    if (node.coming > 0) {
      --node.coming;
      return;
    }
    if (!node.off && node.free == idle_ && !on_.contains(n)) {
      node.off = true;
      node.off_for = 0;
    }
    if (!node.off) {
      node.free += on_.contains(n) ? 0 : 1;
      return;
    }
    ++node.off_for;
    ++cells_.off;
  }

  const RunResult& result_;
  std::vector<RunOfJob> runs_;
  int idle_, boot_, shutdown_;
  NodeSet on_;
  std::vector<Node> nodes_;
  PoweredCells cells_;
};

PoweredCells cells_of(const PowerRecord& record, Time last) {
  PoweredCells c;
  for (const NodeOff& o : record.off) c.off += whole(Time{std::max(std::min(o.to, last) - o.from, Duration{0})});
  for (const JobBoot& b : record.boots) {
    c.boots += b.off;
    c.waited += whole(Time{b.wait});
  }
  c.busy = static_cast<std::int64_t>(std::accumulate(record.busy.begin(), record.busy.end(), 0.0));
  return c;
}

PowerOptions random_power(cases::Dice& dice, std::int32_t nodes) {
  PowerOptions p = powered(dice.from(0, 4), dice.from(0, 4), dice.one_in(2) ? 0 : dice.from(0, 4));
  if (dice.one_in(3)) p.stays_on.append(0, dice.from(0, nodes - 1));
  if (dice.one_in(3)) p.off_at_first.append(dice.from(0, nodes - 1), nodes - 1);
  return p;
}

std::vector<Outage> power_outages(cases::Dice& dice, std::int32_t nodes) {
  std::vector<Outage> all;
  for (std::int32_t i = dice.from(0, 4); i > 0; --i) {
    const int from = dice.from(0, 50);
    all.push_back(power_outage(from, from + dice.from(1, 12), {dice.from(0, nodes - 1)},
                               dice.one_in(3) ? OutageKind::kDrain : OutageKind::kFailure));
  }
  return all;
}

Workload powered_jobs(cases::Dice& dice, std::int32_t nodes) {
  Workload w;
  int now = 0;
  for (int i = 0, count = dice.from(3, 14); i < count; ++i) {
    now += dice.one_in(2) ? 0 : dice.from(0, 14);
    const int limit = dice.from(1, 12);
    w.jobs.push_back(job_of(i + 1, now, dice.from(1, nodes), dice.from(1, 12), limit));
  }
  return w;
}

/// Empty, or what is wrong with the run.
std::string trouble_in(const WatchedRun& ran, const PowerOptions& power) {
  if (!ran.violations.empty()) return ran.violations.front();
  Time last = Time::min();
  for (const Outcome& o : ran.result.outcomes) last = std::max(last, o.end);
  const int first = whole(ran.result.timeline.front().time);
  const PoweredCells expected = PowerSeconder(ran.result, power).run(first, whole(last));
  const PoweredCells found = cells_of(*ran.result.power, last);
  if (expected == found) return {};
  return fmt::format("boots {} {}, off {} {}, busy {} {}, waited {} {}", expected.boots, found.boots, expected.off,
                     found.off, expected.busy, found.busy, expected.waited, found.waited);
}

std::string power_trouble(std::uint64_t seed) {
  cases::Dice dice(seed);
  const std::int32_t nodes = dice.from(1, 6);
  const Workload w = powered_jobs(dice, nodes);
  const PowerOptions power = random_power(dice, nodes);
  OutageOptions outages;
  outages.plan.listed = power_outages(dice, nodes);
  if (dice.one_in(3))
    outages.checkpoints = {whole_seconds(dice.from(1, 4)), whole_seconds(dice.from(0, 2)), whole_seconds(1)};
  Happenings h;
  h.power = &power;
  const bool fails = dice.one_in(2);
  if (fails) h.outages = &outages;
  for (const Backfill backfill : {Backfill::kNone, Backfill::kEasy, Backfill::kConservative}) {
    const WatchedRun equal = run_watched(MachineSpec{nodes}, w, backfill, h);
    if (const std::string t = trouble_in(equal, power); !t.empty()) return fmt::format("seed {}: {}", seed, t);
    const WatchedRun other = run_watched(by_node(nodes), w, backfill, h);
    if (const std::string t = trouble_in(other, power); !t.empty())
      return fmt::format("seed {}, by the ledger: {}", seed, t);
    if (equal.starts() != other.starts() || equal.ends() != other.ends())
      return fmt::format("seed {}: another schedule by the ledger", seed);
    if (fails) continue;
    Happenings late = h;
    late.engine.event_order = EventOrder::kSubmissionsFirst;
    const WatchedRun third = run_watched(MachineSpec{nodes}, w, backfill, late);
    if (const std::string t = trouble_in(third, power); !t.empty())
      return fmt::format("seed {}, submissions first: {}", seed, t);
  }
  return {};
}

/// Jobs with parts of nodes of several kinds.
std::string power_trouble_with_parts(std::uint64_t seed) {
  cases::Case c = cases::random_case(seed, false);
  cases::Dice dice(seed + 1'000'000);
  const PowerOptions power = random_power(dice, c.machine.nodes);
  OutageOptions outages;
  outages.plan.listed = power_outages(dice, c.machine.nodes);
  for (Outage& o : outages.plan.listed)
    if (dice.one_in(3)) o.kind = OutageKind::kMaintenance;
  Happenings h;
  h.power = &power;
  if (dice.one_in(2)) h.outages = &outages;
  for (const Backfill backfill : {Backfill::kNone, Backfill::kEasy, Backfill::kConservative}) {
    const WatchedRun ran = run_watched(c.machine, c.workload, backfill, h);
    if (!ran.violations.empty()) return fmt::format("seed {}: {}", seed, ran.violations.front());
  }
  return {};
}

/// Reservations are never late: schedulers know the longest time that nodes may take to come up.
std::string late_promise(std::uint64_t seed) {
  cases::Dice dice(seed);
  const std::int32_t nodes = dice.from(1, 6);
  const Workload w = powered_jobs(dice, nodes);
  const PowerOptions power = random_power(dice, nodes);
  QueueSchedulerOptions options;
  options.backfill = dice.one_in(2) ? Backfill::kEasy : Backfill::kConservative;
  QueueScheduler scheduler(options);
  Simulation simulation(MachineSpec{nodes}, w.jobs, scheduler, {}, {.power = &power});
  InvariantOptions promises;
  promises.promises_kept = true;
  InvariantChecker invariants(MachineSpec{nodes}, w.jobs, {}, promises);
  simulation.add(invariants);
  simulation.run();
  invariants.finish();
  return invariants.violations().empty() ? "" : fmt::format("seed {}: {}", seed, invariants.violations().front());
}

}  // namespace

TEST_CASE("powered nodes second by second", "[power]") {
  for (std::uint64_t seed = 0; seed != 300; ++seed) REQUIRE(power_trouble(seed) == "");
}

TEST_CASE("powered nodes second by second, at length", "[.][at_length][power]") {
  for (const std::uint64_t seed : test::cases_at_length(300, 29'700)) REQUIRE(power_trouble(seed) == "");
}

TEST_CASE("powered nodes on which several jobs run", "[power]") {
  for (std::uint64_t seed = 0; seed != 300; ++seed) REQUIRE(power_trouble_with_parts(seed) == "");
}

TEST_CASE("powered nodes on which several jobs run, at length", "[.][at_length][power]") {
  for (const std::uint64_t seed : test::cases_at_length(300, 29'700)) REQUIRE(power_trouble_with_parts(seed) == "");
}

TEST_CASE("promises are kept where nodes are powered down", "[power]") {
  for (std::uint64_t seed = 0; seed != 300; ++seed) REQUIRE(late_promise(seed) == "");
}

}  // namespace power_test
